/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PCIe ledger of one command, every TLP counted by hand.
 * Slot of the bench: Gen3 x4, MPS 128, MRRS 512, RCB 64.  A TLP weighs its payload + 20 (3-DW
 * header: below 4 GiB, completions, what the host sends) or + 24 (4-DW).  [PCIe-3.0 §2.2] */
#include "bench.h"

typedef struct Row {
    PciePurpose purpose;
    PcieDirection direction;
    PcieTlpType type;
    uint64_t tlps, payload, wire;
} Row;

/* Counts of all purposes but registers and admin, between two calls. */
static void ledger(Bench *bench, PcieCount counts[PCIE_PURPOSES][PCIE_DIRECTIONS][PCIE_TLP_TYPES])
{
    for (unsigned p = 0; p < PCIE_PURPOSES; p++) {
        for (unsigned d = 0; d < PCIE_DIRECTIONS; d++) {
            for (unsigned t = 0; t < PCIE_TLP_TYPES; t++) {
                counts[p][d][t] = bench_count(bench, p, d, t);
            }
        }
    }
}

/* Every row that is not in @rows must be empty. */
static void expect(Bench *bench, PcieCount before[PCIE_PURPOSES][PCIE_DIRECTIONS][PCIE_TLP_TYPES],
                   const Row *rows, unsigned n)
{
    for (unsigned p = 0; p < PCIE_PURPOSES; p++) {
        for (unsigned d = 0; d < PCIE_DIRECTIONS; d++) {
            for (unsigned t = 0; t < PCIE_TLP_TYPES; t++) {
                PcieCount now = bench_count(bench, p, d, t);
                Row row = {p, d, t, 0, 0, 0};
                for (unsigned i = 0; i < n; i++) {
                    if (rows[i].purpose == p && rows[i].direction == d && rows[i].type == t) {
                        row = rows[i];
                    }
                }
                cr_expect(eq(u64, now.tlps - before[p][d][t].tlps, row.tlps), "%s %s %s TLPs",
                          pcie_purpose_name(p), pcie_direction_name(d), pcie_tlp_type_name(t));
                cr_expect(eq(u64, now.payload_bytes - before[p][d][t].payload_bytes, row.payload),
                          "%s %s %s payload", pcie_purpose_name(p), pcie_direction_name(d),
                          pcie_tlp_type_name(t));
                cr_expect(eq(u64, now.wire_bytes - before[p][d][t].wire_bytes, row.wire),
                          "%s %s %s wire", pcie_purpose_name(p), pcie_direction_name(d),
                          pcie_tlp_type_name(t));
            }
        }
    }
}

#define UP PCIE_UPSTREAM
#define DOWN PCIE_DOWNSTREAM

/* What each command has: two doorbells, its SQE, its CQE, its message. */
#define COMMON                                                                                     \
    {PCIE_FOR_DOORBELL, DOWN, PCIE_MWR, 2, 8, 2 * 24}, /* SQ tail, CQ head: 4 + 20 */              \
        {PCIE_FOR_SQE, UP, PCIE_MRD, 1, 0, 20},        /* one read of 64 bytes */                  \
        {PCIE_FOR_SQE, DOWN, PCIE_CPLD, 1, 64, 84},    /* in one completion: 64 + 20 */            \
        {PCIE_FOR_CQE, UP, PCIE_MWR, 1, 16, 36},       /* 16 + 20 */                               \
    {                                                                                              \
        PCIE_FOR_MSIX, UP, PCIE_MWR, 1, 4, 24                                                      \
    } /* 4 + 20 */

static PcieCount before[PCIE_PURPOSES][PCIE_DIRECTIONS][PCIE_TLP_TYPES];

static void run(Bench *bench, NvmeSqe sqe, const Row *rows, unsigned n)
{
    bench_start(bench, 64);
    ledger(bench, before);
    cr_assert(eq(uint, bench_code(bench_command(bench, 1, 1, sqe)), 0));
    bench_run(bench, SIM_MS);
    expect(bench, before, rows, n);
    bench_check(bench);
}

