/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench show RUN: what a run was made of and what came out, for a terminal or as JSON. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "results/store.h"
#include "results/text.h"

#define WIDTH 100

typedef struct Show {
    ResultsStore *store;
    int64_t run_id;
    GString *text;
    GError **error;
} Show;

/* NULL: @error. */
static sqlite3_stmt *prepare(const Show *self, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(results_db(self->store), sql, -1, &stmt, NULL) != SQLITE_OK) {
        g_set_error(self->error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s",
                    results_path(self->store), sqlite3_errmsg(results_db(self->store)));
        return NULL;
    }
    sqlite3_bind_int64(stmt, 1, self->run_id);
    return stmt;
}

static const char *column(sqlite3_stmt *stmt, int i)
{
    return (const char *)sqlite3_column_text(stmt, i);
}

static bool is_null(sqlite3_stmt *stmt, int i)
{
    return sqlite3_column_type(stmt, i) == SQLITE_NULL;
}

static void add_si(TextTable *table, sqlite3_stmt *stmt, int i, const char *unit)
{
    g_autofree char *text = is_null(stmt, i) ? NULL : text_si(sqlite3_column_double(stmt, i), unit);

    text_table_add(table, text);
}

/* ns in the largest unit that leaves a figure before the point. */
static void add_ns(TextTable *table, sqlite3_stmt *stmt, int i)
{
    double ns = sqlite3_column_double(stmt, i);

    if (is_null(stmt, i)) {
        text_table_add(table, NULL);
    } else if (ns < 1e3) {
        text_table_add_format(table, "%.0f ns", ns);
    } else if (ns < 1e6) {
        text_table_add_format(table, "%.1f us", ns / 1e3);
    } else {
        text_table_add_format(table, "%.2f ms", ns / 1e6);
    }
}

/* A headed table, if there are rows. */
static void append_table(const Show *self, const char *title, const TextTable *table)
{
    if (text_table_rows(table)) {
        g_string_append_printf(self->text, "\n%s\n", title);
        text_table_append(table, self->text, WIDTH);
    }
}

static bool show_head(const Show *self)
{
    sqlite3_stmt *stmt = prepare(
        self,
        "SELECT r.scenario, r.status, r.reason, r.title, r.point, r.driver, r.driver_version,"
        " r.machine, r.cpus, r.mips, r.seed, r.clock, r.quantum, r.dilation, r.model_s,"
        " r.wall_seconds, r.verdict, w.length_ps / 1e9, w.marked, r.wall_started, r.repeatable"
        " FROM runs r JOIN measured_window w USING (run_id) WHERE r.run_id = ?");
    GString *text = self->text;

    if (!stmt) {
        return false;
    }
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        g_string_append_printf(text, "Run %" G_GINT64_FORMAT "  %s  %s", self->run_id,
                               column(stmt, 0), column(stmt, 1));
        if (!is_null(stmt, 2)) {
            g_string_append_printf(text, ": %s", column(stmt, 2));
        }
        g_string_append_printf(text, "\n%s\n", column(stmt, 3));
        if (*column(stmt, 4)) {
            g_string_append_printf(text, "point    %s\n", column(stmt, 4));
        }
        g_string_append_printf(text, "driver   %s%s%s\n", column(stmt, 5),
                               is_null(stmt, 6) ? "" : " on ",
                               is_null(stmt, 6) ? "" : column(stmt, 6));
        g_string_append_printf(text, "machine  %s, %s cpus of %s mips\n", column(stmt, 7),
                               column(stmt, 8), column(stmt, 9));
        g_string_append_printf(text, "repeat   seed %s, clock %s, quantum %s instructions",
                               column(stmt, 10), column(stmt, 11), column(stmt, 12));
        if (!sqlite3_column_int(stmt, 20)) {
            g_string_append_printf(text, ", dilation %s: not repeatable", column(stmt, 13));
        }
        g_string_append(text, "\ntime     ");
        if (!is_null(stmt, 14)) {
            g_string_append_printf(text, "%.3f s of model time, %s %.3f ms; ",
                                   sqlite3_column_double(stmt, 14),
                                   sqlite3_column_int(stmt, 18) ? "window" : "no window:",
                                   sqlite3_column_double(stmt, 17));
        }
        if (!is_null(stmt, 15)) {
            g_string_append_printf(text, "%.1f s by the wall, ", sqlite3_column_double(stmt, 15));
        }
        g_string_append_printf(text, "started %s\nverdict  %s\n", column(stmt, 19),
                               is_null(stmt, 16) ? "none" : column(stmt, 16));
    }
    sqlite3_finalize(stmt);
    return true;
}

