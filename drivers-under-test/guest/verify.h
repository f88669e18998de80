/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `verify`: a pattern on the disk that tells where each sector belongs; docs/channel.md. */
#pragma once
#include "channel.h"
#include "devices.h"

#define VERIFY_SIZES_MAX 16

typedef struct VerifySpec {
    const char *device; /* serial */
    bool check;         /* read and compare, instead of write */
    uint64_t blocks;    /* how many writes or reads */
    uint64_t sizes[VERIFY_SIZES_MAX];
    int sizes_n;
    uint64_t span_bytes, offset_bytes, seed, threads;
} VerifySpec;

typedef struct VerifyExtent {
    uint64_t offset_bytes, length_bytes;
} VerifyExtent;

bool verify_parse(VerifySpec *spec, char **words, int words_n, Reason *reason);
/* Checks what depends on the disk; fills in a span of 0. */
bool verify_fit(VerifySpec *spec, uint64_t disk_bytes, uint64_t sector_bytes, Reason *reason);
/* The @index-th extent: no two overlap, and the order jumps about. */
VerifyExtent verify_extent(const VerifySpec *spec, uint64_t sector_bytes, uint64_t index);
/* Fills, or compares, the data of an extent; the offset of the first difference, or -1. */
void verify_fill(const VerifySpec *spec, VerifyExtent extent, uint8_t *data);
int64_t verify_compare(const VerifySpec *spec, VerifyExtent extent, const uint8_t *data);

bool verify_run(VerifySpec *spec, const Devices *devices, Channel *channel, Reason *reason);
