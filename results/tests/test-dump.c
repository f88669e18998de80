/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canonical text: equal for equal runs, and the first difference by name. */
#include "bench.h"

static char *dump(Bench *bench, int64_t run_id)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    cr_assert(results_dump(bench->store, run_id, text, &error), "%s", error ? error->message : "");
    return g_string_free(g_steal_pointer(&text), FALSE);
}

Test(results_dump, equal_runs_give_equal_bytes)
{
    g_autoptr(Bench) bench = bench_new();
    g_autoptr(Bench) other = bench_new();
    int64_t first = bench_golden(bench), second = bench_golden(bench);
    g_autofree char *a = dump(bench, first);
    g_autofree char *b = dump(bench, second);
    g_autofree char *c = NULL;
    g_autofree char *difference = NULL;

    cr_expect(eq(str, a, b));
    (void)bench_begin(other, 9, "cc33"); /* other ids */
    c = dump(other, bench_golden(other));
    cr_expect(eq(str, a, c));
    cr_expect(results_dump_compare(bench->store, first, second, &difference, NULL));
    cr_expect(not(difference != NULL));
}

Test(results_dump, holds_rows_and_leaves_out_the_machine)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *text = dump(bench, bench_golden(bench));

    cr_expect(true == g_str_has_prefix(text, "run_input|kind=kernel|name=vmlinuz|hash=bb22\n"
                                     "run_input|kind=qemu|name=qemu-system-x86_64|hash=aa11\n"
                                     "run|scenario=golden|"));
    cr_expect(has(text, "\ncounter|device=nvme0|scope=device|idx=0|name=io_completed|at=end|"
                        "value=2200\n"));
    cr_expect(has(text, "|body=QB0 bdf 01:00.0\\nQB0 hctx 0 cpus 0\\n"));
    cr_expect(has(text, "|reason=\\N|"));
    cr_expect(not(has(text, "run_id")));
    cr_expect(not(has(text, "wall_")));
    cr_expect(not(has(text, "nowhere")));
    cr_expect(not(has(text, "3.25")));
}

Test(results_dump, escapes)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t run_id = bench_begin(bench, 7, "bb22");
    g_autofree char *text = NULL;

    cr_assert(results_run_expect(bench->store, run_id, "a|b\\c", "tab\there", "\x1b", true, NULL));
    text = dump(bench, run_id);
    cr_expect(
        has(text, "expect_result|seq=0|key=a\\|b\\\\c|wanted=tab\\x09here|got=\\x1b|held=1\n"),
        "%s", text);
}

static void differs(Bench *bench, int64_t a, int64_t b, const char *part)
{
    g_autofree char *difference = NULL;
    g_autoptr(GError) error = NULL;

    cr_assert(not(results_dump_compare(bench->store, a, b, &difference, &error)));
    cr_assert(difference != NULL, "%s", error ? error->message : "");
    cr_expect(has(difference, part), "\"%s\" says nothing of \"%s\"", difference, part);
}

Test(results_dump, compare_names_the_input_that_differs)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t first = bench_golden(bench), second = bench_begin(bench, 7, "dd44");

    differs(bench, first, second, "input kind=kernel|name=vmlinuz differs: bb22 and dd44");
    bench_expect(bench, second, "DELETE FROM run_input WHERE run_id = 2 AND kind = 'kernel'", "");
    differs(bench, first, second, "input kind=kernel|name=vmlinuz is of the first run only");
    differs(bench, second, first, "input kind=kernel|name=vmlinuz is of the second run only");
}

Test(results_dump, compare_names_the_first_row_that_differs)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t first = bench_golden(bench), second = bench_golden(bench);

    bench_expect(bench, second, "UPDATE sample SET bytes = 1 WHERE run_id = 2 AND completed = 1100",
                 "");
    differs(bench, first, second, "\n- sample|device=nvme0|t_ps=6000000000|");
    bench_expect(bench, second,
                 "UPDATE report SET body = body || 'more' WHERE run_id = 2"
                 " AND name = 'before.interrupts'",
                 "");
}

Test(results_dump, no_such_run)
{
    g_autoptr(Bench) bench = bench_new();
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    cr_expect(not(results_dump(bench->store, 5, text, &error)));
    cr_expect(eq(int, error->code, RESULTS_ERROR_RUN));
    g_clear_error(&error);
    cr_expect(eq(i64, results_run_parse(bench->store, "last", &error), 0));
    g_clear_error(&error);
    (void)bench_golden(bench);
    cr_expect(eq(i64, results_run_parse(bench->store, "last", &error), 1));
    cr_expect(eq(i64, results_run_parse(bench->store, "1", &error), 1));
    cr_expect(eq(i64, results_run_parse(bench->store, "2", &error), 0));
    g_clear_error(&error);
    cr_expect(eq(i64, results_run_parse(bench->store, "one", &error), 0));
    cr_expect(has(error->message, "\"one\" is no run"));
}
