/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib/gstdio.h>
#include <string.h>
#include "sim/sim-counter.h"
#include "sim/sim-hash.h"

typedef struct Bench {
    char *folder, *path;
    SimTelemetry *telemetry;
} Bench;

static Bench bench_new(void)
{
    Bench bench;

    bench.folder = g_dir_make_tmp("counter-XXXXXX", NULL);
    bench.path = g_build_filename(bench.folder, "run.jsonl", NULL);
    bench.telemetry = sim_telemetry_new(bench.path, NULL);
    return bench;
}

static char *bench_close(Bench *bench)
{
    char *text = NULL;

    sim_telemetry_free(bench->telemetry);
    g_file_get_contents(bench->path, &text, NULL, NULL);
    g_unlink(bench->path);
    g_rmdir(bench->folder);
    g_free(bench->path);
    g_free(bench->folder);
    return text;
}

Test(sim_counter, zero_values_are_left_out)
{
    static const SimCounter table[] = {
        {"submitted", "", ""}, {"aborted", "", ""}, {"busy_ps", "ps", ""}};
    Bench bench = bench_new();
    g_autofree char *text = NULL;

    sim_counters_record(bench.telemetry, "end", "nvme0", "sq", 3, table,
                        (const uint64_t[]){7, 0, 9}, 3);
    sim_counters_record(NULL, "end", "nvme0", "sq", 3, table, (const uint64_t[]){7, 0, 9}, 3);
    text = bench_close(&bench);
    cr_expect(eq(str, text,
                 "{\"type\":\"counter\",\"at\":\"end\",\"device\":\"nvme0\",\"scope\":\"sq\","
                 "\"index\":3,\"name\":\"submitted\",\"value\":7}\n"
                 "{\"type\":\"counter\",\"at\":\"end\",\"device\":\"nvme0\",\"scope\":\"sq\","
                 "\"index\":3,\"name\":\"busy_ps\",\"value\":9}\n"));
}

Test(sim_histogram, golden_lines)
{
    Bench bench = bench_new();
    SimHistogram *h = sim_histogram_new();
    g_autofree char *text = NULL;

    sim_histogram_record(h, bench.telemetry, "end", "nvme0", "write"); /* empty: nothing */
    sim_histogram_add(h, 0);
    sim_histogram_add(h, 33);
    sim_histogram_add(h, 33);
    sim_histogram_add(h, 64);
    sim_histogram_add(h, 65);
    cr_expect(eq(u64, sim_histogram_count(h), 5));
    sim_histogram_record(h, bench.telemetry, "end", "nvme0", "read");
    sim_histogram_free(h);
    sim_histogram_free(NULL);
    text = bench_close(&bench);
#define BUCKET(low, high, count)                                                                   \
    "{\"type\":\"latency\",\"at\":\"end\",\"device\":\"nvme0\",\"opcode\":\"read\",\"low_"         \
    "ps\":" low ",\"high_ps\":" high ",\"count\":" count "}\n"
    cr_expect(eq(str, text,
                 BUCKET("0", "0", "1") BUCKET("33", "33", "2")
                     BUCKET("64", "65", "2") "{\"type\":\"latency_sum\",\"at\":\"end\",\"device\":"
                                             "\"nvme0\",\"opcode\":\"read\","
                                             "\"count\":5,\"sum_ps\":195,\"max_ps\":65}\n"));
}

/* Each value alone: its bucket holds it and is at most 1/32 of it wide. */
Test(sim_histogram, buckets_hold_their_values)
{
    Bench bench = bench_new();
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    enum { VALUES = 4 * 63 };
    static uint64_t values[VALUES];

    for (int i = 0; i < VALUES; i++) {
        uint64_t top = UINT64_C(1) << i / 4;
        const uint64_t four[] = {top, top - 1, top | (sim_hash64((uint64_t)i) & (top - 1)),
                                 2 * top - 1};
        SimHistogram *h = sim_histogram_new();

        values[i] = four[i % 4];
        sim_histogram_add(h, values[i]);
        sim_histogram_record(h, bench.telemetry, "end", "d", "o");
        sim_histogram_free(h);
    }
    text = bench_close(&bench);
    lines = g_strsplit(text, "\n", -1);
    cr_assert(eq(u32, g_strv_length(lines), 2 * VALUES + 1));
    for (int i = 0; i < VALUES; i++) {
        const char *line = lines[2 * i];
        uint64_t low = g_ascii_strtoull(strstr(line, "low_ps\":") + 8, NULL, 10);
        uint64_t high = g_ascii_strtoull(strstr(line, "high_ps\":") + 9, NULL, 10);

        cr_expect(le(u64, low, values[i]));
        cr_expect(ge(u64, high, values[i]));
        cr_expect(le(u64, high - low, low / 32));
    }
}

Test(sim_histogram, the_largest_value_is_2_to_63_less_1)
{
    Bench bench = bench_new();
    SimHistogram *h = sim_histogram_new();
    g_autofree char *text = NULL;

    sim_histogram_add(h, SIM_TIME_NEVER);
    sim_histogram_add(h, 1);
    sim_histogram_record(h, bench.telemetry, "end", "d", "o");
    sim_histogram_free(h);
    text = bench_close(&bench);
    cr_expect(ne(ptr, strstr(text, "\"high_ps\":9223372036854775807,\"count\":1}"), NULL));
    cr_expect(ne(ptr, strstr(text, "\"sum_ps\":9223372036854775807,"), NULL));
}
