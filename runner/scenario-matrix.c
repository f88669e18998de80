/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --set, [point NAME], [matrix] and [expect WHEN]: from one key file to one key file a point.
 * An axis of the matrix is GROUP.KEY = V1; V2.  `device.KEY` stands for the key of every device,
 * `load.KEY` for that of every load.  The [point NAME]s together are one more axis, named `point`:
 * its value NAME sets all keys of its group.  That axis changes slowest, then the first of the
 * matrix. */
#include "scenario-private.h"

#include <string.h>

typedef struct Axis {
    char *name;         /* "device nvme0.profile", or "point" */
    char **values;      /* to run */
    char **known;       /* as in the file: --set may have narrowed the values to one */
    SimKeyfileEntry at; /* for messages; strings are the file's */
} Axis;

static void axis_free(gpointer data)
{
    Axis *axis = data;

    g_free(axis->name);
    g_strfreev(axis->values);
    g_strfreev(axis->known);
    g_free(axis);
}

/* Is @group of @kind: "load" or "load NAME"? */
static gboolean group_is(const char *group, const char *kind)
{
    size_t n = strlen(kind);

    return strncmp(group, kind, n) == 0 && (group[n] == 0 || group[n] == ' ');
}

/* "GROUP.KEY" into both; the group is the part before the first dot after its name, so that
 * `device nvme0.profile.io-queues` is key `profile.io-queues`. */
static gboolean split_name(const char *name, char **group, char **key)
{
    const char *dot = strchr(name, '.');

    if (!dot || dot == name || !dot[1]) {
        return FALSE;
    }
    *group = g_strndup(name, dot - name);
    *key = g_strdup(dot + 1);
    return TRUE;
}

/* Sets GROUP.KEY in every group that the name stands for; returns how many. */
static unsigned set_everywhere(SimKeyfile *file, const char *group, const char *key,
                               const char *value, unsigned line)
{
    static const char *const single[] = {"scenario", "machine", "driver", NULL};
    static const char *const several[] = {"device", "load", "wire", "traffic", NULL};
    g_autoptr(GPtrArray) targets = g_ptr_array_new_with_free_func(g_free);
    const char *const *groups = sim_keyfile_groups(file);

    for (size_t i = 0; groups[i]; i++) {
        if (strcmp(groups[i], group) == 0 ||
            (!strchr(group, ' ') && g_strv_contains(several, group) &&
             group_is(groups[i], group))) {
            g_ptr_array_add(targets, g_strdup(groups[i]));
        }
    }
    if (targets->len == 0 && g_strv_contains(single, group)) {
        g_ptr_array_add(targets, g_strdup(group));
    }
    for (guint i = 0; i < targets->len; i++) {
        const char *target = g_ptr_array_index(targets, i);
        sim_keyfile_set(file, target, key, value);
        SimKeyfileEntry *entry = sim_keyfile_entry(file, target, key);
        if (entry && line) {
            entry->line = line;
        }
    }
    return targets->len;
}

gboolean scenario_apply_sets(SimKeyfile *file, const char *const *sets, GError **error)
{
    for (; sets && *sets; sets++) {
        const char *equals = strchr(*sets, '=');
        if (!equals || equals == *sets) {
            g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_SYNTAX,
                        "--set %s: write GROUP.KEY=VALUE, e.g. load.block=4KiB", *sets);
            return FALSE;
        }
        g_autofree char *name = g_strndup(*sets, equals - *sets);
        g_autofree char *value = g_strdup(equals + 1);
        g_autofree char *group = NULL, *key = NULL;
        g_strstrip(name);
        g_strstrip(value);
        /* A value for an axis narrows the matrix to it. */
        if (sim_keyfile_entry(file, "matrix", name) || strcmp(name, "point") == 0) {
            sim_keyfile_set(file, SCENARIO_NARROWED, name, value);
            continue;
        }
        if (!strchr(name, '.')) {
            group = g_strdup("scenario");
            key = g_strdup(name);
        } else if (!split_name(name, &group, &key)) {
            g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_SYNTAX,
                        "--set %s: write GROUP.KEY=VALUE, e.g. load.block=4KiB", *sets);
            return FALSE;
        }
        if (!set_everywhere(file, group, key, value, 0)) {
            const char *nearest = sim_nearest_word(group, sim_keyfile_groups(file));
            g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_UNKNOWN,
                        "--set %s: %s has no group [%s]%s%s%s", *sets, sim_keyfile_name(file),
                        group, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "");
            return FALSE;
        }
    }
    return TRUE;
}

