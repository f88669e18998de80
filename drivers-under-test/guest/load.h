/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `load`: threads that keep requests outstanding, and the measured window; docs/channel.md. */
#pragma once
#include "channel.h"
#include "devices.h"

#define LOAD_THREADS_MAX 4096

typedef enum { LOAD_RANDREAD, LOAD_READ, LOAD_RANDWRITE, LOAD_WRITE } LoadPattern;

typedef struct LoadSpec {
    const char *devices[DEVICES_MAX]; /* serials */
    int devices_n;
    LoadPattern pattern;
    uint64_t readers, depth, block_bytes;
    uint64_t ios, time_ms; /* one of them is 0 */
    uint64_t warmup, span_bytes, offset_bytes, seed;
    bool spread, window;
} LoadSpec;

/* Reads the words after `load`; the spec keeps pointers into them. */
bool load_parse(LoadSpec *spec, char **words, int words_n, Reason *reason);
/* Runs it and reports `load`. */
bool load_run(const LoadSpec *spec, const Devices *devices, Channel *channel, Reason *reason);
