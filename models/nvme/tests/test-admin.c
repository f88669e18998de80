/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identify, features, logs, Abort, asynchronous events, format, firmware, security.  [NVMe-1.1 §5]
 */
#include "bench.h"
#include <string.h>

static const void *identify(Bench *bench, unsigned cns, uint32_t nsid, unsigned *code)
{
    memset(bench_memory(bench, BENCH_DATA, 4096), 0xee, 4096);
    *code =
        bench_code(bench_admin(bench, .opcode = 6, .nsid = nsid, .prp1 = BENCH_DATA, .cdw10 = cns));
    return bench_memory(bench, BENCH_DATA, 4096);
}

Test(nvme_admin, identify_controller_of_the_sm951)
{
    g_autoptr(Bench) bench =
        bench_new_with("samsung-sm951", &(NvmeModelOptions){.serial = "S1XVNYAGA02988"}, NULL);
    const NvmeIdController *id;
    unsigned code;

    bench_enable(bench);
    id = identify(bench, 1, 0, &code);
    cr_expect(eq(uint, code, 0));
    cr_expect(eq(u16, id->vid, 0x144d));
    cr_expect(eq(u16, id->ssvid, 0x144d));
    cr_expect(eq(int, memcmp(id->sn, "S1XVNYAGA02988      ", 20), 0));
    cr_expect(eq(int, memcmp(id->mn, "SAMSUNG MZVPV128HDGM-00000              ", 40), 0));
    cr_expect(eq(int, memcmp(id->fr, "BXW7300Q", 8), 0));
    cr_expect(eq(int, memcmp(id->ieee, "\x38\x25\x00", 3), 0));
    cr_expect(eq(u8, id->mdts, 5));
    cr_expect(eq(u16, id->cntlid, 1));
    cr_expect(eq(u16, id->oacs, 7));
    cr_expect(eq(u8, id->acl, 7));
    cr_expect(eq(u8, id->npss, 4));
    cr_expect(eq(u16, id->oncs, 0x1f));
    cr_expect(eq(u8, id->vwc, 1));
    cr_expect(eq(u8, id->sqes, 0x66));
    cr_expect(eq(u8, id->cqes, 0x44));
    cr_expect(eq(u32, id->nn, 1));
    cr_expect(eq(u16, id->psd[0].mp, 900));
    cr_expect(eq(u8, id->psd[0].flags, 0));
    cr_expect(eq(u16, id->psd[3].mp, 700));
    cr_expect(eq(u8, id->psd[3].flags, 3), "0.1 mW units, non-operational");
    cr_expect(eq(u16, id->psd[4].mp, 50));
    cr_expect(eq(u32, id->psd[4].exlat, 22000));
    for (unsigned i = 80; i < 256; i++) {
        cr_assert(eq(u8, ((const uint8_t *)id)[i], 0), "byte %u is reserved in 1.1", i);
    }
}

Test(nvme_admin, identify_namespace)
{
    g_autoptr(Bench) sm951 = bench_new("samsung-sm951");
    g_autoptr(Bench) intel = bench_new("intel-750");
    const NvmeIdNamespace *id;
    unsigned code;

    bench_enable(sm951);
    id = identify(sm951, 0, 1, &code);
    cr_expect(eq(u64, id->nsze, 250069680));
    cr_expect(eq(u64, id->ncap, 250069680));
    cr_expect(eq(u8, id->nlbaf, 0));
    cr_expect(eq(u32, id->lbaf[0], 0x00090000));
    bench_enable(intel);
    id = identify(intel, 0, 1, &code);
    cr_expect(eq(u64, id->nsze, 781422768));
    cr_expect(eq(u8, id->nlbaf, 6));
    cr_expect(eq(u32, id->lbaf[0], 0x02090000));
    cr_expect(eq(u32, id->lbaf[3], 0x000c0000));
    cr_expect(eq(u32, id->lbaf[6], 0x000c0080));
}

