/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench published: every published NVMe figure, ours beside it, and whether it is close
 * enough.  What is said of simulated drivers as a whole: cmd-published-native.c; of the 82599:
 * cmd-published-packets.c. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>

#include "cmd-published.h"
#include "cmd.h"
#include "results/published.h"
#include "results/store.h"
#include "results/text.h"

typedef enum { CONTEXT, NO_BAR, NO_RUN, HELD, MISSED } Verdict;

/* What the latest run of a real or of a simulated driver says of a figure. */
typedef struct Ours {
    int64_t run_id; /* 0: no run */
    double iops, idle_pct, instructions_per_io;
    double error_pct;
    Verdict verdict;
} Ours;

static const char latest_sql[] =
    "SELECT d.run_id, s.iops, c.idle_pct, c.instructions_per_io FROM device d"
    " JOIN runs r ON r.run_id = d.run_id AND r.status IN ('passed', 'failed')"
    " JOIN device_summary s ON s.run_id = d.run_id AND s.device = d.device AND s.commands > 0"
    " LEFT JOIN cpu_summary c ON c.run_id = d.run_id"
    " WHERE d.published_id = ?1 AND (r.clock = 'native') = ?2 ORDER BY d.run_id DESC LIMIT 1";

static Verdict judge(const PublishedFigure *figure, const Ours *ours)
{
    if (figure->bar_pct < 0) {
        return figure->sata || !*figure->role ? CONTEXT : NO_BAR;
    }
    return !ours->run_id ? NO_RUN : fabs(ours->error_pct) <= figure->bar_pct ? HELD : MISSED;
}

