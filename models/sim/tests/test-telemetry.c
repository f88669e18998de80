/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include "sim/sim-telemetry.h"

typedef struct Bench {
    char *folder, *path;
    SimTelemetry *telemetry;
} Bench;

static Bench bench_new(void)
{
    Bench bench;

    bench.folder = g_dir_make_tmp("telemetry-XXXXXX", NULL);
    bench.path = g_build_filename(bench.folder, "run.jsonl", NULL);
    bench.telemetry = sim_telemetry_new(bench.path, NULL);
    cr_assert(ne(ptr, bench.telemetry, NULL));
    return bench;
}

/* What the file holds after it is closed. */
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

Test(sim_telemetry, golden_lines)
{
    Bench bench = bench_new();
    SimTelemetry *t = bench.telemetry;
    g_autofree char *text = NULL;

    sim_telemetry_begin(t, "begin");
    sim_telemetry_u64(t, "schema", 1);
    sim_telemetry_u64(t, "seed", 0);
    sim_telemetry_str(t, "clock", "native");
    sim_telemetry_bool(t, "held", true);
    sim_telemetry_bool(t, "lost", false);
    sim_telemetry_end(t);
    sim_telemetry_begin(t, "end");
    sim_telemetry_u64(t, "t_ps", UINT64_C(9223372036854775807));
    sim_telemetry_u64(t, "over", UINT64_MAX);
    sim_telemetry_end(t);
    text = bench_close(&bench);
    cr_expect(eq(str, text,
                 "{\"type\":\"begin\",\"schema\":1,\"seed\":0,\"clock\":\"native\",\"held\":true,"
                 "\"lost\":false}\n"
                 "{\"type\":\"end\",\"t_ps\":9223372036854775807,\"over\":9223372036854775807}\n"));
}

