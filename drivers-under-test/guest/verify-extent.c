/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `verify` writes and where: no I/O here. */
#include "verify.h"
#include "generator.h"
#include "words.h"
#include <string.h>

#define SIZE_MAX_BYTES (16u << 20)

typedef struct Words {
    VerifySpec spec;
    const char *action;
    char *sizes;
} Words;

static const Option options[] = {
    {"device", OPTION_TEXT, offsetof(Words, spec.device)},
    {"action", OPTION_TEXT, offsetof(Words, action)},
    {"blocks", OPTION_NUMBER, offsetof(Words, spec.blocks)},
    {"sizes", OPTION_TEXT, offsetof(Words, sizes)},
    {"span", OPTION_NUMBER, offsetof(Words, spec.span_bytes)},
    {"offset", OPTION_NUMBER, offsetof(Words, spec.offset_bytes)},
    {"seed", OPTION_NUMBER, offsetof(Words, spec.seed)},
    {"threads", OPTION_NUMBER, offsetof(Words, spec.threads)},
};

static bool parse_sizes(VerifySpec *spec, char *text, Reason *reason)
{
    char *items[VERIFY_SIZES_MAX];

    spec->sizes_n = list_split(text, items, VERIFY_SIZES_MAX);
    if (spec->sizes_n < 0) {
        return reason_set(reason, "sizes=: more than %d", VERIFY_SIZES_MAX);
    }
    for (int i = 0; i < spec->sizes_n; i++) {
        if (!number_parse(items[i], &spec->sizes[i]) || spec->sizes[i] == 0 ||
            spec->sizes[i] % SECTOR_BYTES || spec->sizes[i] > SIZE_MAX_BYTES) {
            return reason_set(reason, "sizes=: \"%s\" is no multiple of 512 up to %u", items[i],
                              SIZE_MAX_BYTES);
        }
    }
    return true;
}

bool verify_parse(VerifySpec *spec, char **words, int words_n, Reason *reason)
{
    static char default_size[] = "4096";
    Words read = {.spec = {.threads = 1}, .sizes = default_size};

    if (!options_read(words, words_n, options, sizeof(options) / sizeof(options[0]), &read,
                      reason)) {
        return false;
    }
    *spec = read.spec;
    if (!spec->device || !read.action || spec->blocks == 0) {
        return reason_set(reason, "device=, action= and blocks= are needed");
    }
    if (spec->threads == 0 || spec->threads > 1024) {
        return reason_set(reason, "threads= must be 1 to 1024");
    }
    spec->check = strcmp(read.action, "check") == 0;
    if (!spec->check && strcmp(read.action, "write") != 0) {
        return reason_set(reason, "action=%s: must be write or check", read.action);
    }
    return parse_sizes(spec, read.sizes, reason);
}

static uint64_t slot_bytes(const VerifySpec *spec, uint64_t sector_bytes)
{
    return spec->span_bytes / spec->blocks / sector_bytes * sector_bytes;
}

bool verify_fit(VerifySpec *spec, uint64_t disk_bytes, uint64_t sector_bytes, Reason *reason)
{
    if (spec->span_bytes == 0 && spec->offset_bytes <= disk_bytes) {
        spec->span_bytes = disk_bytes - spec->offset_bytes;
    }
    if (spec->offset_bytes > disk_bytes || spec->span_bytes > disk_bytes - spec->offset_bytes ||
        spec->offset_bytes % sector_bytes != 0) {
        return reason_set(reason,
                          "offset= and span= do not fit a disk of %llu bytes in sectors of %llu",
                          (unsigned long long)disk_bytes, (unsigned long long)sector_bytes);
    }
    for (int i = 0; i < spec->sizes_n; i++) {
        if (spec->sizes[i] % sector_bytes != 0 || spec->sizes[i] > slot_bytes(spec, sector_bytes)) {
            return reason_set(
                reason, "size %llu is no multiple of a sector, or %llu of it do not fit span=%llu",
                (unsigned long long)spec->sizes[i], (unsigned long long)spec->blocks,
                (unsigned long long)spec->span_bytes);
        }
    }
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The span is cut into equal slots, one an extent; the index-th extent lies somewhere in the slot
 * that a stride without a common divisor leads to. */
VerifyExtent verify_extent(const VerifySpec *spec, uint64_t sector_bytes, uint64_t index)
{
    uint64_t state = generator_start(spec->seed, 1, index), slot = slot_bytes(spec, sector_bytes);
    uint64_t length = spec->sizes[generator_below(&state, (uint64_t)spec->sizes_n)];
    uint64_t stride = spec->blocks / 3 * 2 + 1, place;

    while (common_divisor(stride, spec->blocks) != 1) {
        stride++;
    }
    place = (uint64_t)((unsigned __int128)stride * index % spec->blocks);
    return (VerifyExtent){
        .offset_bytes = spec->offset_bytes + place * slot +
                        generator_below(&state, (slot - length) / sector_bytes + 1) * sector_bytes,
        .length_bytes = length,
    };
}

void verify_fill(const VerifySpec *spec, VerifyExtent extent, uint8_t *data)
{
    uint64_t words[SECTOR_BYTES / 8];

    for (uint64_t at = 0; at < extent.length_bytes; at += SECTOR_BYTES) {
        generator_sector(spec->seed, (extent.offset_bytes + at) / SECTOR_BYTES, words);
        memcpy(data + at, words, SECTOR_BYTES);
    }
}

int64_t verify_compare(const VerifySpec *spec, VerifyExtent extent, const uint8_t *data)
{
    uint64_t words[SECTOR_BYTES / 8];

    for (uint64_t at = 0; at < extent.length_bytes; at += SECTOR_BYTES) {
        generator_sector(spec->seed, (extent.offset_bytes + at) / SECTOR_BYTES, words);
        for (uint64_t i = 0; memcmp(data + at, words, SECTOR_BYTES) != 0 && i < SECTOR_BYTES; i++) {
            if (data[at + i] != ((const uint8_t *)words)[i]) {
                return (int64_t)(at + i);
            }
        }
    }
    return -1;
}
