/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a telemetry file into the store: one table says which record goes into which columns. */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-reports.h"
#include "internal.h"

#define TELEMETRY_SCHEMA 1

typedef enum {
    END, /* of the list */
    INTEGER,
    TEXT,
    BOOLEAN,
    ANY, /* integer or text */
} Kind;

typedef struct Field {
    const char *json, *column; /* @column NULL: named alike */
    Kind kind;
    bool optional;
} Field;

/* Records that become a row as they are.  Where a row has no key of its own, @seq numbers them. */
typedef struct Record {
    const char *type, *table;
    bool seq;
    Field fields[10];
} Record;

#define T_PS                                                                                       \
    {                                                                                              \
        "t_ps", NULL, INTEGER                                                                      \
    }
#define DEVICE                                                                                     \
    {                                                                                              \
        "device", NULL, TEXT                                                                       \
    }
#define AT                                                                                         \
    {                                                                                              \
        "at", NULL, TEXT                                                                           \
    }

static const Record records[] = {
    {"param",
     "param",
     false,
     {DEVICE, {"key", NULL, TEXT}, {"value", NULL, TEXT}, {"source", NULL, TEXT}}},
    {"mark", "mark", true, {T_PS, {"what", NULL, TEXT}}},
    {"counter",
     "counter",
     false,
     {AT,
      DEVICE,
      {"scope", NULL, TEXT},
      {"index", "idx", INTEGER},
      {"name", NULL, TEXT},
      {"value", NULL, INTEGER}}},
    {"tlp",
     "tlp",
     false,
     {AT,
      DEVICE,
      {"purpose", NULL, TEXT},
      {"direction", NULL, TEXT},
      {"tlp_type", NULL, TEXT},
      {"tlps", NULL, INTEGER},
      {"payload_bytes", NULL, INTEGER},
      {"wire_bytes", NULL, INTEGER}}},
    {"latency",
     "latency",
     false,
     {AT,
      DEVICE,
      {"opcode", NULL, TEXT},
      {"low_ps", NULL, INTEGER},
      {"high_ps", NULL, INTEGER},
      {"count", NULL, INTEGER}}},
    {"latency_sum",
     "latency_sum",
     false,
     {AT,
      DEVICE,
      {"opcode", NULL, TEXT},
      {"count", NULL, INTEGER},
      {"sum_ps", NULL, INTEGER},
      {"max_ps", NULL, INTEGER}}},
    {"vcpu",
     "vcpu",
     false,
     {AT, {"cpu", NULL, INTEGER}, {"instructions", NULL, INTEGER}, {"busy_ns", NULL, INTEGER}}},
    {"sample",
     "sample",
     false,
     {T_PS,
      DEVICE,
      {"completed", NULL, INTEGER},
      {"interrupts", NULL, INTEGER},
      {"bytes", NULL, INTEGER}}},
    {"queue",
     "queue_event",
     true,
     {T_PS,
      DEVICE,
      {"what", NULL, TEXT},
      {"qid", NULL, INTEGER},
      {"cqid", NULL, INTEGER, true},
      {"vector", NULL, INTEGER, true},
      {"size", "size_entries", INTEGER, true},
      {"ien", NULL, INTEGER, true}}},
    {"command",
     "admin_command",
     true,
     {T_PS,
      DEVICE,
      {"opcode", NULL, ANY},
      {"status", NULL, INTEGER},
      {"nsid", NULL, INTEGER, true},
      {"cdw10", NULL, INTEGER, true}}},
    {"fault",
     "fault",
     true,
     {T_PS,
      DEVICE,
      {"stage", NULL, TEXT},
      {"action", NULL, TEXT},
      {"opcode", NULL, ANY, true},
      {"qid", NULL, INTEGER, true}}},
    {"report", "report", true, {T_PS, {"name", NULL, TEXT}, {"body", NULL, TEXT}}},
    {"identity",
     "identity",
     false,
     {DEVICE,
      {"name", NULL, TEXT},
      {"left", "left_value", ANY},
      {"right", "right_value", ANY},
      {"held", NULL, BOOLEAN}}},
};
#define RECORDS G_N_ELEMENTS(records)

