/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames from memory to the wire: formats, offloads, write-back, loopback. */
#include "bench.h"

static uint8_t frame[IXGBE_FRAME_MOST];

static Bench *started(uint32_t txdctl)
{
    Bench *bench = bench_new();

    bench_start(bench);
    bench_tx_ring(bench, 0, 64, txdctl);
    return bench;
}

static bool is_done(Bench *bench, unsigned n)
{
    const IxgbeTxDesc *desc = bench_memory(bench, bench->tx[0].base + n * 16, 16);

    return desc->command == 0 && (desc->status & IXGBE_TX_DD) != 0;
}

Test(ixgbe_tx, one_frame)
{
    g_autoptr(Bench) bench = started(0);

    bench_send(bench, 0, frame, bench_udp(frame, 100, 7, 8, -1));
    bench_run(bench, 10 * SIM_US);
    cr_assert(eq(u32, bench->heard_n, 1));
    cr_expect(eq(sz, bench->heard_bytes, 100));
    cr_expect(eq(int, memcmp(bench->heard, frame, 100), 0));
    cr_expect(is_done(bench, 0));
    cr_expect(eq(u32, bench_read(bench, 0x6010), 1), "TDH");
    cr_expect(eq(u32, bench->raised[0], 32), "TX queue 0's vector");
    cr_expect(eq(u32, bench_read(bench, 0x6030), 1), "QPTC");
    cr_expect(eq(u32, bench_read(bench, 0x4090), 104), "GOTC");
}

Test(ixgbe_tx, legacy_descriptor_with_tag_and_checksum)
{
    g_autoptr(Bench) bench = started(0);
    uint64_t buffer = bench->tx[0].buffers;

    bench_udp(frame, 60, 7, 8, -1);
    frame[40] = frame[41] = 0; /* UDP checksum: over what lies from 34 on */
    memcpy(bench_memory(bench, buffer, 60), frame, 60);
    bench_put(bench, 0,
              (IxgbeTxDesc){buffer,
                            60 | 40 << 16 | IXGBE_TX_EOP | IXGBE_TX_RS | IXGBE_TX_IC | IXGBE_TX_VLE,
                            34 << 8 | 0x123u << 16});
    bench_ring(bench, 0);
    bench_run(bench, 10 * SIM_US);
    cr_expect(eq(sz, bench->heard_bytes, 64));
    cr_expect(eq(u8, bench->heard[12], 0x81));
    cr_expect(eq(u8, bench->heard[15], 0x23));
    cr_expect(eq(u16, ixgbe_model_fold(ixgbe_model_sum(bench->heard + 38, 26, 0)), 0xffff));
    cr_expect(is_done(bench, 0));
}

/* Context: MAC header of 14, IPv4 of 20, @l4t. */
static IxgbeTxDesc context(unsigned l4t, unsigned l4_bytes, unsigned mss, unsigned vlan)
{
    return (IxgbeTxDesc){.address = 20 | 14 << 9 | (uint64_t)vlan << 16,
                         .command = IXGBE_TX_DEXT | IXGBE_TX_DTYP_CONTEXT | 1 << 10 | l4t << 11,
                         .status = l4_bytes << 8 | mss << 16};
}

Test(ixgbe_tx, checksums_and_tag_by_context)
{
    g_autoptr(Bench) bench = started(0);
    uint64_t buffer = bench->tx[0].buffers;
    uint8_t whole[60];
    uint8_t *at = bench_memory(bench, buffer, 60);
    uint16_t pseudo;

    bench_udp(whole, 60, 7, 8, -1);
    memcpy(at, whole, 60);
    pseudo = ixgbe_model_fold(ixgbe_model_sum(at + 26, 8, 17 + 26));
    at[24] = 0xde; /* garbage where the IP checksum goes */
    at[40] = (uint8_t)(pseudo >> 8);
    at[41] = (uint8_t)pseudo;
    bench_put(bench, 0, context(IXGBE_L4T_UDP, 8, 0, 1000));
    bench_put(bench, 0,
              (IxgbeTxDesc){buffer,
                            60 | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP | IXGBE_TX_RS | IXGBE_TX_DEXT |
                                IXGBE_TX_VLE,
                            IXGBE_TX_IXSM | IXGBE_TX_TXSM | 60 << 14});
    bench_ring(bench, 0);
    bench_run(bench, 10 * SIM_US);
    cr_assert(eq(sz, bench->heard_bytes, 64));
    cr_expect(eq(int, memcmp(bench->heard + 16, whole + 12, 48), 0), "as if software had done it");
    cr_expect(eq(u8, bench->heard[14], 1000 >> 8));
    cr_expect(eq(u32, bench_read(bench, 0x6010), 2));
    cr_expect(is_done(bench, 1));
}

