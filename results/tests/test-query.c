/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The named queries on golden.jsonl, values by hand, and rows as text. */
#include "bench.h"
#include "results/text.h"

Test(results_query, every_query_runs_and_has_a_value)
{
    g_autoptr(Bench) bench = bench_new();
    g_auto(GStrv) names = results_query_names();
    g_autoptr(Bench) port_bench = bench_new(); /* queries compare the runs of a scenario */
    int64_t run_id = bench_golden(bench), port_run_id = bench_golden_port(port_bench);

    cr_expect(gt(u32, g_strv_length(names), 8));
    for (int i = 0; names[i]; i++) {
        const char *sql = results_query_sql(names[i], NULL);
        g_autofree char *drives = bench_ask(bench, sql, run_id);
        g_autofree char *ports = bench_ask(port_bench, sql, port_run_id);
        g_autofree char *rows = g_strconcat(drives, ports, NULL);
        sqlite3_stmt *stmt = NULL;
        bool value = false;

        cr_expect(true ==
                  g_str_has_prefix(sql, "-- SPDX-License-Identifier: GPL-2.0-or-later\n-- "));
        cr_expect(has(sql, "\n-- value: "), "%s", names[i]);
        cr_expect(ne(str, rows, ""), "%s: no rows", names[i]);
        cr_assert(
            eq(int, sqlite3_prepare_v2(results_db(bench->store), sql, -1, &stmt, NULL), SQLITE_OK));
        cr_expect(eq(str, (char *)sqlite3_column_name(stmt, 0), "run_id"), "%s", names[i]);
        for (int c = 0; c < sqlite3_column_count(stmt); c++) {
            value = value || g_str_equal(sqlite3_column_name(stmt, c), "value");
        }
        cr_expect(value, "%s", names[i]);
        sqlite3_finalize(stmt);
    }
}

static void value_is(const char *name, const char *rows)
{
    g_autoptr(Bench) bench = bench_new();

    bench_expect(bench, bench_golden(bench), results_query_sql(name, NULL), rows);
}

Test(results_query, doorbells_per_io)
{
    /* SQ 1: 60 to 1060, SQ 2: 40 to 1030, CQ 1: 60 to 1060; 2000 commands */
    value_is("doorbells-per-io", "1|nvme0|2000|1990|1000|1.495");
}

Test(results_query, interrupts_per_io)
{
    value_is("interrupts-per-io", "1|nvme0|2000|1990|0.995\n1|nvme1|500|500|1.0");
}

Test(results_query, interrupt_entropy)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_golden(bench);
    g_autofree char *inner = g_strdup(results_query_sql("interrupt-entropy", NULL));
    g_autofree char *sql =
        g_strdup_printf("SELECT device, cpus_hit, interrupts, ROUND(value, 6) FROM (%s)",
                        g_strdelimit(inner, ";", ' '));

    /* 1000 and 990 of 1990: -(0.502513 ln 0.502513 + 0.497487 ln 0.497487) / ln 2; then even */
    bench_expect(bench, run_id, sql, "nvme0|2|1990|0.999982\nnvme1|2|500|1.0");
}

Test(results_query, rate_over_time)
{
    /* 1000 commands in 5 ms */
    value_is("rate-over-time", "1|nvme0|6000000|-\n1|nvme0|11000000|200000.0");
}

Test(results_query, block_size_cliff)
{
    value_is("block-size-cliff", "1|nvme1|intel-750|65536|50000.0|3125.0|-\n"
                                 "1|nvme0|samsung-sm951|4096|200000.0|781.25|-");
}

static void port_value_is(const char *name, const char *rows)
{
    g_autoptr(Bench) bench = bench_new();

    bench_expect(bench, bench_golden_port(bench), results_query_sql(name, NULL), rows);
}

Test(results_query, descriptors_per_writeback)
{
    /* ring 0: 5000 in 1000, ring 1: 4000 in 2000 */
    port_value_is("descriptors-per-writeback", "1|eth0|0|5000|0|1000|0|0|0|0|0|0|0|5.0\n"
                                               "1|eth0|1|4000|0|2000|0|0|0|0|0|0|0|2.0");
}