static bool show_devices(const Show *self)
{
    sqlite3_stmt *stmt =
        prepare(self, "SELECT device, profile, iops, mib_per_s, latency_p50_ns, latency_p99_ns,"
                      " commands, interrupts, violations FROM device_summary s WHERE run_id = ?1"
                      " AND NOT EXISTS (SELECT 1 FROM port_summary p WHERE p.run_id = ?1"
                      " AND p.device = s.device) ORDER BY device");
    g_autoptr(TextTable) table =
        text_table_new("device|profile|IOPS>|MiB/s>|p50>|p99>|commands>|interrupts>|violations>");

    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        text_table_add(table, column(stmt, 0));
        text_table_add(table, column(stmt, 1));
        add_si(table, stmt, 2, "");
        text_table_add_format(table, "%.1f", sqlite3_column_double(stmt, 3));
        add_ns(table, stmt, 4);
        add_ns(table, stmt, 5);
        text_table_add(table, column(stmt, 6));
        text_table_add(table, column(stmt, 7));
        text_table_add(table, column(stmt, 8));
    }
    sqlite3_finalize(stmt);
    append_table(self, "Devices (inside the window, model time)", table);
    return true;
}

static void add_ratio(TextTable *table, sqlite3_stmt *stmt, int i)
{
    if (is_null(stmt, i)) {
        text_table_add(table, NULL);
    } else {
        text_table_add_format(table, "%.2f", sqlite3_column_double(stmt, i));
    }
}

static bool show_ports(const Show *self)
{
    g_autofree char *rates = g_strchomp(g_strdup(results_query_sql("port-rates", NULL)));
    g_autofree char *sql = NULL;
    g_autoptr(TextTable) table = text_table_new(
        "port|rx pps>|tx pps>|rx bytes>|tx bytes>|dropped>|rx desc/wb>|tx desc/wb>|interrupts>|"
        "violations>");
    sqlite3_stmt *stmt;

    rates[strlen(rates) - 1] = '\0'; /* its semicolon */
    sql = g_strdup_printf("SELECT device, rx_pps, tx_pps, rx_bytes, tx_bytes, dropped,"
                          " descriptors_per_writeback, tx_descriptors_per_writeback, interrupts,"
                          " violations FROM (%s)",
                          rates);
    stmt = prepare(self, sql);
    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        text_table_add(table, column(stmt, 0));
        for (int i = 1; i < 5; i++) {
            add_si(table, stmt, i, i < 3 ? "" : "B");
        }
        text_table_add(table, column(stmt, 5));
        add_ratio(table, stmt, 6);
        add_ratio(table, stmt, 7);
        text_table_add(table, column(stmt, 8));
        text_table_add(table, column(stmt, 9));
    }
    sqlite3_finalize(stmt);
    append_table(self, "Network ports (inside the window, model time)", table);
    return true;
}

