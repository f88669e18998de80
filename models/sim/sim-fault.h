/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults: `fault = <stage> <action> [opcode=…] [qid=…] [count=…] [time=…] [status=…] [after=…]`.
 * A model asks at each stage of each command whether a fault is due. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "sim-time.h"

typedef enum { SIM_FAULT_NONE, SIM_FAULT_DROP, SIM_FAULT_HOLD, SIM_FAULT_DELAY, SIM_FAULT_STATUS, SIM_FAULT_CORRUPT } SimFaultAction;

typedef struct SimFault {
    char *stage; /* a stage name of the model, e.g. "cqe", "msix", "sqe-fetch", "media", "data" */
    SimFaultAction action;
    int opcode, qid;   /* -1 = any */
    uint64_t after;    /* matches passed over first */
    uint64_t count;    /* how many to act on; default 1 */
    SimTime time_ps;   /* DELAY */
    unsigned status;   /* STATUS: 15-bit SCT/SC field */
} SimFault;
typedef struct SimFaults SimFaults;

SimFaults *sim_faults_new(const char *const *stages); /* NULL-ended list of the model's stage names; (transfer none), static */
void sim_faults_free(SimFaults *self);
/* @text as above without "fault ="; FALSE: @error names the nearest valid word. */
bool sim_faults_add(SimFaults *self, const char *text, GError **error);
/* The fault to act out now, or NULL; counts it. */
const SimFault *sim_faults_due(SimFaults *self, unsigned stage, int opcode, int qid);
