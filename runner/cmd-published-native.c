/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated drivers: how far off over all figures, and interrupts by cpu. */
#include <math.h>

#include "cmd-published.h"
#include "results/text.h"

void published_add_number(JsonBuilder *builder, const char *name, double value, bool known)
{
    json_builder_set_member_name(builder, name);
    if (known && isfinite(value)) {
        json_builder_add_double_value(builder, value);
    } else {
        json_builder_add_null_value(builder);
    }
}

void published_add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_string_value(builder, value);
}

/* --- Errors and their bars --- */

static const char *held_text(const NativeSummary *summary, bool held)
{
    return summary->verdict == NATIVE_MISSING ? "not judged" : held ? "held" : "MISSED";
}

static void add_row(TextTable *table, const char *what, const NativeErrors *errors)
{
    text_table_add(table, what);
    text_table_add_format(table, "%u", errors->figures);
    if (errors->figures) {
        text_table_add_format(table, "%.1f%%", errors->median_pct);
        text_table_add_format(table, "%.1f%%", errors->worst_pct);
    } else {
        text_table_add(table, NULL);
        text_table_add(table, NULL);
    }
}

static void append_errors(GString *text, const NativeSummary *summary)
{
    g_autoptr(TextTable) table = text_table_new("|figures>|median>|worst>");

    add_row(table, "all", &summary->all);
    add_row(table, "fitted", &summary->fitted);
    add_row(table, "predicted", &summary->predicted);
    for (guint i = 0; i < G_N_ELEMENTS(summary->documents); i++) {
        add_row(table, published_documents[i], &summary->documents[i]);
    }
    text_table_append(table, text, 0);
}

static void append_summary(GString *text, const NativeSummary *summary)
{
    g_string_append(text, "Simulated drivers (native mode): absolute error\n");
    if (summary->missing < summary->figures) {
        append_errors(text, summary);
    }
    if (summary->missing) {
        g_string_append_printf(text, "%u of %u figures without a simulated run: not judged\n",
                               summary->missing, summary->figures);
        return;
    }
    g_string_append_printf(text, "median of all at most %d %%: %s\n", NATIVE_BAR_MEDIAN_PCT,
                           held_text(summary, summary->median_held));
    g_string_append_printf(text, "median of predicted at most %d %%: %s\n",
                           NATIVE_BAR_PREDICTED_PCT, held_text(summary, summary->predicted_held));
    g_string_append_printf(text, "none above %d %%: %s\n", NATIVE_BAR_WORST_PCT,
                           held_text(summary, summary->worst_held));
    g_string_append_printf(text, "at most one of %d fitted: %s\n", NATIVE_BAR_FITTED_OF,
                           held_text(summary, summary->fitted_held));
}

static void add_errors(JsonBuilder *builder, const char *name, const NativeErrors *errors)
{
    json_builder_set_member_name(builder, name);
    json_builder_begin_object(builder);
    published_add_number(builder, "figures", errors->figures, true);
    published_add_number(builder, "median_error_pct", errors->median_pct, true);
    published_add_number(builder, "worst_error_pct", errors->worst_pct, true);
    json_builder_end_object(builder);
}

static void add_summary(JsonBuilder *builder, const NativeSummary *summary)
{
    json_builder_set_member_name(builder, "native");
    json_builder_begin_object(builder);
    published_add_number(builder, "figures", summary->figures, true);
    published_add_number(builder, "missing", summary->missing, true);
    published_add_string(builder, "verdict", held_text(summary, summary->verdict == NATIVE_HELD));
    published_add_string(builder, "median_bar", held_text(summary, summary->median_held));
    published_add_string(builder, "predicted_bar", held_text(summary, summary->predicted_held));
    published_add_string(builder, "worst_bar", held_text(summary, summary->worst_held));
    published_add_string(builder, "fitted_bar", held_text(summary, summary->fitted_held));
    add_errors(builder, "all", &summary->all);
    add_errors(builder, "fitted", &summary->fitted);
    add_errors(builder, "predicted", &summary->predicted);
    for (guint i = 0; i < G_N_ELEMENTS(summary->documents); i++) {
        add_errors(builder, published_documents[i], &summary->documents[i]);
    }
    json_builder_end_object(builder);
}

/* --- Interrupts by cpu --- */

