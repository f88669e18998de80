/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the root complex takes posted writes: for models/pcie alone.
 *
 * A cache line that a write covers in part costs a read-modify-write of the machine's memory. Those
 * are done one after the other; a read request that arrives meanwhile waits, since it may not pass
 * a write [PCIe-3.0 §2.4.1].  Of the writes that wait the root complex holds as many as it gives
 * posted credits [PCIe-3.0 §2.6.1]; the next one, and what the device wants to send behind it,
 * stays in the device until there is room.
 *
 * Whole lines take no time here, so without partial lines nothing ever waits.  Left out: data
 * credits, credits of reads and completions, relaxed ordering. */
#pragma once
#include "pcie/pcie-serialiser.h"

typedef struct PciePosted {
    PcieSerialiser memory; /* busy with partial lines */
    uint64_t credits;
    SimTime held_from, held_until; /* upstream requests of that time wait for its end */
    SimTime held;                  /* sum of the waits of writes */
} PciePosted;

/* @credits: writes, at least 1. */
void pcie_posted_init(PciePosted *self, uint64_t credits);
void pcie_posted_clear(PciePosted *self);

/* When an upstream request that is ready at @from may be sent. */
static inline SimTime pcie_posted_after(const PciePosted *self, SimTime from)
{
    return from >= self->held_from && from < self->held_until ? self->held_until : from;
}
/* The same for a write of @lines partial lines (at least 1), each of which takes @line_ps of the
 * memory, that is on the wire for @wire_ps; @done: when it is in memory. */
SimTime pcie_posted_write(PciePosted *self, unsigned lines, SimTime line_ps, SimTime wire_ps,
                          SimTime from, SimTime now, SimTime *done);
/* When the root complex turns to a read request that arrived at @when. */
SimTime pcie_posted_read(const PciePosted *self, SimTime when);
