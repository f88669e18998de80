/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for people and for programs.  Nothing here prints. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct TextTable {
    GPtrArray *heads; /* char * */
    GArray *right;    /* bool */
    GPtrArray *cells; /* char *, row after row */
};

void text_table_column(TextTable *self, const char *name, bool right)
{
    g_ptr_array_add(self->heads, g_strdup(name));
    g_array_append_val(self->right, right);
}

TextTable *text_table_new(const char *columns)
{
    TextTable *self = g_new0(TextTable, 1);
    g_auto(GStrv) names = g_strsplit(columns, "|", -1);

    self->heads = g_ptr_array_new_with_free_func(g_free);
    self->right = g_array_new(FALSE, FALSE, sizeof(bool));
    self->cells = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; names[i]; i++) {
        bool right = g_str_has_suffix(names[i], ">");

        if (right) {
            names[i][strlen(names[i]) - 1] = '\0';
        }
        text_table_column(self, names[i], right);
    }
    return self;
}

void text_table_free(TextTable *self)
{
    if (self) {
        g_ptr_array_unref(self->heads);
        g_array_unref(self->right);
        g_ptr_array_unref(self->cells);
        g_free(self);
    }
}

void text_table_add(TextTable *self, const char *text)
{
    g_ptr_array_add(self->cells, g_strdup(text ? text : "-"));
}

void text_table_add_format(TextTable *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(self->cells, g_strdup_vprintf(format, args));
    va_end(args);
}

unsigned text_table_rows(const TextTable *self)
{
    return self->heads->len ? self->cells->len / self->heads->len : 0;
}

static unsigned columns_wide(const char *text)
{
    return (unsigned)g_utf8_strlen(text, -1);
}

static void append_padded(GString *text, const char *cell, unsigned width, bool right, bool last)
{
    unsigned own = columns_wide(cell);
    unsigned pad = width > own ? width - own : 0;

    if (right) {
        g_string_append_printf(text, "%*s%s", (int)pad, "", cell);
    } else {
        g_string_append_printf(text, "%s%*s", cell, last ? 0 : (int)pad, "");
    }
}

static const char *cell_at(const TextTable *self, unsigned row, unsigned column)
{
    return row == 0 ? g_ptr_array_index(self->heads, column)
                    : g_ptr_array_index(self->cells, (row - 1) * self->heads->len + column);
}

void text_table_append(const TextTable *self, GString *text, unsigned width)
{
    unsigned n = self->heads->len;
    g_autofree unsigned *widths = g_new0(unsigned, n);
    unsigned rows = text_table_rows(self), used = 0;

    if (n == 0) { /* a statement without an answer */
        return;
    }
    for (unsigned c = 0; c < n; c++) {
        for (unsigned r = 0; r <= rows; r++) {
            widths[c] = MAX(widths[c], columns_wide(cell_at(self, r, c)));
        }
        used += c + 1 < n ? widths[c] + 2 : 0;
    }
    if (width > used + 8) {
        widths[n - 1] = MIN(widths[n - 1], width - used);
    }
    for (unsigned r = 0; r <= rows; r++) {
        for (unsigned c = 0; c < n; c++) {
            const char *cell = cell_at(self, r, c);
            bool right = g_array_index(self->right, bool, c);
            g_autofree char *cut = NULL;

            if (columns_wide(cell) > widths[c]) {
                g_autofree char *start = g_utf8_substring(cell, 0, widths[c] - 1);

                cut = g_strconcat(start, "…", NULL);
                cell = cut;
            }
            append_padded(text, cell, widths[c], right, c + 1 == n);
            g_string_append(text, c + 1 == n ? "\n" : "  ");
        }
    }
}

char *text_si(double value, const char *unit)
{
    static const char *const prefixes[] = {"", " K", " M", " G", " T"};
    unsigned i = 0;

    while (fabs(value) >= 999.5 && i + 1 < G_N_ELEMENTS(prefixes)) {
        value /= 1000;
        i++;
    }
    if (i == 0 && value == floor(value)) {
        return g_strdup_printf("%.0f%s%s", value, *unit ? " " : "", unit);
    }
    return g_strdup_printf("%.*f%s%s%s",
                           fabs(value) < 9.995   ? 2
                           : fabs(value) < 99.95 ? 1
                                                 : 0,
                           value, prefixes[i], i == 0 && *unit ? " " : "", unit);
}

static int by_number(const void *a, const void *b)
{
    guint x = *(const guint *)a, y = *(const guint *)b;

    return (x > y) - (x < y);
}

