/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hot path.  An I/O costs two events here: the end of its submission and its CQE's handling. */
#include "native-io.h"

#include <string.h>

enum { DOORBELLS = 0x1000, LIST_BYTES = 512 }; /* PRP lists of up to 64 entries: 256 KiB */

/* --- Queues --- */

void native_sq_init(NativeController *self, unsigned qid, unsigned entries, unsigned tags)
{
    NativeSq *sq = &self->sqs[qid];
    void *ring = NULL;

    sq->qid = (uint16_t)qid;
    sq->address = host_memory_allocate(host_device_memory(self->device),
                                       (uint64_t)entries * sizeof(NvmeSqe), &ring);
    sq->ring = ring;
    sq->size = entries;
    sq->tail = 0;
    sq->tags_n = sq->free_n = tags;
    sq->slots = g_new0(NativeSlot, tags);
    sq->free = g_new(uint16_t, tags);
    for (unsigned i = 0; i < tags; i++) {
        sq->free[i] = (uint16_t)(tags - 1 - i);
    }
    g_queue_init(&sq->waiting);
}

void native_cq_init(NativeController *self, unsigned qid, unsigned entries)
{
    NativeCq *cq = &self->cqs[qid];
    void *ring = NULL;

    cq->qid = (uint16_t)qid;
    cq->address = host_memory_allocate(host_device_memory(self->device),
                                       (uint64_t)entries * sizeof(NvmeCqe), &ring);
    cq->ring = ring;
    cq->size = entries;
    cq->head = 0;
    cq->phase = true;
    g_queue_init(&cq->spinners);
}

void native_sq_put(NativeController *self, NativeSq *sq, const NvmeSqe *sqe)
{
    sq->ring[sq->tail] = *sqe;
    sq->tail = sq->tail + 1 == sq->size ? 0 : sq->tail + 1;
    native_write(self, DOORBELLS + sq->qid * 8u, sq->tail);
}

const NvmeCqe *native_cq_peek(const NativeCq *self)
{
    const NvmeCqe *cqe = &self->ring[self->head];

    return (cqe->status & 1) == self->phase ? cqe : NULL;
}

void native_cq_advance(NativeCq *self)
{
    if (++self->head == self->size) {
        self->head = 0;
        self->phase = !self->phase;
    }
    self->unrung = true;
}

void native_cq_ring(NativeController *self, NativeCq *cq)
{
    cq->unrung = false;
    native_write(self, DOORBELLS + cq->qid * 8u + 4, cq->head);
}

/* --- Submission --- */

/* A list of @n entries: one of its queue's, or of its own where that is too short. */
static void give_list(NativeController *self, NativeSq *sq, NativeSlot *slot, uint64_t n)
{
    HostMemory *memory = host_device_memory(self->device);
    void *here = NULL;

    if (n * sizeof(uint64_t) > LIST_BYTES) {
        slot->prp_list = host_memory_allocate(memory, n * sizeof(uint64_t), &here);
        slot->entries = here;
        slot->room = (uint32_t)n;
        return;
    }
    if (!sq->lists) {
        sq->lists = host_memory_allocate(memory, (uint64_t)sq->tags_n * LIST_BYTES, &here);
        for (uint32_t i = 0; i < sq->tags_n; i++) {
            sq->slots[i].prp_list = sq->lists + i * LIST_BYTES;
            sq->slots[i].entries = (uint64_t *)here + i * (LIST_BYTES / sizeof(uint64_t));
            sq->slots[i].room = LIST_BYTES / sizeof(uint64_t);
        }
    }
}

