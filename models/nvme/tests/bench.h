/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controller on a fake port: two windows of host memory (from 0 and from 4 GiB on), a list of
 * raised vectors, a clock that is wound by hand; and a driver that is just clever enough to submit
 * and reap. */
#pragma once
#include "nvme/nvme-internal.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#define BENCH_WINDOW (UINT64_C(16) << 20) /* bytes of each window */
#define BENCH_HIGH (UINT64_C(1) << 32)    /* where the second begins */
#define BENCH_QUEUES 80
#define BENCH_RAISED 65536

/* Data for tests: low memory from 4 MiB on is theirs, below are the queues. */
#define BENCH_DATA UINT64_C(0x400000)
#define BENCH_LIST UINT64_C(0x800000)

typedef struct BenchQueue {
    uint64_t base;
    uint32_t size, tail, head;
    bool phase;
} BenchQueue;

typedef struct Bench {
    SimQueue *queue;
    PcieLink *link;
    PcieFunction *function;
    NvmeProfile *profile;
    SimPort port;
    NvmeModel *model;
    uint8_t *low, *high;
    SimIrqMode mode;
    unsigned vectors;
    bool masked;  /* raise() says so */
    bool bus_off; /* no bus mastery: DMA fails */
    unsigned raised[BENCH_RAISED], raised_n;
    bool intx;
    unsigned intx_changes;
    uint64_t dma_reads, dma_writes;
    BenchQueue sq[BENCH_QUEUES], cq[BENCH_QUEUES];
    uint64_t next_queue; /* memory handed out to queues */
    uint16_t next_cid;
    SimTelemetry *telemetry;
    char *telemetry_path;
} Bench;

/* @changes: "key=value" lines, NULL-ended, that replace values of profile @name. */
Bench *bench_new_with(const char *name, const NvmeModelOptions *options,
                      ...) G_GNUC_NULL_TERMINATED;
#define bench_new(name) bench_new_with(name, NULL, NULL)
void bench_free(Bench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bench, bench_free)

/* Guest memory at @address, or a failed test. */
void *bench_memory(Bench *self, uint64_t address, uint64_t bytes);
uint64_t bench_read(Bench *self, uint64_t offset, unsigned size);
void bench_write(Bench *self, uint64_t offset, uint64_t value, unsigned size);
void bench_run(Bench *self, SimTime span);
/* The guest sets or clears Bus Master Enable: on at first. */
void bench_bus_master(Bench *self, bool on);
uint32_t bench_csts(Bench *self);
unsigned bench_violations(Bench *self);

/* Admin queues of @sqs and @cqs entries; waits for RDY=1. */
void bench_enable_with(Bench *self, unsigned sqs, unsigned cqs);
#define bench_enable(self) bench_enable_with(self, 32, 32)
void bench_disable(Bench *self);

/* Puts an entry into the ring without a doorbell; the CID is chosen if it is 0. */
uint16_t bench_put(Bench *self, unsigned qid, NvmeSqe sqe);
void bench_ring(Bench *self, unsigned qid); /* tail doorbell */
uint16_t bench_submit(Bench *self, unsigned qid, NvmeSqe sqe);
/* The next CQE if there is one; the head doorbell is written. */
bool bench_reap(Bench *self, unsigned cqid, NvmeCqe *cqe);
bool bench_peek(Bench *self, unsigned cqid, NvmeCqe *cqe); /* takes it, no doorbell */
void bench_release(Bench *self, unsigned cqid);            /* the head doorbell */
/* Submits, waits, reaps; fails the test if no CQE comes in 10 s of model time. */
NvmeCqe bench_command(Bench *self, unsigned qid, unsigned cqid, NvmeSqe sqe);
#define bench_admin(self, ...) bench_command(self, 0, 0, (NvmeSqe){__VA_ARGS__})
static inline unsigned bench_code(NvmeCqe cqe)
{
    return cqe.status >> 1 & NVME_STATUS_CODE;
}

/* Create I/O queues; the status code. */
unsigned bench_create_cq(Bench *self, unsigned qid, unsigned size, unsigned vector);
unsigned bench_create_sq(Bench *self, unsigned qid, unsigned size, unsigned cqid);
/* An enabled controller with I/O queue pair 1 of @size entries. */
void bench_start(Bench *self, unsigned size);
NvmeSqe bench_io(unsigned opcode, uint64_t slba, unsigned blocks, uint64_t prp1, uint64_t prp2);
unsigned bench_rw(Bench *self, unsigned opcode, uint64_t slba, unsigned blocks, uint64_t prp1,
                  uint64_t prp2);
PcieCount bench_count(Bench *self, PciePurpose purpose, PcieDirection direction, PcieTlpType type);
/* All identities, model and link. */
void bench_check(Bench *self);
