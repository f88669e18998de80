/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data, programs and cache: the installed prefix or the build tree, told apart by where the
 * running program lies. */
#include "paths.h"

#include <string.h>

#include "sim/sim-keyfile.h"

/* Folder of the running program. */
static char *program_folder(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);

    return self ? g_path_get_dirname(self) : g_strdup(".");
}

static gboolean in_build_tree(const char *folder)
{
    g_autofree char *mark = g_build_filename(folder, "build.ninja", NULL);
    g_autofree char *above = g_build_filename(folder, "..", "build.ninja", NULL);

    /* Tests lie one or two folders deeper. */
    g_autofree char *far_above = g_build_filename(folder, "..", "..", "build.ninja", NULL);
    return g_file_test(mark, G_FILE_TEST_EXISTS) || g_file_test(above, G_FILE_TEST_EXISTS) ||
           g_file_test(far_above, G_FILE_TEST_EXISTS);
}

/* Where the build installs what has another place in the source tree. */
static char *installed_name(const char *relative)
{
    g_auto(GStrv) parts = g_strsplit(relative, "/", 4);
    guint n = g_strv_length(parts);

    if (n >= 3 && strcmp(parts[0], "models") == 0 && strcmp(parts[2], "profiles") == 0) {
        return g_build_filename("profiles", parts[1], parts[3], NULL);
    }
    if (strcmp(parts[0], "drivers-under-test") == 0) {
        return g_build_filename("drivers", relative + strlen("drivers-under-test"), NULL);
    }
    return g_strdup(relative);
}

char *paths_data(const char *relative)
{
    const char *given = g_getenv("QUIRKBENCH_DATA");
    g_autofree char *folder = program_folder();

    if (given && *given) {
        return g_build_filename(given, relative, NULL);
    }
    if (in_build_tree(folder)) {
        return g_build_filename(QB_SOURCE_DIR, relative, NULL);
    }
    g_autofree char *installed = installed_name(relative);
    return g_build_filename(folder, "..", QB_DATADIR, "quirkbench", installed, NULL);
}

char *paths_program(const char *relative)
{
    g_autofree char *folder = program_folder();
    g_autofree char *name = g_path_get_basename(relative);

    if (in_build_tree(folder)) {
        return g_build_filename(QB_BUILD_DIR, relative, NULL);
    }
    return g_build_filename(folder, "..", QB_LIBEXECDIR, "quirkbench", name, NULL);
}

char *paths_script(const char *relative)
{
    g_autofree char *folder = program_folder();

    return in_build_tree(folder) ? g_build_filename(QB_SOURCE_DIR, relative, NULL)
                                 : paths_program(relative);
}

char *paths_cache(const char *option)
{
    if (option && *option) {
        return g_canonicalize_filename(option, NULL);
    }
    return g_build_filename(g_get_user_cache_dir(), "quirkbench", NULL);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(char *const *)a, *(char *const *)b);
}

char **paths_profiles(const char *folder)
{
    g_autofree char *path = paths_data(folder);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    const char *entry;

    while (dir && (entry = g_dir_read_name(dir))) {
        if (g_str_has_suffix(entry, ".ini")) {
            g_ptr_array_add(names, g_strndup(entry, strlen(entry) - strlen(".ini")));
        }
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

char *paths_profile(const char *folder, const char *name, GError **error)
{
    if (strchr(name, '/')) {
        if (g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
            return g_canonicalize_filename(name, NULL);
        }
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "there is no file %s", name);
        return NULL;
    }

    g_autofree char *base = paths_data(folder);
    g_autofree char *leaf =
        g_str_has_suffix(name, ".ini") ? g_strdup(name) : g_strconcat(name, ".ini", NULL);
    g_autofree char *path = g_build_filename(base, leaf, NULL);

    if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        return g_steal_pointer(&path);
    }
    g_auto(GStrv) known = paths_profiles(folder);
    const char *nearest = sim_nearest_word(name, (const char *const *)known);
    g_autofree char *list = g_strjoinv(", ", known);
    if (nearest) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "there is no profile '%s'; did you mean '%s'?", name, nearest);
    } else {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "there is no profile '%s'; there are: %s", name, list);
    }
    return NULL;
}
