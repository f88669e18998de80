/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One text file, a line a file: KEY HASH, where KEY is a hash of path, device, inode, size and
 * times.  Written under a temporary name and renamed; two runs at once lose a line at most. */
#include "hash-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "file-hashes"
#define MOST_LINES 4096

struct HashCache {
    char *path;
    GHashTable *known; /* key → hash */
    gboolean changed;
};

HashCache *hash_cache_new(const char *cache)
{
    HashCache *self = g_new0(HashCache, 1);
    g_autofree char *text = NULL;

    self->path = g_build_filename(cache, FILE_NAME, NULL);
    self->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (g_file_get_contents(self->path, &text, NULL, NULL)) {
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        for (char **line = lines; *line; line++) {
            if (strlen(*line) == 2 * 64 + 1 && (*line)[64] == ' ') {
                g_hash_table_insert(self->known, g_strndup(*line, 64), g_strdup(*line + 65));
            }
        }
    }
    return self;
}

void hash_cache_free(HashCache *self)
{
    if (!self) {
        return;
    }
    if (self->changed) {
        g_autoptr(GString) text = g_string_new(NULL);
        GHashTableIter iter;
        gpointer key, value;
        g_hash_table_iter_init(&iter, self->known);
        for (unsigned n = 0; n < MOST_LINES && g_hash_table_iter_next(&iter, &key, &value); n++) {
            g_string_append_printf(text, "%s %s\n", (char *)key, (char *)value);
        }
        g_file_set_contents(self->path, text->str, text->len, NULL);
    }
    g_hash_table_destroy(self->known);
    g_free(self->path);
    g_free(self);
}

static char *hash_content(const char *path, GError **error)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *buffer = g_malloc(1 << 20);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;

    while (fd >= 0 && (got = read(fd, buffer, 1 << 20)) > 0) {
        g_checksum_update(sum, (guchar *)buffer, got);
    }
    if (got < 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s cannot be read: %s",
                    path, g_strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return got < 0 ? NULL : g_strdup(g_checksum_get_string(sum));
}

char *hash_cache_file(HashCache *self, const char *path, GError **error)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s cannot be read: %s",
                    path, g_strerror(errno));
        return NULL;
    }
    /* The change time cannot be set back by a program that keeps the modification time. */
    g_autofree char *facts =
        g_strdup_printf("%s|%ju|%ju|%jd|%jd.%09ld|%jd.%09ld", path, (uintmax_t)st.st_dev,
                        (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                        st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
    g_autofree char *key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, facts, -1);
    const char *known = g_hash_table_lookup(self->known, key);
    if (known) {
        return g_strdup(known);
    }
    char *hash = hash_content(path, error);
    if (hash) {
        g_hash_table_insert(self->known, g_steal_pointer(&key), g_strdup(hash));
        self->changed = TRUE;
    }
    return hash;
}