Test(nvme_admin, identify_by_version)
{
    g_autoptr(Bench) sm951 = bench_new("samsung-sm951");
    g_autoptr(Bench) intel = bench_new("intel-750");
    g_autoptr(Bench) literal = bench_new_with("intel-750", NULL, "identify.cns-mask=1", NULL);
    const uint32_t *list;
    unsigned code;
    NvmeCqe cqe;

    bench_enable(sm951);
    list = identify(sm951, 2, 0, &code);
    cr_expect(eq(uint, code, 0));
    cr_expect(eq(u32, list[0], 1));
    cr_expect(eq(u32, list[1], 0));
    list = identify(sm951, 2, 1, &code);
    cr_expect(eq(u32, list[0], 0), "ids greater than 1");
    identify(sm951, 0, 2, &code);
    cr_expect(eq(uint, code, NVME_INVALID_NAMESPACE));
    identify(sm951, 0, UINT32_MAX, &code);
    cr_expect(eq(uint, code, NVME_INVALID_NAMESPACE));
    cqe = bench_admin(sm951, .opcode = 6, .prp1 = BENCH_DATA, .cdw10 = 6);
    cr_expect(eq(uint, cqe.status >> 1, 0x2002), "More=1, DNR=0: as the drive logs it");
    bench_enable(intel);
    cqe = bench_admin(intel, .opcode = 6, .prp1 = BENCH_DATA, .cdw10 = 2);
    cr_expect(eq(uint, cqe.status >> 1, 0x6002), "a 1.0 drive");
    bench_enable(literal);
    identify(literal, 3, 0, &code);
    cr_expect(eq(uint, code, 0), "one bit of CNS is decoded");
}

Test(nvme_admin, errors_are_logged_newest_first)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    const NvmeErrorEntry *log;
    const NvmeSmart *smart;
    NvmeSqe bad = {.opcode = 6, .prp1 = BENCH_DATA, .cdw10 = 9, .cid = 77};

    bench_enable(bench);
    for (unsigned i = 0; i < 70; i++) {
        bench_command(bench, 0, 0, bad);
    }
    cr_expect(
        eq(uint,
           bench_code(bench_admin(bench, .opcode = 2, .prp1 = BENCH_DATA, .cdw10 = 1 | 1023 << 16)),
           0));
    log = bench_memory(bench, BENCH_DATA, 4096);
    cr_expect(eq(u64, log[0].count, 70));
    cr_expect(eq(u64, log[63].count, 7));
    cr_expect(eq(u16, log[0].status, 0x4004));
    cr_expect(eq(u16, log[0].cid, 77));
    cr_expect(eq(u16, log[0].sqid, 0));
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 2, .prp1 = BENCH_DATA, .nsid = UINT32_MAX,
                                        .cdw10 = 2 | 127 << 16)),
                 0));
    smart = bench_memory(bench, BENCH_DATA, 512);
    cr_expect(eq(u64, smart->error_entries[0], 70));
    cr_expect(eq(uint, smart->temperature[0] | smart->temperature[1] << 8, 318));
    cr_expect(eq(u8, smart->available_spare, 100));
}

Test(nvme_admin, log_pages)
{
    g_autoptr(Bench) sm951 = bench_new("samsung-sm951");
    g_autoptr(Bench) intel = bench_new("intel-750");
    const uint8_t *page;

    bench_enable(sm951);
    bench_enable(intel);
#define LOG(bench, lid, id)                                                                        \
    bench_code(bench_admin(bench, .opcode = 2, .nsid = id, .prp1 = BENCH_DATA,                     \
                           .cdw10 = (lid) | 127 << 16))
    cr_expect(eq(uint, LOG(sm951, 2, 0), 0));
    cr_expect(eq(uint, LOG(sm951, 2, 1), 0), "LPA bit 0");
    cr_expect(eq(uint, LOG(intel, 2, 1), NVME_INVALID_NAMESPACE));
    cr_expect(eq(uint, LOG(sm951, 3, 0), 0));
    page = bench_memory(sm951, BENCH_DATA, 512);
    cr_expect(eq(int, memcmp(page + 8, "BXW7300Q", 8), 0));
    cr_expect(eq(uint, LOG(sm951, 5, 0), NVME_INVALID_LOG_PAGE));
    cr_expect(eq(uint, LOG(intel, 5, 0), 0), "LPA bit 1");
    page = bench_memory(intel, BENCH_DATA, 512);
    cr_expect(eq(u8, page[NVME_ADMIN_IDENTIFY * 4], 1));
    cr_expect(eq(uint, LOG(sm951, 0x80, 0), NVME_INVALID_LOG_PAGE));
    cr_expect(eq(uint, LOG(sm951, 0, 0), NVME_INVALID_LOG_PAGE));
#undef LOG
}

