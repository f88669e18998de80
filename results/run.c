/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run rows: begin, finish, expectations, and what is asked of a run.  Telemetry: ingest.c. */
#include <string.h>

#include "internal.h"

static const char insert_run[] =
    "INSERT INTO run (scenario, title, point, status, seed, clock, quantum, dilation, driver,"
    " driver_version, machine, cpus, mips, version, scenario_hash, scenario_path, wall_started)"
    " VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char insert_input[] =
    "INSERT INTO run_input (run_id, kind, name, hash, input_path) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING" /* two devices of one profile */;
static const char insert_device[] =
    "INSERT INTO device (run_id, device, model, profile, slot, serial, published_id)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)";

static bool add_run(ResultsStore *self, const ResultsRun *run, GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(self, insert_run, "be written", error);
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
    int i = 1;

    if (!stmt) {
        return false;
    }
    results_bind_text(stmt, i++, run->scenario);
    results_bind_text(stmt, i++, run->title);
    results_bind_text(stmt, i++, run->point ? run->point : "");
    sqlite3_bind_int64(stmt, i++, (sqlite3_int64)run->seed);
    results_bind_text(stmt, i++, run->clock);
    sqlite3_bind_int64(stmt, i++, (sqlite3_int64)run->quantum);
    sqlite3_bind_double(stmt, i++, run->dilation);
    results_bind_text(stmt, i++, run->driver);
    results_bind_text(stmt, i++, run->driver_version);
    results_bind_text(stmt, i++, run->machine);
    sqlite3_bind_int64(stmt, i++, (sqlite3_int64)run->cpus);
    sqlite3_bind_int64(stmt, i++, (sqlite3_int64)run->mips);
    results_bind_text(stmt, i++, run->version);
    results_bind_text(stmt, i++, run->scenario_hash);
    results_bind_text(stmt, i++, run->scenario_path);
    results_bind_text(stmt, i++, started);
    return results_step(self, stmt, "be written", error);
}

static bool add_inputs(ResultsStore *self, int64_t run_id, const ResultsRun *run, GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(self, insert_input, "be written", error);

    for (size_t i = 0; stmt && i < run->inputs_n; i++) {
        sqlite3_bind_int64(stmt, 1, run_id);
        results_bind_text(stmt, 2, run->inputs[i].kind);
        results_bind_text(stmt, 3, run->inputs[i].name);
        results_bind_text(stmt, 4, run->inputs[i].hash);
        results_bind_text(stmt, 5, run->inputs[i].path);
        if (!results_step(self, stmt, "be written", error)) {
            return false;
        }
    }
    return stmt != NULL;
}

static bool add_devices(ResultsStore *self, int64_t run_id, const ResultsRun *run, GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(self, insert_device, "be written", error);

    for (size_t i = 0; stmt && i < run->devices_n; i++) {
        const ResultsDevice *device = &run->devices[i];

        sqlite3_bind_int64(stmt, 1, run_id);
        results_bind_text(stmt, 2, device->device);
        results_bind_text(stmt, 3, device->model);
        results_bind_text(stmt, 4, device->profile);
        results_bind_text(stmt, 5, device->slot);
        results_bind_text(stmt, 6, device->serial);
        results_bind_text(stmt, 7, device->published_id);
        if (!results_step(self, stmt, "be written", error)) {
            return false;
        }
    }
    return stmt != NULL;
}

int64_t results_run_begin(ResultsStore *self, const ResultsRun *run, GError **error)
{
    int64_t run_id = 0;

    g_return_val_if_fail(self->writable, 0);
    if (!results_exec(self, "BEGIN IMMEDIATE", "be written", error)) {
        return 0;
    }
    if (add_run(self, run, error)) {
        run_id = sqlite3_last_insert_rowid(self->db);
        /* Before the commit: nobody may see a running row whose lock is free. */
        if (!results_lock_take(self->lock_fd, run_id)) {
            g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_WRITE,
                        "%s.lock: run %" G_GINT64_FORMAT " is locked by another process",
                        self->path, run_id);
        } else if (add_inputs(self, run_id, run, error) && add_devices(self, run_id, run, error) &&
                   results_exec(self, "COMMIT", "be written", error)) {
            g_hash_table_add(self->held, g_memdup2(&run_id, sizeof(run_id)));
            return run_id;
        } else {
            results_lock_drop(self->lock_fd, run_id);
        }
    }
    results_rollback(self);
    return 0;
}

const char *results_status_name(ResultsStatus status)
{
    static const char *const names[] = {"passed", "failed", "error", "interrupted", "skipped",
                                        "aborted"};

    g_assert(status < G_N_ELEMENTS(names));
    return names[status];
}

