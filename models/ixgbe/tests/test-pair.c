/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two ports with a cable between them, on one queue and one bus: what one sends the other gets. */
#include "bench.h"

typedef struct Pair {
    Bench *bench;
    PcieFunction *function;
    IxgbeModel *other;
    SimPort port;
} Pair;

/* The second port takes the listener's end; its rings are laid out by hand. */
static Pair pair_new(void)
{
    Pair pair = {.bench = bench_new()};
    PcieFunctionParams params = pcie_identity_function(&pair.bench->profile->pci);

    bench_start(pair.bench);
    pair.function = pcie_function_new(pair.bench->link, &params);
    return pair;
}

static void pair_connect(Pair *pair)
{
    Bench *bench = pair->bench;

    pair->port = bench->port;
    pair->port.device = "ixgbe1";
    pair->other = ixgbe_model_new(&pair->port, pair->function, bench->profile,
                                  wire_end(bench->wire, 1), NULL, NULL);
    cr_assert(pair->other != NULL);
    ixgbe_model_bus_master(pair->other, true);
    bench_run(bench, SIM_US);
}

static void pair_clear(Pair *pair)
{
    ixgbe_model_free(pair->other);
    pcie_function_free(pair->function);
    bench_free(pair->bench);
}

static void write_other(Pair *pair, uint32_t offset, uint32_t value)
{
    ixgbe_model_mmio_write(pair->other, offset, value, 4);
}

Test(ixgbe_pair, names_give_different_addresses)
{
    Pair pair = pair_new();

    pair_connect(&pair);
    cr_expect(
        ne(int, memcmp(ixgbe_model_mac(pair.bench->model), ixgbe_model_mac(pair.other), 6), 0));
    pair_clear(&pair);
}

Test(ixgbe_pair, frames_cross_the_cable_in_order)
{
    enum { ENTRIES = 64, FRAMES = 60 };
    static uint8_t frame[IXGBE_FRAME_MOST];
    Pair pair = pair_new();
    Bench *bench = pair.bench;
    uint64_t ring = bench_allocate(bench, ENTRIES * 16);
    uint64_t buffers = bench_allocate(bench, ENTRIES * 2048);

    pair_connect(&pair);
    for (unsigned i = 0; i < ENTRIES; i++) {
        *(uint64_t *)bench_memory(bench, ring + i * 16, 16) = buffers + i * 2048;
    }
    write_other(&pair, 0x5080, 0x700);
    write_other(&pair, 0x3000, 1);
    write_other(&pair, 0x1000, (uint32_t)ring);
    write_other(&pair, 0x1004, (uint32_t)(ring >> 32));
    write_other(&pair, 0x1008, ENTRIES * 16);
    write_other(&pair, 0x1014, 0x02000002);
    write_other(&pair, 0x1028, 1u << 25);
    write_other(&pair, 0x1018, ENTRIES - 1);
    bench_tx_ring(bench, 0, ENTRIES, 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        bench_send(bench, 0, frame, bench_udp(frame, 60 + i * 20, i, 8, -1));
    }
    bench_run(bench, 200 * SIM_US);
    for (unsigned i = 0; i < FRAMES; i++) {
        const IxgbeRxWriteback *done = bench_memory(bench, ring + i * 16, 16);
        const uint8_t *data = bench_memory(bench, buffers + i * 2048, 2048);
        bench_udp(frame, 60 + i * 20, i, 8, -1);
        cr_expect(eq(u16, done->length, (uint16_t)(60 + i * 20)), "frame %u", i);
        cr_expect(eq(int, memcmp(data, frame, done->length), 0), "frame %u", i);
    }
    cr_expect(ixgbe_model_check(pair.other));
    bench_check(bench);
    pair_clear(&pair);
}

Test(ixgbe_pair, unplugging_one_takes_the_other_s_link_down)
{
    Pair pair = pair_new();

    pair_connect(&pair);
    cr_expect(eq(u32, bench_read(pair.bench, 0x42a4), 0x70000000));
    ixgbe_model_free(g_steal_pointer(&pair.other));
    cr_expect(eq(u32, bench_read(pair.bench, 0x42a4), 0));
    pair_clear(&pair);
}
