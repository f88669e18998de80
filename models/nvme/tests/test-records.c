/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run leaves behind: records of docs/telemetry.md. */
#include "bench.h"
#include <string.h>

/* The telemetry file as far as it was written. */
static char *records(Bench *bench)
{
    char *text = NULL;

    cr_assert(sim_telemetry_flush(bench->telemetry));
    cr_assert(g_file_get_contents(bench->telemetry_path, &text, NULL, NULL));
    return text;
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) {
        n++;
    }
    return n;
}

Test(nvme_records, device_and_parameters_at_creation)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    g_autofree char *text = records(bench);
    size_t n;

    nvme_profile_params(&n);
    cr_expect(eq(uint, count(text, "{\"type\":\"param\""), (unsigned)n));
    cr_expect(eq(uint,
                 count(text, "{\"type\":\"device\",\"device\":\"nvme0\",\"model\":\"nvme\","
                             "\"profile\":\"samsung-sm951\",\"slot\":\"slot1\","
                             "\"serial\":\"S1XVNYAGA03031\"}"),
                 1));
}

Test(nvme_records, queues_commands_and_faults)
{
    const char *faults[] = {"media delay time=1us qid=1", NULL};
    g_autoptr(Bench) bench = bench_new_with("ideal", &(NvmeModelOptions){.faults = faults}, NULL);
    g_autofree char *text = NULL;

    bench_start(bench, 16);
    bench_rw(bench, NVME_IO_READ, 0, 8, BENCH_DATA, 0);
    bench_admin(bench, .opcode = 0, .cdw10 = 1);
    bench_admin(bench, .opcode = 4, .cdw10 = 1);
    bench_admin(bench, .opcode = 6, .cdw10 = 9, .prp1 = BENCH_DATA);
    text = records(bench);
    cr_expect(eq(
        uint,
        count(text,
              "\"what\":\"cq-created\",\"qid\":1,\"cqid\":1,\"vector\":1,\"size\":16,\"ien\":true"),
        1));
    cr_expect(eq(uint, count(text, "\"what\":\"sq-created\",\"qid\":1,\"cqid\":1"), 1));
    cr_expect(eq(uint, count(text, "\"what\":\"sq-deleted\""), 1));
    cr_expect(eq(uint, count(text, "\"what\":\"cq-deleted\""), 1));
    cr_expect(eq(uint, count(text, "{\"type\":\"command\""), 5), "admin commands only");
    cr_expect(eq(uint, count(text, "\"opcode\":6,\"status\":16386,\"nsid\":0,\"cdw10\":9"), 1));
    cr_expect(eq(
        uint, count(text, "\"stage\":\"media\",\"action\":\"delay\",\"opcode\":2,\"qid\":1"), 1));
}

Test(nvme_records, counters_and_identities)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    g_autofree char *text = NULL;

    bench_start(bench, 16);
    for (unsigned i = 0; i < 5; i++) {
        bench_rw(bench, NVME_IO_READ, 0, 8, BENCH_DATA, 0);
    }
    bench_submit(bench, 1, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0));
    bench_run(bench, 300 * SIM_NS); /* its doorbell has arrived, its CQE has not */
    nvme_model_record(bench->model, "window-end");
    bench_check(bench);
    text = records(bench);
    cr_expect(eq(
        uint,
        count(text, "\"scope\":\"device\",\"index\":0,\"name\":\"io_completed\",\"value\":5}"), 1));
    cr_expect(
        eq(uint,
           count(text,
                 "\"scope\":\"device\",\"index\":0,\"name\":\"commands_outstanding\",\"value\":1}"),
           1));
    cr_expect(
        eq(uint,
           count(text, "\"scope\":\"sq\",\"index\":1,\"name\":\"commands_submitted\",\"value\":6}"),
           1));
    cr_expect(eq(uint,
                 count(text, "\"scope\":\"cq\",\"index\":1,\"name\":\"cqes_posted\",\"value\":5}"),
                 1));
    cr_expect(eq(
        uint, count(text, "\"scope\":\"vector\",\"index\":1,\"name\":\"interrupts\",\"value\":5}"),
        1));
    cr_expect(eq(uint, count(text, "\"opcode\":\"read\",\"count\":5"), 1));
    cr_expect(eq(uint, count(text, "\"held\":true"), 4), "two of the model, two of the link");
    cr_expect(eq(uint, count(text, "\"held\":false"), 0));
}
