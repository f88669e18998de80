/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four ways to print the same description of a run. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "results/text.h"

struct Report {
    ReportFormat format;
    guint runs, done, label_width;
    gboolean quiet, error, failed;
    char *heading;   /* scenario whose table is being printed */
    GPtrArray *kept; /* JsonObject *, by index; for formats that print at the end */
};

gboolean report_format_parse(const char *word, ReportFormat *format, const char *const **words)
{
    static const char *const names[] = {"text", "json", "tap", "junit", NULL};

    *words = names;
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *format = (ReportFormat)i;
            return TRUE;
        }
    }
    return FALSE;
}

/* --- Describe --- */

static JsonObject *new_description(const Scenario *scenario)
{
    JsonObject *run = json_object_new();

    json_object_set_string_member(run, "scenario", scenario->name);
    json_object_set_string_member(run, "point", scenario->point);
    json_object_set_string_member(run, "title", scenario->title);
    return run;
}

/* Rows of a query with the run's id as its one parameter: an array of objects. */
static JsonArray *query(ResultsStore *store, const char *sql, gint64 run_id, GError **error)
{
    sqlite3_stmt *statement = NULL;
    JsonArray *rows = json_array_new();
    int status = sqlite3_prepare_v2(results_db(store), sql, -1, &statement, NULL);

    if (status == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, run_id);
        while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
            JsonObject *row = json_object_new();
            for (int i = 0; i < sqlite3_column_count(statement); i++) {
                const char *name = sqlite3_column_name(statement, i);
                switch (sqlite3_column_type(statement, i)) {
                case SQLITE_INTEGER:
                    json_object_set_int_member(row, name, sqlite3_column_int64(statement, i));
                    break;
                case SQLITE_FLOAT:
                    json_object_set_double_member(row, name, sqlite3_column_double(statement, i));
                    break;
                case SQLITE_NULL:
                    json_object_set_null_member(row, name);
                    break;
                default:
                    json_object_set_string_member(row, name,
                                                  (const char *)sqlite3_column_text(statement, i));
                }
            }
            json_array_add_object_element(rows, row);
        }
    }
    if (status != SQLITE_DONE) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                    sqlite3_errmsg(results_db(store)));
        g_clear_pointer(&rows, json_array_unref);
    }
    sqlite3_finalize(statement);
    return rows;
}

JsonObject *report_describe(const Scenario *scenario, const RunOutcome *outcome, const char *db,
                            GError **error)
{
    g_autoptr(JsonObject) run = new_description(scenario);
    g_autoptr(ResultsStore) store = results_open(db, RESULTS_OPEN_READ, error);
    const char *port_rates = results_query_sql("port-rates", NULL);
    JsonArray *devices = NULL, *ports = NULL, *checks = NULL;

    if (!store ||
        !(devices = query(store,
                          "SELECT device, iops, mib_per_s, latency_p50_ns, latency_p99_ns, "
                          "commands, interrupts, violations FROM device_summary "
                          "WHERE run_id = ?1 ORDER BY device",
                          outcome->run_id, error)) ||
        !(ports = query(store, port_rates, outcome->run_id, error)) ||
        !(checks = query(store,
                         "SELECT key, wanted, got, held FROM expect_result WHERE run_id = ?1 "
                         "ORDER BY seq",
                         outcome->run_id, error))) {
        g_clear_pointer(&devices, json_array_unref);
        g_clear_pointer(&ports, json_array_unref);
        return NULL;
    }
    json_object_set_int_member(run, "run_id", outcome->run_id);
    json_object_set_string_member(run, "status", results_status_name(outcome->status));
    json_object_set_string_member(run, "verdict", outcome->verdict ? outcome->verdict : "");
    json_object_set_string_member(run, "reason", outcome->reason ? outcome->reason : "");
    json_object_set_string_member(run, "log", outcome->log_tail ? outcome->log_tail : "");
    json_object_set_double_member(run, "wall_seconds", outcome->wall_seconds);
    json_object_set_array_member(run, "devices", devices);
    json_object_set_array_member(run, "ports", ports);
    json_object_set_array_member(run, "checks", checks);
    return g_steal_pointer(&run);
}

