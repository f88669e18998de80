/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a hostile guest against one port or against a card with two that are wired
 * together, and a hostile other end of the cable.  Run by ./fuzz under ASan and UBSan.  Identities
 * must hold at the end of each input, and what is under way and remembered must stay bounded.
 *
 * The input is a string of actions, the first byte of each choosing it; most registers are written
 * with values that a driver could mean, some with anything.  Rings lie where set_up() puts them or
 * anywhere in 64 bits of address. */
#include "ixgbe/ixgbe-internal.h"
#include <stdlib.h>

enum {
    MEMORY = 1 << 18,
    PORTS = 2,
    RING_BYTES = 1024, /* of set_up(): 64 descriptors; RX and TX of a queue in 4 KiB */
    SETUP_ENTRIES = RING_BYTES / 16,
    SETUP_QUEUES = 8,
    TX_AT = 2048,
    ALLOCATED_MOST = 4096, /* jobs, write-backs and packets that may be under way */
};

typedef struct FuzzPort {
    SimPort port;
    PcieFunction *function;
    IxgbeModel *model;
    SimIrqMode mode;
} FuzzPort;

static struct {
    SimQueue *queue;
    PcieLink *link;
    Wire *wire;
    IxgbeProfile *profiles[3];
    FuzzPort ports[PORTS];
    unsigned ports_n, current; /* the port that actions are for */
    uint8_t fail_every;        /* 0 = the bus never fails */
    unsigned accesses;
    const uint8_t *input;
    size_t left;
    uint8_t memory[MEMORY];
} fuzz;

static bool inside(uint64_t iova, size_t bytes)
{
    bool failed = fuzz.fail_every != 0 && ++fuzz.accesses % fuzz.fail_every == 0;

    return !failed && iova < MEMORY && bytes <= MEMORY - iova;
}

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    bool there = inside(iova, bytes);

    if (there) {
        memcpy(buf, fuzz.memory + iova, bytes);
    }
    return there;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    bool there = inside(iova, bytes);

    if (there) {
        memcpy(fuzz.memory + iova, buf, bytes);
    }
    return there;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = 64;
    return ((FuzzPort *)opaque)->mode;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    if (vector >= 64) {
        abort();
    }
    return vector % 3 != 0;
}

static void set_intx(void *opaque, bool level) {}

static const SimPortOps ops = {dma_read, dma_write, irq_mode, raise_vector, set_intx};

static void hear(void *opaque, const uint8_t *frame, size_t bytes)
{
    if (bytes < IXGBE_FRAME_LEAST || bytes > IXGBE_FRAME_MOST) {
        abort();
    }
}

static uint64_t take(unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes && fuzz.left > 0; i++, fuzz.left--) {
        value = value << 8 | *fuzz.input++;
    }
    return value;
}

static IxgbeModel *model(void)
{
    return fuzz.ports[fuzz.current].model;
}

static void write32(uint32_t offset, uint64_t value)
{
    ixgbe_model_mmio_write(model(), offset, value & UINT32_MAX, 4);
}

static void set32(uint32_t offset, uint32_t bits)
{
    write32(offset, ixgbe_model_mmio_read(model(), offset, 4) | bits);
}

/* Addresses where something could go wrong, or plain ones. */
static uint64_t take_address(void)
{
    uint64_t value = take(1);

    switch (value % 8) {
    case 0:
        return UINT64_MAX - take(2);
    case 1:
        return MEMORY - take(2) % 4096;
    case 2:
        return take(8);
    case 3:
        return UINT32_MAX - take(2);
    default:
        return take(3) % MEMORY;
    }
}

/* --- Rings --- */

/* A queue pair that works, in memory of its own, so that the input gets to the engines. */
static void set_up(unsigned queue)
{
    uint32_t rx = 0x1000 + queue * 0x40, tx = 0x6000 + queue * 0x40, base = queue * 4096;

    write32(rx, base);
    write32(rx + 8, RING_BYTES);
    write32(rx + 0x28, 1u << 25);
    write32(rx + 0x18, SETUP_ENTRIES - 1);
    write32(tx, base + TX_AT);
    write32(tx + 8, RING_BYTES);
    write32(tx + 0x28, take(3) | 1u << 25);
    write32(0x900 + queue / 2 * 4, 0x83828180);
    write32(0x898, 0x80000010);
    write32(0xaa0, UINT32_MAX);
    write32(0x5080, 0x702);
    write32(0x4a80, 1);
    write32(0x3000, 1);
}

