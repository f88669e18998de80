/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench list: recent runs, the newest first. */
#include <stdio.h>

#include "cmd.h"
#include "results/store.h"
#include "results/text.h"

/* @scenario and @status NULL: all. */
static sqlite3_stmt *select_runs(ResultsStore *store, const char *scenario, const char *status,
                                 int limit, GError **error)
{
    static const char sql[] =
        "SELECT run_id, status, scenario, point, reason, seed, clock, driver, machine, model_s,"
        " wall_started, wall_seconds, (SELECT SUM(iops) FROM device_summary s"
        " WHERE s.run_id = runs.run_id) AS iops FROM runs"
        " WHERE (?1 IS NULL OR scenario = ?1) AND (?2 IS NULL OR status = ?2)"
        " ORDER BY run_id DESC LIMIT ?3";
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(results_db(store), sql, -1, &stmt, NULL) != SQLITE_OK) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_OPEN, "%s: %s", results_path(store),
                    sqlite3_errmsg(results_db(store)));
        return NULL;
    }
    sqlite3_bind_text(stmt, 1, scenario, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(stmt, 2, status, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(stmt, 3, limit);
    return stmt;
}

static bool list_text(sqlite3_stmt *stmt, GString *text, GError **error)
{
    g_autoptr(TextTable) table =
        text_table_new("run>|status|started (UTC)|wall s>|IOPS>|scenario|point; why it failed");
    int code;

    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *point = (const char *)sqlite3_column_text(stmt, 3);
        const char *reason = (const char *)sqlite3_column_text(stmt, 4);
        g_autofree char *started = g_strdup((const char *)sqlite3_column_text(stmt, 10));
        g_autofree char *iops = sqlite3_column_double(stmt, 12) > 0
                                    ? text_si(sqlite3_column_double(stmt, 12), "")
                                    : g_strdup("-");

        text_table_add(table, (const char *)sqlite3_column_text(stmt, 0));
        text_table_add(table, (const char *)sqlite3_column_text(stmt, 1));
        g_strdelimit(started, "T", ' ');
        text_table_add_format(table, "%.16s", started);
        if (sqlite3_column_type(stmt, 11) == SQLITE_NULL) {
            text_table_add(table, NULL);
        } else {
            text_table_add_format(table, "%.1f", sqlite3_column_double(stmt, 11));
        }
        text_table_add(table, iops);
        text_table_add(table, (const char *)sqlite3_column_text(stmt, 2));
        text_table_add_format(table, "%s%s%s", point, *point && reason ? "; " : "",
                              reason ? reason : "");
    }
    if (code != SQLITE_DONE) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s",
                    sqlite3_errmsg(sqlite3_db_handle(stmt)));
        return false;
    }
    if (text_table_rows(table) == 0) {
        g_string_append(text, "no runs\n");
    } else {
        text_table_append(table, text, 100);
    }
    return true;
}

int cmd_list(int argc, char **argv)
{
    g_autofree char *db = NULL;
    g_autofree char *scenario = NULL;
    g_autofree char *only = NULL;
    g_autofree char *format = NULL;
    int limit = 20;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {"scenario", 0, 0, G_OPTION_ARG_STRING, &scenario, "runs of this scenario", "NAME"},
        {"status", 0, 0, G_OPTION_ARG_STRING, &only, "runs that ended like this", "STATUS"},
        {"limit", 'n', 0, G_OPTION_ARG_INT, &limit, "at most so many (default 20)", "N"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "text or json (default text)", "FORMAT"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "", "Lists runs, the newest first.");
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    sqlite3_stmt *stmt;
    bool json = g_strcmp0(format, "json") == 0;
    bool ok;

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc != 1 || (format && !json && !g_str_equal(format, "text"))) {
        return cmd_fail(CMD_USAGE, "list", "%s",
                        argc != 1 ? "takes no arguments" : "--format is text or json");
    }
    store = results_open(db ? db : CMD_DEFAULT_DB, RESULTS_OPEN_READ, &error);
    stmt = store ? select_runs(store, scenario, only, limit, &error) : NULL;
    if (!stmt) {
        return cmd_fail(CMD_CANNOT_RUN, "list", "%s", error->message);
    }
    ok = json ? text_rows(stmt, TEXT_JSON, text, &error) : list_text(stmt, text, &error);
    sqlite3_finalize(stmt);
    if (!ok) {
        return cmd_fail(CMD_CANNOT_RUN, "list", "%s", error->message);
    }
    if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout)) {
        return cmd_fail(CMD_CANNOT_RUN, "list", "standard output cannot be written");
    }
    return CMD_OK;
}
