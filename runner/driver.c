/* SPDX-License-Identifier: GPL-2.0-or-later */
/* driver.ini, and modules with what they depend on (modules.dep). */
#include "driver.h"

#include <string.h>

#include "inputs.h"
#include "paths.h"
#include "scenario-private.h"

void driver_free(Driver *self)
{
    if (self) {
        g_free(self->name);
        g_free(self->title);
        g_free(self->drives);
        g_strfreev(self->modules);
        g_free(self->wait);
        g_free(self->bind);
        g_strfreev(self->tools);
        g_free(self->package);
        g_free(self);
    }
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **driver_names(void)
{
    g_autofree char *base = paths_data("drivers-under-test");
    g_autoptr(GDir) dir = g_dir_open(base, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(base, name, "driver.ini", NULL);
        if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* The keys of a real driver. */
static gboolean read_real(Driver *self, SimKeyfile *file, GError **error)
{
    static const char *const waits[] = {"nvme", "net", "pci", NULL};
    const char *wait = scenario_text(file, "driver", "wait");
    g_autofree char *modules = NULL;

    if (!scenario_required(file, "driver", "modules", &modules, error)) {
        return FALSE;
    }
    if (wait && !g_strv_contains(waits, wait)) {
        scenario_unknown(file, sim_keyfile_entry(file, "driver", "wait"), error,
                         "the plan cannot wait for a", wait, waits);
        return FALSE;
    }
    self->modules = scenario_list(modules, ", \t");
    self->wait = g_strdup(wait ? wait : "nvme");
    self->bind = g_strdup(scenario_text(file, "driver", "bind"));
    self->tools = scenario_list(scenario_text(file, "driver", "tools"), ", \t");
    self->package = g_strdup(scenario_text(file, "driver", "package"));
    return TRUE;
}

Driver *driver_load(const char *name, GError **error)
{
    g_auto(GStrv) names = driver_names();
    g_autoptr(Driver) self = g_new0(Driver, 1);

    if (!g_strv_contains((const char *const *)names, name)) {
        const char *nearest = sim_nearest_word(name, (const char *const *)names);
        g_autofree char *list = g_strjoinv(", ", names);
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING, "there is no driver '%s'%s%s%s",
                    name, nearest ? "; did you mean '" : "; there are: ",
                    nearest ? nearest
                    : *list ? list
                            : "none",
                    nearest ? "'?" : "");
        return NULL;
    }
    g_autofree char *relative = g_build_filename("drivers-under-test", name, "driver.ini", NULL);
    g_autofree char *path = paths_data(relative);
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, error);
    if (!file) {
        return NULL;
    }
    self->simulated = g_strcmp0(scenario_text(file, "driver", "kind"), "simulated") == 0;
    if (self->simulated) {
        self->modules = g_new0(char *, 1);
        self->tools = g_new0(char *, 1);
    } else if (!read_real(self, file, error)) {
        return NULL;
    }
    const char *title = scenario_text(file, "driver", "title");
    self->name = g_strdup(name);
    self->title = g_strdup(title ? title : "");
    const char *drives = scenario_text(file, "driver", "drives");
    self->drives = g_strdup(drives ? drives : "nvme");
    return g_steal_pointer(&self);
}

/* --- modules.dep --- */

/* "kernel/…/nvme-core.ko" → "nvme_core". (transfer full) */
static char *module_name(const char *path)
{
    g_autofree char *leaf = g_path_get_basename(path);
    char *name = g_strndup(leaf, strcspn(leaf, "."));

    return g_strdelimit(name, "-", '_');
}

/* Adds @path unless its module is there already. */
static void add_once(GPtrArray *files, const char *folder, const char *path)
{
    g_autofree char *name = module_name(path);

    for (guint i = 0; i < files->len; i++) {
        g_autofree char *other = module_name(g_ptr_array_index(files, i));
        if (strcmp(other, name) == 0) {
            return;
        }
    }
    g_ptr_array_add(files, g_build_filename(folder, path, NULL));
}

/* A module and its dependencies, these first.  FALSE: modules.dep does not know it. */
static gboolean add_module(GPtrArray *files, const char *folder, char **lines, const char *module)
{
    g_autofree char *wanted = module_name(module);

    for (char **line = lines; *line; line++) {
        char *colon = strchr(*line, ':');
        if (!colon) {
            continue;
        }
        g_autofree char *path = g_strndup(*line, colon - *line);
        g_autofree char *name = module_name(path);
        if (strcmp(name, wanted) != 0) {
            continue;
        }
        g_auto(GStrv) needs = scenario_list(colon + 1, " \t");
        for (guint i = g_strv_length(needs); i-- > 0;) {
            add_once(files, folder, needs[i]);
        }
        add_once(files, folder, path);
        return TRUE;
    }
    return FALSE;
}

static gboolean no_module(const char *folder, char **lines, const char *module, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (char **line = lines; *line; line++) {
        g_autofree char *path = g_strndup(*line, strcspn(*line, ":"));
        if (*path) {
            g_ptr_array_add(names, module_name(path));
        }
    }
    g_ptr_array_add(names, NULL);
    const char *nearest = sim_nearest_word(module, (const char *const *)names->pdata);
    g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                "%s has no module %s; %s%s%sbuild it, or give another folder with --modules",
                folder, module, nearest ? "did you mean '" : "", nearest ? nearest : "",
                nearest ? "'? Or " : "");
    return FALSE;
}

