/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `quirkbench published`. */
#pragma once
#include <json-glib/json-glib.h>
#include <sqlite3.h>

#include "results/published-native.h"

/* A member of the open object; null where it is not @known or not finite. */
void published_add_number(JsonBuilder *builder, const char *name, double value, bool known);
void published_add_string(JsonBuilder *builder, const char *name, const char *value);
/* What @db (nullable) says of simulated drivers: appends it to @text, and to the open object of
 * @builder as members "native" and "interrupts_by_cpu".  @errors_pct: of published_figures(), NAN
 * without a run.  FALSE: the database cannot be read. */
bool published_native(sqlite3 *db, const double *errors_pct, GString *text, JsonBuilder *builder,
                      NativeVerdict *verdict);
/* The same of forwarding rates: member "packets".  @missed_any: a figure misses its bar. */
bool published_packets_compare(sqlite3 *db, GString *text, JsonBuilder *builder, bool *missed_any);
