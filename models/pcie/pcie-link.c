/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PCI Express link: how a request becomes TLPs, what they weigh, and when they are through.
 *
 * Weight of a TLP [PCIe-3.0 §2.2, §3.5, §4.2.2]: 4 bytes of framing and sequence number, 12 (3-DW)
 * or 16 (4-DW: address from 4 GiB on) of header, the payload in whole DWs, 4 of LCRC.  A completion
 * and whatever the host initiates (BARs and MSI addresses behind a bridge) have 3-DW headers.
 *
 * Time: pcie-serialiser.h.  A direction with work to do is never idle.
 *
 * DLLPs: each `ack_every` (`fc_every`) TLPs in one direction owe one DLLP of 8 bytes [PCIe-3.0
 * §3.4, §2.6.1] to the other.  They go out in idle time first; what is left delays that direction's
 * next requests, each by no more than its own weight and two DLLPs.
 *
 * Writes that cover a part of a cache line: pcie-posted.h.
 *
 * Left out: NAK and replay, credits but those of partial lines, power states, ordering between
 * requests of different calls, ECRC, poisoned TLPs, 10-bit tags' registers. */
#include "pcie/pcie-link.h"
#include "pcie/pcie-link-internal.h"
#include "pcie/pcie-posted.h"
#include "pcie/pcie-serialiser.h"
#include <stddef.h>
#include <string.h>

#define LINE_BYTES 64   /* of the machine's caches */
#define PAGE_BYTES 4096 /* no request crosses it [PCIe-3.0 §2.2.7] */
#define HEADER_4DW_FROM (UINT64_C(1) << 32)
#define TLP_3DW_BYTES (4 + 12 + 4)
#define TLP_4DW_BYTES (4 + 16 + 4)

/* clang-format off */
#define ROW(key, field, unit, least, most, fallback, meaning) \
    {key, "slot", SIM_PARAM_U64, unit, offsetof(PcieParams, field), least, most, fallback, NULL, meaning}
const SimParam pcie_params[] = {
    ROW("generation", generation, SIM_UNIT_NONE, 1, 4, NULL,
        "PCI Express generation of the slot: 2.5, 5, 8 or 16 GT/s a lane"),
    ROW("lanes", lanes, SIM_UNIT_NONE, 1, 16, NULL,
        "lanes that the slot has wired: 1, 2, 4, 8 or 16"),
    ROW("max-payload", max_payload, SIM_UNIT_BYTES, 128, 4096, "256B",
        "largest payload of a TLP that the slot takes (Max_Payload_Size supported)"),
    ROW("max-read-request", max_read_request, SIM_UNIT_BYTES, 128, 4096, "512B",
        "largest read request that firmware lets a device send (Max_Read_Request_Size)"),
    ROW("rcb", rcb, SIM_UNIT_BYTES, 64, 128, "64B",
        "read completion boundary: where the root complex may cut a completion"),
    ROW("completion-max", completion_max, SIM_UNIT_BYTES, 0, 4096, "0B",
        "largest payload that the root complex puts into one completion; 0B: max-payload"),
    ROW("tags", tags, SIM_UNIT_NONE, 1, 1024, "32",
        "read requests that a device in the slot may have outstanding"),
    ROW("read-latency", read_latency_ps, SIM_UNIT_TIME, 0, 100 * SIM_US, "700ns",
        "from a read request's arrival at the root complex to its first completion on the wire"),
    ROW("write-latency", write_latency_ps, SIM_UNIT_TIME, 0, 100 * SIM_US, "150ns",
        "from the end of a posted write on the wire to its data being visible in memory"),
    ROW("mmio-latency", mmio_latency_ps, SIM_UNIT_TIME, 0, 100 * SIM_US, "150ns",
        "from a cpu's register access to its TLP on the wire"),
    ROW("posted-credits", posted_credits, SIM_UNIT_NONE, 1, 1024, "32",
        "writes of partial cache lines that the root complex holds while memory is busy with others"),
    ROW("ack-every", ack_every, SIM_UNIT_NONE, 0, 4096, "4",
        "TLPs that one ACK DLLP acknowledges; 0: no ACK is charged"),
    ROW("fc-every", fc_every, SIM_UNIT_NONE, 0, 4096, "4",
        "TLPs whose credits one UpdateFC DLLP returns; 0: no UpdateFC is charged"),
};
/* clang-format on */
const size_t pcie_params_n = G_N_ELEMENTS(pcie_params);

