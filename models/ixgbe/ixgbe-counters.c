/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counter tables, the records at a mark, and the identity that must hold in every run. */
#include "ixgbe/ixgbe-internal.h"

#define COUNTER(scope, name, unit, meaning) COUNTER_##scope(name, unit, meaning)
#define COUNTER_RING(n, u, m)
#define COUNTER_VECTOR(n, u, m)
#define COUNTER_DEVICE(n, u, m) [IXGBE_DEVICE_##n] = {#n, u, m},
const SimCounter ixgbe_model_device_counters[IXGBE_DEVICE_COUNTERS] = {
#include "ixgbe-counters.def"
};
#undef COUNTER_DEVICE
#undef COUNTER_RING
#define COUNTER_DEVICE(n, u, m)
#define COUNTER_RING(n, u, m) [IXGBE_RING_##n] = {#n, u, m},
const SimCounter ixgbe_model_ring_counters[IXGBE_RING_COUNTERS] = {
#include "ixgbe-counters.def"
};
#undef COUNTER_RING
#undef COUNTER_VECTOR
#define COUNTER_RING(n, u, m)
#define COUNTER_VECTOR(n, u, m) [IXGBE_VECTOR_##n] = {#n, u, m},
const SimCounter ixgbe_model_vector_counters[IXGBE_VECTOR_COUNTERS] = {
#include "ixgbe-counters.def"
};

/* Counted from the engine itself, not from what came in. */
static uint64_t waiting(const IxgbeModel *self)
{
    uint64_t n = 0;

    for (const IxgbeFrame *frame = self->rx_first; frame != NULL; frame = frame->next) {
        n++;
    }
    for (guint i = 0; i < self->job_list->len; i++) {
        const IxgbeRxJob *job = g_ptr_array_index(self->job_list, i);
        n += sim_event_scheduled(&job->event) ? job->frames_n : 0;
    }
    for (guint i = 0; i < self->writeback_list->len; i++) {
        const IxgbeWriteback *writeback = g_ptr_array_index(self->writeback_list, i);
        n += sim_event_scheduled(&writeback->event) && !writeback->tx ? writeback->frames : 0;
    }
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        n += self->rx[q].ready_frames;
    }
    return n;
}

void ixgbe_model_record(IxgbeModel *self, const char *at)
{
    SimTelemetry *telemetry = self->port->telemetry;
    const char *device = self->port->device;

    self->counts[IXGBE_DEVICE_frames_waiting] = waiting(self);
    if (telemetry == NULL) {
        return;
    }
    sim_counters_record(telemetry, at, device, "device", 0, ixgbe_model_device_counters,
                        self->counts, IXGBE_DEVICE_COUNTERS);
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        uint64_t both[IXGBE_RING_COUNTERS];
        for (unsigned i = 0; i < IXGBE_RING_COUNTERS; i++) {
            both[i] = self->rx[q].counts[i] + self->tx[q].counts[i];
        }
        sim_counters_record(telemetry, at, device, "ring", q, ixgbe_model_ring_counters, both,
                            IXGBE_RING_COUNTERS);
    }
    for (unsigned v = 0; v < IXGBE_VECTORS; v++) {
        sim_counters_record(telemetry, at, device, "vector", v, ixgbe_model_vector_counters,
                            self->vectors[v].counts, IXGBE_VECTOR_COUNTERS);
    }
    pcie_function_record(self->function, telemetry, at, device);
}

void ixgbe_model_sample(IxgbeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;
    const uint64_t *counts = self->counts;

    sim_telemetry_begin(telemetry, "sample");
    sim_telemetry_u64(telemetry, "t_ps", sim_port_now(self->port));
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_u64(telemetry, "completed",
                      counts[IXGBE_DEVICE_frames_delivered] + counts[IXGBE_DEVICE_frames_sent]);
    sim_telemetry_u64(telemetry, "interrupts", counts[IXGBE_DEVICE_interrupts]);
    sim_telemetry_u64(telemetry, "bytes",
                      counts[IXGBE_DEVICE_bytes_received] + counts[IXGBE_DEVICE_bytes_sent]);
    sim_telemetry_end(telemetry);
}

bool ixgbe_model_check(IxgbeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;
    const uint64_t *counts = self->counts;
    uint64_t left = counts[IXGBE_DEVICE_frames_received];
    uint64_t right = counts[IXGBE_DEVICE_frames_delivered] + waiting(self);

    for (unsigned i = IXGBE_DEVICE_dropped_disabled; i <= IXGBE_DEVICE_dropped_director; i++) {
        right += counts[i];
    }
    sim_telemetry_begin(telemetry, "identity");
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "name", "received = delivered + dropped + waiting");
    sim_telemetry_u64(telemetry, "left", left);
    sim_telemetry_u64(telemetry, "right", right);
    sim_telemetry_bool(telemetry, "held", left == right);
    sim_telemetry_end(telemetry);
    return left == right;
}
