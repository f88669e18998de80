/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parallel virtual clock: a local time for each vCPU, in place of icount's shared count.
 * -icount shift=0,sleep=off,parallel=on,mips=M,quantum=NS switches it on.
 *
 * Call these with the BQL held: device code, timers, state handlers and QMP all hold it. */
#ifndef QUIRKBENCH_CLOCK_H
#define QUIRKBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

bool quirkbench_clock_active(void);

/* As given to -icount. */
int64_t quirkbench_clock_mips(void);
int64_t quirkbench_clock_quantum_ns(void);

/* The time that every runnable vCPU has reached; what timers are fired by. */
int64_t quirkbench_clock_published_ns(void);

/* Counted since machine start, and part of a snapshot.  A vCPU that runs is read up to the
 * instruction that asks.  An index without a vCPU reads 0. */
uint64_t quirkbench_clock_vcpu_instructions(int cpu_index);
/* Local time, idle time included; a halted vCPU's stays where it halted. */
int64_t quirkbench_clock_vcpu_ns(int cpu_index);
/* The part of the local time in which instructions ran: instructions x 1000 / mips, and a fixed
 * time for each PAUSE. */
int64_t quirkbench_clock_vcpu_busy_ns(int cpu_index);

/* Stops the machine (RUN_STATE_PAUSED) at the instruction that called into the device: no vCPU
 * executes another one until the machine is continued.  Only from a vCPU's access to a device. */
void quirkbench_clock_stop_here(void);

/* @func is called, once each time it comes true, when all vCPUs are halted and no timer is armed:
 * nothing can happen in the guest any more.  One caller; NULL takes it back. */
typedef void QuirkbenchClockIdle(void *opaque);
void quirkbench_clock_idle_notify(QuirkbenchClockIdle *func, void *opaque);

#endif
