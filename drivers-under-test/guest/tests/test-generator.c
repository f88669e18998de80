/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets of `load`, extents and patterns of `verify`. */
#include "generator.h"
#include "verify.h"
#include "words.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ParameterizedTestParameters(guest_generator, below_stays_in_range)
{
    static uint64_t cases[] = {1, 2, 3, 1000, 781422768, (uint64_t)1 << 40};

    return cr_make_param_array(uint64_t, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(uint64_t *limit, guest_generator, below_stays_in_range)
{
    uint64_t state = generator_start(7, 0, 3), low = UINT64_MAX, high = 0;

    for (int i = 0; i < 100000; i++) {
        uint64_t value = generator_below(&state, *limit);

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    cr_expect(lt(u64, high, *limit));
    cr_expect(le(u64, low, *limit / 1000));
    cr_expect(ge(u64, high, *limit - 1 - *limit / 1000));
}

Test(guest_generator, each_thread_has_a_stream_of_its_own)
{
    uint64_t states[3 * 64];

    for (int i = 0; i < 3 * 64; i++) {
        states[i] = generator_start(7, (uint64_t)i / 64, (uint64_t)i % 64);
        cr_expect(ne(u64, states[i], 0));
        for (int j = 0; j < i; j++) {
            cr_expect(ne(u64, states[i], states[j]));
        }
    }
    cr_expect(ne(u64, generator_start(7, 0, 0), generator_start(8, 0, 0)));
}

/* Results are compared between machines and versions: these numbers must not change. */
Test(guest_generator, numbers_are_the_same_for_ever)
{
    uint64_t state = generator_start(1, 0, 0), words[SECTOR_BYTES / 8];

    cr_expect(
        eq(u64, generator_mix(0), 0xe220a8397b1dcdafu)); /* splitmix64's published first number */
    cr_expect(eq(u64, generator_below(&state, 1000000), 736351));
    cr_expect(eq(u64, generator_below(&state, 1000000), 172209));
    generator_sector(1, 5, words);
    cr_expect(eq(u64, words[0], 5));
    cr_expect(eq(u64, words[63], 5666701706833055105u));
}

static int compare_extents(const void *a, const void *b)
{
    const VerifyExtent *x = a, *y = b;

    return (x->offset_bytes > y->offset_bytes) - (x->offset_bytes < y->offset_bytes);
}

typedef struct Layout {
    uint64_t blocks, span, offset, sector;
    char sizes[32];
} Layout;

ParameterizedTestParameters(guest_generator, extents_are_aligned_inside_and_apart)
{
    static Layout cases[] = {
        {1, 4096, 0, 512, "4096"},
        {100, 100 * 4096, 1 << 20, 512, "4096"},
        {1000, 1 << 30, 512, 512, "512,4096,131072"},
        {999, 1 << 28, 4096, 4096, "4096,16384,131072"},
        {6, 6 << 20, 0, 512, "512,1048576"},
    };

    return cr_make_param_array(Layout, cases, sizeof(cases) / sizeof(cases[0]));
}

ParameterizedTest(Layout *layout, guest_generator, extents_are_aligned_inside_and_apart)
{
    char line[160], *words[8];
    VerifyExtent *extents = calloc(layout->blocks, sizeof(*extents));
    Reason reason = {""};
    VerifySpec spec;
    int n;

    snprintf(line, sizeof(line),
             "device=A action=write blocks=%llu span=%llu offset=%llu seed=3 sizes=%s",
             (unsigned long long)layout->blocks, (unsigned long long)layout->span,
             (unsigned long long)layout->offset, layout->sizes);
    n = words_split(line, words, 8, &reason);
    cr_assert(verify_parse(&spec, words, n, &reason), "%s", reason.text);
    cr_assert(verify_fit(&spec, (uint64_t)1 << 40, layout->sector, &reason), "%s", reason.text);
    for (uint64_t i = 0; i < layout->blocks; i++) {
        extents[i] = verify_extent(&spec, layout->sector, i);
        cr_expect(zero(u64, extents[i].offset_bytes % layout->sector));
        cr_expect(ge(u64, extents[i].offset_bytes, layout->offset));
        cr_expect(le(u64, extents[i].offset_bytes + extents[i].length_bytes,
                     layout->offset + layout->span));
    }
    qsort(extents, layout->blocks, sizeof(*extents), compare_extents);
    for (uint64_t i = 1; i < layout->blocks; i++) {
        cr_expect(le(u64, extents[i - 1].offset_bytes + extents[i - 1].length_bytes,
                     extents[i].offset_bytes));
    }
    free(extents);
}

Test(guest_generator, extents_that_do_not_fit_are_refused)
{
    VerifySpec spec = {.blocks = 10, .sizes = {4096}, .sizes_n = 1, .span_bytes = 10 * 4096 - 512};
    Reason reason = {""};

    cr_expect(not(verify_fit(&spec, 1 << 20, 512, &reason)));
    spec.span_bytes = 2 << 20;
    cr_expect(not(verify_fit(&spec, 1 << 20, 512, &reason)));
    spec.span_bytes = 0;
    spec.offset_bytes = 2 << 20;
    cr_expect(not(verify_fit(&spec, 1 << 20, 512, &reason)));
}

Test(guest_generator, one_wrong_byte_is_found)
{
    static uint8_t data[8192];
    VerifySpec spec = {.seed = 9};
    VerifyExtent extent = {.offset_bytes = 512 * 77, .length_bytes = sizeof(data)};

    verify_fill(&spec, extent, data);
    cr_expect(eq(i64, verify_compare(&spec, extent, data), -1));
    for (unsigned at = 0; at < sizeof(data); at += 509) {
        data[at] ^= 0x10;
        cr_expect(eq(i64, verify_compare(&spec, extent, data), at));
        data[at] ^= 0x10;
    }
    /* The right data at the wrong place. */
    extent.offset_bytes += 512;
    cr_expect(ge(i64, verify_compare(&spec, extent, data), 0));
}
