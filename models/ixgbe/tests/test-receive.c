/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames from the wire to memory: formats, filters, queues, what has no room. */
#include "bench.h"

static uint8_t frame[IXGBE_FRAME_MOST], data[2048];
static IxgbeRxWriteback done;

static Bench *started(unsigned entries)
{
    Bench *bench = bench_new();

    bench_start(bench);
    bench_rx_ring(bench, 0, entries);
    return bench;
}

Test(ixgbe_rx, one_frame)
{
    g_autoptr(Bench) bench = started(64);

    bench_arrive(bench, frame, bench_udp(frame, 100, 7, 8, -1));
    bench_run(bench, 10 * SIM_US);
    cr_assert(bench_receive(bench, 0, &done, data));
    cr_expect(eq(u16, done.length, 100));
    cr_expect(eq(int, memcmp(data, frame, 100), 0));
    cr_expect(eq(u32, done.status,
                 IXGBE_RX_DD | IXGBE_RX_EOP | IXGBE_RX_IPCS | IXGBE_RX_L4CS | IXGBE_RX_UDPCS));
    cr_expect(eq(u32, done.type, IXGBE_TYPE_IPV4 | IXGBE_TYPE_UDP));
    cr_expect(eq(u32, bench_read(bench, 0x1010), 1), "RDH");
    cr_expect(eq(u32, bench->raised_n, 1));
    cr_expect(eq(u32, bench->raised[0], 0));
    cr_expect(eq(u32, bench_read(bench, 0x1030), 1), "QPRC");
    cr_expect(eq(u32, bench_read(bench, 0x1034), 100), "QBRC without CRC");
    cr_expect(eq(u32, bench_read(bench, 0x4088), 104), "GORC with CRC");
    cr_expect(eq(u32, bench_read(bench, 0x1030), 0), "read clears");
    bench_check(bench);
}

Test(ixgbe_rx, legacy_descriptor_after_reset)
{
    g_autoptr(Bench) bench = started(64);
    const IxgbeRxLegacy *old = bench_memory(bench, bench->rx[0].base, 16);

    bench_write(bench, 0x2100, 0x402);
    frame[0] = 0;
    bench_udp(frame, 60, 7, 8, -1);
    frame[30] ^= 1; /* both sums break */
    bench_arrive(bench, frame, 60);
    bench_run(bench, 10 * SIM_US);
    cr_expect(eq(u8, old->status,
                 IXGBE_RX_DD | IXGBE_RX_EOP | IXGBE_RX_IPCS | IXGBE_RX_L4CS | IXGBE_RX_UDPCS));
    cr_expect(eq(u8, old->errors, IXGBE_RX_LEGACY_IPE | IXGBE_RX_LEGACY_TCPE));
    cr_expect(eq(u16, old->length, 60));
}

Test(ixgbe_rx, vlan_tag_is_stripped)
{
    g_autoptr(Bench) bench = started(64);

    bench_write(bench, 0x1028, 1u << 25 | 1u << 30);
    bench_arrive(bench, frame, bench_udp(frame, 64, 7, 8, 0x23e8));
    bench_run(bench, 10 * SIM_US);
    cr_assert(bench_receive(bench, 0, &done, data));
    cr_expect(eq(u16, done.length, 60));
    cr_expect(eq(u16, done.vlan, 0x23e8));
    cr_expect(eq(u32, done.status & IXGBE_RX_VP, IXGBE_RX_VP));
    cr_expect(eq(u8, data[12], 8));
}

Test(ixgbe_rx, crc_is_kept_on_request)
{
    g_autoptr(Bench) bench = started(64);

    bench_write(bench, 0x4240, 0x401);
    bench_arrive(bench, frame, bench_udp(frame, 60, 7, 8, -1));
    bench_run(bench, 10 * SIM_US);
    cr_assert(bench_receive(bench, 0, &done, data));
    cr_expect(eq(u16, done.length, 64));
    cr_expect(eq(u32, ixgbe_model_crc32(data, 64), 0x2144df1c), "residue of a right CRC");
}