JsonObject *report_describe_error(const Scenario *scenario, const char *message)
{
    JsonObject *run = new_description(scenario);

    json_object_set_null_member(run, "run_id");
    json_object_set_string_member(run, "status", "error");
    json_object_set_string_member(run, "verdict", "");
    json_object_set_string_member(run, "reason", message);
    json_object_set_string_member(run, "log", "");
    json_object_set_double_member(run, "wall_seconds", 0);
    json_object_set_array_member(run, "devices", json_array_new());
    json_object_set_array_member(run, "ports", json_array_new());
    json_object_set_array_member(run, "checks", json_array_new());
    return run;
}

static const char *text_of(JsonObject *object, const char *name)
{
    return json_object_get_string_member_with_default(object, name, "");
}

/* --- Text --- */

/* 274582 → "274,582" in @buffer. */
static const char *grouped(gint64 value, char buffer[32])
{
    char digits[24];
    size_t n = (size_t)g_snprintf(digits, sizeof(digits), "%" G_GINT64_FORMAT, value), at = 0;

    for (size_t i = 0; i < n && at < 30; i++) {
        if (i && (n - i) % 3 == 0 && digits[i - 1] != '-') {
            buffer[at++] = ',';
        }
        buffer[at++] = digits[i];
    }
    buffer[at] = 0;
    return buffer;
}

static const char *microseconds(JsonObject *row, const char *name, char buffer[32])
{
    JsonNode *node = json_object_get_member(row, name);

    if (!node || json_node_is_null(node)) {
        return "-";
    }
    g_snprintf(buffer, 32, "%.1f us", json_node_get_double(node) / 1000.0);
    return buffer;
}

static gint64 whole(JsonObject *row, const char *name)
{
    JsonNode *node = json_object_get_member(row, name);

    if (!node || json_node_is_null(node)) {
        return 0;
    }
    return (gint64)(json_node_get_double(node) + 0.5);
}

static void print_log(const char *log)
{
    g_auto(GStrv) lines = g_strsplit(log, "\n", -1);

    for (char **line = lines; *log && *line; line++) {
        printf("  | %s\n", *line);
    }
}

static const char drive_columns[] =
    "        IOPS     MiB/s         p50         p99  interrupts  violations";
static const char port_columns[] =
    "      rx pps      tx pps    rx bytes    tx bytes     dropped  rx "
    "desc/wb  tx desc/wb  interrupts  violations";

/* Rows of the table: a driver drives devices of one kind, so a run has one kind of columns. */
static JsonArray *rows_of(JsonObject *run, gboolean *ports)
{
    JsonArray *of_ports = json_object_get_array_member(run, "ports");

    *ports = json_array_get_length(of_ports) > 0;
    return *ports ? of_ports : json_object_get_array_member(run, "devices");
}

static const char *ratio(JsonObject *row, const char *name, char buffer[32])
{
    JsonNode *node = json_object_get_member(row, name);

    if (!node || json_node_is_null(node)) {
        return "-";
    }
    g_snprintf(buffer, 32, "%.2f", json_node_get_double(node));
    return buffer;
}

static void print_port(JsonObject *row)
{
    char dropped[32], rx[32], tx[32], interrupts[32];
    static const char *const scaled[] = {"rx_pps", "tx_pps", "rx_bytes", "tx_bytes"};

    for (size_t i = 0; i < G_N_ELEMENTS(scaled); i++) {
        JsonNode *node = json_object_get_member(row, scaled[i]);
        g_autofree char *text =
            json_node_is_null(node) ? NULL : text_si(json_node_get_double(node), i < 2 ? "" : "B");
        printf("%12s", text ? g_strchomp(text) : "-");
    }
    printf("%12s %11s %11s %11s %11" G_GINT64_FORMAT, grouped(whole(row, "dropped"), dropped),
           ratio(row, "descriptors_per_writeback", rx),
           ratio(row, "tx_descriptors_per_writeback", tx),
           grouped(whole(row, "interrupts"), interrupts), whole(row, "violations"));
}

