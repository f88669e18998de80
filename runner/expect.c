/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect]: one table of what may be expected; the same parse serves the check before the run and
 * the evaluation after it. */
#include <math.h>
#include <string.h>

#include "device-type.h"
#include "expect.h"
#include "results/published.h"
#include "results/published-packets.h"

typedef enum { UNIT_NUMBER, UNIT_PERCENT, UNIT_PER_S, UNIT_TIME, UNIT_BYTES, UNIT_RATE } Unit;

/* What a key's last word stands for: an SQL expression over one row. */
typedef struct Column {
    const char *name, *sql;
    Unit unit;     /* values are compared in: number, percent, /s, ps, bytes, bytes/s */
    bool of_ports; /* of device_columns: network ports have it too */
} Column;

static const Column device_columns[] = {
    {"iops", "iops", UNIT_PER_S},
    {"mib_per_s", "mib_per_s", UNIT_NUMBER},
    {"bandwidth", "mib_per_s * 1048576", UNIT_RATE},
    {"latency_mean", "latency_mean_ns * 1000", UNIT_TIME},
    {"latency_p50", "latency_p50_ns * 1000", UNIT_TIME},
    {"latency_p90", "latency_p90_ns * 1000", UNIT_TIME},
    {"latency_p99", "latency_p99_ns * 1000", UNIT_TIME},
    {"latency_max", "latency_max_ns * 1000", UNIT_TIME},
    {"latency_p50_ns", "latency_p50_ns", UNIT_NUMBER},
    {"latency_p99_ns", "latency_p99_ns", UNIT_NUMBER},
    {"commands", "commands", UNIT_NUMBER},
    {"interrupts", "interrupts", UNIT_NUMBER, true},
    {"violations", "violations", UNIT_NUMBER, true},
    {"read_bytes", "read_bytes", UNIT_BYTES},
    {"write_bytes", "write_bytes", UNIT_BYTES},
    {"window", "window_ns * 1000", UNIT_TIME, true},
    {NULL},
};
/* Of view port_summary. */
static const Column port_columns[] = {
    {"rx_packets", "rx_packets", UNIT_NUMBER},
    {"tx_packets", "tx_packets", UNIT_NUMBER},
    {"rx_pps", "rx_pps", UNIT_PER_S},
    {"tx_pps", "tx_pps", UNIT_PER_S},
    {"received", "received", UNIT_NUMBER},
    {"dropped", "dropped", UNIT_NUMBER},
    {"rx_queues", "rx_queues", UNIT_NUMBER},
    {"tx_queues", "tx_queues", UNIT_NUMBER},
    {"descriptors_per_writeback", "descriptors_per_writeback", UNIT_NUMBER},
    {"tx_descriptors_per_writeback", "tx_descriptors_per_writeback", UNIT_NUMBER},
    {"wire_bytes_per_packet", "wire_bytes_per_packet", UNIT_NUMBER},
    {NULL},
};
/* Of a [wire NAME]: docs/qemu-devices.md. */
static const SimCounter wire_counters[] = {
    {"frames_generated", "", ""},   {"frames_sunk", "", ""}, {"bytes_sunk", "bytes", ""},
    {"frames_carried", "", ""},     {"frames_lost", "", ""}, {"frames_to_netdev", "", ""},
    {"frames_from_netdev", "", ""},
};
static const Column cpu_columns[] = {
    {"cpus", "cpus", UNIT_NUMBER},
    {"busy_pct", "busy_pct", UNIT_PERCENT},
    {"idle_pct", "idle_pct", UNIT_PERCENT},
    {"user_pct", "user_pct", UNIT_PERCENT},
    {"system_pct", "system_pct", UNIT_PERCENT},
    {"irq_pct", "irq_pct", UNIT_PERCENT},
    {"instructions", "instructions", UNIT_NUMBER},
    {"instructions_per_io", "instructions_per_io", UNIT_NUMBER},
    {NULL},
};
/* Of view traffic_summary. */
static const Column traffic_columns[] = {
    {"streams", "streams", UNIT_NUMBER},
    {"sent_bytes", "sent_bytes", UNIT_BYTES},
    {"verified_bytes", "verified_bytes", UNIT_BYTES},
    {"mismatched_bytes", "mismatched_bytes", UNIT_BYTES},
    {"missing_bytes", "missing_bytes", UNIT_BYTES},
    {"datagrams_sent", "datagrams_sent", UNIT_NUMBER},
    {"datagrams_lost", "datagrams_lost", UNIT_NUMBER},
    {"datagrams_repeated", "datagrams_repeated", UNIT_NUMBER},
    {NULL},
};
static const Column map_columns[] = {
    {"sqs", "COUNT(DISTINCT sq)", UNIT_NUMBER},
    {"cqs", "COUNT(DISTINCT cq)", UNIT_NUMBER},
    {"vectors", "COUNT(DISTINCT vector)", UNIT_NUMBER},
    {"cpus", "COUNT(DISTINCT cpu)", UNIT_NUMBER},
    {NULL},
};
static const char *const verdicts[] = {"done", "plan-failed", "plan-unreadable", "panic",
                                       "idle", "limit",       "interrupted",     NULL};

