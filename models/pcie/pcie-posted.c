/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcie/pcie-posted.h"
#include <glib.h>

#define PS_UNITS 256 /* the calendar counts in 1/256 ps */

void pcie_posted_init(PciePosted *self, uint64_t credits)
{
    *self = (PciePosted){.credits = credits};
    pcie_serialiser_init(&self->memory);
}

void pcie_posted_clear(PciePosted *self)
{
    pcie_serialiser_clear(&self->memory);
}

SimTime pcie_posted_write(PciePosted *self, unsigned lines, SimTime line_ps, SimTime wire_ps,
                          SimTime from, SimTime now, SimTime *done)
{
    SimTime start = pcie_posted_after(self, from), room = self->credits * line_ps;

    *done = pcie_serialiser_send(&self->memory, PS_UNITS, lines * line_ps, start + wire_ps, now);
    if (*done > start + wire_ps + room) {
        SimTime later = *done - wire_ps - room;

        if (start > self->held_until || self->held_until == 0) {
            self->held_from = start;
        }
        self->held_until = MAX(self->held_until, later);
        start = later;
    }
    self->held += start - from;
    return start;
}

SimTime pcie_posted_read(const PciePosted *self, SimTime when)
{
    return pcie_serialiser_free_at(&self->memory, when);
}
