/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NVM command set, PRPs, and what the namespace holds.  [NVMe-1.1 §4.3, §6] */
#include "bench.h"
#include <string.h>

static void pattern(Bench *bench, uint64_t address, size_t bytes, unsigned seed)
{
    uint8_t *at = bench_memory(bench, address, bytes);

    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)sim_hash64(seed * 1000003u + i);
    }
}

static bool same(Bench *bench, uint64_t a, uint64_t b, size_t bytes)
{
    return memcmp(bench_memory(bench, a, bytes), bench_memory(bench, b, bytes), bytes) == 0;
}

/* A PRP list at @list for @bytes from @data on; returns how many entries. */
static unsigned make_list(Bench *bench, uint64_t list, uint64_t data, uint64_t bytes)
{
    uint64_t first = 4096 - data % 4096, next = data + first;
    unsigned n = 0;

    for (; first < bytes; first += 4096, next += 4096, n++) {
        *(uint64_t *)bench_memory(bench, list + n * 8, 8) = next;
    }
    return n;
}

Test(nvme_io, written_blocks_are_read_back)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    uint64_t a = BENCH_DATA, b = BENCH_DATA + 0x100000;

    bench_start(bench, 64);
    for (unsigned blocks = 1; blocks <= 256; blocks = blocks * 2 + 1) {
        uint64_t lba = 1000 * blocks + blocks;
        uint64_t bytes = blocks * 512;
        uint64_t prp2 = bytes > 8192 ? BENCH_LIST : a + 4096;
        if (blocks > 256) {
            break;
        }
        pattern(bench, a, bytes, blocks);
        make_list(bench, BENCH_LIST, a, bytes);
        cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, lba, blocks, a, prp2), 0));
        make_list(bench, BENCH_LIST, b, bytes);
        prp2 = bytes > 8192 ? BENCH_LIST : b + 4096;
        cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, lba, blocks, b, prp2), 0));
        cr_assert(same(bench, a, b, bytes), "%u blocks", blocks);
    }
    bench_check(bench);
}

Test(nvme_io, unwritten_blocks_read_zero)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    uint8_t *data = bench_memory(bench, BENCH_DATA, 4096);

    bench_start(bench, 16);
    memset(data, 1, 4096);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 123456, 8, BENCH_DATA, 0), 0));
    for (unsigned i = 0; i < 4096; i++) {
        cr_assert(eq(u8, data[i], 0));
    }
}

/* A fixed function of seed and LBA, whatever the size and place of the read. */
Test(nvme_io, unwritten_blocks_read_random)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", &(NvmeModelOptions){.fill_random = true}, NULL);
    uint64_t a = BENCH_DATA, b = BENCH_DATA + 0x10000;

    bench_start(bench, 16);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 16, 8, a, 0), 0));
    for (unsigned i = 0; i < 8; i++) {
        cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 16 + i, 1, b + i * 512, 0), 0));
    }
    cr_expect(same(bench, a, b, 4096));
    cr_expect(not(same(bench, a, a + 512, 512)));
    memset(bench_memory(bench, b, 512), 7, 512);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE, 18, 1, b, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 16, 8, b + 4096, 0), 0));
    cr_expect(same(bench, a, b + 4096, 1024), "neighbours in the page stay as they were");
    cr_expect(same(bench, b, b + 4096 + 1024, 512));
    cr_expect(same(bench, a + 1536, b + 4096 + 1536, 2560));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE_ZEROES, 8, 17, 0, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 16, 9, a, a + 4096), 0));
    cr_expect(eq(u8, *(uint8_t *)bench_memory(bench, a + 4607, 1), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 25, 1, a, 0), 0));
    cr_expect(ne(u64, *(uint64_t *)bench_memory(bench, a, 8), 0));
}

/* Memory first, then an unlinked file.  The limit holds four pages here. */
Test(nvme_io, store_goes_on_in_a_file)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", &(NvmeModelOptions){.store_limit_bytes = 4 * 4300}, NULL);
    uint64_t b = BENCH_DATA + 0x100000;

    bench_start(bench, 16);
    for (unsigned i = 0; i < 32; i++) {
        pattern(bench, BENCH_DATA, 4096, i);
        cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, i * 8000, 8, BENCH_DATA, 0), 0));
    }
    pattern(bench, BENCH_DATA, 512, 99);
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, 31 * 8000 + 3, 1, BENCH_DATA, 0), 0));
    for (unsigned i = 0; i < 32; i++) {
        pattern(bench, BENCH_DATA, 4096, i);
        if (i == 31) {
            pattern(bench, BENCH_DATA + 1536, 512, 99);
        }
        cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, i * 8000, 8, b, 0), 0));
        cr_assert(same(bench, BENCH_DATA, b, 4096), "page %u", i);
    }
}