/* A ring anywhere, of any length, with its head anywhere, turned off and on again. */
static void move_ring(void)
{
    unsigned how = (unsigned)take(1), queue = (unsigned)take(1) % 128;
    bool tx = how & 1;
    uint32_t at = tx           ? 0x6000 + queue * 0x40
                  : queue < 64 ? 0x1000 + queue * 0x40
                               : 0xd000 + (queue - 64) * 0x40;
    static const uint32_t lengths[] = {0, 128, RING_BYTES, 0x1000, 0x10000, 0x80000, 0xfff80};
    uint64_t base = take_address();

    if (how & 2) {
        write32(at + 0x28, take(4) & ~(1u << 25));
    }
    write32(at, base);
    write32(at + 4, base >> 32);
    write32(at + 8, how & 4 ? take(3) : lengths[take(1) % G_N_ELEMENTS(lengths)]);
    write32(at + 0x10, take(2));
    write32(at + 0x28, take(4) | 1u << 25);
    if (how & 8) {
        uint64_t back = take_address(); /* the head, to memory */
        write32(0x6038 + queue * 0x40, back | 1);
        write32(0x603c + queue * 0x40, back >> 32);
    }
    write32(at + 0x18, how & 16 ? take(3) : SETUP_ENTRIES - 1);
}

static void put_desc(uint64_t at, const IxgbeTxDesc *desc)
{
    memcpy(fuzz.memory + at % (MEMORY / 16) * 16, desc, sizeof *desc);
}

static uint64_t tx_place(unsigned queue, unsigned number)
{
    return (queue % SETUP_QUEUES * 4096 + TX_AT) / 16 + number % SETUP_ENTRIES;
}

/* A context and the data descriptors behind it: checksums, tags, segments, of any lengths. */
static void put_packet(void)
{
    unsigned queue = (unsigned)take(1), number = (unsigned)take(1), how = (unsigned)take(2);
    unsigned parts = 1 + how % 4, bytes = (unsigned)take(2);
    uint32_t command = IXGBE_TX_DEXT | (how & 16 ? IXGBE_TX_TSE : 0) |
                       (how & 32 ? IXGBE_TX_VLE : 0) | (how & 64 ? IXGBE_TX_RS : 0) | 3u << 20;
    uint32_t status = (uint32_t)take(2);
    IxgbeTxDesc context = {take(6), IXGBE_TX_DEXT | 2u << 20 | (uint32_t)take(2),
                           (uint32_t)take(4)};

    if (how & 128) { /* lengths that fit: Ethernet, IP, TCP; an MSS that is small or not */
        context.address = (uint64_t)(14u << 9 | (how & 256 ? 40u : 20u)) | take(1) << 16;
        context.command =
            IXGBE_TX_DEXT | 2u << 20 | (how & 256 ? 0u : 1u << 10) | (how & 512 ? 0u : 1u << 11);
        context.status = (uint32_t)(take(1) + 64) << 16 | (how & 512 ? 8u : 20u) << 8;
    }
    put_desc(tx_place(queue, number++), &context);
    for (unsigned i = 0; i < parts; i++) {
        uint32_t last = i + 1 == parts && (how & 1024) == 0 ? IXGBE_TX_EOP : 0;
        IxgbeTxDesc data = {take_address(), command | last | bytes, status << 8};
        put_desc(tx_place(queue, number++), &data);
    }
    if (how & 2048) {
        write32(0x6018 + queue % SETUP_QUEUES * 0x40, number % SETUP_ENTRIES);
    }
}

/* The same descriptor all over a ring, and the tail behind it: a flood. */
static void flood(void)
{
    unsigned queue = (unsigned)take(1) % SETUP_QUEUES;
    IxgbeTxDesc desc = {take_address(), (uint32_t)take(4), (uint32_t)take(4)};

    if (take(1) & 1) { /* 64 bytes, a packet each */
        desc = (IxgbeTxDesc){desc.address % MEMORY,
                             IXGBE_TX_DEXT | 3u << 20 | IXGBE_TX_EOP | IXGBE_TX_RS | 64, 0};
    }
    for (unsigned i = 0; i < SETUP_ENTRIES; i++) {
        put_desc(tx_place(queue, i), &desc);
    }
    for (uint64_t times = 1 + take(1) % 4; times > 0; times--) {
        uint32_t head = (uint32_t)ixgbe_model_mmio_read(model(), 0x6010 + queue * 0x40, 4);
        write32(0x6018 + queue * 0x40, (head + SETUP_ENTRIES - 1) % SETUP_ENTRIES);
        sim_queue_run(fuzz.queue, sim_queue_now(fuzz.queue) + 2 * SIM_US);
    }
}