Test(ixgbe_rx, jumbo_takes_several_buffers)
{
    g_autoptr(Bench) bench = started(64);

    bench_write(bench, 0x4240, 0x407);
    bench_write(bench, 0x4268, 9018u << 16);
    bench_arrive(bench, frame, bench_udp(frame, 9000, 7, 8, -1));
    bench_run(bench, 20 * SIM_US);
    for (unsigned i = 0; i < 5; i++) {
        cr_assert(bench_receive(bench, 0, &done, data));
        cr_expect(eq(u16, done.length, i < 4 ? 2048 : 9000 - 4 * 2048));
        cr_expect(eq(u32, done.status & IXGBE_RX_EOP, i < 4 ? 0 : IXGBE_RX_EOP));
        cr_expect(eq(int, memcmp(data, frame + i * 2048, done.length), 0));
    }
    bench_check(bench);
}

Test(ixgbe_rx, frame_longer_than_the_limit_is_dropped)
{
    g_autoptr(Bench) bench = started(64);

    bench_arrive(bench, frame, bench_udp(frame, 1518, 7, 8, 5)); /* tagged: 1522 is fine */
    bench_arrive(bench, frame, bench_udp(frame, 1515, 7, 8, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u32, bench_read(bench, 0x40ac), 1), "ROC");
    cr_expect(bench_receive(bench, 0, &done, NULL));
    cr_expect(not(bench_receive(bench, 0, &done, NULL)));
    bench_check(bench);
}

/* Microsoft's verification suite. */
static void set_key(Bench *bench)
{
    static const uint8_t key[40] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

    for (unsigned i = 0; i < 10; i++) {
        bench_write(bench, 0x5c80 + i * 4,
                    key[i * 4] | key[i * 4 + 1] << 8 | key[i * 4 + 2] << 16 |
                        (uint32_t)key[i * 4 + 3] << 24);
    }
}

Test(ixgbe_rss, toeplitz_check_vector)
{
    static const uint8_t tuple[12] = {66,  9,  149,       187,        161,       142,
                                      100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255};
    g_autoptr(Bench) bench = bench_new();

    set_key(bench);
    cr_expect(eq(u32, ixgbe_model_toeplitz(bench->model, tuple, 12), 0x51ccc178));
    cr_expect(eq(u32, ixgbe_model_toeplitz(bench->model, tuple, 8), 0x323e8fc2));
}

static void set_rss(Bench *bench, unsigned queues, uint32_t fields)
{
    set_key(bench);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t value = 0;
        for (unsigned b = 0; b < 4; b++) {
            value |= (i * 4 + b) % queues << b * 8;
        }
        bench_write(bench, 0x5c00 + i * 4, value);
    }
    bench_write(bench, 0x5000, 1u << 13);
    bench_write(bench, 0x5818, fields | 1);
}

Test(ixgbe_rss, ports_spread_over_queues_when_udp_is_enabled)
{
    g_autoptr(Bench) bench = bench_new();
    unsigned filled = 0;

    bench_start(bench);
    for (unsigned q = 0; q < 4; q++) {
        bench_rx_ring(bench, q, 256);
    }
    set_rss(bench, 4, 1u << 22 | 1u << 17);
    for (unsigned i = 0; i < 200; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, 1000 + i, 8, -1));
    }
    bench_run(bench, 100 * SIM_US);
    for (unsigned q = 0; q < 4; q++) {
        unsigned n = 0;
        for (; bench_receive(bench, q, &done, NULL); n++) {
            cr_expect(eq(u32, done.type & 0xf, IXGBE_RSS_UDPV4));
            cr_expect(eq(u32, done.hash % 4, q));
        }
        filled += n > 20;
    }
    cr_expect(eq(u32, filled, 4));
    bench_check(bench);
}

