/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues: sizes, wrap, phase, sharing, full, order, arbitration.  [NVMe-1.1 §4.1, §4.6, §4.11,
 * §5.3-5.6] */
#include "bench.h"

ParameterizedTestParameters(nvme_queues, wrap_and_phase)
{
    static unsigned sizes[] = {2, 64, 256, 1024};

    return cr_make_param_array(unsigned, sizes, G_N_ELEMENTS(sizes));
}
ParameterizedTest(unsigned *size, nvme_queues, wrap_and_phase)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, *size);
    for (unsigned i = 0; i < *size * 3 + 1; i++) {
        NvmeCqe cqe = bench_command(bench, 1, 1, bench_io(NVME_IO_READ, i, 1, BENCH_DATA, 0));
        cr_assert(eq(uint, bench_code(cqe), 0));
        cr_assert(eq(u16, cqe.sqhd, (uint16_t)((i + 1) % *size)), "entry %u", i);
    }
    cr_expect(eq(uint, bench->raised_n, *size * 3 + 3), "one message a command, two of them admin");
    bench_check(bench);
}

Test(nvme_queues, admin_queues_of_two_entries)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable_with(bench, 2, 2);
    for (unsigned i = 0; i < 9; i++) {
        cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x0a, .cdw10 = 7)), 0));
    }
    bench_check(bench);
}

Test(nvme_queues, batch_in_one_doorbell)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    NvmeCqe cqe;
    unsigned n = 0;

    bench_start(bench, 256);
    for (unsigned i = 0; i < 255; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, i * 8, 8, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
    bench_run(bench, 10 * SIM_MS);
    while (bench_peek(bench, 1, &cqe)) {
        n++;
        cr_expect(eq(uint, bench_code(cqe), 0));
    }
    bench_release(bench, 1);
    cr_expect(eq(uint, n, 255));
    cr_expect(eq(u64, bench->model->sq_counts[1][NVME_SQ_commands_fetched], 255));
    bench_check(bench);
}

Test(nvme_queues, all_queues_exist_without_set_features)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench_enable(bench);
    for (unsigned q = 1; q <= 8; q++) {
        cr_expect(eq(uint, bench_create_cq(bench, q, 16, q), 0));
        cr_expect(eq(uint, bench_create_sq(bench, q, 16, q), 0));
    }
    cr_expect(eq(uint, bench_create_cq(bench, 9, 16, 1), NVME_INVALID_QID));
    cr_expect(eq(uint, bench_create_sq(bench, 9, 16, 1), NVME_INVALID_QID));
}

Test(nvme_queues, maximum_is_granted_whatever_is_asked)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    NvmeCqe cqe;

    bench_enable(bench);
    cqe = bench_admin(bench, .opcode = 0x09, .cdw10 = 7, .cdw11 = 17 | 5 << 16);
    cr_expect(eq(u32, cqe.dw0, 0x00070007));
    cqe = bench_admin(bench, .opcode = 0x0a, .cdw10 = 7);
    cr_expect(eq(u32, cqe.dw0, 0x00070007));
    cqe = bench_admin(bench, .opcode = 0x09, .cdw10 = 7, .cdw11 = UINT32_MAX);
    cr_expect(eq(uint, bench_code(cqe), NVME_INVALID_FIELD));
}

Test(nvme_queues, grant_as_requested)
{
    g_autoptr(Bench) bench = bench_new_with("intel-750", NULL, "queues.grant=requested", NULL);
    NvmeCqe cqe;

    bench_enable(bench);
    cqe = bench_admin(bench, .opcode = 0x09, .cdw10 = 7, .cdw11 = 3 | 1 << 16);
    cr_expect(eq(u32, cqe.dw0, 0x00010003));
    cr_expect(eq(uint, bench_create_cq(bench, 5, 16, 1), NVME_INVALID_QID));
    cqe = bench_admin(bench, .opcode = 0x09, .cdw10 = 7, .cdw11 = UINT32_MAX);
    cr_expect(eq(uint, bench_code(cqe), NVME_INTERNAL_ERROR));
}