Test(nvme_io, list_near_the_end_of_its_page)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    uint64_t a = BENCH_DATA, b = BENCH_DATA + 0x100000;

    bench_start(bench, 16);
    pattern(bench, a, 131072, 3);
    make_list(bench, BENCH_LIST, a, 131072);
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, 0, 256, a, BENCH_LIST), 0));
    for (unsigned room = 1; room <= 33;
         room++) { /* entries between the list's start and the page's end */
        uint64_t list = BENCH_LIST + 4096 - room * 8, rest = BENCH_LIST + 0x8000 + room * 8;
        unsigned direct = room >= 31 ? 31 : room - 1;
        memset(bench_memory(bench, b, 131072), 0, 131072);
        for (unsigned i = 0; i < 31; i++) {
            uint64_t at = i < direct ? list + i * 8 : rest + (i - direct) * 8;
            *(uint64_t *)bench_memory(bench, at, 8) = b + 4096 * (i + 1);
        }
        if (direct < 31) {
            *(uint64_t *)bench_memory(bench, list + direct * 8, 8) = rest;
        }
        cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 256, b, list), 0), "room %u", room);
        cr_assert(same(bench, a, b, 131072), "room %u", room);
    }
    bench_check(bench);
}

Test(nvme_io, unaligned_128_kib_has_a_list_of_32)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    uint64_t a = BENCH_DATA + 0x204, b = BENCH_DATA + 0x100a00;

    bench_start(bench, 16);
    pattern(bench, a, 131072, 5);
    cr_expect(eq(uint, make_list(bench, BENCH_LIST + 256, a, 131072), 32));
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, 77, 256, a, BENCH_LIST + 256), 0));
    make_list(bench, BENCH_LIST + 256, b, 131072);
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, 77, 256, b, BENCH_LIST + 256), 0));
    cr_expect(same(bench, a, b, 131072));
    cr_expect(eq(
        u64, bench_count(bench, PCIE_FOR_PRP_LIST, PCIE_DOWNSTREAM, PCIE_CPLD).payload_bytes, 512));
}

Test(nvme_io, larger_memory_pages)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    uint64_t a = BENCH_DATA, b = BENCH_DATA + 0x100000;

    bench_write(bench, 0x24, 0x001f001f, 4);
    bench->sq[0] = (BenchQueue){0x10000, 32, 0, 0, true};
    bench->cq[0] = (BenchQueue){0x20000, 32, 0, 0, true};
    bench->next_queue = 0x40000;
    bench_write(bench, 0x28, 0x10000, 8);
    bench_write(bench, 0x30, 0x20000, 8);
    bench_write(bench, 0x14, 0x00460201, 4); /* MPS 4: 64 KiB */
    bench_run(bench, 2 * SIM_S);
    bench->next_queue = 0x40000;
    cr_assert(eq(uint, bench_create_cq(bench, 1, 16, 1), 0));
    bench->next_queue = 0x50000;
    cr_assert(eq(uint, bench_create_sq(bench, 1, 16, 1), 0));
    pattern(bench, a, 131072, 8);
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, 0, 256, a, a + 65536), 0));
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 256, b, b + 65536), 0));
    cr_expect(same(bench, a, b, 131072));
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_PRP_LIST, PCIE_UPSTREAM, PCIE_MRD).tlps, 0));
}

Test(nvme_io, refused_with_the_right_status)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    NvmeSqe wrong = bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0);
    const uint64_t end = 250069680;
    uint64_t *list = bench_memory(bench, BENCH_LIST, 512);
    NvmeCqe cqe;

    bench_start(bench, 16);
    make_list(bench, BENCH_LIST, BENCH_DATA, 131072);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, end - 8, 8, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, end - 7, 8, BENCH_DATA, 0), NVME_LBA_RANGE));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, end, 1, BENCH_DATA, 0), NVME_LBA_RANGE));
    cr_expect(
        eq(uint, bench_rw(bench, NVME_IO_READ, UINT64_MAX, 1, BENCH_DATA, 0), NVME_LBA_RANGE));
    cr_expect(
        eq(uint, bench_rw(bench, NVME_IO_READ, 0, 257, BENCH_DATA, BENCH_LIST), NVME_INVALID_FIELD),
        "MDTS");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 8, BENCH_DATA + 2, BENCH_DATA + 4096),
                 NVME_INVALID_FIELD),
              "PRP1 alignment");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 16, BENCH_DATA, BENCH_DATA + 4100),
                 NVME_INVALID_FIELD),
              "PRP2 offset");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 256, BENCH_DATA, BENCH_LIST + 4),
                 NVME_INVALID_FIELD),
              "list alignment");
    list[7] += 4;
    cr_expect(
        eq(uint, bench_rw(bench, NVME_IO_READ, 0, 256, BENCH_DATA, BENCH_LIST), NVME_INVALID_FIELD),
        "entry with offset");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 8, UINT64_C(0xfff0000000), 0),
                 NVME_DATA_TRANSFER_ERROR),
              "bus error");
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE, 0, 8, UINT64_C(0xfff0000000), 0),
                 NVME_DATA_TRANSFER_ERROR));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 256, BENCH_DATA, UINT64_C(0xfff0000000)),
                 NVME_DATA_TRANSFER_ERROR));
    wrong.nsid = 2;
    cqe = bench_command(bench, 1, 1, wrong);
    cr_expect(eq(uint, cqe.status >> 1, 0x200b), "More=1, DNR=0");
    wrong.nsid = 1;
    wrong.flags = 0x80;
    cr_expect(eq(uint, bench_code(bench_command(bench, 1, 1, wrong)), NVME_INVALID_FIELD), "SGL");
    wrong.flags = 0;
    for (unsigned opcode = 0x0d; opcode < 256; opcode++) {
        wrong.opcode = (uint8_t)opcode;
        cr_assert(eq(uint, bench_code(bench_command(bench, 1, 1, wrong)), NVME_INVALID_OPCODE));
    }
    cr_expect(gt(uint, bench_violations(bench), 0));
    bench_check(bench);
}

