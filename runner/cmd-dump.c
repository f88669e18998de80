/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quirkbench dump RUN [RUN]: a run as canonical text, or what differs between two. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "results/store.h"

static int print(const char *text, size_t bytes)
{
    if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout) != 0) {
        return cmd_fail(CMD_CANNOT_RUN, "dump", "standard output cannot be written");
    }
    return CMD_OK;
}

static int dump_one(ResultsStore *store, int64_t run_id)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    if (!results_dump(store, run_id, text, &error)) {
        return cmd_fail(CMD_CANNOT_RUN, "dump", "%s", error->message);
    }
    return print(text->str, text->len);
}

static int compare(ResultsStore *store, int64_t run_a, int64_t run_b)
{
    g_autofree char *difference = NULL;
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;

    if (results_dump_compare(store, run_a, run_b, &difference, &error)) {
        text = g_strdup_printf("runs %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " are equal\n",
                               run_a, run_b);
        return print(text, strlen(text));
    }
    if (!difference) {
        return cmd_fail(CMD_CANNOT_RUN, "dump", "%s", error->message);
    }
    text = g_strconcat(difference, "\n", NULL);
    return print(text, strlen(text)) == CMD_OK ? CMD_CHECK_FAILED : CMD_CANNOT_RUN;
}

int cmd_dump(int argc, char **argv)
{
    g_autofree char *db = NULL;
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (default ./" CMD_DEFAULT_DB ")", "FILE"},
        {NULL},
    };
    int status = cmd_options(&argc, &argv, entries, "RUN [RUN]",
                             "Prints a run as canonical text: two runs of one scenario, seed and "
                             "inputs print the same bytes.  With two runs: names the input that "
                             "differs, else the first row that does, and exits with 1.");
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = NULL;
    int64_t runs[2] = {0};

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc < 2 || argc > 3) {
        return cmd_fail(CMD_USAGE, "dump", "give one RUN, or two to compare");
    }
    store = results_open(db ? db : CMD_DEFAULT_DB, RESULTS_OPEN_READ, &error);
    if (!store) {
        return cmd_fail(CMD_CANNOT_RUN, "dump", "%s", error->message);
    }
    for (int i = 1; i < argc; i++) {
        runs[i - 1] = results_run_parse(store, argv[i], &error);
        if (!runs[i - 1]) {
            return cmd_fail(CMD_USAGE, "dump", "%s", error->message);
        }
    }
    return argc == 2 ? dump_one(store, runs[0]) : compare(store, runs[0], runs[1]);
}