Test(nvme_admin, features)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    g_autoptr(Bench) intel = bench_new("intel-750");
    static const struct {
        unsigned fid, cdw11, status, get;
    } rows[] = {
        {1, 3, 0, 3},
        {2, 4, 0, 4},
        {2, 5, NVME_INVALID_FIELD, 4},
        {4, 340, 0, 340},
        {5, 9, 0, 9},
        {6, 0, 0, 0},
        {8, 0x20a, 0, 0x20a},
        {9, 3 | 1 << 16, 0, 0},
        {9, 9, NVME_INVALID_FIELD, 0},
        {10, 1, 0, 1},
        {11, 2, 0, 2},
        {0, 0, NVME_INVALID_FIELD, 0},
        {13, 0, NVME_INVALID_FIELD, 0},
        {0x80, 0, NVME_INVALID_FIELD, 0},
        {255, 0, NVME_INVALID_FIELD, 0},
    };
    uint64_t *apst = bench_memory(bench, BENCH_DATA, 256);

    bench_enable(bench);
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        NvmeCqe cqe = bench_admin(bench, .opcode = 9, .cdw10 = rows[i].fid, .cdw11 = rows[i].cdw11);
        cr_expect(eq(uint, bench_code(cqe), rows[i].status), "Set feature %#x to %#x", rows[i].fid,
                  rows[i].cdw11);
        cqe = bench_admin(bench, .opcode = 10, .cdw10 = rows[i].fid);
        if (rows[i].status == 0) {
            cr_expect(eq(u32, cqe.dw0, rows[i].get), "Get feature %#x", rows[i].fid);
        }
    }
    apst[1] = 0x6418;
    cr_expect(
        eq(uint,
           bench_code(bench_admin(bench, .opcode = 9, .prp1 = BENCH_DATA, .cdw10 = 12, .cdw11 = 1)),
           0));
    apst[1] = 0;
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .prp1 = BENCH_DATA, .cdw10 = 12).dw0, 1));
    cr_expect(eq(u64, apst[1], 0x6418));
    /* Save and select, which the SM951 has. */
    cr_expect(eq(
        uint, bench_code(bench_admin(bench, .opcode = 9, .cdw10 = 4 | 1u << 31, .cdw11 = 350)), 0));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 9, .cdw10 = 8 | 1u << 31)),
                 NVME_FEATURE_NOT_SAVEABLE));
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .cdw10 = 4 | 1 << 8).dw0, 0xffff));
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .cdw10 = 4 | 2 << 8).dw0, 350));
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .cdw10 = 4 | 3 << 8).dw0, 5));
    bench_disable(bench);
    bench_enable(bench);
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .cdw10 = 4).dw0, 350),
              "saved values outlive a reset");
    cr_expect(eq(u32, bench_admin(bench, .opcode = 10, .cdw10 = 8).dw0, 0));
    bench_enable(intel);
    cr_expect(
        eq(uint, bench_code(bench_admin(intel, .opcode = 10, .cdw10 = 6)), NVME_INVALID_FIELD),
        "no write cache");
    cr_expect(
        eq(uint, bench_code(bench_admin(intel, .opcode = 10, .cdw10 = 12)), NVME_INVALID_FIELD),
        "no APST");
}