Test(nvme_link, read_of_4_kib)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const Row rows[] = {
        COMMON, {PCIE_FOR_DATA, UP, PCIE_MWR, 32, 4096, 32 * 148}, /* 4096 / MPS 128; 128 + 20 */
    };

    run(bench, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0), rows, G_N_ELEMENTS(rows));
}

Test(nvme_link, read_of_4_kib_above_4_gib)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const Row rows[] = {
        COMMON, {PCIE_FOR_DATA, UP, PCIE_MWR, 32, 4096, 32 * 152}, /* 4-DW headers: 128 + 24 */
    };

    run(bench, bench_io(NVME_IO_READ, 0, 8, BENCH_HIGH, 0), rows, G_N_ELEMENTS(rows));
}

Test(nvme_link, read_of_128_kib)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const Row rows[] = {
        COMMON,
        {PCIE_FOR_PRP_LIST, UP, PCIE_MRD, 1, 0, 20}, /* 31 entries = 248 bytes, below MRRS */
        {PCIE_FOR_PRP_LIST, DOWN, PCIE_CPLD, 2, 248, 248 + 2 * 20}, /* 128 + 120 */
        {PCIE_FOR_DATA, UP, PCIE_MWR, 1024, 131072, 1024 * 148},
    };

    for (unsigned i = 0; i < 31; i++) {
        *(uint64_t *)bench_memory(bench, BENCH_LIST + i * 8, 8) = BENCH_DATA + 4096 * (i + 1);
    }
    run(bench, bench_io(NVME_IO_READ, 0, 256, BENCH_DATA, BENCH_LIST), rows, G_N_ELEMENTS(rows));
}

Test(nvme_link, write_of_4_kib)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const Row rows[] = {
        COMMON,
        {PCIE_FOR_DATA, UP, PCIE_MRD, 8, 0, 8 * 20},          /* 4096 / MRRS 512 */
        {PCIE_FOR_DATA, DOWN, PCIE_CPLD, 32, 4096, 32 * 148}, /* completions of MPS 128 */
    };

    run(bench, bench_io(NVME_IO_WRITE, 0, 8, BENCH_DATA, 0), rows, G_N_ELEMENTS(rows));
}

/* Two pages, the first from 0x1c4 on: the write-out of each is split on its own. */
Test(nvme_link, read_of_4_kib_unaligned)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const Row rows[] = {
        COMMON,
        /* 0x1c4 … 0xfff: 3644 bytes, 29 TLPs (the first to the next 128-byte line); then 452 bytes,
           4 TLPs */
        {PCIE_FOR_DATA, UP, PCIE_MWR, 33, 4096, 4096 + 33 * 20},
    };

    run(bench, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA + 0x1c4, BENCH_DATA + 4096), rows,
        G_N_ELEMENTS(rows));
}

/* Four entries in one fetch. */
Test(nvme_link, burst_of_entries)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    PcieCount fetches;

    bench_start(bench, 64);
    fetches = bench_count(bench, PCIE_FOR_SQE, UP, PCIE_MRD);
    for (unsigned i = 0; i < 4; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
    bench_run(bench, SIM_MS);
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_SQE, UP, PCIE_MRD).tlps - fetches.tlps, 1));
    cr_expect(eq(u64, bench->model->sq_counts[1][NVME_SQ_sqe_fetches], 1));
    cr_expect(eq(u64, bench->model->sq_counts[1][NVME_SQ_commands_fetched], 4));
    cr_expect(eq(u64, bench->model->sq_counts[1][NVME_SQ_doorbell_writes], 1));
}

Test(nvme_link, register_reads_are_charged)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_read(bench, 0x1c, 4);
    bench_read(bench, 0, 8);
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_REGISTER, DOWN, PCIE_MRD).tlps, 2));
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_REGISTER, UP, PCIE_CPLD).payload_bytes, 12));
}
