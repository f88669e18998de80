/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scratch folders that survive nothing: removed at the end of a run, or by the next run if this one
 * was killed. */
#define _GNU_SOURCE /* nftw */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "quirkbench-"
#define YOUNG_S 60 /* a folder without a lock is not stale yet: its run may be making it */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    remove(path);
    return 0;
}

void files_remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

char *files_tail(const char *path, unsigned lines)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL)) {
        return g_strdup("");
    }
    g_autofree char *valid = g_utf8_make_valid(g_strchomp(text), -1);
    const char *from = valid + strlen(valid);
    while (from > valid && (from[-1] != '\n' || lines-- > 1)) {
        from--;
    }
    return g_strdup(from);
}

gboolean files_sync(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: %s", path,
                    g_strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return FALSE;
    }
    close(fd);
    return TRUE;
}

unsigned scratch_folder_clean(gboolean remove)
{
    g_autoptr(GDir) dir = g_dir_open(g_get_tmp_dir(), 0, NULL);
    unsigned found = 0;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(g_get_tmp_dir(), name, NULL);
        g_autofree char *lock = g_build_filename(path, "lock", NULL);
        struct stat st;
        if (!g_str_has_prefix(name, PREFIX) || strlen(name) != strlen(PREFIX) + 6 ||
            lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
            continue;
        }
        int fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        gboolean dead = fd >= 0
                            ? flock(fd, LOCK_EX | LOCK_NB) == 0
                            : errno == ENOENT &&
                                  g_get_real_time() / G_USEC_PER_SEC - st.st_mtim.tv_sec > YOUNG_S;
        if (dead) {
            found++;
            if (remove) {
                files_remove_folder(path);
            }
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    return found;
}

ScratchFolder *scratch_folder_new(GError **error)
{
    g_autofree char *pattern = g_build_filename(g_get_tmp_dir(), PREFIX "XXXXXX", NULL);

    scratch_folder_clean(TRUE);
    if (!g_mkdtemp(pattern)) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                    "%s: no folder can be made there: %s; set TMPDIR to a folder with room",
                    g_get_tmp_dir(), g_strerror(errno));
        return NULL;
    }
    /* The lock gets its name when it is held: a run that begins beside this one must not find it
     * free. */
    g_autofree char *fresh = g_build_filename(pattern, "lock.new", NULL);
    g_autofree char *lock = g_build_filename(pattern, "lock", NULL);
    int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || rename(fresh, lock) < 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: %s", lock,
                    g_strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        files_remove_folder(pattern);
        return NULL;
    }
    ScratchFolder *self = g_new0(ScratchFolder, 1);
    self->path = g_steal_pointer(&pattern);
    self->lock_fd = fd;
    return self;
}

void scratch_folder_free(ScratchFolder *self)
{
    if (self) {
        files_remove_folder(self->path);
        close(self->lock_fd);
        g_free(self->path);
        g_free(self);
    }
}
