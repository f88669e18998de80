/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect]: the figures that an entry is judged by, read from the database. */
#include <math.h>

#include "expect-private.h"

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

sqlite3_stmt *expect_lookup(const Expect *self, ResultsStore *store, int64_t run_id)
{
    g_autofree char *sql = sql_of(self);

    return prepare(self, store, sql, run_id);
}

int expect_lookup_next(const Expect *self, sqlite3_stmt *stmt, double *value)
{
    int value_at = column_named(stmt, "value");
    int device_at = self->source == OF_QUERY && self->device ? column_named(stmt, "device") : -1;
    int code;

    do {
        code = sqlite3_step(stmt);
    } while (code == SQLITE_ROW && device_at >= 0 &&
             g_strcmp0(self->device, (const char *)sqlite3_column_text(stmt, device_at)));
    if (code == SQLITE_ROW) {
        *value = sqlite3_column_type(stmt, value_at) == SQLITE_NULL
                     ? NAN
                     : sqlite3_column_double(stmt, value_at);
    }
    return code;
}

int64_t expect_lookup_point(const Expect *self, ResultsStore *store, int64_t run_id)
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
