/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The register file, EEPROM, module, semaphores and resets: what a driver meets while it probes. */
#include "bench.h"

ParameterizedTestParameters(ixgbe_regs, reset_value)
{
    static unsigned rows[IXGBE_REG_COUNT];

    for (unsigned i = 0; i < IXGBE_REG_COUNT; i++) {
        rows[i] = i;
    }
    return cr_make_param_array(unsigned, rows, IXGBE_REG_COUNT);
}
/* Every place of a register shows the same value, and a write reaches RW bits alone. */
ParameterizedTest(unsigned *row, ixgbe_regs, reset_value)
{
    g_autoptr(Bench) bench = bench_new();
    const IxgbeReg *reg = &ixgbe_model_regs[*row];

    for (unsigned i = 0; i < ixgbe_model_reg_places_n; i++) {
        const IxgbeRegPlace *place = &ixgbe_model_reg_places[i];
        if (place->reg != *row) {
            continue;
        }
        cr_expect(le(u32, place->first + place->count, reg->count), "%s", reg->name);
        for (unsigned n = 0; n < place->count; n++) {
            uint32_t at = place->offset + n * place->stride;
            uint32_t value = bench->model->values[reg->first + place->first + n];
            IxgbeMapEntry entry = bench->model->map[at / 4];
            cr_expect(eq(u16, entry.reg, (uint16_t)(*row + 1)), "%s at %#x", reg->name, at);
            cr_expect(eq(u16, entry.index, (uint16_t)(place->first + n)), "%s", reg->name);
            if (*row != IXGBE_REG_TXPBSIZE && *row != IXGBE_REG_RAL && *row != IXGBE_REG_RAH &&
                *row != IXGBE_REG_ESDP) {
                cr_expect(eq(u32, value, reg->reset), "%s [%s]", reg->name, reg->spec);
            }
        }
    }
}