Test(sim_telemetry, strings_are_escaped)
{
    Bench bench = bench_new();
    SimTelemetry *t = bench.telemetry;
    g_autofree char *text = NULL;

    sim_telemetry_begin(t, "report");
    sim_telemetry_str(t, "a", "\"\\ \n\r\t \x01 \x7f");
    sim_telemetry_str(t, "b", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    sim_telemetry_strn(t, "c", "x\0y", 3);
    /* a lone continuation byte, a cut sequence, a surrogate, an overlong form */
    sim_telemetry_strn(t, "d", "\x80|\xe2\x82|\xed\xa0\x80|\xc0\xaf", 11);
    sim_telemetry_strn(t, "e", "\xe2\x82\xac", 2);
    sim_telemetry_str(t, "f", NULL);
    sim_telemetry_end(t);
    text = bench_close(&bench);
#define R "\xef\xbf\xbd"
    cr_expect(eq(str, text,
                 "{\"type\":\"report\",\"a\":\"\\\"\\\\ \\n\\r\\t \\u0001 \\u007f\","
                 "\"b\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\",\"c\":\"x\\u0000y\","
                 "\"d\":\"" R "|" R R "|" R R R "|" R R "\",\"e\":\"" R R "\",\"f\":\"\"}\n"));
}

Test(sim_telemetry, violations_first_at_once_and_totals_in_the_order_seen)
{
    Bench bench = bench_new();
    SimTelemetry *t = bench.telemetry;
    g_autofree char *text = NULL;

    sim_telemetry_violation(t, "nvme1", 5, "NVMe-1.4 §3.1.5", "b");
    sim_telemetry_violation(t, "nvme0", 6, "NVMe-1.4 §3.1.5", "b");
    sim_telemetry_violation(t, "nvme1", 7, "NVMe-1.4 §3.1.5", "b");
    sim_telemetry_violation(t, "nvme1", 8, "NVMe-1.4 §3.1.5", "a");
    cr_expect(eq(u64, sim_telemetry_violations(t, "nvme1"), 3));
    cr_expect(eq(u64, sim_telemetry_violations(t, "nvme0"), 1));
    cr_expect(eq(u64, sim_telemetry_violations(t, "nvme9"), 0));
    cr_expect(eq(u64, sim_telemetry_violations(t, NULL), 4));
    sim_telemetry_violation_totals(t);
    text = bench_close(&bench);
#define LINE(t, at, device, text, count)                                                           \
    "{\"type\":\"violation\",\"t_ps\":" t at ",\"device\":\"" device                               \
    "\",\"rule\":\"NVMe-1.4 §3.1.5\",\"text\":\"" text "\",\"count\":" count "}\n"
#define END ",\"at\":\"end\""
    cr_expect(eq(str, text,
                 LINE("5", "", "nvme1", "b", "1") LINE("6", "", "nvme0", "b", "1")
                     LINE("8", "", "nvme1", "a", "1") LINE("5", END, "nvme1", "b", "2")
                         LINE("6", END, "nvme0", "b", "1") LINE("8", END, "nvme1", "a", "1")));
}

Test(sim_telemetry, without_a_file_only_violations_are_counted)
{
    g_autoptr(SimTelemetry) t = sim_telemetry_new(NULL, NULL);

    sim_telemetry_begin(t, "x");
    sim_telemetry_str(t, "a", "b");
    sim_telemetry_end(t);
    sim_telemetry_violation(t, "d", 1, "r", "t");
    sim_telemetry_violation_totals(t);
    cr_expect(eq(u64, sim_telemetry_violations(t, "d"), 1));
    cr_expect(sim_telemetry_flush(t));
    cr_expect(eq(int, sim_telemetry_errno(t), 0));
}

Test(sim_telemetry, null_is_accepted_everywhere)
{
    sim_telemetry_begin(NULL, "x");
    sim_telemetry_str(NULL, "a", "b");
    sim_telemetry_strn(NULL, "a", "b", 1);
    sim_telemetry_u64(NULL, "a", 1);
    sim_telemetry_bool(NULL, "a", true);
    sim_telemetry_end(NULL);
    sim_telemetry_violation(NULL, "d", 1, "r", "t");
    sim_telemetry_violation_totals(NULL);
    cr_expect(sim_telemetry_flush(NULL));
    cr_expect(eq(u64, sim_telemetry_violations(NULL, NULL), 0));
    cr_expect(eq(int, sim_telemetry_errno(NULL), 0));
    sim_telemetry_free(NULL);
}

Test(sim_telemetry, an_existing_file_is_refused)
{
    Bench bench = bench_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;

    cr_expect(eq(ptr, sim_telemetry_new(bench.path, &error), NULL));
    cr_assert(ne(ptr, error, NULL));
    cr_expect(g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_EXIST));
    cr_expect(true == g_str_has_prefix(error->message, bench.path));
    text = bench_close(&bench);
    cr_expect(eq(str, text, ""));
}

Test(sim_telemetry, a_long_run_is_written_whole)
{
    Bench bench = bench_new();
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;

    for (unsigned i = 0; i < 20000; i++) {
        sim_telemetry_begin(bench.telemetry, "sample");
        sim_telemetry_u64(bench.telemetry, "t_ps", i);
        sim_telemetry_end(bench.telemetry);
    }
    text = bench_close(&bench);
    lines = g_strsplit(text, "\n", -1);
    cr_assert(eq(u32, g_strv_length(lines), 20001));
    cr_expect(eq(str, lines[19999], "{\"type\":\"sample\",\"t_ps\":19999}"));
}

Test(sim_telemetry, a_full_disk_is_remembered_and_disturbs_nothing)
{
    Bench bench = bench_new();
    SimTelemetry *full = bench.telemetry;

    /* O_EXCL refuses /dev/full: a limit on the file's size is a full disk that anybody has. */
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}), 0));
    for (unsigned i = 0; i < 5000; i++) {
        sim_telemetry_begin(full, "sample");
        sim_telemetry_u64(full, "t_ps", i);
        sim_telemetry_end(full);
    }
    cr_expect(not(sim_telemetry_flush(full)));
    cr_expect(eq(int, sim_telemetry_errno(full), EFBIG));
    sim_telemetry_violation(full, "d", 1, "r", "t");
    cr_expect(eq(u64, sim_telemetry_violations(full, NULL), 1));
    g_free(bench_close(&bench));
}