Test(ixgbe_rss, addresses_alone_without_udp)
{
    g_autoptr(Bench) bench = started(256);

    bench_rx_ring(bench, 1, 256);
    set_rss(bench, 1, 0x00330000);
    for (unsigned i = 0; i < 2; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, 1000 + i, 8, -1));
    }
    bench_run(bench, 100 * SIM_US);
    cr_assert(bench_receive(bench, 0, &done, NULL));
    uint32_t hash = done.hash;
    cr_assert(bench_receive(bench, 0, &done, NULL));
    cr_expect(eq(u32, done.hash, hash));
    cr_expect(eq(u32, done.type & 0xf, IXGBE_RSS_IPV4));
}

/* By the formula of the data sheet: received TCPv4 10.0.0.1:1000 → 10.0.0.2:2000, untagged. */
static void tcp(uint8_t *to)
{
    bench_udp(to, 60, 1000, 2000, -1);
    to[23] = 6;
    to[46] = 0x50;
}

Test(ixgbe_director, signature_check_vector)
{
    g_autoptr(Bench) bench = bench_new();
    IxgbeParsed parsed;

    tcp(frame);
    ixgbe_model_parse(bench->model, frame, 60, &parsed);
    cr_expect(eq(u32, ixgbe_model_director_hash(bench->model, frame, &parsed), 0x38fe2c19));
}

Test(ixgbe_director, filter_written_as_linux_does_steers)
{
    g_autoptr(Bench) bench = started(64);

    bench_rx_ring(bench, 40, 64);
    bench_write(bench, 0xee00, 0x4a060001);
    cr_expect(eq(u32, bench_read(bench, 0xee00) >> 3 & 1, 1), "INIT_DONE");
    /* Add, valid, update, TCP, last, queue enable: one 64-bit store. */
    ixgbe_model_mmio_write(
        bench->model, 0xee28,
        ((uint64_t)(0x1 | 0x8 | 2 << 5 | 1 << 11 | 1 << 15 | 40 << 16) << 32) | 0x38fe2c19, 8);
    cr_expect(eq(u32, bench_read(bench, 0xee2c) & 3, 0), "the command is over");
    tcp(frame);
    bench_arrive(bench, frame, 60);
    bench_udp(frame, 60, 1000, 2000, -1);
    bench_arrive(bench, frame, 60);
    bench_run(bench, 20 * SIM_US);
    cr_expect(bench_receive(bench, 40, &done, NULL));
    cr_expect(bench_receive(bench, 0, &done, NULL), "another protocol is another flow");
    cr_expect(eq(u32, bench_read(bench, 0xee58), 1), "match");
    cr_expect(eq(u32, bench_read(bench, 0xee5c), 1), "miss");
    cr_expect(eq(u32, bench_read(bench, 0xee38), 8191), "free");
}

