/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run as canonical text, and two runs compared.  What belongs to the machine and not to the run
 * is left out by name: run_id, wall_… and …_path. */
#include <string.h>

#include "internal.h"

static bool is_canonical(const char *column)
{
    return !g_str_equal(column, "run_id") && !g_str_has_prefix(column, "wall_") &&
           !g_str_has_suffix(column, "_path");
}

/* `|`, `\` and control characters are escaped; NULL is `\N`. */
static void append_value(GString *text, const char *value)
{
    if (!value) {
        g_string_append(text, "\\N");
        return;
    }
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '\\' || *c == '|') {
            g_string_append_c(text, '\\');
            g_string_append_c(text, (char)*c);
        } else if (*c == '\n') {
            g_string_append(text, "\\n");
        } else if (*c < 0x20 || *c == 0x7f) {
            g_string_append_printf(text, "\\x%02x", *c);
        } else {
            g_string_append_c(text, (char)*c);
        }
    }
}

/* Canonical columns of @table, comma-separated: those of the primary key first. */
static char *columns_of(ResultsStore *self, const char *table, GError **error)
{
    g_autoptr(GString) columns = g_string_new(NULL);
    g_autoptr(ResultsStmt) stmt = results_prepare(
        self, "SELECT name FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid", "be read", error);

    if (!stmt) {
        return NULL;
    }
    results_bind_text(stmt, 1, table);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);

        if (is_canonical(name)) {
            g_string_append_printf(columns, "%s%s", columns->len ? ", " : "", name);
        }
    }
    return g_string_free(g_steal_pointer(&columns), FALSE);
}

static bool dump_table(ResultsStore *self, int64_t run_id, const char *table, GString *text,
                       GError **error)
{
    g_autofree char *columns = columns_of(self, table, error);
    g_autofree char *sql = NULL;
    g_autoptr(ResultsStmt) stmt = NULL;
    int code;

    if (!columns) {
        return false;
    }
    sql = g_strdup_printf("SELECT %s FROM main.%s WHERE run_id = ? ORDER BY %s", columns, table,
                          columns);
    stmt = results_prepare(self, sql, "be read", error);
    if (!stmt) {
        return false;
    }
    sqlite3_bind_int64(stmt, 1, run_id);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        g_string_append(text, table);
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            g_string_append_printf(text, "|%s=", sqlite3_column_name(stmt, i));
            append_value(text, (const char *)sqlite3_column_text(stmt, i));
        }
        g_string_append_c(text, '\n');
    }
    if (code != SQLITE_DONE) {
        results_set_error(self, "be read", error);
        return false;
    }
    return true;
}

bool results_dump(ResultsStore *self, int64_t run_id, GString *text, GError **error)
{
    /* Inputs first, then in the order of the schema. */
    g_autoptr(ResultsStmt) tables =
        results_prepare(self,
                        "SELECT name FROM sqlite_schema WHERE type = 'table'"
                        " AND name NOT LIKE 'sqlite_%' ORDER BY name <> 'run_input', rowid",
                        "be read", error);
    g_autofree char *status = results_run_status(self, run_id, error);
    int code;

    if (!tables || !status) {
        return false;
    }
    while ((code = sqlite3_step(tables)) == SQLITE_ROW) {
        if (!dump_table(self, run_id, (const char *)sqlite3_column_text(tables, 0), text, error)) {
            return false;
        }
    }
    if (code != SQLITE_DONE) {
        results_set_error(self, "be read", error);
        return false;
    }
    return true;
}

/* The next line of *@text, without its newline; NULL at the end. */
static const char *next_line(char **text)
{
    char *line = *text;
    char *end = strchr(line, '\n');

    if (!end) {
        return NULL;
    }
    *end = '\0';
    *text = end + 1;
    return line;
}

/* "kind=…|name=…" and the hash of an input's line. */
static bool split_input(const char *line, char **key, const char **hash)
{
    const char *mark = g_str_has_prefix(line, "run_input|") ? strstr(line, "|hash=") : NULL;

    if (!mark) {
        return false;
    }
    *key = g_strndup(line + strlen("run_input|"), mark - line - strlen("run_input|"));
    *hash = mark + strlen("|hash=");
    return true;
}

static char *tell_input(const char *a, const char *b)
{
    g_autofree char *key_a = NULL;
    g_autofree char *key_b = NULL;
    const char *hash_a, *hash_b;
    bool is_a = a && split_input(a, &key_a, &hash_a);
    bool is_b = b && split_input(b, &key_b, &hash_b);

    if (is_a && is_b && g_str_equal(key_a, key_b)) {
        return g_strdup_printf("input %s differs: %s and %s", key_a, hash_a, hash_b);
    }
    if (is_a && (!is_b || strcmp(a, b) < 0)) {
        return g_strdup_printf("input %s is of the first run only", key_a);
    }
    if (is_b) {
        return g_strdup_printf("input %s is of the second run only", key_b);
    }
    return NULL;
}

/* The first difference of two lines that a person can take in at a glance. */
static char *tell_row(unsigned number, const char *a, const char *b)
{
    size_t same = 0;
    const char *from;

    if (!a || !b) {
        return g_strdup_printf("line %u is of the %s run only: %.300s", number,
                               a ? "first" : "second", a ? a : b);
    }
    while (a[same] && a[same] == b[same]) {
        same++;
    }
    if (same <= 200) {
        return g_strdup_printf("line %u differs:\n- %.300s\n+ %.300s", number, a, b);
    }
    from = memchr(a, '|', same);
    return g_strdup_printf("line %u (%.*s) differs at byte %zu:\n- …%.200s\n+ …%.200s", number,
                           from ? (int)(from - a) : 0, a, same, a + same - 40, b + same - 40);
}

bool results_dump_compare(ResultsStore *self, int64_t run_a, int64_t run_b, char **difference,
                          GError **error)
{
    g_autoptr(GString) text_a = g_string_new(NULL);
    g_autoptr(GString) text_b = g_string_new(NULL);
    char *at_a, *at_b;
    const char *a, *b;
    unsigned number = 0;

    *difference = NULL;
    if (!results_dump(self, run_a, text_a, error) || !results_dump(self, run_b, text_b, error)) {
        return false;
    }
    at_a = text_a->str;
    at_b = text_b->str;
    do {
        a = next_line(&at_a);
        b = next_line(&at_b);
        number++;
    } while (a && b && g_str_equal(a, b));
    if (!a && !b) {
        return true;
    }
    *difference = tell_input(a, b);
    if (!*difference) {
        g_autofree char *row = tell_row(number, a, b);

        *difference = g_utf8_make_valid(row, -1);
    }
    return false;
}
