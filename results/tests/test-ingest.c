/* SPDX-License-Identifier: GPL-2.0-or-later */
/* golden.jsonl holds every record type; the values below were worked out by hand from it.
 * Its window is 10 ms long: 2000 reads of 4 KiB on nvme0 and 500 of 64 KiB on nvme1. */
#include "bench.h"
#include "results/guest-reports.h"

Test(results_ingest, every_record_type_arrives)
{
    static const struct {
        const char *table, *rows;
    } counts[] = {
        {"param", "2"},       {"mark", "3"},       {"queue_event", "6"}, {"admin_command", "2"},
        {"report", "7"},      {"sample", "2"},     {"violation", "1"},   {"fault", "1"},
        {"identity", "2"},    {"vcpu", "5"},       {"latency_sum", "3"}, {"tlp", "6"},
        {"latency", "11"},    {"irq_vector", "4"}, {"hctx", "4"},        {"cpu_stat", "2"},
        {"load_result", "2"}, {"device", "2"},     {"run_input", "2"}};
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s", counts[i].table);

        bench_expect(bench, run_id, sql, counts[i].rows);
    }
    bench_expect(bench, run_id, "SELECT device, slot, serial FROM device",
                 "nvme0|slot0|QB0\nnvme1|slot1|QB1");
    bench_expect(bench, run_id, "SELECT first_ps, count FROM violation", "6500000000|4");
    bench_expect(bench, run_id, "SELECT verdict, verdict_code, end_ps FROM run",
                 "done|0|12000000000");
    bench_expect(bench, run_id,
                 "SELECT ien, cqid IS NULL, size_entries FROM queue_event"
                 " WHERE seq < 2",
                 "1|1|1024\n-|0|1024");
    bench_expect(bench, run_id, "PRAGMA foreign_key_check", "");
}

/* Names and order of the columns that others rely on. */
Test(results_ingest, views_have_their_columns)
{
    static const struct {
        const char *view, *columns;
    } views[] = {
        {"device_summary", "run_id,scenario,device,profile,driver,iops,mib_per_s,latency_p50_ns,"
                           "latency_p99_ns,commands,interrupts,violations"},
        {"interrupt_spread", "run_id,device,vector,cpu,interrupts"},
        {"packet_summary", "run_id,device,queue,rx_packets,tx_packets,dropped,"
                           "descriptors_per_writeback"},
        {"pcie_by_purpose",
         "run_id,device,purpose,direction,tlp_type,tlps,payload_bytes,wire_bytes"},
        {"queue_map", "run_id,device,cpu,sq,cq,vector"},
        {"cpu_time", "run_id,cpu,busy_pct,instructions,user_pct,system_pct,irq_pct,idle_pct"},
        {"runs", "run_id,scenario,status,seed,clock,dilation"},
        {"cpu_summary", "run_id,cpus,busy_pct,idle_pct,instructions,instructions_per_io"},
    };
    g_autoptr(Bench) bench = bench_new();

    for (size_t i = 0; i < G_N_ELEMENTS(views); i++) {
        g_autofree char *sql = g_strdup_printf("SELECT GROUP_CONCAT(name) FROM (SELECT name FROM "
                                               "pragma_table_info('%s') ORDER BY cid)",
                                               views[i].view);
        g_autofree char *columns = bench_ask(bench, sql, 0);

        cr_expect(true == g_str_has_prefix(columns, views[i].columns), "%s: %s", views[i].view, columns);
    }
}

Test(results_ingest, device_summary)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    /* 2000 commands and 8192000 bytes in 10 ms.  1000 at most 10 us, 979 more 20 us, 21 more 50 us:
     * the 1980th is in the last bucket.  Mean: 25e9 ps over 2000. */
    bench_expect(
        bench, run_id,
        "SELECT scenario, profile, driver, iops, mib_per_s, latency_p50_ns, latency_p90_ns,"
        " latency_p99_ns, latency_max_ns, latency_mean_ns, commands, interrupts, violations"
        " FROM device_summary WHERE device = 'nvme0'",
        "golden|samsung-sm951|linux-nvme|200000.0|781.25|10000|20000|50000|50000|12500.0|"
        "2000|1990|4");
    bench_expect(bench, run_id,
                 "SELECT iops, mib_per_s, latency_p50_ns, commands, interrupts, violations"
                 " FROM device_summary WHERE device = 'nvme1'",
                 "50000.0|3125.0|-|500|500|0");
    bench_expect(bench, run_id, "SELECT * FROM measured_window",
                 "1|1000000000|11000000000|10000000000|1");
}

