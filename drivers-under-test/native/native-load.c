/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native-load.h"

#include "../guest/generator.h"

/* Threads start one after the other, as processes do that a shell starts. */
#define START_GAP (20 * SIM_US)
/* One look at a polled queue that has nothing new. */
#define LOOK (200 * SIM_NS)

typedef struct Target {
    NativeController *controller;
    uint64_t base_bytes, blocks, cursor;
    NativeLoadResult result;
} Target;

typedef struct Thread Thread;

typedef struct ThreadIo {
    NativeIo io;
    Thread *thread;
    struct ThreadIo *next; /* of those not in flight */
} ThreadIo;

struct Thread {
    HostThread host;
    NativeLoad *load;
    Target *target;
    uint64_t state; /* of its pseudo-random numbers */
    ThreadIo *ios, *idle;
    uint64_t in_flight;
};

struct NativeLoad {
    NativeLoadSpec spec;
    HostCpus *cpus;
    SimQueue *queue;
    void (*window)(void *opaque, bool start);
    void *opaque;
    Target *targets;
    Thread *threads;
    uint64_t threads_n, started, completed, in_flight;
    SimEvent starter;
    SimTime start_ps, end_ps, deadline;
    bool open, over;
};

/* --- The window --- */

static void open_window(NativeLoad *self)
{
    self->start_ps = sim_queue_now(self->queue);
    self->open = true;
    self->deadline = self->spec.ios ? SIM_TIME_NEVER : self->start_ps + self->spec.time_ps;
    if (self->spec.window) {
        self->window(self->opaque, true);
    }
}

static void close_window(NativeLoad *self)
{
    self->end_ps = sim_queue_now(self->queue);
    self->over = true;
    if (self->spec.window) {
        self->window(self->opaque, false);
    }
}

/* Whether a completion is inside; the one that is the last is. */
static bool count_completion(NativeLoad *self)
{
    uint64_t ordinal = ++self->completed;
    bool inside = self->open && !self->over;

    if (ordinal == self->spec.warmup) {
        open_window(self);
    } else if (inside && (self->spec.ios ? ordinal == self->spec.warmup + self->spec.ios
                                         : sim_queue_now(self->queue) >= self->deadline)) {
        close_window(self);
    }
    return inside;
}

/* --- An I/O --- */

static uint64_t next_offset(Thread *thread)
{
    const NativeLoadSpec *spec = &thread->load->spec;
    Target *target = thread->target;
    uint64_t block = spec->random ? generator_below(&thread->state, target->blocks)
                                  : target->cursor++ % target->blocks;

    return target->base_bytes + block * spec->block_bytes;
}

static void io_done(NativeIo *io, NvmeStatus status)
{
    ThreadIo *own = (ThreadIo *)io;
    Thread *thread = own->thread;
    NativeLoad *load = thread->load;
    SimTime took = sim_queue_now(load->queue) - io->begin;
    NativeLoadResult *result = &thread->target->result;

    own->next = thread->idle;
    thread->idle = own;
    thread->in_flight--;
    load->in_flight--;
    result->errors += status != NVME_OK;
    if (count_completion(load)) {
        result->ios++;
        result->sum_ps += took;
        result->max_ps = MAX(result->max_ps, took);
    }
}

/* Before the change of July 2016 a buffer's pages were mapped for the kernel: two global locks, and
 * an IPI to every cpu that might know the old mapping. */
static SimTime map_buffer(const Thread *thread, SimTime start)
{
    NativeController *controller = thread->target->controller;
    HostCpus *cpus = thread->load->cpus;
    SimTime cost = 0;

    if (!controller->parameters->physio) {
        return 0;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(controller->shared->buffer_locks); i++) {
        SimTime hold = host_cpus_costs(cpus)->buffer_lock_ps;

        cost += host_lock_take(cpus, &controller->shared->buffer_locks[i], thread->host.cpu,
                               start + cost, hold) +
                hold;
    }
    return cost + host_cpus_broadcast(cpus, thread->host.cpu);
}

static NativeSq *queue_of(const Thread *thread)
{
    return native_sq_of(thread->target->controller, thread->host.cpu, thread->load->spec.write);
}

static NativeCq *polled_cq(const Thread *thread)
{
    NativeController *controller = thread->target->controller;
    unsigned cq;

    if (!controller->polls) {
        return NULL;
    }
    cq = controller->map.cq_of[queue_of(thread)->qid];

    return controller->map.polled[cq] ? &controller->cqs[cq] : NULL;
}

static bool can_submit(const Thread *thread)
{
    return thread->idle && !thread->load->over;
}