/* As `ethtool -N eth0 flow-type udp4 src-ip 10.0.0.1 dst-port 80 action 9` has Linux write it. */
Test(ixgbe_director, perfect_filter_compares_under_masks)
{
    g_autoptr(Bench) bench = started(64);

    bench_rx_ring(bench, 9, 64);
    bench_write(bench, 0xee00, 0x4a067f11);
    bench_write(bench, 0xee70, 0x37);       /* VLAN, pool, flexible bytes and IPv6 are ignored */
    bench_write(bench, 0xee48, 0x0000ffff); /* the source port too */
    bench_write(bench, 0xee40, 0);
    bench_write(bench, 0xee3c, UINT32_MAX); /* and the destination address */
    bench_write(bench, 0xee18, 0x0100000a);
    bench_write(bench, 0xee20, 80u << 16);
    bench_write(bench, 0xee28, 5u << 16 | 0x123);
    bench_write(bench, 0xee2c, 1 | 1 << 3 | 1 << 5 | 1 << 11 | 1 << 15 | 9 << 16);
    cr_expect(eq(u32, bench_read(bench, 0xee38), 2045), "free");
    bench_arrive(bench, frame, bench_udp(frame, 60, 4000, 80, -1));
    bench_arrive(bench, frame, bench_udp(frame, 60, 4000, 81, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(bench_receive(bench, 9, &done, NULL));
    cr_expect(bench_receive(bench, 0, &done, NULL));
    bench_write(bench, 0xee2c, 2);
    bench_udp(frame, 60, 4000, 80, -1);
    bench_arrive(bench, frame, 60);
    bench_run(bench, 20 * SIM_US);
    cr_expect(not(bench_receive(bench, 9, &done, NULL)), "removed");
    cr_expect(eq(u32, bench_read(bench, 0xee50), 0x10001), "one added, one removed");
}

Test(ixgbe_filter, five_tuple_steers)
{
    g_autoptr(Bench) bench = started(64);

    bench_rx_ring(bench, 5, 64);
    bench_write(bench, 0xe400 + 4 * 7, 0x2823); /* source port 9000 in network order */
    bench_write(bench, 0xe600 + 4 * 7, 1u << 31 | 1 | 1 << 2 | (1 | 2 | 8) << 25);
    bench_write(bench, 0xe800 + 4 * 7, 5u << 21);
    bench_arrive(bench, frame, bench_udp(frame, 60, 9000, 1, -1));
    bench_arrive(bench, frame, bench_udp(frame, 60, 9001, 1, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(bench_receive(bench, 5, &done, NULL));
    cr_expect(bench_receive(bench, 0, &done, NULL));
}

Test(ixgbe_filter, addresses)
{
    g_autoptr(Bench) bench = started(64);
    static const uint8_t group[6] = {1, 0, 0x5e, 1, 2, 3};
    unsigned vector = 0x03 << 4 | 0x02 >> 4;

    bench_write(bench, 0x5080, 0);
    bench_udp(frame, 60, 1, 1, -1);
    bench_arrive(bench, frame, 60); /* broadcast: not accepted */
    memcpy(frame, ixgbe_model_mac(bench->model), 6);
    bench_arrive(bench, frame, 60); /* ours */
    frame[5] ^= 1;
    bench_arrive(bench, frame, 60); /* not ours */
    memcpy(frame, group, 6);
    bench_arrive(bench, frame, 60); /* not in the table */
    bench_run(bench, SIM_US);
    bench_write(bench, 0x5090, 4);
    bench_write(bench, 0x5200 + vector / 32 * 4, 1u << vector % 32);
    bench_arrive(bench, frame, 60); /* in it */
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_dropped_filtered], 3));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_frames_delivered], 2));
    bench_check(bench);
}

Test(ixgbe_filter, vlan_table)
{
    g_autoptr(Bench) bench = started(64);

    bench_write(bench, 0x5088, 1u << 30 | 0x8100);
    bench_write(bench, 0xa000 + 1000 / 32 * 4, 1u << 1000 % 32);
    bench_arrive(bench, frame, bench_udp(frame, 64, 1, 1, 1000));
    bench_arrive(bench, frame, bench_udp(frame, 64, 1, 1, 1001));
    bench_arrive(bench, frame, bench_udp(frame, 64, 1, 1, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_frames_delivered], 2));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_dropped_filtered], 1));
}

/* [82599 §7.1.9, §8.2.3.23] */
Test(ixgbe_rx, no_descriptor_and_drop_enable_counts_in_the_mapped_set)
{
    g_autoptr(Bench) bench = started(8);

    bench_write(bench, 0x2100, 0x12000002);
    bench_write(bench, 0x2300, 3); /* queue 0 counts in set 3 */
    for (unsigned i = 0; i < 10; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, 1, 1, -1));
    }
    bench_run(bench, 50 * SIM_US);
    cr_expect(eq(u32, bench_read(bench, 0x1430 + 3 * 0x40), 3), "QPRDC(3)");
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_frames_delivered], 7));
    bench_check(bench);
}

