/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [expect] against golden.jsonl: nvme0 makes 200000 I/O per second, p99 50 us, 4 violations. */
#include "bench.h"
#include "expect.h"

static const char *const devices[] = {"nvme0", "nvme1", "eth0", "cable", NULL};
#define TYPES                                                                                      \
    (const DeviceType *const[])                                                                    \
    {                                                                                              \
        DEVICE_NVME, DEVICE_NVME, DEVICE_IXGBE, NULL                                               \
    }

static SimKeyfile *file_of(const char *entries)
{
    g_autofree char *text = g_strconcat("[expect]\n", entries, "\n", NULL);
    g_autoptr(GError) error = NULL;
    SimKeyfile *file = sim_keyfile_parse("a.ini", text, &error);

    cr_assert(file != NULL, "%s", error ? error->message : "");
    return file;
}

static const struct {
    const char *entry;
    bool held;
    const char *got;
} rows[] = {
    {"nvme0.iops = 200000", true, "200000/s"},
    {"nvme0.iops.min = 200001/s", false, "200000/s"},
    {"nvme0.iops.max = 200000", true, "200000/s"},
    {"nvme0.mib_per_s.min = 781.2", true, "781.250"},
    {"nvme0.bandwidth.max = 0.8GB/s", false, "819.200MB/s"},
    {"nvme0.latency_p99.max = 50us", true, "50000ns"},
    {"nvme0.latency_p99.max = 0.04ms", false, "50000ns"},
    {"nvme0.latency_p99_ns = 50000", true, "50000"},
    {"nvme0.latency_mean = 12.5us", true, "12500ns"},
    {"nvme1.latency_p50.min = 1ns", false, "nothing measured"},
    {"nvme0.violations = 0", false, "4"},
    {"nvme1.violations = 0", true, "0"},
    {"nvme0.vectors = 3", true, "3"},
    {"nvme0.aborts = 0", true, "0"},
    {"nvme0.read_bytes = 8000KiB", true, "8192000B"},
    {"nvme0.io_completed = 2000", true, "2000"},
    {"cpu.idle_pct.max = 50 percent", true, "50 percent"},
    {"cpu.busy_pct.min = 50.5 percent", false, "50 percent"},
    {"cpu.instructions_per_io = 4000", true, "4000"},
    {"queue_map.nvme0.sqs = 2", true, "2"},
    {"queue_map.nvme1.vectors = 1", true, "1"},
    {"queue_map.nvme1.cpus = 3", false, "2"},
    {"interrupt-entropy.min = 0.99", true, "1"},
    {"interrupt-entropy.nvme0.max = 0.9", false, "1.000"},
    {"doorbells-per-io.nvme0 = 1.495", true, "1.495"},
    {"doorbells-per-io.nvme1.max = 2", false, "nothing measured"},
    {"run.verdict = done", true, "done"},
    {"run.verdict = panic", false, "done"},
    {"guest.dmesg.deny = BUG:|WARNING:|hung task", true, "no such line"},
    {"guest.dmesg.deny = read/poll", false,
     "[    0.900000] nvme nvme0: 2/0/0 default/read/poll queues"},
    {"nvme0.iops = published:d000_4k_rand_after_3nvme/nvme0 within 28 percent", true, "200000/s"},
    {"nvme0.iops = published:d000_4k_rand_after_3nvme/nvme0 within 5 percent", false, "200000/s"},
};

Test(results_expect, each_form)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(SimKeyfile) file = file_of(rows[i].entry);
        g_autoptr(GError) error = NULL;
        g_autofree char *got = NULL;
        unsigned failed = 9;

        cr_assert(expect_validate(file, devices, TYPES, &error), "%s",
                  error ? error->message : rows[i].entry);
        cr_assert(sim_keyfile_check_taken(file, "expect", NULL, NULL));
        cr_assert(expect_evaluate(file, bench->store, run_id, &failed, &error), "%s",
                  error ? error->message : rows[i].entry);
        cr_expect(eq(u32, failed, !rows[i].held), "%s", rows[i].entry);
        got = bench_ask(bench, "SELECT got FROM expect_result ORDER BY seq DESC LIMIT 1", run_id);
        cr_expect(eq(str, got, (char *)rows[i].got), "%s", rows[i].entry);
    }
}