static const char *const purpose_names[PCIE_PURPOSES] = {
    [PCIE_FOR_REGISTER] = "register",
    [PCIE_FOR_DOORBELL] = "doorbell",
    [PCIE_FOR_SQE] = "sqe",
    [PCIE_FOR_PRP_LIST] = "prp-list",
    [PCIE_FOR_DATA] = "data",
    [PCIE_FOR_ADMIN_DATA] = "admin-data",
    [PCIE_FOR_CQE] = "cqe",
    [PCIE_FOR_MSIX] = "msix",
    [PCIE_FOR_RX_DESC_FETCH] = "rx-desc-fetch",
    [PCIE_FOR_RX_DATA] = "rx-data",
    [PCIE_FOR_RX_DESC_WRITEBACK] = "rx-desc-writeback",
    [PCIE_FOR_TX_DESC_FETCH] = "tx-desc-fetch",
    [PCIE_FOR_TX_DATA] = "tx-data",
    [PCIE_FOR_TX_DESC_WRITEBACK] = "tx-desc-writeback",
    [PCIE_FOR_TX_HEAD_WRITEBACK] = "tx-head-writeback",
};
static const char *const type_names[PCIE_TLP_TYPES] = {
    [PCIE_MRD] = "MRd", [PCIE_MWR] = "MWr", [PCIE_CPLD] = "CplD", [PCIE_CPL] = "Cpl"};
static const char *const direction_names[PCIE_DIRECTIONS] = {
    [PCIE_UPSTREAM] = "upstream", [PCIE_DOWNSTREAM] = "downstream"};

const char *pcie_purpose_name(PciePurpose purpose)
{
    return purpose_names[purpose];
}
const char *pcie_tlp_type_name(PcieTlpType type)
{
    return type_names[type];
}
const char *pcie_direction_name(PcieDirection direction)
{
    return direction_names[direction];
}

struct PcieLink {
    SimQueue *queue;
    char *name;
    PcieParams params;
    uint64_t completion_max;
    /* A DLLP of each kind after so many TLPs; 0 = none.  Where both come at the same TLPs they are
     * counted together, as acks_n at a time. */
    uint64_t ack_every, acks_n, fc_every;
    PcieSerialiser serialisers[PCIE_DIRECTIONS];
    PciePosted posted;
    GPtrArray *functions;                      /* (transfer none) */
    uint64_t wire_bytes_gone[PCIE_DIRECTIONS]; /* ledgers of functions that have been freed */
};

/* The last read that was promised a tag: from when on it was asked for, and when it is through. */
typedef struct Tag {
    SimTime asked, done;
} Tag;

/* The tags of a card, for all its functions. */
typedef struct Tags {
    unsigned users;
    size_t n, next;
    Tag tag[]; /* ring */
} Tags;

struct PcieFunction {
    PcieLink *link;
    PcieFunctionParams params;
    uint64_t byte_units;                    /* 1/256 ps a byte */
    uint64_t max_payload, max_read_request; /* in force */
    unsigned payload_shift, completion_shift;
    Tags *tags;
    PcieCount ledger[PCIE_PURPOSES][PCIE_DIRECTIONS][PCIE_TLP_TYPES];
};