Test(results_ingest, interrupts_by_cpu)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    /* irq 25 is vector 1, 26 is 2 of nvme0; 27 is vector 0 of nvme1; 24 took none in between. */
    bench_expect(bench, run_id,
                 "SELECT device, vector, cpu, interrupts FROM interrupt_spread ORDER BY 1, 2, 3",
                 "nvme0|1|0|1000\nnvme0|2|1|990\nnvme1|0|0|250\nnvme1|0|1|250");
    bench_expect(bench, run_id,
                 "SELECT irq, name, cpu, interrupts FROM interrupt WHERE device IS NULL ORDER BY 3",
                 "LOC|Local timer interrupts|0|4\nLOC|Local timer interrupts|1|2");
    bench_expect(bench, run_id, "SELECT name FROM interrupt WHERE irq = '27' AND cpu = 1",
                 "nvme1q1");
}

Test(results_ingest, queue_map)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    bench_expect(bench, run_id,
                 "SELECT device, cpu, sq, cq, vector FROM queue_map ORDER BY device, cpu",
                 "nvme0|0|1|1|1\nnvme0|1|2|2|2\nnvme1|0|1|1|0\nnvme1|1|1|1|0");
    bench_expect(bench, run_id,
                 "SELECT vector, irq, effective_cpus, affinity_cpus FROM irq_vector"
                 " WHERE device = 'nvme1' OR vector = 2 ORDER BY irq",
                 "2|26|1|1\n0|27||0-1");
}

Test(results_ingest, cpu_time)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    /* cpu0: 7.5 of 10 ms busy; ticks 2 user, 4 system, 1 irq, 3 softirq, 10 idle of 20.
     * cpu1: 2.5 ms; 1 nice, 1 system, 17 idle + 1 iowait of 20. */
    bench_expect(bench, run_id, "SELECT * FROM cpu_time",
                 "1|0|75.0|8000000|10.0|20.0|20.0|50.0\n1|1|25.0|2000000|5.0|5.0|0.0|90.0");
    bench_expect(bench, run_id, "SELECT * FROM cpu_summary",
                 "1|2|50.0|50.0|10000000|4000.0|7.5|12.5|10.0");
    /* A simulated driver executes no instruction, which is not 0 an I/O. */
    bench_expect(bench, run_id, "UPDATE run SET clock = 'native'", "");
    bench_expect(bench, run_id,
                 "SELECT busy_pct, idle_pct, instructions_per_io IS NULL FROM cpu_summary",
                 "50.0|50.0|1");
}

Test(results_ingest, pcie_by_purpose)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    bench_expect(bench, run_id, "SELECT * FROM pcie_by_purpose ORDER BY purpose",
                 "1|nvme0|data|upstream|MWr|64000|8192000|9472000\n"
                 "1|nvme0|doorbell|downstream|MWr|1990|7960|47760");
}

/* Without marks the window is the whole run. */
Test(results_ingest, no_window_means_whole_run)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *golden = bench_file("golden.jsonl");
    g_autofree char *text = NULL;
    g_autofree char *path = NULL;
    int64_t run_id = bench_begin(bench, 7, "bb22");

    cr_assert(g_file_get_contents(golden, &text, NULL, NULL));
    *strstr(text, "window-end\"}") = 'W'; /* no mark of that name any more */
    path = bench_write(bench, "whole.jsonl", text);
    cr_assert(results_run_ingest(bench->store, run_id, path, NULL, NULL));
    bench_expect(bench, run_id,
                 "SELECT commands, window_ns FROM device_summary WHERE device = 'nvme0'",
                 "2200|12000000");
}

/* A run that was cut short: the last line is not whole, there is no `end`. */
Test(results_ingest, truncated_telemetry_is_taken_in)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *golden = bench_file("golden.jsonl");
    g_autofree char *text = NULL;
    g_autofree char *path = NULL;
    g_autofree char *verdict = NULL;
    int64_t run_id = bench_begin(bench, 7, "bb22");
    bool ended = true;

    cr_assert(g_file_get_contents(golden, &text, NULL, NULL));
    strstr(text, "\"rule\"")[3] = '\0'; /* in the middle of the first violation */
    path = bench_write(bench, "cut.jsonl", text);
    cr_assert(results_run_ingest(bench->store, run_id, path, &ended, NULL));
    cr_expect(not(ended));
    verdict = results_run_verdict(bench->store, run_id);
    cr_expect(not(verdict != NULL));
    bench_expect(bench, run_id, "SELECT COUNT(*) FROM violation", "0");
    bench_expect(bench, run_id, "SELECT iops, commands FROM device_summary", "-|0\n-|0");
}

