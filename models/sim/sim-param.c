/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameter tables.  Ranges: [least, most] of a value (of each value of a TABLE), of the length in
 * bytes of a STRING; most = 0 is no upper limit.  An empty TABLE is "none". */
#include "sim/sim-param.h"
#include <string.h>

uint64_t sim_table_lookup(const SimTable *table, uint64_t key, uint64_t otherwise)
{
    size_t low = 0, high = table->n; /* rows below low have keys <= key, from high on > key */

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->rows[middle].key <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? table->rows[low - 1].value : otherwise;
}

static inline void *field_of(void *target, const SimParam *p)
{
    return (char *)target + p->offset;
}

static char *range_text(const SimParam *p)
{
    SimUnit unit = p->kind == SIM_PARAM_STRING ? SIM_UNIT_NONE : p->unit;
    const char *what = p->kind == SIM_PARAM_STRING ? " bytes" : "";
    g_autofree char *least = sim_value_format(p->least, unit);
    g_autofree char *most = sim_value_format(p->most, unit);

    if (p->most == 0) {
        return g_strdup_printf("at least %s%s", least, what);
    }
    if (p->most == p->least) {
        return g_strdup_printf("exactly %s%s", least, what);
    }
    return g_strdup_printf("between %s and %s%s", least, most, what);
}

static inline bool in_range(const SimParam *p, uint64_t value)
{
    return value >= p->least && (p->most == 0 || value <= p->most);
}

/* TRUE, or FALSE and a text for a human in *@message. */
static bool parse_number(const SimParam *p, const char *text, uint64_t *value, char **message)
{
    if (!sim_value_parse(text, p->unit, value, message)) {
        return false;
    }
    if (!in_range(p, *value)) {
        g_autofree char *range = range_text(p);

        *message = g_strdup_printf("%s is out of range; it must be %s", text, range);
        return false;
    }
    return true;
}

static bool parse_row(const SimParam *p, const char *text, SimTableRow *row, char **message)
{
    const char *colon = strchr(text, ':');
    g_autofree char *key = NULL;

    if (!colon) {
        *message = g_strdup_printf("\"%s\" has no \":\"; write SIZE:VALUE; SIZE:VALUE …", text);
        return false;
    }
    key = g_strndup(text, (gsize)(colon - text));
    g_strstrip(key);
    for (colon++; *colon == ' '; colon++) {
    }
    return sim_value_parse(key, SIM_UNIT_BYTES, &row->key, message) &&
           parse_number(p, colon, &row->value, message);
}

static bool parse_table(const SimParam *p, const char *text, SimTable *table, char **message)
{
    g_auto(GStrv) items = NULL;
    g_autofree SimTableRow *rows = NULL;
    size_t n = 0;

    if (*text == '\0' || g_str_equal(text, "none")) {
        *table = (SimTable){NULL, 0};
        return true;
    }
    items = g_strsplit(text, ";", -1);
    rows = g_new(SimTableRow, g_strv_length(items));
    for (char **item = items; *item; item++) {
        const char *row = g_strstrip(*item);

        if (*row == '\0' && item[1] == NULL) {
            break; /* a ";" after the last row */
        }
        if (!parse_row(p, row, &rows[n], message)) {
            return false;
        }
        if (n > 0 && rows[n].key <= rows[n - 1].key) {
            *message = g_strdup_printf("\"%s\": sizes must ascend, each once", row);
            return false;
        }
        n++;
    }
    *table = (SimTable){g_steal_pointer(&rows), n};
    return true;
}

static bool parse_word(const SimParam *p, const char *text, const char *const *words,
                       uint64_t *value, char **message)
{
    const char *nearest;
    g_autofree char *all = NULL;

    for (uint64_t i = 0; words[i]; i++) {
        if (g_str_equal(words[i], text)) {
            *value = i;
            return true;
        }
    }
    nearest = sim_nearest_word(text, words);
    all = g_strjoinv(", ", (char **)words);
    *message = nearest ? g_strdup_printf("\"%s\" is not one of %s; did you mean \"%s\"?", text, all,
                                         nearest)
                       : g_strdup_printf("\"%s\" is not one of %s", text, all);
    return false;
}

static const char *const bool_words[] = {"no", "yes", NULL};

static bool parse_param(const SimParam *p, const char *text, void *field, char **message)
{
    switch (p->kind) {
    case SIM_PARAM_U64:
        return parse_number(p, text, field, message);
    case SIM_PARAM_BOOL:
        return parse_word(p, text, bool_words, field, message);
    case SIM_PARAM_ENUM:
        return parse_word(p, text, p->words, field, message);
    case SIM_PARAM_TABLE:
        return parse_table(p, text, field, message);
    case SIM_PARAM_STRING:
        if (!in_range(p, strlen(text))) {
            g_autofree char *range = range_text(p);

            *message =
                g_strdup_printf("\"%s\" has %zu bytes; it must have %s", text, strlen(text), range);
            return false;
        }
        *(char **)field = g_strdup(text);
        return true;
    }
    g_assert_not_reached();
}

