/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives: what the writer writes the reader unpacks, and a damaged one harms nothing. */
#include "cpio-read.h"
#include "cpio-write.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static GByteArray *sample(gboolean reversed)
{
    g_autoptr(CpioWriter) writer = cpio_writer_new();
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 4; i++) {
        switch (reversed ? 3 - i : i) {
        case 0:
            cpio_writer_add_bytes(writer, "plan", 0644, "dmesg\n", 6, &error);
            break;
        case 1:
            cpio_writer_add_bytes(writer, "tools/usr/bin/x", 0755, "#!/bin/sh\n", 10, &error);
            break;
        case 2:
            cpio_writer_add_symlink(writer, "tools/usr/bin/y", "x", &error);
            break;
        default:
            cpio_writer_add_dir(writer, "modules", 0755, &error);
        }
        cr_assert(zero(ptr, error));
    }
    return cpio_writer_finish(writer);
}

static char *scratch_folder(void)
{
    g_autoptr(GError) error = NULL;
    char *folder = g_dir_make_tmp("quirkbench-cpio-XXXXXX", &error);

    cr_assert(not(zero(ptr, folder)));
    return folder;
}

/* Only the paths that these tests can have made. */
static void remove_folder(const char *folder)
{
    static const char *const paths[] = {
        "/tools/usr/bin/y", "/tools/usr/bin/x", "/tools/usr/bin", "/tools/usr",
        "/tools",           "/modules",         "/plan",          ""};

    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *path = g_strconcat(folder, paths[i], NULL);

        g_remove(path);
    }
}

Test(guest_cpio, unpacks_what_was_written)
{
    g_autoptr(GByteArray) archive = sample(FALSE);
    g_autofree char *folder = scratch_folder();
    g_autofree char *script = g_build_filename(folder, "tools/usr/bin/y", NULL);
    g_autofree char *content = NULL;
    Reason reason = {""};
    struct stat info;

    cr_expect(cpio_unpack(archive->data, archive->len, folder, &reason), "%s", reason.text);
    cr_assert(g_file_get_contents(script, &content, NULL, NULL));
    cr_expect(eq(str, content, (char *)"#!/bin/sh\n"));
    cr_expect(zero(int, stat(script, &info)));
    cr_expect(eq(u32, info.st_mode & 0777, 0755));
    remove_folder(folder);
}

Test(guest_cpio, order_of_adding_does_not_change_a_byte)
{
    g_autoptr(GByteArray) one = sample(FALSE);
    g_autoptr(GByteArray) other = sample(TRUE);

    cr_assert(eq(u32, one->len, other->len));
    cr_expect(zero(int, memcmp(one->data, other->data, one->len)));
    cr_expect(zero(u32, one->len % 512));
}

Test(guest_cpio, writer_refuses_paths_that_lead_out)
{
    static const char *const paths[] = {"", "/plan", "../plan", "a/../b", "a//b", "a/.", "a/"};

    for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autoptr(CpioWriter) writer = cpio_writer_new();
        g_autoptr(GError) error = NULL;

        cr_expect(not(cpio_writer_add_bytes(writer, paths[i], 0644, "", 0, &error)), "\"%s\"",
                  paths[i]);
        cr_expect(g_error_matches(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH));
    }
}

Test(guest_cpio, writer_refuses_a_path_added_twice)
{
    g_autoptr(CpioWriter) writer = cpio_writer_new();
    g_autoptr(GError) error = NULL;

    cr_expect(cpio_writer_add_bytes(writer, "plan", 0644, "", 0, &error));
    cr_expect(not(cpio_writer_add_bytes(writer, "plan", 0644, "", 0, &error)));
    cr_expect(g_error_matches(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH));
}

/* Every proper prefix is an archive that ends too early: an error, and never a crash. */
Test(guest_cpio, every_truncation_is_an_error)
{
    g_autoptr(GByteArray) archive = sample(FALSE);
    unsigned trailer = archive->len;

    while (memcmp(archive->data + trailer, "TRAILER!!!", 10) != 0) {
        trailer--;
    }
    for (unsigned length = 0; length < trailer + 11; length++) {
        g_autofree uint8_t *copy = g_memdup2(archive->data, length); /* so that ASan sees its end */
        g_autofree char *folder = scratch_folder();
        Reason reason = {""};

        cr_expect(not(cpio_unpack(copy, length, folder, &reason)), "length %u", length);
        cr_expect(ne(chr, reason.text[0], '\0'));
        remove_folder(folder);
    }
}

typedef struct Damage {
    unsigned offset; /* in the header of the first entry */
    char bytes[9];
} Damage;

ParameterizedTestParameters(guest_cpio, damaged_header_is_an_error)
{
    static Damage cases[] = {
        {0, "070707"},
        {6 + 8 * 1, "zzzzzzzz"},
        {6 + 8 * 6, "ffffffff"},
        {6 + 8 * 11, "00000000"},
        {6 + 8 * 11, "ffffffff"},
        {6 + 8 * 11, "00000002"},
        {6 + 8 * 1, "00002000"},
    };

    return cr_make_param_array(Damage, cases, G_N_ELEMENTS(cases));
}

ParameterizedTest(Damage *damage, guest_cpio, damaged_header_is_an_error)
{
    g_autoptr(GByteArray) archive = sample(FALSE);
    g_autofree char *folder = scratch_folder();
    Reason reason = {""};

    memcpy(archive->data + damage->offset, damage->bytes, strlen(damage->bytes));
    cr_expect(not(cpio_unpack(archive->data, archive->len, folder, &reason)), "%u %s",
              damage->offset, damage->bytes);
    remove_folder(folder);
}

Test(guest_cpio, reader_refuses_paths_that_lead_out)
{
    static const char *const names[] = {"../../x", "/abcdef", "a/../..", "ab/../c"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(CpioWriter) writer = cpio_writer_new();
        g_autoptr(GByteArray) archive = NULL;
        g_autofree char *folder = scratch_folder();
        Reason reason = {""};

        cpio_writer_add_bytes(writer, "abcdefg", 0644, "x", 1, NULL);
        archive = cpio_writer_finish(writer);
        memcpy(archive->data + 110, names[i], 7); /* the name follows the header of 110 bytes */
        cr_expect(not(cpio_unpack(archive->data, archive->len, folder, &reason)), "%s", names[i]);
        cr_expect(not(zero(ptr, strstr(reason.text, "leads out"))), "%s: %s", names[i],
                  reason.text);
        remove_folder(folder);
    }
}
