/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/interrupts, /proc/stat, the queue map and the load generator's reports into tables.
 */
#include <json-glib/json-glib.h>
#include <string.h>

#include "guest-reports.h"

#define CPUS_MAX 4096

typedef struct Report {
    int64_t t_ps;
    char *name, *body;
} Report;

struct GuestReports {
    GPtrArray *reports; /* Report *, in order */
};

/* One store and the statements in use. */
typedef struct Sink {
    ResultsStore *store;
    int64_t run_id;
    GHashTable *by_serial; /* serial -> device */
} Sink;

static void report_free(void *data)
{
    Report *report = data;

    g_free(report->name);
    g_free(report->body);
    g_free(report);
}

GuestReports *guest_reports_new(void)
{
    GuestReports *self = g_new0(GuestReports, 1);

    self->reports = g_ptr_array_new_with_free_func(report_free);
    return self;
}

void guest_reports_free(GuestReports *self)
{
    if (self) {
        g_ptr_array_unref(self->reports);
        g_free(self);
    }
}

static bool is_load(const char *name)
{
    return g_str_equal(name, "load") || g_str_has_prefix(name, "load-");
}

static bool is_traffic(const char *name)
{
    return g_str_has_prefix(name, "traffic-");
}

void guest_reports_add(GuestReports *self, int64_t t_ps, const char *name, const char *body)
{
    if (g_str_has_suffix(name, ".interrupts") || g_str_has_suffix(name, ".stat") ||
        g_str_equal(name, "queue-map") || is_load(name) || is_traffic(name)) {
        Report *report = g_new0(Report, 1);

        report->t_ps = t_ps;
        report->name = g_strdup(name);
        report->body = g_strdup(body);
        g_ptr_array_add(self->reports, report);
    }
}

/* The reports before.SUFFIX and after.SUFFIX, else the first and the last of that suffix. */
static bool find_pair(const GuestReports *self, const char *suffix, const Report **before,
                      const Report **after)
{
    const Report *first = NULL, *last = NULL, *named_first = NULL, *named_last = NULL;

    for (guint i = 0; i < self->reports->len; i++) {
        const Report *report = g_ptr_array_index(self->reports, i);

        if (!g_str_has_suffix(report->name, suffix)) {
            continue;
        }
        first = first ? first : report;
        last = report;
        if (!named_first && g_str_has_prefix(report->name, "before.")) {
            named_first = report;
        }
        if (g_str_has_prefix(report->name, "after.")) {
            named_last = report;
        }
    }
    *before = named_first ? named_first : first;
    *after = named_last ? named_last : last;
    return first && *before != *after;
}

GArray *guest_reports_cpu_list(const char *text)
{
    g_auto(GStrv) parts = g_strsplit_set(text, ", \t", -1);
    GArray *cpus = g_array_new(FALSE, FALSE, sizeof(guint));

    for (int i = 0; parts[i]; i++) {
        guint64 low, high;
        const char *dash = strchr(parts[i], '-');
        g_autofree char *start = dash ? g_strndup(parts[i], dash - parts[i]) : g_strdup(parts[i]);

        if (!g_ascii_string_to_unsigned(start, 10, 0, CPUS_MAX, &low, NULL)) {
            continue;
        }
        if (!dash) {
            high = low;
        } else if (!g_ascii_string_to_unsigned(dash + 1, 10, low, CPUS_MAX, &high, NULL)) {
            continue;
        }
        for (guint cpu = (guint)low; cpu <= high; cpu++) {
            g_array_append_val(cpus, cpu);
        }
    }
    return cpus;
}

static char **words_of(const char *line)
{
    g_auto(GStrv) all = g_strsplit_set(line, " \t", -1);
    GStrvBuilder *builder = g_strv_builder_new();
    char **words;

    for (int i = 0; all[i]; i++) {
        if (*all[i]) {
            g_strv_builder_add(builder, all[i]);
        }
    }
    words = g_strv_builder_end(builder);
    g_strv_builder_unref(builder);
    return words;
}

static bool number(const char *text, gint64 *value)
{
    return text && g_ascii_string_to_signed(text, 10, 0, G_MAXINT64, value, NULL);
}