/* A device whose I/O was not measured has no rate, rather than one of 0. */
static void print_drive(JsonObject *row)
{
    char iops[32] = "-", rate[32] = "-", p50[32], p99[32], interrupts[32];

    if (whole(row, "commands") && !json_object_get_null_member(row, "iops")) {
        grouped(whole(row, "iops"), iops);
        g_snprintf(rate, sizeof(rate), "%.1f", json_object_get_double_member(row, "mib_per_s"));
    }
    printf("%12s %9s %11s %11s %11s %11" G_GINT64_FORMAT, iops, rate,
           microseconds(row, "latency_p50_ns", p50), microseconds(row, "latency_p99_ns", p99),
           grouped(whole(row, "interrupts"), interrupts), whole(row, "violations"));
}

static void print_checks(JsonArray *checks)
{
    for (guint i = 0; i < json_array_get_length(checks); i++) {
        JsonObject *check = json_array_get_object_element(checks, i);
        if (!json_object_get_int_member(check, "held")) {
            printf("  not held: %s = %s; got %s\n", text_of(check, "key"), text_of(check, "wanted"),
                   text_of(check, "got"));
        }
    }
}

/* One run by itself. */
static void print_one(JsonObject *run)
{
    const char *point = text_of(run, "point");
    gboolean ports;
    JsonArray *devices = rows_of(run, &ports);

    printf("%s%s%s: %s, run %" G_GINT64_FORMAT ", %.1f s", text_of(run, "scenario"),
           *point ? " " : "", point, text_of(run, "status"),
           json_object_get_int_member(run, "run_id"),
           json_object_get_double_member(run, "wall_seconds"));
    printf("%s%s\n", *text_of(run, "reason") ? ": " : "", text_of(run, "reason"));
    if (json_array_get_length(devices)) {
        printf("  %-10s%s\n", "device", ports ? port_columns : drive_columns);
    }
    for (guint i = 0; i < json_array_get_length(devices); i++) {
        JsonObject *row = json_array_get_object_element(devices, i);
        printf("  %-10s", text_of(row, "device"));
        (ports ? print_port : print_drive)(row);
        putchar('\n');
    }
}

/* A line a device in the table of all points. */
static void print_row(Report *self, JsonObject *run)
{
    gboolean ports;
    JsonArray *devices = rows_of(run, &ports);
    const char *point = text_of(run, "point");
    int width = (int)self->label_width;

    if (g_strcmp0(self->heading, text_of(run, "scenario")) != 0) {
        g_free(self->heading);
        self->heading = g_strdup(text_of(run, "scenario"));
        printf("%s: %s\n%5s  %-*s  %-8s%s\n", self->heading, text_of(run, "title"), "run", width,
               "point", "device", ports ? port_columns : drive_columns);
    }
    for (guint i = 0; i < json_array_get_length(devices); i++) {
        JsonObject *row = json_array_get_object_element(devices, i);
        printf("%5" G_GINT64_FORMAT "  %-*s  %-8s", json_object_get_int_member(run, "run_id"),
               width, i ? "" : point, text_of(row, "device"));
        (ports ? print_port : print_drive)(row);
        printf("  %s\n", i ? "" : text_of(run, "status"));
    }
    if (*text_of(run, "reason")) {
        printf("  %s: %s\n", text_of(run, "status"), text_of(run, "reason"));
    }
}

/* A run without a row has had its line on stderr. */
static void print_text(Report *self, JsonObject *run)
{
    gint64 id = json_object_get_int_member_with_default(run, "run_id", 0);

    if (!id || (self->quiet && strcmp(text_of(run, "status"), "passed") == 0)) {
        return;
    }
    if (self->label_width) {
        print_row(self, run);
    } else {
        print_one(run);
    }
    print_checks(json_object_get_array_member(run, "checks"));
    print_log(text_of(run, "log"));
    fflush(stdout);
}

/* --- TAP, JUnit, JSON --- */

