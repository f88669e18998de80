/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes of partial cache lines: which they are, and what they hold up. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include "pcie/pcie-link.h"

#define LINE (100 * SIM_NS) /* far more than a TLP's time on the wire */
enum { CREDITS = 4 };

typedef struct Bench {
    SimQueue *queue;
    PcieLink *link;
    PcieFunction *function, *other; /* the second one has no partial lines */
} Bench;

static Bench bench_new(void)
{
    static const PcieParams slot = {.generation = 2,
                                    .lanes = 8,
                                    .max_payload = 128,
                                    .max_read_request = 512,
                                    .rcb = 64,
                                    .tags = 32,
                                    .posted_credits = CREDITS,
                                    .read_latency_ps = 500 * SIM_NS,
                                    .write_latency_ps = 10 * SIM_NS};
    Bench bench;

    bench.queue = sim_queue_new();
    bench.link = pcie_link_new(bench.queue, "slot0", &slot);
    bench.function = pcie_function_new(bench.link, &(PcieFunctionParams){.partial_line_ps = LINE});
    bench.other = pcie_function_new(bench.link, &(PcieFunctionParams){0});
    return bench;
}

static void bench_free(Bench *bench)
{
    cr_expect(pcie_link_check(bench->link, NULL));
    pcie_function_free(bench->function);
    pcie_function_free(bench->other);
    pcie_link_free(bench->link);
    sim_queue_free(bench->queue);
}

static SimTime write_at(PcieFunction *function, uint64_t address, uint64_t bytes, SimTime from)
{
    return pcie_dma_write(function, PCIE_FOR_RX_DATA, address, bytes, from);
}

Test(pcie_posted, lines_covered_in_part)
{
    static const struct {
        uint64_t address, bytes;
        unsigned lines;
    } rows[] = {{0, 64, 0},   {0, 128, 0},   {0, 60, 1},    {0, 56, 1},  {0, 68, 1},
                {4, 60, 1},   {4, 56, 1},    {60, 8, 2},    {60, 68, 1}, {32, 64, 2},
                {32, 128, 2}, {0, 1514, 1},  {16, 16, 1},   {48, 16, 1}, {63, 1, 1},
                {0, 0, 0},    {64, 4096, 0}, {65, 4096, 2}, {5, 1, 1},   {0x100000010, 16, 1}};

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        cr_expect(eq(u32, pcie_partial_lines(rows[i].address, rows[i].bytes), rows[i].lines),
                  "row %u", (unsigned)i);
    }
}

/* 4 bytes a nanosecond and 20 bytes of header: 60 bytes take 20 ns, 64 take 21. */
Test(pcie_posted, a_partial_line_is_late_by_its_time)
{
    Bench bench = bench_new();

    cr_expect(eq(u64, write_at(bench.function, 0, 60, 0), 20 * SIM_NS + LINE + 10 * SIM_NS));
    cr_expect(eq(u64, write_at(bench.function, 0, 64, SIM_US), SIM_US + 31 * SIM_NS),
              "a whole one");
    cr_expect(eq(u64, write_at(bench.function, 32, 64, 2 * SIM_US),
                 2 * SIM_US + 21 * SIM_NS + 2 * LINE + 10 * SIM_NS),
              "first and last line");
    cr_expect(eq(u64, write_at(bench.other, 0, 60, 4 * SIM_US), 4 * SIM_US + 30 * SIM_NS),
              "a function that does not pay");
    bench_free(&bench);
}

/* What the root complex holds goes on the wire at once; all else at the rate of the memory. */
Test(pcie_posted, credits_hold_writes_back)
{
    enum { WRITES = 40 };
    Bench bench = bench_new();
    SimTime done = 0;

    for (unsigned i = 0; i < WRITES; i++) {
        done = write_at(bench.function, 0, 60, 0);
    }
    cr_expect(eq(u64, done, 20 * SIM_NS + WRITES * LINE + 10 * SIM_NS));
    /* A read and a message that are asked for now stay behind the last write, which has left with
     * CREDITS others in the root complex. */
    cr_expect(ge(u64, pcie_message(bench.function, 0), (WRITES - CREDITS) * LINE));
    cr_expect(ge(u64, pcie_dma_read(bench.other, PCIE_FOR_TX_DATA, 0, 64, 0),
                 (WRITES - CREDITS) * LINE + 500 * SIM_NS),
              "of the other function too: they share the link");
    /* Whole lines that are asked for later wait for nothing. */
    cr_expect(eq(u64, write_at(bench.function, 0, 64, 100 * LINE), 100 * LINE + 31 * SIM_NS));
    bench_free(&bench);
}

/* A read does not pass a write: the memory is done with the line first. */
Test(pcie_posted, read_waits_for_the_write_before_it)
{
    Bench bench = bench_new();
    SimTime apart = pcie_dma_read(bench.function, PCIE_FOR_TX_DATA, 0, 64, 0), behind;

    sim_queue_advance(bench.queue, 10 * SIM_US);
    write_at(bench.function, 0, 60, 10 * SIM_US);
    behind = pcie_dma_read(bench.function, PCIE_FOR_TX_DATA, 0, 64, 10 * SIM_US);
    cr_expect(eq(u64, behind, 10 * SIM_US + 20 * SIM_NS + LINE + apart - 5 * SIM_NS));
    bench_free(&bench);
}

/* A write promised for later does not hold up one now. */
Test(pcie_posted, later_write_holds_up_none_before_it)
{
    Bench bench = bench_new();

    for (unsigned i = 0; i < 20; i++) {
        write_at(bench.function, 0, 60, SIM_US);
    }
    cr_expect(eq(u64, write_at(bench.function, 0, 60, 0), 30 * SIM_NS + LINE));
    bench_free(&bench);
}
