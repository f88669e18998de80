/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect]: the table of what may be expected of a device, a port, a wire, the CPUs, a queue map
 * and the traffic. */
#include "expect-private.h"

const Column expect_device_columns[] = {
    {"iops", "iops", UNIT_PER_S},
    {"mib_per_s", "mib_per_s", UNIT_NUMBER},
    {"bandwidth", "mib_per_s * 1048576", UNIT_RATE},
    {"latency_mean", "latency_mean_ns * 1000", UNIT_TIME},
    {"latency_p50", "latency_p50_ns * 1000", UNIT_TIME},
    {"latency_p90", "latency_p90_ns * 1000", UNIT_TIME},
    {"latency_p99", "latency_p99_ns * 1000", UNIT_TIME},
    {"latency_max", "latency_max_ns * 1000", UNIT_TIME},
    {"latency_p50_ns", "latency_p50_ns", UNIT_NUMBER},
    {"latency_p99_ns", "latency_p99_ns", UNIT_NUMBER},
    {"commands", "commands", UNIT_NUMBER},
    {"interrupts", "interrupts", UNIT_NUMBER, true},
    {"violations", "violations", UNIT_NUMBER, true},
    {"read_bytes", "read_bytes", UNIT_BYTES},
    {"write_bytes", "write_bytes", UNIT_BYTES},
    {"window", "window_ns * 1000", UNIT_TIME, true},
    {NULL},
};
/* Of view port_summary. */
const Column expect_port_columns[] = {
    {"rx_packets", "rx_packets", UNIT_NUMBER},
    {"tx_packets", "tx_packets", UNIT_NUMBER},
    {"rx_pps", "rx_pps", UNIT_PER_S},
    {"tx_pps", "tx_pps", UNIT_PER_S},
    {"received", "received", UNIT_NUMBER},
    {"dropped", "dropped", UNIT_NUMBER},
    {"rx_queues", "rx_queues", UNIT_NUMBER},
    {"tx_queues", "tx_queues", UNIT_NUMBER},
    {"descriptors_per_writeback", "descriptors_per_writeback", UNIT_NUMBER},
    {"tx_descriptors_per_writeback", "tx_descriptors_per_writeback", UNIT_NUMBER},
    {"wire_bytes_per_packet", "wire_bytes_per_packet", UNIT_NUMBER},
    {NULL},
};
/* Of a [wire NAME]: docs/qemu-devices.md. */
static const SimCounter wire_counters[] = {
    {"frames_generated", "", ""},   {"frames_sunk", "", ""}, {"bytes_sunk", "bytes", ""},
    {"frames_carried", "", ""},     {"frames_lost", "", ""}, {"frames_to_netdev", "", ""},
    {"frames_from_netdev", "", ""},
};
const Column expect_cpu_columns[] = {
    {"cpus", "cpus", UNIT_NUMBER},
    {"busy_pct", "busy_pct", UNIT_PERCENT},
    {"idle_pct", "idle_pct", UNIT_PERCENT},
    {"user_pct", "user_pct", UNIT_PERCENT},
    {"system_pct", "system_pct", UNIT_PERCENT},
    {"irq_pct", "irq_pct", UNIT_PERCENT},
    {"instructions", "instructions", UNIT_NUMBER},
    {"instructions_per_io", "instructions_per_io", UNIT_NUMBER},
    {NULL},
};
/* Of view traffic_summary. */
const Column expect_traffic_columns[] = {
    {"streams", "streams", UNIT_NUMBER},
    {"sent_bytes", "sent_bytes", UNIT_BYTES},
    {"verified_bytes", "verified_bytes", UNIT_BYTES},
    {"mismatched_bytes", "mismatched_bytes", UNIT_BYTES},
    {"missing_bytes", "missing_bytes", UNIT_BYTES},
    {"datagrams_sent", "datagrams_sent", UNIT_NUMBER},
    {"datagrams_lost", "datagrams_lost", UNIT_NUMBER},
    {"datagrams_repeated", "datagrams_repeated", UNIT_NUMBER},
    {NULL},
};
const Column expect_map_columns[] = {
    {"sqs", "COUNT(DISTINCT sq)", UNIT_NUMBER},
    {"cqs", "COUNT(DISTINCT cq)", UNIT_NUMBER},
    {"vectors", "COUNT(DISTINCT vector)", UNIT_NUMBER},
    {"cpus", "COUNT(DISTINCT cpu)", UNIT_NUMBER},
    {NULL},
};

const Column *expect_find_column(const Column *columns, const char *name)
{
    for (; columns->name; columns++) {
        if (g_str_equal(columns->name, name)) {
            return columns;
        }
    }
    return NULL;
}

/* Counters of devices of any type, then of wires; NULL: there are no more. */
static const SimCounter *nth_counter(size_t n)
{
    for (size_t t = 0; t < device_types_n; t++) {
        if (n < device_types[t].counters_n) {
            return &device_types[t].counters[n];
        }
        n -= device_types[t].counters_n;
    }
    return n < G_N_ELEMENTS(wire_counters) ? &wire_counters[n] : NULL;
}

const SimCounter *expect_find_counter(const char *name)
{
    const SimCounter *counter = NULL;
    size_t n = 0;

    do {
        counter = nth_counter(n++);
    } while (counter && !g_str_equal(counter->name, name));
    return counter;
}

static void add_counters(GPtrArray *words, const SimCounter *counters, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_ptr_array_add(words, (void *)counters[i].name);
    }
}

GPtrArray *expect_words_of(const DeviceType *type)
{
    GPtrArray *words = g_ptr_array_new();
    bool port = type == DEVICE_IXGBE;

    for (const Column *c = expect_device_columns; type && c->name; c++) {
        if (!port || c->of_ports) {
            g_ptr_array_add(words, (void *)c->name);
        }
    }
    for (const Column *c = expect_port_columns; port && c->name; c++) {
        g_ptr_array_add(words, (void *)c->name);
    }
    if (type) {
        add_counters(words, type->counters, type->counters_n);
        g_ptr_array_add(words, (void *)"vectors");
    } else {
        add_counters(words, wire_counters, G_N_ELEMENTS(wire_counters));
    }
    g_ptr_array_add(words, NULL);
    return words;
}