/* golden-port.jsonl: 2,000,000 bytes of TCP, ten of them wrong; 100 datagrams, two lost. */
Test(results_expect, traffic_of_a_run)
{
    static const struct {
        const char *entry;
        bool held;
        const char *got;
    } traffic[] = {
        {"traffic.streams = 36", true, "36"},
        {"traffic.sent_bytes = 2147200B", true, "2147200B"},
        {"traffic.verified_bytes = 2147200B", false, "2144246B"},
        {"traffic.mismatched_bytes = 0B", false, "10B"},
        {"traffic.missing_bytes.max = 2954B", true, "2954B"},
        {"traffic.datagrams_lost = 0", false, "2"},
        {"traffic.datagrams_sent = 100", true, "100"},
        {"traffic.datagrams_repeated = 1", true, "1"},
    };
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden_port(bench), other = bench_golden(bench);

    for (size_t i = 0; i <= G_N_ELEMENTS(traffic); i++) {
        bool none = i == G_N_ELEMENTS(traffic); /* a run without any */
        const char *entry = none ? "traffic.mismatched_bytes = 0B" : traffic[i].entry;
        g_autoptr(SimKeyfile) file = file_of(entry);
        g_autofree char *got = NULL;
        unsigned failed = 9;

        cr_assert(expect_evaluate(file, bench->store, none ? other : run_id, &failed, NULL), "%s",
                  entry);
        cr_expect(eq(u32, failed, none || !traffic[i].held), "%s", entry);
        got = bench_ask(bench,
                        "SELECT got FROM expect_result WHERE run_id = :run_id"
                        " ORDER BY seq DESC LIMIT 1",
                        none ? other : run_id);
        cr_expect(eq(str, got, none ? (char *)"nothing measured" : (char *)traffic[i].got), "%s",
                  entry);
    }
}

Test(results_expect, rows_keep_the_order_of_the_file)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);
    g_autoptr(SimKeyfile) file =
        file_of("nvme0.violations = 0\nnvme0.iops.min = 1000\ncpu.cpus = 3");
    unsigned failed;

    cr_assert(expect_evaluate(file, bench->store, run_id, &failed, NULL));
    cr_expect(eq(u32, failed, 2));
    bench_expect(bench, run_id,
                 "SELECT seq, key, wanted, got, held FROM expect_result ORDER BY seq",
                 "0|nvme0.violations|0|4|0\n1|nvme0.iops.min|1000|200000/s|1\n2|cpu.cpus|3|2|0");
}

/* Found before anything runs, with file, line and the nearest valid word. */
static const struct {
    const char *entry, *part;
} wrong[] = {
    {"nvme0.iosp = 1", "\"iops\""},
    {"nvme0.abort = 1", "\"aborts\""},
    {"nvm0.iops = 1", "\"nvme0\""},
    {"nvme0.rx_packets = 1", "unknown column \"rx_packets\""},
    {"eth0.iops = 1/s", "unknown column \"iops\""},
    {"eth0.rx_pakets = 1", "\"rx_packets\""},
    {"eth0.frames_sunk = 1", "unknown column \"frames_sunk\""},
    {"cable.violations = 1", "there are: frames_generated, frames_sunk"},
    {"cable.frames_snk = 1", "\"frames_sunk\""},
    {"nvme0 = 1", "DEVICE.COLUMN"},
    {"cpu.idle = 1", "\"idle_pct\""},
    {"queue_map.nvme2.sqs = 1", "did you mean \"nvme"},
    {"queue_map.nvme0.sq = 1", "\"sqs\""},
    {"queue_map.sqs = 1", "queue_map.DEVICE"},
    {"traffic.sent = 1B", "\"sent_bytes\""},
    {"traffic = 1", "traffic.COLUMN"},
    {"interupt-entropy.min = 1", "\"interrupt-entropy\""},
    {"run.verdict = don", "\"done\""},
    {"run.verdicts = done", "run.verdict"},
    {"guest.dmesg = x", "guest.dmesg.deny"},
    {"guest.dmesg.deny = (", "regular expression"},
    {"nvme0.latency_p99.max = 40", "a unit is missing"},
    {"nvme0.latency_p99.max = 40MB/s", "unit"},
    {"nvme0.violations = none", "not a number"},
    {"nvme0.violations = 3us", "not a number"},
    {"cpu.idle_pct.min = 76", "percent"},
    {"nvme0.iops = published:d000_4k_rand_after_3nvme/nvme9 within 5 percent",
     "\"d000_4k_rand_after_3nvme/nvme0\""},
    {"nvme0.iops = published:d000_4k_rand_after_3nvme/nvme0", "within 5 percent"},
    {"nvme0.iops.min = published:d000_4k_rand_after_3nvme/nvme0 within 5 percent", "DEVICE.iops"},
    {"nvme0.aborts = published:d000_4k_rand_after_3nvme/nvme0 within 5 percent", "DEVICE.iops"},
    {"run.verdict.min = done", ".min and .max"},
    {"nvme0.iops = point:one", "KEY.min or KEY.max"},
    {"nvme0.iops.max = point:", "KEY.min or KEY.max"},
};