Test(nvme_admin, abort_completes_the_command_first)
{
    const char *faults[] = {"cqe hold opcode=read count=1", NULL};
    g_autoptr(Bench) bench = bench_new_with("ideal", &(NvmeModelOptions){.faults = faults}, NULL);
    NvmeCqe cqe;
    uint16_t cid;

    bench_start(bench, 16);
    cid = bench_submit(bench, 1, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0));
    bench_run(bench, SIM_MS);
    cr_expect(not(bench_reap(bench, 1, &cqe)));
    bench->raised_n = 0;
    cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1 | (uint32_t)cid << 16);
    cr_expect(eq(uint, bench_code(cqe), 0));
    cr_expect(eq(u32, cqe.dw0, 0), "aborted");
    cr_expect(eq(uint, bench->raised[0], 1), "its vector first");
    cr_expect(eq(uint, bench->raised[1], 0));
    cr_expect(bench_reap(bench, 1, &cqe));
    cr_expect(eq(u16, cqe.cid, cid));
    cr_expect(eq(uint, bench_code(cqe), NVME_ABORT_REQUESTED));
    cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1 | (uint32_t)cid << 16);
    cr_expect(eq(u32, cqe.dw0, 1), "nothing there any more");
    cqe = bench_admin(bench, .opcode = 8, .cdw10 = 500);
    cr_expect(eq(u32, cqe.dw0, 1), "no such queue");
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_aborts], 3));
    cr_expect(eq(u64, bench->model->counts[NVME_DEVICE_aborted], 1));
    bench_check(bench);
}

/* The command completes while its Abort is under way: exactly one CQE each.  [NVMe-1.1 §5.1] */
Test(nvme_admin, abort_races_with_completion)
{
    for (unsigned us = 60; us < 130; us += 1) {
        g_autoptr(Bench) bench = bench_new("samsung-sm951");
        NvmeCqe cqe;
        uint16_t cid;
        unsigned n = 0;

        bench_start(bench, 16);
        cid = bench_submit(bench, 1, bench_io(NVME_IO_WRITE_ZEROES, 0, 8, 0, 0));
        bench_run(bench, us * SIM_US / 2);
        cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1 | (uint32_t)cid << 16);
        cr_expect(eq(uint, bench_code(cqe), 0));
        while (bench_reap(bench, 1, &cqe)) {
            n++;
        }
        cr_expect(eq(uint, n, 1));
        bench_check(bench);
    }
}

Test(nvme_admin, abort_limit)
{
    g_autoptr(Bench) bench = bench_new("intel-750");
    unsigned refused = 0, good = 0;
    NvmeCqe cqe;

    bench_enable(bench);
    for (unsigned i = 0; i < 10; i++) {
        bench_put(bench, 0, (NvmeSqe){.opcode = 8, .cdw10 = 1});
    }
    bench_ring(bench, 0);
    bench_run(bench, 100 * SIM_MS);
    while (bench_reap(bench, 0, &cqe)) {
        refused += bench_code(cqe) == NVME_ABORT_LIMIT;
        good += bench_code(cqe) == NVME_OK;
    }
    cr_expect(eq(uint, good, 4), "ACL + 1");
    cr_expect(eq(uint, refused, 6));
    cqe = bench_admin(bench, .opcode = 8, .cdw10 = 1);
    cr_expect(eq(uint, bench_code(cqe), 0));
}

Test(nvme_admin, async_event_limit_and_delivery)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    NvmeCqe cqe;

    bench_start(bench, 16);
    for (unsigned i = 0; i < 5; i++) {
        bench_submit(bench, 0, (NvmeSqe){.opcode = 12});
    }
    bench_run(bench, 100 * SIM_MS);
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(uint, bench_code(cqe), NVME_AER_LIMIT), "AERL + 1 are outstanding");
    cr_expect(not(bench_reap(bench, 0, &cqe)));
    bench_write(bench, 0x1008, 99, 4); /* an invalid doorbell value */
    bench_run(bench, SIM_MS);
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(u32, cqe.dw0, 0x00010100), "log 1, info 1, type 0");
    bench_write(bench, 0x1008, 99, 4);
    bench_run(bench, SIM_MS);
    cr_expect(not(bench_reap(bench, 0, &cqe)), "masked until the log page is read");
    bench_admin(bench, .opcode = 2, .prp1 = BENCH_DATA, .cdw10 = 1 | 15 << 16);
    bench_write(bench, 0x1080, 1, 4); /* no such queue */
    bench_run(bench, SIM_MS);
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(u32, cqe.dw0, 0x00010000));
    /* A temperature above the threshold, for who asked. */
    bench_admin(bench, .opcode = 9, .cdw10 = 11, .cdw11 = 2);
    bench_submit(bench, 0, (NvmeSqe){.opcode = 9, .cdw10 = 4, .cdw11 = 300});
    bench_run(bench, SIM_MS);
    cr_expect(bench_reap(bench, 0, &cqe));
    cr_expect(eq(u32, cqe.dw0, 0x00020101));
    cr_expect(bench_reap(bench, 0, &cqe));
    bench_check(bench);
    bench_disable(bench); /* the last request does not survive */
    bench_check(bench);
}

