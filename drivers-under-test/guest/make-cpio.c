/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-cpio [LIST]: writes the archive that LIST (or standard input) describes to standard output.
 * One entry a line, words separated by one blank:
 *   file PATH MODE SOURCE | dir PATH MODE | slink PATH TARGET | node PATH MODE MAJOR MINOR
 * Modes are octal.  SOURCE is the rest of the line, so it may hold blanks. */
#include "cpio-write.h"
#include <stdio.h>
#include <string.h>

static gboolean bad_line(GError **error)
{
    g_set_error(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH,
                "not one of: file PATH MODE SOURCE, dir PATH MODE, slink PATH TARGET, node PATH "
                "MODE MAJOR MINOR");
    return FALSE;
}

static unsigned octal(const char *text)
{
    return (unsigned)g_ascii_strtoull(text, NULL, 8) & 07777;
}

static gboolean add_line(CpioWriter *writer, const char *line, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, " ", g_str_has_prefix(line, "file ") ? 4 : -1);
    unsigned n = g_strv_length(words);

    if (n == 0 || words[0][0] == '#') {
        return TRUE;
    }
    if (g_str_equal(words[0], "file") && n == 4) {
        return cpio_writer_add_file(writer, words[1], octal(words[2]), words[3], error);
    }
    if (g_str_equal(words[0], "dir") && n == 3) {
        return cpio_writer_add_dir(writer, words[1], octal(words[2]), error);
    }
    if (g_str_equal(words[0], "slink") && n == 3) {
        return cpio_writer_add_symlink(writer, words[1], words[2], error);
    }
    if (g_str_equal(words[0], "node") && n == 5) {
        return cpio_writer_add_node(writer, words[1], octal(words[2]),
                                    (unsigned)g_ascii_strtoull(words[3], NULL, 10),
                                    (unsigned)g_ascii_strtoull(words[4], NULL, 10), error);
    }
    return bad_line(error);
}

int main(int argc, char **argv)
{
    const char *list = argc > 1 ? argv[1] : "/dev/stdin";
    g_autoptr(CpioWriter) writer = cpio_writer_new();
    g_autoptr(GByteArray) archive = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *content = NULL;
    g_auto(GStrv) lines = NULL;

    if (argc > 2 || (argc == 2 && g_str_equal(argv[1], "--help"))) {
        fputs("Usage: make-cpio [LIST] > ARCHIVE\n", stderr);
        return 2;
    }
    if (!g_file_get_contents(list, &content, NULL, &error)) {
        fprintf(stderr, "make-cpio: %s\n", error->message);
        return 1;
    }
    lines = g_strsplit(content, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        if (*lines[i] && !add_line(writer, lines[i], &error)) {
            fprintf(stderr, "make-cpio: %s:%u: %s\n", list, i + 1, error->message);
            return 1;
        }
    }
    archive = cpio_writer_finish(writer);
    return fwrite(archive->data, 1, archive->len, stdout) == archive->len && fflush(stdout) == 0
               ? 0
               : 1;
}
