/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why more rings cost more: at the same offered load each has fewer descriptors ready at a
 * write-back.  And what an interrupt and a stripped tag do to that. */
#include "bench.h"
#include <stdio.h>

enum { ENTRIES = 256 };

typedef struct Outcome {
    uint64_t received, dropped;
    uint64_t per_writeback_thousandths, up_per_packet_thousandths;
    uint64_t interrupts;
} Outcome;

/* Source port 9 + q goes to ring q, by 5-tuple filters. */
static void steer(Bench *bench, unsigned rings)
{
    for (unsigned q = 0; q < rings; q++) {
        unsigned port = 9 + q;
        bench_rx_ring(bench, q, ENTRIES);
        bench_write(bench, 0x2f04, q << 8 | 1u << 16 | 1); /* drop */
        bench_write(bench, 0xe400 + 4 * q, (port >> 8 | port << 8) & 0xffff);
        bench_write(bench, 0xe800 + 4 * q, q << 21);
        bench_write(bench, 0xe600 + 4 * q, 1u << 31 | 1 | (1 | 2 | 8) << 25);
    }
}

static uint64_t sum(Bench *bench, unsigned rings, IxgbeRingCounter counter)
{
    uint64_t all = 0;

    for (unsigned q = 0; q < rings; q++) {
        all += bench->model->rx[q].counts[counter];
    }
    return all;
}

/* @packets of 64 bytes at @rate over @rings; a driver polls each ring once a @poll. */
static Outcome offer(Bench *bench, unsigned rings, uint64_t rate, unsigned packets, SimTime poll)
{
    IxgbeRxWriteback done;
    Outcome outcome = {0};
    uint64_t up;
    SimTime end = packets * (rate == 0 ? 67200 : SIM_S / rate) + 50 * SIM_US;

    steer(bench, rings);
    up = bench_bytes(bench, PCIE_UPSTREAM);
    bench_tester(bench, &(WireTesterParams){.frames_per_s = rate,
                                            .frames = packets,
                                            .seed = 1, /* rings in no order */
                                            .source_port = 9,
                                            .source_ports = rings});
    for (end += sim_queue_now(bench->queue); sim_queue_now(bench->queue) < end;) {
        bench_run(bench, poll);
        for (unsigned q = 0; q < rings; q++) {
            bool any = false;
            for (; bench_receive(bench, q, &done, NULL); any = true) {
                outcome.received++;
            }
            if (any) {
                bench_refill(bench, q);
            }
        }
    }
    outcome.dropped = packets - outcome.received;
    outcome.per_writeback_thousandths = sum(bench, rings, IXGBE_RING_rx_descriptors) * 1000 /
                                        sum(bench, rings, IXGBE_RING_rx_writebacks);
    outcome.up_per_packet_thousandths =
        (bench_bytes(bench, PCIE_UPSTREAM) - up) * 1000 / outcome.received;
    outcome.interrupts = bench->model->counts[IXGBE_DEVICE_interrupts];
    return outcome;
}

static Bench *polled(const char *change, const char *another)
{
    Bench *bench = bench_new_with("82599es", change, another, NULL);

    bench_start(bench);
    bench_write(bench, 0xab0, UINT32_MAX);
    bench_write(bench, 0xab4, UINT32_MAX);
    return bench;
}

Test(ixgbe_mechanism, more_rings_fewer_descriptors_per_writeback_more_bytes)
{
    Outcome last = {0};

    printf("rings  descriptors/write-back  bytes up/packet  dropped\n");
    for (unsigned rings = 1; rings <= 64; rings *= 2) {
        g_autoptr(Bench) bench = polled("rx-writeback-hold=1us", NULL);
        Outcome now = offer(bench, rings, 10000000, 20000, 5 * SIM_US);
        printf("%5u  %22.3f  %15.3f  %7u\n", rings, (double)now.per_writeback_thousandths / 1000,
               (double)now.up_per_packet_thousandths / 1000, (unsigned)now.dropped);
        cr_expect(eq(u64, now.dropped, 0), "%u rings", rings);
        if (rings > 1) {
            cr_expect(lt(u64, now.per_writeback_thousandths, last.per_writeback_thousandths),
                      "%u rings", rings);
            cr_expect(gt(u64, now.up_per_packet_thousandths, last.up_per_packet_thousandths),
                      "%u rings", rings);
        } else {
            cr_expect(gt(u64, now.per_writeback_thousandths, 7000), "one ring: whole batches");
        }
        last = now;
        bench_check(bench);
    }
    cr_expect(le(u64, last.per_writeback_thousandths, 1200), "64 rings: nearly one by one");
}

/* Gen1 x4 carries a byte a nanosecond: 7.8 million packets a second as long as descriptors go out
 * in batches, since a packet then costs 127 bytes up; one by one it costs 148, and 6.7 are the end.
 */
