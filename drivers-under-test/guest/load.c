/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load-internal.h"
#include "cpu-list.h"
#include "generator.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS_MAX 1024
#define STACK_BYTES (64u << 10)

static bool open_target(LoadTarget *target, const LoadSpec *spec, const Device *device,
                        Reason *reason)
{
    int flags = spec->pattern <= LOAD_READ ? O_RDONLY : O_RDWR, sector = 0;
    uint64_t size = 0, span;

    target->fd = open(device->disk, flags | O_DIRECT | O_CLOEXEC);
    if (target->fd < 0) {
        return reason_set(reason, "cannot open %s: %s", device->disk, strerror(errno));
    }
    if (ioctl(target->fd, BLKGETSIZE64, &size) < 0 || ioctl(target->fd, BLKSSZGET, &sector) < 0 ||
        sector <= 0) {
        return reason_set(reason, "%s is no block device", device->disk);
    }
    if (spec->block_bytes % (unsigned)sector != 0 || spec->offset_bytes % (unsigned)sector != 0) {
        return reason_set(reason,
                          "block= and offset= must be multiples of the sector, %d bytes, of %s",
                          sector, device->serial);
    }
    span = spec->span_bytes || spec->offset_bytes > size ? spec->span_bytes
                                                         : size - spec->offset_bytes;
    if (spec->offset_bytes > size || span > size - spec->offset_bytes || span < spec->block_bytes) {
        return reason_set(reason,
                          "offset= and span= do not fit %s of %llu bytes, or span= is below block=",
                          device->serial, (unsigned long long)size);
    }
    target->base_bytes = spec->offset_bytes;
    target->blocks = span / spec->block_bytes;
    return true;
}

static bool open_targets(LoadRun *run, const Devices *devices, Reason *reason)
{
    for (int i = 0; i < run->spec->devices_n; i++) {
        const Device *device = devices_find(devices, run->spec->devices[i]);

        if (!device) {
            return reason_set(reason, "%s was not waited for (wait-nvme)", run->spec->devices[i]);
        }
        if (!open_target(&run->targets[i], run->spec, device, reason)) {
            return false;
        }
    }
    return true;
}

/* All threads' buffers in one piece, present before the start, with something to write in it. */
static uint8_t *allocate_buffers(uint64_t bytes, bool fill)
{
    uint8_t *buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    uint64_t state = generator_start(0, 0, 0);

    if (buffers == MAP_FAILED) {
        return NULL;
    }
    for (uint64_t i = 0; fill && i < bytes / 8; i++) {
        ((uint64_t *)buffers)[i] = generator_next(&state);
    }
    return buffers;
}

/* Returns how many threads run; all that were meant to, unless @reason is set. */
static int start_threads(LoadRun *run, LoadThread *threads, int n, uint8_t *buffers, Reason *reason)
{
    const LoadSpec *spec = run->spec;
    int cpus[CPUS_MAX], cpus_n = cpu_list_online("/sys", cpus, CPUS_MAX);
    pthread_attr_t attributes;
    int started = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (; started < n; started++) {
        LoadThread *thread = &threads[started];
        int device = started / (int)spec->readers;
        int error;

        thread->run = run;
        thread->target = &run->targets[device];
        thread->cpu = spec->spread ? cpus[started % cpus_n] : -1;
        thread->state =
            generator_start(spec->seed, (uint64_t)device, (uint64_t)started % spec->readers);
        thread->buffer =
            buffers + (uint64_t)started * spec->depth * ((spec->block_bytes + 4095) & ~4095ull);
        error = pthread_create(&thread->thread, &attributes, load_thread_main, thread);
        if (error) {
            reason_set(reason, "cannot start thread %d of %d: %s", started + 1, n, strerror(error));
            break;
        }
    }
    pthread_attr_destroy(&attributes);
    return started;
}

/* Time-stamp ticks to ns, by how far both clocks came during the window. */
static uint64_t to_ns(const LoadRun *run, uint64_t tsc)
{
    uint64_t ticks = run->end_tsc - run->start_tsc;

    return ticks ? (uint64_t)((unsigned __int128)tsc * (run->end_ns - run->start_ns) / ticks) : 0;
}