/* What telemetry may not be: the line and the reason are told, and nothing is kept. */
Test(results_ingest, bad_telemetry_names_the_line)
{
    static const char begin[] =
        "{\"type\":\"begin\",\"schema\":1,\"seed\":7,\"clock\":\"native\"}\n";
    static const struct {
        const char *lines, *part;
    } rows[] = {
        {"{\"type\":\"mark\",\"t_ps\":1}\n", ":2: field \"what\" is missing"},
        {"{\"type\":\"mark\",\"t_ps\":\"1\",\"what\":\"x\"}\n",
         ":2: field \"t_ps\" is of the wrong"},
        {"\n\n{\"type\":\"marc\"}\n", ":4: unknown record type \"marc\""},
        {"{\"typ\":1}\n", ":2: field \"type\" is missing"},
        {"[1]\n", ":2: not a JSON object"},
        {"{nonsense\n", ":2: not JSON"},
        {"{\"type\":\"begin\",\"schema\":1,\"seed\":7}\n", ":2: a second \"begin\""},
        {"{\"type\":\"end\",\"t_ps\":1,\"verdict\":\"done\"}\n{\"type\":\"mark\"}\n",
         ":3: a record after \"end\""},
        {"{\"type\":\"vcpu\",\"at\":\"end\",\"cpu\":0,\"instructions\":1,\"busy_ns\":1}\n"
         "{\"type\":\"vcpu\",\"at\":\"end\",\"cpu\":0,\"instructions\":1,\"busy_ns\":1}\n",
         ":3: record does not fit: UNIQUE"},
    };
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_begin(bench, 7, "bb22");

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(begin, rows[i].lines, NULL);
        g_autofree char *path = bench_write(bench, "bad.jsonl", text);
        g_autoptr(GError) error = NULL;

        cr_assert(not(results_run_ingest(bench->store, run_id, path, NULL, &error)), "%s", text);
        cr_expect(eq(int, error->code, RESULTS_ERROR_TELEMETRY));
        cr_expect(has(error->message, rows[i].part), "\"%s\" says nothing of \"%s\"",
                  error->message, rows[i].part);
        bench_expect(bench, run_id,
                     "SELECT COUNT(*), (SELECT COUNT(*) FROM vcpu) FROM run"
                     " WHERE telemetry_schema IS NOT NULL",
                     "0|0");
    }
}

static void refused(Bench *bench, int64_t run_id, const char *text, int code, const char *part)
{
    g_autofree char *path = bench_write(bench, "bad.jsonl", text);
    g_autoptr(GError) error = NULL;

    cr_assert(not(results_run_ingest(bench->store, run_id, path, NULL, &error)));
    cr_expect(eq(int, error->code, code));
    cr_expect(has(error->message, part), "%s", error->message);
}

Test(results_ingest, telemetry_of_another_run_is_refused)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_begin(bench, 7, "bb22");

    refused(bench, run_id, "", RESULTS_ERROR_TELEMETRY, "empty");
    refused(bench, run_id, "{\"type\":\"end\"}\n", RESULTS_ERROR_TELEMETRY, "not \"begin\"");
    refused(bench, run_id, "{\"type\":\"begin\",\"schema\":2,\"seed\":7}\n", RESULTS_ERROR_VERSION,
            "schema 2, this quirkbench reads 1");
    refused(bench, run_id, "{\"type\":\"begin\",\"schema\":1,\"seed\":8}\n",
            RESULTS_ERROR_TELEMETRY, "seed");
    refused(bench, 77, "{\"type\":\"begin\",\"schema\":1,\"seed\":7}\n", RESULTS_ERROR_TELEMETRY,
            "no run 77");
}