typedef enum {
    OF_DEVICE,
    OF_PORT,
    OF_COUNTER,
    OF_VECTORS,
    OF_CPU,
    OF_MAP,
    OF_TRAFFIC,
    OF_QUERY,
    OF_VERDICT,
    OF_DMESG,
} Source;
typedef enum { EQUAL, AT_LEAST, AT_MOST } Bound;

/* An entry, understood. */
typedef struct Expect {
    Source source;
    Bound bound;
    char *device;         /* (nullable) */
    char *name;           /* counter or query */
    const Column *column; /* of OF_DEVICE, OF_PORT, OF_CPU, OF_MAP, OF_TRAFFIC */
    Unit unit;
    double value;
    double within_pct; /* of a published figure; < 0: none */
    char *point;       /* the value is that point's, of the same scenario; NULL: `value` */
    GRegex *deny;
} Expect;

static void expect_free(Expect *self)
{
    if (self) {
        g_free(self->device);
        g_free(self->name);
        g_free(self->point);
        g_clear_pointer(&self->deny, g_regex_unref);
        g_free(self);
    }
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expect, expect_free)

/* A file's entry and what may stand in it. */
typedef struct Place {
    SimKeyfile *file;
    const SimKeyfileEntry *entry;
    const char *const *devices;     /* and wires; NULL: not checked */
    const DeviceType *const *types; /* of each; NULL in it: a wire */
} Place;

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

static const Column *find_column(const Column *columns, const char *name)
{
    for (; columns->name; columns++) {
        if (g_str_equal(columns->name, name)) {
            return columns;
        }
    }
    return NULL;
}

/* Counters of devices of any type, then of wires; NULL: there are no more. */
static const SimCounter *nth_counter(size_t n)
{
    for (size_t t = 0; t < device_types_n; t++) {
        if (n < device_types[t].counters_n) {
            return &device_types[t].counters[n];
        }
        n -= device_types[t].counters_n;
    }
    return n < G_N_ELEMENTS(wire_counters) ? &wire_counters[n] : NULL;
}

static const SimCounter *find_counter(const char *name)
{
    const SimCounter *counter = NULL;
    size_t n = 0;

    do {
        counter = nth_counter(n++);
    } while (counter && !g_str_equal(counter->name, name));
    return counter;
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

static void add_counters(GPtrArray *words, const SimCounter *counters, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_ptr_array_add(words, (void *)counters[i].name);
    }
}