static void put_rx_desc(void)
{
    unsigned queue = (unsigned)take(1) % SETUP_QUEUES, number = (unsigned)take(1);
    IxgbeTxDesc desc = {take_address(), (uint32_t)take(4), (uint32_t)take(4)};

    put_desc(queue * 4096 / 16 + number % SETUP_ENTRIES, &desc);
}

/* --- Frames --- */

static unsigned put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return 2;
}

/* Headers that make sense until the input makes them not. */
static void send_frame(void)
{
    static const unsigned types[] = {0x0800, 0x86dd, 0x8100, 0x88cc, 0x0806};
    static const uint8_t protocols[] = {6, 17, 132, 0, 43, 44, 60, 1};
    uint8_t frame[WIRE_FRAME_MOST];
    unsigned how = (unsigned)take(1), at = 12, times = 1 + (how >> 5);
    size_t bytes = 60 + (how & 1 ? take(2) % (sizeof frame - 60) : take(1));
    unsigned type = types[how / 2 % G_N_ELEMENTS(types)];
    uint8_t protocol = protocols[take(1) % sizeof protocols];

    memset(frame, (int)take(1), bytes);
    memset(frame, 0xff, 6);
    if (how & 16) {
        memcpy(frame, ixgbe_model_mac(model()), 6);
    }
    at += put16(frame + at, type);
    if (type == 0x8100) {
        at += put16(frame + at, (unsigned)take(2));
        type = types[take(1) % 2];
        at += put16(frame + at, type);
    }
    if (type == 0x0800) {
        frame[at] = 0x45;
        put16(frame + at + 2, (unsigned)(bytes - at));
        put16(frame + at + 6, take(1) & 1 ? 0 : (unsigned)take(2));
        frame[at + 9] = protocol;
        at += 20;
    } else if (type == 0x86dd) {
        frame[at] = 0x60;
        put16(frame + at + 4, (unsigned)(bytes - at - 40));
        frame[at + 6] = protocol;
        at += 40;
    }
    for (unsigned change = (unsigned)take(1) % 8; change > 0; change--) {
        size_t place = take(1) % MIN(bytes, 128);
        frame[place] = (uint8_t)take(1);
    }
    for (unsigned i = at; i < MIN(bytes, at + 24); i++) {
        frame[i] = (uint8_t)take(1);
    }
    for (; times > 0 && fuzz.ports_n == 1; times--) {
        wire_send(wire_end(fuzz.wire, 1), frame, bytes, 0);
    }
}

/* --- The rest of the port --- */

/* A filter of the flow director, by one 64-bit write; or its table's set-up. */
static void director(void)
{
    unsigned how = (unsigned)take(1);

    if (how % 4 == 0) {
        write32(0xee00, take(4));
        return;
    }
    write32(0xee0c + how / 4 % 8 * 4, take(4));
    ixgbe_model_mmio_write(model(), 0xee28, take(4) << 32 | take(4), 8);
    ixgbe_model_mmio_read(model(), 0xee38, 4);
}

/* Both lines of the module's bus, as the input's bits say. */
static void two_wires(void)
{
    uint64_t bits = take(8);

    for (unsigned i = 0; i < 32; i++) {
        write32(0x28, (bits >> i * 2 & 3) * 2 % 8 | (bits >> (i * 2 + 1) & 1) << 3);
        ixgbe_model_mmio_read(model(), 0x28, 4);
    }
}

/* A whole byte of a module is read, as drivers do it. */
static void read_module(void)
{
    uint8_t sent[] = {(uint8_t)take(1), (uint8_t)take(1)};

    write32(0x28, 0xf);
    write32(0x28, 2);
    for (unsigned byte = 0; byte < sizeof sent; byte++) {
        for (unsigned bit = 0; bit < 9; bit++) {
            uint32_t data = bit == 8 || (sent[byte] >> (7 - bit) & 1) ? 8 : 0;
            write32(0x28, data);
            write32(0x28, data | 2);
            write32(0x28, data);
        }
    }
}

static void rarely(unsigned what)
{
    unsigned index = fuzz.current;
    FuzzPort *port = &fuzz.ports[index];

    switch (what % 8) {
    case 0:
        ixgbe_model_reset(port->model);
        break;
    case 1:
        if (fuzz.ports_n == 1) {
            wire_end_set_light(wire_end(fuzz.wire, 1), what & 8);
        } else {
            write32(0x20, (what & 8) != 0 ? 0x808 : 0x800); /* the laser */
        }
        break;
    case 2:
        port->mode = (SimIrqMode)(what / 8 % 4);
        ixgbe_model_irq_changed(port->model);
        break;
    case 3:
        ixgbe_model_bus_master(port->model, what & 8);
        break;
    case 4: /* loopback */
        set32(0x4240, 1u << 15);
        set32(0x42a0, 1);
        break;
    case 5:
        fuzz.current = what / 8 % fuzz.ports_n;
        break;
    case 6:
        fuzz.fail_every = (uint8_t)what / 8;
        break;
    default:
        write32(0, what & 8 ? 1u << 26 : 4); /* a reset by CTRL, or no more DMA */
        break;
    }
}

