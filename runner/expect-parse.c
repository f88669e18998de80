/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect]: an entry understood, key and value; the same parse serves the check before the run and
 * the evaluation after it. */
#include <math.h>
#include <string.h>

#include "expect-private.h"
#include "results/published-packets.h"
#include "results/published.h"

static const char *const verdicts[] = {"done", "plan-failed", "plan-unreadable", "panic",
                                       "idle", "limit",       "interrupted",     NULL};

void expect_free(Expect *self)
{
    if (self) {
        g_free(self->device);
        g_free(self->name);
        g_free(self->point);
        g_clear_pointer(&self->deny, g_regex_unref);
        g_free(self);
    }
}

static bool unknown(const Place *place, const char *what, const char *word,
                    const char *const *words, GError **error)
{
    const char *nearest = sim_nearest_word(word, words);

    for (int i = 0; !nearest && words[i]; i++) { /* "idle" for "idle_pct" */
        nearest = *word && g_str_has_prefix(words[i], word) ? words[i] : NULL;
    }
    if (nearest) {
        sim_keyfile_error(place->file, place->entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                          "unknown %s \"%s\"; did you mean \"%s\"?", what, word, nearest);
    } else {
        g_autofree char *all = g_strjoinv(", ", (char **)words);

        sim_keyfile_error(place->file, place->entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                          "unknown %s \"%s\"; there are: %s", what, word, all);
    }
    return false;
}

static bool no_column(const Place *place, const Column *columns, const char *name, GError **error)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();

    for (; columns->name; columns++) {
        g_ptr_array_add(words, (void *)columns->name);
    }
    g_ptr_array_add(words, NULL);
    return unknown(place, "column", name, (const char *const *)words->pdata, error);
}

/* Is it something that @device has?  Not asked after the run. */
static bool check_column(const Place *place, const char *device, const char *name, GError **error)
{
    for (size_t i = 0; place->devices && place->devices[i]; i++) {
        if (g_str_equal(place->devices[i], device)) {
            g_autoptr(GPtrArray) words = expect_words_of(place->types[i]);
            const char *const *list = (const char *const *)words->pdata;

            return g_strv_contains(list, name) || unknown(place, "column", name, list, error);
        }
    }
    return true;
}

static bool check_device(const Place *place, const char *name, GError **error)
{
    return !place->devices || g_strv_contains(place->devices, name) ||
           unknown(place, "device", name, place->devices, error);
}

static bool parse_table_column(const Place *place, Expect *self, Source source,
                               const Column *columns, const char *name, GError **error)
{
    self->source = source;
    self->column = expect_find_column(columns, name);
    if (!self->column) {
        return no_column(place, columns, name, error);
    }
    self->unit = self->column->unit;
    return true;
}

static bool parse_device_column(const Place *place, Expect *self, const char *name, GError **error)
{
    const SimCounter *counter = expect_find_counter(name);

    if (!check_column(place, self->device, name, error)) {
        return false;
    }
    if (g_str_equal(name, "vectors")) {
        self->source = OF_VECTORS;
        return true;
    }
    if (expect_find_column(expect_device_columns, name)) {
        return parse_table_column(place, self, OF_DEVICE, expect_device_columns, name, error);
    }
    if (expect_find_column(expect_port_columns, name)) {
        return parse_table_column(place, self, OF_PORT, expect_port_columns, name, error);
    }
    if (!counter) {
        return no_column(place, expect_device_columns, name, error);
    }
    self->source = OF_COUNTER;
    self->name = g_strdup(name);
    self->unit = g_str_equal(counter->unit, "bytes") ? UNIT_BYTES
                 : g_str_equal(counter->unit, "ps")  ? UNIT_TIME
                                                     : UNIT_NUMBER;
    return true;
}

static bool is_query(const char *name)
{
    g_auto(GStrv) names = results_query_names();

    return g_strv_contains((const char *const *)names, name);
}