/* FALSE: the database cannot be read. */
static bool look_up(sqlite3_stmt *stmt, const PublishedFigure *figure, bool native, Ours *ours)
{
    int code = SQLITE_DONE;

    *ours = (Ours){.idle_pct = NAN, .instructions_per_io = NAN};
    if (stmt) {
        sqlite3_reset(stmt);
        sqlite3_bind_text(stmt, 1, figure->id, -1, SQLITE_STATIC);
        sqlite3_bind_int(stmt, 2, native);
        code = sqlite3_step(stmt);
    }
    if (code == SQLITE_ROW) {
        ours->run_id = sqlite3_column_int64(stmt, 0);
        ours->iops = sqlite3_column_double(stmt, 1);
        if (sqlite3_column_type(stmt, 2) != SQLITE_NULL) {
            ours->idle_pct = sqlite3_column_double(stmt, 2);
        }
        if (sqlite3_column_type(stmt, 3) != SQLITE_NULL) {
            ours->instructions_per_io = sqlite3_column_double(stmt, 3);
        }
        ours->error_pct = 100 * (ours->iops - figure->iops) / figure->iops;
    }
    ours->verdict = judge(figure, ours);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

static const char *verdict_text(const PublishedFigure *figure, const Ours *ours)
{
    switch (ours->verdict) {
    case HELD:
        return "held";
    case MISSED:
        return "MISSED";
    case NO_RUN:
        return "no run";
    case NO_BAR:
        return g_str_equal(figure->limit, "host") ? "host-limited" : "no bar";
    default:
        return "context";
    }
}

static void add_ours(TextTable *table, const Ours *ours, const char *role)
{
    if (ours->run_id) {
        text_table_add_format(table, "%.0f", ours->iops);
        text_table_add_format(table, "%+.1f%%", ours->error_pct);
    } else {
        text_table_add(table, NULL);
        text_table_add(table, NULL);
    }
    text_table_add(table, *role ? role : "-");
}

static void add_text_row(TextTable *table, const PublishedFigure *figure, const Ours *ours,
                         const Ours *native)
{
    text_table_add(table, figure->scenario_id);
    text_table_add_format(table, "%s%s", figure->device, *figure->note ? "*" : "");
    text_table_add_format(table, "%.0f", figure->iops);
    text_table_add_format(table, "%.0f–%.0f", figure->least, figure->most);
    add_ours(table, ours, figure->role);
    text_table_add(table, verdict_text(figure, ours));
    add_ours(table, native, figure->native_role);
}

/* Idle time is the machine's, so it is told once a scenario. */
static void add_idle_row(TextTable *table, const PublishedFigure *figure, const Ours *ours)
{
    text_table_add(table, figure->scenario_id);
    text_table_add_format(table, "%.1f", figure->idle_pct);
    text_table_add_format(table, "%.1f", ours->idle_pct);
    text_table_add_format(table, "%.0f", ours->instructions_per_io);
}

/* A note that a scenario's devices share is told once. */
static void append_notes(GString *text)
{
    const GPtrArray *figures = published_figures();
    const char *last = "";

    for (guint i = 0; i < figures->len; i++) {
        const PublishedFigure *figure = g_ptr_array_index(figures, i);

        if (!*figure->note || g_str_equal(figure->note, last)) {
            continue;
        }
        last = figure->note;
        g_string_append_printf(text, "* %s: %s%s", figure->scenario_id,
                               g_str_equal(figure->role, "fitted") ? "fitted: " : "", figure->note);
        g_string_append_c(text, '\n');
    }
}

static void append_summary(GString *text, const guint counts[MISSED + 1])
{
    g_string_append_printf(text, "%u of %u figures with a bar held, %u missed, %u without a run\n",
                           counts[HELD], counts[HELD] + counts[MISSED] + counts[NO_RUN],
                           counts[MISSED], counts[NO_RUN]);
}

static void add_json_row(JsonBuilder *builder, const PublishedFigure *figure, const Ours *ours,
                         const Ours *native)
{
    json_builder_begin_object(builder);
    published_add_string(builder, "scenario", figure->scenario_id);
    published_add_string(builder, "device", figure->device);
    published_add_string(builder, "model", figure->model);
    published_add_string(builder, "access", figure->access);
    published_add_string(builder, "fill", figure->fill);
    published_add_string(builder, "processes", figure->processes);
    published_add_number(builder, "block_bytes", (double)figure->block_bytes, true);
    published_add_number(builder, "samples", figure->samples, true);
    published_add_number(builder, "published_iops", figure->iops, true);
    published_add_number(builder, "published_min_iops", figure->least, true);
    published_add_number(builder, "published_max_iops", figure->most, true);
    published_add_number(builder, "published_idle_pct", figure->idle_pct, true);
    published_add_number(builder, "run_id", (double)ours->run_id, ours->run_id);
    published_add_number(builder, "iops", ours->iops, ours->run_id);
    published_add_number(builder, "error_pct", ours->error_pct, ours->run_id);
    published_add_number(builder, "idle_pct", ours->idle_pct, ours->run_id);
    published_add_number(builder, "instructions_per_io", ours->instructions_per_io, ours->run_id);
    published_add_string(builder, "role", figure->role);
    published_add_string(builder, "limit", figure->limit);
    published_add_number(builder, "bar_pct", figure->bar_pct, figure->bar_pct >= 0);
    published_add_string(builder, "note", figure->note);
    published_add_string(builder, "verdict", verdict_text(figure, ours));
    published_add_number(builder, "native_run_id", (double)native->run_id, native->run_id);
    published_add_number(builder, "native_iops", native->iops, native->run_id);
    published_add_number(builder, "native_error_pct", native->error_pct, native->run_id);
    published_add_number(builder, "native_idle_pct", native->idle_pct, native->run_id);
    published_add_string(builder, "native_role", figure->native_role);
    json_builder_end_object(builder);
}

typedef struct Answer {
    GString *text; /* what is printed */
    guint counts[MISSED + 1];
    NativeVerdict native;
    bool packets_missed;
} Answer;

static void append_text(GString *text, const TextTable *table, const TextTable *idle)
{
    g_string_append(text, "I/O per second: median and range of the published one-second samples\n");
    text_table_append(table, text, 0);
    append_notes(text);
    if (text_table_rows(idle)) {
        g_string_append(text, "\nIdle time of the whole machine\n");
        text_table_append(idle, text, 100);
    }
}

/* FALSE: the database cannot be read.  @db and @stmt: NULL without one. */
static bool collect(sqlite3 *db, sqlite3_stmt *stmt, bool json, Answer *answer)
{
    const GPtrArray *figures = published_figures();
    g_autoptr(TextTable) table =
        text_table_new("scenario|device|median>|range>|real>|error>|role|verdict|"
                       "simulated>|error>|role");
    g_autoptr(TextTable) idle =
        text_table_new("scenario|idle % published>|ours>|instructions per I/O>");
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autofree double *errors_pct = g_new(double, figures->len);
    g_autoptr(GString) native_text = g_string_new(NULL);
    g_autoptr(GString) packets_text = g_string_new(NULL);
    const char *last_idle = "";

    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "figures");
    json_builder_begin_array(builder);
    for (guint i = 0; i < figures->len; i++) {
        const PublishedFigure *figure = g_ptr_array_index(figures, i);
        Ours ours, native;

        if (!look_up(stmt, figure, false, &ours) || !look_up(stmt, figure, true, &native)) {
            return false;
        }
        answer->counts[ours.verdict]++;
        errors_pct[i] = native.run_id ? native.error_pct : NAN;
        add_text_row(table, figure, &ours, &native);
        add_json_row(builder, figure, &ours, &native);
        if (isfinite(ours.idle_pct) && !g_str_equal(last_idle, figure->scenario_id)) {
            add_idle_row(idle, figure, &ours);
            last_idle = figure->scenario_id;
        }
    }
    json_builder_end_array(builder);
    if (!published_native(db, errors_pct, native_text, builder, &answer->native) ||
        !published_packets_compare(db, packets_text, builder, &answer->packets_missed)) {
        return false;
    }
    json_builder_end_object(builder);
    if (json) {
        g_autoptr(JsonNode) root = json_builder_get_root(builder);
        g_autofree char *all = json_to_string(root, TRUE);

        g_string_append_printf(answer->text, "%s\n", all);
        return true;
    }
    append_text(answer->text, table, idle);
    g_string_append_printf(answer->text, "\n%s\n%sReal drivers: ", native_text->str,
                           packets_text->str);
    append_summary(answer->text, answer->counts);
    return true;
}

