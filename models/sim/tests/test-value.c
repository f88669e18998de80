/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>
#include "sim/sim-keyfile.h"

/* Parameters hold no pointers: each case is a process of its own. */
typedef struct Good {
    char text[40];
    SimUnit unit;
    uint64_t value;
    char formatted[40]; /* empty: as @text */
} Good;

ParameterizedTestParameters(sim_value, exact)
{
    static Good rows[] = {
        {"0", SIM_UNIT_NONE, 0, ""},
        {"18446744073709551615", SIM_UNIT_NONE, UINT64_MAX, ""},
        {"0x144d", SIM_UNIT_NONE, 0x144d, "5197"},
        {"0xffffffffffffffff", SIM_UNIT_NONE, UINT64_MAX, "18446744073709551615"},
        {"0ps", SIM_UNIT_TIME, 0, ""},
        {"0s", SIM_UNIT_TIME, 0, "0ps"},
        {"150ns", SIM_UNIT_TIME, 150000, ""},
        {"1500ns", SIM_UNIT_TIME, 1500000, ""},
        {"1000ns", SIM_UNIT_TIME, 1000000, "1us"},
        {"0.5us", SIM_UNIT_TIME, 500000, "500ns"},
        {"78us", SIM_UNIT_TIME, 78 * SIM_US, ""},
        {"5 ms", SIM_UNIT_TIME, 5 * SIM_MS, "5ms"},
        {"0.000000000001s", SIM_UNIT_TIME, 1, "1ps"},
        {"1.50000000000000000000000000s", SIM_UNIT_TIME, 1500 * SIM_MS, "1500ms"},
        {"9223372036854775807ps", SIM_UNIT_TIME, INT64_MAX, ""},
        {"512B", SIM_UNIT_BYTES, 512, ""},
        {"4KiB", SIM_UNIT_BYTES, 4096, ""},
        {"4096B", SIM_UNIT_BYTES, 4096, "4KiB"},
        {"0.5KiB", SIM_UNIT_BYTES, 512, "512B"},
        {"1.5GiB", SIM_UNIT_BYTES, UINT64_C(3) << 29, "1536MiB"},
        {"16383GiB", SIM_UNIT_BYTES, UINT64_C(16383) << 30, ""},
        {"2.13GB/s", SIM_UNIT_RATE, 2130000000, "2130MB/s"},
        {"300MB/s", SIM_UNIT_RATE, 300000000, ""},
        {"2GB/s", SIM_UNIT_RATE, 2000000000, ""},
        {"0.000001MB/s", SIM_UNIT_RATE, 1, ""},
        {"1.75MB/s", SIM_UNIT_RATE, 1750000, ""},
        {"3.938461538GB/s", SIM_UNIT_RATE, 3938461538, "3938.461538MB/s"},
        {"0MB/s", SIM_UNIT_RATE, 0, ""},
        {"281000/s", SIM_UNIT_PER_S, 281000, ""},
        {"5 percent", SIM_UNIT_PERCENT, 5, ""},
        {"100percent", SIM_UNIT_PERCENT, 100, "100 percent"},
    };

    return cr_make_param_array(Good, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Good *row, sim_value, exact)
{
    uint64_t value = 99, again = 99;
    char *message = NULL;
    g_autofree char *text = NULL;

    cr_assert(sim_value_parse(row->text, row->unit, &value, &message), "%s: %s", row->text,
              message);
    cr_expect(eq(u64, value, row->value));
    text = sim_value_format(value, row->unit);
    cr_expect(eq(str, text, row->formatted[0] ? row->formatted : row->text));
    cr_assert(sim_value_parse(text, row->unit, &again, NULL));
    cr_expect(eq(u64, again, value), "a formatted value reads back");
}

typedef struct Bad {
    char text[48];
    SimUnit unit;
    char message[100];
} Bad;

ParameterizedTestParameters(sim_value, refused)
{
    static Bad rows[] = {
        {"", SIM_UNIT_NONE, "a number is missing"},
        {"0x", SIM_UNIT_NONE, "a number is missing"},
        {"-1", SIM_UNIT_NONE, "\"-1\" is negative"},
        {"1.5", SIM_UNIT_NONE, "\"1.5\" must be a whole number"},
        {"8x", SIM_UNIT_NONE, "\"8x\" is a count; write it without a unit"},
        {"abc", SIM_UNIT_NONE, "\"abc\" is not a number"},
        {"+1", SIM_UNIT_NONE, "\"+1\" is not a number"},
        {"18446744073709551616", SIM_UNIT_NONE, "\"18446744073709551616\" is too large"},
        {"0x10000000000000000", SIM_UNIT_NONE, "\"0x10000000000000000\" is too large"},
        {"", SIM_UNIT_TIME, "a value is missing"},
        {"150", SIM_UNIT_TIME, "a unit is missing: write 150ns, 150us or 150ms"},
        {"0", SIM_UNIT_TIME, "a unit is missing: write 0ns, 0us or 0ms"},
        {"-5ns", SIM_UNIT_TIME, "\"-5ns\" is negative"},
        {"ns", SIM_UNIT_TIME, "\"ns\" is not a number"},
        {".5us", SIM_UNIT_TIME, "\".5us\" is not a number"},
        {"5.us", SIM_UNIT_TIME, "\"5.us\" is not a number"},
        {"5sec", SIM_UNIT_TIME, "unknown unit \"sec\"; write one of s ms us ns ps"},
        {"5NS", SIM_UNIT_TIME, "unknown unit \"NS\"; write one of s ms us ns ps"},
        {"1e3ns", SIM_UNIT_TIME, "unknown unit \"e3ns\"; write one of s ms us ns ps"},
        {"0.5ps", SIM_UNIT_TIME, "\"0.5ps\" has more digits than whole picoseconds can hold"},
        {"1.015625ns", SIM_UNIT_TIME,
         "\"1.015625ns\" has more digits than whole picoseconds can hold"},
        {"9223372036854775808ps", SIM_UNIT_TIME, "\"9223372036854775808ps\" is too large"},
        {"9223373s", SIM_UNIT_TIME, "\"9223373s\" is too large"},
        {"99999999999999999999999999s", SIM_UNIT_TIME,
         "\"99999999999999999999999999s\" is too large"},
        {"4k", SIM_UNIT_BYTES, "unknown unit \"k\"; write one of GiB MiB KiB B"},
        {"4KB", SIM_UNIT_BYTES, "unknown unit \"KB\"; write one of GiB MiB KiB B"},
        {"4096", SIM_UNIT_BYTES, "a unit is missing: write 4096B, 4096KiB or 4096MiB"},
        {"0.3KiB", SIM_UNIT_BYTES, "\"0.3KiB\" has more digits than whole bytes can hold"},
        {"17179869184GiB", SIM_UNIT_BYTES, "\"17179869184GiB\" is too large"},
        {"0.00000000000000000001GiB", SIM_UNIT_BYTES,
         "\"0.00000000000000000001GiB\" has more digits than whole bytes can hold"},
        {"2.13GiB/s", SIM_UNIT_RATE, "unknown unit \"GiB/s\"; write one of GB/s MB/s"},
        {"2.1", SIM_UNIT_RATE, "a unit is missing: write 2.1MB/s or 2.1GB/s"},
        {"0.0000001MB/s", SIM_UNIT_RATE,
         "\"0.0000001MB/s\" has more digits than whole bytes can hold"},
        {"5", SIM_UNIT_PER_S, "a unit is missing: write 5/s"},
        {"0.5/s", SIM_UNIT_PER_S, "\"0.5/s\" has more digits than a whole number can hold"},
        {"5%", SIM_UNIT_PERCENT, "unknown unit \"%\"; write one of percent"},
        {"5", SIM_UNIT_PERCENT, "a unit is missing: write 5 percent"},
    };

    return cr_make_param_array(Bad, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Bad *row, sim_value, refused)
{
    uint64_t value = 99;
    g_autofree char *message = NULL;

    cr_assert(not(sim_value_parse(row->text, row->unit, &value, &message)), "%s", row->text);
    cr_expect(eq(str, message, row->message));
    cr_expect(eq(u64, value, 99), "a refused value changes nothing");
    cr_expect(not(sim_value_parse(row->text, row->unit, &value, NULL)));
}

/* Whatever is formatted reads back. */
Test(sim_value, round_trip)
{
    for (uint64_t i = 0; i < 63; i++) {
        for (int unit = SIM_UNIT_NONE; unit <= SIM_UNIT_PERCENT; unit++) {
            const uint64_t values[] = {UINT64_C(1) << i, (UINT64_C(1) << i) - 1, i * SIM_MS + i};

            for (size_t j = 0; j < G_N_ELEMENTS(values); j++) {
                g_autofree char *text = sim_value_format(values[j], (SimUnit)unit);
                g_autofree char *message = NULL;
                uint64_t value = 0;

                cr_assert(sim_value_parse(text, (SimUnit)unit, &value, &message), "%s: %s", text,
                          message);
                cr_assert(eq(u64, value, values[j]), "%s", text);
            }
        }
    }
}
