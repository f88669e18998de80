/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQLite keeps the text of each CREATE with its comments: `name … -- meaning` a line. */
#include <string.h>

#include "schema-doc.h"

/* What stands after the last "-- " of the line, or NULL. */
static const char *comment_of(const char *line)
{
    const char *mark = g_strrstr(line, "-- ");

    return mark ? mark + strlen("-- ") : NULL;
}

static void append_columns(GString *text, char **lines, bool view)
{
    for (int i = 1; lines[i] && *lines[i] != ')'; i++) {
        const char *line = lines[i] + strspn(lines[i], " ");
        const char *comment = comment_of(line);
        g_autofree char *name = g_strndup(line, strcspn(line, " ,"));
        g_autofree char *type = NULL;

        if (g_ascii_isupper(*name) || *name == '(') { /* a constraint */
            continue;
        }
        if (!comment) {
            g_error("no comment at %s", line);
        }
        line += strcspn(line, " ");
        line += strspn(line, " ");
        type = g_ascii_strdown(line, (gssize)strcspn(line, " ,"));
        if (view) {
            g_string_append_printf(text, "| `%s` | %s |\n", name, comment);
        } else {
            g_string_append_printf(text, "| `%s` | %s | %s |\n", name, type, comment);
        }
    }
}

static void append_object(GString *text, const char *name, const char *sql, bool view)
{
    g_auto(GStrv) lines = g_strsplit(sql, "\n", -1);
    const char *comment = comment_of(lines[0]);

    if (!comment) {
        g_error("no comment at %s", lines[0]);
    }
    g_string_append_printf(text, "\n### %s\n%c%s.\n\n", name, g_ascii_toupper(*comment),
                           comment + 1);
    g_string_append(text, view ? "| column | meaning |\n| --- | --- |\n"
                               : "| column | type | meaning |\n| --- | --- | --- |\n");
    append_columns(text, lines, view);
}

static void append_kind(ResultsStore *store, GString *text, const char *kind)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(results_db(store),
                           "SELECT name, sql FROM main.sqlite_schema WHERE type = ?"
                           " AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
                           -1, &stmt, NULL) != SQLITE_OK) {
        g_error("%s", sqlite3_errmsg(results_db(store)));
    }
    sqlite3_bind_text(stmt, 1, kind, -1, SQLITE_STATIC);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        append_object(text, (const char *)sqlite3_column_text(stmt, 0),
                      (const char *)sqlite3_column_text(stmt, 1), g_str_equal(kind, "view"));
    }
    sqlite3_finalize(stmt);
}

char *schema_doc(ResultsStore *store)
{
    g_autoptr(GString) text = g_string_new("## Views\n");

    append_kind(store, text, "view");
    g_string_append(text, "\n## Tables\n");
    append_kind(store, text, "table");
    return g_string_free(g_steal_pointer(&text), FALSE);
}
