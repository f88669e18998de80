/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a packet costs the link, in bytes on the wire, for the habits of known drivers; all
 * addresses lie above 4 GiB, MPS 128, MRRS 512, completions of 64 bytes.  Each figure is within two
 * percent of what the sizes of TLPs give by hand. */
#include "bench.h"

typedef struct Habit {
    unsigned bytes;  /* of a frame, without CRC */
    unsigned batch;  /* packets a doorbell */
    unsigned report; /* packets a descriptor with RS */
    uint32_t txdctl;
    unsigned tx_messages; /* packets a message; 0 = none */
    unsigned up_tenths, down_tenths;
} Habit;

/* The figures have messages and doorbells above 4 GiB too, where a header is 4 bytes longer; the
 * link takes both for what lies below, as behind a bridge.  Messages are added, the model's are
 * off. */
enum { MESSAGE_BYTES = 28, HEADER_BYTES = 4 };

static uint64_t doorbells(Bench *bench)
{
    return bench_count(bench, PCIE_FOR_DOORBELL, PCIE_DOWNSTREAM, PCIE_MWR).tlps;
}

ParameterizedTestParameters(ixgbe_cost, transmit)
{
    static Habit rows[] = {
        {60, 1, 1, 32 | 1 << 8 | 8 << 16, 32, 451, 1290}, /* Linux */
        {60, 32, 32, 32, 0, 264, 1019},                   /* DPDK */
        {60, 32, 1, 36 | 8 << 8 | 4 << 16, 0, 472, 1019}, /* ixy */
        {124, 32, 32, 32, 0, 264, 1859},
        {252, 32, 32, 32, 0, 264, 3539},
        {1514, 32, 32, 32, 0, 745, 20159},
    };
    return cr_make_param_array(Habit, rows, G_N_ELEMENTS(rows));
}

static void expect_near(const char *what, uint64_t bytes, uint64_t packets, unsigned tenths)
{
    uint64_t measured = bytes * 1000 / packets, wanted = (uint64_t)tenths * 100;

    cr_expect(measured * 100 >= wanted * 98 && measured * 100 <= wanted * 102,
              "%s: %u.%03u bytes a packet, by hand %u.%u", what, (unsigned)(measured / 1000),
              (unsigned)(measured % 1000), tenths / 10, tenths % 10);
}

ParameterizedTest(Habit *habit, ixgbe_cost, transmit)
{
    enum { ENTRIES = 512, PACKETS = 8192 };
    g_autoptr(Bench) bench = bench_new();
    uint64_t up, down, rung;
    unsigned sent = 0;

    bench_start(bench);
    bench_write(bench, 0xab0, UINT32_MAX);
    bench_write(bench, 0xab4, UINT32_MAX);
    bench_write(bench, 0x900, 0); /* completions are polled for */
    bench_tx_ring(bench, 0, ENTRIES, habit->txdctl);
    up = bench_bytes(bench, PCIE_UPSTREAM);
    down = bench_bytes(bench, PCIE_DOWNSTREAM);
    rung = doorbells(bench);
    while (sent < PACKETS) {
        BenchRing *ring = &bench->tx[0];
        unsigned head = bench->model->regs.TDH[0];
        if ((ring->tail + ENTRIES - head) % ENTRIES + habit->batch > 256) {
            bench_run(bench, 100 * SIM_NS);
            continue;
        }
        for (unsigned i = 0; i < habit->batch; i++, sent++) {
            bool report = sent % habit->report == habit->report - 1;
            bench_put(bench, 0,
                      (IxgbeTxDesc){ring->buffers + (uint64_t)ring->tail * 2048,
                                    habit->bytes | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP |
                                        IXGBE_TX_DEXT | (report ? IXGBE_TX_RS : 0),
                                    habit->bytes << 14});
        }
        bench_ring(bench, 0);
    }
    bench_run(bench, SIM_S);
    cr_assert(eq(u32, bench->heard_n, PACKETS));
    up = bench_bytes(bench, PCIE_UPSTREAM) - up;
    if (habit->tx_messages != 0) {
        up += PACKETS / habit->tx_messages * MESSAGE_BYTES;
    }
    expect_near("up", up, PACKETS, habit->up_tenths);
    down = bench_bytes(bench, PCIE_DOWNSTREAM) - down;
    down += (doorbells(bench) - rung) * HEADER_BYTES;
    expect_near("down", down, PACKETS, habit->down_tenths);
    bench_check(bench);
}

typedef struct Arrival {
    unsigned bytes, messages;
    const char group[4];
    unsigned up_tenths, down_tenths;
} Arrival;

ParameterizedTestParameters(ixgbe_cost, receive)
{
    static Arrival rows[] = {
        {60, 32, "1", 1489, 369}, {60, 0, "1", 1480, 369},  {60, 0, "4", 1120, 219},
        {124, 0, "1", 2120, 369}, {252, 0, "1", 3640, 369}, {1514, 0, "1", 18660, 369},
    };
    return cr_make_param_array(Arrival, rows, G_N_ELEMENTS(rows));
}

ParameterizedTest(Arrival *row, ixgbe_cost, receive)
{
    enum { ENTRIES = 512, PACKETS = 8192 };
    g_autofree char *group = g_strdup_printf("rx-fetch-group=%s", row->group);
    g_autoptr(Bench) bench =
        bench_new_with("82599es", group, "rx-writeback-hold=0s", "rx-contexts=16", NULL);
    bool grouped = row->group[0] != '1';
    IxgbeRxWriteback done;
    uint64_t up, down, rung;
    unsigned received = 0;

    bench_start(bench);
    bench_write(bench, 0xab0, UINT32_MAX);
    bench_write(bench, 0xab4, UINT32_MAX);
    bench_rx_ring(bench, 0, ENTRIES);
    up = bench_bytes(bench, PCIE_UPSTREAM);
    down = bench_bytes(bench, PCIE_DOWNSTREAM);
    rung = doorbells(bench);
    if (grouped) { /* the frames wait until all are there: groups are whole */
        bench_write(bench, 0x1018, 0);
    }
    bench_tester(bench, &(WireTesterParams){.frame_bytes = row->bytes + 4, .frames = PACKETS});
    for (unsigned step = 0; received < PACKETS && step < 200000; step++) {
        bench_run(bench, grouped && step == 0 ? SIM_MS : SIM_US);
        for (; bench_receive(bench, 0, &done, NULL); received++) {
            if ((received + 1) % 32 == 0) {
                bench_refill(bench, 0);
            }
        }
        if (grouped && step == 0) {
            bench_write(bench, 0x1018, 508);
            bench->rx[0].tail = 508;
        }
    }
    cr_assert(eq(u32, received, PACKETS));
    up = bench_bytes(bench, PCIE_UPSTREAM) - up;
    if (row->messages != 0) {
        up += PACKETS / row->messages * MESSAGE_BYTES;
    }
    expect_near("up", up, PACKETS, row->up_tenths);
    down = bench_bytes(bench, PCIE_DOWNSTREAM) - down;
    down += (doorbells(bench) - rung) * HEADER_BYTES;
    expect_near("down", down, PACKETS, row->down_tenths);
    bench_check(bench);
}