/* The results of device @d's threads, added up; the first error of all devices goes to @reason. */
static LoadThread device_sum(const LoadRun *run, const LoadThread *threads, int d, Reason *reason)
{
    LoadThread sum = {0};

    for (uint64_t r = 0; r < run->spec->readers; r++) {
        const LoadThread *thread = &threads[(uint64_t)d * run->spec->readers + r];

        sum.ios += thread->ios;
        sum.errors += thread->errors;
        sum.sum_tsc += thread->sum_tsc;
        sum.max_tsc = thread->max_tsc > sum.max_tsc ? thread->max_tsc : sum.max_tsc;
        if (thread->errors && !reason->text[0]) {
            reason_set(reason, "I/O error on %s at byte %llu: %s", run->spec->devices[d],
                       (unsigned long long)thread->first_error_offset,
                       strerror(thread->first_errno));
        }
    }
    return sum;
}

static bool report(const LoadRun *run, const LoadThread *threads, Reason *reason)
{
    uint64_t ios = 0, errors = 0;
    Text devices = {0}, body = {0};

    for (int d = 0; d < run->spec->devices_n; d++) {
        LoadThread sum = device_sum(run, threads, d, reason);

        text_printf(
            &devices,
            "%s{\"serial\":\"%s\",\"ios\":%llu,\"errors\":%llu,\"sum_ns\":%llu,\"max_ns\":%llu}",
            d ? "," : "", run->spec->devices[d], (unsigned long long)sum.ios,
            (unsigned long long)sum.errors, (unsigned long long)to_ns(run, sum.sum_tsc),
            (unsigned long long)to_ns(run, sum.max_tsc));
        ios += sum.ios;
        errors += sum.errors;
    }
    text_printf(&body, "{\"ios\":%llu,\"errors\":%llu,\"guest_ns\":%llu,\"devices\":[%s]}\n",
                (unsigned long long)ios, (unsigned long long)errors,
                (unsigned long long)(run->end_ns - run->start_ns), devices.data);
    channel_report(run->channel, "load", body.data, body.length);
    text_free(&devices);
    text_free(&body);
    return errors == 0;
}

/* @abandoned: some threads could not start, and the others wait at the barrier for ever. */
static bool run_threads(LoadRun *run, LoadThread *threads, int n, uint8_t *buffers, bool *abandoned,
                        Reason *reason)
{
    int started;

    pthread_barrier_init(&run->ready, NULL, (unsigned)n + 1);
    pthread_barrier_init(&run->go, NULL, (unsigned)n + 1);
    started = start_threads(run, threads, n, buffers, reason);
    if (started < n) {
        *abandoned = true;
        return false;
    }
    pthread_barrier_wait(&run->ready);
    if (run->spec->warmup == 0) {
        load_window_open(run);
    }
    pthread_barrier_wait(&run->go);
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    if (run->end_ns == 0) { /* no thread got so far */
        run->end_ns = run->start_ns;
        run->end_tsc = run->start_tsc;
    }
    pthread_barrier_destroy(&run->ready);
    pthread_barrier_destroy(&run->go);
    return report(run, threads, reason);
}

bool load_run(const LoadSpec *spec, const Devices *devices, Channel *channel, Reason *reason)
{
    int n = (int)spec->readers * spec->devices_n;
    uint64_t bytes = (uint64_t)n * spec->depth * ((spec->block_bytes + 4095) & ~4095ull);
    LoadRun *run = aligned_alloc(CACHE_LINE, sizeof(*run));
    LoadThread *threads = aligned_alloc(CACHE_LINE, sizeof(*threads) * (size_t)n);
    uint8_t *buffers = allocate_buffers(bytes, spec->pattern > LOAD_READ);
    bool done = false, abandoned = false;

    if (!run || !threads || !buffers) {
        done = reason_set(reason, "not enough memory for %d threads of %llu bytes", n,
                          (unsigned long long)(bytes / (uint64_t)n));
    } else {
        memset(threads, 0, sizeof(*threads) * (size_t)n);
        memset(run, 0, sizeof(*run));
        run->spec = spec;
        run->channel = channel;
        run->last = spec->ios ? spec->warmup + spec->ios : UINT64_MAX;
        run->deadline_ns = UINT64_MAX;
        for (int i = 0; i < spec->devices_n; i++) {
            run->targets[i].fd = -1;
        }
        done = open_targets(run, devices, reason) &&
               run_threads(run, threads, n, buffers, &abandoned, reason);
        for (int i = 0; i < spec->devices_n; i++) {
            if (run->targets[i].fd >= 0) {
                close(run->targets[i].fd);
            }
        }
    }
    if (abandoned) {
        return false;
    }
    if (buffers) {
        munmap(buffers, bytes);
    }
    free(threads);
    free(run);
    return done;
}