/* [Linux ethtool -t offline]: mask, write mask. */
typedef struct Pattern {
    uint32_t offset, stride, count, mask, write;
} Pattern;
ParameterizedTestParameters(ixgbe_regs, ethtool_pattern)
{
    static Pattern rows[] = {
        {0x3220, 0, 1, 0x8007fff0, 0x8007fff0},
        {0x3260, 0, 1, 0x8007fff0, 0x8007fff0},
        {0x3008, 0, 1, UINT32_MAX, UINT32_MAX},
        {0x5088, 0, 1, 0, 0},
        {0x1000, 0x40, 4, 0xffffff80, 0xffffff80},
        {0x1004, 0x40, 4, UINT32_MAX, UINT32_MAX},
        {0x1008, 0x40, 4, 0xfff80, 0xfffff},
        {0x1018, 0x40, 4, 0xffff, 0xffff},
        {0x3200, 0, 1, UINT32_MAX, UINT32_MAX},
        {0x6000, 0x40, 4, 0xffffff80, UINT32_MAX},
        {0x6004, 0x40, 4, UINT32_MAX, UINT32_MAX},
        {0x6008, 0x40, 4, 0xfff80, 0xfff80},
        {0x3000, 0, 1, 1, 1},
        {0x5400, 8, 16, UINT32_MAX, UINT32_MAX},
        {0x5404, 8, 16, 0x8001ffff, 0x800cffff},
        {0x5200, 4, 128, UINT32_MAX, UINT32_MAX},
        {0xd008, 0x40, 64, 0xfff80, 0xfffff},
        {0x2100, 4, 16, UINT32_MAX, 0x0e003f1f},
    };
    return cr_make_param_array(Pattern, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Pattern *p, ixgbe_regs, ethtool_pattern)
{
    static const uint32_t patterns[] = {0x5a5a5a5a, 0xa5a5a5a5, 0, UINT32_MAX};
    g_autoptr(Bench) bench = bench_new();

    for (unsigned n = 0; n < p->count; n++) {
        uint32_t at = p->offset + n * p->stride, before = bench_read(bench, at);
        for (unsigned i = 0; i < G_N_ELEMENTS(patterns); i++) {
            bench_write(bench, at, patterns[i] & p->write);
            cr_expect(eq(u32, bench_read(bench, at), patterns[i] & p->write & p->mask), "%#x", at);
        }
        bench_write(bench, at, before);
    }
}

Test(ixgbe_regs, aliases_share_storage)
{
    g_autoptr(Bench) bench = bench_new();

    bench_write(bench, 0x2100 + 4 * 5, 0x02000003); /* SRRCTL(5) */
    cr_expect(eq(u32, bench_read(bench, 0x1014 + 0x40 * 5), 0x02000003));
    bench_write(bench, 0x100c + 0x40 * 15, 7); /* DCA_RXCTRL(15) */
    cr_expect(eq(u32, bench_read(bench, 0x2200 + 4 * 15), 7));
    bench_write(bench, 0xa200 + 8 * 3, 0x1234);
    cr_expect(eq(u32, bench_read(bench, 0x5400 + 8 * 3), 0x1234));
}

Test(ixgbe_regs, eitr_lies_in_two_places)
{
    g_autoptr(Bench) bench = bench_new();

    bench_write(bench, 0x820 + 4 * 23, 200);
    bench_write(bench, 0x12300, 336);
    cr_expect(eq(u32, bench->model->regs.EITR[23], 200));
    cr_expect(eq(u32, bench->model->regs.EITR[24], 336));
}

Test(ixgbe_regs, no_read_is_all_ones)
{
    g_autoptr(Bench) bench = bench_new();

    for (uint32_t at = 0; at < 0x20000; at += 4) {
        cr_expect(ne(u32, bench_read(bench, at), UINT32_MAX), "%#x", at);
    }
}

Test(ixgbe_regs, status_cannot_be_written)
{
    g_autoptr(Bench) bench = bench_new();
    uint32_t before = bench_read(bench, 8) & 0x7ffff30f;

    bench_write(bench, 8, 0x7ffff30f);
    cr_expect(eq(u32, bench_read(bench, 8) & 0x7ffff30f, before));
}

Test(ixgbe_life, master_disable_shows_and_ends_with_a_reset)
{
    g_autoptr(Bench) bench = bench_new();

    bench_write(bench, 0, 4);
    cr_expect(eq(u32, bench_read(bench, 0), 4));
    cr_expect(eq(u32, bench_read(bench, 8) >> 19 & 1, 0));
    bench_write(bench, 0, 0x04000008);
    cr_expect(eq(u32, bench_read(bench, 0), 0), "both resets are over");
    cr_expect(eq(u32, bench_read(bench, 8) >> 19 & 1, 1));
}

Test(ixgbe_life, reset_reloads_the_address_and_keeps_the_link)
{
    g_autoptr(Bench) bench = bench_new();
    uint32_t low = bench_read(bench, 0x5400), high = bench_read(bench, 0x5404);

    cr_expect(eq(u32, low & 0xffffff, 0x211b00));
    cr_expect(eq(u32, high >> 31, 1));
    cr_expect(eq(u32, bench_read(bench, 0x42a4), 0x70000000));
    bench_write(bench, 0x5400, 0);
    bench_write(bench, 0, 1u << 26);
    cr_expect(eq(u32, bench_read(bench, 0x5400), low));
    cr_expect(eq(u32, bench_read(bench, 0x42a4), 0x70000000));
}

Test(ixgbe_life, semaphore_is_taken_by_a_read)
{
    g_autoptr(Bench) bench = bench_new();

    cr_expect(eq(u32, bench_read(bench, 0x10140) & 1, 0));
    cr_expect(eq(u32, bench_read(bench, 0x10140) & 1, 1));
    bench_write(bench, 0x10140, 0);
    cr_expect(eq(u32, bench_read(bench, 0x10140) & 1, 0));
    bench_write(bench, 0x10160, UINT32_MAX);
    cr_expect(eq(u32, bench_read(bench, 0x10160), 0x41f), "firmware's bits stay 0");
}

static uint16_t word(Bench *bench, unsigned n)
{
    bench_write(bench, 0x10014, n << 2 | 1);
    cr_assert(eq(u32, bench_read(bench, 0x10014) & 3, 2), "done");
    return (uint16_t)(bench_read(bench, 0x10014) >> 16);
}

Test(ixgbe_eeprom, checksum_is_that_of_the_facts)
{
    g_autoptr(Bench) bench = bench_new();
    unsigned sum = 0;

    for (unsigned i = 0; i <= 0x3f; i++) {
        sum += word(bench, i);
    }
    cr_expect(eq(u32, sum & 0xffff, 0xbaba));
    cr_expect(eq(u16, word(bench, 0x3f), 0xf144));
    cr_expect(eq(u32, bench_read(bench, 0x10010), 0x4700));
}

Test(ixgbe_eeprom, pointers_lead_to_firmware_and_module_list)
{
    g_autoptr(Bench) bench = bench_new();
    unsigned patch = word(bench, word(bench, 0x0f) + 4u), at = word(bench, 0x2b) + 1u;

    cr_expect(gt(u16, word(bench, patch + 7), 5));
    for (; word(bench, at) != 0xffff; at += 2) {
        cr_expect(eq(u16, word(bench, word(bench, at + 1) + 1u), 0xffff));
    }
    cr_expect(eq(u32, at, 0x189));
}

/* --- The module, by a driver that clocks the bus as Linux does --- */

static void lines(Bench *bench, bool clock, bool data)
{
    bench_write(bench, 0x28, (uint32_t)clock << 1 | (uint32_t)data << 3);
}

static bool data_in(Bench *bench)
{
    return bench_read(bench, 0x28) >> 2 & 1;
}

static void start(Bench *bench)
{
    lines(bench, 0, 1);
    lines(bench, 1, 1);
    lines(bench, 1, 0);
    lines(bench, 0, 0);
}

static bool put_byte(Bench *bench, unsigned byte)
{
    bool ack;

    for (int bit = 7; bit >= 0; bit--) {
        lines(bench, 0, byte >> bit & 1);
        lines(bench, 1, byte >> bit & 1);
        cr_expect(eq(int, data_in(bench), (int)(byte >> bit & 1)), "the slave lets go");
        lines(bench, 0, byte >> bit & 1);
    }
    lines(bench, 0, 1);
    lines(bench, 1, 1);
    ack = !data_in(bench);
    lines(bench, 0, 1);
    return ack;
}

static unsigned get_byte(Bench *bench, bool more)
{
    unsigned byte = 0;

    for (unsigned bit = 0; bit < 8; bit++) {
        lines(bench, 1, 1);
        byte = byte << 1 | data_in(bench);
        lines(bench, 0, 1);
    }
    lines(bench, 0, !more);
    lines(bench, 1, !more);
    lines(bench, 0, !more);
    return byte;
}

static unsigned module_byte(Bench *bench, unsigned offset)
{
    unsigned byte;

    start(bench);
    cr_assert(put_byte(bench, 0xa0));
    cr_assert(put_byte(bench, offset));
    start(bench);
    cr_assert(put_byte(bench, 0xa1));
    byte = get_byte(bench, false);
    lines(bench, 0, 0);
    lines(bench, 1, 0);
    lines(bench, 1, 1);
    return byte;
}

Test(ixgbe_sfp, cable_is_recognised)
{
    g_autoptr(Bench) bench = bench_new();
    unsigned sum = 0;

    cr_expect(eq(u32, module_byte(bench, 0), 3));
    cr_expect(eq(u32, module_byte(bench, 8), 4));
    cr_expect(eq(u32, bench_read(bench, 0x20) & 4, 4), "the cage is full");
    for (unsigned i = 0; i < 63; i++) {
        sum += module_byte(bench, i);
    }
    cr_expect(eq(u32, module_byte(bench, 63), sum & 0xff));
}

Test(ixgbe_sfp, bytes_follow_each_other)
{
    g_autoptr(Bench) bench = bench_new_with("82599es", "sfp=sr", NULL);

    start(bench);
    cr_assert(put_byte(bench, 0xa0));
    cr_assert(put_byte(bench, 37));
    start(bench);
    cr_assert(put_byte(bench, 0xa1));
    cr_expect(eq(u32, get_byte(bench, true), 0x00));
    cr_expect(eq(u32, get_byte(bench, true), 0x1b));
    cr_expect(eq(u32, get_byte(bench, false), 0x21));
}

Test(ixgbe_sfp, empty_cage_answers_nothing)
{
    g_autoptr(Bench) bench = bench_new_with("82599es", "sfp=none", NULL);

    start(bench);
    cr_expect(not(put_byte(bench, 0xa0)));
    cr_expect(eq(u32, bench_read(bench, 0x20) & 4, 0));
    cr_expect(eq(u32, bench_read(bench, 0x42a4), 0x70000000), "the link is there all the same");
}

Test(ixgbe_link, laser_of_an_optic)
{
    g_autoptr(Bench) bench = bench_new_with("82599es", "sfp=sr", NULL);

    bench_write(bench, 0x20, 8);
    cr_expect(not(wire_end_sees_light(wire_end(bench->wire, 1))));
    bench_write(bench, 0x20, 0);
    cr_expect(wire_end_sees_light(wire_end(bench->wire, 1)));
    wire_end_set_light(wire_end(bench->wire, 1), false);
    cr_expect(eq(u32, bench_read(bench, 0x42a4), 0));
    cr_expect(eq(u32, bench_read(bench, 0x808) >> 20 & 1, 1), "EICR.LSC");
}