int cmd_published(int argc, char **argv)
{
    g_autofree char *db = NULL;
    g_autofree char *format = NULL;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "text or json (default text)", "FORMAT"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "",
                             "Published figures with ours beside them: those that a profile was "
                             "fitted to and those that it predicts.  Exits with 1 if one misses "
                             "its bar, or if simulated drivers as a whole do.");
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    Answer answer = {.text = text};
    const char *path;
    sqlite3_stmt *stmt = NULL;
    bool json = g_strcmp0(format, "json") == 0;
    bool ok;

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc != 1 || (format && !json && !g_str_equal(format, "text"))) {
        return cmd_fail(CMD_USAGE, "published", "%s",
                        argc != 1 ? "takes no arguments" : "--format is text or json");
    }
    path = db ? db : CMD_DEFAULT_DB;
    if (db || g_file_test(path, G_FILE_TEST_EXISTS)) {
        store = results_open(path, RESULTS_OPEN_READ, &error);
        if (!store) {
            return cmd_fail(CMD_CANNOT_RUN, "published", "%s", error->message);
        }
    } /* else: the figures alone */
    ok = !store || sqlite3_prepare_v2(results_db(store), latest_sql, -1, &stmt, NULL) == SQLITE_OK;
    ok = ok && collect(store ? results_db(store) : NULL, stmt, json, &answer);
    sqlite3_finalize(stmt);
    if (!ok) {
        return cmd_fail(CMD_CANNOT_RUN, "published", "%s: %s", path,
                        sqlite3_errmsg(results_db(store)));
    }
    if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout)) {
        return cmd_fail(CMD_CANNOT_RUN, "published", "standard output cannot be written");
    }
    return answer.counts[MISSED] || answer.native == NATIVE_MISSED || answer.packets_missed
               ? CMD_CHECK_FAILED
               : CMD_OK;
}