static SimTime begin(HostThread *host, SimTime start)
{
    Thread *thread = (Thread *)host;
    const NativeLoadSpec *spec = &thread->load->spec;
    const HostCosts *costs = host_cpus_costs(host->cpus);
    uint64_t pages = (spec->block_bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES;
    SimTime cost;

    if (!can_submit(thread)) {
        NativeCq *cq = polled_cq(thread);

        return !cq ? 0 : native_cq_peek(cq) ? costs->complete_ps : LOOK;
    }
    thread->idle->io.begin = start;
    cost = costs->submit_ps + pages * costs->page_ps;
    cost += map_buffer(thread, start);
    return cost + host_lock_take(host->cpus, &queue_of(thread)->lock, host->cpu,
                                 start + cost - MIN(cost, costs->lock_hold_ps),
                                 costs->lock_hold_ps);
}

static HostNext submit(Thread *thread)
{
    ThreadIo *io = thread->idle;
    const NativeLoadSpec *spec = &thread->load->spec;

    if (queue_of(thread)->free_n == 0) { /* before an offset is drawn */
        return native_submit(thread->target->controller, queue_of(thread), &io->io) ? HOST_GOES_ON
                                                                                    : HOST_BLOCKS;
    }
    io->io.offset = next_offset(thread);
    io->io.bytes = spec->block_bytes;
    io->io.write = spec->write;
    thread->idle = io->next;
    thread->in_flight++;
    thread->load->in_flight++;
    native_submit(thread->target->controller, queue_of(thread), &io->io);
    return can_submit(thread) || polled_cq(thread) ? HOST_GOES_ON : HOST_BLOCKS;
}

static HostNext step(HostThread *host, NativeCq *cq)
{
    Thread *thread = (Thread *)host;

    if (can_submit(thread)) {
        return submit(thread);
    }
    if (!cq || thread->in_flight == 0) {
        return HOST_BLOCKS;
    }
    if (native_poll(thread->target->controller, cq, host->cpu)) {
        return thread->in_flight > 0 || can_submit(thread) ? HOST_GOES_ON : HOST_BLOCKS;
    }
    g_queue_push_tail(&cq->spinners, host);
    return HOST_SPINS;
}

/* An entry wakes one spinner.  If that one goes to sleep, because another has taken its own entry
 * meanwhile, the next must see to what is there. */
static HostNext end(HostThread *host)
{
    NativeCq *cq = polled_cq((Thread *)host);
    HostNext next;

    if (cq) {
        g_queue_remove(&cq->spinners, host);
    }
    next = step(host, cq);
    if (next == HOST_BLOCKS && cq && cq->spinners.head && native_cq_peek(cq)) {
        HostThread *spinner = g_queue_pop_head(&cq->spinners);

        host_thread_wake(spinner, spinner->cpu);
    }
    return next;
}

/* --- Life --- */

static void init_thread(NativeLoad *self, uint64_t index, HostMemory *memory)
{
    const NativeLoadSpec *spec = &self->spec;
    Thread *thread = &self->threads[index];
    unsigned device = (unsigned)(index / spec->readers);

    host_thread_init(&thread->host, self->cpus, (unsigned)(index % host_cpus_n(self->cpus)),
                     spec->pinned);
    thread->host.begin = begin;
    thread->host.end = end;
    thread->load = self;
    thread->target = &self->targets[device];
    thread->state = generator_start(spec->seed, device, index % spec->readers);
    thread->ios = g_new0(ThreadIo, spec->depth);
    for (uint64_t i = spec->depth; i-- > 0;) {
        ThreadIo *io = &thread->ios[i];

        io->thread = thread;
        io->io.thread = &thread->host;
        io->io.done = io_done;
        io->io.buffer = host_memory_payload(memory, spec->block_bytes);
        io->next = thread->idle;
        thread->idle = io;
    }
}

static void start_next(void *opaque)
{
    NativeLoad *self = opaque;
    HostThread *thread = &self->threads[self->started++].host;

    if (self->started < self->threads_n) {
        sim_queue_schedule(self->queue, &self->starter, sim_queue_now(self->queue) + START_GAP,
                           SIM_PRIO_NORMAL);
    }
    host_thread_wake(thread, thread->cpu);
}

NativeLoad *native_load_new(const NativeLoadSpec *spec, NativeController *const *controllers,
                            HostCpus *cpus, HostMemory *memory,
                            void (*window)(void *opaque, bool start), void *opaque)
{
    NativeLoad *self = g_new0(NativeLoad, 1);

    self->spec = *spec;
    self->cpus = cpus;
    self->queue = host_cpus_queue(cpus);
    self->window = window;
    sim_event_init(&self->starter, start_next, self);
    self->opaque = opaque;
    self->targets = g_new0(Target, spec->devices_n);
    for (unsigned i = 0; i < spec->devices_n; i++) {
        self->targets[i].controller = controllers[spec->devices[i]];
        self->targets[i].base_bytes = spec->offset_bytes;
        self->targets[i].blocks = spec->span_bytes / spec->block_bytes;
    }
    self->threads_n = spec->readers * spec->devices_n;
    self->threads = g_new0(Thread, self->threads_n);
    for (uint64_t i = 0; i < self->threads_n; i++) {
        init_thread(self, i, memory);
    }
    return self;
}

void native_load_free(NativeLoad *self)
{
    if (!self) {
        return;
    }
    sim_queue_cancel(self->queue, &self->starter);
    for (uint64_t i = 0; i < self->threads_n; i++) {
        sim_queue_cancel(self->queue, &self->threads[i].host.event);
        g_free(self->threads[i].ios);
    }
    g_free(self->threads);
    g_free(self->targets);
    g_free(self);
}

void native_load_start(NativeLoad *self)
{
    if (self->spec.warmup == 0) {
        open_window(self);
    }
    start_next(self);
}

bool native_load_finished(const NativeLoad *self)
{
    return self->over && self->in_flight == 0;
}

const NativeLoadResult *native_load_result(const NativeLoad *self, unsigned device)
{
    return &self->targets[device].result;
}

SimTime native_load_window_ps(const NativeLoad *self)
{
    return self->end_ps - self->start_ps;
}
