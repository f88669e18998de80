/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "sim/sim-param.h"

typedef struct Target {
    uint64_t fetch_ps, queues, quirk, arbiter;
    char *serial;
    SimTable by_size;
} Target;

static const char *const arbiters[] = {"round-robin", "urgent", NULL};
static const SimParam params[] = {
    {"sqe-fetch", "timing", SIM_PARAM_U64, SIM_UNIT_TIME, offsetof(Target, fetch_ps), 10 * SIM_NS,
     10 * SIM_US, NULL, NULL, "tail doorbell to SQE read"},
    {"io-queues", "limits", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(Target, queues), 1, 0, "8", NULL,
     "I/O queue pairs"},
    {"quirk.odd", "limits", SIM_PARAM_BOOL, SIM_UNIT_NONE, offsetof(Target, quirk), 0, 0, "no",
     NULL, "an odd habit"},
    {"arbiter", "limits", SIM_PARAM_ENUM, SIM_UNIT_NONE, offsetof(Target, arbiter), 0, 0, "urgent",
     arbiters, "arbitration"},
    {"serial", "identity", SIM_PARAM_STRING, SIM_UNIT_NONE, offsetof(Target, serial), 1, 20, "S1",
     NULL, "serial number"},
    {"by-size", "limits", SIM_PARAM_TABLE, SIM_UNIT_RATE, offsetof(Target, by_size), 1000000, 0, "",
     NULL, "bandwidth by transfer size"},
};
enum { N = G_N_ELEMENTS(params) };

static bool read_text(Target *target, const char *text, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_parse("p.ini", text, error);

    *target = (Target){0};
    cr_assert(ne(ptr, file, NULL));
    return sim_params_read(target, params, N, file, error);
}

Test(sim_param, all_kinds)
{
    Target t;
    g_autoptr(GError) error = NULL;
    static const char *const formatted[N] = {
        "150ns", "31", "yes", "round-robin", "CVCQ 1", "512B:1MB/s; 32KiB:2130MB/s; 64KiB:300MB/s"};

    cr_assert(read_text(&t,
                        "[timing]\nsqe-fetch = 150ns\nsqe-fetch.source = estimate: a guess\n"
                        "[limits]\nio-queues = 31\nquirk.odd = yes\narbiter = round-robin\n"
                        "by-size = 512B:1MB/s;32KiB: 2.13GB/s ; 64KiB:300MB/s;\n"
                        "[identity]\nserial = CVCQ 1\n[elsewhere]\nx = 1\n",
                        &error),
              "%s", error ? error->message : "");
    cr_expect(eq(u64, t.fetch_ps, 150 * SIM_NS));
    cr_expect(eq(u64, t.queues, 31));
    cr_expect(eq(u64, t.quirk, 1));
    cr_expect(eq(u64, t.arbiter, 0));
    cr_expect(eq(str, t.serial, "CVCQ 1"));
    cr_expect(eq(sz, t.by_size.n, 3));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, 511, 7), 7));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, 512, 7), 1000000));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, 65535, 7), 2130000000));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, 65536, 7), 300000000));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, UINT64_MAX, 7), 300000000));
    for (int i = 0; i < N; i++) {
        g_autofree char *text = sim_param_format(&t, &params[i]);

        cr_expect(eq(str, text, (char *)formatted[i]));
    }
    sim_params_clear(&t, params, N);
    sim_params_clear(&t, params, N);
    cr_expect(eq(ptr, t.serial, NULL));
}

Test(sim_param, defaults)
{
    Target t;
    g_autofree char *table = NULL;

    cr_assert(read_text(&t, "[timing]\nsqe-fetch = 10ns\n", NULL));
    cr_expect(eq(u64, t.queues, 8));
    cr_expect(eq(u64, t.quirk, 0));
    cr_expect(eq(u64, t.arbiter, 1));
    cr_expect(eq(str, t.serial, "S1"));
    cr_expect(eq(u64, sim_table_lookup(&t.by_size, 4096, 7), 7), "an empty table");
    table = sim_param_format(&t, &params[5]);
    cr_expect(eq(str, table, "none"));
    sim_params_clear(&t, params, N);
}

