/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forwarding rates of the 82599: the published ones with ours beside them. */
#include <math.h>

#include "cmd-published.h"
#include "results/published-packets.h"
#include "results/text.h"

/* The port that has `published =` is the one that sends. */
static const char latest_sql[] =
    "SELECT d.run_id, p.tx_pps FROM device d"
    " JOIN runs r ON r.run_id = d.run_id AND r.status IN ('passed', 'failed')"
    " JOIN port_summary p ON p.run_id = d.run_id AND p.device = d.device AND p.tx_packets > 0"
    " WHERE d.published_id = ?1 ORDER BY d.run_id DESC LIMIT 1";

typedef struct Ours {
    int64_t run_id; /* 0: no run */
    double pps, error_pct;
    const char *verdict;
} Ours;

static bool look_up(sqlite3_stmt *stmt, const PublishedPackets *figure, Ours *ours)
{
    int code = SQLITE_DONE;

    *ours = (Ours){.error_pct = NAN};
    if (stmt) {
        sqlite3_reset(stmt);
        sqlite3_bind_text(stmt, 1, figure->id, -1, SQLITE_STATIC);
        code = sqlite3_step(stmt);
    }
    if (code == SQLITE_ROW) {
        ours->run_id = sqlite3_column_int64(stmt, 0);
        ours->pps = sqlite3_column_double(stmt, 1);
        ours->error_pct = 100 * (ours->pps - figure->pps) / figure->pps;
    }
    ours->verdict = figure->bar_pct < 0 ? *figure->role ? "no bar" : "context"
                    : !ours->run_id     ? "no run"
                    : fabs(ours->error_pct) <= figure->bar_pct ? "held"
                                                               : "MISSED";
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

static void add_row(TextTable *table, const PublishedPackets *figure, const Ours *ours)
{
    text_table_add(table, figure->id);
    text_table_add_format(table, "%u", figure->queues);
    text_table_add_format(table, "%.0f", figure->pps);
    text_table_add_format(table, "%.0f–%.0f", figure->least, figure->most);
    if (ours->run_id) {
        text_table_add_format(table, "%.0f", ours->pps);
        text_table_add_format(table, "%+.1f%%", ours->error_pct);
    } else {
        text_table_add(table, NULL);
        text_table_add(table, NULL);
    }
    text_table_add(table, *figure->role ? figure->role : "-");
    text_table_add(table, ours->verdict);
    text_table_add(table, figure->note);
}

static void add_json(JsonBuilder *builder, const PublishedPackets *figure, const Ours *ours)
{
    json_builder_begin_object(builder);
    published_add_string(builder, "table", figure->id);
    published_add_number(builder, "queues", figure->queues, true);
    published_add_number(builder, "rx_ring", figure->rx_ring, true);
    published_add_number(builder, "rx_usecs", figure->rx_usecs, true);
    published_add_number(builder, "samples", figure->samples, true);
    published_add_number(builder, "published_pps", figure->pps, true);
    published_add_number(builder, "published_min_pps", figure->least, true);
    published_add_number(builder, "published_max_pps", figure->most, true);
    published_add_number(builder, "run_id", (double)ours->run_id, ours->run_id);
    published_add_number(builder, "pps", ours->pps, ours->run_id);
    published_add_number(builder, "error_pct", ours->error_pct, ours->run_id);
    published_add_string(builder, "role", figure->role);
    published_add_number(builder, "bar_pct", figure->bar_pct, figure->bar_pct >= 0);
    published_add_string(builder, "note", figure->note);
    published_add_string(builder, "verdict", ours->verdict);
    json_builder_end_object(builder);
}

static void append_summary(GString *text, const TextTable *table, guint held, guint missed,
                           guint without)
{
    g_string_append(text, "Packets per second that the second port sends, 64-byte frames\n");
    text_table_append(table, text, 0);
    g_string_append_printf(
        text,
        "\"cpus wait for each other\": %.0f percent of the published test's cpu time, by its "
        "perf_top of 16 queues; the model has no caches.\n%u of %u figures with a bar held, %u "
        "missed, %u without a run\n\n",
        published_packets_waiting_pct(), held, held + missed + without, missed, without);
}

bool published_packets_compare(sqlite3 *db, GString *text, JsonBuilder *builder, bool *missed_any)
{
    const GPtrArray *figures = published_packets();
    g_autoptr(TextTable) table =
        text_table_new("table|queues>|median>|range>|ours>|error>|role|verdict|limited by");
    sqlite3_stmt *stmt = NULL;
    bool ok = !db || sqlite3_prepare_v2(db, latest_sql, -1, &stmt, NULL) == SQLITE_OK;
    guint held = 0, missed = 0, without = 0;

    json_builder_set_member_name(builder, "packets");
    json_builder_begin_array(builder);
    for (guint i = 0; ok && i < figures->len; i++) {
        const PublishedPackets *figure = g_ptr_array_index(figures, i);
        Ours ours;

        ok = look_up(stmt, figure, &ours);
        held += g_str_equal(ours.verdict, "held");
        missed += g_str_equal(ours.verdict, "MISSED");
        without += g_str_equal(ours.verdict, "no run");
        add_row(table, figure, &ours);
        add_json(builder, figure, &ours);
    }
    json_builder_end_array(builder);
    sqlite3_finalize(stmt);
    append_summary(text, table, held, missed, without);
    *missed_any = missed > 0;
    return ok;
}