/* What a device of @type has, or a wire (NULL), NULL-ended. */
static GPtrArray *words_of(const DeviceType *type)
{
    GPtrArray *words = g_ptr_array_new();
    bool port = type == DEVICE_IXGBE;

    for (const Column *c = device_columns; type && c->name; c++) {
        if (!port || c->of_ports) {
            g_ptr_array_add(words, (void *)c->name);
        }
    }
    for (const Column *c = port_columns; port && c->name; c++) {
        g_ptr_array_add(words, (void *)c->name);
    }
    if (type) {
        add_counters(words, type->counters, type->counters_n);
        g_ptr_array_add(words, (void *)"vectors");
    } else {
        add_counters(words, wire_counters, G_N_ELEMENTS(wire_counters));
    }
    g_ptr_array_add(words, NULL);
    return words;
}

/* Is it something that @device has?  Not asked after the run. */
static bool check_column(const Place *place, const char *device, const char *name, GError **error)
{
    for (size_t i = 0; place->devices && place->devices[i]; i++) {
        if (g_str_equal(place->devices[i], device)) {
            g_autoptr(GPtrArray) words = words_of(place->types[i]);
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
    self->column = find_column(columns, name);
    if (!self->column) {
        return no_column(place, columns, name, error);
    }
    self->unit = self->column->unit;
    return true;
}

static bool parse_device_column(const Place *place, Expect *self, const char *name, GError **error)
{
    const SimCounter *counter = find_counter(name);

    if (!check_column(place, self->device, name, error)) {
        return false;
    }
    if (g_str_equal(name, "vectors")) {
        self->source = OF_VECTORS;
        return true;
    }
    if (find_column(device_columns, name)) {
        return parse_table_column(place, self, OF_DEVICE, device_columns, name, error);
    }
    if (find_column(port_columns, name)) {
        return parse_table_column(place, self, OF_PORT, port_columns, name, error);
    }
    if (!counter) {
        return no_column(place, device_columns, name, error);
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
        return n == 2 ? parse_table_column(place, self, OF_CPU, cpu_columns, parts[1], error)
                      : bad_form(place, "cpu.COLUMN", error);
    }
    if (g_str_equal(parts[0], "traffic")) {
        return n == 2
                   ? parse_table_column(place, self, OF_TRAFFIC, traffic_columns, parts[1], error)
                   : bad_form(place, "traffic.COLUMN", error);
    }
    if (g_str_equal(parts[0], "queue_map")) {
        if (n != 3) {
            return bad_form(place, "queue_map.DEVICE.sqs", error);
        }
        self->device = g_strdup(parts[1]);
        return check_device(place, parts[1], error) &&
               parse_table_column(place, self, OF_MAP, map_columns, parts[2], error);
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

static Expect *expect_parse(const Place *place, GError **error)
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

/* --- evaluation --- */

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

/* The statement whose rows' column `value` is checked. */
static char *sql_of(const Expect *self)
{
    switch (self->source) {
    case OF_DEVICE:
        return g_strdup_printf("SELECT %s AS value FROM device_summary"
                               " WHERE run_id = :run_id AND device = :device",
                               self->column->sql);
    case OF_PORT:
        return g_strdup_printf("SELECT %s AS value FROM port_summary"
                               " WHERE run_id = :run_id AND device = :device",
                               self->column->sql);
    case OF_COUNTER: /* zero values are left out of the telemetry */
        return g_strdup("SELECT IFNULL(SUM(value), 0) AS value FROM counter_window"
                        " WHERE run_id = :run_id AND device = :device"
                        " AND scope IN ('device', 'wire') AND name = :name");
    case OF_VECTORS:
        return g_strdup("SELECT COUNT(*) AS value FROM irq_vector"
                        " WHERE run_id = :run_id AND device = :device");
    case OF_CPU:
        return g_strdup_printf("SELECT %s AS value FROM cpu_summary WHERE run_id = :run_id",
                               self->column->sql);
    case OF_TRAFFIC:
        return g_strdup_printf("SELECT %s AS value FROM traffic_summary WHERE run_id = :run_id",
                               self->column->sql);
    case OF_MAP:
        return g_strdup_printf("SELECT %s AS value FROM queue_map"
                               " WHERE run_id = :run_id AND device = :device",
                               self->column->sql);
    default:
        return g_strdup(results_query_sql(self->name, NULL));
    }
}

static void bind_named(sqlite3_stmt *stmt, const char *name, const char *text)
{
    int index = sqlite3_bind_parameter_index(stmt, name);

    if (index && text) {
        sqlite3_bind_text(stmt, index, text, -1, SQLITE_TRANSIENT);
    }
}

static int column_named(sqlite3_stmt *stmt, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        if (g_str_equal(sqlite3_column_name(stmt, i), name)) {
            return i;
        }
    }
    return -1;
}

/* Every row has to hold; @got is the value, of several rows the first that does not or the last. */
static bool check_rows(const Expect *self, sqlite3_stmt *stmt, char **got, int *code)
{
    int value_at = column_named(stmt, "value");
    int device_at = self->source == OF_QUERY ? column_named(stmt, "device") : -1;
    bool held = false;

    while ((*code = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (device_at >= 0 && self->device &&
            g_strcmp0(self->device, (const char *)sqlite3_column_text(stmt, device_at))) {
            continue;
        }
        g_free(*got);
        if (sqlite3_column_type(stmt, value_at) == SQLITE_NULL) {
            *got = g_strdup("nothing measured");
            held = false;
        } else {
            *got = format_number(self, sqlite3_column_double(stmt, value_at));
            held = number_holds(self, sqlite3_column_double(stmt, value_at));
        }
        if (!held) {
            *code = SQLITE_DONE;
            return false;
        }
    }
    return held;
}

static sqlite3_stmt *prepare(const Expect *self, ResultsStore *store, const char *sql,
                             int64_t run_id)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(results_db(store), sql, -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":run_id"), run_id);
        bind_named(stmt, ":device", self->device);
        bind_named(stmt, ":name", self->name);
        bind_named(stmt, ":point", self->point);
    }
    return stmt;
}

static bool sql_failed(ResultsStore *store, GError **error)
{
    g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                sqlite3_errmsg(results_db(store)));
    return false;
}