static bool unknown_key(const Place *place, const char *word, GError **error)
{
    g_auto(GStrv) queries = results_query_names();
    g_autoptr(GPtrArray) words = g_ptr_array_new();

    for (int i = 0; place->devices && place->devices[i]; i++) {
        g_ptr_array_add(words, (void *)place->devices[i]);
    }
    for (const char *const *w =
             (const char *const[]){"cpu", "queue_map", "traffic", "run", "guest", NULL};
         *w; w++) {
        g_ptr_array_add(words, (void *)*w);
    }
    for (int i = 0; queries[i]; i++) {
        g_ptr_array_add(words, queries[i]);
    }
    g_ptr_array_add(words, NULL);
    return unknown(place, "device or query", word, (const char *const *)words->pdata, error);
}

static bool bad_form(const Place *place, const char *form, GError **error)
{
    sim_keyfile_error(place->file, place->entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                      "unknown key; write %s", form);
    return false;
}

/* @parts: the key at its dots, without `.min` or `.max`. */
static bool parse_key(const Place *place, Expect *self, char **parts, GError **error)
{
    guint n = g_strv_length(parts);

    if (g_str_equal(parts[0], "guest")) {
        self->source = OF_DMESG;
        return (n == 3 && g_str_equal(parts[1], "dmesg") && g_str_equal(parts[2], "deny")) ||
               bad_form(place, "guest.dmesg.deny", error);
    }
    if (g_str_equal(parts[0], "run")) {
        self->source = OF_VERDICT;
        return (n == 2 && g_str_equal(parts[1], "verdict")) ||
               bad_form(place, "run.verdict", error);
    }
    if (g_str_equal(parts[0], "cpu")) {
        return n == 2 ? parse_table_column(place, self, OF_CPU, expect_cpu_columns, parts[1], error)
                      : bad_form(place, "cpu.COLUMN", error);
    }
    if (g_str_equal(parts[0], "traffic")) {
        return n == 2 ? parse_table_column(place, self, OF_TRAFFIC, expect_traffic_columns,
                                           parts[1], error)
                      : bad_form(place, "traffic.COLUMN", error);
    }
    if (g_str_equal(parts[0], "queue_map")) {
        if (n != 3) {
            return bad_form(place, "queue_map.DEVICE.sqs", error);
        }
        self->device = g_strdup(parts[1]);
        return check_device(place, parts[1], error) &&
               parse_table_column(place, self, OF_MAP, expect_map_columns, parts[2], error);
    }
    if (is_query(parts[0])) {
        self->source = OF_QUERY;
        self->name = g_strdup(parts[0]);
        self->device = g_strdup(parts[1]);
        return n == 1 || (n == 2 && check_device(place, parts[1], error)) ||
               (n > 2 && bad_form(place, "QUERY or QUERY.DEVICE", error));
    }
    if (place->devices && !g_strv_contains(place->devices, parts[0])) {
        return unknown_key(place, parts[0], error);
    }
    self->device = g_strdup(parts[0]);
    return n == 2 ? parse_device_column(place, self, parts[1], error)
                  : bad_form(place, "DEVICE.COLUMN", error);
}

