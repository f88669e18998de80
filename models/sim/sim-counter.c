/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters described by a table, and the latency histogram. */
#include "sim/sim-counter.h"

#define SUB_BITS 5 /* 32 buckets a power of two */
#define SUB_BUCKETS (1u << SUB_BITS)
/* Values below 32 have a bucket each; then one block of 32 for each top bit from 5 to 62. */
#define BUCKETS ((63 - SUB_BITS + 1) * SUB_BUCKETS)

void sim_counters_record(SimTelemetry *telemetry, const char *at, const char *device,
                         const char *scope, unsigned index, const SimCounter *table,
                         const uint64_t *values, size_t n)
{
    for (size_t i = 0; telemetry && i < n; i++) {
        if (values[i] == 0) {
            continue;
        }
        sim_telemetry_begin(telemetry, "counter");
        sim_telemetry_str(telemetry, "at", at);
        sim_telemetry_str(telemetry, "device", device);
        sim_telemetry_str(telemetry, "scope", scope);
        sim_telemetry_u64(telemetry, "index", index);
        sim_telemetry_str(telemetry, "name", table[i].name);
        sim_telemetry_u64(telemetry, "value", values[i]);
        sim_telemetry_end(telemetry);
    }
}

struct SimHistogram {
    uint64_t count, sum;
    SimTime max;
    uint64_t buckets[BUCKETS];
};

SimHistogram *sim_histogram_new(void)
{
    return g_new0(SimHistogram, 1);
}

void sim_histogram_free(SimHistogram *self)
{
    g_free(self);
}

static unsigned bucket_of(SimTime value)
{
    unsigned shift;

    if (value < SUB_BUCKETS) {
        return (unsigned)value;
    }
    shift = 63u - (unsigned)__builtin_clzll(value) - SUB_BITS;
    return (shift + 1) * SUB_BUCKETS + ((unsigned)(value >> shift) & (SUB_BUCKETS - 1));
}

/* First and last value of a bucket, both in it. */
static void bucket_range(unsigned bucket, SimTime *low, SimTime *high)
{
    unsigned shift = bucket < SUB_BUCKETS ? 0 : bucket / SUB_BUCKETS - 1;
    SimTime top = bucket < SUB_BUCKETS ? bucket : SUB_BUCKETS + bucket % SUB_BUCKETS;

    *low = top << shift;
    *high = *low + ((SimTime)1 << shift) - 1;
}

void sim_histogram_add(SimHistogram *self, SimTime value)
{
    value = MIN(value, (SimTime)INT64_MAX);
    self->buckets[bucket_of(value)]++;
    self->count++;
    self->sum = self->sum > INT64_MAX - value ? INT64_MAX : self->sum + value;
    self->max = MAX(self->max, value);
}

uint64_t sim_histogram_count(const SimHistogram *self)
{
    return self->count;
}

void sim_histogram_record(const SimHistogram *self, SimTelemetry *telemetry, const char *at,
                          const char *device, const char *opcode)
{
    if (!telemetry || self->count == 0) {
        return;
    }
    for (unsigned i = 0; i < BUCKETS; i++) {
        SimTime low, high;

        if (self->buckets[i] == 0) {
            continue;
        }
        bucket_range(i, &low, &high);
        sim_telemetry_begin(telemetry, "latency");
        sim_telemetry_str(telemetry, "at", at);
        sim_telemetry_str(telemetry, "device", device);
        sim_telemetry_str(telemetry, "opcode", opcode);
        sim_telemetry_u64(telemetry, "low_ps", low);
        sim_telemetry_u64(telemetry, "high_ps", high);
        sim_telemetry_u64(telemetry, "count", self->buckets[i]);
        sim_telemetry_end(telemetry);
    }
    sim_telemetry_begin(telemetry, "latency_sum");
    sim_telemetry_str(telemetry, "at", at);
    sim_telemetry_str(telemetry, "device", device);
    sim_telemetry_str(telemetry, "opcode", opcode);
    sim_telemetry_u64(telemetry, "count", self->count);
    sim_telemetry_u64(telemetry, "sum_ps", self->sum);
    sim_telemetry_u64(telemetry, "max_ps", self->max);
    sim_telemetry_end(telemetry);
}
