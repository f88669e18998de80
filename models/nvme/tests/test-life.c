/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Enable, disable, reset, shutdown, fatal status.  [NVMe-1.1 §3.1.5, §7.3, §7.6] */
#include "bench.h"
#include <string.h>

Test(nvme_life, ready_takes_the_time_of_the_profile)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", NULL, "ready.power-on=2s", "ready.enable=30ms",
                                            "ready.disable=5ms", NULL);

    bench_write(bench, 0x24, 0x001f001f, 4);
    bench_write(bench, 0x28, 0x10000, 8);
    bench_write(bench, 0x30, 0x20000, 8);
    bench_write(bench, 0x14, 0x00460001, 4);
    bench_run(bench, 2 * SIM_S - 1);
    cr_expect(eq(uint, bench_csts(bench), 0));
    bench_run(bench, 1);
    cr_expect(eq(uint, bench_csts(bench), 1));
    bench_write(bench, 0x14, 0x00460000, 4);
    bench_run(bench, 5 * SIM_MS - 1);
    cr_expect(eq(uint, bench_csts(bench), 1));
    bench_run(bench, 1);
    cr_expect(eq(uint, bench_csts(bench), 0));
    bench_write(bench, 0x14, 0x00460001, 4);
    bench_run(bench, 30 * SIM_MS);
    cr_expect(eq(uint, bench_csts(bench), 1));
}

Test(nvme_life, admin_queue_registers_survive_disable_but_not_function_reset)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable(bench);
    bench_disable(bench);
    cr_expect(eq(u64, bench_read(bench, 0x24, 4), 0x001f001f));
    cr_expect(eq(u64, bench_read(bench, 0x28, 8), bench->sq[0].base));
    cr_expect(eq(u64, bench_read(bench, 0x30, 8), bench->cq[0].base));
    nvme_model_reset(bench->model, NVME_RESET_FUNCTION);
    cr_expect(eq(u64, bench_read(bench, 0x24, 4), 0));
    cr_expect(eq(u64, bench_read(bench, 0x28, 8), 0));
    cr_expect(eq(u64, bench_read(bench, 0x30, 8), 0));
    cr_expect(eq(u64, bench_read(bench, 0x14, 4), 0));
    bench_enable(bench);
}

/* A favourite bug.  [NVMe-1.1 §7.3.2] */
Test(nvme_life, no_dma_and_no_message_after_disable)
{
    g_autoptr(Bench) bench = bench_new_with("samsung-sm951", NULL, "ready.disable=1ms", NULL);
    uint64_t reads, writes;
    unsigned raised;

    bench_start(bench, 64);
    for (unsigned i = 0; i < 40; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, i * 8, 8, BENCH_DATA + i * 4096, 0));
    }
    bench_ring(bench, 1);
    bench_run(bench, 3 * SIM_US);
    bench_write(bench, 0x14, 0x00460000, 4);
    reads = bench->dma_reads;
    writes = bench->dma_writes;
    raised = bench->raised_n;
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_csts(bench), 0));
    cr_expect(eq(u64, bench->dma_reads, reads));
    cr_expect(eq(u64, bench->dma_writes, writes));
    cr_expect(eq(uint, bench->raised_n, raised));
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 40));
    bench_check(bench);
    bench_start(bench, 64);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 8, BENCH_DATA, 0), 0));
    bench_check(bench);
}

Test(nvme_life, stale_doorbells_are_forgotten)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 16);
    for (unsigned i = 0; i < 5; i++) {
        bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0);
    }
    bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_ring(bench, 1);
    bench_disable(bench);
    bench_start(bench, 16);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
    bench_check(bench);
}

