/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSI-X, MSI, INTx, coalescing.  [NVMe-1.1 §7.5, §5.12.1.8] */
#include "bench.h"

static void reads(Bench *bench, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, i, 1, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
}

Test(nvme_interrupts, one_message_a_command)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench_start(bench, 64);
    bench->raised_n = 0;
    reads(bench, 50);
    bench_run(bench, 10 * SIM_MS);
    cr_expect(eq(uint, bench->raised_n, 50));
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_MSIX, PCIE_UPSTREAM, PCIE_MWR).tlps, 52));
}

Test(nvme_interrupts, masked_message_is_counted_and_not_charged)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 64);
    bench->masked = true;
    reads(bench, 3);
    bench_run(bench, SIM_MS);
    cr_expect(eq(u64, bench->model->vectors[1].counts[NVME_VECTOR_masked], 3));
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_MSIX, PCIE_UPSTREAM, PCIE_MWR).tlps, 2));
}

/* The level follows the entries that are not released, and nothing else. */
Test(nvme_interrupts, intx_level)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    NvmeCqe cqe;

    bench->mode = SIM_IRQ_INTX;
    bench_enable(bench);
    cr_expect(not(bench->intx));
    bench_submit(bench, 0, (NvmeSqe){.opcode = 10, .cdw10 = 1});
    bench_submit(bench, 0, (NvmeSqe){.opcode = 10, .cdw10 = 1});
    bench_run(bench, SIM_MS);
    cr_expect(bench->intx);
    cr_expect(eq(uint, bench->intx_changes, 1));
    bench_write(bench, 0x0c, 1, 4);
    cr_expect(not(bench->intx), "masked by INTMS");
    bench_write(bench, 0x10, 1, 4);
    cr_expect(bench->intx);
    cr_expect(bench_reap(bench, 0, &cqe));
    bench_run(bench, SIM_MS);
    cr_expect(bench->intx, "one entry is left");
    cr_expect(bench_reap(bench, 0, &cqe));
    bench_run(bench, SIM_MS);
    cr_expect(not(bench->intx));
    bench_submit(bench, 0, (NvmeSqe){.opcode = 10, .cdw10 = 1});
    bench_run(bench, SIM_MS);
    cr_expect(bench->intx);
    bench->mode = SIM_IRQ_MSIX;
    nvme_model_irq_changed(bench->model);
    cr_expect(not(bench->intx));
    bench->mode = SIM_IRQ_INTX;
    nvme_model_irq_changed(bench->model);
    cr_expect(bench->intx);
    bench_disable(bench);
    cr_expect(not(bench->intx), "a reset takes it away");
    cr_expect(eq(uint, bench->raised_n, 0));
}

Test(nvme_interrupts, queue_without_interrupts_is_silent)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable(bench);
    cr_assert(eq(uint, bench_create_cq(bench, 2, 16, 1), 0)); /* takes memory for its ring */
    bench->cq[1] = bench->cq[2];
    cr_assert(eq(uint, bench_code(bench_admin(bench, .opcode = 4, .cdw10 = 2)), 0));
    cr_assert(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 5, .prp1 = bench->cq[1].base,
                                        .cdw10 = 1 | 15 << 16, .cdw11 = 1)),
                 0));
    cr_assert(eq(uint, bench_create_sq(bench, 1, 16, 1), 0));
    bench->raised_n = 0;
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench->raised_n, 0));
}

Test(nvme_interrupts, msi_with_one_vector_and_masks)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench->mode = SIM_IRQ_MSI;
    bench->vectors = 1;
    bench_enable(bench);
    cr_assert(eq(uint, bench_create_cq(bench, 1, 64, 0), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 1, 64, 1), 0));
    bench->raised_n = 0;
    bench_write(bench, 0x0c, 1, 4);
    reads(bench, 3);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench->raised_n, 0));
    bench_write(bench, 0x10, 1, 4);
    cr_expect(eq(uint, bench->raised_n, 1), "what was pending comes once");
    cr_expect(eq(uint, bench->raised[0], 0));
}

/* THR is 0's based: 9 stands for ten entries; TIME in units of 100 us. */
Test(nvme_interrupts, coalescing_by_threshold)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 64);
    bench_admin(bench, .opcode = 9, .cdw10 = 8, .cdw11 = 9 | 100 << 8);
    bench->raised_n = 0;
    reads(bench, 9);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench->raised_n, 0));
    reads(bench, 1);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench->raised_n, 1));
    bench_admin(bench, .opcode = 10, .cdw10 = 8);
    cr_expect(eq(uint, bench->raised_n, 2), "never for the admin queue");
}

Test(nvme_interrupts, coalescing_by_time)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 64);
    bench_admin(bench, .opcode = 9, .cdw10 = 8, .cdw11 = 9 | 2 << 8);
    bench->raised_n = 0;
    reads(bench, 3);
    bench_run(bench, 190 * SIM_US);
    cr_expect(eq(uint, bench->raised_n, 0));
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(uint, bench->raised_n, 1));
    bench_admin(bench, .opcode = 9, .cdw10 = 9, .cdw11 = 1 | 1 << 16);
    bench->raised_n = 0;
    reads(bench, 3);
    bench_run(bench, 20 * SIM_US);
    cr_expect(eq(uint, bench->raised_n, 3), "feature 09h turns it off for the vector");
}

Test(nvme_interrupts, threshold_without_time_is_ignored)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 64);
    bench_admin(bench, .opcode = 9, .cdw10 = 8, .cdw11 = 9);
    bench->raised_n = 0;
    reads(bench, 3);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench->raised_n, 3));
}

Test(nvme_interrupts, mask_registers_with_msix_are_a_violation)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable(bench);
    bench_write(bench, 0x0c, 1, 4);
    cr_expect(eq(uint, bench_violations(bench), 1));
}
