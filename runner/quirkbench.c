/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The `quirkbench` command: finds the subcommand and gives it its arguments. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "sim/sim-keyfile.h"

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} Command;

static int cmd_help(int argc, char **argv);

static const Command commands[] = {
    {"run", cmd_run, "run scenarios with the real driver and store what comes out"},
    {"list", cmd_list, "list the runs of a database"},
    {"show", cmd_show, "show a run: devices, interrupts, PCIe transactions, checks"},
    {"dump", cmd_dump, "print a run as canonical text, to compare runs byte for byte"},
    {"compare", cmd_compare, "put runs beside each other; mark the best and the worst"},
    {"published", cmd_published, "compare runs with the published measurements"},
    {"sql", cmd_sql, "run a query, or a named one, on a database"},
    {"profiles", cmd_profiles, "list profiles; show one with units, ranges, sources"},
    {"drivers", cmd_drivers, "list the drivers that can be put under test"},
    {"doctor", cmd_doctor, "check QEMU, kernel, snapshots and disk; say what to do"},
    {"help", cmd_help, "show this, or the help of a subcommand"},
};

int cmd_fail(int status, const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fprintf(stderr, "quirkbench%s%s: %s\n", name && *name ? " " : "", name ? name : "", text);
    return status;
}

/* "Unknown option --fromat" with the nearest of @entries. */
static int option_error(const char *name, const GError *error, const GOptionEntry *entries)
{
    static const char unknown[] = "Unknown option ";
    g_autoptr(GPtrArray) words = g_ptr_array_new();

    if (!g_str_has_prefix(error->message, unknown)) {
        return cmd_fail(CMD_USAGE, name, "%s", error->message);
    }
    g_autofree char *word = g_strdup(error->message + strlen(unknown));
    word[strcspn(word, "=")] = 0;
    const char *bare = word + strspn(word, "-");
    for (; entries->long_name; entries++) {
        if (*entries->long_name) {
            g_ptr_array_add(words, (gpointer)entries->long_name);
        }
    }
    g_ptr_array_add(words, (gpointer) "help");
    g_ptr_array_add(words, NULL);
    const char *nearest = sim_nearest_word(bare, (const char *const *)words->pdata);
    return nearest ? cmd_fail(CMD_USAGE, name, "there is no option %s; did you mean --%s?", word,
                              nearest)
                   : cmd_fail(CMD_USAGE, name, "there is no option %s; see quirkbench help %s",
                              word, name);
}

int cmd_options(int *argc, char ***argv, const GOptionEntry *entries, const char *arguments,
                const char *summary)
{
    gboolean help = FALSE;
    const char *name = (*argv)[0];
    const GOptionEntry common[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this", NULL},
                                   {NULL}};
    g_autofree char *program = g_strdup_printf("quirkbench %s", name);
    g_autoptr(GOptionContext) context = g_option_context_new(arguments);
    g_autoptr(GError) error = NULL;

    g_option_context_set_summary(context, summary);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, common, NULL);
    if (!g_option_context_parse(context, argc, argv, &error)) {
        return option_error(name, error, entries);
    }
    if (help) {
        g_set_prgname(program);
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        fputs(text, stdout);
        return CMD_OK;
    }
    return CMD_GO_ON;
}

static void print_commands(FILE *out)
{
    fputs("usage: quirkbench COMMAND [OPTION…]\n\n", out);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\nquirkbench help COMMAND explains one.  Exit status: 0 all held, 1 a check failed,\n"
          "2 bad usage or file, 3 could not run.\n",
          out);
}

static int unknown_command(const char *word)
{
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};

    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        names[i] = commands[i].name;
    }
    const char *nearest = sim_nearest_word(word, names);
    return nearest
               ? cmd_fail(CMD_USAGE, NULL, "there is no command '%s'; did you mean '%s'?", word,
                          nearest)
               : cmd_fail(CMD_USAGE, NULL, "there is no command '%s'; see quirkbench help", word);
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int cmd_help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0 || g_str_has_prefix(argv[1], "-")) {
        print_commands(stdout);
        return CMD_OK;
    }
    const Command *command = find_command(argv[1]);
    if (!command) {
        return unknown_command(argv[1]);
    }
    char *asked[] = {(char *)command->name, (char *)"--help", NULL};
    return command->run(2, asked);
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "C.UTF-8");
    if (argc < 2) {
        print_commands(stderr);
        return CMD_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("quirkbench " QB_VERSION);
        return CMD_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_commands(stdout);
        return CMD_OK;
    }
    const Command *command = find_command(argv[1]);
    if (command) {
        return command->run(argc - 1, argv + 1);
    }
    if (*argv[1] == '-') {
        static const char *const words[] = {"version", "help", NULL};
        const char *nearest = sim_nearest_word(argv[1] + strspn(argv[1], "-"), words);
        return nearest ? cmd_fail(CMD_USAGE, NULL, "there is no option %s; did you mean --%s?",
                                  argv[1], nearest)
                       : cmd_fail(CMD_USAGE, NULL, "there is no option %s; see quirkbench help",
                                  argv[1]);
    }
    return unknown_command(argv[1]);
}
