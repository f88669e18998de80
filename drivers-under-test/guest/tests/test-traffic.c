/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of `traffic`, and the bytes that both of its ends compute. */
#include "traffic.h"
#include "words.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

typedef struct Parse {
    char line[128], says[64]; /* says: of the reason; empty: it is taken */
} Parse;

#define ENDS "from=10.0.0.1@a to=10.0.0.2@b "

ParameterizedTestParameters(guest_traffic, words)
{
    static Parse cases[] = {
        {ENDS "bytes=1000", ""},
        {"from=fd00::1 to=fd00::2 bytes=1000 protocol=udp segment=yes", ""},
        {"from=10.0.0.1 bytes=1000", "to=: must be ADDRESS"},
        {"from=@a to=10.0.0.2 bytes=1000", "from=: must be ADDRESS"},
        {ENDS "bytes=1000 protocol=sctp", "must be tcp or udp"},
        {ENDS "bytes=10 streams=6 both=yes", "a byte for each stream"},
        {ENDS "bytes=1000 rounds=0", "a byte for each stream"},
        {ENDS "bytes=1000 streams=300 both=yes", "from 1 to 512"},
        {ENDS "bytes=1000 streams=9223372036854775808 both=yes", "from 1 to 512"},
        {ENDS "bytes=1000 size=63", "from 64 to"},
        {ENDS "bytes=1000 size=65001", "from 64 to"},
        {ENDS "bytes=1000 port=65500 streams=37", "port="},
        {ENDS "bytes=1000 segment=yes", "is for UDP"},
        {ENDS "bytes=1000 speed=1", "speed"},
    };

    return cr_make_param_array(Parse, cases, sizeof(cases) / sizeof(cases[0]));
}

static bool parse(TrafficSpec *spec, const char *text, Reason *reason)
{
    static char line[256];
    char *words[16];
    int n;

    strcpy(line, text);
    n = words_split(line, words, 16, reason);
    return traffic_parse(spec, words, n, reason);
}

ParameterizedTest(Parse *test, guest_traffic, words)
{
    TrafficSpec spec;
    Reason reason = {""};
    bool taken = parse(&spec, test->line, &reason);

    cr_assert(eq(int, taken, !*test->says), "%s: %s", test->line, reason.text);
    cr_expect(strstr(reason.text, test->says) != NULL, "%s: %s", test->line, reason.text);
}

Test(guest_traffic, ends_and_shares)
{
    TrafficSpec spec;
    Reason reason = {""};
    uint64_t sum = 0;

    cr_assert(parse(&spec, ENDS "bytes=1000003 streams=3 both=yes", &reason), "%s", reason.text);
    cr_expect(eq(str, spec.from.address, "10.0.0.1"));
    cr_expect(eq(str, spec.to.netns, "b"));
    for (uint64_t i = 0; i < 6; i++) {
        sum += traffic_stream_bytes(&spec, i);
    }
    cr_expect(eq(u64, sum, 1000003));
    cr_assert(parse(&spec, ENDS "bytes=1000 streams=3 protocol=udp size=100", &reason));
    cr_expect(eq(u64, traffic_stream_bytes(&spec, 0), 400)); /* 334, to whole datagrams */
    cr_expect(zero(int, strcmp(spec.name, "")));
}

/* The bytes at a place are the same however they are cut. */
Test(guest_traffic, pattern_follows_from_key_and_place)
{
    uint8_t whole[4096], part[512];
    size_t first = 0;

    traffic_fill(77, 0, whole, sizeof(whole));
    for (size_t at = 0; at + sizeof(part) <= sizeof(whole); at += 104) {
        traffic_fill(77, at, part, 101);
        cr_expect(zero(int, memcmp(part, whole + at, 101)), "at %zu", at);
        cr_expect(zero(sz, traffic_compare(77, at, whole + at, 101, &first)));
    }
}

/* One wrong bit, a byte that moved, a block of another place or stream. */
Test(guest_traffic, every_wrong_byte_is_found)
{
    TrafficSpec spec = {.seed = 1};
    uint8_t data[1003];
    size_t first = 0;

    for (size_t at = 0; at < sizeof(data); at++) {
        traffic_fill(5, 64, data, sizeof(data));
        data[at] ^= (uint8_t)(1u << at % 8);
        cr_assert(eq(sz, traffic_compare(5, 64, data, sizeof(data), &first), 1), "at %zu", at);
        cr_assert(eq(sz, first, at));
    }
    for (uint64_t offset = 0; offset < 1 << 20; offset += 8) {
        if (offset != 64) {
            traffic_fill(5, offset, data, 64);
            cr_assert(gt(sz, traffic_compare(5, 64, data, 64, &first), 48), "offset %lu",
                      (unsigned long)offset);
        }
    }
    traffic_fill(traffic_key(&spec, 0, 1), 64, data, 64);
    cr_expect(gt(sz, traffic_compare(traffic_key(&spec, 0, 2), 64, data, 64, &first), 48));
    cr_expect(gt(sz, traffic_compare(traffic_key(&spec, 1, 1), 64, data, 64, &first), 48));
    traffic_fill(traffic_datagram_key(5, 1), 8, data, 64);
    cr_expect(gt(sz, traffic_compare(traffic_datagram_key(5, 2), 8, data, 64, &first), 48));
}
