/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of `load` share: load.c sets up and reports, load-thread.c does the I/O. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>
#include "load.h"

#define CACHE_LINE 64

typedef struct LoadTarget {
    int fd;
    uint64_t base_bytes, blocks; /* blocks of the load's block size in the range */
    _Alignas(
        CACHE_LINE) _Atomic uint64_t cursor; /* sequential patterns: all threads of the device */
} LoadTarget;

typedef struct LoadRun {
    const LoadSpec *spec;
    Channel *channel;
    LoadTarget targets[DEVICES_MAX];
    pthread_barrier_t ready, go;
    uint64_t last; /* ordinal of the window's last completion; UINT64_MAX: limited by time */
    uint64_t start_ns, end_ns, start_tsc, end_tsc;
    _Alignas(CACHE_LINE) _Atomic uint64_t completed;
    _Atomic uint64_t deadline_ns;
    _Atomic bool over;
} LoadRun;

typedef struct LoadThread {
    LoadRun *run;
    LoadTarget *target;
    pthread_t thread;
    int cpu; /* -1: not pinned */
    uint64_t state;
    uint8_t *buffer; /* depth blocks */
    /* Results: I/Os that completed in the window, errors of all time. */
    _Alignas(CACHE_LINE) uint64_t ios;
    uint64_t sum_tsc, max_tsc, errors;
    int first_errno;
    uint64_t first_error_offset;
} LoadThread;

/* The window opens now: the time, and the mark. */
void load_window_open(LoadRun *run);
void *load_thread_main(void *thread);
