/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a plan: docs/channel.md. */
#pragma once
#include "channel.h"
#include "devices.h"

typedef struct Plan {
    Channel *channel;
    const char *base; /* folder of the input: modules/, tools/ */
    Devices devices;
    int runs; /* `run` commands so far */
} Plan;

/* Runs the lines of @text (changed in place) until one fails; that one is reported as `plan-error`.
 */
bool plan_run(Plan *self, char *text);
/* Reports `dmesg`. */
bool plan_report_dmesg(Plan *self, Reason *reason);