Test(nvme_io, optional_commands_follow_oncs)
{
    g_autoptr(Bench) bench = bench_new("intel-750");

    bench_start(bench, 16);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE_ZEROES, 0, 8, 0, 0), NVME_INVALID_OPCODE));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_COMPARE, 0, 8, BENCH_DATA, 0), NVME_INVALID_OPCODE));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_FLUSH, 0, 1, 0, 0), 0),
              "mandatory, with or without a cache");
    cr_expect(eq(uint, bench_violations(bench), 3));
}

Test(nvme_io, compare)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 16);
    pattern(bench, BENCH_DATA, 8192, 1);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE, 5, 16, BENCH_DATA, BENCH_DATA + 4096), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_COMPARE, 5, 16, BENCH_DATA, BENCH_DATA + 4096), 0));
    *(uint8_t *)bench_memory(bench, BENCH_DATA + 8191, 1) ^= 1;
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_COMPARE, 5, 16, BENCH_DATA, BENCH_DATA + 4096),
                 NVME_COMPARE_FAILURE));
}

Test(nvme_io, write_uncorrectable_until_written_again)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_start(bench, 16);
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE_UNCORRECTABLE, 100, 2, 0, 0), 0));
    cr_expect(
        eq(uint, bench_rw(bench, NVME_IO_READ, 101, 1, BENCH_DATA, 0), NVME_UNRECOVERED_READ));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 99, 1, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE, 101, 1, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 101, 1, BENCH_DATA, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 96, 8, BENCH_DATA, 0), NVME_UNRECOVERED_READ));
}

Test(nvme_io, deallocate_and_write_zeroes)
{
    g_autoptr(Bench) bench = bench_new("ideal");
    NvmeDsmRange *ranges = bench_memory(bench, BENCH_LIST, 4096);
    uint8_t *data = bench_memory(bench, BENCH_DATA, 8192);
    NvmeSqe dsm = {.opcode = NVME_IO_DSM, .nsid = 1, .prp1 = BENCH_LIST, .cdw10 = 1, .cdw11 = 4};

    bench_start(bench, 16);
    memset(data, 0x11, 8192);
    cr_assert(eq(uint, bench_rw(bench, NVME_IO_WRITE, 0, 16, BENCH_DATA, BENCH_DATA + 4096), 0));
    ranges[0] = (NvmeDsmRange){.nlb = 2, .slba = 3};
    ranges[1] = (NvmeDsmRange){.nlb = 4000000, .slba = 12};
    cr_expect(eq(uint, bench_code(bench_command(bench, 1, 1, dsm)), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_WRITE_ZEROES, 8, 1, 0, 0), 0));
    cr_expect(eq(uint, bench_rw(bench, NVME_IO_READ, 0, 16, BENCH_DATA, BENCH_DATA + 4096), 0));
    for (unsigned i = 0; i < 16; i++) {
        bool zero = i == 3 || i == 4 || i == 8 || i >= 12;
        cr_expect(eq(u8, data[i * 512], zero ? 0 : 0x11), "block %u", i);
    }
    ranges[0].slba = UINT64_MAX;
    cr_expect(eq(uint, bench_code(bench_command(bench, 1, 1, dsm)), NVME_LBA_RANGE));
    cr_expect(eq(u64, bench_count(bench, PCIE_FOR_DATA, PCIE_DOWNSTREAM, PCIE_CPLD).payload_bytes,
                 8192 + 64),
              "only the ranges that are named are fetched");
}

Test(nvme_io, flush_of_all_namespaces)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    bench_start(bench, 16);
    cr_expect(eq(uint, bench_code(bench_command(bench, 1, 1, (NvmeSqe){.nsid = UINT32_MAX})), 0));
    cr_expect(eq(uint, bench_code(bench_command(bench, 1, 1, (NvmeSqe){.nsid = 0})),
                 NVME_INVALID_NAMESPACE));
}
