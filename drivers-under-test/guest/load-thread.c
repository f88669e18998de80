/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of `load`.  What runs for each I/O is kept short, since the driver's instructions are
 * what a user wants to see: one system call, one time-stamp, one shared counter. */
#include "load-internal.h"
#include "generator.h"
#include <errno.h>
#include <linux/aio_abi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

typedef enum { COMPLETION_OUTSIDE, COMPLETION_INSIDE } Completion;

static uint64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* glibc's syscall() and pread() test for cancellation and errno; this is the instruction alone. */
static inline long raw_syscall(long number, long a, long b, long c, long d, long e)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

void load_window_open(LoadRun *run)
{
    run->start_ns = now_ns();
    run->start_tsc = __rdtsc();
    if (run->spec->time_ms) {
        atomic_store(&run->deadline_ns, run->start_ns + run->spec->time_ms * 1000000u);
    }
    if (run->spec->window) {
        channel_mark(run->channel, CHANNEL_MARK_START);
    }
}

static void window_close(LoadRun *run)
{
    if (run->spec->window) {
        channel_mark(run->channel, CHANNEL_MARK_END);
    }
    run->end_tsc = __rdtsc();
    run->end_ns = now_ns();
    atomic_store(&run->over, true);
}

/* With a limit of time: the first completion past it closes the window, and is in it. */
static Completion completed_by_time(LoadRun *run, uint64_t ordinal)
{
    uint64_t deadline = atomic_load_explicit(&run->deadline_ns, memory_order_relaxed);

    if (ordinal <= run->spec->warmup || atomic_load(&run->over)) {
        return COMPLETION_OUTSIDE;
    }
    if (deadline != UINT64_MAX && now_ns() >= deadline &&
        atomic_exchange(&run->deadline_ns, UINT64_MAX) != UINT64_MAX) {
        window_close(run);
    }
    return COMPLETION_INSIDE;
}

/* Counts one completion; the thread whose it is opens or closes the window. */
static inline Completion completed(LoadRun *run)
{
    uint64_t ordinal = atomic_fetch_add_explicit(&run->completed, 1, memory_order_relaxed) + 1;

    if (__builtin_expect(ordinal == run->spec->warmup, 0)) {
        load_window_open(run);
        return COMPLETION_OUTSIDE;
    }
    if (__builtin_expect(run->last == UINT64_MAX, 0)) {
        return completed_by_time(run, ordinal);
    }
    if (__builtin_expect(ordinal == run->last, 0)) {
        window_close(run);
    }
    return ordinal > run->spec->warmup && ordinal <= run->last ? COMPLETION_INSIDE
                                                               : COMPLETION_OUTSIDE;
}

static inline uint64_t next_offset(LoadThread *self)
{
    const LoadSpec *spec = self->run->spec;
    LoadTarget *target = self->target;
    uint64_t block;

    if (spec->pattern == LOAD_RANDREAD || spec->pattern == LOAD_RANDWRITE) {
        block = generator_below(&self->state, target->blocks);
    } else {
        block =
            atomic_fetch_add_explicit(&target->cursor, 1, memory_order_relaxed) % target->blocks;
    }
    return target->base_bytes + block * spec->block_bytes;
}

static inline void account(LoadThread *self, long result, uint64_t offset, uint64_t start,
                           uint64_t end)
{
    if (__builtin_expect(result != (long)self->run->spec->block_bytes, 0)) {
        if (self->errors++ == 0) {
            self->first_errno = result < 0 ? (int)-result : EIO;
            self->first_error_offset = offset;
        }
    }
    if (completed(self->run) == COMPLETION_INSIDE) {
        uint64_t took =
            end > start ? end - start : 0; /* another cpu's counter may lag by the quantum */

        self->ios++;
        self->sum_tsc += took;
        self->max_tsc = took > self->max_tsc ? took : self->max_tsc;
    }
}

static void run_synchronous(LoadThread *self)
{
    const LoadSpec *spec = self->run->spec;
    long number = spec->pattern <= LOAD_READ ? SYS_pread64 : SYS_pwrite64;
    uint64_t start = __rdtsc();

    while (!atomic_load_explicit(&self->run->over, memory_order_relaxed)) {
        uint64_t offset = next_offset(self), end;
        long result = raw_syscall(number, self->target->fd, (long)self->buffer,
                                  (long)spec->block_bytes, (long)offset, 0);

        end = __rdtsc();
        account(self, result, offset, start, end);
        start = end;
    }
}