/* Records that change rows. */
enum { SQL_BEGIN, SQL_DEVICE, SQL_VIOLATION, SQL_END, SQL_N };
static const struct {
    const char *sql;
    Field fields[6];
} changes[SQL_N] = {
    [SQL_BEGIN] =
        {"UPDATE run SET telemetry_schema = ?2 WHERE run_id = ?1 AND telemetry_schema IS NULL"
         " AND seed = ?3",
         {{"schema", NULL, INTEGER}, {"seed", NULL, INTEGER}}},
    [SQL_DEVICE] = {"INSERT INTO device (run_id, device, model, profile, slot, serial)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET model = ?3,"
                    " profile = ?4, slot = IFNULL(?5, slot), serial = IFNULL(?6, serial)",
                    {DEVICE,
                     {"model", NULL, TEXT},
                     {"profile", NULL, TEXT},
                     {"slot", NULL, TEXT, true},
                     {"serial", NULL, TEXT, true}}},
    [SQL_VIOLATION] = {"INSERT INTO violation (run_id, device, rule, text, first_ps, count)"
                       " VALUES (?1, ?2, ?3, ?4, IFNULL(?5, 0), ?6) ON CONFLICT DO UPDATE SET"
                       " count = MAX(count, excluded.count)",
                       {DEVICE,
                        {"rule", NULL, TEXT},
                        {"text", NULL, TEXT},
                        {"t_ps", NULL, INTEGER, true},
                        {"count", NULL, INTEGER}}},
    [SQL_END] = {"UPDATE run SET end_ps = ?2, verdict = ?3, verdict_code = ?4 WHERE run_id = ?1",
                 {T_PS, {"verdict", NULL, TEXT}, {"code", NULL, INTEGER, true}}},
};

typedef struct Ingest {
    ResultsStore *store;
    int64_t run_id;
    const char *name; /* of the file, for messages */
    unsigned line;
    JsonParser *parser;
    GuestReports *reports;
    ResultsStmt *inserts[RECORDS];
    ResultsStmt *changers[SQL_N];
    int64_t seq[RECORDS];
    bool ended;
} Ingest;

static bool refuse(const Ingest *self, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
static bool refuse(const Ingest *self, GError **error, const char *format, ...)
{
    g_autofree char *message = NULL;
    va_list args;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_TELEMETRY, "%s:%u: %s", self->name, self->line,
                message);
    return false;
}

/* Binds @fields of @object from parameter @first on. */
static bool bind_fields(const Ingest *self, ResultsStmt *stmt, int first, const Field *fields,
                        JsonObject *object, GError **error)
{
    for (int i = 0; fields[i].kind != END; i++) {
        const Field *field = &fields[i];
        JsonNode *node = json_object_get_member(object, field->json);
        GType type = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : 0;

        if (!type) {
            if (!field->optional) {
                return refuse(self, error, "field \"%s\" is missing", field->json);
            }
            sqlite3_bind_null(stmt, first + i);
        } else if (type == G_TYPE_INT64 && (field->kind == INTEGER || field->kind == ANY)) {
            sqlite3_bind_int64(stmt, first + i, json_node_get_int(node));
        } else if (type == G_TYPE_BOOLEAN && field->kind != TEXT) {
            sqlite3_bind_int(stmt, first + i, json_node_get_boolean(node));
        } else if (type == G_TYPE_STRING && (field->kind == TEXT || field->kind == ANY)) {
            results_bind_text(stmt, first + i, json_node_get_string(node));
        } else {
            return refuse(self, error, "field \"%s\" is of the wrong type", field->json);
        }
    }
    return true;
}