/* The latest run of the other point before @run_id; 0: there is none. */
static int64_t run_of_point(const Expect *self, ResultsStore *store, int64_t run_id)
{
    static const char sql[] =
        "SELECT MAX(o.run_id) FROM run o JOIN run r ON r.run_id = :run_id"
        " AND o.scenario = r.scenario AND o.run_id < r.run_id AND o.driver = r.driver"
        " WHERE o.point IN (:point, 'point=' || :point) AND o.telemetry_schema IS NOT NULL";
    sqlite3_stmt *stmt = prepare(self, store, sql, run_id);
    int64_t other = stmt && sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;

    sqlite3_finalize(stmt);
    return other;
}

/* Takes the bound from the other point's first row.  FALSE: *got says why there is none. */
static bool bound_of_point(Expect *self, ResultsStore *store, int64_t run_id, const char *sql,
                           char **got)
{
    int64_t other = run_of_point(self, store, run_id);
    sqlite3_stmt *stmt = other ? prepare(self, store, sql, other) : NULL;
    bool there = false;

    while (stmt && !there && sqlite3_step(stmt) == SQLITE_ROW) {
        int device_at = self->source == OF_QUERY ? column_named(stmt, "device") : -1;
        int value_at = column_named(stmt, "value");

        there = (device_at < 0 || !self->device ||
                 !g_strcmp0(self->device, (const char *)sqlite3_column_text(stmt, device_at))) &&
                sqlite3_column_type(stmt, value_at) != SQLITE_NULL;
        self->value = there ? sqlite3_column_double(stmt, value_at) : 0;
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
    g_autofree char *sql = sql_of(self);
    sqlite3_stmt *stmt;
    int code = SQLITE_ERROR;

    *held = false;
    if (self->point && !bound_of_point(self, store, run_id, sql, got)) {
        return true;
    }
    stmt = prepare(self, store, sql, run_id);
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