static void print_tap(guint index, JsonObject *run)
{
    const char *point = text_of(run, "point");
    const char *status = text_of(run, "status");
    JsonArray *checks = json_object_get_array_member(run, "checks");

    printf("%sok %u - %s%s%s%s\n", strcmp(status, "passed") == 0 ? "" : "not ", index + 1,
           text_of(run, "scenario"), *point ? " " : "", point,
           strcmp(status, "skipped") == 0 ? " # SKIP" : "");
    if (*text_of(run, "reason")) {
        printf("# %s: %s\n", status, text_of(run, "reason"));
    }
    for (guint i = 0; i < json_array_get_length(checks); i++) {
        JsonObject *check = json_array_get_object_element(checks, i);
        if (!json_object_get_int_member(check, "held")) {
            printf("# not held: %s = %s; got %s\n", text_of(check, "key"), text_of(check, "wanted"),
                   text_of(check, "got"));
        }
    }
    fflush(stdout);
}

static void print_json(GPtrArray *runs)
{
    JsonArray *array = json_array_new();
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_ARRAY);

    for (guint i = 0; i < runs->len; i++) {
        if (g_ptr_array_index(runs, i)) {
            json_array_add_object_element(array, json_object_ref(g_ptr_array_index(runs, i)));
        }
    }
    json_node_take_array(root, array);
    g_autofree char *text = json_to_string(root, TRUE);
    puts(text);
}

static void print_junit(GPtrArray *runs)
{
    g_autoptr(GString) cases = g_string_new(NULL);
    unsigned failures = 0, errors = 0, skipped = 0, all = 0;

    for (guint i = 0; i < runs->len; i++) {
        JsonObject *run = g_ptr_array_index(runs, i);
        if (!run) {
            continue;
        }
        const char *status = text_of(run, "status");
        const char *point = text_of(run, "point");
        g_autofree char *scenario = g_markup_escape_text(text_of(run, "scenario"), -1);
        g_autofree char *name = g_markup_escape_text(*point ? point : text_of(run, "title"), -1);
        g_autofree char *reason = g_markup_escape_text(text_of(run, "reason"), -1);
        const char *kind = strcmp(status, "passed") == 0    ? NULL
                           : strcmp(status, "failed") == 0  ? "failure"
                           : strcmp(status, "skipped") == 0 ? "skipped"
                                                            : "error";
        all++;
        g_string_append_printf(cases, "  <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"",
                               scenario, name, json_object_get_double_member(run, "wall_seconds"));
        if (kind) {
            failures += strcmp(kind, "failure") == 0;
            errors += strcmp(kind, "error") == 0;
            skipped += strcmp(kind, "skipped") == 0;
            g_string_append_printf(cases, "><%s message=\"%s\"/></testcase>\n", kind, reason);
        } else {
            g_string_append(cases, "/>\n");
        }
    }
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"quirkbench\" "
           "tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n%s</testsuite>\n",
           all, failures, errors, skipped, cases->str);
}

/* --- The report --- */

static void object_unref(gpointer data)
{
    if (data) {
        json_object_unref(data);
    }
}

Report *report_new(ReportFormat format, guint runs, guint label_width, gboolean quiet)
{
    Report *self = g_new0(Report, 1);

    self->format = format;
    self->runs = runs;
    self->label_width = label_width;
    self->quiet = quiet;
    self->kept = g_ptr_array_new_with_free_func(object_unref);
    g_ptr_array_set_size(self->kept, (gint)runs);
    if (format == REPORT_TAP) {
        printf("TAP version 13\n1..%u\n", runs);
        fflush(stdout);
    }
    return self;
}

void report_add(Report *self, guint index, JsonObject *run)
{
    const char *status = text_of(run, "status");

    self->done++;
    self->failed |= strcmp(status, "failed") == 0;
    self->error |= strcmp(status, "error") == 0 || strcmp(status, "interrupted") == 0 ||
                   strcmp(status, "aborted") == 0;
    self->kept->pdata[index] = json_object_ref(run);
    if (self->format == REPORT_TEXT) {
        print_text(self, run);
    } else if (self->format == REPORT_TAP) {
        print_tap(index, run);
    }
}

int report_finish(Report *self)
{
    int status = self->error || self->done < self->runs ? CMD_CANNOT_RUN
                 : self->failed                         ? CMD_CHECK_FAILED
                                                        : CMD_OK;

    if (self->format == REPORT_JSON) {
        print_json(self->kept);
    } else if (self->format == REPORT_JUNIT) {
        print_junit(self->kept);
    }
    g_ptr_array_unref(self->kept);
    g_free(self->heading);
    g_free(self);
    return status;
}
