/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `run`: a command line for /bin/sh. */
#pragma once
#include "channel.h"

/* Runs it in @folder and reports `run-<number>`: "exit STATUS COMMAND LINE", then what it printed.
 */
bool plan_shell(Channel *channel, const char *folder, int number, const char *line, Reason *reason);
