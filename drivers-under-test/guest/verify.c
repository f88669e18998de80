/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify.h"
#include "cpu-list.h"
#include "generator.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CPUS_MAX 1024
#define STACK_BYTES (64u << 10)

typedef struct Run {
    const VerifySpec *spec;
    Channel *channel;
    int fd;
    uint64_t sector_bytes, buffer_bytes;
    pthread_mutex_t lock; /* of what follows */
    Reason *reason;
    _Atomic bool failed;
} Run;

typedef struct Worker {
    Run *run;
    pthread_t thread;
    int cpu;
    uint64_t first; /* extents first, first + threads, … */
} Worker;

/* Only the first difference or error is told. */
static bool first_failure(Run *run)
{
    bool first;

    pthread_mutex_lock(&run->lock);
    first = !run->failed;
    run->failed = true;
    pthread_mutex_unlock(&run->lock);
    return first;
}

static void tell_difference(Run *run, VerifyExtent extent, const uint8_t *data, uint64_t at)
{
    uint64_t byte = extent.offset_bytes + at, lba = byte / SECTOR_BYTES, words[SECTOR_BYTES / 8];
    unsigned within = (unsigned)(byte % SECTOR_BYTES), expected;
    Text body = {0};

    if (!first_failure(run)) {
        return;
    }
    generator_sector(run->spec->seed, lba, words);
    expected = ((const uint8_t *)words)[within];
    text_printf(&body, "lba %llu offset %u expected 0x%02x got 0x%02x\n", (unsigned long long)lba,
                within, expected, data[at]);
    channel_report(run->channel, "verify-error", body.data, body.length);
    reason_set(run->reason, "%s: lba %llu, byte %u: expected 0x%02x, got 0x%02x", run->spec->device,
               (unsigned long long)lba, within, expected, data[at]);
    text_free(&body);
}

static void tell_error(Run *run, VerifyExtent extent, ssize_t result)
{
    int error = result < 0 ? errno : EIO;

    if (first_failure(run)) {
        reason_set(run->reason, "%s of %llu bytes at byte %llu of %s: %s",
                   run->spec->check ? "read" : "write", (unsigned long long)extent.length_bytes,
                   (unsigned long long)extent.offset_bytes, run->spec->device, strerror(error));
    }
}

static void do_extent(Run *run, VerifyExtent extent, uint8_t *buffer)
{
    ssize_t result;
    int64_t difference;

    if (!run->spec->check) {
        verify_fill(run->spec, extent, buffer);
        result = pwrite(run->fd, buffer, extent.length_bytes, (off_t)extent.offset_bytes);
    } else {
        memset(buffer, 0xa5, extent.length_bytes); /* data that never arrives must not look right */
        result = pread(run->fd, buffer, extent.length_bytes, (off_t)extent.offset_bytes);
    }
    if (result != (ssize_t)extent.length_bytes) {
        tell_error(run, extent, result);
    } else if (run->spec->check && (difference = verify_compare(run->spec, extent, buffer)) >= 0) {
        tell_difference(run, extent, buffer, (uint64_t)difference);
    }
}

static void *worker_main(void *data)
{
    Worker *self = data;
    Run *run = self->run;
    uint8_t *buffer = aligned_alloc(4096, run->buffer_bytes);
    cpu_set_t set;

    if (!buffer) {
        errno = ENOMEM;
        tell_error(run, verify_extent(run->spec, run->sector_bytes, self->first), -1);
        return NULL;
    }
    CPU_ZERO(&set);
    CPU_SET((unsigned)self->cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
    for (uint64_t i = self->first; i < run->spec->blocks && !run->failed; i += run->spec->threads) {
        do_extent(run, verify_extent(run->spec, run->sector_bytes, i), buffer);
    }
    free(buffer);
    return NULL;
}

static void run_workers(Run *run)
{
    int cpus[CPUS_MAX], cpus_n = cpu_list_online("/sys", cpus, CPUS_MAX), started = 0;
    int n = (int)run->spec->threads;
    Worker *workers = calloc((size_t)n, sizeof(*workers));
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (; workers && started < n; started++) {
        workers[started] =
            (Worker){.run = run, .cpu = cpus[started % cpus_n], .first = (uint64_t)started};
        if (pthread_create(&workers[started].thread, &attributes, worker_main, &workers[started])) {
            break;
        }
    }
    if (started < n && first_failure(run)) {
        reason_set(run->reason, "cannot start %d threads", n);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    pthread_attr_destroy(&attributes);
    free(workers);
}

static bool open_disk(Run *run, const Device *device, uint64_t *bytes)
{
    int sector = 0;

    run->fd = open(device->disk, (run->spec->check ? O_RDONLY : O_RDWR) | O_DIRECT | O_CLOEXEC);
    if (run->fd < 0 || ioctl(run->fd, BLKGETSIZE64, bytes) < 0 ||
        ioctl(run->fd, BLKSSZGET, &sector) < 0) {
        return reason_set(run->reason, "cannot open %s: %s", device->disk, strerror(errno));
    }
    run->sector_bytes = (uint64_t)sector;
    return true;
}

bool verify_run(VerifySpec *spec, const Devices *devices, Channel *channel, Reason *reason)
{
    Run run = {.spec = spec,
               .channel = channel,
               .fd = -1,
               .reason = reason,
               .lock = PTHREAD_MUTEX_INITIALIZER};
    const Device *device = devices_find(devices, spec->device);
    uint64_t disk_bytes = 0;

    if (!device) {
        return reason_set(reason, "%s was not waited for (wait-nvme)", spec->device);
    }
    if (open_disk(&run, device, &disk_bytes) &&
        verify_fit(spec, disk_bytes, run.sector_bytes, reason)) {
        for (int i = 0; i < spec->sizes_n; i++) {
            uint64_t padded = (spec->sizes[i] + 4095) & ~4095ull;

            run.buffer_bytes = padded > run.buffer_bytes ? padded : run.buffer_bytes;
        }
        run_workers(&run);
    } else {
        run.failed = true;
    }
    if (run.fd >= 0) {
        close(run.fd);
    }
    return !run.failed;
}
