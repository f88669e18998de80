/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The telemetry file of a run: JSON Lines, format in docs/telemetry.md.
 * Writes are buffered; a full disk is remembered (sim_telemetry_error) and never disturbs the run. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "sim-time.h"

typedef struct SimTelemetry SimTelemetry;

/* @path: created (must not exist) or NULL: records are dropped but the calls work. */
SimTelemetry *sim_telemetry_new(const char *path, GError **error);
/* Flushes and closes.  NULL is fine. */
void sim_telemetry_free(SimTelemetry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimTelemetry, sim_telemetry_free)

/* One record: begin, fields, end.  Strings are escaped; keys are literals. */
void sim_telemetry_begin(SimTelemetry *self, const char *type); /* NULL self: all calls do nothing */
void sim_telemetry_str(SimTelemetry *self, const char *key, const char *value);
void sim_telemetry_strn(SimTelemetry *self, const char *key, const char *value, size_t bytes); /* not valid UTF-8: bytes become U+FFFD */
void sim_telemetry_u64(SimTelemetry *self, const char *key, uint64_t value); /* <= INT64_MAX */
void sim_telemetry_bool(SimTelemetry *self, const char *key, bool value);
void sim_telemetry_end(SimTelemetry *self);
bool sim_telemetry_flush(SimTelemetry *self); /* false: the file could not be written */
/* errno of the first write that failed; 0 = none. */
int sim_telemetry_errno(const SimTelemetry *self);

/* Violations: the first of each (device, rule, text) is written at once, all are counted and the totals
 * written by sim_telemetry_violation_totals().  @rule is the section, @text a literal. */
void sim_telemetry_violation(SimTelemetry *self, const char *device, SimTime now, const char *rule, const char *text);
uint64_t sim_telemetry_violations(const SimTelemetry *self, const char *device);
void sim_telemetry_violation_totals(SimTelemetry *self);