Test(ixgbe_mechanism, at_the_links_limit_more_rings_carry_less)
{
    enum { PACKETS = 40000 };
    uint64_t last = PACKETS;

    printf("rings  received of %u at line rate over 2.5 GT/s x4\n", PACKETS);
    for (unsigned rings = 1; rings <= 64; rings *= 4) {
        g_autoptr(Bench) bench = polled("pci.generation=1", "pci.lanes=4");
        Outcome now = offer(bench, rings, 0, PACKETS, 5 * SIM_US);
        printf("%5u  %8u\n", rings, (unsigned)now.received);
        cr_expect(lt(u64, now.received, last), "%u rings", rings);
        last = now.received;
        bench_check(bench);
    }
}

/* Each frame of 64 bytes is 60 in memory: a partial line, and its descriptor's write is mostly
 * another.  The wire gives a frame each 67 ns. */
Test(ixgbe_mechanism, partial_lines_bound_the_rate)
{
    static const char *const costs[] = {"0s", "20ns", "40ns", "80ns"};
    enum { PACKETS = 40000 };
    uint64_t received[G_N_ELEMENTS(costs)];

    printf("partial line  received of %u at line rate over 16 rings\n", PACKETS);
    for (unsigned i = 0; i < G_N_ELEMENTS(costs); i++) {
        g_autofree char *change = g_strdup_printf("partial-line=%s", costs[i]);
        g_autoptr(Bench) bench = polled(change, NULL);
        received[i] = offer(bench, 16, 0, PACKETS, 5 * SIM_US).received;
        printf("%12s  %8u\n", costs[i], (unsigned)received[i]);
        bench_check(bench);
    }
    cr_expect(eq(u64, received[0], PACKETS));
    cr_expect(lt(u64, received[1], PACKETS),
              "reads wait behind such writes: the 16 tags tell it first");
    cr_expect(lt(u64, received[2], received[1]));
    cr_expect(lt(u64, received[3], received[2]));
}

/* With the CRC kept, 64 bytes are a whole line: only the descriptors' writes cost. */
Test(ixgbe_mechanism, whole_lines_cost_memory_nothing)
{
    uint64_t received[2];

    for (unsigned keep = 0; keep < 2; keep++) {
        g_autoptr(Bench) bench = polled("partial-line=60ns", NULL);
        bench_write(bench, 0x4240, keep ? 0x401 : 0x403);
        received[keep] = offer(bench, 16, 0, 40000, 5 * SIM_US).received;
    }
    cr_expect(lt(u64, received[0], 38000), "%u", (unsigned)received[0]);
    cr_expect(eq(u64, received[1], 40000));
}

Test(ixgbe_mechanism, line_rate_reaches_memory)
{
    g_autoptr(Bench) bench = polled("rx-fetch-group=1", NULL);
    Outcome now = offer(bench, 2, 0, 100000, 5 * SIM_US);

    cr_expect(eq(u64, now.dropped, 0));
    bench_check(bench);
}

Test(ixgbe_mechanism, interrupt_flushes_what_is_ready)
{
    g_autoptr(Bench) bench = bench_new_with("82599es", "rx-writeback-hold=500us", NULL);
    static uint8_t frame[64];
    IxgbeRxWriteback done;

    bench_start(bench);
    bench_rx_ring(bench, 0, 64);
    bench_arrive(bench, frame, bench_udp(frame, 60, 1, 2, -1));
    bench_run(bench, 100 * SIM_US);
    cr_expect(not(bench_receive(bench, 0, &done, NULL)), "held");
    bench_write(bench, 0xa90, 1); /* EICS_EX: vector 0 */
    bench_run(bench, SIM_US);
    cr_expect(bench_receive(bench, 0, &done, NULL), "long before the hold is over");
    cr_expect(eq(u64, bench->model->rx[0].counts[IXGBE_RING_rx_wb_interrupt], 1));
}

/* The shorter the interval between interrupts, the more of the write-backs are theirs and the fewer
 * descriptors each has. */
Test(ixgbe_mechanism, shorter_interval_more_flushes)
{
    static const unsigned intervals_us[] = {2, 10, 25, 50, 100, 250};
    Outcome last = {0};
    uint64_t last_share = UINT64_MAX;

    printf("interval  interrupts  of write-backs by interrupt  descriptors/write-back\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(intervals_us); i++) {
        g_autoptr(Bench) bench = bench_new_with("82599es", "rx-writeback-hold=2us", NULL);
        uint64_t share;
        Outcome now;
        bench_start(bench);
        bench_write(bench, 0x820, intervals_us[i] * 4);
        now = offer(bench, 1, 3000000, 20000, 5 * SIM_US);
        share = sum(bench, 1, IXGBE_RING_rx_wb_interrupt) * 1000000 /
                sum(bench, 1, IXGBE_RING_rx_writebacks);
        printf("%5u us  %10u  %24.4f %%  %22.3f\n", intervals_us[i], (unsigned)now.interrupts,
               (double)share / 10000, (double)now.per_writeback_thousandths / 1000);
        cr_expect(lt(u64, share, last_share), "%u us", intervals_us[i]);
        cr_expect(ge(u64, now.per_writeback_thousandths, last.per_writeback_thousandths), "%u us",
                  intervals_us[i]);
        last = now;
        last_share = share;
    }
}