static bool show_cpus(const Show *self)
{
    sqlite3_stmt *stmt =
        prepare(self, "SELECT cpus, busy_pct, idle_pct, instructions_per_io, user_pct, system_pct,"
                      " irq_pct FROM cpu_summary WHERE run_id = ?");

    if (!stmt) {
        return false;
    }
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        g_string_append_printf(self->text, "\nCpus: %s", column(stmt, 0));
        if (!is_null(stmt, 1)) {
            g_string_append_printf(self->text, ", %.1f %% busy, %.1f %% idle",
                                   sqlite3_column_double(stmt, 1), sqlite3_column_double(stmt, 2));
        }
        if (!is_null(stmt, 3)) { /* native mode executes none */
            g_string_append_printf(self->text, ", %.0f instructions per I/O",
                                   sqlite3_column_double(stmt, 3));
        }
        if (!is_null(stmt, 4)) {
            g_string_append_printf(self->text,
                                   "\n      user %.1f %%, system %.1f %%, irq %.1f %% "
                                   "(coarse: from 4 ms ticks)",
                                   sqlite3_column_double(stmt, 4), sqlite3_column_double(stmt, 5),
                                   sqlite3_column_double(stmt, 6));
        }
        g_string_append_c(self->text, '\n');
    }
    sqlite3_finalize(stmt);
    return true;
}

static bool show_pcie(const Show *self)
{
    sqlite3_stmt *stmt =
        prepare(self, "SELECT p.device, p.purpose, p.direction, p.tlp_type, p.tlps,"
                      " p.payload_bytes, p.wire_bytes, 1.0 * p.wire_bytes /"
                      " NULLIF(IFNULL(n.rx_packets + n.tx_packets, s.commands), 0)"
                      " FROM pcie_by_purpose p LEFT JOIN device_summary s USING (run_id, device)"
                      " LEFT JOIN port_summary n USING (run_id, device)"
                      " WHERE p.run_id = ? ORDER BY p.device, p.wire_bytes DESC, 2, 3, 4");
    g_autoptr(TextTable) table = text_table_new(
        "device|purpose|direction|type|TLPs>|payload>|wire>|wire bytes per I/O or packet>");

    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < 5; i++) {
            text_table_add(table, column(stmt, i));
        }
        add_si(table, stmt, 5, "B");
        add_si(table, stmt, 6, "B");
        if (is_null(stmt, 7)) {
            text_table_add(table, NULL);
        } else {
            text_table_add_format(table, "%.1f", sqlite3_column_double(stmt, 7));
        }
    }
    sqlite3_finalize(stmt);
    append_table(self, "PCIe by purpose (inside the window)", table);
    return true;
}

static bool show_interrupts(const Show *self)
{
    static const char sql[] =
        "WITH cpu_share AS (SELECT run_id, device, cpu, SUM(interrupts) AS n FROM interrupt_spread"
        " WHERE run_id = ?1 GROUP BY device, cpu)"
        " SELECT i.device, (SELECT COUNT(*) FROM irq_vector v WHERE v.run_id = ?1"
        " AND v.device = i.device), COUNT(*), SUM(n), MIN(n), MAX(n), r.cpus"
        " FROM cpu_share i JOIN run r USING (run_id) GROUP BY i.device ORDER BY i.device";
    sqlite3_stmt *stmt = prepare(self, sql);
    g_autoptr(TextTable) table = text_table_new(
        "device|vectors>|interrupts>|cpus that took some>|fewest on one>|most on one>");

    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        text_table_add(table, column(stmt, 0));
        text_table_add(table, column(stmt, 1));
        text_table_add(table, column(stmt, 3));
        text_table_add_format(table, "%s of %s", column(stmt, 2), column(stmt, 6));
        text_table_add(table, column(stmt, 4));
        text_table_add(table, column(stmt, 5));
    }
    sqlite3_finalize(stmt);
    append_table(self, "Interrupts (as the guest counted them)", table);
    return true;
}

/* Appends a word to a line that is broken at WIDTH. */
static void append_word(GString *text, unsigned *used, const char *word)
{
    if (*used + 2 + strlen(word) > WIDTH) {
        g_string_append(text, "\n       ");
        *used = 7;
    }
    g_string_append_printf(text, "  %s", word);
    *used += 2 + (unsigned)strlen(word);
}