/* Steps; an error of the data (twice the same key) names the line, others the disk. */
static bool put(const Ingest *self, ResultsStmt *stmt, GError **error)
{
    int code = sqlite3_step(stmt);

    if (code == SQLITE_DONE) {
        sqlite3_reset(stmt);
        return true;
    }
    if (code == SQLITE_CONSTRAINT) {
        refuse(self, error, "record does not fit: %s", sqlite3_errmsg(self->store->db));
    } else {
        results_set_error(self->store, "be written", error);
    }
    sqlite3_reset(stmt);
    return false;
}

static char *insert_sql(const Record *record)
{
    g_autoptr(GString) columns = g_string_new("run_id");
    g_autoptr(GString) values = g_string_new("?");

    for (int i = 0; record->fields[i].kind != END; i++) {
        const Field *field = &record->fields[i];

        g_string_append_printf(columns, ", %s", field->column ? field->column : field->json);
        g_string_append(values, ", ?");
    }
    if (record->seq) {
        g_string_append(columns, ", seq");
        g_string_append(values, ", ?");
    }
    return g_strdup_printf("INSERT INTO %s (%s) VALUES (%s)", record->table, columns->str,
                           values->str);
}

static bool take_row(Ingest *self, size_t kind, JsonObject *object, GError **error)
{
    const Record *record = &records[kind];
    ResultsStmt **stmt = &self->inserts[kind];

    if (!*stmt) {
        g_autofree char *sql = insert_sql(record);

        *stmt = results_prepare(self->store, sql, "be written", error);
        if (!*stmt) {
            return false;
        }
    }
    sqlite3_bind_int64(*stmt, 1, self->run_id);
    if (!bind_fields(self, *stmt, 2, record->fields, object, error)) {
        return false;
    }
    if (record->seq) {
        sqlite3_bind_int64(*stmt, sqlite3_bind_parameter_count(*stmt), self->seq[kind]++);
    }
    if (g_str_equal(record->type, "report")) {
        guest_reports_add(self->reports, json_object_get_int_member(object, "t_ps"),
                          json_object_get_string_member(object, "name"),
                          json_object_get_string_member(object, "body"));
    }
    return put(self, *stmt, error);
}

static bool change(Ingest *self, int kind, JsonObject *object, GError **error)
{
    ResultsStmt **stmt = &self->changers[kind];

    if (!*stmt) {
        *stmt = results_prepare(self->store, changes[kind].sql, "be written", error);
        if (!*stmt) {
            return false;
        }
    }
    sqlite3_bind_int64(*stmt, 1, self->run_id);
    return bind_fields(self, *stmt, 2, changes[kind].fields, object, error) &&
           put(self, *stmt, error);
}

static bool take_begin(Ingest *self, JsonObject *object, GError **error)
{
    int64_t schema = json_object_get_int_member_with_default(object, "schema", 0);

    if (self->line != 1) {
        return refuse(self, error, "a second \"begin\" record");
    }
    if (schema != TELEMETRY_SCHEMA) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_VERSION,
                    "%s: telemetry is of schema %" G_GINT64_FORMAT ", this quirkbench reads %d",
                    self->name, schema, TELEMETRY_SCHEMA);
        return false;
    }
    if (!change(self, SQL_BEGIN, object, error)) {
        return false;
    }
    if (sqlite3_changes(self->store->db) != 1) {
        return refuse(self, error,
                      "there is no run %" G_GINT64_FORMAT
                      " of this seed that still waits for its telemetry",
                      self->run_id);
    }
    return true;
}