Test(ixgbe_mechanism, eitr_spaces_interrupts)
{
    g_autoptr(Bench) bench = bench_new();

    bench_start(bench);
    bench_write(bench, 0x820, 100); /* 25 us */
    offer(bench, 1, 1000000, 1000, SIM_US);
    cr_expect(bench->raised_n >= 38 && bench->raised_n <= 45, "%u in 1 ms", bench->raised_n);
}

/* 64 bytes with a tag become 60 without CRC, and 56 when it is stripped. */
Test(ixgbe_mechanism, strip_makes_partial_lines)
{
    static const struct {
        size_t bytes; /* of the frame without CRC, tag included */
        bool strip, keep_crc;
        unsigned written, partial; /* per frame, the descriptor's write apart */
    } rows[] = {{60, false, false, 60, 1},
                {60, true, false, 56, 1},
                {60, false, true, 64, 0},
                {64, false, false, 64, 0},
                {64, false, true, 68, 1}};
    static uint8_t frame[64];

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(Bench) bench = bench_new_with("82599es", "rx-writeback-hold=0s", NULL);
        uint64_t before;
        bench_start(bench);
        bench_rx_ring(bench, 0, 64);
        bench_write(bench, 0x1028, 1u << 25 | (rows[i].strip ? 1u << 30 : 0));
        bench_write(bench, 0x4240, rows[i].keep_crc ? 0x401 : 0x403);
        before = bench->model->counts[IXGBE_DEVICE_partial_line_writes];
        bench_arrive(bench, frame, bench_udp(frame, rows[i].bytes, 1, 2, 1000));
        bench_run(bench, 20 * SIM_US);
        cr_expect(eq(u64,
                     bench_count(bench, PCIE_FOR_RX_DATA, PCIE_UPSTREAM, PCIE_MWR).payload_bytes,
                     rows[i].written));
        cr_expect(eq(u64, bench->model->counts[IXGBE_DEVICE_partial_line_writes] - before,
                     rows[i].partial + 1),
                  "row %u", i);
    }
}

/* The same run twice: the same counters, to the last. */
Test(ixgbe_mechanism, repeatable)
{
    uint64_t counts[2][IXGBE_DEVICE_COUNTERS];

    for (unsigned i = 0; i < 2; i++) {
        g_autoptr(Bench) bench = bench_new();
        bench_start(bench);
        offer(bench, 8, 0, 20000, 3 * SIM_US);
        memcpy(counts[i], bench->model->counts, sizeof counts[i]);
    }
    cr_expect(eq(int, memcmp(counts[0], counts[1], sizeof counts[0]), 0));
}

/* --- Interrupts without MSI-X --- */

Test(ixgbe_irq, legacy_read_clears_and_masks)
{
    g_autoptr(Bench) bench = bench_new();
    static uint8_t frame[64];

    bench->mode = SIM_IRQ_INTX;
    bench_write(bench, 0x900, 0x8180); /* RX 0: bit 0, TX 0: bit 1 */
    bench_write(bench, 0x5080, 0x700);
    bench_write(bench, 0x3000, 1);
    bench_rx_ring(bench, 0, 64);
    bench_read(bench, 0x800); /* the link's change */
    bench_arrive(bench, frame, bench_udp(frame, 60, 1, 2, -1));
    bench_run(bench, 20 * SIM_US);
    cr_expect(not(bench->intx), "nothing is enabled");
    bench_write(bench, 0x880, 1);
    cr_expect(bench->intx);
    bench_write(bench, 0x890, 1); /* EIAM */
    cr_expect(eq(u32, bench_read(bench, 0x800), 1));
    cr_expect(not(bench->intx));
    cr_expect(eq(u32, bench_read(bench, 0x880), 0), "masked by the read");
    bench_write(bench, 0x808, 1); /* EICS sets the mask too */
    cr_expect(bench->intx);
}

Test(ixgbe_irq, other_causes_need_no_vector_bit)
{
    g_autoptr(Bench) bench = bench_new();

    bench_write(bench, 0x898, 0x10);
    bench_write(bench, 0xa00, 0x8500); /* other causes: vector 5 */
    bench_read(bench, 0x800);
    bench_write(bench, 0x880, 1u << 20);
    wire_end_set_light(wire_end(bench->wire, 1), false);
    cr_assert(eq(u32, bench->raised_n, 1));
    cr_expect(eq(u32, bench->raised[0], 5));
    cr_expect(eq(u32, bench_read(bench, 0x808), 1u << 20 | 1u << 31), "EICS shows, clears nothing");
    bench_write(bench, 0x800, 1u << 20);
    cr_expect(eq(u32, bench_read(bench, 0x808), 0));
}

Test(ixgbe_irq, masks_have_two_places)
{
    g_autoptr(Bench) bench = bench_new();

    bench_write(bench, 0x880, 0x00ff);
    cr_expect(eq(u32, bench_read(bench, 0xaa0), 0xff));
    bench_write(bench, 0xab0, 0x0f);
    cr_expect(eq(u32, bench_read(bench, 0x880), 0xf0));
    bench_write(bench, 0xaa4, 1u << 31);
    cr_expect(eq(u64, bench->model->masks_v, UINT64_C(1) << 63 | 0xf0));
}
