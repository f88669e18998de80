/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters from one table: name, scope, unit, meaning.  The table feeds docs, SQL and tests.
 * A block is an array of uint64_t in the model; the table describes it. */
#pragma once
#include <stddef.h>
#include "sim-telemetry.h"

typedef struct SimCounter {
    const char *name;    /* lower_snake_case, unit suffix where it is not a count */
    const char *unit;    /* "", "bytes", "ps", "ps*commands" */
    const char *meaning; /* one sentence */
} SimCounter;

/* Writes a `counter` record for each non-zero value.  @at: "window-start", "window-end" or "end". */
void sim_counters_record(SimTelemetry *telemetry, const char *at, const char *device, const char *scope, unsigned index,
                         const SimCounter *table, const uint64_t *values, size_t n);

/* Log-linear latency histogram: 32 buckets a power of two, relative error <= 1/32. Range 0 … 2^63 ps. */
typedef struct SimHistogram SimHistogram;
SimHistogram *sim_histogram_new(void);
void sim_histogram_free(SimHistogram *self);
void sim_histogram_add(SimHistogram *self, SimTime value);
uint64_t sim_histogram_count(const SimHistogram *self);
/* Writes `latency` buckets (low_ps and high_ps are both in the bucket) and `latency_sum`; nothing when it is empty. */
void sim_histogram_record(const SimHistogram *self, SimTelemetry *telemetry, const char *at, const char *device, const char *opcode);
