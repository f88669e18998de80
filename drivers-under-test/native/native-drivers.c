/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The drivers that there are, and their parameters. */
#include <stddef.h>
#include <string.h>

#include "native-maps.h"
#include "sim/sim-keyfile.h"

const char *const native_map_words[] = {"one",   "per-cpu", "blocks", "stride",
                                        "apart", "polled",  NULL};

const NativeDriver *native_driver_find(const char *name)
{
    static const NativeDriver *const drivers[] = {&dragonfly_2016_06, &dragonfly_2016_07,
                                                  &linux_6_1, &queue_policy};

    for (size_t i = 0; i < G_N_ELEMENTS(drivers); i++) {
        if (g_str_equal(drivers[i]->name, name)) {
            return drivers[i];
        }
    }
    return NULL;
}

static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const after_before[] = {"after", "before", NULL};

/* A number in range, or a word. */
static const struct {
    const char *name;
    size_t offset;
    unsigned least, most;
    const char *const *words;
} rows[] = {
    {"write_queues", offsetof(NativeParameters, write_queues), 0, NATIVE_CPUS, NULL},
    {"poll_queues", offsetof(NativeParameters, poll_queues), 0, NATIVE_CPUS, NULL},
    {"queues", offsetof(NativeParameters, queues), 1, NATIVE_QUEUES, NULL},
    {"vectors", offsetof(NativeParameters, vectors), 1, NATIVE_QUEUES, NULL},
    {"io_queue_depth", offsetof(NativeParameters, io_queue_depth), 2, 4095, NULL},
    {"coalesce_entries", offsetof(NativeParameters, coalesce_entries), 0, 255, NULL},
    {"coalesce_time", offsetof(NativeParameters, coalesce_time), 0, 255, NULL},
    {"map", offsetof(NativeParameters, map), 0, 0, native_map_words},
    {"numa", offsetof(NativeParameters, numa), 0, 0, no_yes},
    {"physio", offsetof(NativeParameters, physio), 0, 0, after_before},
};

static bool refuse(GError **error, const char *word, const char *message, const char *name,
                   const char *const *words)
{
    const char *nearest = sim_nearest_word(name, words);
    g_autofree char *list = g_strjoinv(", ", (char **)words);

    g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_PARAMETER, "%s: %s%s%s%s", word, message,
                nearest ? "did you mean '" : "there are ", nearest ? nearest : list,
                nearest ? "'?" : "");
    return false;
}

static bool read_value(NativeParameters *self, size_t row, const char *word, const char *value,
                       GError **error)
{
    unsigned *field = (unsigned *)((char *)self + rows[row].offset);
    guint64 number = 0;

    for (unsigned i = 0; rows[row].words && rows[row].words[i]; i++) {
        if (g_str_equal(rows[row].words[i], value)) {
            *field = i;
            return true;
        }
    }
    if (rows[row].words) {
        return refuse(error, word, "not a value of it; ", value, rows[row].words);
    }
    if (!g_ascii_string_to_unsigned(value, 10, rows[row].least, rows[row].most, &number, NULL)) {
        g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_PARAMETER, "%s: a number from %u to %u", word,
                    rows[row].least, rows[row].most);
        return false;
    }
    *field = (unsigned)number;
    return true;
}

bool native_parameters_read(NativeParameters *self, const NativeDriver *driver,
                            const char *const *words, GError **error)
{
    *self = (NativeParameters){.map = NATIVE_MAP_BLOCKS};
    for (; words && *words; words++) {
        const char *dot = strchr(*words, '.'), *equals = strchr(*words, '=');
        g_autofree char *name =
            dot && equals && dot < equals ? g_strndup(dot + 1, equals - dot - 1) : NULL;

        if (!name || !g_str_has_prefix(*words, "nvme.")) {
            g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_PARAMETER,
                        "%s: write nvme.NAME=VALUE for a simulated driver", *words);
            return false;
        }
        if (!g_strv_contains(driver->parameters, name)) {
            return refuse(error, *words, "the driver has no such parameter; ", name,
                          driver->parameters);
        }
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
            if (g_str_equal(rows[i].name, name) &&
                !read_value(self, i, *words, equals + 1, error)) {
                return false;
            }
        }
    }
    return true;
}
