/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of simulated drivers: no guest, in this process (drivers-under-test/native). */
#pragma once
#include "run.h"

/* What only a guest could do is an error of the scenario, as is a block larger than a command. */
gboolean native_check_parameters(const Scenario *scenario, const SimKeyfileEntry *entry,
                                 GError **error);
gboolean native_check_steps(const Scenario *scenario, GError **error);
/* Leaves telemetry.jsonl in @folder; what goes wrong is in @outcome. */
void native_mode_run(const Scenario *scenario, const RunOptions *options, const char *folder,
                     RunOutcome *outcome);
