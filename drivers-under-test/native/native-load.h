/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that read or write, one I/O at a time or several: the same offsets, the same window as
 * the guest's load generator (drivers-under-test/guest/load.h). */
#pragma once
#include "native-io.h"

typedef struct NativeLoadSpec {
    const unsigned *devices; /* indexes of controllers */
    unsigned devices_n;
    bool random, write, pinned, window;
    uint64_t readers, depth; /* threads a device, I/Os a thread */
    uint64_t block_bytes, span_bytes, offset_bytes;
    uint64_t ios;    /* completions inside the window, of all devices; 0: time_ps says it */
    SimTime time_ps; /* length of the window */
    uint64_t warmup; /* completions before the window */
    uint64_t seed;
} NativeLoadSpec;

/* What one device's threads have seen inside the window. */
typedef struct NativeLoadResult {
    uint64_t ios, errors;
    SimTime sum_ps, max_ps;
} NativeLoadResult;

typedef struct NativeLoad NativeLoad;

/* @window: called at the window's start and end.  What is passed must outlive it. */
NativeLoad *native_load_new(const NativeLoadSpec *spec, NativeController *const *controllers,
                            HostCpus *cpus, HostMemory *memory,
                            void (*window)(void *opaque, bool start), void *opaque);
void native_load_free(NativeLoad *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NativeLoad, native_load_free)
void native_load_start(NativeLoad *self);
bool native_load_finished(const NativeLoad *self); /* the window is over, nothing is in flight */
const NativeLoadResult *native_load_result(const NativeLoad *self, unsigned device);
SimTime native_load_window_ps(const NativeLoad *self);