static char **one_value(const char *value)
{
    char **values = g_new0(char *, 2);

    values[0] = g_strdup(value);
    return values;
}

/* [point NAME]s as an axis, or NULL: there are none (or only the one of --set point=NAME). */
static Axis *read_points(SimKeyfile *file, GError **error)
{
    const char *const *groups = sim_keyfile_groups(file);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *only = sim_keyfile_get(file, SCENARIO_NARROWED, "point");

    for (size_t i = 0; groups[i]; i++) {
        if (g_str_has_prefix(groups[i], "point ")) {
            const char *name = groups[i] + strlen("point ");
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    g_ptr_array_add(names, NULL);
    if (only && !g_strv_contains((const char *const *)names->pdata, only)) {
        const char *nearest = sim_nearest_word(only, (const char *const *)names->pdata);
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_UNKNOWN,
                    "--set point=%s: %s has no such [point]%s%s%s", only, sim_keyfile_name(file),
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        return NULL;
    }
    if (names->len == 1) {
        return NULL;
    }
    Axis *axis = g_new0(Axis, 1);
    axis->name = g_strdup("point");
    axis->at = (SimKeyfileEntry){.group = "point", .key = ""};
    axis->known = (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
    axis->values = only ? one_value(only) : g_strdupv(axis->known);
    return axis;
}

static GPtrArray *read_axes(SimKeyfile *file, GError **error)
{
    g_autoptr(GPtrArray) axes = g_ptr_array_new_with_free_func(axis_free);
    const GPtrArray *entries = sim_keyfile_entries(file, "matrix");
    guint64 points = 1;
    GError *inner = NULL;
    Axis *rows = read_points(file, &inner);

    if (inner) {
        g_propagate_error(error, inner);
        return NULL;
    }
    if (rows) {
        g_ptr_array_add(axes, rows);
        points = g_strv_length(rows->values);
    }
    for (guint i = 0; entries && i < entries->len; i++) {
        SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        g_autofree char *group = NULL, *key = NULL;
        Axis *axis = g_new0(Axis, 1);
        g_ptr_array_add(axes, axis);
        axis->name = g_strdup(entry->key);
        axis->at = *entry;
        const char *only = sim_keyfile_get(file, SCENARIO_NARROWED, entry->key);
        axis->known = scenario_list(entry->value, ";");
        axis->values = only ? one_value(only) : g_strdupv(axis->known);
        entry->taken = true;
        if (!split_name(axis->name, &group, &key)) {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_SYNTAX, error,
                              "write GROUP.KEY = VALUE; VALUE, e.g. load.block = 4KiB; 8KiB");
            return NULL;
        }
        if (!axis->values[0]) {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "has no value; separate values with semicolons");
            return NULL;
        }
        for (char **value = axis->values; *value; value++) {
            for (char **other = axis->values; other < value; other++) {
                if (strcmp(*other, *value) == 0) {
                    sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_DUPLICATE, error,
                                      "names %s twice", *value);
                    return NULL;
                }
            }
        }
        points *= g_strv_length(axis->values);
        if (points > 10000) {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "the matrix has more than 10000 points");
            return NULL;
        }
    }
    return g_steal_pointer(&axes);
}

/* Does the point (one value an axis) fulfil "AXIS=VALUE AXIS=VALUE"? */
static gboolean when_holds(SimKeyfile *file, const char *group, GPtrArray *axes,
                           const guint *position, gboolean *holds, GError **error)
{
    g_auto(GStrv) words = scenario_list(group + strlen("expect "), " \t");
    SimKeyfileEntry place = {
        .group = group, .key = "", .line = sim_keyfile_group_line(file, group)};
    g_autoptr(GString) condition = g_string_new(NULL);
    g_autofree const char **names = g_new0(const char *, axes->len + 1);

    for (guint i = 0; i < axes->len; i++) {
        names[i] = ((Axis *)g_ptr_array_index(axes, i))->name;
    }
    *holds = TRUE;
    for (char **word = words; *word; word++) {
        g_string_append_printf(condition, "%s%s", condition->len ? " " : "", *word);
        const char *equals = strchr(condition->str, '=');
        if (!equals) {
            continue; /* "device" of "device nvme0.profile=…" */
        }
        g_autofree char *name = g_strndup(condition->str, equals - condition->str);
        const char *value = equals + 1;
        guint i = 0;
        while (i < axes->len && strcmp(names[i], name) != 0) {
            i++;
        }
        if (i == axes->len) {
            scenario_unknown(file, &place, error, "the matrix has no axis", name, names);
            return FALSE;
        }
        Axis *axis = g_ptr_array_index(axes, i);
        if (!g_strv_contains((const char *const *)axis->known, value)) {
            scenario_unknown(file, &place, error, "the axis has no value", value,
                             (const char *const *)axis->known);
            return FALSE;
        }
        if (strcmp(axis->values[position[i]], value) != 0) {
            *holds = FALSE;
        }
        g_string_truncate(condition, 0);
    }
    if (condition->len) {
        sim_keyfile_error(file, &place, SIM_KEYFILE_ERROR_SYNTAX, error,
                          "'%s' is no condition; write [expect AXIS=VALUE]", condition->str);
        return FALSE;
    }
    return TRUE;
}

