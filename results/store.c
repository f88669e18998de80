/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store: opening, migrating, and which runs are alive.  Runs: run.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "results-data.h"

#define APPLICATION_ID 1363301970 /* 0001-run.sql */
#define BUSY_MS 30000
#define RESOURCES "/quirkbench/results/"

G_DEFINE_QUARK(results - error - quark, results_error)

const char *results_file(const char *relative)
{
    g_autofree char *path = g_strconcat(RESOURCES, relative, NULL);
    g_autoptr(GBytes) bytes = g_resource_lookup_data(results_data_get_resource(), path,
                                                     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

    /* Uncompressed: the bytes are those of the program and end in a NUL. */
    return bytes ? g_bytes_get_data(bytes, NULL) : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **results_files(const char *folder)
{
    g_autofree char *path = g_strconcat(RESOURCES, folder, NULL);
    char **names = g_resource_enumerate_children(results_data_get_resource(), path,
                                                 G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

    if (!names) {
        return g_new0(char *, 1);
    }
    qsort(names, g_strv_length(names), sizeof(*names), by_name);
    return names;
}

int results_schema_version(void)
{
    g_auto(GStrv) names = results_files("schema");

    return (int)g_strv_length(names);
}

static const char *advice(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "; free some space or name another file with --db";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return "; name a file in a directory that you can write to with --db";
    case SQLITE_BUSY:
        return "; another program has held it for too long";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return "; move it away or name another file with --db";
    default:
        return "";
    }
}

void results_set_error(const ResultsStore *self, const char *doing, GError **error)
{
    int code = sqlite3_errcode(self->db);
    int saved = sqlite3_system_errno(self->db);
    bool full = (code & 0xff) == SQLITE_FULL ||
                (code == SQLITE_IOERR && (saved == ENOSPC || saved == EDQUOT || saved == EFBIG));

    g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_WRITE, "%s: cannot %s: %s%s", self->path, doing,
                full ? "the disk is full" : sqlite3_errmsg(self->db),
                advice(full ? SQLITE_FULL : code));
}

ResultsStmt *results_prepare(ResultsStore *self, const char *sql, const char *doing, GError **error)
{
    ResultsStmt *stmt = NULL;

    if (sqlite3_prepare_v2(self->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        results_set_error(self, doing, error);
        return NULL;
    }
    return stmt;
}

bool results_exec(ResultsStore *self, const char *sql, const char *doing, GError **error)
{
    if (sqlite3_exec(self->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        results_set_error(self, doing, error);
        return false;
    }
    return true;
}

bool results_step(ResultsStore *self, ResultsStmt *stmt, const char *doing, GError **error)
{
    bool done = sqlite3_step(stmt) == SQLITE_DONE;

    if (!done) {
        results_set_error(self, doing, error);
    }
    sqlite3_reset(stmt);
    return done;
}

void results_bind_text(ResultsStmt *stmt, int index, const char *text)
{
    sqlite3_bind_text(stmt, index, text, -1, SQLITE_TRANSIENT);
}

void results_rollback(ResultsStore *self)
{
    if (!sqlite3_get_autocommit(self->db)) {
        sqlite3_exec(self->db, "ROLLBACK", NULL, NULL, NULL);
    }
}

/* Value of a pragma or any statement of one integer. */
static bool ask(ResultsStore *self, const char *sql, int64_t *value, GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(self, sql, "be read", error);

    if (!stmt) {
        return false;
    }
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        results_set_error(self, "be read", error);
        return false;
    }
    *value = sqlite3_column_int64(stmt, 0);
    return true;
}

/* Whose database it is, and its version; a new file is version 0. */
static bool version_of(ResultsStore *self, int64_t *version, GError **error)
{
    int64_t application, objects;

    if (!ask(self, "PRAGMA application_id", &application, error) ||
        !ask(self, "PRAGMA user_version", version, error) ||
        !ask(self, "SELECT COUNT(*) FROM sqlite_schema", &objects, error)) {
        return false;
    }
    if (application != APPLICATION_ID && (application != 0 || objects != 0 || *version != 0)) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: is a database of another program; name another file with --db",
                    self->path);
        return false;
    }
    if (*version > results_schema_version()) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_VERSION,
                    "%s: the database has version %" G_GINT64_FORMAT
                    ", this quirkbench knows versions up to %d; use a newer quirkbench",
                    self->path, *version, results_schema_version());
        return false;
    }
    return true;
}

