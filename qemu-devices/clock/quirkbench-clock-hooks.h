/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What patch-qemu's hooks in accel/tcg and system/ call; nothing else should. */
#ifndef QUIRKBENCH_CLOCK_HOOKS_H
#define QUIRKBENCH_CLOCK_HOOKS_H

#include "quirkbench-clock.h"

struct CPUState;
struct QemuOpts;
struct Error;

/* Reads the sub-options of -icount; false and @errp if they do not fit together. */
bool quirkbench_clock_configure(struct QemuOpts *opts, struct Error **errp);
/* Body of the thread that runs all vCPUs; entered with the BQL held. */
G_NORETURN void quirkbench_clock_run(void);
/* Adds what @cpu has executed to its local time. */
void quirkbench_clock_account(struct CPUState *cpu);
/* @cpu has executed a PAUSE; false if its slice is over with that. */
bool quirkbench_clock_pause(struct CPUState *cpu);
/* QEMU_CLOCK_VIRTUAL. */
int64_t quirkbench_clock_get(void);
void quirkbench_clock_kick(struct CPUState *unused);
void quirkbench_clock_handle_interrupt(struct CPUState *cpu, int mask);

#endif
