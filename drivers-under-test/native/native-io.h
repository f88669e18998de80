/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues of a controller as its driver holds them, and the way of an I/O: submit, interrupt,
 * completion. */
#pragma once
#include "native.h"

typedef struct NativeIo NativeIo;

/* One I/O in flight; belongs to the thread that does it. */
struct NativeIo {
    HostThread *thread;
    void (*done)(NativeIo *self, NvmeStatus status); /* before its thread is woken */
    uint64_t buffer;                                 /* page aligned */
    uint64_t offset, bytes;
    bool write;
    unsigned cpu;  /* that submitted it */
    SimTime begin; /* for whoever measures it */
};

typedef struct NativeSlot {
    NativeIo *io;
    uint64_t prp_list; /* address */
    uint64_t *entries;
    uint32_t room; /* entries that the list can hold; 0: not needed yet */
    uint8_t generation;
} NativeSlot;

typedef struct NativeSq {
    uint16_t qid;
    uint64_t address;
    NvmeSqe *ring;
    uint32_t size, tail;
    NativeSlot *slots; /* by CID, tags_n of them */
    uint16_t *free;    /* CIDs, last freed on top */
    uint32_t tags_n, free_n;
    uint64_t lists; /* short PRP lists of all slots, address; 0: not needed yet */
    HostLock lock;
    GQueue waiting; /* HostThread * that found no CID */
} NativeSq;

typedef struct NativeCq {
    uint16_t qid;
    uint64_t address;
    NvmeCqe *ring;
    uint32_t size, head;
    bool phase, unrung; /* entries taken whose doorbell is still to be written */
    GQueue spinners;    /* HostThread * that poll it */
} NativeCq;

typedef struct NativeVector {
    NativeController *controller;
    SimEvent event;
    unsigned number, cpu;
    unsigned first_cq; /* then each step of vectors - 1 */
    bool active, again;
    uint64_t interrupts; /* taken */
} NativeVector;

/* @driver, @parameters, @shared: (transfer none), must outlive it. */
NativeController *native_controller_new(const NativeDriver *driver,
                                        const NativeParameters *parameters, NativeShared *shared,
                                        const NativeHost *host, unsigned index, HostDevice *device,
                                        HostCpus *cpus, SimTime give_up);
void native_controller_free(NativeController *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NativeController, native_controller_free)
/* After a successful attach: handlers take over. */
void native_controller_start(NativeController *self);

void native_sq_init(NativeController *self, unsigned qid, unsigned entries, unsigned tags);
void native_cq_init(NativeController *self, unsigned qid, unsigned entries);
void native_sq_put(NativeController *self, NativeSq *sq, const NvmeSqe *sqe); /* and doorbell */
const NvmeCqe *native_cq_peek(const NativeCq *self); /* NULL: nothing new */
void native_cq_advance(NativeCq *self);
void native_cq_ring(NativeController *self, NativeCq *cq); /* head doorbell */

/* The queue that @cpu uses. */
static inline NativeSq *native_sq_of(const NativeController *self, unsigned cpu, bool write)
{
    return &self->sqs[write ? self->map.write_sq[cpu] : self->map.read_sq[cpu]];
}
/* False: no CID is free; @io's thread is woken when one is. */
bool native_submit(NativeController *self, NativeSq *sq, NativeIo *io);
/* The CQ is polled: takes what is there on @cpu, returns whether there was something. */
bool native_poll(NativeController *self, NativeCq *cq, unsigned cpu);
