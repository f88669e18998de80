/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile's name to its file and its type. */
#include <string.h>

#include "device-type.h"
#include "paths.h"
#include "sim/sim-keyfile.h"

/* The type that knows most of the file's keys; a file that cannot be read is the first one's, which
 * will say why. */
static const DeviceType *type_of_file(const char *path)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, NULL);
    const DeviceType *best = &device_types[0];
    unsigned most = 0;

    for (size_t t = 0; file && t < device_types_n; t++) {
        size_t n = 0;
        const SimParam *params = device_types[t].params(&n);
        unsigned known = 0;
        for (size_t i = 0; i < n; i++) {
            known += sim_keyfile_entry(file, params[i].group, params[i].key) != NULL;
        }
        if (known > most) {
            most = known;
            best = &device_types[t];
        }
    }
    return best;
}

char *device_type_find_profile(const char *name, const DeviceType **type, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);

    if (strchr(name, '/')) {
        char *path = paths_profile(device_types[0].profiles, name, error);
        *type = path ? type_of_file(path) : NULL;
        return path;
    }
    for (size_t i = 0; i < device_types_n; i++) {
        char *path = paths_profile(device_types[i].profiles, name, NULL);
        g_autofree char **names = paths_profiles(device_types[i].profiles);
        for (char **each = names; *each; each++) {
            g_ptr_array_add(known, *each); /* owns them from now on */
        }
        if (path) {
            *type = &device_types[i];
            return path;
        }
    }
    g_ptr_array_add(known, NULL);
    const char *nearest = sim_nearest_word(name, (const char *const *)known->pdata);
    g_autofree char *list = g_strjoinv(", ", (char **)known->pdata);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "there is no profile '%s'%s%s%s", name,
                nearest ? "; did you mean '" : "; there are: ", nearest ? nearest : list,
                nearest ? "'?" : "");
    return NULL;
}