/* A guest may report anything. */
Test(results_ingest, nonsense_from_the_guest_is_kept_and_not_believed)
{
    static const char *const bodies[] = {
        "",
        "\n\n",
        "QB0",
        "QB0 hctx",
        "QB0 hctx x cpus 0",
        "QB0 irq 1 vector",
        "QB0 irq -1 vector 3 effective",
        "QB0 hctx 0 cpus 4-1,99999999999999999999,7-",
        "QB9 hctx 0 cpus 0",
        "{\"devices\":[1,{\"serial\":\"QB9\"},{\"serial\":\"QB0\"}]}",
        "{\"devices\":3}",
        "[",
        "CPU0 CPU1\n1: 2 3 4 x\n: 1 1\n2:\n3: 99999999999999999999 1 x",
        "cpu0 1 2\ncpu99999999 1 2 3 4 5 6 7 8\ncpu1 a b c d e f g h"};
    static const char *const names[] = {"queue-map",        "load",   "before.interrupts",
                                        "after.interrupts", "x.stat", "y.stat"};
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_begin(bench, 7, "bb22");
    g_autoptr(GuestReports) reports = guest_reports_new();
    g_autoptr(GError) error = NULL;

    for (size_t b = 0; b < G_N_ELEMENTS(bodies); b++) {
        for (size_t n = 0; n < G_N_ELEMENTS(names); n++) {
            guest_reports_add(reports, 1, names[n], bodies[b]);
        }
    }
    cr_expect(guest_reports_store(reports, bench->store, run_id, &error), "%s",
              error ? error->message : "");
}

Test(results_ingest, cpu_lists)
{
    static const struct {
        const char *text;
        guint n, first, last;
    } rows[] = {{"0-3,8", 5, 0, 8},
                {"0, 1, 2", 3, 0, 2},
                {"31", 1, 31, 31},
                {"", 0, 0, 0},
                {"7-7", 1, 7, 7}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GArray) cpus = guest_reports_cpu_list(rows[i].text);

        cr_assert(eq(u32, cpus->len, rows[i].n), "%s", rows[i].text);
        if (cpus->len) {
            cr_expect(eq(u32, g_array_index(cpus, guint, 0), rows[i].first));
            cr_expect(eq(u32, g_array_index(cpus, guint, cpus->len - 1), rows[i].last));
        }
    }
}

Test(results_ingest, identities)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);
    g_autofree char *breach = NULL;

    cr_expect(results_run_identities_held(bench->store, run_id, &breach));
    cr_expect(not(breach != NULL));
    bench_expect(bench, run_id,
                 "UPDATE identity SET held = 0, right_value = 9"
                 " WHERE device = 'slot0'",
                 "");
    cr_expect(not(results_run_identities_held(bench->store, run_id, &breach)));
    cr_expect(eq(str, breach, "slot0: serialised bytes = ledger: 123456 is not 9"));
}

Test(results_ingest, reports_can_be_read)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);
    g_autofree char *log = results_run_report(bench->store, run_id, "dmesg");
    g_autofree char *none = results_run_report(bench->store, run_id, "verify-error");

    cr_expect(true == g_str_has_prefix(log, "[    0.000000] Linux version"));
    cr_expect(not(none != NULL));
}

/* Window of 10 ms.  Ring 0: 50 to 5050 frames in 10 to 1010 writes; ring 1: 50 to 4050 in 25 to 2025,
 * 600 dropped, 9000 sent. */
Test(results_ingest, network_port)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden_port(bench);

    bench_expect(bench, run_id,
                 "SELECT queue, rx_packets, tx_packets, dropped, descriptors_per_writeback,"
                 " tx_descriptors_per_writeback, rx_bytes, tx_bytes FROM packet_summary"
                 " ORDER BY queue",
                 "0|5000|0|0|5.0|-|300000|0\n1|4000|9000|600|2.0|3.0|240000|540000");
    bench_expect(bench, run_id,
                 "SELECT profile, rx_packets, tx_packets, dropped, rx_pps, tx_pps, received,"
                 " dropped_missed, dropped_no_descriptor, rx_queues, tx_queues,"
                 " descriptors_per_writeback, tx_descriptors_per_writeback, wire_bytes_per_packet,"
                 " partial_line_writes, interrupts, window_ns FROM port_summary",
                 "82599es|9000|9000|1000|900000.0|900000.0|10000|400|600|2|1|3.0|3.0|50.0|12000|"
                 "500|10000000");
    bench_expect(bench, run_id, "SELECT device, left_value, held FROM identity", "eth0|10100|1");
    /* A port's MAC is its serial; the driver names vectors. */
    bench_expect(bench, run_id, "SELECT vector, affinity_cpus FROM irq_vector WHERE device = 'eth0'",
                 "0|0\n1|0-1");
    bench_expect(bench, run_id,
                 "SELECT name, vector, cpu, interrupts FROM interrupt WHERE device = 'eth0'"
                 " ORDER BY 2",
                 "eth0-TxRx-0|0|0|300\neth0-TxRx-1|1|1|200");
}

/* A run without ports has no rows of them. */
Test(results_ingest, no_network_port)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);

    bench_expect(bench, run_id, "SELECT * FROM packet_summary", "");
    bench_expect(bench, run_id, "SELECT * FROM port_summary", "");
}
