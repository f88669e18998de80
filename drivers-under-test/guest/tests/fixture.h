/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that stands in for /sys, /dev and /proc of a guest: files are made by path. */
#pragma once
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

typedef struct Fixture {
    char *root;
} Fixture;

static inline Fixture fixture_new(void)
{
    Fixture self = {g_dir_make_tmp("quirkbench-guest-XXXXXX", NULL)};

    cr_assert(self.root != NULL);
    return self;
}

/* @path: relative; folders are made. */
static inline void fixture_bytes(const Fixture *self, const char *path, const void *data,
                                 size_t length)
{
    g_autofree char *file = g_build_filename(self->root, path, NULL);
    g_autofree char *folder = g_path_get_dirname(file);

    cr_assert(g_mkdir_with_parents(folder, 0700) == 0);
    cr_assert(g_file_set_contents(file, data, (gssize)length, NULL));
}

static inline void fixture_file(const Fixture *self, const char *path, const char *content)
{
    fixture_bytes(self, path, content, strlen(content));
}

static inline char *fixture_path(const Fixture *self, const char *path)
{
    return g_build_filename(self->root, path, NULL);
}

static inline void fixture_remove(const char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
        GDir *dir = g_dir_open(path, 0, NULL);
        const char *name;

        while (dir && (name = g_dir_read_name(dir))) {
            g_autofree char *entry = g_build_filename(path, name, NULL);

            fixture_remove(entry);
        }
        if (dir) {
            g_dir_close(dir);
        }
    }
    g_remove(path);
}

static inline void fixture_free(Fixture *self)
{
    fixture_remove(self->root);
    g_free(self->root);
}
