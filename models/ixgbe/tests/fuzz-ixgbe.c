/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a hostile guest against one port, and a hostile other end of the cable.  Run by
 * ./fuzz under ASan and UBSan.  Identities must hold at the end of each input.
 *
 * The input is a string of actions, the first byte of each choosing it; most registers are written
 * with values that a driver could mean, some with anything. */
#include "ixgbe/ixgbe-internal.h"
#include <stdlib.h>

enum { MEMORY = 1 << 18, SETUP_ENTRIES = 64 };

static struct {
    SimQueue *queue;
    PcieLink *link;
    PcieFunction *function;
    Wire *wire;
    IxgbeProfile *profile;
    SimPort port;
    IxgbeModel *model;
    SimIrqMode mode;
    const uint8_t *input;
    size_t left;
    uint8_t memory[MEMORY];
} fuzz;

static bool inside(uint64_t iova, size_t bytes)
{
    return iova < MEMORY && bytes <= MEMORY - iova;
}

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    if (inside(iova, bytes)) {
        memcpy(buf, fuzz.memory + iova, bytes);
    }
    return inside(iova, bytes);
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    if (inside(iova, bytes)) {
        memcpy(fuzz.memory + iova, buf, bytes);
    }
    return inside(iova, bytes);
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = 64;
    return fuzz.mode;
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

static void write32(uint32_t offset, uint64_t value)
{
    ixgbe_model_mmio_write(fuzz.model, offset, value & UINT32_MAX, 4);
}

/* A queue pair that works, in memory of its own, so that the input gets to the engines. */
static void set_up(unsigned queue)
{
    uint32_t rx = 0x1000 + queue * 0x40, tx = 0x6000 + queue * 0x40, base = queue * 4096;

    write32(rx, base);
    write32(rx + 8, SETUP_ENTRIES * 16);
    write32(rx + 0x28, 1u << 25);
    write32(rx + 0x18, SETUP_ENTRIES - 1);
    write32(tx, base + 2048);
    write32(tx + 8, SETUP_ENTRIES * 16);
    write32(tx + 0x28, take(3) | 1u << 25);
    write32(0x900 + queue / 2 * 4, 0x83828180);
    write32(0x898, 0x80000010);
    write32(0xaa0, UINT32_MAX);
    write32(0x5080, 0x702);
    write32(0x4a80, 1);
    write32(0x3000, 1);
}

static void put_desc(void)
{
    unsigned at = (unsigned)take(2) % (MEMORY / 16) * 16;
    IxgbeTxDesc desc = {take(3), (uint32_t)take(4), (uint32_t)take(4)};

    memcpy(fuzz.memory + at, &desc, sizeof desc);
}

static void send_frame(void)
{
    uint8_t frame[2048];
    size_t bytes = 1 + take(2) % sizeof frame;

    memset(frame, 0xff, sizeof frame);
    for (size_t i = 6; i < MIN(bytes, 70) && fuzz.left > 0; i++) {
        frame[i] = (uint8_t)take(1);
    }
    wire_send(wire_end(fuzz.wire, 1), frame, bytes, 0);
}

static void act(void)
{
    const IxgbeRegPlace *place;
    uint64_t value;

    switch (take(1) % 12) {
    case 0:
        set_up((unsigned)take(1) % 8);
        break;
    case 1: /* any place */
        value = take(3);
        ixgbe_model_mmio_write(fuzz.model, value % 0x22000, take(8), 1u << value % 4);
        break;
    case 2:
        value = take(3);
        ixgbe_model_mmio_read(fuzz.model, value % 0x22000, 1u << value % 4);
        break;
    case 3: /* a register that is there, any value */
        place = &ixgbe_model_reg_places[take(2) % ixgbe_model_reg_places_n];
        write32(place->offset + (uint32_t)(take(1) % place->count) * place->stride, take(4));
        break;
    case 4: /* a small value */
        place = &ixgbe_model_reg_places[take(2) % ixgbe_model_reg_places_n];
        write32(place->offset + (uint32_t)(take(1) % place->count) * place->stride, take(1));
        break;
    case 5:
        write32(0x6018 + (uint32_t)take(1) % 8 * 0x40, take(1) % SETUP_ENTRIES);
        break;
    case 6:
        write32(0x1018 + (uint32_t)take(1) % 8 * 0x40, take(1) % SETUP_ENTRIES);
        break;
    case 7:
    case 8:
        put_desc();
        break;
    case 9:
        send_frame();
        break;
    case 10:
        sim_queue_run(fuzz.queue, sim_queue_now(fuzz.queue) + take(2) * 10 * SIM_NS);
        break;
    default:
        value = take(1);
        if (value == 0) {
            ixgbe_model_reset(fuzz.model);
        } else if (value < 8) {
            wire_end_set_light(wire_end(fuzz.wire, 1), value & 1);
        } else {
            fuzz.mode = (SimIrqMode)(value % 4);
            ixgbe_model_bus_master(fuzz.model, value % 16 != 9);
            ixgbe_model_irq_changed(fuzz.model);
        }
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const PcieParams slot = {.generation = 2,
                                    .lanes = 8,
                                    .max_payload = 128,
                                    .max_read_request = 512,
                                    .rcb = 64,
                                    .tags = 32,
                                    .read_latency_ps = 700 * SIM_NS,
                                    .write_latency_ps = 150 * SIM_NS};
    g_autoptr(SimTelemetry) telemetry = sim_telemetry_new(NULL, NULL);

    if (fuzz.profile == NULL) {
        fuzz.profile = ixgbe_profile_load(IXGBE_PROFILE, NULL);
    }
    fuzz.input = data;
    fuzz.left = size;
    fuzz.mode = SIM_IRQ_MSIX;
    memset(fuzz.memory, 0, sizeof fuzz.memory);
    fuzz.queue = sim_queue_new();
    fuzz.link = pcie_link_new(fuzz.queue, "slot0", &slot);
    fuzz.function = pcie_function_new(fuzz.link, &(PcieFunctionParams){.tags = 16});
    fuzz.wire = wire_new(fuzz.queue, &(WireParams){0});
    fuzz.port = (SimPort){
        .ops = &ops, .queue = fuzz.queue, .telemetry = telemetry, .device = "ixgbe0", .seed = 1};
    fuzz.model = ixgbe_model_new(&fuzz.port, fuzz.function, fuzz.profile, wire_end(fuzz.wire, 0),
                                 NULL, NULL);
    wire_end_attach(wire_end(fuzz.wire, 1), &(WireClient){NULL, hear, NULL});
    wire_end_set_light(wire_end(fuzz.wire, 1), true);
    ixgbe_model_bus_master(fuzz.model, true);
    sim_queue_run(fuzz.queue, 20 * SIM_MS);
    while (fuzz.left > 0) {
        act();
    }
    sim_queue_run(fuzz.queue, sim_queue_now(fuzz.queue) + SIM_MS);
    if (!ixgbe_model_check(fuzz.model) || !pcie_link_check(fuzz.link, telemetry)) {
        abort();
    }
    ixgbe_model_free(fuzz.model);
    wire_free(fuzz.wire);
    pcie_function_free(fuzz.function);
    pcie_link_free(fuzz.link);
    sim_queue_free(fuzz.queue);
    return 0;
}