static gboolean add_modules(GPtrArray *files, const char *folder, char **lines, char **modules,
                            GError **error)
{
    for (; *modules; modules++) {
        if (!add_module(files, folder, lines, *modules)) {
            return no_module(folder, lines, *modules, error);
        }
    }
    return TRUE;
}

static char **read_dep(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "modules.dep", NULL);
    g_autofree char *text = NULL;

    return g_file_get_contents(path, &text, NULL, NULL) ? g_strsplit(text, "\n", -1) : NULL;
}

/* A plain folder of .ko files: those stand in for the ones of the same name. */
static unsigned replace_modules(GPtrArray *files, const char *folder)
{
    unsigned replaced = 0;

    for (guint i = 0; i < files->len; i++) {
        g_autofree char *leaf = g_path_get_basename(g_ptr_array_index(files, i));
        g_autofree char *path = g_build_filename(folder, leaf, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            g_free(files->pdata[i]);
            files->pdata[i] = g_steal_pointer(&path);
            replaced++;
        }
    }
    return replaced;
}

GPtrArray *driver_module_files(const Driver *self, char **more, const char *modules_dir,
                               const char *fallback_dir, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) own = read_dep(modules_dir);
    const char *folder = own ? modules_dir : fallback_dir;
    g_auto(GStrv) fallback = own || !fallback_dir ? NULL : read_dep(fallback_dir);
    char **lines = own ? own : fallback;

    if (!lines) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "%s has no modules.dep; run depmod, or give the folder lib/modules/RELEASE",
                    modules_dir);
        return NULL;
    }
    if ((more && !add_modules(files, folder, lines, more, error)) ||
        !add_modules(files, folder, lines, self->modules, error)) {
        return NULL;
    }
    if (!own && !replace_modules(files, modules_dir)) {
        g_autofree char *list = g_strjoinv(".ko, ", self->modules);
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "%s has none of the driver's modules (%s.ko)", modules_dir, list);
        return NULL;
    }
    for (guint i = 0; i < files->len; i++) {
        const char *path = g_ptr_array_index(files, i);
        if (!g_str_has_suffix(path, ".ko")) {
            g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                        "%s is compressed; decompress the modules first (xz -d, zstd -d)", path);
            return NULL;
        }
        if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                        "%s is not there, though modules.dep names it; run depmod again", path);
            return NULL;
        }
    }
    return g_steal_pointer(&files);
}