/* Each file in a transaction of its own; @version is asked again inside it: another process may
 * have been faster. */
static bool migrate(ResultsStore *self, GError **error)
{
    g_auto(GStrv) names = results_files("schema");
    int64_t version;

    for (int i = 0; names[i]; i++) {
        g_autofree char *file = g_strconcat("schema/", names[i], NULL);

        if (!results_exec(self, "BEGIN IMMEDIATE", "be written", error) ||
            !version_of(self, &version, error)) {
            results_rollback(self);
            return false;
        }
        if (version == i && !results_exec(self, results_file(file), "be migrated", error)) {
            results_rollback(self);
            return false;
        }
        if (!results_exec(self, "COMMIT", "be written", error)) {
            results_rollback(self);
            return false;
        }
    }
    return true;
}

static bool alive(ResultsStore *self, int64_t run_id)
{
    return g_hash_table_contains(self->held, &run_id) || results_lock_held(self->lock_fd, run_id);
}

/* The ids of runs that say `running` and are not, as "1,5,7"; (transfer full), empty: none. */
static char *dead_runs(ResultsStore *self, GError **error)
{
    g_autoptr(GString) ids = g_string_new(NULL);
    g_autoptr(ResultsStmt) stmt = results_prepare(
        self, "SELECT run_id FROM main.run WHERE status = 'running'", "be read", error);

    if (!stmt) {
        return NULL;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0);

        if (!alive(self, id)) {
            g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, ids->len ? "," : "", id);
        }
    }
    return g_string_free(g_steal_pointer(&ids), FALSE);
}

static bool mark_dead_runs(ResultsStore *self, GError **error)
{
    g_autofree char *ids = dead_runs(self, error);
    g_autofree char *sql = NULL;

    if (!ids || !*ids) {
        return ids != NULL;
    }
    /* `running` is asked again: a run may have ended since. */
    sql = g_strdup_printf("UPDATE run SET status = 'aborted', reason = 'its process died' "
                          "WHERE status = 'running' AND run_id IN (%s)",
                          ids);
    return results_exec(self, sql, "be written", error);
}

/* A view cannot test locks: where runs are dead, a temporary view stands before the real one. */
static bool present_dead_runs(ResultsStore *self, GError **error)
{
    g_autofree char *ids = dead_runs(self, error);
    g_autoptr(GString) sql = g_string_new("CREATE TEMP VIEW runs AS SELECT ");
    g_autoptr(ResultsStmt) stmt = NULL;
    const char *comma = "";

    if (!ids || !*ids) {
        return ids != NULL;
    }
    stmt = results_prepare(self, "SELECT name FROM pragma_table_info('runs')", "be read", error);
    if (!stmt) {
        return false;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *column = (const char *)sqlite3_column_text(stmt, 0);

        if (g_str_equal(column, "status") || g_str_equal(column, "reason")) {
            g_string_append_printf(sql, "%sCASE WHEN run_id IN (%s) THEN '%s' ELSE %s END AS %s",
                                   comma, ids, *column == 's' ? "aborted" : "its process died",
                                   column, column);
        } else {
            g_string_append_printf(sql, "%s%s", comma, column);
        }
        comma = ", ";
    }
    g_string_append(sql, " FROM main.runs");
    return results_exec(self, sql->str, "be read", error);
}

/* Says early and clearly what SQLite would say late and oddly. */
static bool check_writable(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: is a directory; name a file with --db", path);
        return false;
    }
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: there is no directory %s; make it or name another file with --db", path,
                    folder);
        return false;
    }
    if (access(folder, W_OK) || (access(path, W_OK) && errno != ENOENT)) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: cannot be written: %s; name a file in a directory that you can write to "
                    "with --db",
                    path, g_strerror(errno));
        return false;
    }
    return true;
}