/* --- /proc/interrupts --- */

typedef struct IrqLine {
    char *name;
    GArray *counts; /* gint64, by column */
} IrqLine;

static void irq_line_free(void *data)
{
    IrqLine *line = data;

    g_free(line->name);
    g_array_unref(line->counts);
    g_free(line);
}

/* irq -> IrqLine; @cpus: the cpu of each column. */
static GHashTable *read_interrupts(const char *body, GArray **cpus)
{
    g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
    g_auto(GStrv) heads = words_of(lines[0] ? lines[0] : "");
    GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, irq_line_free);

    *cpus = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (int i = 0; heads[i]; i++) {
        gint64 cpu;

        if (g_str_has_prefix(heads[i], "CPU") && number(heads[i] + 3, &cpu)) {
            g_array_append_val(*cpus, cpu);
        }
    }
    for (int i = 1; lines[0] && lines[i]; i++) {
        g_auto(GStrv) words = words_of(lines[i]);
        IrqLine *line;
        guint w = 1;
        gint64 count;

        if (!words[0] || !g_str_has_suffix(words[0], ":")) {
            continue;
        }
        words[0][strlen(words[0]) - 1] = '\0';
        line = g_new0(IrqLine, 1);
        line->counts = g_array_new(FALSE, FALSE, sizeof(gint64));
        while (w <= (*cpus)->len && number(words[w], &count)) {
            g_array_append_val(line->counts, count);
            w++;
        }
        /* A device's line ends in its name; LOC, RES … in a sentence. */
        if (g_ascii_isdigit(*words[0]) && words[w]) {
            line->name = g_strdup(words[g_strv_length(words) - 1]);
        } else {
            line->name = g_strjoinv(" ", words + w);
        }
        g_hash_table_replace(table, g_strdup(words[0]), line);
    }
    return table;
}

static gint64 count_at(const IrqLine *line, guint column)
{
    return line && column < line->counts->len ? g_array_index(line->counts, gint64, column) : 0;
}

static bool store_interrupts(Sink *sink, const Report *before, const Report *after, GError **error)
{
    g_autoptr(GArray) cpus_before = NULL;
    g_autoptr(GArray) cpus = NULL;
    g_autoptr(GHashTable) was = read_interrupts(before->body, &cpus_before);
    g_autoptr(GHashTable) now = read_interrupts(after->body, &cpus);
    g_autoptr(ResultsStmt) stmt =
        results_prepare(sink->store,
                        "INSERT INTO interrupt (run_id, irq, cpu, name, device, vector, interrupts)"
                        " SELECT ?1, ?2, ?3, ?4, v.device, v.vector, ?5 FROM (SELECT 1) LEFT JOIN"
                        " irq_vector v ON v.run_id = ?1 AND CAST(v.irq AS TEXT) = ?2 LIMIT 1",
                        "be written", error);
    GHashTableIter iter;
    void *irq, *value;

    if (!stmt) {
        return false;
    }
    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, &irq, &value)) {
        const IrqLine *line = value;
        const IrqLine *old = g_hash_table_lookup(was, irq);

        for (guint i = 0; i < line->counts->len; i++) {
            gint64 delta = count_at(line, i) - count_at(old, i);

            if (delta < 0) { /* given back and asked for again in between */
                delta = count_at(line, i);
            }
            if (delta == 0) {
                continue;
            }
            sqlite3_bind_int64(stmt, 1, sink->run_id);
            results_bind_text(stmt, 2, irq);
            sqlite3_bind_int64(stmt, 3, g_array_index(cpus, gint64, i));
            results_bind_text(stmt, 4, line->name);
            sqlite3_bind_int64(stmt, 5, delta);
            if (!results_step(sink->store, stmt, "be written", error)) {
                return false;
            }
        }
    }
    return true;
}

/* --- /proc/stat --- */

enum { STAT_USER, STAT_NICE, STAT_SYSTEM, STAT_IDLE, STAT_IOWAIT, STAT_IRQ, STAT_SOFTIRQ, STAT_N };

