/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A port on a fake bus with 64 MiB of memory from 4 GiB on, a cable with a tester or a listener at
 * its other end, and a driver that is just clever enough to fill and empty rings. */
#pragma once
#include "ixgbe/ixgbe-internal.h"
#include "wire/wire-tester.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#define BENCH_MEMORY (UINT64_C(64) << 20)
#define BENCH_BASE (UINT64_C(1) << 32)
#define BENCH_RAISED 65536

typedef struct BenchRing {
    uint64_t base, buffers;
    unsigned entries, next, tail; /* next: to look at; tail: as last written */
} BenchRing;

typedef struct Bench {
    SimQueue *queue;
    PcieLink *link;
    PcieFunction *function;
    IxgbeProfile *profile;
    Wire *wire;
    WireTester *tester;
    SimPort port;
    IxgbeModel *model;
    uint8_t *memory;
    uint64_t used; /* memory handed out */
    SimIrqMode mode;
    unsigned raised[BENCH_RAISED], raised_n;
    bool intx;
    BenchRing rx[IXGBE_QUEUES], tx[IXGBE_QUEUES];
    /* What the listener at the other end has heard. */
    uint8_t heard[IXGBE_FRAME_MOST];
    size_t heard_bytes;
    unsigned heard_n;
    SimTelemetry *telemetry;
    char *telemetry_path;
} Bench;

/* @name: of the profile; then "key=value" lines, NULL-ended, that replace values of the profile. */
Bench *bench_new_with(const char *change, ...) G_GNUC_NULL_TERMINATED;
#define bench_new() bench_new_with("82599es", NULL)
void bench_free(Bench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bench, bench_free)

uint32_t bench_read(Bench *self, uint32_t offset);
void bench_write(Bench *self, uint32_t offset, uint32_t value);
void bench_run(Bench *self, SimTime span);
uint64_t bench_allocate(Bench *self, size_t bytes); /* address, on a cache line */
void *bench_memory(Bench *self, uint64_t address, size_t bytes);
unsigned bench_violations(Bench *self);

/* Receiver and transmitter on, promiscuous, advanced descriptors; MSI-X with vector q for RX queue
 * q and 32 + q for TX queue q, all enabled. */
void bench_start(Bench *self);
/* A ring of @entries with 2 KiB buffers, all but one given to the port. */
void bench_rx_ring(Bench *self, unsigned queue, unsigned entries);
void bench_tx_ring(Bench *self, unsigned queue, unsigned entries, uint32_t txdctl);
/* The next frame that has been received; its buffer is given back, with a doorbell every @batch. */
bool bench_receive(Bench *self, unsigned queue, IxgbeRxWriteback *done, uint8_t *data);
void bench_refill(Bench *self, unsigned queue);
/* Puts one descriptor; the doorbell is bench_ring(). */
void bench_put(Bench *self, unsigned queue, IxgbeTxDesc desc);
void bench_ring(Bench *self, unsigned queue);
/* One frame in one buffer, RS, and the doorbell. */
void bench_send(Bench *self, unsigned queue, const uint8_t *frame, size_t bytes);
/* A frame arrives from the wire: UDP from 10.0.0.1:@source to 10.0.0.2:@destination. */
size_t bench_udp(uint8_t *frame, size_t bytes, unsigned source, unsigned destination, int vlan);
void bench_arrive(Bench *self, const uint8_t *frame, size_t bytes);
/* A generator takes the listener's place. */
void bench_tester(Bench *self, const WireTesterParams *params);
PcieCount bench_count(Bench *self, PciePurpose purpose, PcieDirection direction, PcieTlpType type);
/* Wire bytes of a direction, registers left out. */
uint64_t bench_bytes(Bench *self, PcieDirection direction);
void bench_check(Bench *self);