static bool open_for_writing(ResultsStore *self, GError **error)
{
    int64_t version;

    if (!version_of(self, &version, error)) {
        return false;
    }
    if (sqlite3_db_readonly(self->db, "main") == 1) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: is read-only; name another file with --db", self->path);
        return false;
    }
    self->lock_fd = results_lock_open(self->path, true);
    if (self->lock_fd < 0) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN, "%s.lock: cannot be written: %s",
                    self->path, g_strerror(errno));
        return false;
    }
    return (version == results_schema_version() || migrate(self, error)) &&
           mark_dead_runs(self, error);
}

static bool open_for_reading(ResultsStore *self, GError **error)
{
    int64_t version;

    if (!version_of(self, &version, error)) {
        return false;
    }
    if (version < results_schema_version()) {
        g_autoptr(ResultsStore) writer = results_open(self->path, RESULTS_OPEN_WRITE, error);

        if (!writer) {
            g_prefix_error(error,
                           "the database has version %" G_GINT64_FORMAT
                           " and must be migrated to %d first: ",
                           version, results_schema_version());
            return false;
        }
    }
    self->lock_fd = results_lock_open(self->path, false);
    /* Opened for writing where it can be, so that a journal left behind is rolled back. */
    return present_dead_runs(self, error) &&
           results_exec(self, "PRAGMA query_only = ON", "be read", error);
}

ResultsStore *results_open(const char *path, ResultsOpen mode, GError **error)
{
    g_autoptr(ResultsStore) self = g_new0(ResultsStore, 1);
    bool existed = g_file_test(path, G_FILE_TEST_EXISTS);
    int flags = SQLITE_OPEN_READWRITE | (mode == RESULTS_OPEN_WRITE ? SQLITE_OPEN_CREATE : 0);
    bool ok;

    self->lock_fd = -1;
    self->path = g_strdup(path);
    self->held = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    self->writable = mode == RESULTS_OPEN_WRITE;
    if (!existed && mode == RESULTS_OPEN_READ) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN,
                    "%s: no such database; `quirkbench run SCENARIO` makes one, --db names another",
                    path);
        return NULL;
    }
    if (mode == RESULTS_OPEN_WRITE && !check_writable(path, error)) {
        return NULL;
    }
    if (sqlite3_open_v2(path, &self->db, flags, NULL) != SQLITE_OK) {
        results_set_error(self, "be opened", error);
        return NULL;
    }
    sqlite3_extended_result_codes(self->db, 0);
    sqlite3_busy_timeout(self->db, BUSY_MS);
    ok = results_exec(self, "PRAGMA foreign_keys = ON", "be opened", error) &&
         (self->writable ? open_for_writing(self, error) : open_for_reading(self, error));
    if (!ok && !existed && self->writable) {
        (void)unlink(path); /* nothing half-made stays */
    }
    return ok ? g_steal_pointer(&self) : NULL;
}

void results_close(ResultsStore *self)
{
    if (!self) {
        return;
    }
    if (self->db) {
        results_rollback(self);
        sqlite3_close_v2(self->db);
    }
    if (self->lock_fd >= 0) {
        close(self->lock_fd);
    }
    g_hash_table_unref(self->held);
    g_free(self->path);
    g_free(self);
}

const char *results_path(const ResultsStore *self)
{
    return self->path;
}

sqlite3 *results_db(ResultsStore *self)
{
    return self->db;
}

char *results_run_status(ResultsStore *self, int64_t run_id, GError **error)
{
    g_autoptr(ResultsStmt) stmt =
        results_prepare(self, "SELECT status FROM runs WHERE run_id = ?", "be read", error);

    if (!stmt) {
        return NULL;
    }
    sqlite3_bind_int64(stmt, 1, run_id);
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN,
                    "%s: there is no run %" G_GINT64_FORMAT "; `quirkbench list` shows the runs",
                    self->path, run_id);
        return NULL;
    }
    if (g_str_equal(sqlite3_column_text(stmt, 0), "running") && !alive(self, run_id)) {
        return g_strdup("aborted");
    }
    return g_strdup((const char *)sqlite3_column_text(stmt, 0));
}
