/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completions that find no room in their queue, when something else ends them.
 * [NVMe-1.1 §4.1, §5.1, §5.6, §7.3.2] */
#include "bench.h"

/* Eight commands, of which three CQEs are posted and the others wait for room. */
static Bench *with_completions_waiting(void)
{
    Bench *bench = bench_new("ideal");

    bench_enable(bench);
    cr_assert(eq(uint, bench_create_cq(bench, 1, 4, 1), 0));
    for (unsigned q = 1; q <= 2; q++) {
        cr_assert(eq(uint, bench_create_sq(bench, q, 16, 1), 0));
        for (unsigned i = 0; i < 4; i++) {
            bench_put(bench, q, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
        }
    }
    bench_ring(bench, 1);
    bench_ring(bench, 2);
    bench_run(bench, SIM_MS);
    cr_assert(bench->model->cqs[1]->waiting != NULL);
    return bench;
}

/* Takes and releases until nothing more comes; how many came. */
static unsigned reap_all(Bench *bench, unsigned cqid)
{
    NvmeCqe cqe;
    unsigned n = 0;

    for (; bench_reap(bench, cqid, &cqe); n++) {
        bench_run(bench, SIM_MS);
    }
    return n;
}

Test(nvme_full, completions_that_wait_for_room_do_not_outlive_a_reset)
{
    for (unsigned way = 0; way < 3; way++) {
        g_autoptr(Bench) bench = with_completions_waiting();

        if (way == 0) {
            bench_disable(bench);
        } else {
            nvme_model_reset(bench->model, way == 1 ? NVME_RESET_FUNCTION : NVME_RESET_POWER_ON);
        }
        bench_run(bench, SIM_MS);
        bench_check(bench);
        cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 5), "%u", way);
        bench_start(bench, 4);
        for (unsigned i = 0; i < 20; i++) {
            cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
        }
        bench_check(bench);
    }
}

/* The Delete completes after the last of them, and the other queue's still come. */
Test(nvme_full, completions_that_wait_for_room_come_before_their_queue_is_deleted)
{
    g_autoptr(Bench) bench = with_completions_waiting();
    NvmeCqe cqe;

    bench_submit(bench, 0, (NvmeSqe){.opcode = NVME_ADMIN_DELETE_SQ, .cdw10 = 1});
    bench_run(bench, SIM_MS);
    cr_expect(not(bench_peek(bench, 0, &cqe)), "it has completions to come");
    cr_expect(eq(uint, reap_all(bench, 1), 8));
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(uint, bench_code(cqe), 0));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0, .cdw10 = 2)), 0));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 4, .cdw10 = 1)), 0));
    bench_check(bench);
}

Test(nvme_full, completion_that_waits_for_room_is_too_late_to_abort)
{
    g_autoptr(Bench) bench = with_completions_waiting();
    const NvmeCommand *waiting = bench->model->cqs[1]->waiting;
    NvmeCqe cqe = bench_admin(bench, .opcode = NVME_ADMIN_ABORT,
                              .cdw10 = waiting->sq->qid | (uint32_t)waiting->sqe.cid << 16);

    cr_expect(eq(u32, cqe.dw0, 1), "not aborted");
    cr_expect(eq(uint, reap_all(bench, 1), 8));
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_aborted], 0));
    bench_check(bench);
}

/* A fault keeps one command of the queue for ever; Delete SQ discards it, not those that wait. */
Test(nvme_full, lost_command_is_discarded_beside_completions_that_wait_for_room)
{
    static const char *const faults[] = {"cqe drop qid=1 after=1", NULL};
    g_autoptr(Bench) bench = bench_new_with("ideal", &(NvmeModelOptions){.faults = faults}, NULL);
    NvmeCqe cqe;

    bench_enable(bench);
    cr_assert(eq(uint, bench_create_cq(bench, 1, 2, 1), 0));
    cr_assert(eq(uint, bench_create_sq(bench, 1, 16, 1), 0));
    for (unsigned i = 0; i < 4; i++) {
        bench_put(bench, 1, bench_io(NVME_IO_READ, 0, 1, BENCH_DATA, 0));
    }
    bench_ring(bench, 1);
    bench_run(bench, SIM_MS);
    cr_assert(bench->model->cqs[1]->waiting != NULL);
    bench_submit(bench, 0, (NvmeSqe){.opcode = NVME_ADMIN_DELETE_SQ, .cdw10 = 1});
    bench_run(bench, SIM_MS);
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 1));
    cr_expect(eq(uint, reap_all(bench, 1), 3));
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 4, .cdw10 = 1)), 0));
    bench_check(bench);
}