/* The latest simulated run of a scenario id, and what its cpus took. */
static const char spread_sql[] =
    "WITH latest AS (SELECT MAX(d.run_id) AS run_id FROM device d JOIN runs r USING (run_id)"
    "  WHERE r.clock = 'native' AND r.status IN ('passed', 'failed')"
    "  AND substr(d.published_id, 1, length(?1) + 1) = ?1 || '/')"
    " SELECT run_id, cpu, SUM(interrupts) FROM interrupt_spread JOIN latest USING (run_id)"
    " GROUP BY cpu ORDER BY cpu";

/* What cpus 0, 1, … took: double; empty without a run.  NULL: the database cannot be read. */
static GArray *read_spread(sqlite3_stmt *stmt, const char *scenario_id, int64_t *run_id)
{
    g_autoptr(GArray) cpus = g_array_new(FALSE, TRUE, sizeof(double));
    int code;

    sqlite3_reset(stmt);
    sqlite3_bind_text(stmt, 1, scenario_id, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        guint cpu = (guint)sqlite3_column_int(stmt, 1);

        *run_id = sqlite3_column_int64(stmt, 0);
        g_array_set_size(cpus, MAX(cpus->len, cpu + 1));
        g_array_index(cpus, double, cpu) = sqlite3_column_double(stmt, 2);
    }
    return code == SQLITE_DONE ? g_steal_pointer(&cpus) : NULL;
}

static void add_listing(TextTable *table, JsonBuilder *builder, const PublishedListing *listing,
                        int64_t run_id, double correlation)
{
    const char *against =
        g_str_equal(listing->against, listing->id) ? "the same" : listing->against;

    text_table_add(table, listing->id);
    text_table_add(table, against);
    text_table_add_format(table, "%" G_GINT64_FORMAT, run_id);
    text_table_add_format(table, "%u", listing->cpus);
    if (isfinite(correlation)) {
        text_table_add_format(table, "%.2f", correlation);
    } else {
        text_table_add(table, NULL);
    }
    text_table_add(table, *listing->note ? listing->note : NULL);
    json_builder_begin_object(builder);
    published_add_string(builder, "listing", listing->id);
    published_add_string(builder, "scenario", listing->against);
    published_add_number(builder, "native_run_id", (double)run_id, true);
    published_add_number(builder, "cpus", listing->cpus, true);
    published_add_number(builder, "rank_correlation", correlation, true);
    published_add_string(builder, "note", listing->note);
    json_builder_end_object(builder);
}

/* FALSE: the database cannot be read. */
static bool add_listings(sqlite3_stmt *stmt, TextTable *table, JsonBuilder *builder)
{
    const GPtrArray *listings = published_listings();

    for (guint i = 0; i < listings->len; i++) {
        const PublishedListing *listing = g_ptr_array_index(listings, i);
        int64_t run_id = 0;
        g_autoptr(GArray) cpus = read_spread(stmt, listing->against, &run_id);

        if (!cpus) {
            return false;
        }
        if (run_id) {
            double correlation = published_listing_correlation(
                listing, (const double *)(const void *)cpus->data, cpus->len);
            add_listing(table, builder, listing, run_id, correlation);
        }
    }
    return true;
}

bool published_native(sqlite3 *db, const double *errors_pct, GString *text, JsonBuilder *builder,
                      NativeVerdict *verdict)
{
    NativeSummary summary = native_summary(published_figures(), errors_pct);
    g_autoptr(TextTable) table =
        text_table_new("listing|simulated|run>|cpus>|rank correlation>|note");
    sqlite3_stmt *stmt = NULL;
    bool ok;

    *verdict = summary.verdict;
    append_summary(text, &summary);
    add_summary(builder, &summary);
    json_builder_set_member_name(builder, "interrupts_by_cpu");
    json_builder_begin_array(builder);
    ok = !db || (sqlite3_prepare_v2(db, spread_sql, -1, &stmt, NULL) == SQLITE_OK &&
                 add_listings(stmt, table, builder));
    sqlite3_finalize(stmt);
    json_builder_end_array(builder);
    if (text_table_rows(table)) {
        g_string_append(text, "\nInterrupts by cpu: simulated against the document's listing\n");
        text_table_append(table, text, 0);
    }
    return ok;
}
