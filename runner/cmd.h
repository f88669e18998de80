/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subcommands of `quirkbench`: one cmd-NAME.c each, one row in quirkbench.c.
 * A subcommand gets its own arguments (argv[0] is its name) and returns the exit status. */
#pragma once
#include <glib.h>

enum {
    CMD_OK = 0,
    CMD_CHECK_FAILED = 1, /* something ran and a check did not hold */
    CMD_USAGE = 2,        /* bad option, argument or file */
    CMD_CANNOT_RUN = 3,   /* QEMU, kernel, database or disk */
    CMD_GO_ON = -1,       /* of cmd_options(): nothing wrong, go on */
};

int cmd_run(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_published(int argc, char **argv);
int cmd_sql(int argc, char **argv);
int cmd_profiles(int argc, char **argv);
int cmd_drivers(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/**
 * cmd_options:
 * @entries: the subcommand's options, NULL-ended
 * @arguments: shown after the name in the help, e.g. "RUN [OPTION…]"
 * Parses and removes options; what is left in @argv from 1 on are the arguments.
 * Returns: CMD_GO_ON, or the status to exit with (help shown, or one line on stderr that names
 * the nearest option). */
int cmd_options(int *argc, char ***argv, const GOptionEntry *entries, const char *arguments,
                const char *summary);

/* "quirkbench NAME: message" and a newline on stderr; returns @status. */
int cmd_fail(int status, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Default of --db. */
#define CMD_DEFAULT_DB "quirkbench.db"