/* A decimal number without anything after it. */
static bool plain(const char *text, double *value)
{
    char *end = NULL;

    *value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static bool bad_value(const Place *place, const char *message, GError **error)
{
    sim_keyfile_error(place->file, place->entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", message);
    return false;
}

static bool percent(const char *text, double *value)
{
    g_autofree char *number = g_strdup(text);

    if (!g_str_has_suffix(number, "percent")) {
        return false;
    }
    number[strlen(number) - strlen("percent")] = '\0';
    return plain(g_strchomp(number), value);
}

static bool parse_number(const Place *place, Expect *self, const char *text, GError **error)
{
    static const SimUnit units[] = {[UNIT_PER_S] = SIM_UNIT_PER_S,
                                    [UNIT_TIME] = SIM_UNIT_TIME,
                                    [UNIT_BYTES] = SIM_UNIT_BYTES,
                                    [UNIT_RATE] = SIM_UNIT_RATE};
    g_autofree char *message = NULL;
    uint64_t value;

    switch (self->unit) {
    case UNIT_NUMBER:
        return plain(text, &self->value) ||
               bad_value(place, "not a number; this column is a count or a ratio, without unit",
                         error);
    case UNIT_PERCENT:
        return percent(text, &self->value) ||
               bad_value(place, "not a share; write it as 76.5 percent", error);
    case UNIT_PER_S:
        if (plain(text, &self->value)) {
            return true;
        }
        break;
    default:
        break;
    }
    if (!sim_value_parse(text, units[self->unit], &value, &message)) {
        return bad_value(place, message, error);
    }
    self->value = (double)value;
    return true;
}

/* What the documents say of @id, for a drive's iops or a port's tx_pps; NULL: nothing. */
static const double *published_value(bool port, const char *id)
{
    const PublishedFigure *drive = port ? NULL : published_find(id);
    const PublishedPackets *packets = port ? published_packets_find(id) : NULL;

    return drive ? &drive->iops : packets ? &packets->pps : NULL;
}

/* "published:ID within N percent" */
static bool parse_published(const Place *place, Expect *self, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text + strlen("published:"), " within ", 2);
    bool port = self->source == OF_PORT && g_str_equal(self->column->name, "tx_pps");
    bool drive = self->source == OF_DEVICE && g_str_equal(self->column->name, "iops");
    const double *value;

    if (!parts[1] || !percent(parts[1], &self->within_pct) || self->within_pct < 0) {
        return bad_value(place, "write published:SCENARIO_ID/DEVICE within 5 percent", error);
    }
    if ((!port && !drive) || self->bound != EQUAL) {
        return bad_value(place, "a published figure is of DEVICE.iops or of a port's tx_pps",
                         error);
    }
    value = published_value(port, parts[0]);
    if (!value) {
        const char *nearest =
            port ? published_packets_nearest(parts[0]) : published_nearest(parts[0]);
        g_autofree char *message =
            nearest ? g_strdup_printf("no published figure \"%s\"; did you mean \"%s\"?", parts[0],
                                      nearest)
                    : g_strdup_printf("no published figure \"%s\"; `quirkbench published` lists "
                                      "them",
                                      parts[0]);
        return bad_value(place, message, error);
    }
    self->value = *value;
    return true;
}

/* "point:LABEL" */
static bool parse_point(const Place *place, Expect *self, const char *text, GError **error)
{
    self->point = g_strstrip(g_strdup(text + strlen("point:")));
    if (!*self->point || self->bound == EQUAL) {
        return bad_value(
            place, "write KEY.min or KEY.max = point:LABEL, the label of another point", error);
    }
    return true;
}

static bool parse_value(const Place *place, Expect *self, const char *text, GError **error)
{
    if (self->source == OF_DMESG || self->source == OF_VERDICT) {
        g_autoptr(GError) problem = NULL;

        if (self->source == OF_VERDICT) {
            return g_strv_contains(verdicts, text) ||
                   unknown(place, "verdict", text, verdicts, error);
        }
        self->deny = g_regex_new(text, G_REGEX_OPTIMIZE, 0, &problem);
        return self->deny || bad_value(place, problem->message, error);
    }
    if (g_str_has_prefix(text, "point:")) {
        return parse_point(place, self, text, error);
    }
    return g_str_has_prefix(text, "published:") ? parse_published(place, self, text, error)
                                                : parse_number(place, self, text, error);
}

Expect *expect_parse(const Place *place, GError **error)
{
    g_autoptr(Expect) self = g_new0(Expect, 1);
    g_auto(GStrv) parts = g_strsplit(place->entry->key, ".", -1);
    guint n = g_strv_length(parts);

    self->within_pct = -1;
    if (n > 1 && (g_str_equal(parts[n - 1], "min") || g_str_equal(parts[n - 1], "max"))) {
        self->bound = parts[n - 1][1] == 'i' ? AT_LEAST : AT_MOST;
        g_clear_pointer(&parts[n - 1], g_free);
    }
    if (!parse_key(place, self, parts, error) ||
        !parse_value(place, self, place->entry->value, error)) {
        return NULL;
    }
    if (self->bound != EQUAL && (self->source == OF_DMESG || self->source == OF_VERDICT)) {
        bad_value(place, ".min and .max are for numbers", error);
        return NULL;
    }
    return g_steal_pointer(&self);
}