char *text_ranges(GArray *numbers)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_array_sort(numbers, by_number);
    for (guint i = 0, j; i < numbers->len; i = j) {
        guint first = g_array_index(numbers, guint, i), last = first;

        for (j = i + 1; j < numbers->len && g_array_index(numbers, guint, j) <= last + 1; j++) {
            last = g_array_index(numbers, guint, j);
        }
        g_string_append_printf(text, "%s%u", i ? "," : "", first);
        if (last > first) {
            g_string_append_printf(text, "-%u", last);
        }
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* --- rows of a statement --- */

static void csv_cell(GString *text, const char *value)
{
    if (!value) {
        return;
    }
    if (!strpbrk(value, ",\"\r\n")) {
        g_string_append(text, value);
        return;
    }
    g_string_append_c(text, '"');
    for (const char *c = value; *c; c++) {
        g_string_append_c(text, *c);
        if (*c == '"') {
            g_string_append_c(text, '"');
        }
    }
    g_string_append_c(text, '"');
}

static void csv_row(sqlite3_stmt *stmt, bool head, GString *text)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        g_string_append(text, i ? "," : "");
        csv_cell(text,
                 head ? sqlite3_column_name(stmt, i) : (const char *)sqlite3_column_text(stmt, i));
    }
    g_string_append_c(text, '\n');
}

static void json_cell(JsonBuilder *builder, sqlite3_stmt *stmt, int i)
{
    json_builder_set_member_name(builder, sqlite3_column_name(stmt, i));
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER:
        json_builder_add_int_value(builder, sqlite3_column_int64(stmt, i));
        break;
    case SQLITE_FLOAT:
        json_builder_add_double_value(builder, sqlite3_column_double(stmt, i));
        break;
    case SQLITE_NULL:
        json_builder_add_null_value(builder);
        break;
    default: {
        g_autofree char *valid = g_utf8_make_valid((const char *)sqlite3_column_text(stmt, i), -1);

        json_builder_add_string_value(builder, valid);
    }
    }
}

static char *cell_text(sqlite3_stmt *stmt, int i)
{
    if (sqlite3_column_type(stmt, i) == SQLITE_FLOAT) {
        double value = sqlite3_column_double(stmt, i);

        /* Four significant figures after the point are plenty for people; CSV and JSON have all. */
        return g_strdup_printf(fabs(value) < 1e15 ? "%.*f" : "%.*e",
                               value == floor(value) ? 1
                               : fabs(value) < 100   ? 4
                                                     : 1,
                               value);
    }
    return g_strdup((const char *)sqlite3_column_text(stmt, i));
}

static TextTable *table_for(sqlite3_stmt *stmt, bool typed)
{
    TextTable *table = text_table_new("");

    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        int type = typed ? sqlite3_column_type(stmt, i) : SQLITE_TEXT;

        text_table_column(table, sqlite3_column_name(stmt, i),
                          type == SQLITE_INTEGER || type == SQLITE_FLOAT);
    }
    return table;
}

static int aligned_rows(sqlite3_stmt *stmt, GString *text)
{
    int code = sqlite3_step(stmt);
    g_autoptr(TextTable) table = table_for(stmt, code == SQLITE_ROW);

    for (; code == SQLITE_ROW; code = sqlite3_step(stmt)) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            g_autofree char *cell = cell_text(stmt, i);

            text_table_add(table, cell ? g_strdelimit(cell, "\n\r\t", ' ') : NULL);
        }
    }
    if (code == SQLITE_DONE) {
        text_table_append(table, text, 0);
    }
    return code;
}

static int csv_rows(sqlite3_stmt *stmt, GString *text)
{
    int code;

    csv_row(stmt, true, text);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        csv_row(stmt, false, text);
    }
    return code;
}

static int json_rows(sqlite3_stmt *stmt, GString *text)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(JsonNode) root = NULL;
    g_autofree char *json = NULL;
    int code;

    json_builder_begin_array(builder);
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        json_builder_begin_object(builder);
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            json_cell(builder, stmt, i);
        }
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    root = json_builder_get_root(builder);
    json = json_to_string(root, TRUE);
    g_string_append_printf(text, "%s\n", json);
    return code;
}

bool text_rows(sqlite3_stmt *stmt, TextFormat format, GString *text, GError **error)
{
    int code = format == TEXT_CSV    ? csv_rows(stmt, text)
               : format == TEXT_JSON ? json_rows(stmt, text)
                                     : aligned_rows(stmt, text);

    if (code != SQLITE_DONE) {
        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s",
                    sqlite3_errmsg(sqlite3_db_handle(stmt)));
        return false;
    }
    return true;
}