Test(nvme_life, bad_configuration_is_fatal_not_ready)
{
    static const uint32_t bad[] = {0x00460081 /* MPS 1 */, 0x00460011 /* CSS 1 */,
                                   0x00460801 /* AMS 1 */};

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(Bench) bench = bench_new("intel-750");
        bench_write(bench, 0x24, 0x001f001f, 4);
        bench_write(bench, 0x14, bad[i], 4);
        bench_run(bench, 30 * SIM_S);
        cr_expect(eq(uint, bench_csts(bench), 2), "CC %#x", bad[i]);
        cr_expect(eq(uint, bench_violations(bench), 1));
        bench_write(bench, 0x14, 0, 4);
        bench_enable_with(bench, 2, 2); /* the fatal status does not outlive CC.EN=0 */
    }
}

Test(nvme_life, admin_queue_of_one_entry_is_fatal)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_write(bench, 0x24, 0x00000001, 4);
    bench_write(bench, 0x14, 0x00460001, 4);
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_csts(bench), 2));
}

Test(nvme_life, enable_before_ready_fell_is_recorded_and_works)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", NULL, "ready.disable=5ms", "ready.enable=5ms", NULL);

    bench_enable(bench);
    bench_write(bench, 0x14, 0x00460000, 4);
    bench_write(bench, 0x14, 0x00460001, 4);
    cr_expect(eq(uint, bench_violations(bench), 1));
    bench_run(bench, 7 * SIM_MS);
    cr_expect(eq(uint, bench_csts(bench), 0));
    bench_run(bench, 4 * SIM_MS);
    cr_expect(eq(uint, bench_csts(bench), 1));
}

Test(nvme_life, shutdown_then_enable_again)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", NULL, "shutdown.time=100ms", NULL);

    bench_start(bench, 16);
    bench_write(bench, 0x14, 0x00464001, 4);
    cr_expect(eq(uint, bench_csts(bench), 5), "SHST=1, RDY=1");
    bench_run(bench, 100 * SIM_MS);
    cr_expect(eq(uint, bench_csts(bench), 9), "SHST=2");
    bench_submit(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_run(bench, SIM_S);
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_io_submitted], 0),
              "no command after SHN [NVMe-1.1 §7.6.2]");
    cr_expect(eq(uint, bench_violations(bench), 1));
    bench_write(bench, 0x14, 0x00460001, 4);
    cr_expect(eq(uint, bench_csts(bench), 9), "writing SHN=0 alone is not enough");
    bench_write(bench, 0x14, 0x00460000, 4);
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_csts(bench), 0));
    bench_start(bench, 16);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
    bench_check(bench);
}

Test(nvme_life, shutdown_while_disabled_is_answered_at_once)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_write(bench, 0x14, 0x00004000, 4);
    cr_expect(eq(uint, bench_csts(bench), 8));
    bench_write(bench, 0x14, 0, 4);
    bench_enable(bench);
}

Test(nvme_life, unsafe_shutdown_is_counted)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    const NvmeSmart *smart;

    bench_enable(bench);
    nvme_model_reset(bench->model, NVME_RESET_POWER_ON);
    bench_enable(bench);
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 2, .nsid = UINT32_MAX, .prp1 = BENCH_DATA,
                                        .cdw10 = 2 | 127 << 16)),
                 0));
    smart = bench_memory(bench, BENCH_DATA, 512);
    cr_expect(eq(u64, smart->unsafe_shutdowns[0], 1));
}

Test(nvme_life, writes_of_admin_registers_while_enabled_are_violations)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable(bench);
    bench_write(bench, 0x28, 0x5000, 8);
    cr_expect(eq(uint, bench_violations(bench), 2), "one each half");
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x0a, .cdw10 = 1)), 0),
              "the queue stays where it was at CC.EN=1");
}

Test(nvme_life, bus_error_on_a_queue_is_fatal)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_write(bench, 0x24, 0x001f001f, 4);
    bench_write(bench, 0x28, UINT64_C(0xfffffffff000), 8);
    bench_write(bench, 0x30, 0x20000, 8);
    bench_write(bench, 0x14, 0x00460001, 4);
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_csts(bench), 1));
    bench_write(bench, 0x1000, 1, 4);
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_csts(bench), 3), "CFS");
    bench_check(bench);
    bench_write(bench, 0x14, 0, 4);
    bench_enable(bench);
    bench_check(bench);
}