/* [NVMe-1.1 §5.3, §5.4] */
Test(nvme_queues, creation_is_refused_with_the_right_status)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const struct {
        NvmeSqe sqe;
        unsigned status;
        const char *what;
    } rows[] = {
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 15 << 16, .cdw11 = 3}, 0x101, "CQ 0"},
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 1 | 15 << 16, .cdw11 = 3}, 0x101, "CQ that exists"},
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 2, .cdw11 = 3}, 0x102, "one entry"},
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 2 | 0x4000u << 16, .cdw11 = 3},
         0x102,
         "beyond MQES"},
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 2 | 15 << 16, .cdw11 = 2}, 0x002, "PC=0"},
        {{.opcode = 5, .prp1 = 0x5000, .cdw10 = 2 | 15 << 16, .cdw11 = 3 | 9 << 16},
         0x108,
         "vector 9 of 9"},
        {{.opcode = 5, .prp1 = 0x5004, .cdw10 = 2 | 15 << 16, .cdw11 = 3},
         0x002,
         "not page aligned"},
        {{.opcode = 1, .prp1 = 0x5000, .cdw10 = 2 | 15 << 16, .cdw11 = 1}, 0x100, "CQID 0"},
        {{.opcode = 1, .prp1 = 0x5000, .cdw10 = 2 | 15 << 16, .cdw11 = 1 | 3 << 16},
         0x100,
         "no such CQ"},
        {{.opcode = 1, .prp1 = 0x5000, .cdw10 = 2 | 15 << 16, .cdw11 = 1 | 9 << 16},
         0x101,
         "CQID out of range"},
        {{.opcode = 1, .prp1 = 0x5000, .cdw10 = 1 | 15 << 16, .cdw11 = 1 | 1 << 16},
         0x101,
         "SQ that exists"},
        {{.opcode = 0, .cdw10 = 7}, 0x101, "delete SQ that is not there"},
        {{.opcode = 0, .cdw10 = 0}, 0x101, "delete admin SQ"},
        {{.opcode = 0, .cdw10 = 0xffff}, 0x101, "delete SQ 65535"},
        {{.opcode = 4, .cdw10 = 1}, 0x10c, "delete CQ with an SQ"},
        {{.opcode = 4, .cdw10 = 8}, 0x101, "delete CQ that is not there"},
        {{.opcode = 4, .cdw10 = 0}, 0x101, "delete admin CQ"},
    };

    bench_start(bench, 16);
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        cr_expect(eq(uint, bench_code(bench_command(bench, 0, 0, rows[i].sqe)), rows[i].status),
                  "%s", rows[i].what);
    }
    bench->mode = SIM_IRQ_INTX;
    cr_expect(eq(uint, bench_create_cq(bench, 2, 16, 1), 0x108), "vector 1 with INTx");
    cr_expect(eq(uint, bench_create_cq(bench, 2, 16, 0), 0));
}

Test(nvme_queues, three_submission_queues_to_one_completion_queue)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    unsigned of[4] = {0};
    NvmeCqe cqe;

    bench_start(bench, 64);
    cr_assert(eq(uint, bench_create_sq(bench, 2, 64, 1), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 3, 64, 1), 0));
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned q = 1; q <= 3; q++) {
            bench_put(bench, q, bench_io(NVME_IO_READ, q, 1, BENCH_DATA, 0));
            bench_put(bench, q, bench_io(NVME_IO_READ, q, 1, BENCH_DATA, 0));
            bench_ring(bench, q);
        }
        bench_run(bench, SIM_MS);
        while (bench_reap(bench, 1, &cqe)) {
            cr_assert(cqe.sqid >= 1 && cqe.sqid <= 3);
            of[cqe.sqid]++;
        }
    }
    cr_expect(eq(uint, of[1], 20));
    cr_expect(eq(uint, of[2], 20));
    cr_expect(eq(uint, of[3], 20));
    bench_check(bench);
}

