/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A database in a directory of its own, and short ways to ask it. */
#pragma once
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/store.h"

static inline bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

typedef struct Bench {
    char *folder, *path;
    ResultsStore *store;
} Bench;

/* A file of this folder; the tests run with $RESULTS_TESTS. */
char *bench_file(const char *name);
Bench *bench_new(void); /* store opened for writing */
void bench_free(Bench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bench, bench_free)
/* Closes the store and opens it again. */
void bench_reopen(Bench *self, ResultsOpen mode);
/* A begun run with two devices of the golden telemetry, @seed 7 unless said. */
int64_t bench_begin(Bench *self, uint64_t seed, const char *kernel_hash);
/* That, with golden.jsonl taken in and finished as passed. */
int64_t bench_golden(Bench *self);
/* A run with a network port, of golden-port.jsonl. */
int64_t bench_golden_port(Bench *self);
/* All rows of @sql: cells joined by '|', rows by '\n'.  @run_id for :run_id. (transfer full) */
char *bench_ask(Bench *self, const char *sql, int64_t run_id);
/* Writes @text to a file in the folder; its path. (transfer full) */
char *bench_write(Bench *self, const char *name, const char *text);
/* bench_ask() must answer @expected. */
#define bench_expect(bench, run_id, sql, expected)                                                 \
    do {                                                                                           \
        g_autofree char *bench_got = bench_ask(bench, sql, run_id);                                \
        cr_expect(eq(str, bench_got, (char *)(expected)), "%s", sql);                              \
    } while (0)
