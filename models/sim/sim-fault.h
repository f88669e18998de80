/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults: `fault = <stage> <action> [opcode=…] [qid=…] [count=…] [time=…] [status=…] [after=…] [at=…]`.
 * A model asks at each stage of each command whether a fault is due. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "sim-queue.h"

typedef enum { SIM_FAULT_NONE, SIM_FAULT_DROP, SIM_FAULT_HOLD, SIM_FAULT_DELAY, SIM_FAULT_STATUS, SIM_FAULT_CORRUPT } SimFaultAction;

typedef struct SimFault {
    char *stage; /* a stage name of the model, e.g. "cqe", "msix", "sqe-fetch", "media", "data" */
    SimFaultAction action;
    int opcode, qid;   /* -1 = any */
    uint64_t after;    /* matches passed over first */
    uint64_t count;    /* how many to act on; default 1; `count=all` is UINT64_MAX */
    SimTime time_ps;   /* DELAY */
    SimTime at_ps;     /* armed from this model time on */
    unsigned status;   /* STATUS: 15-bit status field, e.g. 0x281 = SCT 2h SC 81h */
} SimFault;
typedef struct SimFaults SimFaults;

SimFaults *sim_faults_new(const char *const *stages); /* NULL-ended list of the model's stage names; (transfer none), static */
void sim_faults_free(SimFaults *self);
/* Names that `opcode=` takes beside numbers, e.g. {"read", 0x02}; ends with a NULL name; (transfer none), static. */
typedef struct SimFaultWord { const char *name; int value; } SimFaultWord;
void sim_faults_set_opcodes(SimFaults *self, const SimFaultWord *opcodes);
/* Whose time `at=` means; (transfer none). Without it such a fault never acts. */
void sim_faults_set_queue(SimFaults *self, const SimQueue *queue);
const char *sim_fault_action_name(SimFaultAction action); /* "drop", … for `fault` records */
/* @text as above without "fault ="; FALSE: @error names the nearest valid word. */
bool sim_faults_add(SimFaults *self, const char *text, GError **error);
/* Whether a fault waits at @stage at all; asked of every command, so it costs no call: the first member of the
 * faults has a bit for each stage, bit 63 for all from 63 on. */
static inline bool sim_faults_wait(const SimFaults *self, unsigned stage)
{
    return (*(const uint64_t *)(const void *)self >> (stage < 63 ? stage : 63) & 1) != 0;
}
/* The fault to act out now, or NULL; counts it. */
const SimFault *sim_faults_due(SimFaults *self, unsigned stage, int opcode, int qid);
