/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the software of a machine costs its cpus in native mode: group [costs] of a machine profile.
 * In runs of real drivers the guest's instructions say it, and these keys mean nothing. */
#pragma once
#include "sim/sim-param.h"

typedef struct HostCosts {
    uint64_t submit_ps;    /* system call and driver, up to the doorbell */
    uint64_t page_ps;      /* each page of the buffer: pinned, mapped, given back */
    uint64_t interrupt_ps; /* entry and exit of a handler */
    uint64_t complete_ps;  /* one CQE in the handler, its thread's wake included */
    uint64_t ipi_ps;       /* who receives it */
    uint64_t ipi_send_ps;  /* who sends it */
    uint64_t context_switch_ps;
    uint64_t lock_hold_ps;     /* a submission queue's lock, within submit */
    uint64_t lock_handover_ps; /* its cache line comes from another cpu */
    uint64_t buffer_lock_ps;   /* a global lock of the buffer pool, where a driver takes one */
    uint64_t sibling_percent;  /* longer, while the core's other thread is busy */
} HostCosts;

extern const SimParam host_costs_params[]; /* group "costs", offsets in HostCosts */
extern const size_t host_costs_params_n;