static void act(void)
{
    const IxgbeRegPlace *place;
    uint64_t value;

    switch (take(1) % 24) {
    case 0:
        set_up((unsigned)take(1) % SETUP_QUEUES);
        break;
    case 1: /* any place */
        value = take(3);
        ixgbe_model_mmio_write(model(), value >> 4 & 0x3ffff, take(8), 1u << value % 4);
        break;
    case 2:
        value = take(3);
        ixgbe_model_mmio_read(model(), value >> 4 & 0x3ffff, 1u << value % 4);
        break;
    case 3: /* a register that is there, any value */
        place = &ixgbe_model_reg_places[take(2) % ixgbe_model_reg_places_n];
        write32(place->offset + (uint32_t)(take(1) % place->count) * place->stride, take(4));
        break;
    case 4: /* a small value */
        place = &ixgbe_model_reg_places[take(2) % ixgbe_model_reg_places_n];
        write32(place->offset + (uint32_t)(take(1) % place->count) * place->stride, take(1));
        break;
    case 5: /* a bit more */
        place = &ixgbe_model_reg_places[take(2) % ixgbe_model_reg_places_n];
        set32(place->offset + (uint32_t)(take(1) % place->count) * place->stride,
              1u << take(1) % 32);
        break;
    case 6:
        write32(0x6018 + (uint32_t)take(1) % SETUP_QUEUES * 0x40, take(1) % SETUP_ENTRIES);
        break;
    case 7:
        write32(0x1018 + (uint32_t)take(1) % SETUP_QUEUES * 0x40, take(1) % SETUP_ENTRIES);
        break;
    case 8: { /* a descriptor of any kind, anywhere */
        uint64_t at = take(2);
        IxgbeTxDesc desc = {take_address(), (uint32_t)take(4), (uint32_t)take(4)};
        put_desc(at, &desc);
        break;
    }
    case 9:
    case 10:
        put_packet();
        break;
    case 11:
        put_rx_desc();
        break;
    case 12:
    case 13:
        send_frame();
        break;
    case 14:
        move_ring();
        break;
    case 15:
        flood();
        break;
    case 16:
        director();
        break;
    case 17:
        two_wires();
        break;
    case 18:
        read_module();
        break;
    case 19: /* throttling and causes */
        write32(0x820 + (uint32_t)take(1) % 24 * 4, take(2));
        write32(0x808, take(4));
        break;
    case 20: /* EEPROM */
        write32(0x10014, take(2) << 2 | 1);
        ixgbe_model_mmio_read(model(), 0x10014, 4);
        break;
    case 21:
        rarely((unsigned)take(1));
        break;
    default:
        sim_queue_run(fuzz.queue, sim_queue_now(fuzz.queue) + take(2) * 10 * SIM_NS);
        break;
    }
}

/* --- One input --- */

static IxgbeProfile *changed_profile(const char *const changes[][3])
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(IXGBE_PROFILE, NULL);

    for (unsigned i = 0; changes[i][0] != NULL; i++) {
        sim_keyfile_set(file, changes[i][0], changes[i][1], changes[i][2]);
    }
    return ixgbe_profile_read(file, NULL);
}

static void load_profiles(void)
{
    static const char *const plain[][3] = {{NULL}};
    static const char *const small[][3] = {
        {"card", "sfp", "sr"},
        {"engine", "rx-buffer", "16KiB"},
        {"engine", "tx-buffer", "16KiB"},
        {"engine", "rx-fetch-group", "32"},
        {"engine", "rx-writeback-hold", "0s"},
        {"engine", "rx-contexts", "1"},
        {"engine", "tx-contexts", "1"},
        {"engine", "tx-cache", "4"},
        {"engine", "tx-fetch-least", "4"},
        {"engine", "partial-line", "30ns"},
        {"engine", "link-up", "0s"},
        {"quirk", "quirk.udp-zero-checksum", "yes"},
        {NULL},
    };
    static const char *const large[][3] = {
        {"card", "sfp", "none"},
        {"engine", "rx-buffer", "1MiB"},
        {"engine", "tx-buffer", "1MiB"},
        {"engine", "rx-lookahead", "8192"},
        {"engine", "rx-writeback-most", "64"},
        {"engine", "rx-writeback-hold", "1ms"},
        {"engine", "rx-contexts", "256"},
        {"engine", "tx-contexts", "256"},
        {"engine", "tx-cache", "128"},
        {"engine", "rx-decide", "1ms"},
        {NULL},
    };

    if (fuzz.profiles[0] == NULL) {
        fuzz.profiles[0] = changed_profile(plain);
        fuzz.profiles[1] = changed_profile(small);
        fuzz.profiles[2] = changed_profile(large);
    }
}