/* One queue: "cpus 0-3 > sq 1, cq 1, vector 1"; what is alike is told once. */
static char *queue_word(GArray *cpus, int sq, int cq, int vector)
{
    g_autofree char *list = text_ranges(cpus);

    if (sq == cq && sq == vector) {
        return g_strdup_printf("%s>%d", list, sq);
    }
    return g_strdup_printf("%s>sq%d,cq%d,v%d", list, sq, cq, vector);
}

static bool show_queues(const Show *self)
{
    sqlite3_stmt *stmt =
        prepare(self, "SELECT device, sq, IFNULL(cq, -1), IFNULL(vector, -1), cpu FROM queue_map"
                      " WHERE run_id = ? ORDER BY device, sq, cpu");
    g_autofree char *device = NULL;
    g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(guint));
    int sq = -1, cq = -1, vector = -1;
    unsigned used = 0;
    bool more;

    if (!stmt) {
        return false;
    }
    do {
        bool other_device, other_queue;

        more = sqlite3_step(stmt) == SQLITE_ROW;
        other_device = !more || g_strcmp0(device, column(stmt, 0));
        other_queue = other_device || sqlite3_column_int(stmt, 1) != sq;
        if (other_queue && cpus->len) {
            g_autofree char *word = queue_word(cpus, sq, cq, vector);

            append_word(self->text, &used, word);
            g_array_set_size(cpus, 0);
        }
        if (more && other_device) {
            g_string_append(self->text,
                            device ? "\n"
                                   : "\nQueue map (cpus>queue; one number where SQ, CQ and vector "
                                     "are alike)\n");
            g_free(device);
            device = g_strdup(column(stmt, 0));
            g_string_append_printf(self->text, "%-5s", device);
            used = MAX(5u, (unsigned)strlen(device));
        }
        if (more) {
            guint cpu = (guint)sqlite3_column_int(stmt, 4);

            sq = sqlite3_column_int(stmt, 1);
            cq = sqlite3_column_int(stmt, 2);
            vector = sqlite3_column_int(stmt, 3);
            g_array_append_val(cpus, cpu);
        }
    } while (more);
    if (device) {
        g_string_append_c(self->text, '\n');
    }
    sqlite3_finalize(stmt);
    return true;
}

/* A table of all columns, as they are. */
static bool show_rows(const Show *self, const char *title, const char *heads, const char *sql)
{
    sqlite3_stmt *stmt = prepare(self, sql);
    g_autoptr(TextTable) table = text_table_new(heads);

    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            text_table_add(table, column(stmt, i));
        }
    }
    sqlite3_finalize(stmt);
    append_table(self, title, table);
    return true;
}

static bool show_identities(const Show *self)
{
    sqlite3_stmt *stmt = prepare(self, "SELECT COUNT(*), SUM(held) FROM identity WHERE run_id = ?");

    if (!stmt) {
        return false;
    }
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0)) {
        g_string_append_printf(self->text, "\nIdentities: %d of %d held\n",
                               sqlite3_column_int(stmt, 1), sqlite3_column_int(stmt, 0));
    }
    sqlite3_finalize(stmt);
    return show_rows(self, "Identities that did not hold", "of|identity|left>|right>",
                     "SELECT device, name, left_value, right_value FROM identity"
                     " WHERE run_id = ? AND NOT held ORDER BY device, name");
}

