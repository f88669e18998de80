/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PCI Express link with its slot: TLPs, the time they take, and a ledger of them by type, direction and purpose.
 *
 * Times come from reservation: each direction is a serial resource; a request starts when it is asked for or when the
 * direction is free, whichever is later.  Requests are served in the order of the calls: what was promised to an
 * earlier call stands, a later call takes the idle time that is left from its start on (so a completion due in 700 ns does
 * not hold up a doorbell now).  DLLPs take time of the opposite direction by rule and are not in wire_bytes.
 * A TLP's wire size: 2 B STP/SDP framing + 2 sequence … see pcie-link.c [PCIe-3.0 §2.2, §3.5, §4.2]: payload + 12 (3-DW) or 16
 * (4-DW) header + 4 LCRC + 4 framing and sequence. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "sim/sim-counter.h"
#include "sim/sim-param.h"
#include "sim/sim-port.h"

typedef enum { PCIE_UPSTREAM, PCIE_DOWNSTREAM, PCIE_DIRECTIONS } PcieDirection; /* upstream: device to root */
typedef enum { PCIE_MRD, PCIE_MWR, PCIE_CPLD, PCIE_CPL, PCIE_TLP_TYPES } PcieTlpType;

/* Why a TLP was sent: what a driver developer acts on.  One table: name and meaning in pcie-link.c. */
typedef enum {
    PCIE_FOR_REGISTER,   /* guest's register access other than a doorbell */
    PCIE_FOR_DOORBELL,   /* SQ tail, CQ head; RX and TX tail */
    PCIE_FOR_SQE,        /* submission entry fetch */
    PCIE_FOR_PRP_LIST,
    PCIE_FOR_DATA,       /* payload of I/O commands */
    PCIE_FOR_ADMIN_DATA, /* payload of admin commands */
    PCIE_FOR_CQE,
    PCIE_FOR_MSIX,       /* MSI and MSI-X messages */
    PCIE_FOR_RX_DESC_FETCH,
    PCIE_FOR_RX_DATA,    /* received frames */
    PCIE_FOR_RX_DESC_WRITEBACK,
    PCIE_FOR_TX_DESC_FETCH,
    PCIE_FOR_TX_DATA,    /* frames to send */
    PCIE_FOR_TX_DESC_WRITEBACK,
    PCIE_FOR_TX_HEAD_WRITEBACK, /* the head pointer written to memory in place of descriptors */
    PCIE_PURPOSES
} PciePurpose;
const char *pcie_purpose_name(PciePurpose purpose); /* "register", "doorbell", "sqe", "prp-list", "data", "admin-data", "cqe", "msix", "rx-desc-fetch", … */
const char *pcie_tlp_type_name(PcieTlpType type);   /* "MRd", … */
const char *pcie_direction_name(PcieDirection direction);

/* Parameters of a slot; in a machine profile as `[slot NAME]`. */
typedef struct PcieParams {
    uint64_t generation;      /* 1 … 4 */
    uint64_t lanes;           /* 1 2 4 8 16 */
    uint64_t max_payload;     /* bytes: most the slot supports */
    uint64_t max_read_request;/* bytes */
    uint64_t rcb;             /* read completion boundary: 64 or 128 bytes */
    uint64_t completion_max;  /* largest completion payload the root complex sends, bytes; 0 = max_payload */
    uint64_t tags;            /* outstanding reads of the device side */
    uint64_t read_latency_ps; /* MRd received by the root complex to first CplD on the wire */
    uint64_t write_latency_ps;/* end of a posted write on the wire to visible in memory */
    uint64_t mmio_latency_ps; /* guest's posted write to arrival at the device, without the wire */
    uint64_t posted_credits;  /* partial writes that may wait in the root complex; 0 = 1 */
    uint64_t ack_every;       /* one ACK DLLP a so many TLPs; 0 = none */
    uint64_t fc_every;        /* one UpdateFC DLLP a so many TLPs; 0 = none */
} PcieParams;
extern const SimParam pcie_params[]; /* group "slot": callers that use another group name copy the table */
extern const size_t pcie_params_n;
/* What the ranges cannot say (powers of two, completion_max >= rcb): NULL = fine, or a text and the @key it is about.
 * A loader of files calls it; pcie_link_new() asserts it. */