/* cpu -> gint64[STAT_N] */
static GHashTable *read_stat(const char *body)
{
    g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
    GHashTable *table = g_hash_table_new_full(NULL, NULL, NULL, g_free);

    for (int i = 0; lines[i]; i++) {
        g_auto(GStrv) words = words_of(lines[i]);
        gint64 cpu;

        if (words[0] && g_str_has_prefix(words[0], "cpu") && number(words[0] + 3, &cpu) &&
            cpu <= CPUS_MAX && g_strv_length(words) > STAT_N) {
            gint64 *ticks = g_new0(gint64, STAT_N);

            for (int t = 0; t < STAT_N; t++) {
                (void)number(words[1 + t], &ticks[t]);
            }
            g_hash_table_replace(table, GINT_TO_POINTER((int)cpu), ticks);
        }
    }
    return table;
}

static bool store_stat(Sink *sink, const Report *before, const Report *after, GError **error)
{
    static const gint64 none[STAT_N];
    g_autoptr(GHashTable) was = read_stat(before->body);
    g_autoptr(GHashTable) now = read_stat(after->body);
    g_autoptr(ResultsStmt) stmt =
        results_prepare(sink->store,
                        "INSERT INTO cpu_stat (run_id, cpu, user_ticks, system_ticks, irq_ticks,"
                        " softirq_ticks, idle_ticks) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        "be written", error);
    GHashTableIter iter;
    void *cpu, *value;

    if (!stmt) {
        return false;
    }
    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, &cpu, &value)) {
        const gint64 *old = g_hash_table_lookup(was, cpu);
        gint64 ticks[STAT_N];

        old = old ? old : none;
        for (int t = 0; t < STAT_N; t++) {
            /* Linux's idle and iowait may step back by a tick. */
            ticks[t] = MAX(((const gint64 *)value)[t] - old[t], 0);
        }
        sqlite3_bind_int64(stmt, 1, sink->run_id);
        sqlite3_bind_int64(stmt, 2, GPOINTER_TO_INT(cpu));
        sqlite3_bind_int64(stmt, 3, ticks[STAT_USER] + ticks[STAT_NICE]);
        sqlite3_bind_int64(stmt, 4, ticks[STAT_SYSTEM]);
        sqlite3_bind_int64(stmt, 5, ticks[STAT_IRQ]);
        sqlite3_bind_int64(stmt, 6, ticks[STAT_SOFTIRQ]);
        sqlite3_bind_int64(stmt, 7, ticks[STAT_IDLE] + ticks[STAT_IOWAIT]);
        if (!results_step(sink->store, stmt, "be written", error)) {
            return false;
        }
    }
    return true;
}

/* --- queue-map --- */

static bool forget_device(Sink *sink, const char *device, GError **error)
{
    static const char *const sql[] = {"DELETE FROM hctx WHERE run_id = ? AND device = ?",
                                      "DELETE FROM irq_vector WHERE run_id = ? AND device = ?"};

    for (size_t i = 0; i < G_N_ELEMENTS(sql); i++) {
        g_autoptr(ResultsStmt) stmt = results_prepare(sink->store, sql[i], "be written", error);

        if (!stmt) {
            return false;
        }
        sqlite3_bind_int64(stmt, 1, sink->run_id);
        results_bind_text(stmt, 2, device);
        if (!results_step(sink->store, stmt, "be written", error)) {
            return false;
        }
    }
    return true;
}

static bool store_hctx(Sink *sink, ResultsStmt *stmt, const char *device, char **words,
                       int64_t t_ps, GError **error)
{
    g_autofree char *list = NULL;
    g_autoptr(GArray) cpus = NULL;
    gint64 hctx;

    if (g_strv_length(words) < 4 || !number(words[2], &hctx) || !g_str_equal(words[3], "cpus")) {
        return true;
    }
    list = g_strjoinv(" ", words + 4);
    cpus = guest_reports_cpu_list(list);
    for (guint i = 0; i < cpus->len; i++) {
        sqlite3_bind_int64(stmt, 1, sink->run_id);
        results_bind_text(stmt, 2, device);
        sqlite3_bind_int64(stmt, 3, hctx);
        sqlite3_bind_int64(stmt, 4, g_array_index(cpus, guint, i));
        sqlite3_bind_int64(stmt, 5, t_ps);
        if (!results_step(sink->store, stmt, "be written", error)) {
            return false;
        }
    }
    return true;
}

