/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `quirkbench run` prints: one description a run, shown as text, JSON, TAP or JUnit. */
#pragma once
#include <json-glib/json-glib.h>

#include "run.h"

typedef enum { REPORT_TEXT, REPORT_JSON, REPORT_TAP, REPORT_JUNIT } ReportFormat;
/* FALSE: no such format; @words lists them. */
gboolean report_format_parse(const char *word, ReportFormat *format, const char *const **words);

/* All that is shown of a run: scenario, point, run_id, status, figures of the devices, checks. */
JsonObject *report_describe(const Scenario *scenario, const RunOutcome *outcome, const char *db,
                            GError **error);
/* A run that has no row: @message says why. */
JsonObject *report_describe_error(const Scenario *scenario, const char *message);

typedef struct Report Report;
/* @label_width: of the longest point's name; 0: one run, shown by itself. */
Report *report_new(ReportFormat format, guint runs, guint label_width, gboolean quiet);
/* @index: position of the run among all, from 0.  Keeps a reference. */
void report_add(Report *self, guint index, JsonObject *run);
/* Prints what comes last, frees, and returns the exit status. */
int report_finish(Report *self);
