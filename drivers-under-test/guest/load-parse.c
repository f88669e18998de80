/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"
#include "words.h"
#include <string.h>

#define BLOCK_MAX (16u << 20)
#define DEPTH_MAX 4096u

typedef struct Words {
    LoadSpec spec;
    char *devices;
    const char *pattern, *pin;
} Words;

static const Option options[] = {
    {"devices", OPTION_TEXT, offsetof(Words, devices)},
    {"pattern", OPTION_TEXT, offsetof(Words, pattern)},
    {"readers", OPTION_NUMBER, offsetof(Words, spec.readers)},
    {"depth", OPTION_NUMBER, offsetof(Words, spec.depth)},
    {"block", OPTION_NUMBER, offsetof(Words, spec.block_bytes)},
    {"ios", OPTION_NUMBER, offsetof(Words, spec.ios)},
    {"time-ms", OPTION_NUMBER, offsetof(Words, spec.time_ms)},
    {"warmup", OPTION_NUMBER, offsetof(Words, spec.warmup)},
    {"span", OPTION_NUMBER, offsetof(Words, spec.span_bytes)},
    {"offset", OPTION_NUMBER, offsetof(Words, spec.offset_bytes)},
    {"seed", OPTION_NUMBER, offsetof(Words, spec.seed)},
    {"pin", OPTION_TEXT, offsetof(Words, pin)},
    {"window", OPTION_FLAG, offsetof(Words, spec.window)},
};

static bool parse_pattern(LoadSpec *spec, const char *name, Reason *reason)
{
    static const char *const names[] = {"randread", "read", "randwrite", "write"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            spec->pattern = (LoadPattern)i;
            return true;
        }
    }
    return reason_set(reason, "pattern=%s: must be randread, read, randwrite or write", name);
}

static bool check_numbers(const LoadSpec *spec, Reason *reason)
{
    if (spec->readers == 0 || spec->depth == 0 || spec->depth > DEPTH_MAX ||
        spec->readers > LOAD_THREADS_MAX ||
        spec->readers * (uint64_t)spec->devices_n > LOAD_THREADS_MAX) {
        return reason_set(
            reason, "readers= and depth= must be at least 1, threads at most %d, depth at most %u",
            LOAD_THREADS_MAX, DEPTH_MAX);
    }
    if (spec->block_bytes == 0 || spec->block_bytes % 512 != 0 || spec->block_bytes > BLOCK_MAX ||
        spec->offset_bytes % 512 != 0) {
        return reason_set(reason, "block= and offset= must be multiples of 512, block at most %u",
                          BLOCK_MAX);
    }
    if ((spec->ios == 0) == (spec->time_ms == 0)) {
        return reason_set(reason, "give one of ios= and time-ms=, above 0");
    }
    return true;
}

bool load_parse(LoadSpec *spec, char **words, int words_n, Reason *reason)
{
    char *serials[DEVICES_MAX];
    Words read = {.spec = {.readers = 1, .depth = 1, .block_bytes = 4096},
                  .pattern = "randread",
                  .pin = "none"};

    if (!options_read(words, words_n, options, sizeof(options) / sizeof(options[0]), &read,
                      reason)) {
        return false;
    }
    if (!read.devices) {
        return reason_set(reason, "devices= is missing");
    }
    *spec = read.spec;
    spec->devices_n = list_split(read.devices, serials, DEVICES_MAX);
    if (spec->devices_n < 0) {
        return reason_set(reason, "devices=: more than %d", DEVICES_MAX);
    }
    memcpy(spec->devices, serials, sizeof(serials[0]) * (size_t)spec->devices_n);
    spec->spread = strcmp(read.pin, "spread") == 0;
    if (!spec->spread && strcmp(read.pin, "none") != 0) {
        return reason_set(reason, "pin=%s: must be none or spread", read.pin);
    }
    return parse_pattern(spec, read.pattern, reason) && check_numbers(spec, reason);
}