typedef struct Segments {
    unsigned n;
    uint32_t sequence[8];
    uint16_t id[8], bytes[8];
    uint8_t flags[8];
    bool right;
} Segments;
static Segments segments;

static void hear_segment(void *opaque, const uint8_t *heard, size_t bytes)
{
    const uint8_t *ip = heard + 14;
    unsigned total = (unsigned)ip[2] << 8 | ip[3], n = segments.n++ % 8;
    uint32_t sum = ixgbe_model_sum(ip + 12, 8, 6 + total - 20);

    segments.bytes[n] = (uint16_t)(total - 40);
    segments.id[n] = (uint16_t)(ip[4] << 8 | ip[5]);
    segments.sequence[n] = (uint32_t)ip[24] << 24 | (uint32_t)ip[25] << 16 | ip[26] << 8 | ip[27];
    segments.flags[n] = ip[33];
    segments.right &= ixgbe_model_fold(ixgbe_model_sum(ip, 20, 0)) == 0xffff;
    segments.right &= ixgbe_model_fold(ixgbe_model_sum(ip + 20, total - 20, sum)) == 0xffff;
}

Test(ixgbe_tx, segmentation)
{
    g_autoptr(Bench) bench = started(0);
    uint64_t buffer = bench_allocate(bench, 4096);
    uint8_t *at = bench_memory(bench, buffer, 4096);
    uint16_t pseudo;

    segments = (Segments){.right = true};
    wire_end_attach(wire_end(bench->wire, 1), &(WireClient){NULL, hear_segment, NULL});
    wire_end_set_light(wire_end(bench->wire, 1), true);
    bench_udp(at, 3554, 7, 8, -1); /* 54 of headers, 3500 of payload */
    at[23] = 6;
    at[16] = at[17] = 0; /* Linux zeroes the length */
    at[18] = 0x12;
    memset(at + 34, 0, 20);
    at[41] = 100; /* sequence */
    at[46] = 0x50;
    at[47] = 0x01 | 0x08 | 0x10; /* FIN PSH ACK */
    pseudo = ixgbe_model_fold(ixgbe_model_sum(at + 26, 8, 6));
    at[50] = (uint8_t)(pseudo >> 8);
    at[51] = (uint8_t)pseudo;
    bench_put(bench, 0, context(IXGBE_L4T_TCP, 20, 1460, 0));
    bench_put(bench, 0,
              (IxgbeTxDesc){buffer, 2000 | IXGBE_TX_DTYP_DATA | IXGBE_TX_DEXT | IXGBE_TX_TSE,
                            IXGBE_TX_IXSM | IXGBE_TX_TXSM | 3500u << 14});
    bench_put(bench, 0,
              (IxgbeTxDesc){buffer + 2000,
                            1554 | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP | IXGBE_TX_RS | IXGBE_TX_DEXT,
                            0});
    bench_ring(bench, 0);
    bench_run(bench, 20 * SIM_US);
    cr_assert(eq(u32, segments.n, 3));
    cr_expect(segments.right, "checksums");
    for (unsigned i = 0; i < 3; i++) {
        cr_expect(eq(u16, segments.bytes[i], i < 2 ? 1460 : 580));
        cr_expect(eq(u16, segments.id[i], (uint16_t)(0x1200 + i)));
        cr_expect(eq(u32, segments.sequence[i], 100 + i * 1460));
        cr_expect(eq(u8, segments.flags[i], i < 2 ? 0x10 : 0x19));
    }
}

/* [82599 §7.2.3.5] */
Test(ixgbe_writeback, burst_of_wthresh)
{
    g_autoptr(Bench) bench = started(8 << 16);

    bench_write(bench, 0x900, 0); /* no vector: nothing flushes */
    for (unsigned i = 0; i < 7; i++) {
        bench_send(bench, 0, frame, bench_udp(frame, 60, i, 8, -1));
    }
    bench_run(bench, 50 * SIM_US);
    cr_expect(eq(u32, bench->heard_n, 7));
    cr_expect(not(is_done(bench, 0)), "seven are held");
    bench_send(bench, 0, frame, 60);
    bench_run(bench, 50 * SIM_US);
    for (unsigned i = 0; i < 8; i++) {
        cr_expect(is_done(bench, i));
    }
    cr_expect(eq(u64, bench->model->tx[0].counts[IXGBE_RING_tx_wb_wthresh], 1));
    cr_expect(eq(
        u64, bench_count(bench, PCIE_FOR_TX_DESC_WRITEBACK, PCIE_UPSTREAM, PCIE_MWR).payload_bytes,
        128));
}