Test(nvme_life, bus_error_on_a_queue_can_be_ignored)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", NULL, "error.queue-memory=ignore", NULL);
    NvmeCqe cqe;

    bench_enable(bench);
    bench_code(bench_admin(bench, .opcode = 5, .prp1 = 0x30000, .cdw10 = 1 | 15 << 16,
                           .cdw11 = 3 | 1 << 16));
    bench_code(bench_admin(bench, .opcode = 1, .prp1 = UINT64_C(0xff00000000),
                           .cdw10 = 1 | 15 << 16, .cdw11 = 1 | 1 << 16));
    bench_write(bench, 0x1008, 1, 4);
    bench_run(bench, SIM_MS);
    memcpy(&cqe, bench_memory(bench, 0x30000, 16), 16);
    cr_expect(eq(uint, bench_code(cqe), NVME_INVALID_FIELD), "an entry of all ones");
    cr_expect(eq(uint, bench_csts(bench), 1));
    bench_check(bench);
}

/* Forty reads, some of them done, some fetched, some not, when the guest clears Bus Master Enable:
 * a driver that takes a drive away from under its commands, as before a function level reset. */
static Bench *with_bus_mastery_gone(void)
{
    Bench *bench = bench_new_with("samsung-sm951", NULL, "commands=30", NULL);

    bench_start(bench, 64);
    for (unsigned i = 0; i < 40; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, i * 8, 8, BENCH_DATA + i * 4096, 0));
    }
    bench_ring(bench, 1);
    while (bench->model->counts[NVME_DEVICE_io_completed] == 0) {
        sim_queue_run(bench->queue, sim_queue_deadline(bench->queue));
    }
    bench_bus_master(bench, false);
    return bench;
}

Test(nvme_life, dma_under_way_when_bus_mastery_goes_accuses_nobody)
{
    g_autoptr(Bench) bench = with_bus_mastery_gone();
    uint64_t reads = bench->dma_reads, writes = bench->dma_writes;
    uint64_t done = bench->model->counts[NVME_DEVICE_commands_completed];

    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench_violations(bench), 0));
    cr_expect(eq(uint, bench_csts(bench), 1), "no fatal status");
    cr_expect(eq(u64, bench->model->errors_logged, 0));
    cr_expect(eq(u64, bench->dma_reads, reads));
    cr_expect(eq(u64, bench->dma_writes, writes));
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_completed], done));
    bench_check(bench);
    nvme_model_reset(bench->model, NVME_RESET_FUNCTION);
    cr_expect(
        eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 42 - done)); /* 2 admin */
    bench_bus_master(bench, true);
    bench_run(bench, SIM_S);
    cr_expect(eq(u64, bench->dma_writes, writes));
    bench_check(bench);
    bench_start(bench, 64);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 8, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_violations(bench), 0));
    bench_check(bench);
}

Test(nvme_life, commands_go_on_when_bus_mastery_comes_back)
{
    g_autoptr(Bench) bench = with_bus_mastery_gone();
    NvmeCqe cqe;
    unsigned n = 0;

    bench_run(bench, SIM_MS);
    bench_bus_master(bench, true);
    bench_run(bench, 10 * SIM_MS);
    for (; bench_reap(bench, 1, &cqe); n++) {
        cr_expect(eq(uint, bench_code(cqe), 0));
    }
    cr_expect(eq(uint, n, 40));
    cr_expect(eq(uint, bench_violations(bench), 0));
    bench_check(bench);
}

Test(nvme_life, command_submitted_without_bus_mastery_is_a_violation)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    uint64_t reads;

    bench_start(bench, 16);
    bench_bus_master(bench, false);
    reads = bench->dma_reads;
    bench_release(bench, 1); /* a head doorbell asks for no DMA */
    cr_expect(eq(uint, bench_violations(bench), 0));
    bench_submit(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench_violations(bench), 1));
    cr_expect(eq(u64, bench->dma_reads, reads));
    bench_check(bench);
}