Test(nvme_admin, format)
{
    g_autoptr(Bench) bench = bench_new("intel-750");
    const NvmeIdNamespace *id;
    unsigned code;
    uint8_t *data;

    bench_start(bench, 16);
    data = bench_memory(bench, BENCH_DATA, 4096);
    memset(data, 0x5a, 4096);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE, 0, 8, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x80, .nsid = 1, .cdw10 = 1)),
                 NVME_INVALID_FORMAT),
              "metadata");
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x80, .nsid = 1, .cdw10 = 7)),
                 NVME_INVALID_FORMAT));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x80, .nsid = 2, .cdw10 = 3)),
                 NVME_INVALID_NAMESPACE));
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 0x80, .nsid = 1, .cdw10 = 3 | 3 << 9)),
                 NVME_INVALID_FIELD));
    cr_expect(
        eq(uint,
           bench_code(bench_admin(bench, .opcode = 0x80, .nsid = UINT32_MAX, .cdw10 = 3 | 1 << 9)),
           0));
    id = identify(bench, 0, 1, &code);
    cr_expect(eq(u8, id->flbas, 3));
    cr_expect(eq(u64, id->nsze, 97677846));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 1, BENCH_DATA, 0), 0));
    cr_expect(eq(u8, data[0], 0), "erased");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 97677846, 1, BENCH_DATA, 0), NVME_LBA_RANGE));
}

Test(nvme_admin, firmware)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench_enable(bench);
    cr_expect(eq(uint,
                 bench_code(bench_admin(bench, .opcode = 0x11, .prp1 = BENCH_DATA, .cdw10 = 1023)),
                 0));
    cr_expect(eq(u64,
                 bench_count(bench, PCIE_FOR_ADMIN_DATA, PCIE_DOWNSTREAM, PCIE_CPLD).payload_bytes,
                 4096));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x10, .cdw10 = 1)),
                 NVME_INVALID_FIRMWARE_IMAGE));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x10, .cdw10 = 5)),
                 NVME_INVALID_FIRMWARE_SLOT));
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 0x10, .cdw10 = 1 | 2 << 3)), 0),
              "the one that runs");
}

/* What Linux sends at each start to a drive with OACS bit 0. */
Test(nvme_admin, security_receive)
{
    g_autoptr(Bench) sm951 = bench_new("samsung-sm951");
    g_autoptr(Bench) intel = bench_new("intel-750");
    NvmeCqe cqe;

    bench_enable(sm951);
    cqe =
        bench_admin(sm951, .opcode = 0x82, .prp1 = BENCH_DATA, .cdw10 = 0x01000100, .cdw11 = 2048);
    cr_expect(eq(uint, cqe.status >> 1, 0x2002));
    cqe = bench_admin(sm951, .opcode = 0x82, .prp1 = BENCH_DATA, .cdw10 = 0, .cdw11 = 512);
    cr_expect(eq(uint, bench_code(cqe), 0));
    cr_expect(eq(u8, *(uint8_t *)bench_memory(sm951, BENCH_DATA + 7, 1), 1));
    bench_enable(intel);
    cqe =
        bench_admin(intel, .opcode = 0x82, .prp1 = BENCH_DATA, .cdw10 = 0x01000100, .cdw11 = 2048);
    cr_expect(eq(uint, bench_code(cqe), NVME_INVALID_OPCODE));
}

Test(nvme_admin, unknown_opcodes_are_refused)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench_enable(bench);
    for (unsigned opcode = 0x14; opcode < 0x80; opcode++) {
        cr_assert(eq(uint, bench_code(bench_admin(bench, .opcode = (uint8_t)opcode)),
                     NVME_INVALID_OPCODE));
    }
    cr_expect(eq(uint, bench_code(bench_admin(bench, .opcode = 6, .flags = 0x40, .cdw10 = 1)),
                 NVME_INVALID_FIELD),
              "SGL");
}
