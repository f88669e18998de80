/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counter tables, the records at a mark, and the identities that must hold in every run. */
#include "nvme/nvme-internal.h"

#define COUNTER(scope, name, unit, meaning) COUNTER_##scope(name, unit, meaning)
#define COUNTER_SQ(n, u, m)
#define COUNTER_CQ(n, u, m)
#define COUNTER_VECTOR(n, u, m)
#define COUNTER_DEVICE(n, u, m) [NVME_DEVICE_##n] = {#n, u, m},
const SimCounter nvme_model_device_counters[NVME_DEVICE_COUNTERS] = {
#include "nvme-counters.def"
};
#undef COUNTER_DEVICE
#undef COUNTER_SQ
#define COUNTER_DEVICE(n, u, m)
#define COUNTER_SQ(n, u, m) [NVME_SQ_##n] = {#n, u, m},
const SimCounter nvme_model_sq_counters[NVME_SQ_COUNTERS] = {
#include "nvme-counters.def"
};
#undef COUNTER_SQ
#undef COUNTER_CQ
#define COUNTER_SQ(n, u, m)
#define COUNTER_CQ(n, u, m) [NVME_CQ_##n] = {#n, u, m},
const SimCounter nvme_model_cq_counters[NVME_CQ_COUNTERS] = {
#include "nvme-counters.def"
};
#undef COUNTER_CQ
#undef COUNTER_VECTOR
#define COUNTER_CQ(n, u, m)
#define COUNTER_VECTOR(n, u, m) [NVME_VECTOR_##n] = {#n, u, m},
const SimCounter nvme_model_vector_counters[NVME_VECTOR_COUNTERS] = {
#include "nvme-counters.def"
};

static const char *const opcode_names[NVME_LATENCIES] = {"read", "write", "other"};

/* Adds @delta commands that became outstanding (or ceased to be) at @when, which may lie a little
 * before or behind the last change: doorbells take effect late, at their stamped time. */
void nvme_model_outstanding(NvmeModel *self, SimTime when, int64_t delta)
{
    if (when >= self->integral_at) {
        self->integral += (NvmeWide)self->outstanding * (when - self->integral_at);
        self->integral_at = when;
    } else if (delta >= 0) {
        self->integral += (NvmeWide)delta * (self->integral_at - when);
    } else {
        self->integral -= (NvmeWide)(-delta) * (self->integral_at - when);
    }
    self->outstanding = (uint64_t)((int64_t)self->outstanding + delta);
}

static void split(NvmeWide value, uint64_t *low, uint64_t *high)
{
    *low = (uint64_t)(value & ((UINT64_C(1) << 62) - 1));
    *high = (uint64_t)(value >> 62);
}

static uint64_t low62(NvmeWide value)
{
    uint64_t low, high;

    split(value, &low, &high);
    return low;
}

void nvme_model_record(NvmeModel *self, const char *at)
{
    SimTelemetry *telemetry = self->port->telemetry;
    const char *device = self->port->device;
    uint64_t *counts = self->counts;

    nvme_model_settle(self);
    nvme_model_outstanding(self, sim_port_now(self->port), 0);
    counts[NVME_DEVICE_commands_outstanding] = self->outstanding;
    split(self->time_sum, &counts[NVME_DEVICE_time_in_controller_ps],
          &counts[NVME_DEVICE_time_in_controller_high]);
    split(self->integral, &counts[NVME_DEVICE_outstanding_integral_ps],
          &counts[NVME_DEVICE_outstanding_integral_high]);
    if (telemetry == NULL) {
        return;
    }
    sim_counters_record(telemetry, at, device, "device", 0, nvme_model_device_counters, counts,
                        NVME_DEVICE_COUNTERS);
    for (unsigned q = 0; q < self->queues; q++) {
        sim_counters_record(telemetry, at, device, "sq", q, nvme_model_sq_counters,
                            self->sq_counts[q], NVME_SQ_COUNTERS);
    }
    for (unsigned q = 0; q < self->queues; q++) {
        sim_counters_record(telemetry, at, device, "cq", q, nvme_model_cq_counters,
                            self->cq_counts[q], NVME_CQ_COUNTERS);
    }
    for (unsigned v = 0; v < self->vectors_n; v++) {
        sim_counters_record(telemetry, at, device, "vector", v, nvme_model_vector_counters,
                            self->vectors[v].counts, NVME_VECTOR_COUNTERS);
    }
    for (unsigned i = 0; i < NVME_LATENCIES; i++) {
        sim_histogram_record(self->latency[i], telemetry, at, device, opcode_names[i]);
    }
    pcie_function_record(self->function, telemetry, at, device);
}

void nvme_model_sample(NvmeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;

    nvme_model_settle(self);
    sim_telemetry_begin(telemetry, "sample");
    sim_telemetry_u64(telemetry, "t_ps", sim_port_now(self->port));
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_u64(telemetry, "completed", self->counts[NVME_DEVICE_io_completed]);
    sim_telemetry_u64(telemetry, "interrupts", self->counts[NVME_DEVICE_interrupts]);
    sim_telemetry_u64(telemetry, "bytes",
                      self->counts[NVME_DEVICE_read_bytes] + self->counts[NVME_DEVICE_write_bytes]);
    sim_telemetry_end(telemetry);
}

static bool identity(NvmeModel *self, const char *name, NvmeWide left, NvmeWide right)
{
    SimTelemetry *telemetry = self->port->telemetry;

    sim_telemetry_begin(telemetry, "identity");
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "name", name);
    sim_telemetry_u64(telemetry, "left", low62(left));
    sim_telemetry_u64(telemetry, "right", low62(right));
    sim_telemetry_bool(telemetry, "held", left == right);
    sim_telemetry_end(telemetry);
    return left == right;
}

bool nvme_model_check(NvmeModel *self)
{
    uint64_t waiting = 0;
    NvmeWide time = self->time_sum;
    SimTime now;
    bool held;

    nvme_model_settle(self);
    now = sim_port_now(self->port);
    nvme_model_outstanding(self, now, 0);
    /* What is outstanding is counted here from the queues themselves. */
    for (unsigned q = 0; q < self->queues; q++) {
        const NvmeSq *sq = self->sqs[q];
        if (sq == NULL) {
            continue;
        }
        for (uint32_t i = sq->head; i != sq->tail; i = i + 1 == sq->size ? 0 : i + 1) {
            time += self->integral_at - sq->stamps[i];
            waiting++;
        }
        for (const NvmeCommand *c = sq->live; c != NULL; c = c->next) {
            time += self->integral_at - c->start;
            waiting++;
        }
    }
    held = identity(self, "submitted = completed + discarded + outstanding",
                    self->counts[NVME_DEVICE_commands_submitted],
                    (NvmeWide)self->counts[NVME_DEVICE_commands_completed] +
                        self->counts[NVME_DEVICE_commands_discarded] + waiting);
    held &=
        identity(self, "integral of outstanding = sum of time in controller", self->integral, time);
    return held;
}