static bool take_record(Ingest *self, const char *type, JsonObject *object, GError **error)
{
    if (self->line == 1 && !g_str_equal(type, "begin")) {
        return refuse(self, error, "the first record is not \"begin\"");
    }
    if (self->ended) {
        return refuse(self, error, "a record after \"end\"");
    }
    for (size_t i = 0; i < RECORDS; i++) {
        if (g_str_equal(type, records[i].type)) {
            return take_row(self, i, object, error);
        }
    }
    if (g_str_equal(type, "begin")) {
        return take_begin(self, object, error);
    }
    if (g_str_equal(type, "device")) {
        return change(self, SQL_DEVICE, object, error);
    }
    if (g_str_equal(type, "violation")) {
        return change(self, SQL_VIOLATION, object, error);
    }
    if (g_str_equal(type, "end")) {
        self->ended = true;
        return change(self, SQL_END, object, error);
    }
    return refuse(self, error, "unknown record type \"%s\"", type);
}

static bool take_line(Ingest *self, const char *text, gsize length, GError **error)
{
    g_autoptr(GError) problem = NULL;
    JsonNode *root;
    const char *type;

    if (!json_parser_load_from_data(self->parser, text, (gssize)length, &problem)) {
        return refuse(self, error, "not JSON: %s", problem->message);
    }
    root = json_parser_get_root(self->parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        return refuse(self, error, "not a JSON object");
    }
    type = json_object_get_string_member_with_default(json_node_get_object(root), "type", NULL);
    if (!type) {
        return refuse(self, error, "field \"type\" is missing");
    }
    return take_record(self, type, json_node_get_object(root), error);
}

/* A last line without its newline was cut short: it is dropped. */
static bool take_lines(Ingest *self, FILE *stream, GError **error)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length;
    bool ok = true;

    while (ok && (length = getline(&text, &size, stream)) > 0 && text[length - 1] == '\n') {
        self->line++;
        ok = length == 1 || take_line(self, text, (gsize)length - 1, error);
    }
    free(text);
    if (ok && ferror(stream)) {
        return refuse(self, error, "cannot be read: %s", g_strerror(errno));
    }
    return ok;
}

/* The measured window: only where both marks are there. */
static bool set_window(const Ingest *self, GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(
        self->store,
        "UPDATE run SET (window_start_ps, window_end_ps) = ("
        " SELECT MIN(a.t_ps), MIN(b.t_ps) FROM mark a JOIN mark b ON b.run_id = a.run_id"
        " WHERE a.run_id = ?1 AND a.what = 'window-start' AND b.what = 'window-end')"
        " WHERE run_id = ?1",
        "be written", error);

    if (!stmt) {
        return false;
    }
    sqlite3_bind_int64(stmt, 1, self->run_id);
    return results_step(self->store, stmt, "be written", error);
}

static void ingest_clear(Ingest *self)
{
    for (size_t i = 0; i < RECORDS; i++) {
        sqlite3_finalize(self->inserts[i]);
    }
    for (size_t i = 0; i < SQL_N; i++) {
        sqlite3_finalize(self->changers[i]);
    }
    g_object_unref(self->parser);
    guest_reports_free(self->reports);
}

bool results_run_ingest(ResultsStore *store, int64_t run_id, const char *path, bool *ended,
                        GError **error)
{
    FILE *stream = fopen(path, "re");
    g_autofree char *name = g_path_get_basename(path); /* a reason must not hold machine paths */
    Ingest self = {.store = store, .run_id = run_id, .name = name};
    bool ok;

    if (!stream) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_TELEMETRY, "%s: cannot be read: %s", path,
                    g_strerror(errno));
        return false;
    }
    self.parser = json_parser_new_immutable();
    self.reports = guest_reports_new();
    ok = results_exec(store, "BEGIN IMMEDIATE", "be written", error) &&
         take_lines(&self, stream, error);
    fclose(stream);
    if (ok && self.line == 0) {
        ok = refuse(&self, error, "is empty: the run ended before it began");
    }
    ok = ok && guest_reports_store(self.reports, store, run_id, error) && set_window(&self, error);
    if (ended) {
        *ended = self.ended;
    }
    ingest_clear(&self);
    ok = ok && results_exec(store, "COMMIT", "be written", error);
    if (!ok) {
        results_rollback(store);
    }
    return ok;
}