Test(ixgbe_writeback, eitr_flushes_what_is_held)
{
    g_autoptr(Bench) bench = started(8 << 16);

    bench_write(bench, 0x12300 + 4 * 8, 200); /* vector 32: 50 us */
    bench_send(bench, 0, frame, bench_udp(frame, 60, 1, 8, -1));
    bench_run(bench, 10 * SIM_US);
    cr_expect(is_done(bench, 0), "the timer has run out: at once");
    cr_expect(eq(u32, bench->raised_n, 1));
    bench_send(bench, 0, frame, 60);
    bench_run(bench, 10 * SIM_US);
    cr_expect(not(is_done(bench, 1)), "held");
    bench_run(bench, 50 * SIM_US);
    cr_expect(is_done(bench, 1));
    cr_expect(eq(u32, bench->raised_n, 2));
    cr_expect(eq(u64, bench->model->tx[0].counts[IXGBE_RING_tx_wb_eitr], 2));
}

Test(ixgbe_writeback, software_flush)
{
    g_autoptr(Bench) bench = started(8 << 16);

    bench_write(bench, 0x900, 0);
    bench_send(bench, 0, frame, bench_udp(frame, 60, 1, 8, -1));
    bench_run(bench, 10 * SIM_US);
    bench_write(bench, 0x6028, 8 << 16 | 1u << 25 | 1u << 26);
    bench_run(bench, SIM_US);
    cr_expect(is_done(bench, 0));
}

Test(ixgbe_writeback, head_in_memory)
{
    g_autoptr(Bench) bench = started(0);
    uint64_t head = bench_allocate(bench, 64);

    bench_write(bench, 0x603c, (uint32_t)(head >> 32));
    bench_write(bench, 0x6038, (uint32_t)head | 1);
    bench_send(bench, 0, frame, bench_udp(frame, 60, 1, 8, -1));
    bench_run(bench, 10 * SIM_US);
    cr_expect(eq(u32, *(uint32_t *)bench_memory(bench, head, 4), 1));
    cr_expect(not(is_done(bench, 0)));
}

Test(ixgbe_tx, more_than_the_cache_and_many_laps)
{
    g_autoptr(Bench) bench = started(32 | 1 << 8 | 8 << 16);

    for (unsigned i = 0; i < 20; i++) {
        for (unsigned n = 0; n < 60; n++) {
            BenchRing *ring = &bench->tx[0];
            bench_put(
                bench, 0,
                (IxgbeTxDesc){ring->buffers,
                              60 | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP | IXGBE_TX_RS | IXGBE_TX_DEXT,
                              60u << 14});
        }
        bench_ring(bench, 0);
        bench_run(bench, 50 * SIM_US);
    }
    cr_expect(eq(u32, bench->heard_n, 1200));
    cr_expect(eq(u32, bench_read(bench, 0x6010), bench_read(bench, 0x6018)), "TDH = TDT");
    cr_expect(eq(u64, bench->model->tx[0].counts[IXGBE_RING_tx_fetched], 1200));
    bench_check(bench);
}

/* One read for all rings: they take turns, and what waits meanwhile is read together. */
Test(ixgbe_tx, rings_take_turns_for_descriptor_reads)
{
    enum { RINGS = 4, FRAMES = 40 };
    uint64_t reads[2] = {0};

    for (unsigned few = 0; few < 2; few++) {
        g_autoptr(Bench) bench =
            bench_new_with("82599es", few ? "tx-fetches=1" : "tx-fetches=4", NULL);

        bench_start(bench);
        for (unsigned q = 0; q < RINGS; q++) {
            bench_tx_ring(bench, q, 64, 32 | 1 << 8);
        }
        for (unsigned i = 0; i < FRAMES; i++) {
            for (unsigned q = 0; q < RINGS; q++) {
                bench_send(bench, q, frame, bench_udp(frame, 60, q, i, -1));
            }
            bench_run(bench, SIM_US);
        }
        bench_run(bench, 50 * SIM_US);
        cr_expect(eq(u32, bench->heard_n, RINGS * FRAMES));
        for (unsigned q = 0; q < RINGS; q++) {
            uint64_t own = bench->model->tx[q].counts[IXGBE_RING_tx_fetches];
            cr_expect(le(u64, own * 10, FRAMES * 11), "queue %u: no turn is lost", q);
            reads[few] += own;
        }
        bench_check(bench);
    }
    cr_expect(gt(u64, reads[0], RINGS * FRAMES * 9 / 10), "a read each");
    cr_expect(lt(u64, reads[1] * 2, reads[0]), "%u of %u", (unsigned)reads[1], (unsigned)reads[0]);
}