static bool power_of_two(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static uint64_t power_of_two_below(uint64_t x)
{
    return UINT64_C(1) << (63 - __builtin_clzll(x));
}

const char *pcie_params_problem(const PcieParams *params, const char **key)
{
    static const struct {
        const char *key;
        size_t offset;
    } powers[] = {{"lanes", offsetof(PcieParams, lanes)},
                  {"max-payload", offsetof(PcieParams, max_payload)},
                  {"max-read-request", offsetof(PcieParams, max_read_request)},
                  {"rcb", offsetof(PcieParams, rcb)}};

    for (size_t i = 0; i < G_N_ELEMENTS(powers); i++) {
        *key = powers[i].key;
        if (!power_of_two(*(const uint64_t *)((const char *)params + powers[i].offset))) {
            return "must be a power of two";
        }
    }
    *key = "completion-max";
    if (params->completion_max != 0 &&
        (!power_of_two(params->completion_max) || params->completion_max < params->rcb)) {
        return "must be 0B or a power of two that is at least rcb";
    }
    *key = NULL;
    return NULL;
}

PcieLink *pcie_link_new(SimQueue *queue, const char *name, const PcieParams *params)
{
    PcieLink *self = g_new0(PcieLink, 1);
    const char *key;

    g_assert(pcie_params_problem(params, &key) == NULL); /* loaders check what files say */
    g_assert(params->generation >= 1 && params->generation <= 4 && params->tags > 0);
    self->queue = queue;
    self->name = g_strdup(name);
    self->params = *params;
    self->completion_max = params->completion_max ? params->completion_max : params->max_payload;
    self->ack_every = params->ack_every;
    self->acks_n = params->ack_every == params->fc_every ? 2 : 1;
    self->fc_every = params->ack_every == params->fc_every ? 0 : params->fc_every;
    for (int d = 0; d < PCIE_DIRECTIONS; d++) {
        pcie_serialiser_init(&self->serialisers[d]);
    }
    pcie_posted_init(&self->posted, MAX(params->posted_credits, 1));
    self->functions = g_ptr_array_new();
    return self;
}

void pcie_link_free(PcieLink *self)
{
    if (!self) {
        return;
    }
    for (guint i = 0; i < self->functions->len; i++) { /* they may still be freed, nothing else */
        ((PcieFunction *)g_ptr_array_index(self->functions, i))->link = NULL;
    }
    for (int d = 0; d < PCIE_DIRECTIONS; d++) {
        pcie_serialiser_clear(&self->serialisers[d]);
    }
    pcie_posted_clear(&self->posted);
    g_ptr_array_free(self->functions, TRUE);
    g_free(self->name);
    g_free(self);
}

const char *pcie_link_name(const PcieLink *self)
{
    return self->name;
}

static inline uint64_t least(uint64_t limit, uint64_t value) /* 0 = no limit */
{
    return limit != 0 && limit < value ? limit : value;
}

/* Those of a function of the same card, or new ones. */
static Tags *tags_take(const PcieLink *link, const PcieFunctionParams *params)
{
    size_t n = least(params->tags, link->params.tags);
    Tags *self;

    for (guint i = 0; params->card != NULL && i < link->functions->len; i++) {
        const PcieFunction *other = g_ptr_array_index(link->functions, i);

        if (other->params.card == params->card) {
            other->tags->users++;
            return other->tags;
        }
    }
    self = g_malloc0(sizeof(Tags) + n * sizeof(Tag));
    self->users = 1;
    self->n = n;
    return self;
}

static void tags_release(Tags *self)
{
    if (--self->users == 0) {
        g_free(self);
    }
}

PcieFunction *pcie_function_new(PcieLink *link, const PcieFunctionParams *params)
{
    PcieFunction *self = g_new0(PcieFunction, 1);

    self->link = link;
    self->params = *params;
    self->byte_units =
        pcie_byte_units(least(params->generation, link->params.generation),
                        power_of_two_below(least(params->lanes, link->params.lanes)));
    self->tags = tags_take(link, params);
    g_ptr_array_add(link->functions, self);
    pcie_function_set_control(self, PAGE_BYTES, PAGE_BYTES);
    return self;
}

static uint64_t ledger_wire_bytes(const PcieFunction *self, PcieDirection direction)
{
    uint64_t sum = 0;

    for (int p = 0; p < PCIE_PURPOSES; p++) {
        for (int t = 0; t < PCIE_TLP_TYPES; t++) {
            sum += self->ledger[p][direction][t].wire_bytes;
        }
    }
    return sum;
}

void pcie_function_free(PcieFunction *self)
{
    if (!self) {
        return;
    }
    for (int d = 0; self->link && d < PCIE_DIRECTIONS; d++) {
        self->link->wire_bytes_gone[d] += ledger_wire_bytes(self, (PcieDirection)d);
    }
    if (self->link) {
        g_ptr_array_remove(self->link->functions, self);
    }
    tags_release(self->tags);
    g_free(self);
}

const PcieLink *pcie_function_link(const PcieFunction *self)
{
    return self->link;
}

/* A guest may write any encoding: what no hardware supports becomes the nearest that it does. */
static uint64_t control_bytes(uint64_t bytes)
{
    return power_of_two_below(CLAMP(bytes, 128, PAGE_BYTES));
}

void pcie_function_set_control(PcieFunction *self, unsigned max_payload, unsigned max_read_request)
{
    const PcieParams *slot = &self->link->params;

    self->max_payload =
        control_bytes(MIN(least(self->params.max_payload, slot->max_payload), max_payload));
    self->max_read_request = control_bytes(
        MIN(least(self->params.max_read_request, slot->max_read_request), max_read_request));
    self->payload_shift = (unsigned)__builtin_ctzll(self->max_payload);
    self->completion_shift =
        (unsigned)__builtin_ctzll(MIN(self->link->completion_max, self->max_payload));
}

unsigned pcie_function_max_payload(const PcieFunction *self)
{
    return (unsigned)self->max_payload;
}

unsigned pcie_function_max_read_request(const PcieFunction *self)
{
    return (unsigned)self->max_read_request;
}

/* DLLPs due after @tlps more, one each @every; @since counts the TLPs since the last one. */
static inline uint64_t dllps_due(uint64_t *since, uint64_t every, uint64_t tlps)
{
    uint64_t due;

    if (every == 0 || (*since += tlps) < every) {
        return 0;
    }
    if (*since == every) { /* most: a TLP at a time */
        *since = 0;
        return 1;
    }
    due = *since / every;
    *since -= due * every;
    return due;
}

/* Sends @tlps TLPs of @wire_bytes in all in one go; returns when the last bit has left. */
static inline SimTime serialise(PcieFunction *function, PcieDirection direction, uint64_t tlps,
                                uint64_t wire_bytes, SimTime from)
{
    PcieLink *link = function->link;
    PcieSerialiser *s = &link->serialisers[direction];
    uint64_t dllps = dllps_due(&s->ack_tlps, link->ack_every, tlps) * link->acks_n +
                     dllps_due(&s->fc_tlps, link->fc_every, tlps);

    if (dllps > 0) {
        pcie_serialiser_owe(&link->serialisers[1 - direction], function->byte_units, dllps);
    }
    return pcie_serialiser_send(s, function->byte_units, wire_bytes, from,
                                sim_queue_now(link->queue));
}

static inline void book(PcieFunction *self, PciePurpose purpose, PcieDirection direction,
                        PcieTlpType type, uint64_t tlps, uint64_t payload_bytes,
                        uint64_t wire_bytes)
{
    PcieCount *count = &self->ledger[purpose][direction][type];

    count->tlps += tlps;
    count->payload_bytes += payload_bytes;
    count->wire_bytes += wire_bytes;
}

/* Payload on the wire: first and last DW whole [PCIe-3.0 §2.2.5: byte enables]. */
static inline uint64_t dw_bytes(uint64_t address, uint64_t bytes)
{
    return ((address + bytes + 3) & ~UINT64_C(3)) - (address & ~UINT64_C(3));
}

static inline uint64_t header_bytes(uint64_t address)
{
    return address < HEADER_4DW_FROM ? TLP_3DW_BYTES : TLP_4DW_BYTES;
}

/* Bytes from @address that one request header form covers: up to 4 GiB, or all.  Wrap-around at the
 * end of the address space is cut off. */
static inline uint64_t same_header(uint64_t address, uint64_t bytes)
{
    return address < HEADER_4DW_FROM ? MIN(bytes, HEADER_4DW_FROM - address)
                                     : MIN(bytes, UINT64_MAX - address);
}

unsigned pcie_partial_lines(uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    bool head = address % LINE_BYTES != 0, tail = end % LINE_BYTES != 0;

    return bytes == 0                                                 ? 0
           : head && tail && address / LINE_BYTES == end / LINE_BYTES ? 1
                                                                      : head + tail;
}

/* When a write of @bytes may go out, and in *@in_memory when its partial lines are done. */
static inline SimTime start_write(PcieFunction *self, uint64_t address, uint64_t bytes,
                                  uint64_t wire, SimTime from, SimTime *in_memory)
{
    SimTime line_ps = self->params.partial_line_ps;
    PciePosted *posted = &self->link->posted;
    unsigned lines = line_ps == 0 ? 0 : pcie_partial_lines(address, bytes);

    return lines == 0 ? pcie_posted_after(posted, from)
                      : pcie_posted_write(posted, lines, line_ps, (wire * self->byte_units) >> 8,
                                          from, sim_queue_now(self->link->queue), in_memory);
}

/* A piece that one header form covers. */
static inline SimTime write_part(PcieFunction *self, PciePurpose purpose, uint64_t address,
                                 uint64_t bytes, uint64_t header, SimTime from, SimTime *in_memory)
{
    /* Cut at each multiple of the payload size, which divides 4 KiB. */
    uint64_t tlps =
        ((address + bytes - 1) >> self->payload_shift) - (address >> self->payload_shift) + 1;
    uint64_t wire = tlps * header + dw_bytes(address, bytes);

    book(self, purpose, PCIE_UPSTREAM, PCIE_MWR, tlps, bytes, wire);
    return serialise(self, PCIE_UPSTREAM, tlps, wire,
                     start_write(self, address, bytes, wire, from, in_memory));
}

SimTime pcie_dma_write(PcieFunction *self, PciePurpose purpose, uint64_t address, uint64_t bytes,
                       SimTime from)
{
    SimTime end = from, in_memory = 0;
    uint64_t left = bytes;

    from = MAX(from, sim_queue_now(self->link->queue));
    if (G_LIKELY(address < HEADER_4DW_FROM && bytes > 0 && bytes <= HEADER_4DW_FROM - address)) {
        end = write_part(self, purpose, address, bytes, TLP_3DW_BYTES, from, &in_memory);
        return MAX(end, in_memory) + self->link->params.write_latency_ps;
    }
    while (left > 0) {
        uint64_t part = same_header(address, left);

        if (part == 0) {
            break;
        }
        end = write_part(self, purpose, address, part, header_bytes(address), from, &in_memory);
        address += part;
        left -= part;
    }
    return bytes > 0 ? MAX(end, in_memory) + self->link->params.write_latency_ps : end;
}

/* Completions of one read request [PCIe-3.0 §2.3.1.1]: the first ends at a read completion
 * boundary, the others carry as much as is allowed. */
static SimTime complete(PcieFunction *self, PciePurpose purpose, uint64_t address, uint64_t bytes,
                        SimTime from)
{
    uint64_t over = address & (self->link->params.rcb - 1);
    uint64_t first = over ? MIN(self->link->params.rcb - over, bytes) : 0;
    uint64_t round_up = (UINT64_C(1) << self->completion_shift) - 1;
    uint64_t tlps = (first > 0) + ((bytes - first + round_up) >> self->completion_shift);
    uint64_t wire = tlps * TLP_3DW_BYTES + dw_bytes(address, bytes);

    book(self, purpose, PCIE_DOWNSTREAM, PCIE_CPLD, tlps, bytes, wire);
    return serialise(self, PCIE_DOWNSTREAM, tlps, wire, from);
}

SimTime pcie_dma_read(PcieFunction *self, PciePurpose purpose, uint64_t address, uint64_t bytes,
                      SimTime from)
{
    SimTime done = from;

    from = MAX(from, sim_queue_now(self->link->queue));
    while (bytes > 0) {
        uint64_t part = same_header(address, bytes), wire = header_bytes(address);
        Tags *tags = self->tags;
        Tag *tag = &tags->tag[tags->next];
        SimTime start, sent;

        part = MIN(part, self->max_read_request - (address & (self->max_read_request - 1)));
        if (part == 0) {
            break;
        }
        book(self, purpose, PCIE_UPSTREAM, PCIE_MRD, 1, 0, wire);
        /* A read that was asked for in advance does not keep its tag from one now. */
        start = from < tag->asked ? from : MAX(from, tag->done);
        start = pcie_posted_after(&self->link->posted, start);
        sent =
            pcie_posted_read(&self->link->posted, serialise(self, PCIE_UPSTREAM, 1, wire, start));
        done = complete(self, purpose, address, part, sent + self->link->params.read_latency_ps);
        *tag = (Tag){from, done};
        if (++tags->next == tags->n) {
            tags->next = 0;
        }
        address += part;
        bytes -= part;
    }
    return done;
}

SimTime pcie_message(PcieFunction *self, SimTime from)
{
    uint64_t wire = TLP_3DW_BYTES + 4;

    book(self, PCIE_FOR_MSIX, PCIE_UPSTREAM, PCIE_MWR, 1, 4, wire);
    from = pcie_posted_after(&self->link->posted, from);
    return serialise(self, PCIE_UPSTREAM, 1, wire, from) + self->link->params.write_latency_ps;
}

SimTime pcie_mmio_write(PcieFunction *self, PciePurpose purpose, unsigned bytes, SimTime from)
{
    uint64_t wire = TLP_3DW_BYTES + dw_bytes(0, bytes);

    book(self, purpose, PCIE_DOWNSTREAM, PCIE_MWR, 1, bytes, wire);
    return serialise(self, PCIE_DOWNSTREAM, 1, wire, from + self->link->params.mmio_latency_ps);
}

SimTime pcie_mmio_read(PcieFunction *self, PciePurpose purpose, unsigned bytes, SimTime from)
{
    uint64_t wire = TLP_3DW_BYTES + dw_bytes(0, bytes);
    SimTime arrival;

    book(self, purpose, PCIE_DOWNSTREAM, PCIE_MRD, 1, 0, TLP_3DW_BYTES);
    arrival = serialise(self, PCIE_DOWNSTREAM, 1, TLP_3DW_BYTES,
                        from + self->link->params.mmio_latency_ps);
    book(self, purpose, PCIE_UPSTREAM, PCIE_CPLD, 1, bytes, wire);
    serialise(self, PCIE_UPSTREAM, 1, wire, arrival);
    return arrival;
}

PcieCount pcie_function_count(const PcieFunction *self, PciePurpose purpose,
                              PcieDirection direction, PcieTlpType type)
{
    return self->ledger[purpose][direction][type];
}

static void record_count(SimTelemetry *telemetry, const char *at, const char *device,
                         PciePurpose purpose, PcieDirection direction, PcieTlpType type,
                         const PcieCount *count)
{
    sim_telemetry_begin(telemetry, "tlp");
    sim_telemetry_str(telemetry, "at", at);
    sim_telemetry_str(telemetry, "device", device);
    sim_telemetry_str(telemetry, "purpose", pcie_purpose_name(purpose));
    sim_telemetry_str(telemetry, "direction", pcie_direction_name(direction));
    sim_telemetry_str(telemetry, "tlp_type", pcie_tlp_type_name(type));
    sim_telemetry_u64(telemetry, "tlps", count->tlps);
    sim_telemetry_u64(telemetry, "payload_bytes", count->payload_bytes);
    sim_telemetry_u64(telemetry, "wire_bytes", count->wire_bytes);
    sim_telemetry_end(telemetry);
}

const SimCounter pcie_link_counters[] = {
    {"busy_ps", "ps", "time in which the link sent in this direction, TLPs and DLLPs"},
    {"dllp_bytes", "bytes", "DLLPs charged to this direction for TLPs received in the other"},
    {"serialised_bytes", "bytes", "TLPs of all functions of the link, counted where they are sent"},
    {"partial_ps", "ps", "time of the machine's memory for cache lines written in part; upstream"},
    {"held_ps", "ps", "sum of what such writes waited in the device for posted credits; upstream"},
};
const size_t pcie_link_counters_n = G_N_ELEMENTS(pcie_link_counters);

void pcie_function_record(const PcieFunction *self, SimTelemetry *telemetry, const char *at,
                          const char *device)
{
    for (int p = 0; telemetry && p < PCIE_PURPOSES; p++) {
        for (int d = 0; d < PCIE_DIRECTIONS; d++) {
            for (int t = 0; t < PCIE_TLP_TYPES; t++) {
                const PcieCount *count = &self->ledger[p][d][t];

                if (count->tlps > 0) {
                    record_count(telemetry, at, device, (PciePurpose)p, (PcieDirection)d,
                                 (PcieTlpType)t, count);
                }
            }
        }
    }
    for (int d = 0; telemetry && d < PCIE_DIRECTIONS; d++) {
        const PcieSerialiser *s = &self->link->serialisers[d];
        const PciePosted *posted = &self->link->posted;
        bool up = d == PCIE_UPSTREAM;
        const uint64_t values[] = {pcie_serialiser_busy(s), s->dllp_bytes, s->tlps_bytes,
                                   up ? pcie_serialiser_busy(&posted->memory) : 0,
                                   up ? posted->held : 0};

        sim_counters_record(telemetry, at, device, "link", (unsigned)d, pcie_link_counters, values,
                            G_N_ELEMENTS(values));
    }
}

bool pcie_link_check(const PcieLink *self, SimTelemetry *telemetry)
{
    bool all = true;

    for (int d = 0; d < PCIE_DIRECTIONS; d++) {
        g_autofree char *name =
            g_strdup_printf("link-bytes-%s", pcie_direction_name((PcieDirection)d));
        uint64_t serialised = self->serialisers[d].tlps_bytes, booked = self->wire_bytes_gone[d];

        for (guint i = 0; i < self->functions->len; i++) {
            booked += ledger_wire_bytes(g_ptr_array_index(self->functions, i), (PcieDirection)d);
        }
        all = all && serialised == booked;
        sim_telemetry_begin(telemetry, "identity");
        sim_telemetry_str(telemetry, "device", self->name);
        sim_telemetry_str(telemetry, "name", name);
        sim_telemetry_u64(telemetry, "left", serialised);
        sim_telemetry_u64(telemetry, "right", booked);
        sim_telemetry_bool(telemetry, "held", serialised == booked);
        sim_telemetry_end(telemetry);
    }
    return all;
}

void pcie_function_tamper(PcieFunction *self, PciePurpose purpose, PcieDirection direction,
                          PcieTlpType type, uint64_t wire_bytes)
{
    self->ledger[purpose][direction][type].wire_bytes += wire_bytes;
}

size_t pcie_link_intervals(const PcieLink *self, PcieDirection direction)
{
    return pcie_serialiser_intervals(&self->serialisers[direction]);
}
