/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's command line for a scenario's machine, out of qemu-devices/machine-args: one for the boot
 * that makes a snapshot, one for a run that restores it. */
#pragma once
#include "inputs.h"
#include "scenario.h"

/**
 * machine_command:
 * @serial_log: file for the guest's serial port
 * @sim: properties of the sim object besides its id, e.g. "machine=…"; what is in it may differ
 *   between a snapshot and the runs that restore it
 * @archive: (nullable): the channel's input; without it the command is the boot for a snapshot, at the
 *   machine profile's mips and quantum whatever the scenario's
 * @extra: (nullable): NULL-ended further arguments
 * Returns: (transfer full): program and arguments, NULL-ended, or NULL and @error */
char **machine_command(const Scenario *scenario, const Inputs *inputs, const char *serial_log,
                       const char *sim, const char *archive, const char *const *extra,
                       GError **error);

/* Hash of all that shapes a snapshot of this machine: lower-case hex. (transfer full) */
char *machine_snapshot_key(const Scenario *scenario, const Inputs *inputs, GError **error);

/* A value for a -device or -object property: commas doubled. (transfer full) */
char *machine_escape(const char *value);