/* Requests of one thread with depth > 1. */
typedef struct Queue {
    aio_context_t context;
    struct iocb *requests, **batch;
    struct io_event *events;
    uint64_t *starts;
    uint64_t outstanding;
} Queue;

static void request_prepare(LoadThread *self, Queue *queue, uint64_t slot)
{
    struct iocb *request = &queue->requests[slot];

    request->aio_offset = (int64_t)next_offset(self);
    queue->starts[slot] = __rdtsc();
}

/* Submits the first @n of the batch; what the kernel refuses counts as failed, and is not retried.
 */
static void requests_submit(LoadThread *self, Queue *queue, long n)
{
    for (long done = 0; done < n;) {
        long result = raw_syscall(SYS_io_submit, (long)queue->context, n - done,
                                  (long)(queue->batch + done), 0, 0);

        if (result == -EAGAIN || result == -EINTR) {
            continue;
        }
        if (result <= 0) {
            const struct iocb *request = queue->batch[done++];
            uint64_t slot = request->aio_data;

            account(self, result, (uint64_t)request->aio_offset, queue->starts[slot],
                    queue->starts[slot]);
            continue;
        }
        queue->outstanding += (uint64_t)result;
        done += result;
    }
}

static void queue_loop(LoadThread *self, Queue *queue)
{
    const LoadSpec *spec = self->run->spec;
    long batch = 0;

    for (uint64_t slot = 0; slot < spec->depth; slot++) {
        request_prepare(self, queue, slot);
        queue->batch[batch++] = &queue->requests[slot];
    }
    requests_submit(self, queue, batch);
    while (queue->outstanding > 0) {
        long got = raw_syscall(SYS_io_getevents, (long)queue->context, 1, (long)spec->depth,
                               (long)queue->events, 0);
        uint64_t end = __rdtsc();

        batch = 0;
        for (long i = 0; i < got; i++) {
            uint64_t slot = queue->events[i].data;

            account(self, (long)queue->events[i].res, (uint64_t)queue->requests[slot].aio_offset,
                    queue->starts[slot], end);
            queue->outstanding--;
            if (!atomic_load_explicit(&self->run->over, memory_order_relaxed)) {
                request_prepare(self, queue, slot);
                queue->batch[batch++] = &queue->requests[slot];
            }
        }
        requests_submit(self, queue, batch);
    }
}

static void run_queued(LoadThread *self)
{
    const LoadSpec *spec = self->run->spec;
    Queue queue = {
        .requests = calloc(spec->depth, sizeof(*queue.requests)),
        .batch = calloc(spec->depth, sizeof(*queue.batch)),
        .events = calloc(spec->depth, sizeof(*queue.events)),
        .starts = calloc(spec->depth, sizeof(*queue.starts)),
    };
    long result = raw_syscall(SYS_io_setup, (long)spec->depth, (long)&queue.context, 0, 0, 0);

    if (result < 0 || !queue.requests || !queue.batch || !queue.events || !queue.starts) {
        self->errors++;
        self->first_errno = result < 0 ? (int)-result : ENOMEM;
        atomic_store(&self->run->over, true);
    } else {
        for (uint64_t slot = 0; slot < spec->depth; slot++) {
            queue.requests[slot] = (struct iocb){
                .aio_data = slot,
                .aio_lio_opcode = spec->pattern <= LOAD_READ ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
                .aio_fildes = (uint32_t)self->target->fd,
                .aio_buf = (uint64_t)(uintptr_t)(self->buffer + slot * spec->block_bytes),
                .aio_nbytes = spec->block_bytes,
            };
        }
        queue_loop(self, &queue);
        raw_syscall(SYS_io_destroy, (long)queue.context, 0, 0, 0, 0);
    }
    free(queue.requests);
    free(queue.batch);
    free(queue.events);
    free(queue.starts);
}

void *load_thread_main(void *data)
{
    LoadThread *self = data;

    if (self->cpu >= 0) {
        cpu_set_t *set = CPU_ALLOC(self->cpu + 1);
        size_t bytes = CPU_ALLOC_SIZE(self->cpu + 1);

        CPU_ZERO_S(bytes, set);
        CPU_SET_S(self->cpu, bytes, set);
        sched_setaffinity(0, bytes, set);
        CPU_FREE(set);
    }
    pthread_barrier_wait(&self->run->ready);
    pthread_barrier_wait(&self->run->go);
    if (self->run->spec->depth > 1) {
        run_queued(self);
    } else {
        run_synchronous(self);
    }
    return NULL;
}