Test(ixgbe_rx, without_drop_enable_one_queue_stops_all)
{
    g_autoptr(Bench) bench = started(8);

    bench_rx_ring(bench, 5, 64);
    bench_write(bench, 0xe400, 0x0100); /* source port 1 → queue 5 */
    bench_write(bench, 0xe600, 1u << 31 | 1 | (1 | 2 | 8) << 25);
    bench_write(bench, 0xe800, 5u << 21);
    for (unsigned i = 0; i < 9; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, 2, 1, -1));
    }
    bench_arrive(bench, frame, bench_udp(frame, 60, 1, 1, -1));
    bench_run(bench, 50 * SIM_US);
    cr_expect(not(bench_receive(bench, 5, &done, NULL)), "it waits behind queue 0");
    for (unsigned i = 0; i < 7; i++) {
        cr_expect(bench_receive(bench, 0, &done, NULL));
    }
    bench_refill(bench, 0);
    bench_run(bench, 50 * SIM_US);
    cr_expect(bench_receive(bench, 5, &done, NULL));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_frames_delivered], 10));
    bench_check(bench);
}

Test(ixgbe_rx, full_packet_buffer_counts_missed)
{
    g_autoptr(Bench) bench = started(8);
    const unsigned hold = (512 << 10) / 64;

    for (unsigned i = 0; i < hold + 7 + 5; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, 2, 1, -1));
    }
    bench_run(bench, 2 * SIM_MS);
    cr_expect(eq(u32, bench_read(bench, 0x3fa0), 5), "MPC(0)");
    cr_expect(eq(u32, bench_read(bench, 0x808) >> 17 & 1, 1), "EICR.RX_MISS");
    bench_check(bench);
}

Test(ixgbe_rx, disabled_queue_writes_no_more)
{
    g_autoptr(Bench) bench = started(64);

    bench_arrive(bench, frame, bench_udp(frame, 60, 2, 1, -1));
    bench_run(bench, 200 * SIM_NS); /* the descriptor is being read */
    bench_write(bench, 0x1028, 0);
    cr_expect(eq(u32, bench_read(bench, 0x1028) >> 25, 0));
    bench_run(bench, 20 * SIM_US);
    cr_expect(not(bench_receive(bench, 0, &done, NULL)));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_dropped_queue], 1));
    bench_check(bench);
}

Test(ixgbe_rx, ring_wraps)
{
    g_autoptr(Bench) bench = started(8);

    for (unsigned i = 0; i < 100; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, i, 1, -1));
        bench_run(bench, 10 * SIM_US);
        cr_assert(bench_receive(bench, 0, &done, data), "frame %u", i);
        cr_expect(eq(u8, data[35], (uint8_t)i));
        bench_refill(bench, 0);
    }
}

/* A function level reset by Linux: mastery goes first, with frames on their way to memory. */
Test(ixgbe_rx, frames_under_way_when_bus_mastery_goes_are_dropped_and_nobody_is_accused)
{
    g_autoptr(Bench) bench = started(64);

    for (unsigned i = 0; i < 3; i++) {
        bench_arrive(bench, frame, bench_udp(frame, 60, i, 1, -1));
    }
    bench_run(bench, 200 * SIM_NS); /* the descriptors are being read */
    ixgbe_model_bus_master(bench->model, false);
    bench_run(bench, SIM_MS);
    cr_expect(eq(u32, bench_violations(bench), 0));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_dma_errors], 0));
    cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_frames_delivered], 0));
    cr_expect(gt(u64, bench->model->counts[IXGBE_DEVICE_dropped_disabled], 0));
    bench_check(bench);
    ixgbe_model_reset(bench->model);
    ixgbe_model_bus_master(bench->model, true);
    bench_run(bench, SIM_MS);
    bench_check(bench);
}

Test(ixgbe_rx, ring_where_no_memory_is)
{
    g_autoptr(Bench) bench = started(8);

    bench_write(bench, 0x1028, 0);
    bench_write(bench, 0x1004, 0);
    bench_write(bench, 0x1028, 1u << 25);
    bench_write(bench, 0x1018, 7);
    bench_arrive(bench, frame, bench_udp(frame, 60, 2, 1, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(u32, bench_violations(bench), 1));
    bench_check(bench);
}
