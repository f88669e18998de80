/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channel and the plan's commands against a device made of files: what is mapped from
 * resource0 and resource2 is then read back. */
#include "channel.h"
#include "fixture.h"
#include "plan.h"
#include <criterion/new/assert.h>

#define DEVICE "bus/pci/devices/0000:00:03.0/"
#define OUT_OFFSET 8192u
#define OUT_BYTES 4096u

typedef struct Bench {
    Fixture fixture;
    Channel channel;
    Plan plan;
} Bench;

static void bench_init(Bench *bench)
{
    uint32_t registers[1024] = {0x48434251, 1, 5, OUT_OFFSET, OUT_BYTES};
    char memory[OUT_OFFSET + OUT_BYTES] = "input";
    Reason reason = {""};

    bench->fixture = fixture_new();
    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:01.0/vendor", "0x8086\n");
    fixture_file(&bench->fixture, "bus/pci/devices/0000:00:01.0/device", "0x5142\n");
    fixture_file(&bench->fixture, DEVICE "vendor", "0x1234\n");
    fixture_file(&bench->fixture, DEVICE "device", "0x5142\n");
    fixture_file(&bench->fixture, DEVICE "enable", "0\n");
    fixture_bytes(&bench->fixture, DEVICE "resource0", registers, sizeof(registers));
    fixture_bytes(&bench->fixture, DEVICE "resource2", memory, sizeof(memory));
    cr_assert(channel_open(&bench->channel, bench->fixture.root, &reason), "%s", reason.text);
    bench->plan = (Plan){.channel = &bench->channel, .base = bench->fixture.root};
}

static uint32_t bench_register(const Bench *bench, unsigned offset)
{
    return bench->channel.registers[offset / 4];
}

/* The last report, as text. (transfer full) */
static char *bench_report(const Bench *bench)
{
    return g_strndup((char *)bench->channel.memory + OUT_OFFSET, bench_register(bench, 0x18));
}

static bool bench_run(Bench *bench, const char *text)
{
    g_autofree char *copy = g_strdup(text);

    return plan_run(&bench->plan, copy);
}

Test(guest_channel, registers_are_where_the_contract_says)
{
    Bench bench;
    size_t length;

    bench_init(&bench);
    cr_expect(zero(int, memcmp(channel_input(&bench.channel, &length), "input", 5)));
    cr_expect(eq(sz, length, 5));
    channel_snapshot(&bench.channel);
    channel_mark(&bench.channel, 0x105);
    channel_report(&bench.channel, "name", "body", 4);
    channel_end(&bench.channel, CHANNEL_VERDICT_UNREADABLE);
    cr_expect(ne(u32, bench_register(&bench, 0x14), 0));
    cr_expect(eq(u32, bench_register(&bench, 0x18), 9));
    cr_expect(eq(u32, bench_register(&bench, 0x1c), 0x105));
    cr_expect(eq(u32, bench_register(&bench, 0x20), 2));
    fixture_free(&bench.fixture);
}

Test(guest_channel, other_version_is_refused)
{
    uint32_t registers[1024] = {0x48434251, 2};
    Fixture fixture = fixture_new();
    Reason reason = {""};
    Channel channel;

    fixture_file(&fixture, DEVICE "vendor", "0x1234\n");
    fixture_file(&fixture, DEVICE "device", "0x5142\n");
    fixture_bytes(&fixture, DEVICE "resource0", registers, sizeof(registers));
    cr_expect(not(channel_open(&channel, fixture.root, &reason)));
    cr_expect(not(zero(ptr, strstr(reason.text, "version 2"))), "%s", reason.text);
    fixture_free(&fixture);
}

Test(guest_channel, plan_stops_at_the_line_that_fails)
{
    g_autofree char *report = NULL;
    Bench bench;

    bench_init(&bench);
    cr_expect(not(bench_run(&bench, "# a comment\n\n  mark 0x101\nmark x\nmark 3\n")));
    report = bench_report(&bench);
    cr_expect(
        eq(str, report, (char *)"plan-error\nline 4: mark x: \"x\" is no number of 32 bits\n"));
    cr_expect(eq(u32, bench_register(&bench, 0x1c), 0x101));
    fixture_free(&bench.fixture);
}

Test(guest_channel, dash_forgives_a_failure)
{
    Bench bench;

    bench_init(&bench);
    cr_expect(bench_run(&bench, "-mark x\n - insmod none.ko\n-no-such-command\nmark 7"));
    cr_expect(eq(u32, bench_register(&bench, 0x1c), 7));
    fixture_free(&bench.fixture);
}

typedef struct Wrong {
    char line[48], reason[48];
} Wrong;

Test(guest_channel, errors_name_what_is_wrong)
{
    static const Wrong cases[] = {
        {"frobnicate", "unknown command"},
        {"sleep", "usage: sleep MS"},
        {"sleep 1 2", "usage: sleep MS"},
        {"sleep 1s", "milliseconds"},
        {"wait-nvme S1", "usage: wait-nvme SERIAL MS"},
        {"write \"/x", "double quote"},
        {"write /nonexistent/file 1", "cannot open /nonexistent/file"},
        {"insmod none.ko", "cannot open modules/none.ko"},
        {"load devices=S1 ios=1", "was not waited for"},
        {"verify device=S1 action=check blocks=1", "was not waited for"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *report = NULL;
        Bench bench;

        bench_init(&bench);
        cr_expect(not(bench_run(&bench, cases[i].line)), "%s", cases[i].line);
        report = bench_report(&bench);
        cr_expect(not(zero(ptr, strstr(report, cases[i].reason))), "%s: %s", cases[i].line, report);
        fixture_free(&bench.fixture);
    }
}

Test(guest_channel, run_reports_status_and_output)
{
    g_autofree char *report = NULL;
    Bench bench;

    bench_init(&bench);
    cr_expect(bench_run(&bench, "run echo 'a  b'; echo c >&2"));
    report = bench_report(&bench);
    cr_expect(eq(str, report, (char *)"run-1\nexit 0 echo 'a  b'; echo c >&2\na  b\nc\n"));
    g_free(g_steal_pointer(&report));
    cr_expect(bench_run(&bench, "-run exit 3"));
    report = bench_report(&bench);
    cr_expect(eq(str, report, (char *)"run-2\nexit 3 exit 3\n"));
    cr_expect(not(bench_run(&bench, "run kill -9 $$")));
    fixture_free(&bench.fixture);
}

Test(guest_channel, long_output_is_cut)
{
    g_autofree char *report = NULL;
    Bench bench;

    bench_init(&bench);
    cr_expect(bench_run(&bench, "run head -c 6000000 /dev/zero | tr '\\0' x"));
    report = bench_report(&bench);
    cr_expect(eq(sz, strlen(report), OUT_BYTES));
    cr_expect(true == g_str_has_suffix(report, "\n… truncated\n"));
    fixture_free(&bench.fixture);
}

Test(guest_channel, write_writes_the_text_alone)
{
    g_autofree char *path = NULL, *line = NULL, *content = NULL;
    Bench bench;

    bench_init(&bench);
    fixture_file(&bench.fixture, "setting", "");
    path = fixture_path(&bench.fixture, "setting");
    line = g_strdup_printf("write %s \"1 2\"", path);
    cr_expect(bench_run(&bench, line));
    cr_assert(g_file_get_contents(path, &content, NULL, NULL));
    cr_expect(eq(str, content, (char *)"1 2"));
    fixture_free(&bench.fixture);
}