static void begin(SimTelemetry *telemetry)
{
    static const PcieParams slot = {.generation = 2,
                                    .lanes = 8,
                                    .max_payload = 128,
                                    .max_read_request = 512,
                                    .rcb = 64,
                                    .tags = 32,
                                    .posted_credits = 4,
                                    .read_latency_ps = 700 * SIM_NS,
                                    .write_latency_ps = 150 * SIM_NS};
    unsigned how = (unsigned)take(1);

    fuzz.current = fuzz.accesses = 0;
    fuzz.fail_every = 0;
    fuzz.ports_n = how & 1 ? PORTS : 1;
    memset(fuzz.memory, 0, sizeof fuzz.memory);
    fuzz.queue = sim_queue_new();
    fuzz.link = pcie_link_new(fuzz.queue, "slot0", &slot);
    fuzz.wire = wire_new(fuzz.queue, &(WireParams){0});
    for (unsigned i = 0; i < fuzz.ports_n; i++) {
        FuzzPort *port = &fuzz.ports[i];
        const IxgbeProfile *profile = fuzz.profiles[how / 2 % G_N_ELEMENTS(fuzz.profiles)];
        port->mode = SIM_IRQ_MSIX;
        port->function = pcie_function_new(
            fuzz.link, &(PcieFunctionParams){.tags = 16, .partial_line_ps = 20 * SIM_NS});
        port->port = (SimPort){.ops = &ops,
                               .opaque = port,
                               .queue = fuzz.queue,
                               .telemetry = telemetry,
                               .device = i == 0 ? "ixgbe0" : "ixgbe1",
                               .seed = 1};
        port->model =
            ixgbe_model_new(&port->port, port->function, profile,
                            how & 64 && i == 0 ? NULL : wire_end(fuzz.wire, i),
                            &(IxgbeModelOptions){.lan_id = i, .sfp = how & 32 ? "da" : NULL}, NULL);
        ixgbe_model_bus_master(port->model, true);
    }
    if (fuzz.ports_n == 1) {
        wire_end_attach(wire_end(fuzz.wire, 1), &(WireClient){NULL, hear, NULL});
        wire_end_set_light(wire_end(fuzz.wire, 1), true);
    }
    sim_queue_run(fuzz.queue, 20 * SIM_MS);
}

/* What is under way is limited by the profile and the rings, not by how often the guest asks. */
static bool bounded(const IxgbeModel *m)
{
    return m->job_list->len <= m->profile->rx_contexts + 1 &&
           m->packet_list->len <= m->profile->tx_contexts + IXGBE_QUEUES + 1 &&
           m->writeback_list->len <= ALLOCATED_MOST &&
           m->rx_buffered <= m->profile->rx_buffer_bytes + IXGBE_FRAME_MOST &&
           m->dma_pending <= ALLOCATED_MOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(SimTelemetry) telemetry = sim_telemetry_new(NULL, NULL);
    bool held = true;

    load_profiles();
    fuzz.input = data;
    fuzz.left = size;
    begin(telemetry);
    while (fuzz.left > 0) {
        act();
    }
    sim_queue_run(fuzz.queue, sim_queue_now(fuzz.queue) + SIM_MS);
    for (unsigned i = 0; i < fuzz.ports_n; i++) {
        IxgbeModel *m = fuzz.ports[i].model;
        held = ixgbe_model_check(m) && bounded(m) && held;
        ixgbe_model_sample(m);
        ixgbe_model_record(m, "end");
    }
    if (!held || !pcie_link_check(fuzz.link, telemetry)) {
        abort();
    }
    for (unsigned i = 0; i < fuzz.ports_n; i++) {
        ixgbe_model_free(fuzz.ports[i].model);
    }
    wire_free(fuzz.wire);
    for (unsigned i = 0; i < fuzz.ports_n; i++) {
        pcie_function_free(fuzz.ports[i].function);
    }
    pcie_link_free(fuzz.link);
    sim_queue_free(fuzz.queue);
    return 0;
}
