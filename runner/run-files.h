/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one run: archive for the guest, changed profiles, the list of inputs. */
#pragma once
#include "run.h"

/* Writes the cpio archive with plan, modules and tools. */
gboolean run_write_archive(const Prepared *prepared, const Inputs *inputs, const char *path,
                           GError **error);
/* Profile that the device gets: its own, or a copy in @folder with the scenario's changes.
 * (transfer full) */
char *run_profile(const ScenarioDevice *device, const char *folder, GError **error);
/* Everything that shapes the run: GArray of ResultsInput; strings live in @strings. */
GArray *run_inputs(const Prepared *prepared, const Inputs *inputs, const char *snapshot_key,
                   GStringChunk *strings, GError **error);
