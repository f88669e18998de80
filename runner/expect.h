/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The [expect] group of a scenario: checked as text before the run, evaluated against the store
 * after it.
 *
 *   KEY = VALUE | KEY.min = VALUE | KEY.max = VALUE
 *   KEY = published:SCENARIO_ID/DEVICE within N percent
 *   KEY.min = point:LABEL | KEY.max = point:LABEL    the value of that point's latest earlier run
 *   KEY  DEVICE.COLUMN       a column of device_summary or a counter of the device, inside the
 * window DEVICE.vectors      interrupt vectors that the driver has (admin's too) cpu.COLUMN a
 * column of cpu_summary queue_map.DEVICE.sqs | cqs | vectors | cpus    distinct values in the
 * driver's real queue map QUERY | QUERY.DEVICE   column `value` of a named query's rows of this
 * run; each row must hold run.verdict         verdict of the run, text guest.dmesg.deny    regular
 * expression (GRegex) that no line of the kernel log may match A value has the unit of its column
 * (docs/results.md): times as 40ms, rates as 2GB/s, shares as 76.5 percent, counts bare. */
#pragma once
#include "device-type.h"
#include "results/store.h"
#include "sim/sim-keyfile.h"

/* Checks keys and values of [expect], taking its entries; no group: fine.  @devices: NULL-ended
 * names of the scenario's devices and wires; @types: of each, NULL for a wire. FALSE: @error is of
 * SIM_KEYFILE_ERROR and names file, line and the nearest valid word. */
bool expect_validate(SimKeyfile *file, const char *const *devices, const DeviceType *const *types,
                     GError **error);

/* Evaluates [expect] against a run that has been ingested, and stores an expect_result row for each
 * entry, in file order.
 * @failed: (out): number of entries that did not hold.  FALSE: @error: the database could not be
 * read or written. */
bool expect_evaluate(SimKeyfile *file, ResultsStore *store, int64_t run_id, unsigned *failed,
                     GError **error);
