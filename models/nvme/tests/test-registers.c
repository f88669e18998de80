/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers: every row of the table is a case, at every width.  [NVMe-1.1 §3.1] */
#include "bench.h"

typedef struct Case {
    unsigned reg, size;
} Case;

static struct criterion_test_params cases(void)
{
    static Case list[NVME_REG_COUNT * 4];

    for (unsigned i = 0; i < NVME_REG_COUNT * 4; i++) {
        list[i] = (Case){i / 4, 1u << (i % 4)};
    }
    return cr_make_param_array(Case, list, NVME_REG_COUNT * 4);
}

static uint64_t mask_of(unsigned bytes)
{
    return UINT64_MAX >> (64 - bytes * 8);
}

/* Expected reset value: CAP and VS as a driver printed them for the SM951. */
static uint64_t reset_of(unsigned reg)
{
    return reg == NVME_REG_CAP  ? UINT64_C(0x00f000203c013fff)
           : reg == NVME_REG_VS ? 0x00010100
                                : nvme_model_regs[reg].reset;
}

ParameterizedTestParameters(nvme_registers, reset_value)
{
    return cases();
}
ParameterizedTest(Case *c, nvme_registers, reset_value)
{
    const NvmeReg *reg = &nvme_model_regs[c->reg];
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    for (unsigned at = 0; at < reg->bytes; at += MIN(c->size, reg->bytes)) {
        unsigned n = MIN(c->size, reg->bytes);
        cr_expect(eq(u64, bench_read(bench, reg->offset + at, n),
                     reset_of(c->reg) >> (at * 8) & mask_of(n)),
                  "%s+%u, %u bytes [%s]", reg->name, at, n, reg->spec);
    }
}

ParameterizedTestParameters(nvme_registers, write_mask)
{
    return cases();
}
ParameterizedTest(Case *c, nvme_registers, write_mask)
{
    const NvmeReg *reg = &nvme_model_regs[c->reg];
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    /* EN stays off: enabling is another test's business. */
    uint64_t ones = c->reg == NVME_REG_CC ? ~NVME_FIELD_MASK(CC_EN) : UINT64_MAX;
    uint64_t writable = nvme_model_reg_mask(c->reg, NVME_RW) & ones;
    unsigned n = MIN(c->size, reg->bytes);
    uint64_t now;

    for (unsigned at = 0; at < reg->bytes; at += n) {
        bench_write(bench, reg->offset + at, ones >> (at * 8), n);
    }
    now = bench_read(bench, reg->offset, reg->bytes);
    if (c->reg == NVME_REG_INTMS) { /* set by writing 1, and both registers show the mask */
        cr_expect(eq(u64, now, n < 4 ? 0 : UINT32_MAX));
        cr_expect(eq(u64, bench_read(bench, 0x10, 4), now));
    } else {
        cr_expect(eq(u64, now, reset_of(c->reg) | (n < 4 ? 0 : writable)), "%s, %u bytes [%s]",
                  reg->name, n, reg->spec);
    }
    cr_expect(eq(int, bench_violations(bench) > 0,
                 n < 4 || c->reg == NVME_REG_INTMS || c->reg == NVME_REG_INTMC),
              "%s: an access that is not a dword is a violation", reg->name);
}

Test(nvme_registers, capabilities_of_the_750)
{
    g_autoptr(Bench) bench = bench_new("intel-750");

    cr_expect(eq(u64, bench_read(bench, 0, 8), UINT64_C(0x0000002028010fff)));
    cr_expect(eq(u64, bench_read(bench, 0, 4), 0x28010fff));
    cr_expect(eq(u64, bench_read(bench, 4, 4), 0x20));
    cr_expect(eq(u64, bench_read(bench, 8, 4), 0x00010000));
}

/* Read by drivers of later versions: reserved here, so 0.  [NVMe-1.1 §3.1] */
Test(nvme_registers, later_registers_read_zero)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    static const unsigned offsets[] = {0x20, 0x38, 0x3c, 0x50, 0x58, 0xe00, 0xffc, 0x1000, 0x1ffc};

    for (unsigned i = 0; i < G_N_ELEMENTS(offsets); i++) {
        cr_expect(eq(u64, bench_read(bench, offsets[i], 4), 0), "offset %#x", offsets[i]);
    }
}

Test(nvme_registers, dword_halves_of_a_64_bit_register)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench_write(bench, 0x28, 0x89abcfff, 4);
    bench_write(bench, 0x2c, 0x01234567, 4);
    cr_expect(eq(u64, bench_read(bench, 0x28, 8), UINT64_C(0x0123456789abc000)),
              "the low 12 bits read 0 [NVMe-1.1 §3.1.9]");
}

Test(nvme_registers, mask_set_and_clear)
{
    g_autoptr(Bench) bench = bench_new("ideal");

    bench->mode = SIM_IRQ_INTX;
    bench_write(bench, 0x0c, 0xf0, 4);
    bench_write(bench, 0x10, 0x30, 4);
    cr_expect(eq(u64, bench_read(bench, 0x0c, 4), 0xc0));
    cr_expect(eq(u64, bench_read(bench, 0x10, 4), 0xc0));
    cr_expect(eq(uint, bench_violations(bench), 0));
}

Test(nvme_registers, any_access_is_survived)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");

    for (unsigned offset = 0; offset < 0x2100; offset++) {
        for (unsigned size = 1; size <= 8; size *= 2) {
            bench_read(bench, offset, size);
            bench_write(bench, offset, UINT64_C(0xa5a5a5a5a5a5a5a5) & ~UINT64_C(1), size);
        }
    }
    bench_read(bench, UINT64_MAX - 3, 8);
    bench_write(bench, UINT64_MAX - 3, 0, 8);
    bench_run(bench, SIM_S);
    bench_check(bench);
}