typedef struct Bad {
    char text[120];
    SimKeyfileError code;
    char message[140];
} Bad;

#define T "[timing]\nsqe-fetch = 1us\n"
ParameterizedTestParameters(sim_param, refused)
{
    static Bad rows[] = {
        {"[timing]\n", SIM_KEYFILE_ERROR_MISSING,
         "p.ini: [timing] sqe-fetch: is missing: tail doorbell to SQE read; add it"},
        {"[timing]\nsqe-fetch = 150\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:2: [timing] sqe-fetch: a unit is missing: write 150ns, 150us or 150ms"},
        {"[timing]\nsqe-fetch = 9999ps\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:2: [timing] sqe-fetch: 9999ps is out of range; it must be between 10ns and 10us"},
        {"[timing]\nsqe-fetch = 10.001us\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:2: [timing] sqe-fetch: 10.001us is out of range; it must be between 10ns and 10us"},
        {T "[limits]\nio-queues = 0\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] io-queues: 0 is out of range; it must be at least 1"},
        {T "[limits]\nquirk.odd = true\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] quirk.odd: \"true\" is not one of no, yes"},
        {T "[limits]\narbiter = urgnet\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] arbiter: \"urgnet\" is not one of round-robin, urgent; did you mean "
         "\"urgent\"?"},
        {T "[identity]\nserial = 123456789012345678901\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [identity] serial: \"123456789012345678901\" has 21 bytes; it must have between "
         "1 and 20 bytes"},
        {T "[identity]\nserial =\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [identity] serial: \"\" has 0 bytes; it must have between 1 and 20 bytes"},
        {T "[limits]\nby-size = 4KiB\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] by-size: \"4KiB\" has no \":\"; write SIZE:VALUE; SIZE:VALUE …"},
        {T "[limits]\nby-size = 4KiB:1MB/s; 4096B:2MB/s\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] by-size: \"4096B:2MB/s\": sizes must ascend, each once"},
        {T "[limits]\nby-size = 4KiB:1MB/s;; 8KiB:2MB/s\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] by-size: \"\" has no \":\"; write SIZE:VALUE; SIZE:VALUE …"},
        {T "[limits]\nby-size = 4KiB:0.5MB/s\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] by-size: 0.5MB/s is out of range; it must be at least 1MB/s"},
        {T "[limits]\nby-size = 4:1MB/s\n", SIM_KEYFILE_ERROR_VALUE,
         "p.ini:4: [limits] by-size: a unit is missing: write 4B, 4KiB or 4MiB"},
        {T "[limits]\nio-queue = 1\n", SIM_KEYFILE_ERROR_UNKNOWN,
         "p.ini:4: [limits] io-queue: unknown key; did you mean \"io-queues\"?"},
        {T "[limits]\nio-queue.source = x\n", SIM_KEYFILE_ERROR_UNKNOWN,
         "p.ini:4: [limits] io-queue.source: unknown key; did you mean \"io-queues.source\"?"},
    };

    return cr_make_param_array(Bad, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Bad *row, sim_param, refused)
{
    Target t;
    g_autoptr(GError) error = NULL;

    cr_assert(not(read_text(&t, row->text, &error)));
    cr_expect(eq(str, error->message, row->message));
    cr_expect(g_error_matches(error, SIM_KEYFILE_ERROR, (gint)row->code));
    cr_expect(eq(ptr, t.serial, NULL), "what was read is freed");
}

Test(sim_param, a_source_can_be_asked_for)
{
    g_autoptr(SimKeyfile) file =
        sim_keyfile_parse("p.ini", T "sqe-fetch.source = data sheet\n", NULL);
    Target t = {0};

    cr_assert(sim_params_read(&t, params, N, file, NULL));
    cr_expect(eq(str, (char *)sim_keyfile_get(file, "timing", "sqe-fetch.source"), "data sheet"));
    sim_params_clear(&t, params, N);
}
