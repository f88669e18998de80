/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a link as a serial resource: for models/pcie alone.
 *
 * Time is kept in 1/256 ps, of which a byte takes a whole number at each legal speed and width, so
 * no drift builds up.  A calendar holds the busy intervals from now on.  A request takes the idle
 * time from its start on until it has enough, around what was promised to earlier calls.
 *
 * Nearly every request begins in or behind the last interval, which is therefore kept apart: for
 * those the work is done here, without a call. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "sim/sim-time.h"

#define PCIE_DLLP_BYTES 8
#define PCIE_FINE_BITS 8 /* of a picosecond */

/* A moment or a length in 1/256 ps: the range of SimTime needs more than 64 bits. */
__extension__ typedef unsigned __int128 PcieFine;

typedef struct PcieInterval {
    PcieFine start, end;
} PcieInterval;

/* One direction.  Intervals ascend and never touch, `last` behind those of the calendar; the ones
 * before `first` are over. */
typedef struct PcieSerialiser {
    PcieInterval last;   /* empty at 0 until something is sent */
    uint64_t tlps_bytes; /* counted here, apart from the ledgers */
    uint64_t dllp_owed;  /* bytes */
    PcieFine busy;
    uint64_t dllp_bytes;
    uint64_t ack_tlps, fc_tlps; /* TLPs sent since the last DLLP of each kind for them */
    PcieInterval *calendar;
    size_t first, n, allocated; /* the intervals in use are [first, n) */
} PcieSerialiser;

void pcie_serialiser_init(PcieSerialiser *self);
void pcie_serialiser_clear(PcieSerialiser *self);

/* 1/256 ps that a byte takes: @generation 1 … 4, @lanes a power of two. */
uint64_t pcie_byte_units(uint64_t generation, uint64_t lanes);

/* For pcie_serialiser_send(): DLLPs that leave before a request of @wire_bytes at @start, in time;
 * the old last interval goes into the calendar; a request that begins before the last interval. */
PcieFine pcie_serialiser_pay(PcieSerialiser *self, uint64_t byte_units, uint64_t wire_bytes,
                             PcieFine start);
void pcie_serialiser_keep(PcieSerialiser *self, SimTime now);
PcieFine pcie_serialiser_fill(PcieSerialiser *self, PcieFine start, PcieFine length, SimTime now);

static inline PcieFine pcie_fine(SimTime ps)
{
    return (PcieFine)ps << PCIE_FINE_BITS;
}

static inline SimTime pcie_fine_ceil(PcieFine fine)
{
    return (SimTime)((fine + ((1u << PCIE_FINE_BITS) - 1)) >> PCIE_FINE_BITS);
}

/* Sends TLPs of @wire_bytes in all in one go from @from on, or from @now if that is later; no later
 * call has an earlier @now.  Returns when the last bit has left. */
static inline SimTime pcie_serialiser_send(PcieSerialiser *self, uint64_t byte_units,
                                           uint64_t wire_bytes, SimTime from, SimTime now)
{
    PcieFine start = pcie_fine(from > now ? from : now), length = wire_bytes * byte_units;

    self->tlps_bytes += wire_bytes;
    self->busy += length;
    if (self->dllp_owed > 0) {
        length += pcie_serialiser_pay(self, byte_units, wire_bytes, start);
    }
    if (start > self->last.end) {
        if (self->last.end >= pcie_fine(now)) { /* not over yet */
            pcie_serialiser_keep(self, now);
        }
        self->last.start = start;
        self->last.end = start + length;
    } else if (start >= self->last.start) {
        self->last.end += length;
    } else {
        return pcie_fine_ceil(pcie_serialiser_fill(self, start, length, now));
    }
    return pcie_fine_ceil(self->last.end);
}

/* DLLPs that this direction has to send for what the other has received. */
static inline void pcie_serialiser_owe(PcieSerialiser *self, uint64_t byte_units, uint64_t dllps)
{
    uint64_t bytes = dllps * PCIE_DLLP_BYTES;

    self->dllp_bytes += bytes;
    self->dllp_owed += bytes;
    self->busy += bytes * byte_units;
}

/* @when, or if it is busy then, when that is over as things stand. */
SimTime pcie_serialiser_busy_until(const PcieSerialiser *self, SimTime when); /* not past the end */
static inline SimTime pcie_serialiser_free_at(const PcieSerialiser *self, SimTime when)
{
    return pcie_fine(when) > self->last.end ? when : pcie_serialiser_busy_until(self, when);
}
/* Busy intervals that are remembered. */
size_t pcie_serialiser_intervals(const PcieSerialiser *self);
/* Time in which it sent, TLPs and DLLPs. */
SimTime pcie_serialiser_busy(const PcieSerialiser *self);