Test(nvme_queues, vector_shared_by_completion_queues)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 16);
    cr_assert(eq(uint, bench_create_cq(bench, 2, 16, 1), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 2, 16, 2), 0));
    bench->raised_n = 0;
    bench_command(bench, 1, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_command(bench, 2, 2, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    cr_expect(eq(uint, bench->raised_n, 2));
    cr_expect(eq(uint, bench->raised[0], 1));
    cr_expect(eq(uint, bench->raised[1], 1));
    cr_expect(eq(u64, bench->model->vectors[1].counts[NVME_VECTOR_interrupts], 2));
}

/* Never overwrite; go on when the head moves.  [NVMe-1.1 §4.1] */
Test(nvme_queues, full_completion_queue_holds_back)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    NvmeCqe cqe;
    unsigned total = 0;

    bench_enable(bench);
    cr_assert(eq(uint, bench_create_cq(bench, 1, 4, 1), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 1, 64, 1), 0));
    for (unsigned i = 0; i < 50; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
    while (total < 50) {
        unsigned n = 0;
        bench_run(bench, SIM_MS);
        while (n < 4 && bench_peek(bench, 1, &cqe)) {
            n++;
        }
        cr_assert(eq(uint, n, MIN(3, 50 - total)), "no more than size - 1 entries are posted");
        total += n;
        bench_check(bench);
        bench_release(bench, 1);
    }
    bench_run(bench, SIM_MS);
    cr_expect(not(bench_peek(bench, 1, &cqe)));
    cr_expect(gt(u64, bench->model->cq_counts[1][NVME_CQ_full], 0));
    cr_expect(eq(uint, bench_violations(bench), 0));
}

Test(nvme_queues, delete_and_create_again_starts_with_phase_one)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 4);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 5; i++) {
            cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
        }
        cr_assert(eq(uint, bench_code(bench_admin(bench, .opcode = 0, .cdw10 = 1)), 0));
        cr_assert(eq(uint, bench_code(bench_admin(bench, .opcode = 4, .cdw10 = 1)), 0));
        cr_assert(eq(uint, bench_create_cq(bench, 1, 4, 1), 0));
        cr_assert(eq(uint, bench_create_sq(bench, 1, 4, 1), 0));
    }
    bench_check(bench);
}

/* Commands inside end with 08h before the Delete completes; those not fetched are gone.  [NVMe-1.1
 * §5.6] */
Test(nvme_queues, delete_with_commands_outstanding)
{
    g_autoptr(Bench) bench = bench_new_with("samsung-sm951", NULL, "commands=10", NULL);
    NvmeCqe cqe;
    unsigned n = 0;

    bench_start(bench, 64);
    for (unsigned i = 0; i < 20; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, i * 8, 8, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
    bench_run(bench, 20 * SIM_US);
    cqe = bench_admin(bench, .opcode = 0, .cdw10 = 1);
    cr_expect(eq(uint, bench_code(cqe), 0));
    while (bench_reap(bench, 1, &cqe)) {
        cr_expect(bench_code(cqe) == NVME_ABORT_SQ_DELETED || bench_code(cqe) == NVME_OK);
        n++;
    }
    cr_expect(ge(uint, n, 10));
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 20 - n));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 4, .cdw10 = 1)), 0));
    bench_check(bench);
}

Test(nvme_queues, identifier_comes_back_with_all_16_bits)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    static const uint16_t cids[] = {0xffff, 0x8000, 0x7abc, 1, 0xf001};

    bench_start(bench, 4);
    for (unsigned i = 0; i < G_N_ELEMENTS(cids); i++) {
        NvmeSqe sqe = bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0);
        sqe.cid = cids[i];
        cr_expect(eq(u16, bench_command(bench, 1, 1, sqe).cid, cids[i]));
    }
}

Test(nvme_queues, identifier_in_use_is_a_violation)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    NvmeSqe sqe = bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0);

    bench_start(bench, 16);
    sqe.cid = 99;
    bench_put(bench, 1, sqe);
    bench_put(bench, 1, sqe);
    bench_ring(bench, 1);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench_violations(bench), 1));
    bench_check(bench);
}