const char *pcie_params_problem(const PcieParams *params, const char **key);

typedef struct PcieLink PcieLink;         /* one a slot */
typedef struct PcieFunction PcieFunction; /* one a device on it: its ledger */

PcieLink *pcie_link_new(SimQueue *queue, const char *name, const PcieParams *params); /* @params copied */
void pcie_link_free(PcieLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PcieLink, pcie_link_free)
const char *pcie_link_name(const PcieLink *self);

/* What the device itself can do; the effective value is the least of device, slot and Device Control. 0 = no limit.
 * Functions of one link with the same @card, an address that is only compared, share the first one's tags; NULL = a card of its own.
 * partial_line_ps: what memory needs for each cache line that it writes in part. */
typedef struct PcieFunctionParams {
    uint64_t generation, lanes, max_payload, max_read_request, tags;
    const void *card;
    SimTime partial_line_ps;
} PcieFunctionParams;
PcieFunction *pcie_function_new(PcieLink *link, const PcieFunctionParams *params);
void pcie_function_free(PcieFunction *self); /* before its link; its traffic stays in the link's identity */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PcieFunction, pcie_function_free)
const PcieLink *pcie_function_link(const PcieFunction *self);
/* What the guest wrote to Device Control, in bytes (128 … 4096); until the first call only device and slot limit. */
void pcie_function_set_control(PcieFunction *self, unsigned max_payload, unsigned max_read_request);
unsigned pcie_function_max_payload(const PcieFunction *self);
unsigned pcie_function_max_read_request(const PcieFunction *self);

/* All of these charge the link from @from on (>= now) and return when it is done. Accesses that cross 4 KiB are split.
 * dma_read: last byte has arrived in the device.  dma_write: last TLP has left plus write latency: visible in memory. */
SimTime pcie_dma_read(PcieFunction *self, PciePurpose purpose, uint64_t address, uint64_t bytes, SimTime from);
SimTime pcie_dma_write(PcieFunction *self, PciePurpose purpose, uint64_t address, uint64_t bytes, SimTime from);
/* Cache lines of 64 bytes that such a write covers in part: 0, 1 or 2. */
unsigned pcie_partial_lines(uint64_t address, uint64_t bytes);
SimTime pcie_message(PcieFunction *self, SimTime from); /* MSI/MSI-X: 4-byte MWr below 4 GiB */
/* Guest-initiated: arrival at the device.  A read counts MRd downstream and CplD upstream. */
SimTime pcie_mmio_write(PcieFunction *self, PciePurpose purpose, unsigned bytes, SimTime from);
SimTime pcie_mmio_read(PcieFunction *self, PciePurpose purpose, unsigned bytes, SimTime from);

typedef struct PcieCount { uint64_t tlps, payload_bytes, wire_bytes; } PcieCount;
PcieCount pcie_function_count(const PcieFunction *self, PciePurpose purpose, PcieDirection direction, PcieTlpType type);
/* The counters of scope "link"; index is the PcieDirection.  They are of the whole link, the same for each of its functions. */
extern const SimCounter pcie_link_counters[];
extern const size_t pcie_link_counters_n;
/* Writes `tlp` records, and `counter` records of scope "link" (busy_ps, dllp_bytes, serialised_bytes by direction). */
void pcie_function_record(const PcieFunction *self, SimTelemetry *telemetry, const char *at, const char *device);
/* Writes the identity: bytes serialised, counted apart in the serialiser, = sum of the ledgers of the link's functions.  Returns held. */
bool pcie_link_check(const PcieLink *self, SimTelemetry *telemetry);
