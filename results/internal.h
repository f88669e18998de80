/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of results/ alone. */
#pragma once
#include "store.h"

struct ResultsStore {
    sqlite3 *db;
    char *path;
    int lock_fd;      /* of PATH.lock; -1: none could be opened */
    GHashTable *held; /* run ids whose lock is ours: int64_t * */
    bool writable;
};

typedef sqlite3_stmt ResultsStmt;
static inline void results_stmt_free(ResultsStmt *stmt)
{
    sqlite3_finalize(stmt);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ResultsStmt, results_stmt_free)

/* @error from the connection's last failure: "PATH: cannot DOING: why; what to do". */
void results_set_error(const ResultsStore *self, const char *doing, GError **error);
/* NULL and @error, which is of @doing. */
ResultsStmt *results_prepare(ResultsStore *self, const char *sql, const char *doing,
                             GError **error);
bool results_exec(ResultsStore *self, const char *sql, const char *doing, GError **error);
/* Steps a statement that returns no row, and resets it. */
bool results_step(ResultsStore *self, ResultsStmt *stmt, const char *doing, GError **error);
/* NULL text becomes NULL. */
void results_bind_text(ResultsStmt *stmt, int index, const char *text);
void results_rollback(ResultsStore *self);

/* A built-in file under results/, e.g. "schema/0001-run.sql".  (transfer none); NULL: none such */
const char *results_file(const char *relative);
/* Names in a built-in folder, sorted, NULL-ended. */
char **results_files(const char *folder);

/* Lines of a built-in CSV, split; no field holds a comma or a quote.  Row 0 is the head. */
GPtrArray *results_csv(const char *file);
const char *results_csv_cell(const GPtrArray *rows, guint row, const char *column);

/* Locks of runs in progress: one byte of PATH.lock at offset run_id, an OFD lock. */
int results_lock_open(const char *path, bool create); /* -1: errno */
bool results_lock_take(int fd, int64_t run_id);
void results_lock_drop(int fd, int64_t run_id);
/* Whether another open file description holds it. */
bool results_lock_held(int fd, int64_t run_id);