/* The text between the words @from and @to (NULL: the end of the line); lists may be empty. */
static char *between(char **words, const char *from, const char *to)
{
    g_autoptr(GString) text = g_string_new(NULL);
    bool inside = false;

    for (int i = 0; words[i] && !(to && inside && g_str_equal(words[i], to)); i++) {
        if (inside) {
            g_string_append_printf(text, "%s%s", text->len ? " " : "", words[i]);
        }
        inside = inside || g_str_equal(words[i], from);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static bool store_irq(Sink *sink, ResultsStmt *stmt, const char *device, char **words,
                      GError **error)
{
    g_autofree char *effective = between(words, "effective", "affinity");
    g_autofree char *affinity = between(words, "affinity", "name");
    gint64 irq, vector;

    if (g_strv_length(words) < 5 || !number(words[2], &irq) || !number(words[4], &vector) ||
        !g_str_equal(words[3], "vector")) {
        return true;
    }
    sqlite3_bind_int64(stmt, 1, sink->run_id);
    results_bind_text(stmt, 2, device);
    sqlite3_bind_int64(stmt, 3, vector);
    sqlite3_bind_int64(stmt, 4, irq);
    results_bind_text(stmt, 5, effective);
    results_bind_text(stmt, 6, affinity);
    return results_step(sink->store, stmt, "be written", error);
}

/* A device's rows are those of the last report that names it. */
static bool store_queue_map(Sink *sink, const Report *report, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(report->body, "\n", -1);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(ResultsStmt) hctx = results_prepare(
        sink->store, "INSERT OR REPLACE INTO hctx VALUES (?, ?, ?, ?, ?)", "be written", error);
    g_autoptr(ResultsStmt) irq =
        hctx ? results_prepare(sink->store,
                               "INSERT OR REPLACE INTO irq_vector VALUES (?, ?, ?, ?, ?, ?)",
                               "be written", error)
             : NULL;

    for (int i = 0; irq && lines[i]; i++) {
        g_auto(GStrv) words = words_of(lines[i]);
        char *device = words[0] ? g_hash_table_lookup(sink->by_serial, words[0]) : NULL;

        if (!device || !words[1]) {
            continue;
        }
        if (g_hash_table_add(seen, device) && !forget_device(sink, device, error)) {
            return false;
        }
        if (g_str_equal(words[1], "hctx") &&
            !store_hctx(sink, hctx, device, words, report->t_ps, error)) {
            return false;
        }
        if (g_str_equal(words[1], "irq") && !store_irq(sink, irq, device, words, error)) {
            return false;
        }
    }
    return irq != NULL;
}

/* --- load --- */

static int64_t member(JsonObject *object, const char *name)
{
    return json_object_get_int_member_with_default(object, name, 0);
}

static bool store_load(Sink *sink, const Report *report, int load, GError **error)
{
    g_autoptr(JsonNode) root = json_from_string(report->body, NULL);
    g_autoptr(ResultsStmt) stmt =
        results_prepare(sink->store,
                        "INSERT OR REPLACE INTO load_result (run_id, load, device, ios, errors,"
                        " sum_ns, max_ns, guest_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        "be written", error);
    JsonNode *list;
    JsonArray *devices;

    if (!stmt || !root || !JSON_NODE_HOLDS_OBJECT(root)) {
        return stmt != NULL;
    }
    list = json_object_get_member(json_node_get_object(root), "devices");
    devices = list && JSON_NODE_HOLDS_ARRAY(list) ? json_node_get_array(list) : NULL;
    for (guint i = 0; devices && i < json_array_get_length(devices); i++) {
        JsonNode *node = json_array_get_element(devices, i);
        JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
        const char *serial =
            object ? json_object_get_string_member_with_default(object, "serial", NULL) : NULL;
        const char *device = serial ? g_hash_table_lookup(sink->by_serial, serial) : NULL;

        if (!device) {
            continue;
        }
        sqlite3_bind_int64(stmt, 1, sink->run_id);
        sqlite3_bind_int64(stmt, 2, load);
        results_bind_text(stmt, 3, device);
        sqlite3_bind_int64(stmt, 4, member(object, "ios"));
        sqlite3_bind_int64(stmt, 5, member(object, "errors"));
        sqlite3_bind_int64(stmt, 6, member(object, "sum_ns"));
        sqlite3_bind_int64(stmt, 7, member(object, "max_ns"));
        sqlite3_bind_int64(stmt, 8, member(json_node_get_object(root), "guest_ns"));
        if (!results_step(sink->store, stmt, "be written", error)) {
            return false;
        }
    }
    return true;
}

/* --- traffic --- */

static bool store_traffic(Sink *sink, const Report *report, int traffic, GError **error)
{
    static const char *const counts[] = {
        "streams",        "sent_bytes",         "verified_bytes",     "mismatched_bytes",
        "datagrams_sent", "datagrams_received", "datagrams_repeated", "guest_ns"};
    g_autoptr(JsonNode) root = json_from_string(report->body, NULL);
    g_autoptr(ResultsStmt) stmt = results_prepare(
        sink->store,
        "INSERT INTO traffic_result (run_id, traffic, name, protocol, streams, sent_bytes,"
        " verified_bytes, mismatched_bytes, datagrams_sent, datagrams_received,"
        " datagrams_repeated, guest_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "be written", error);
    JsonObject *object;

    if (!stmt || !root || !JSON_NODE_HOLDS_OBJECT(root)) {
        return stmt != NULL;
    }
    object = json_node_get_object(root);
    sqlite3_bind_int64(stmt, 1, sink->run_id);
    sqlite3_bind_int64(stmt, 2, traffic);
    results_bind_text(stmt, 3, json_object_get_string_member_with_default(object, "name", ""));
    results_bind_text(stmt, 4, json_object_get_string_member_with_default(object, "protocol", ""));
    for (int i = 0; i < (int)G_N_ELEMENTS(counts); i++) {
        sqlite3_bind_int64(stmt, 5 + i, member(object, counts[i]));
    }
    return results_step(sink->store, stmt, "be written", error);
}

static GHashTable *serials_of(ResultsStore *store, int64_t run_id, GError **error)
{
    g_autoptr(GHashTable) table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(ResultsStmt) stmt = results_prepare(
        store, "SELECT serial, device FROM device WHERE run_id = ? AND serial IS NOT NULL",
        "be read", error);

    if (!stmt) {
        return NULL;
    }
    sqlite3_bind_int64(stmt, 1, run_id);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        g_hash_table_insert(table, g_strdup((const char *)sqlite3_column_text(stmt, 0)),
                            g_strdup((const char *)sqlite3_column_text(stmt, 1)));
    }
    return g_steal_pointer(&table);
}

bool guest_reports_store(const GuestReports *self, ResultsStore *store, int64_t run_id,
                         GError **error)
{
    g_autoptr(GHashTable) by_serial = serials_of(store, run_id, error);
    Sink sink = {.store = store, .run_id = run_id, .by_serial = by_serial};
    const Report *before, *after;
    int loads = 0, traffics = 0;

    if (!by_serial) {
        return false;
    }
    for (guint i = 0; i < self->reports->len; i++) {
        const Report *report = g_ptr_array_index(self->reports, i);

        if (g_str_equal(report->name, "queue-map") && !store_queue_map(&sink, report, error)) {
            return false;
        }
        if (is_load(report->name) && !store_load(&sink, report, loads++, error)) {
            return false;
        }
        if (is_traffic(report->name) && !store_traffic(&sink, report, traffics++, error)) {
            return false;
        }
    }
    /* After the queue map: it says whose vectors the lines are. */
    if (find_pair(self, ".interrupts", &before, &after) &&
        !store_interrupts(&sink, before, after, error)) {
        return false;
    }
    return !find_pair(self, ".stat", &before, &after) || store_stat(&sink, before, after, error);
}
