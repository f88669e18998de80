/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench sql 'SELECT …' | --query NAME: any question to the database, which stays as it is. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "results/store.h"
#include "results/text.h"

static int list_queries(void)
{
    g_auto(GStrv) names = results_query_names();
    g_autoptr(TextTable) table = text_table_new("query|answers");
    g_autoptr(GString) text = g_string_new(NULL);

    for (int i = 0; names[i]; i++) {
        g_auto(GStrv) lines = g_strsplit(results_query_sql(names[i], NULL), "\n", 3);

        text_table_add(table, names[i]);
        /* Its second line, after the licence. */
        text_table_add(table, g_str_has_prefix(lines[1], "-- ") ? lines[1] + 3 : "");
    }
    text_table_append(table, text, 100);
    return fputs(text->str, stdout) == EOF ? CMD_CANNOT_RUN : CMD_OK;
}

static bool is_blank(const char *sql)
{
    while (*sql) {
        if (g_str_has_prefix(sql, "--")) {
            sql += strcspn(sql, "\n");
        } else if (g_ascii_isspace(*sql) || *sql == ';') {
            sql++;
        } else {
            return false;
        }
    }
    return true;
}

static int ask(ResultsStore *store, const char *sql, int64_t run_id, TextFormat format)
{
    sqlite3 *db = results_db(store);
    sqlite3_stmt *stmt = NULL;
    const char *rest = "";
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    int status = CMD_OK;
    int parameter;

    (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, &rest) != SQLITE_OK) {
        return cmd_fail(CMD_USAGE, "sql", "%s", sqlite3_errmsg(db));
    }
    parameter = sqlite3_bind_parameter_index(stmt, ":run_id");
    if (!stmt || !is_blank(rest)) {
        status = cmd_fail(CMD_USAGE, "sql", "give one statement, in quotes");
    } else if (!sqlite3_stmt_readonly(stmt)) {
        status = cmd_fail(CMD_USAGE, "sql",
                          "only statements that read are allowed; to change the database use "
                          "sqlite3 on a copy");
    } else {
        if (parameter) {
            sqlite3_bind_int64(stmt, parameter, run_id);
        }
        if (!text_rows(stmt, format, text, &error)) {
            status = cmd_fail(CMD_USAGE, "sql", "%s", error->message);
        } else if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout)) {
            status = cmd_fail(CMD_CANNOT_RUN, "sql", "standard output cannot be written");
        }
    }
    sqlite3_finalize(stmt);
    return status;
}

/* The latest run with anything to ask about; 0: none. */
static int64_t last_measured(ResultsStore *store)
{
    sqlite3_stmt *stmt = NULL;
    int64_t run_id = 0;

    if (sqlite3_prepare_v2(results_db(store),
                           "SELECT MAX(run_id) FROM run WHERE telemetry_schema IS NOT NULL", -1,
                           &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        run_id = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return run_id;
}

int cmd_sql(int argc, char **argv)
{
    static const char *const formats[] = {"text", "csv", "json"};
    g_autofree char *db = NULL;
    g_autofree char *query = NULL;
    g_autofree char *run = NULL;
    g_autofree char *format = NULL;
    gboolean list = FALSE;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {"query", 'q', 0, G_OPTION_ARG_STRING, &query, "a query that is built in", "NAME"},
        {"queries", 0, 0, G_OPTION_ARG_NONE, &list, "list these", NULL},
        {"run", 0, 0, G_OPTION_ARG_STRING, &run, "what :run_id stands for (default: latest)",
         "RUN"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "text, csv or json (default text)",
         "FORMAT"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "'SELECT …' | --query NAME",
                             "Asks the database; tables and views: docs/results.md.");
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = NULL;
    const char *sql;
    unsigned kind = TEXT_ALIGNED;
    int64_t run_id;

    if (status != CMD_GO_ON) {
        return status;
    }
    if (list) {
        return list_queries();
    }
    if (query ? argc != 1 : argc != 2) {
        return cmd_fail(CMD_USAGE, "sql", "give one statement in quotes, or --query NAME");
    }
    while (format && kind < G_N_ELEMENTS(formats) && !g_str_equal(format, formats[kind])) {
        kind++;
    }
    if (kind == G_N_ELEMENTS(formats)) {
        return cmd_fail(CMD_USAGE, "sql", "--format is text, csv or json, not \"%s\"", format);
    }
    sql = query ? results_query_sql(query, &error) : argv[1];
    if (!sql) {
        return cmd_fail(CMD_USAGE, "sql", "%s", error->message);
    }
    store = results_open(db ? db : CMD_DEFAULT_DB, RESULTS_OPEN_READ, &error);
    if (!store) {
        return cmd_fail(CMD_CANNOT_RUN, "sql", "%s", error->message);
    }
    run_id = run ? results_run_parse(store, run, &error) : last_measured(store);
    if (!run_id && run) {
        return cmd_fail(CMD_USAGE, "sql", "%s", error->message);
    }
    return ask(store, sql, run_id, kind);
}