Test(nvme_queues, bad_doorbells_are_recorded_and_ignored)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    NvmeCqe cqe;

    bench_start(bench, 16);
    bench_write(bench, 0x1008, 16, 4);         /* tail beyond the queue */
    bench_write(bench, 0x100c, 16, 4);         /* head beyond the queue */
    bench_write(bench, 0x100c, 3, 4);          /* head ahead of what was posted */
    bench_write(bench, 0x1010, 1, 4);          /* queue 2 is not there */
    bench_write(bench, 0x1000 + 80 * 8, 1, 4); /* beyond all queues */
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench_violations(bench), 5));
    bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    bench_ring(bench, 1);
    bench_write(bench, 0x1008, 1, 4); /* and back by one */
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench_violations(bench), 6));
    cr_expect(bench_reap(bench, 1, &cqe));
    cr_expect(bench_reap(bench, 1, &cqe));
    cr_expect(not(bench_reap(bench, 1, &cqe)));
    bench_check(bench);
}

Test(nvme_queues, doorbell_while_disabled_is_a_violation)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_write(bench, 0x1000, 1, 4);
    bench_run(bench, SIM_MS);
    cr_expect(eq(uint, bench_violations(bench), 1));
    cr_expect(eq(u64, bench->dma_reads, 0));
}

/* Order in which three full queues are served with bursts of two.  [NVMe-1.1 §4.11.1] */
Test(nvme_queues, round_robin_takes_a_burst_from_each)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", NULL, "arbitration-burst=1", "decode=1us", "fetch-ahead=1ps", NULL);
    static const unsigned expected[] = {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3};
    NvmeCqe cqe;

    bench_start(bench, 64);
    cr_assert(eq(uint, bench_create_sq(bench, 2, 64, 1), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 3, 64, 1), 0));
    for (unsigned q = 1; q <= 3; q++) {
        for (unsigned i = 0; i < 4; i++) {
            bench_put(bench, q, bench_io(NVME_IO_FLUSH, 0, 1, 0, 0));
        }
    }
    for (unsigned q = 1; q <= 3; q++) {
        bench_ring(bench, q);
    }
    bench_run(bench, SIM_MS);
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
        cr_assert(bench_reap(bench, 1, &cqe));
        cr_expect(eq(u16, cqe.sqid, (uint16_t)expected[i]), "completion %u", i);
    }
}

Test(nvme_queues, small_entry_sizes_are_refused)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_enable(bench);
    bench_write(bench, 0x14, 0x00450001, 4);
    cr_expect(eq(uint, bench_create_cq(bench, 1, 16, 1), NVME_INVALID_FIELD));
}

Test(nvme_queues, queues_above_four_gigabytes)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    NvmeCqe cqe;
    NvmeSqe sqe = bench_io(NVME_IO_READ, 0, 8, BENCH_HIGH + 0x10000, 0);

    bench_enable(bench);
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 5, .prp1 = BENCH_HIGH,
                                        .cdw10 = 1 | 15 << 16, .cdw11 = 3 | 1 << 16)),
                 0));
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 1, .prp1 = BENCH_HIGH + 0x1000,
                                        .cdw10 = 1 | 15 << 16, .cdw11 = 1 | 1 << 16)),
                 0));
    bench->sq[1] = (BenchQueue){BENCH_HIGH + 0x1000, 16, 0, 0, true};
    bench->cq[1] = (BenchQueue){BENCH_HIGH, 16, 0, 0, true};
    cqe = bench_command(bench, 1, 1, sqe);
    cr_expect(eq(uint, bench_code(cqe), 0));
    cr_expect(
        eq(u64, bench_count(bench, PCIE_FOR_CQE, PCIE_UPSTREAM, PCIE_MWR).wire_bytes, 2 * 36 + 40),
        "3-DW headers for the admin queue, a 4-DW header above 4 GiB");
}