/* Moves the [expect WHEN] that apply into [expect]; a key there already is replaced. */
static gboolean merge_expectations(SimKeyfile *file, SimKeyfile *point, GPtrArray *axes,
                                   const guint *position, GError **error)
{
    const char *const *groups = sim_keyfile_groups(file);

    for (size_t g = 0; groups[g]; g++) {
        gboolean holds = FALSE;
        if (!g_str_has_prefix(groups[g], "expect ")) {
            continue;
        }
        if (!when_holds(file, groups[g], axes, position, &holds, error)) {
            return FALSE;
        }
        const GPtrArray *entries = sim_keyfile_entries(file, groups[g]);
        for (guint i = 0; holds && entries && i < entries->len; i++) {
            const SimKeyfileEntry *from = g_ptr_array_index(entries, i);
            sim_keyfile_set(point, "expect", from->key, from->value);
            SimKeyfileEntry *to = sim_keyfile_entry(point, "expect", from->key);
            if (to) {
                to->line = from->line;
            }
        }
    }
    return TRUE;
}

static gboolean apply_key(SimKeyfile *file, SimKeyfile *point, const char *name, const char *value,
                          const SimKeyfileEntry *at, GError **error)
{
    g_autofree char *group = NULL, *key = NULL;

    if (!split_name(name, &group, &key)) {
        sim_keyfile_error(file, at, SIM_KEYFILE_ERROR_SYNTAX, error,
                          "write GROUP.KEY = VALUE, e.g. load.block = 4KiB");
        return FALSE;
    }
    if (!set_everywhere(point, group, key, value, at->line)) {
        scenario_unknown(file, at, error, "there is no group", group, sim_keyfile_groups(file));
        return FALSE;
    }
    return TRUE;
}

static gboolean apply(SimKeyfile *file, SimKeyfile *point, const Axis *axis, const char *value,
                      GError **error)
{
    if (strcmp(axis->name, "point") != 0) {
        return apply_key(file, point, axis->name, value, &axis->at, error);
    }
    g_autofree char *group = g_strconcat("point ", value, NULL);
    const GPtrArray *entries = sim_keyfile_entries(file, group);
    for (guint i = 0; entries && i < entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        if (!apply_key(file, point, entry->key, entry->value, entry, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

GPtrArray *scenario_expand(SimKeyfile *file, GPtrArray **labels, GError **error)
{
    g_autoptr(GPtrArray) axes = read_axes(file, error);
    g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func((GDestroyNotify)sim_keyfile_free);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    if (!axes) {
        return NULL;
    }
    g_autofree guint *position = g_new0(guint, axes->len + 1);
    for (gboolean more = TRUE; more;) {
        SimKeyfile *point = sim_keyfile_copy(file);
        g_autoptr(GString) label = g_string_new(NULL);
        g_ptr_array_add(points, point);
        for (guint i = 0; i < axes->len; i++) {
            Axis *axis = g_ptr_array_index(axes, i);
            if (!apply(file, point, axis, axis->values[position[i]], error)) {
                return NULL;
            }
            g_string_append_printf(label, "%s%s=%s", i ? " " : "", axis->name,
                                   axis->values[position[i]]);
        }
        g_ptr_array_add(names, g_strdup(label->str));
        if (!merge_expectations(file, point, axes, position, error)) {
            return NULL;
        }
        /* Count up, last axis fastest. */
        more = FALSE;
        for (guint i = axes->len; i-- > 0 && !more;) {
            Axis *axis = g_ptr_array_index(axes, i);
            more = ++position[i] < g_strv_length(axis->values);
            if (!more) {
                position[i] = 0;
            }
        }
    }
    *labels = g_steal_pointer(&names);
    return g_steal_pointer(&points);
}
