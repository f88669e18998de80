/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpio-write.h"
#include <string.h>
#include <sys/stat.h>

typedef struct Entry {
    unsigned mode; /* type and permissions, as in struct stat */
    unsigned major, minor;
    GBytes *data; /* a file's content, a symlink's target; NULL: none */
} Entry;

struct CpioWriter {
    GTree *entries; /* path -> Entry, in the order of the bytes of the path */
};

G_DEFINE_QUARK(quirkbench - cpio - writer - error, cpio_writer_error)

static int compare_paths(const void *a, const void *b, void *unused)
{
    return strcmp(a, b);
}

static void entry_free(void *data)
{
    Entry *entry = data;

    g_clear_pointer(&entry->data, g_bytes_unref);
    g_free(entry);
}

static GTree *tree_new(void)
{
    return g_tree_new_full(compare_paths, NULL, g_free, entry_free);
}

CpioWriter *cpio_writer_new(void)
{
    CpioWriter *self = g_new0(CpioWriter, 1);

    self->entries = tree_new();
    return self;
}

void cpio_writer_free(CpioWriter *self)
{
    if (self) {
        g_tree_unref(self->entries);
        g_free(self);
    }
}

static gboolean check_path(const char *path, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);

    for (unsigned i = 0; parts[i]; i++) {
        if (!*parts[i] || g_str_equal(parts[i], ".") || g_str_equal(parts[i], "..")) {
            g_set_error(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH,
                        "\"%s\" is no path inside an archive: it must be relative and without "
                        "\".\" or \"..\"",
                        path);
            return FALSE;
        }
    }
    if (!parts[0]) {
        g_set_error(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH,
                    "a path in the archive is empty");
        return FALSE;
    }
    return TRUE;
}

static void add_parents(CpioWriter *self, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        g_autofree char *parent = g_strndup(path, (size_t)(slash - path));

        if (!g_tree_lookup(self->entries, parent)) {
            Entry *entry = g_new0(Entry, 1);

            entry->mode = S_IFDIR | 0755;
            g_tree_insert(self->entries, g_steal_pointer(&parent), entry);
        }
    }
}

/* @data: (transfer full) */
static gboolean add(CpioWriter *self, const char *path, Entry values, GError **error)
{
    Entry *old = g_tree_lookup(self->entries, path);

    if (!check_path(path, error)) {
        g_clear_pointer(&values.data, g_bytes_unref);
        return FALSE;
    }
    /* A folder may be added after files in it, or twice. */
    if (old && !(S_ISDIR(old->mode) && S_ISDIR(values.mode))) {
        g_clear_pointer(&values.data, g_bytes_unref);
        g_set_error(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_PATH,
                    "\"%s\" is in the archive already", path);
        return FALSE;
    }
    if (values.data && g_bytes_get_size(values.data) > G_MAXUINT32) {
        g_clear_pointer(&values.data, g_bytes_unref);
        g_set_error(error, CPIO_WRITER_ERROR, CPIO_WRITER_ERROR_SIZE,
                    "\"%s\" is too large for an archive", path);
        return FALSE;
    }
    add_parents(self, path);
    g_tree_insert(self->entries, g_strdup(path), g_memdup2(&values, sizeof(values)));
    return TRUE;
}

gboolean cpio_writer_add_bytes(CpioWriter *self, const char *path, unsigned permissions,
                               const void *data, size_t length, GError **error)
{
    return add(self, path,
               (Entry){.mode = S_IFREG | permissions, .data = g_bytes_new(data, length)}, error);
}

gboolean cpio_writer_add_file(CpioWriter *self, const char *path, unsigned permissions,
                              const char *source, GError **error)
{
    char *data;
    size_t length;

    if (!g_file_get_contents(source, &data, &length, error)) {
        return FALSE;
    }
    return add(self, path,
               (Entry){.mode = S_IFREG | permissions, .data = g_bytes_new_take(data, length)},
               error);
}

gboolean cpio_writer_add_dir(CpioWriter *self, const char *path, unsigned permissions,
                             GError **error)
{
    return add(self, path, (Entry){.mode = S_IFDIR | permissions}, error);
}

gboolean cpio_writer_add_symlink(CpioWriter *self, const char *path, const char *target,
                                 GError **error)
{
    return add(self, path,
               (Entry){.mode = S_IFLNK | 0777, .data = g_bytes_new(target, strlen(target))}, error);
}

gboolean cpio_writer_add_node(CpioWriter *self, const char *path, unsigned permissions,
                              unsigned major, unsigned minor, GError **error)
{
    return add(self, path, (Entry){.mode = S_IFCHR | permissions, .major = major, .minor = minor},
               error);
}

static void pad(GByteArray *out, unsigned boundary)
{
    static const uint8_t zeros[512];

    g_byte_array_append(out, zeros, (boundary - out->len % boundary) % boundary);
}

typedef struct Output {
    GByteArray *bytes;
    unsigned inode;
} Output;

static void write_entry(Output *out, const char *path, const Entry *entry)
{
    size_t length = entry->data ? g_bytes_get_size(entry->data) : 0;
    /* magic ino mode uid gid nlink mtime size dev(2) rdev(2) namesize check: cpio(5), "New ASCII"
     */
    g_autofree char *header =
        g_strdup_printf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", out->inode++,
                        entry->mode, 0, 0, S_ISDIR(entry->mode) ? 2 : 1, 0, (unsigned)length, 0, 0,
                        entry->major, entry->minor, (unsigned)strlen(path) + 1, 0);

    g_byte_array_append(out->bytes, (const uint8_t *)header, (unsigned)strlen(header));
    g_byte_array_append(out->bytes, (const uint8_t *)path, (unsigned)strlen(path) + 1);
    pad(out->bytes, 4);
    if (length > 0) {
        g_byte_array_append(out->bytes, g_bytes_get_data(entry->data, NULL), (unsigned)length);
        pad(out->bytes, 4);
    }
}

static gboolean visit(void *path, void *entry, void *out)
{
    write_entry(out, path, entry);
    return FALSE;
}

GByteArray *cpio_writer_finish(CpioWriter *self)
{
    Output out = {g_byte_array_new(), 1};

    g_tree_foreach(self->entries, visit, &out);
    out.inode = 0;
    write_entry(&out, "TRAILER!!!", &(Entry){0});
    pad(out.bytes, 512);
    g_tree_unref(self->entries);
    self->entries = tree_new();
    return out.bytes;
}