/* [NVMe-1.1 §4.3]: PRP2 is the second page, or a list of all but the first. */
static void set_prps(NativeController *self, NativeSq *sq, NativeSlot *slot, const NativeIo *io,
                     NvmeSqe *sqe)
{
    uint64_t pages = (io->bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES;

    sqe->prp1 = io->buffer;
    if (pages == 2) {
        sqe->prp2 = io->buffer + HOST_PAGE_BYTES;
    } else if (pages > 2) {
        if (slot->room < pages - 1) {
            give_list(self, sq, slot, pages - 1);
        }
        for (uint64_t i = 1; i < pages; i++) {
            slot->entries[i - 1] = io->buffer + i * HOST_PAGE_BYTES;
        }
        sqe->prp2 = slot->prp_list;
    }
}

bool native_submit(NativeController *self, NativeSq *sq, NativeIo *io)
{
    uint64_t lba = io->offset >> self->lba_shift;
    NvmeSqe sqe = {.opcode = io->write ? NVME_IO_WRITE : NVME_IO_READ,
                   .nsid = 1,
                   .cdw10 = (uint32_t)lba,
                   .cdw11 = (uint32_t)(lba >> 32),
                   .cdw12 = (uint32_t)((io->bytes >> self->lba_shift) - 1)};
    NativeSlot *slot;
    uint16_t tag;

    if (sq->free_n == 0) {
        g_queue_push_tail(&sq->waiting, io->thread);
        return false;
    }
    tag = sq->free[--sq->free_n];
    slot = &sq->slots[tag];
    slot->io = io;
    sqe.cid = tag;
    if (self->driver->generation_in_cid) {
        sqe.cid |= (uint16_t)(slot->generation++ << 12);
    }
    set_prps(self, sq, slot, io, &sqe);
    io->cpu = io->thread->cpu;
    native_sq_put(self, sq, &sqe);
    return true;
}

/* --- Completion --- */

/* The oldest CQE of @cq: its I/O is done and its thread woken. */
static void complete(NativeController *self, NativeCq *cq, const NvmeCqe *cqe, unsigned cpu)
{
    NativeSq *sq = &self->sqs[cqe->sqid];
    uint16_t tag = self->driver->generation_in_cid ? cqe->cid & 0xfff : cqe->cid;
    NvmeStatus status = cqe->status >> 1;
    NativeIo *io;

    native_cq_advance(cq);
    if (self->driver->doorbell_each_cqe) {
        native_cq_ring(self, cq);
    }
    if (cqe->sqid > self->map.sqs || tag >= sq->tags_n || !sq->slots[tag].io) {
        return; /* "invalid id completed": ignored */
    }
    io = sq->slots[tag].io;
    sq->slots[tag].io = NULL;
    sq->free[sq->free_n++] = tag;
    io->done(io, status);
    host_thread_wake(io->thread, cpu);
    if (sq->waiting.head) {
        host_thread_wake(g_queue_pop_head(&sq->waiting), cpu);
    }
}

bool native_poll(NativeController *self, NativeCq *cq, unsigned cpu)
{
    const NvmeCqe *cqe;
    bool any = false;

    while ((cqe = native_cq_peek(cq))) {
        any = true;
        complete(self, cq, cqe, cpu);
    }
    if (cq->unrung) {
        native_cq_ring(self, cq);
    }
    return any;
}

/* The first CQ of the vector with something in it. */
static NativeCq *ready_cq(const NativeVector *vector)
{
    const NativeController *self = vector->controller;
    unsigned step = self->map.vectors > 1 ? self->map.vectors - 1 : 1;

    for (unsigned q = vector->first_cq; q <= self->map.cqs; q += step) {
        if (!self->map.polled[q] && native_cq_peek(&self->cqs[q])) {
            return &self->cqs[q];
        }
    }
    return NULL;
}

static void schedule_entry(NativeVector *vector, SimTime entry)
{
    NativeController *self = vector->controller;
    const HostCosts *costs = host_cpus_costs(self->cpus);

    sim_queue_schedule(self->queue, &vector->event,
                       host_cpu_interrupt(self->cpus, vector->cpu, entry + costs->complete_ps),
                       SIM_PRIO_NORMAL);
}

/* One doorbell for all that the handler took, queue by queue. */
static void ring_taken(const NativeVector *vector)
{
    NativeController *self = vector->controller;
    unsigned step = self->map.vectors > 1 ? self->map.vectors - 1 : 1;

    for (unsigned q = vector->first_cq; q <= self->map.cqs; q += step) {
        if (self->cqs[q].unrung) {
            native_cq_ring(self, &self->cqs[q]);
        }
    }
}

/* The handler has dealt with one CQE. */
static void vector_event(void *opaque)
{
    NativeVector *vector = opaque;
    NativeController *self = vector->controller;
    const HostCosts *costs = host_cpus_costs(self->cpus);
    NativeCq *cq = ready_cq(vector);

    if (cq) {
        complete(self, cq, native_cq_peek(cq), vector->cpu);
        if (ready_cq(vector)) {
            schedule_entry(vector, 0);
            return;
        }
    }
    if (!self->driver->doorbell_each_cqe) {
        ring_taken(vector);
    }
    vector->active = false;
    if (vector->again) { /* came while the handler ran, which took its CQE too */
        vector->again = false;
        host_cpu_interrupt(self->cpus, vector->cpu, costs->interrupt_ps);
    }
}

static void interrupt(void *opaque, unsigned number)
{
    NativeController *self = opaque;
    NativeVector *vector = &self->vectors[number];

    vector->interrupts++;
    host_cpu_count_interrupt(self->cpus, vector->cpu);
    if (vector->active) {
        vector->again = true;
        return;
    }
    if (number == 0 && self->map.vectors > 1) {
        return; /* the admin queue's */
    }
    vector->active = true;
    schedule_entry(vector, host_cpus_costs(self->cpus)->interrupt_ps);
}

/* The CQ whose ring @address lies in: rings are handed out in the order of queues. */
static NativeCq *cq_at(NativeController *self, uint64_t address)
{
    unsigned low = 1, high = self->map.cqs; /* of the last one that begins at @address or before */

    while (low < high) {
        unsigned middle = (low + high + 1) / 2;

        if (self->cqs[middle].address <= address) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return address - self->cqs[low].address < (uint64_t)self->cqs[low].size * sizeof(NvmeCqe)
               ? &self->cqs[low]
               : NULL;
}

/* A polled queue's spinners see the entry at once. */
static void posted(void *opaque, uint64_t address)
{
    NativeController *self = opaque;
    NativeCq *cq = cq_at(self, address);

    if (cq && self->map.polled[cq->qid] && cq->spinners.head) {
        HostThread *thread = g_queue_pop_head(&cq->spinners);

        host_thread_wake(thread, thread->cpu);
    }
}

static void no_interrupt(void *opaque, unsigned number) {}

static void poll_all(void *opaque)
{
    NativeController *self = opaque;

    for (unsigned q = 1; q <= self->map.cqs; q++) {
        if (!self->map.polled[q] && !self->vectors[self->map.vector_of[q]].active) {
            native_poll(self, &self->cqs[q], 0);
        }
    }
    sim_queue_schedule(self->queue, &self->poll, sim_queue_now(self->queue) + self->driver->poll_ps,
                       SIM_PRIO_LATE);
}

/* --- Life --- */

NativeController *native_controller_new(const NativeDriver *driver,
                                        const NativeParameters *parameters, NativeShared *shared,
                                        const NativeHost *host, unsigned index, HostDevice *device,
                                        HostCpus *cpus, SimTime give_up)
{
    static const HostDeviceOps attaching = {no_interrupt, NULL};
    NativeController *self = g_new0(NativeController, 1);

    self->driver = driver;
    self->parameters = parameters;
    self->shared = shared;
    self->host = *host;
    self->index = index;
    self->device = device;
    self->cpus = cpus;
    self->queue = host_cpus_queue(cpus);
    self->give_up = give_up;
    self->sqs = g_new0(NativeSq, NATIVE_QUEUES + 1);
    self->cqs = g_new0(NativeCq, NATIVE_QUEUES + 1);
    sim_event_init(&self->poll, poll_all, self);
    host_device_enable_vectors(device, host_device_vectors(device));
    host_device_listen(device, &attaching, self);
    return self;
}

void native_controller_start(NativeController *self)
{
    static const HostDeviceOps running = {interrupt, NULL};
    static const HostDeviceOps polling = {interrupt, posted};

    self->vectors = g_new0(NativeVector, NATIVE_QUEUES + 1);
    for (unsigned i = 0; i <= NATIVE_QUEUES; i++) {
        NativeVector *vector = &self->vectors[i];

        vector->controller = self;
        vector->number = i;
        vector->cpu = self->map.vector_cpu[i];
        vector->first_cq = MAX(i, 1);
        sim_event_init(&vector->event, vector_event, vector);
    }
    for (unsigned q = 1; q <= self->map.cqs; q++) {
        self->polls = self->polls || self->map.polled[q];
    }
    host_device_listen(self->device, self->polls ? &polling : &running, self);
    if (self->driver->poll_ps) {
        sim_queue_schedule(self->queue, &self->poll,
                           sim_queue_now(self->queue) + self->driver->poll_ps, SIM_PRIO_LATE);
    }
}

void native_controller_free(NativeController *self)
{
    if (!self) {
        return;
    }
    host_device_listen(self->device, NULL, NULL);
    sim_queue_cancel(self->queue, &self->poll);
    for (unsigned i = 0; self->vectors && i <= NATIVE_QUEUES; i++) {
        sim_queue_cancel(self->queue, &self->vectors[i].event);
    }
    for (unsigned q = 0; q <= NATIVE_QUEUES; q++) {
        g_free(self->sqs[q].slots);
        g_free(self->sqs[q].free);
        g_queue_clear(&self->sqs[q].waiting);
        g_queue_clear(&self->cqs[q].spinners);
    }
    g_free(self->sqs);
    g_free(self->cqs);
    g_free(self->vectors);
    g_free(self);
}
