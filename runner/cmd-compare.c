/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench compare`: runs beside each other, a row a run and device, best and worst marked. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "results/store.h"
#include "results/text.h"

/* A figure of a run's device; the columns of compare_sql from FIRST on, in this order. */
typedef struct Figure {
    const char *name, *head; /* in JSON; in text */
    int better;              /* 1: more is better; -1: less is */
    const char *format;
    double scale;
} Figure;

static const Figure figures[] = {
    {"iops", "IOPS", 1, "%.0f", 1},
    {"latency_p50_ns", "p50 us", -1, "%.1f", 1e-3},
    {"latency_p99_ns", "p99 us", -1, "%.1f", 1e-3},
    {"cpu_ns_per_io", "cpu us/IO", -1, "%.2f", 1e-3},
    {"instructions_per_io", "instr/IO", -1, "%.0f", 1},
    {"interrupts_per_io", "irq/IO", -1, "%.3f", 1},
    {"doorbells_per_io", "bell/IO", -1, "%.3f", 1},
    {"interrupt_entropy", "spread", 1, "%.3f", 1},
    {"busiest_cpu_share", "busiest", -1, "%.3f", 1},
    {"wire_bytes_per_io", "wire B/IO", -1, "%.1f", 1},
    {"lock_waits_per_io", "locks/IO", -1, "%.3f", 1},
};
#define FIGURES G_N_ELEMENTS(figures)
enum { RUN_ID, SCENARIO, DRIVER, POINT, DEVICE, FIRST };

/* Cpu time, instructions and lock waits are the machine's: over the I/Os of all its drives. */
static const char compare_sql[] =
    "WITH total AS (SELECT SUM(value) AS ios FROM counter_at WHERE run_id = ?1"
    "  AND scope = 'device' AND idx = 0 AND name = 'io_completed'),"
    " cpu AS (SELECT SUM(busy_ns) AS busy_ns, NULLIF(SUM(instructions), 0) AS instructions"
    "  FROM vcpu_at WHERE run_id = ?1),"
    " share AS (SELECT device, cpu,"
    "  1.0 * SUM(interrupts) / SUM(SUM(interrupts)) OVER (PARTITION BY device) AS p"
    "  FROM interrupt_spread WHERE run_id = ?1 GROUP BY device, cpu)"
    " SELECT r.run_id, r.scenario, r.driver, r.point, s.device, s.iops, s.latency_p50_ns,"
    "  s.latency_p99_ns, (SELECT busy_ns FROM cpu) * 1.0 / NULLIF((SELECT ios FROM total), 0),"
    "  (SELECT instructions FROM cpu) * 1.0 / NULLIF((SELECT ios FROM total), 0),"
    "  1.0 * s.interrupts / NULLIF(s.commands, 0),"
    "  (SELECT SUM(value) FROM counter_at c WHERE c.run_id = ?1 AND c.device = s.device"
    "   AND c.scope = 'device' AND c.name = 'doorbell_writes') * 1.0 / NULLIF(s.commands, 0),"
    "  (SELECT -SUM(p * LN(p)) / NULLIF(LN(r.cpus), 0) FROM share WHERE device = s.device),"
    "  (SELECT MAX(p) FROM share WHERE device = s.device),"
    "  (SELECT SUM(wire_bytes) FROM tlp_at t WHERE t.run_id = ?1 AND t.device = s.device) * 1.0"
    "   / NULLIF(s.commands, 0),"
    "  CASE WHEN r.clock = 'native' THEN (SELECT IFNULL(SUM(value), 0) FROM counter_at"
    "   WHERE run_id = ?1 AND device = 'machine' AND scope = 'cpu' AND name = 'lock_waits') * 1.0"
    "   / NULLIF((SELECT ios FROM total), 0) END"
    " FROM run r JOIN device_summary s ON s.run_id = r.run_id"
    " WHERE r.run_id = ?1 AND (?2 IS NULL OR s.device = ?2) ORDER BY s.device";

/* The latest run of each point and driver. */
static const char points_sql[] =
    "SELECT MAX(run_id) FROM runs WHERE scenario = ?1 AND status IN ('passed', 'failed')"
    " GROUP BY point, driver ORDER BY MIN(run_id)";

typedef struct Row {
    int64_t run_id;
    char *scenario, *driver, *point, *device;
    double values[FIGURES]; /* NAN: not known */
} Row;

static void row_free(gpointer data)
{
    Row *row = data;

    g_free(row->scenario);
    g_free(row->driver);
    g_free(row->point);
    g_free(row->device);
    g_free(row);
}

static sqlite3_stmt *prepare(ResultsStore *store, const char *sql, GError **error)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(results_db(store), sql, -1, &stmt, NULL) != SQLITE_OK) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                    sqlite3_errmsg(results_db(store)));
    }
    return stmt;
}

static char *text_of(sqlite3_stmt *stmt, int i)
{
    return g_strdup((const char *)sqlite3_column_text(stmt, i));
}

static gboolean add_run(GPtrArray *rows, sqlite3_stmt *stmt, gint64 run_id, const char *device)
{
    int code;

    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, run_id);
    sqlite3_bind_text(stmt, 2, device, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        Row *row = g_new0(Row, 1);
        row->run_id = sqlite3_column_int64(stmt, RUN_ID);
        row->scenario = text_of(stmt, SCENARIO);
        row->driver = text_of(stmt, DRIVER);
        row->point = text_of(stmt, POINT);
        row->device = text_of(stmt, DEVICE);
        for (size_t i = 0; i < FIGURES; i++) {
            int at = FIRST + (int)i;
            row->values[i] = sqlite3_column_type(stmt, at) == SQLITE_NULL
                                 ? NAN
                                 : sqlite3_column_double(stmt, at);
        }
        g_ptr_array_add(rows, row);
    }
    return code == SQLITE_DONE;
}

/* --- Best and worst --- */

static char *format_figure(size_t figure, double value)
{
    return g_strdup_printf(figures[figure].format, value * figures[figure].scale);
}

/* "+" if no row of the device is better, "-" if none is worse, unless all are alike. */
static const char *mark_of(GPtrArray *rows, const Row *row, size_t figure)
{
    double best = row->values[figure], worst = best;
    int better = figures[figure].better;

    for (guint i = 0; i < rows->len; i++) {
        const Row *other = g_ptr_array_index(rows, i);
        if (strcmp(other->device, row->device) == 0 && isfinite(other->values[figure])) {
            double value = other->values[figure];
            best = better * value > better * best ? value : best;
            worst = better * value < better * worst ? value : worst;
        }
    }
    g_autofree char *own = format_figure(figure, row->values[figure]);
    g_autofree char *top = format_figure(figure, best);
    g_autofree char *bottom = format_figure(figure, worst);
    if (strcmp(top, bottom) == 0 || !isfinite(row->values[figure])) {
        return ""; /* alike, as far as is shown */
    }
    return strcmp(own, top) == 0 ? "+" : strcmp(own, bottom) == 0 ? "-" : "";
}

static gboolean same_everywhere(GPtrArray *rows, size_t offset)
{
    const char *first = G_STRUCT_MEMBER(char *, g_ptr_array_index(rows, 0), offset);

    for (guint i = 1; i < rows->len; i++) {
        if (strcmp(G_STRUCT_MEMBER(char *, g_ptr_array_index(rows, i), offset), first) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean known_somewhere(GPtrArray *rows, size_t figure)
{
    for (guint i = 0; i < rows->len; i++) {
        if (isfinite(((Row *)g_ptr_array_index(rows, i))->values[figure])) {
            return TRUE;
        }
    }
    return FALSE;
}

/* --- Output --- */

static void print_text(GPtrArray *rows)
{
    static const struct {
        const char *head;
        size_t offset;
    } names[] = {{"scenario", offsetof(Row, scenario)},
                 {"driver", offsetof(Row, driver)},
                 {"point", offsetof(Row, point)}};
    g_autoptr(TextTable) table = text_table_new("run>|device");
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean shown[FIGURES], named[G_N_ELEMENTS(names)];

    for (size_t i = 0; i < FIGURES; i++) {
        shown[i] = known_somewhere(rows, i);
        if (shown[i]) {
            text_table_column(table, figures[i].head, true);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        named[i] = !same_everywhere(rows, names[i].offset);
        if (named[i]) {
            text_table_column(table, names[i].head, false);
        }
    }
    for (guint r = 0; r < rows->len; r++) {
        const Row *row = g_ptr_array_index(rows, r);
        text_table_add_format(table, "%" G_GINT64_FORMAT, row->run_id);
        text_table_add(table, row->device);
        for (size_t i = 0; i < FIGURES; i++) {
            if (shown[i] && isfinite(row->values[i])) {
                g_autofree char *value = format_figure(i, row->values[i]);
                text_table_add_format(table, "%s%s", mark_of(rows, row, i), value);
            } else if (shown[i]) {
                text_table_add(table, NULL);
            }
        }
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
            if (named[i]) {
                text_table_add(table, G_STRUCT_MEMBER(char *, row, names[i].offset));
            }
        }
    }
    text_table_append(table, text, 0);
    printf("%s+ best, - worst of a device's rows; cpu time, instructions and lock waits are the "
           "machine's\n",
           text->str);
}

static void add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_string_value(builder, value);
}

static void print_json(GPtrArray *rows)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();

    json_builder_begin_array(builder);
    for (guint r = 0; r < rows->len; r++) {
        const Row *row = g_ptr_array_index(rows, r);
        json_builder_begin_object(builder);
        json_builder_set_member_name(builder, "run_id");
        json_builder_add_int_value(builder, row->run_id);
        add_string(builder, "scenario", row->scenario);
        add_string(builder, "driver", row->driver);
        add_string(builder, "point", row->point);
        add_string(builder, "device", row->device);
        for (size_t i = 0; i < FIGURES; i++) {
            json_builder_set_member_name(builder, figures[i].name);
            if (isfinite(row->values[i])) {
                json_builder_add_double_value(builder, row->values[i]);
            } else {
                json_builder_add_null_value(builder);
            }
        }
        for (int best = 1; best >= 0; best--) {
            json_builder_set_member_name(builder, best ? "best" : "worst");
            json_builder_begin_array(builder);
            for (size_t i = 0; i < FIGURES; i++) {
                if (g_str_equal(mark_of(rows, row, i), best ? "+" : "-")) {
                    json_builder_add_string_value(builder, figures[i].name);
                }
            }
            json_builder_end_array(builder);
        }
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    g_autofree char *text = json_to_string(root, TRUE);
    printf("%s\n", text);
}

/* --- Which runs --- */

static gboolean add_points(GArray *runs, ResultsStore *store, const char *scenario, GError **error)
{
    sqlite3_stmt *stmt = prepare(store, points_sql, error);

    if (!stmt) {
        return FALSE;
    }
    sqlite3_bind_text(stmt, 1, scenario, -1, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        gint64 run_id = sqlite3_column_int64(stmt, 0);
        g_array_append_val(runs, run_id);
    }
    sqlite3_finalize(stmt);
    if (runs->len == 0) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN, "%s has no runs of a scenario '%s'",
                    results_path(store), scenario);
    }
    return runs->len > 0;
}

static gboolean collect(GPtrArray *rows, ResultsStore *store, const char *scenario, char **words,
                        const char *device, GError **error)
{
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(gint64));

    for (; *words; words++) {
        gint64 run_id = results_run_parse(store, *words, error);
        if (!run_id) {
            return FALSE;
        }
        g_array_append_val(runs, run_id);
    }
    if (scenario && !add_points(runs, store, scenario, error)) {
        return FALSE;
    }
    sqlite3_stmt *stmt = prepare(store, compare_sql, error);
    gboolean fine = stmt != NULL;
    for (guint i = 0; i < runs->len && fine; i++) {
        fine = add_run(rows, stmt, g_array_index(runs, gint64, i), device);
        if (!fine) {
            g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                        sqlite3_errmsg(results_db(store)));
        }
    }
    sqlite3_finalize(stmt);
    if (fine && rows->len == 0) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN, "these runs have no device%s%s",
                    device ? " " : "", device ? device : "");
    }
    return fine && rows->len > 0;
}

static int compare_rows(gconstpointer a, gconstpointer b, gpointer figure)
{
    size_t i = GPOINTER_TO_SIZE(figure);
    double x = (*(const Row *const *)a)->values[i];
    double y = (*(const Row *const *)b)->values[i];
    int sign = figures[i].better < 0 ? 1 : -1;

    return !isfinite(x) || !isfinite(y) ? isfinite(y) - isfinite(x)
           : x < y                      ? -sign
           : x > y                      ? sign
                                        : 0;
}

/* FALSE: no such figure. */
static gboolean sort_by(GPtrArray *rows, const char *name)
{
    for (size_t i = 0; i < FIGURES; i++) {
        if (g_str_equal(figures[i].name, name)) {
            g_ptr_array_sort_with_data(rows, compare_rows, GSIZE_TO_POINTER(i));
            return TRUE;
        }
    }
    return FALSE;
}

int cmd_compare(int argc, char **argv)
{
    g_autofree char *db = NULL, *scenario = NULL, *device = NULL, *format = NULL, *sort = NULL;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {"scenario", 0, 0, G_OPTION_ARG_STRING, &scenario,
         "the latest run of each of its points and drivers", "NAME"},
        {"device", 0, 0, G_OPTION_ARG_STRING, &device, "this device alone", "NAME"},
        {"sort", 0, 0, G_OPTION_ARG_STRING, &sort, "best first by this figure, e.g. iops",
         "FIGURE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "text or json (default text)", "FORMAT"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "[RUN RUN…]",
                             "Puts runs beside each other; marks the best and the worst.");
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);

    if (status != CMD_GO_ON) {
        return status;
    }
    if (format && !g_str_equal(format, "json") && !g_str_equal(format, "text")) {
        return cmd_fail(CMD_USAGE, "compare", "--format is text or json");
    }
    if (!scenario && argc < 3) {
        return cmd_fail(CMD_USAGE, "compare", "name two runs, or --scenario NAME");
    }
    g_autoptr(ResultsStore) store =
        results_open(db ? db : CMD_DEFAULT_DB, RESULTS_OPEN_READ, &error);
    if (!store || !collect(rows, store, scenario, argv + 1, device, &error)) {
        return cmd_fail(g_error_matches(error, RESULTS_ERROR, RESULTS_ERROR_RUN) ? CMD_USAGE
                                                                                 : CMD_CANNOT_RUN,
                        "compare", "%s", error->message);
    }
    if (sort && !sort_by(rows, sort)) {
        return cmd_fail(CMD_USAGE, "compare", "there is no figure '%s'; see --format json", sort);
    }
    if (format && g_str_equal(format, "json")) {
        print_json(rows);
    } else {
        print_text(rows);
    }
    return fflush(stdout) ? cmd_fail(CMD_CANNOT_RUN, "compare", "standard output cannot be written")
                          : CMD_OK;
}