static bool show_text(const Show *self)
{
    return show_head(self) && show_devices(self) && show_ports(self) && show_cpus(self) &&
           show_pcie(self) && show_interrupts(self) && show_queues(self) &&
           show_rows(self, "Violations", "device|section|count>|what",
                     "SELECT device, rule, count, text FROM violation WHERE run_id = ?"
                     " ORDER BY device, count DESC, rule, text") &&
           show_identities(self) &&
           show_rows(self, "Expectations", "|key|wanted|got",
                     "SELECT iif(held, 'held', 'FAILED'), key, wanted, got FROM expect_result"
                     " WHERE run_id = ? ORDER BY seq") &&
           show_rows(self, "Inputs", "kind|name|hash",
                     "SELECT kind, name, substr(hash, 1, 16) FROM run_input WHERE run_id = ?"
                     " ORDER BY kind, name");
}

static bool show_json(const Show *self)
{
    static const struct {
        const char *name, *sql;
    } parts[] = {
        {"run", "SELECT * FROM runs WHERE run_id = ?"},
        {"devices", "SELECT * FROM device_summary WHERE run_id = ? ORDER BY device"},
        {"ports", "SELECT * FROM port_summary WHERE run_id = ? ORDER BY device"},
        {"cpu_summary", "SELECT * FROM cpu_summary WHERE run_id = ?"},
        {"cpu_time", "SELECT * FROM cpu_time WHERE run_id = ? ORDER BY cpu"},
        {"pcie_by_purpose", "SELECT * FROM pcie_by_purpose WHERE run_id = ? ORDER BY 2, 3, 4, 5"},
        {"interrupt_spread", "SELECT * FROM interrupt_spread WHERE run_id = ? ORDER BY 2, 3, 4"},
        {"queue_map", "SELECT * FROM queue_map WHERE run_id = ? ORDER BY device, sq, cpu"},
        {"violations", "SELECT * FROM violation WHERE run_id = ? ORDER BY device, rule, text"},
        {"identities", "SELECT * FROM identity WHERE run_id = ? ORDER BY device, name"},
        {"expectations", "SELECT * FROM expect_result WHERE run_id = ? ORDER BY seq"},
        {"inputs", "SELECT * FROM run_input WHERE run_id = ? ORDER BY kind, name"},
    };

    g_string_append(self->text, "{\n");
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        sqlite3_stmt *stmt = prepare(self, parts[i].sql);
        bool ok;

        if (!stmt) {
            return false;
        }
        g_string_append_printf(self->text, "\"%s\": ", parts[i].name);
        ok = text_rows(stmt, TEXT_JSON, self->text, self->error);
        sqlite3_finalize(stmt);
        if (!ok) {
            return false;
        }
        g_string_truncate(self->text, self->text->len - 1);
        g_string_append(self->text, i + 1 < G_N_ELEMENTS(parts) ? ",\n" : "\n}\n");
    }
    return true;
}

int cmd_show(int argc, char **argv)
{
    g_autofree char *db = NULL;
    g_autofree char *format = NULL;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "text or json (default text)", "FORMAT"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "RUN",
                             "Shows a run; RUN is the number that `list` shows, or \"last\".");
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    Show self = {.text = text, .error = &error};
    bool json = g_strcmp0(format, "json") == 0;

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc != 2 || (format && !json && !g_str_equal(format, "text"))) {
        return cmd_fail(CMD_USAGE, "show", "%s",
                        argc != 2 ? "give one RUN" : "--format is text or json");
    }
    store = results_open(db ? db : CMD_DEFAULT_DB, RESULTS_OPEN_READ, &error);
    if (!store) {
        return cmd_fail(CMD_CANNOT_RUN, "show", "%s", error->message);
    }
    self.store = store;
    self.run_id = results_run_parse(store, argv[1], &error);
    if (!self.run_id) {
        return cmd_fail(CMD_USAGE, "show", "%s", error->message);
    }
    if (!(json ? show_json(&self) : show_text(&self))) {
        return cmd_fail(CMD_CANNOT_RUN, "show", "%s", error->message);
    }
    if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout)) {
        return cmd_fail(CMD_CANNOT_RUN, "show", "standard output cannot be written");
    }
    return CMD_OK;
}
