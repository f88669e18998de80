/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables and figures as text: aligned for a terminal, CSV, JSON. */
#pragma once
#include "store.h"

/* A table with a head; numbers go to the right. */
typedef struct TextTable TextTable;
/* @columns: names with '|' between; one that ends in '>' goes to the right.  "": none yet. */
TextTable *text_table_new(const char *columns);
void text_table_column(TextTable *self, const char *name, bool right); /* before the first cell */
void text_table_free(TextTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextTable, text_table_free)
/* The next cell of the row, or of a new row when the last is full.  NULL: "-". */
void text_table_add(TextTable *self, const char *text);
void text_table_add_format(TextTable *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
unsigned text_table_rows(const TextTable *self);
/* Appends it; the last column is cut where a line would be over @width columns (0: never). */
void text_table_append(const TextTable *self, GString *text, unsigned width);

/* "1234" as "1.23 K"; three figures.  @unit after it, e.g. "B".  (transfer full) */
char *text_si(double value, const char *unit);
/* Numbers as a list: 0,1,2,8 is "0-2,8".  Sorted here.  (transfer full) */
char *text_ranges(GArray *numbers);

/* All rows of a statement, from its first step on.  FALSE: @error of RESULTS_ERROR_SQL. */
typedef enum { TEXT_ALIGNED, TEXT_CSV, TEXT_JSON } TextFormat;
bool text_rows(sqlite3_stmt *stmt, TextFormat format, GString *text, GError **error);