Test(results_expect, wrong_entries_are_found_before_the_run)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(SimKeyfile) file = file_of(wrong[i].entry);
        g_autoptr(GError) error = NULL;

        cr_assert(not(expect_validate(file, devices, TYPES, &error)), "%s", wrong[i].entry);
        cr_expect(eq(u32, error->domain, SIM_KEYFILE_ERROR));
        cr_expect(has(error->message, "a.ini:2:"), "%s", error->message);
        cr_expect(has(error->message, wrong[i].part), "%s: \"%s\" says nothing of %s",
                  wrong[i].entry, error->message, wrong[i].part);
    }
}

Test(results_expect, no_log_is_no_proof)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_begin(bench, 7, "bb22");
    g_autoptr(SimKeyfile) file = file_of("guest.dmesg.deny = BUG:");
    g_autoptr(SimKeyfile) nothing = file_of("");
    unsigned failed;

    cr_assert(expect_evaluate(file, bench->store, run_id, &failed, NULL));
    cr_expect(eq(u32, failed, 1));
    cr_assert(expect_evaluate(nothing, bench->store, run_id, &failed, NULL));
    cr_expect(eq(u32, failed, 0));
}

/* The golden run twice: as point "one" and as point "two", whose drive has read a block more. */
Test(results_expect, other_points_of_the_scenario)
{
    static const struct {
        const char *entry;
        bool held;
        const char *got;
    } cases[] = {
        {"nvme0.iops.min = point:one", true, "200000/s, there 200000/s"},
        {"nvme0.iops.max = point:point=one", true, "200000/s, there 200000/s"},
        {"nvme0.read_bytes.min = point:one", true, "8192512B, there 8192000B"},
        {"nvme0.read_bytes.max = point:one", false, "8192512B, there 8192000B"},
        {"doorbells-per-io.nvme0.max = point:one", true, "1.495, there 1.495"},
        {"nvme1.latency_p50.max = point:one", false, "nothing measured at point one"},
        {"nvme0.iops.max = point:two", false, "this database has no earlier run of point two"},
        {"nvme0.iops.max = point:none", false, "this database has no earlier run of point none"},
    };
    g_autoptr(Bench) bench = bench_new();
    int64_t first = bench_golden(bench), second = bench_golden(bench);
    g_autofree char *sql = g_strdup_printf(
        "UPDATE run SET point = 'point=one' WHERE run_id = %d; UPDATE run SET point = 'two' WHERE run_id"
        " = %d; UPDATE counter SET value = value + 512 WHERE run_id = %d AND device = 'nvme0' AND"
        " name = 'read_bytes' AND at = 'window-end'",
        (int)first, (int)second, (int)second);

    cr_assert(eq(int, sqlite3_exec(results_db(bench->store), sql, NULL, NULL, NULL), SQLITE_OK));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(SimKeyfile) file = file_of(cases[i].entry);
        g_autofree char *got = NULL;
        unsigned failed = 9;

        cr_assert(expect_validate(file, devices, TYPES, NULL), "%s", cases[i].entry);
        cr_assert(expect_evaluate(file, bench->store, second, &failed, NULL));
        cr_expect(eq(u32, failed, !cases[i].held), "%s", cases[i].entry);
        got = bench_ask(bench, "SELECT got FROM expect_result ORDER BY seq DESC LIMIT 1", second);
        cr_expect(eq(str, got, (char *)cases[i].got), "%s", cases[i].entry);
    }
}
