/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a link as a serial resource: for models/pcie alone.
 *
 * Time is kept in 1/256 ps, of which a byte takes a whole number at each legal speed and width, so
 * no drift builds up.  A calendar holds the busy intervals from now on.  A request takes the idle
 * time from its start on until it has enough, around what was promised to earlier calls. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "sim/sim-time.h"

#define PCIE_DLLP_BYTES 8

/* A moment or a length in whole and 1/256 picoseconds. */
typedef struct PcieFine {
    SimTime ps;
    uint32_t part; /* 0 … 255 */
} PcieFine;

typedef struct PcieInterval {
    PcieFine start, end;
} PcieInterval;

/* One direction.  The calendar's intervals ascend and never touch; those before `first` are
 * over. */
typedef struct PcieSerialiser {
    PcieInterval *calendar;
    size_t first, n, allocated; /* the intervals in use are [first, n) */
    uint64_t tlps_bytes;        /* counted here, apart from the ledgers */
    uint64_t dllp_bytes, dllp_owed;
    uint64_t ack_tlps, fc_tlps; /* TLPs sent since the last DLLP of each kind for them */
    PcieFine busy;
} PcieSerialiser;

void pcie_serialiser_init(PcieSerialiser *self);
void pcie_serialiser_clear(PcieSerialiser *self);

/* 1/256 ps that a byte takes: @generation 1 … 4, @lanes a power of two. */
uint64_t pcie_byte_units(uint64_t generation, uint64_t lanes);

/* Sends TLPs of @wire_bytes in all in one go from @from on, or from @now if that is later; no later
 * call has an earlier @now.  Returns when the last bit has left. */
SimTime pcie_serialiser_send(PcieSerialiser *self, uint64_t byte_units, uint64_t wire_bytes,
                             SimTime from, SimTime now);
/* DLLPs that this direction has to send for what the other has received. */
void pcie_serialiser_owe(PcieSerialiser *self, uint64_t byte_units, uint64_t dllps);
/* @when, or if it is busy then, when that is over as things stand. */
SimTime pcie_serialiser_free_at(const PcieSerialiser *self, SimTime when);
/* Time in which it sent, TLPs and DLLPs. */
SimTime pcie_serialiser_busy(const PcieSerialiser *self);