/* Long packets of many rings would take the tags for as long as all their reads last. */
Test(ixgbe_tx, long_packets_do_not_hold_up_receive_descriptors)
{
    enum { RINGS = 16 };
    g_autoptr(Bench) bench = bench_new();
    static uint8_t small[64];
    IxgbeRxWriteback done;

    bench_start(bench);
    bench_rx_ring(bench, 0, 64);
    for (unsigned q = 0; q < RINGS; q++) {
        bench_tx_ring(bench, q, 64, 32 | 1 << 8);
        bench_send(bench, q, frame, bench_udp(frame, 9000, q, 8, -1));
    }
    bench_run(bench, 8 * SIM_US); /* their descriptors are there, and data are being read */
    bench_arrive(bench, small, bench_udp(small, 60, 1, 2, -1));
    /* 288 reads of 512 bytes with 16 tags take 15 us, those of two packets 2. */
    bench_run(bench, 5 * SIM_US);
    cr_expect(bench_receive(bench, 0, &done, NULL));
    bench_run(bench, 200 * SIM_US);
    cr_expect(eq(u32, bench->heard_n, RINGS));
    bench_check(bench);
}

Test(ixgbe_tx, loopback_comes_back)
{
    g_autoptr(Bench) bench = started(0);
    IxgbeRxWriteback done;

    wire_end_set_light(wire_end(bench->wire, 1), false);
    bench_rx_ring(bench, 0, 128);
    bench_write(bench, 0x4240, 0x8403);
    bench_write(bench, 0x42a0, 0xc09c6005);
    for (unsigned i = 0; i < 60; i++) {
        bench_send(bench, 0, frame, bench_udp(frame, 1024, i, 8, -1));
    }
    bench_run(bench, 200 * SIM_US);
    for (unsigned i = 0; i < 60; i++) {
        cr_assert(bench_receive(bench, 0, &done, frame), "frame %u", i);
        cr_expect(eq(u8, frame[35], (uint8_t)i));
    }
    cr_expect(eq(u32, bench->heard_n, 0));
    bench_check(bench);
}

Test(ixgbe_tx, ring_without_an_end_of_packet)
{
    g_autoptr(Bench) bench = started(32);

    for (unsigned lap = 0; lap < 3; lap++) {
        for (unsigned i = 0; i < 40; i++) {
            bench_put(
                bench, 0,
                (IxgbeTxDesc){bench->tx[0].buffers, 16 | IXGBE_TX_DTYP_DATA | IXGBE_TX_DEXT, 0});
        }
        bench_ring(bench, 0);
        bench_run(bench, 20 * SIM_US);
    }
    cr_expect(eq(u32, bench_violations(bench), 1));
    cr_expect(eq(sz, bench->model->tx_buffered, 0));
    bench_check(bench);
}

Test(ixgbe_tx, dark_wire_stops_and_light_goes_on)
{
    g_autoptr(Bench) bench = started(0);

    wire_end_set_light(wire_end(bench->wire, 1), false);
    bench_send(bench, 0, frame, bench_udp(frame, 60, 1, 8, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u32, bench_read(bench, 0x6010), 0));
    wire_end_set_light(wire_end(bench->wire, 1), true);
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u32, bench->heard_n, 1));
}

/* Packets of more than the chip's descriptors, on rings that fill the buffer together: none may
 * wait for the others for ever. */
Test(ixgbe_tx, packets_begun_on_many_rings_all_end)
{
    enum { RINGS = 16, PIECES = 60, PIECE = 1000 };
    g_autoptr(Bench) bench = bench_new();

    bench_start(bench);
    for (unsigned q = 0; q < RINGS; q++) {
        bench_tx_ring(bench, q, 128, 32 | 1 << 8 | 8 << 16);
        for (unsigned i = 0; i < PIECES; i++) {
            bench_put(bench, q,
                      (IxgbeTxDesc){bench->tx[q].buffers + i * 2048,
                                    PIECE | IXGBE_TX_DTYP_DATA | IXGBE_TX_DEXT | IXGBE_TX_RS |
                                        (i == PIECES - 1 ? IXGBE_TX_EOP : 0),
                                    0});
        }
    }
    for (unsigned q = 0; q < RINGS; q++) {
        bench_ring(bench, q);
    }
    bench_run(bench, SIM_MS);
    for (unsigned q = 0; q < RINGS; q++) {
        cr_expect(eq(u32, bench->model->regs.TDH[q], PIECES), "ring %u", q);
    }
    cr_expect(eq(u32, bench_violations(bench), RINGS), "60 KB are no frame");
    bench_check(bench);
}
