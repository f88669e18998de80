/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every stage of a command is a fault point. */
#include "bench.h"
#include <string.h>

static Bench *start(const char *fault)
{
    const char *faults[] = {fault, NULL};
    Bench *bench = bench_new_with("ideal", &(NvmeModelOptions){.faults = faults}, NULL);

    bench_start(bench, 64);
    return bench;
}

/* One 128 KiB write: it meets every stage. */
static uint16_t submit(Bench *bench)
{
    for (unsigned i = 0; i < 31; i++) {
        *(uint64_t *)bench_memory(bench, BENCH_LIST + i * 8, 8) = BENCH_DATA + 4096 * (i + 1);
    }
    return bench_submit(bench, 1, bench_io(NVME_IO_WRITE, 0, 256, BENCH_DATA, BENCH_LIST));
}

static const char *const stages[] = {"doorbell", "sqe-fetch", "decode", "prp-list",
                                     "media",    "data",      "cqe",    "msix"};
enum { DOORBELL, SQE_FETCH, DECODE, PRP_LIST, MEDIA, DATA, CQE, MSIX, STAGES };

ParameterizedTestParameters(nvme_faults, drop)
{
    static unsigned list[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return cr_make_param_array(unsigned, list, STAGES);
}
ParameterizedTest(unsigned *stage, nvme_faults, drop)
{
    g_autofree char *text = g_strdup_printf("%s drop qid=1", stages[*stage]);
    g_autoptr(Bench) bench = start(text);
    NvmeCqe cqe;
    uint16_t cid;

    bench->raised_n = 0;
    cid = submit(bench);
    bench_run(bench, SIM_S);
    cr_expect(eq(uint, bench->raised_n, 0));
    cr_expect(eq(int, bench_reap(bench, 1, &cqe), *stage == MSIX));
    bench_check(bench);
    if (*stage != MSIX) {
        cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1 | (uint32_t)cid << 16);
        cr_expect(eq(u32, cqe.dw0, 1), "what is lost cannot be aborted");
    }
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0, .cdw10 = 1)), 0),
              "Delete SQ does not hang");
    bench_check(bench);
}

ParameterizedTestParameters(nvme_faults, delay)
{
    static unsigned list[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return cr_make_param_array(unsigned, list, STAGES);
}
ParameterizedTest(unsigned *stage, nvme_faults, delay)
{
    g_autofree char *text = g_strdup_printf("%s delay time=5ms qid=1", stages[*stage]);
    g_autoptr(Bench) bench = start(text);
    NvmeCqe cqe;

    bench->raised_n = 0;
    submit(bench);
    bench_run(bench, 4900 * SIM_US);
    cr_expect(eq(uint, bench->raised_n, 0));
    cr_expect(eq(int, bench_peek(bench, 1, &cqe), *stage == MSIX));
    bench_run(bench, 300 * SIM_US);
    cr_expect(eq(uint, bench->raised_n, 1));
    cr_expect(eq(int, bench_peek(bench, 1, &cqe), *stage != MSIX));
    bench_release(bench, 1);
    submit(bench);
    bench_run(bench, SIM_MS);
    cr_expect(bench_reap(bench, 1, &cqe), "once only");
    bench_check(bench);
}

ParameterizedTestParameters(nvme_faults, hold_until_aborted)
{
    static unsigned list[] = {1, 2, 3, 4, 5, 6};
    return cr_make_param_array(unsigned, list, G_N_ELEMENTS(list));
}
ParameterizedTest(unsigned *stage, nvme_faults, hold_until_aborted)
{
    g_autofree char *text = g_strdup_printf("%s hold qid=1 opcode=write", stages[*stage]);
    g_autoptr(Bench) bench = start(text);
    NvmeCqe cqe;
    uint16_t cid = submit(bench);

    bench_run(bench, SIM_S);
    cr_expect(not(bench_reap(bench, 1, &cqe)));
    cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1 | (uint32_t)cid << 16);
    cr_expect(eq(u32, cqe.dw0, 0));
    cr_expect(bench_reap(bench, 1, &cqe));
    cr_expect(eq(uint, bench_code(cqe), NVME_ABORT_REQUESTED));
    bench_check(bench);
}

ParameterizedTestParameters(nvme_faults, status)
{
    static unsigned list[] = {1, 2, 3, 4, 5, 6};
    return cr_make_param_array(unsigned, list, G_N_ELEMENTS(list));
}
ParameterizedTest(unsigned *stage, nvme_faults, status)
{
    g_autofree char *text = g_strdup_printf("%s status qid=1 status=0x4281", stages[*stage]);
    g_autoptr(Bench) bench = start(text);
    NvmeCqe cqe;

    submit(bench);
    bench_run(bench, SIM_S);
    cr_expect(bench_reap(bench, 1, &cqe));
    cr_expect(eq(uint, cqe.status >> 1, 0x4281), "exactly as written, DNR included");
    bench_check(bench);
}

Test(nvme_faults, corrupt)
{
    g_autoptr(Bench) data = start("data corrupt opcode=read qid=1");
    g_autoptr(Bench) list = start("prp-list corrupt qid=1");
    g_autoptr(Bench) cqe_fault = start("cqe corrupt qid=1");
    g_autoptr(Bench) sqe = start("sqe-fetch corrupt qid=1");
    NvmeCqe cqe;
    uint16_t cid;
    uint8_t *at = bench_memory(data, BENCH_DATA, 4096);

    bench_rw(data, NVME_IO_READ, 0, 8, BENCH_DATA, 0);
    cr_expect(eq(u8, at[0], 0xff));
    cr_expect(eq(u8, at[1], 0));
    submit(list);
    bench_run(list, SIM_S);
    cr_expect(bench_reap(list, 1, &cqe));
    cr_expect(eq(uint, bench_code(cqe), NVME_INVALID_FIELD));
    cid = submit(cqe_fault);
    bench_run(cqe_fault, SIM_S);
    cr_expect(bench_reap(cqe_fault, 1, &cqe));
    cr_expect(eq(u16, cqe.cid, cid ^ 0x8000));
    memset(bench_memory(sqe, BENCH_DATA, 512), 3, 512);
    bench_rw(sqe, NVME_IO_WRITE, 8, 1, BENCH_DATA, 0);
    bench_rw(sqe, NVME_IO_READ, 9, 1, BENCH_DATA + 512, 0);
    cr_expect(eq(u8, *(uint8_t *)bench_memory(sqe, BENCH_DATA + 512, 1), 3),
              "it went to the next block");
}

Test(nvme_faults, held_commands_do_not_outlive_a_reset)
{
    g_autoptr(Bench) bench = start("media hold count=all qid=1");

    for (unsigned i = 0; i < 20; i++) {
        submit(bench);
    }
    bench_run(bench, SIM_S);
    bench_disable(bench);
    bench_check(bench);
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_commands_discarded], 20));
}

Test(nvme_faults, unknown_word_is_an_error)
{
    const char *faults[] = {"mediaa drop", NULL};
    g_autoptr(Bench) bench = bench_new("ideal");
    g_autoptr(GError) error = NULL;

    cr_expect(eq(ptr,
                 nvme_model_new(&bench->port, bench->function, bench->profile,
                                &(NvmeModelOptions){.faults = faults}, &error),
                 NULL));
    cr_assert(error != NULL);
    cr_expect(strstr(error->message, "\"media\"") != NULL, "%s", error->message);
}
