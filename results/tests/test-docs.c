/* SPDX-License-Identifier: GPL-2.0-or-later */
/* docs/results.md says what the schema says, and its examples run as written. */
#include "bench.h"
#include "schema-doc.h"

static char *read_docs(void)
{
    g_autofree char *path = bench_file("../../docs/results.md");
    char *text = NULL;

    cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    return text;
}

Test(results_docs, reference_is_that_of_the_schema)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *docs = read_docs();
    g_autofree char *reference = schema_doc(bench->store);

    cr_expect(has(docs, reference), "docs/results.md is older than the schema: put the output of "
                                    "print-schema-doc in place of its reference");
}

Test(results_docs, examples_run_as_written)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *docs = read_docs();
    g_auto(GStrv) parts = g_strsplit(docs, "```sql\n", -1);
    int64_t run_id = bench_golden(bench);

    cr_expect(ge(u32, g_strv_length(parts), 6), "examples are missing");
    for (int i = 1; parts[i]; i++) {
        g_autofree char *sql = g_strndup(parts[i], strstr(parts[i], "```") - parts[i]);
        g_autofree char *rows = bench_ask(bench, sql, run_id);

        cr_expect(ne(str, rows, ""), "no rows from\n%s", sql);
    }
}

Test(results_docs, every_query_is_told)
{
    g_autofree char *docs = read_docs();
    g_auto(GStrv) names = results_query_names();

    for (int i = 0; names[i]; i++) {
        g_autofree char *quoted = g_strdup_printf("| `%s` |", names[i]);

        cr_expect(has(docs, quoted), "docs/results.md says nothing of %s", names[i]);
    }
}