static bool read_param(void *target, const SimParam *p, SimKeyfile *file, GError **error)
{
    SimKeyfileEntry *entry = sim_keyfile_entry(file, p->group, p->key);
    g_autofree char *source = g_strconcat(p->key, ".source", NULL);
    g_autofree char *message = NULL;
    const char *text = p->fallback;

    sim_keyfile_get(file, p->group, source); /* taken: it explains, and is for others to show */
    if (entry) {
        entry->taken = true;
        text = entry->value;
    }
    if (!text) {
        sim_keyfile_error(file, NULL, SIM_KEYFILE_ERROR_MISSING, error,
                          "[%s] %s: is missing: %s; add it", p->group, p->key, p->meaning);
        return false;
    }
    if (!parse_param(p, text, field_of(target, p), &message)) {
        if (!entry) {
            g_error("default of %s: %s", p->key, message); /* a fault in our own table */
        }
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", message);
        return false;
    }
    return true;
}

/* Nobody's keys in the groups that the table names. */
static bool check_unknown(const SimParam *params, size_t n, SimKeyfile *file, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) known = g_ptr_array_new();
        g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);
        bool first = true;

        for (size_t j = 0; j < i && first; j++) {
            first = !g_str_equal(params[j].group, params[i].group);
        }
        if (!first) {
            continue;
        }
        for (size_t j = i; j < n; j++) {
            if (g_str_equal(params[j].group, params[i].group)) {
                char *source = g_strconcat(params[j].key, ".source", NULL);

                g_ptr_array_add(owned, source);
                g_ptr_array_add(known, (gpointer)params[j].key);
                g_ptr_array_add(known, source);
            }
        }
        g_ptr_array_add(known, NULL);
        if (!sim_keyfile_check_taken(file, params[i].group, (const char *const *)known->pdata,
                                     error)) {
            return false;
        }
    }
    return true;
}

bool sim_params_read(void *target, const SimParam *params, size_t n, SimKeyfile *file,
                     GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (!read_param(target, &params[i], file, error)) {
            sim_params_clear(target, params, n);
            return false;
        }
    }
    if (!check_unknown(params, n, file, error)) {
        sim_params_clear(target, params, n);
        return false;
    }
    return true;
}

void sim_params_fault(const SimParam *params, size_t n, SimKeyfile *file, const char *key,
                      const char *why, GError **error)
{
    for (size_t i = 0; i < n; i++) {
        if (g_str_equal(params[i].key, key)) {
            SimKeyfileEntry *entry = sim_keyfile_entry(file, params[i].group, key);

            if (entry) {
                sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "\"%s\": %s",
                                  entry->value, why);
            } else {
                sim_keyfile_error(file, NULL, SIM_KEYFILE_ERROR_VALUE, error,
                                  "[%s] %s: its default, %s: %s", params[i].group, key,
                                  params[i].fallback, why);
            }
            return;
        }
    }
    g_assert_not_reached(); /* a key of another table */
}

void sim_params_clear(void *target, const SimParam *params, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (params[i].kind == SIM_PARAM_STRING) {
            g_clear_pointer((char **)field_of(target, &params[i]), g_free);
        } else if (params[i].kind == SIM_PARAM_TABLE) {
            SimTable *table = field_of(target, &params[i]);

            g_clear_pointer(&table->rows, g_free);
            table->n = 0;
        }
    }
}

char *sim_param_format(const void *target, const SimParam *param)
{
    const void *field = (const char *)target + param->offset;

    switch (param->kind) {
    case SIM_PARAM_U64:
        return sim_value_format(*(const uint64_t *)field, param->unit);
    case SIM_PARAM_BOOL:
        return g_strdup(bool_words[*(const uint64_t *)field != 0]);
    case SIM_PARAM_ENUM:
        return g_strdup(param->words[*(const uint64_t *)field]);
    case SIM_PARAM_STRING:
        return g_strdup(*(char *const *)field);
    case SIM_PARAM_TABLE: {
        const SimTable *table = field;
        GString *text = g_string_new(table->n == 0 ? "none" : NULL);

        for (size_t i = 0; i < table->n; i++) {
            g_autofree char *key = sim_value_format(table->rows[i].key, SIM_UNIT_BYTES);
            g_autofree char *value = sim_value_format(table->rows[i].value, param->unit);

            g_string_append_printf(text, "%s%s:%s", i > 0 ? "; " : "", key, value);
        }
        return g_string_free(text, FALSE);
    }
    }
    g_assert_not_reached();
}

GHashTable *sim_params_sources(const SimParam *params, size_t n, SimKeyfile *file)
{
    GHashTable *sources = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *key = g_strdup_printf("%s.source", params[i].key);
        const char *text = sim_keyfile_get(file, params[i].group, key);

        if (text != NULL) {
            g_hash_table_insert(sources, (gpointer)params[i].key, g_strdup(text));
        }
    }
    return sources;
}
