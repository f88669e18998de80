/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect]: the check before the run, the judging after it and its words. */
#include <math.h>

#include "expect-private.h"

bool expect_validate(SimKeyfile *file, const char *const *devices, const DeviceType *const *types,
                     GError **error)
{
    const GPtrArray *entries = sim_keyfile_entries(file, "expect");

    for (guint i = 0; entries && i < entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        Place place = {file, entry, devices, types};
        g_autoptr(Expect) self = NULL;

        (void)sim_keyfile_get(file, "expect", entry->key);
        self = expect_parse(&place, error);
        if (!self) {
            return false;
        }
    }
    return true;
}

static char *format_number(const Expect *self, double value)
{
    static const char *const suffixes[] = {
        [UNIT_NUMBER] = "", [UNIT_PERCENT] = " percent", [UNIT_PER_S] = "/s",
        [UNIT_TIME] = "ns", [UNIT_BYTES] = "B",          [UNIT_RATE] = "MB/s"};
    double shown = self->unit == UNIT_TIME   ? value / 1e3
                   : self->unit == UNIT_RATE ? value / 1e6
                                             : value;
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(buffer, sizeof(buffer), shown == floor(shown) ? "%.0f" : "%.3f", shown);
    return g_strconcat(buffer, suffixes[self->unit], NULL);
}

static bool number_holds(const Expect *self, double value)
{
    if (self->within_pct >= 0) {
        return fabs(value - self->value) <= self->value * self->within_pct / 100;
    }
    switch (self->bound) {
    case AT_LEAST:
        return value >= self->value;
    case AT_MOST:
        return value <= self->value;
    default:
        return fabs(value - self->value) <= 1e-9 * fabs(self->value);
    }
}

/* Every row has to hold; @got is the value, of several rows the first that does not or the last. */
static bool check_rows(const Expect *self, sqlite3_stmt *stmt, char **got, int *code)
{
    bool held = false;
    double value;

    while ((*code = expect_lookup_next(self, stmt, &value)) == SQLITE_ROW) {
        g_free(*got);
        if (isnan(value)) {
            *got = g_strdup("nothing measured");
            held = false;
        } else {
            *got = format_number(self, value);
            held = number_holds(self, value);
        }
        if (!held) {
            *code = SQLITE_DONE;
            return false;
        }
    }
    return held;
}

static bool sql_failed(ResultsStore *store, GError **error)
{
    g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                sqlite3_errmsg(results_db(store)));
    return false;
}

/* Takes the bound from the other point's first row.  FALSE: *got says why there is none. */
static bool bound_of_point(Expect *self, ResultsStore *store, int64_t run_id, char **got)
{
    int64_t other = expect_lookup_point(self, store, run_id);
    sqlite3_stmt *stmt = other ? expect_lookup(self, store, other) : NULL;
    bool there = false;
    double value;

    while (stmt && !there && expect_lookup_next(self, stmt, &value) == SQLITE_ROW) {
        there = !isnan(value);
        self->value = there ? value : 0;
    }
    sqlite3_finalize(stmt);
    if (!there) {
        *got = g_strdup_printf(other ? "nothing measured at point %s"
                                     : "this database has no earlier run of point %s",
                               self->point);
    }
    return there;
}

static bool evaluate_number(Expect *self, ResultsStore *store, int64_t run_id, char **got,
                            bool *held, GError **error)
{
    sqlite3_stmt *stmt;
    int code = SQLITE_ERROR;

    *held = false;
    if (self->point && !bound_of_point(self, store, run_id, got)) {
        return true;
    }
    stmt = expect_lookup(self, store, run_id);
    if (stmt) {
        *held = check_rows(self, stmt, got, &code);
    }
    sqlite3_finalize(stmt);
    if (code != SQLITE_DONE) {
        return sql_failed(store, error);
    }
    if (*got && self->point) {
        g_autofree char *alone = *got, *bound = format_number(self, self->value);
        *got = g_strdup_printf("%s, there %s", alone, bound);
    }
    if (!*got) {
        *got = g_strdup("nothing measured");
    }
    return true;
}

static bool check_dmesg(const Expect *self, ResultsStore *store, int64_t run_id, char **got)
{
    g_autofree char *log = results_run_report(store, run_id, "dmesg");
    g_auto(GStrv) lines = log ? g_strsplit(log, "\n", -1) : NULL;

    if (!log) {
        *got = g_strdup("no dmesg report");
        return false;
    }
    for (int i = 0; lines[i]; i++) {
        if (g_regex_match(self->deny, lines[i], 0, NULL)) {
            *got = g_strdup(lines[i]);
            return false;
        }
    }
    *got = g_strdup("no such line");
    return true;
}

static bool evaluate(Expect *self, const char *wanted, ResultsStore *store, int64_t run_id,
                     char **got, bool *held, GError **error)
{
    if (self->source == OF_DMESG) {
        *held = check_dmesg(self, store, run_id, got);
        return true;
    }
    if (self->source == OF_VERDICT) {
        *got = results_run_verdict(store, run_id);
        *got = *got ? *got : g_strdup("none");
        *held = g_str_equal(*got, wanted);
        return true;
    }
    return evaluate_number(self, store, run_id, got, held, error);
}

bool expect_evaluate(SimKeyfile *file, ResultsStore *store, int64_t run_id, unsigned *failed,
                     GError **error)
{
    const GPtrArray *entries = sim_keyfile_entries(file, "expect");

    *failed = 0;
    for (guint i = 0; entries && i < entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        Place place = {file, entry, NULL, NULL};
        g_autoptr(Expect) self = expect_parse(&place, error);
        g_autofree char *got = NULL;
        bool held = false;

        if (!self || !evaluate(self, entry->value, store, run_id, &got, &held, error) ||
            !results_run_expect(store, run_id, entry->key, entry->value, got, held, error)) {
            return false;
        }
        *failed += !held;
    }
    return true;
}
