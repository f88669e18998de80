/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run in native mode, from power-on to the telemetry's last record. */
#pragma once
#include "host/host-machine.h"
#include "native-load.h"

typedef struct NativeRunDevice {
    const char *name, *slot;
    const NvmeProfile *profile;
    NvmeModelOptions options; /* the serial is given */
} NativeRunDevice;

typedef struct NativeRunConfig {
    const NativeDriver *driver;
    NativeParameters parameters;
    const HostMachine *machine;
    unsigned cpus;
    uint64_t seed;
    SimTime limit_ps, sample_ps;
    const char *telemetry_path; /* must not exist; NULL: nothing is recorded */
    const NativeRunDevice *devices;
    unsigned devices_n;
    const NativeLoadSpec *loads;
    unsigned loads_n;
    bool (*stop)(void *opaque); /* (nullable): asked now and then; true ends the run */
    void *opaque;
} NativeRunConfig;

/* What came of it, for callers without a database. */
typedef struct NativeRunResult {
    uint64_t ios; /* inside the windows of all loads */
    uint64_t memory_bytes;
} NativeRunResult;

/* FALSE and @error: it could not begin (a slot, a file).  What goes wrong later is the verdict of
 * the telemetry's `end` record.  @result: (nullable) */
bool native_run(const NativeRunConfig *config, NativeRunResult *result, GError **error);