Test(results_query, descriptor_batches)
{
    /* ring 1 sends 9000 in 450 doorbells, 1500 reads and 3000 writes, and receives 4000 in 2000 */
    port_value_is("descriptor-batches", "1|eth0|0|5000|-|5.0|0|-|-|-|-|-\n"
                                        "1|eth0|1|4000|2.0|2.0|9000|20.0|6.0|3.0|3.0|3.0");
}

Test(results_query, packets_by_queue)
{
    port_value_is("packets-by-queue", "1|eth0|0|5000|0|0|5.0|-|0.277777777777778\n"
                                      "1|eth0|1|4000|9000|600|2.0|3.0|0.722222222222222");
}

Test(results_query, port_rates)
{
    /* 9000 packets each way in 10 ms; 900000 bytes of PCIe over 18000 packets */
    port_value_is("port-rates",
                  "1|eth0|900000.0|900000.0|9000|9000|540000|540000|10000|1000|3.0|3.0|"
                  "50.0|500|0|1800000.0");
}

Test(results_query, pcie_bytes_per_packet)
{
    /* 780000 and 120000 bytes over 9000 packets in and 9000 out */
    port_value_is("pcie-bytes-per-packet",
                  "1|eth0|rx-data|upstream|9000|780000|43.3333333333333\n"
                  "1|eth0|rx-desc-writeback|upstream|3000|120000|6.66666666666667");
}

Test(results_query, costs_of_a_packet)
{
    /* 9000 + 3000 TLPs over 18000 packets; 9000 of 3000 descriptor writes, none by interrupt */
    port_value_is("tlps-per-packet", "1|eth0|12000|18000|0.666666666666667");
    port_value_is("partial-lines-per-packet", "1|eth0|12000|18000|0.666666666666667");
    port_value_is("rx-bytes-per-packet", "1|eth0|540000|9000|60.0");
    port_value_is("writebacks-by-interrupt", "1|eth0|0|3000|0.0");
}

Test(results_query, unknown_name_gets_the_nearest)
{
    g_autoptr(GError) error = NULL;

    cr_expect(not(results_query_sql("interupt-entropy", &error) != NULL));
    cr_expect(has(error->message, "did you mean \"interrupt-entropy\"?"), "%s", error->message);
    g_clear_error(&error);
    cr_expect(not(results_query_sql("../schema/0001-run", &error) != NULL));
}

static void rows_are(TextFormat format, const char *sql, const char *expected)
{
    g_autoptr(Bench) bench = bench_new();
    g_autoptr(GString) text = g_string_new(NULL);
    sqlite3_stmt *stmt = NULL;

    cr_assert(
        eq(int, sqlite3_prepare_v2(results_db(bench->store), sql, -1, &stmt, NULL), SQLITE_OK));
    cr_expect(text_rows(stmt, format, text, NULL));
    cr_expect(eq(str, text->str, (char *)expected));
    sqlite3_finalize(stmt);
}

Test(results_query, rows_as_text)
{
    static const char sql[] = "SELECT 1 AS a, 'x,\"y' AS \"b c\", NULL AS d UNION ALL"
                              " SELECT 20, 'über', 0.5";

    rows_are(TEXT_CSV, sql, "a,b c,d\n1,\"x,\"\"y\",\n20,über,0.5\n");
    rows_are(TEXT_ALIGNED, sql, " a  b c   d\n 1  x,\"y  -\n20  über  0.5000\n");
    rows_are(TEXT_JSON, "SELECT 1 AS a, NULL AS b, 'z' AS c",
             "[\n  {\n    \"a\" : 1,\n    \"b\" : null,\n    \"c\" : \"z\"\n  }\n]\n");
}

Test(results_query, numbers_for_people)
{
    static const struct {
        double value;
        const char *unit, *text;
    } rows[] = {{0, "", "0"},       {274589.5, "", "275 K"}, {1234, "B", "1.23 KB"},
                {999, "", "999"},   {12, "B", "12 B"},       {2e9, "B", "2.00 GB"},
                {99.96, "", "100"}, {1.5, "", "1.50"}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = text_si(rows[i].value, rows[i].unit);

        cr_expect(eq(str, text, (char *)rows[i].text));
    }
    g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < 6; i++) {
        guint cpu = (guint[]){8, 2, 1, 0, 31, 9}[i];
        g_array_append_val(cpus, cpu);
    }
    g_autofree char *ranges = text_ranges(cpus);
    cr_expect(eq(str, ranges, "0-2,8-9,31"));
}
