/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run: a scenario's point, prepared, run in QEMU, taken into the store and judged. */
#pragma once
#include "inputs.h"
#include "results/store.h"
#include "scenario.h"

typedef struct RunOptions {
    const char *db;
    const char *keep; /* folder for telemetry, archive and logs; NULL: not kept */
    int interrupt_fd; /* readable when the user interrupts; -1: none */
    void (*progress)(const char *text, void *opaque); /* what takes long; may be NULL */
    void *opaque;
} RunOptions;

/* What a run is made of, worked out before anything starts: scenario errors show here. */
typedef struct Prepared {
    Scenario *scenario; /* (transfer none) */
    Driver *driver;
    GPtrArray *module_files; /* paths, in load order */
    GPtrArray *modules;      /* PlanModule * */
    char **tools;            /* NULL-ended: the driver's, then the scenario's that it has not */
    char *plan;
} Prepared;
Prepared *run_prepare(Scenario *scenario, const Inputs *inputs, GError **error);
void run_prepared_free(Prepared *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Prepared, run_prepared_free)

/* The latest run of the same scenario, point, seed and inputs in @store that ended passed or
 * failed; 0: none, or @error. */
gint64 run_find_finished(const Prepared *prepared, const Inputs *inputs, ResultsStore *store,
                         GError **error);

typedef struct RunOutcome {
    gint64 run_id; /* 0: there is no row */
    ResultsStatus status;
    char *verdict;  /* telemetry's, or NULL */
    char *reason;   /* one line, or NULL */
    char *log_tail; /* of the guest's serial port, when it could not run */
    unsigned checks_failed;
    double wall_seconds;
} RunOutcome;
void run_outcome_free(RunOutcome *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunOutcome, run_outcome_free)

/* FALSE: no outcome: the store cannot be used; @error.  Whatever happens to QEMU is an outcome. */
RunOutcome *run_execute(const Prepared *prepared, const Inputs *inputs, const RunOptions *options,
                        GError **error);