bool results_run_finish(ResultsStore *self, int64_t run_id, ResultsStatus status,
                        const char *reason, const char *verdict, double wall_seconds,
                        GError **error)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(
        self,
        "UPDATE run SET status = ?, reason = ?, verdict = IFNULL(?, verdict), wall_seconds = ?"
        " WHERE run_id = ?",
        "be written", error);

    if (!stmt) {
        return false;
    }
    results_bind_text(stmt, 1, results_status_name(status));
    results_bind_text(stmt, 2, reason);
    results_bind_text(stmt, 3, verdict);
    sqlite3_bind_double(stmt, 4, wall_seconds);
    sqlite3_bind_int64(stmt, 5, run_id);
    if (!results_step(self, stmt, "be written", error)) {
        return false;
    }
    if (sqlite3_changes(self->db) != 1) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN,
                    "%s: there is no run %" G_GINT64_FORMAT, self->path, run_id);
        return false;
    }
    results_lock_drop(self->lock_fd, run_id);
    g_hash_table_remove(self->held, &run_id);
    return true;
}

bool results_run_expect(ResultsStore *self, int64_t run_id, const char *key, const char *wanted,
                        const char *got, bool held, GError **error)
{
    g_autoptr(ResultsStmt) stmt =
        results_prepare(self,
                        "INSERT INTO expect_result (run_id, seq, key, wanted, got, held)"
                        " SELECT ?1, COUNT(*), ?2, ?3, ?4, ?5 FROM expect_result WHERE run_id = ?1",
                        "be written", error);

    if (!stmt) {
        return false;
    }
    sqlite3_bind_int64(stmt, 1, run_id);
    results_bind_text(stmt, 2, key);
    results_bind_text(stmt, 3, wanted);
    results_bind_text(stmt, 4, got);
    sqlite3_bind_int(stmt, 5, held);
    return results_step(self, stmt, "be written", error);
}

/* First column of the first row as text, or NULL. */
static char *text_of(ResultsStore *self, const char *sql, int64_t run_id, const char *name)
{
    g_autoptr(ResultsStmt) stmt = results_prepare(self, sql, "be read", NULL);

    if (!stmt) {
        return NULL;
    }
    sqlite3_bind_int64(stmt, 1, run_id);
    if (name) {
        results_bind_text(stmt, 2, name);
    }
    if (sqlite3_step(stmt) != SQLITE_ROW) {
        return NULL;
    }
    return g_strdup((const char *)sqlite3_column_text(stmt, 0));
}

char *results_run_verdict(ResultsStore *self, int64_t run_id)
{
    return text_of(self, "SELECT verdict FROM run WHERE run_id = ?", run_id, NULL);
}

bool results_run_identities_held(ResultsStore *self, int64_t run_id, char **breach)
{
    g_autoptr(ResultsStmt) stmt =
        results_prepare(self,
                        "SELECT device || ': ' || name || ': ' || left_value || ' is not '"
                        " || right_value FROM identity WHERE run_id = ? AND NOT held"
                        " ORDER BY device, name LIMIT 1",
                        "be read", NULL);
    g_autofree char *text = NULL;
    int code = SQLITE_ERROR;

    if (stmt) {
        sqlite3_bind_int64(stmt, 1, run_id);
        code = sqlite3_step(stmt);
    }
    if (code == SQLITE_ROW) {
        text = g_strdup((const char *)sqlite3_column_text(stmt, 0));
    } else if (code != SQLITE_DONE) { /* what cannot be read does not count as held */
        text = g_strdup(sqlite3_errmsg(self->db));
    }
    if (breach) {
        *breach = g_strdup(text);
    }
    return !text;
}

char *results_run_report(ResultsStore *self, int64_t run_id, const char *name)
{
    return text_of(self,
                   "SELECT body FROM report WHERE run_id = ? AND name = ?"
                   " ORDER BY seq DESC LIMIT 1",
                   run_id, name);
}

int64_t results_run_parse(ResultsStore *self, const char *text, GError **error)
{
    bool last = g_str_equal(text, "last");
    gint64 run_id = 0;
    g_autoptr(ResultsStmt) stmt = results_prepare(
        self, last ? "SELECT MAX(run_id) FROM run" : "SELECT run_id FROM run WHERE run_id = ?",
        "be read", error);

    if (!stmt) {
        return 0;
    }
    if (!last && !g_ascii_string_to_signed(text, 10, 1, G_MAXINT64, &run_id, NULL)) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN,
                    "\"%s\" is no run; give the number that `quirkbench list` shows, or \"last\"",
                    text);
        return 0;
    }
    if (!last) {
        sqlite3_bind_int64(stmt, 1, run_id);
    }
    run_id = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    if (!run_id) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_RUN,
                    last ? "%s: there is no run yet"
                         : "%s: there is no run %s; `quirkbench list` shows the runs",
                    self->path, text);
    }
    return run_id;
}
