/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segmentation of TCP and UDP over IPv4 and IPv6, with and without a tag: every byte of every frame
 * on the wire, and what a receiver says of a byte that changed on the way. */
#include "ixgbe/ixgbe-internal.h"
#include "ixgbe/tests/bench.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>

enum { PAYLOAD = 5000, MSS = 1400, VLAN = 0x6123 };

typedef struct Case {
    bool ipv6, udp, tagged;
} Case;

typedef struct Heard {
    Case test;
    unsigned frames;
    size_t payload;
    uint8_t whole[PAYLOAD];
} Heard;
static Heard heard;

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static unsigned get16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint8_t pattern(size_t i)
{
    return (uint8_t)(i * 7 + i / 256);
}

/* Sum of addresses, protocol and @bytes of what follows. */
static uint32_t pseudo(const uint8_t *ip, bool ipv6, unsigned protocol, unsigned bytes)
{
    return ipv6 ? ixgbe_model_sum(ip + 8, 32, protocol + bytes)
                : ixgbe_model_sum(ip + 12, 8, protocol + bytes);
}

static void hear(void *opaque, const uint8_t *frame, size_t bytes)
{
    const Case *test = &heard.test;
    const uint8_t *ip = frame + (test->tagged ? 18 : 14), *l4 = ip + (test->ipv6 ? 40 : 20);
    unsigned l4_bytes = test->ipv6 ? get16(ip + 4) : get16(ip + 2) - 20;
    unsigned header = test->udp ? 8 : 20, part = l4_bytes - header;
    uint32_t sum = pseudo(ip, test->ipv6, test->udp ? 17 : 6, l4_bytes);

    cr_expect(eq(u32, get16(frame + 12), test->tagged ? 0x8100 : test->ipv6 ? 0x86dd : 0x0800));
    cr_expect(not(test->tagged && get16(frame + 14) != VLAN));
    cr_expect(eq(u32, part, MIN(MSS, PAYLOAD - heard.payload)));
    cr_assert(eq(sz, bytes, (size_t)(l4 - frame) + l4_bytes));
    if (!test->ipv6) {
        cr_expect(eq(u32, ixgbe_model_fold(ixgbe_model_sum(ip, 20, 0)), 0xffff));
        cr_expect(eq(u32, get16(ip + 4), (0xffff + heard.frames) & 0xffff), "identification");
    }
    cr_expect(eq(u32, ixgbe_model_fold(ixgbe_model_sum(l4, l4_bytes, sum)), 0xffff));
    cr_expect(not(test->udp && get16(l4 + 4) != l4_bytes));
    cr_assert(le(sz, heard.payload + part, PAYLOAD));
    memcpy(heard.whole + heard.payload, l4 + header, part);
    heard.payload += part;
    heard.frames++;
}

/* A packet as Linux hands it over: no length in the pseudo header's sum, none in IPv4's header. */
static size_t packet(uint8_t *frame, const Case *test)
{
    uint8_t *ip = frame + 14, *l4 = ip + (test->ipv6 ? 40 : 20);
    size_t header = test->udp ? 8 : 20;
    unsigned protocol = test->udp ? 17 : 6;

    bench_udp(frame, 64, 7, 8, -1);
    memset(ip, 0, (size_t)(l4 - ip) + header);
    if (test->ipv6) {
        put16(frame + 12, 0x86dd);
        ip[0] = 0x60;
        ip[6] = (uint8_t)protocol;
        ip[8] = ip[24] = 0xfd;
        ip[23] = 1;
        ip[39] = 2;
    } else {
        ip[0] = 0x45;
        put16(ip + 4, 0xffff);
        ip[8] = 64;
        ip[9] = (uint8_t)protocol;
        ip[12] = ip[16] = 10;
        ip[15] = 1;
        ip[19] = 2;
    }
    put16(l4, 5001);
    put16(l4 + 2, 5001);
    if (!test->udp) {
        l4[12] = 0x50;
        l4[13] = 0x10;
    }
    put16(l4 + (test->udp ? 6 : 16), ixgbe_model_fold(pseudo(ip, test->ipv6, protocol, 0)));
    for (size_t i = 0; i < PAYLOAD; i++) {
        l4[header + i] = pattern(i);
    }
    return (size_t)(l4 - frame) + header + PAYLOAD;
}

static Case cases[8];

ParameterizedTestParameters(ixgbe_offload, segments)
{
    for (unsigned i = 0; i < 8; i++) {
        cases[i] = (Case){i & 1, i & 2, i & 4};
    }
    return cr_make_param_array(Case, cases, 8);
}
ParameterizedTest(Case *test, ixgbe_offload, segments)
{
    g_autoptr(Bench) bench = bench_new();
    uint64_t buffer = bench_allocate(bench, 8192);
    size_t bytes = packet(bench_memory(bench, buffer, 8192), test);
    unsigned ip_bytes = test->ipv6 ? 40 : 20, l4t = test->udp ? IXGBE_L4T_UDP : IXGBE_L4T_TCP;

    bench_start(bench);
    bench_tx_ring(bench, 0, 32, 0);
    heard = (Heard){.test = *test};
    wire_end_attach(wire_end(bench->wire, 1), &(WireClient){NULL, hear, NULL});
    wire_end_set_light(wire_end(bench->wire, 1), true);
    bench_put(bench, 0,
              (IxgbeTxDesc){ip_bytes | 14 << 9 | (uint64_t)VLAN << 16,
                            IXGBE_TX_DEXT | IXGBE_TX_DTYP_CONTEXT | (test->ipv6 ? 0 : 1u << 10) |
                                l4t << 11,
                            (test->udp ? 8u : 20u) << 8 | (unsigned)MSS << 16});
    bench_put(
        bench, 0,
        (IxgbeTxDesc){buffer,
                      (uint32_t)bytes | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP | IXGBE_TX_RS |
                          IXGBE_TX_DEXT | IXGBE_TX_TSE | (test->tagged ? IXGBE_TX_VLE : 0),
                      (test->ipv6 ? 0 : IXGBE_TX_IXSM) | IXGBE_TX_TXSM | (uint32_t)PAYLOAD << 14});
    bench_ring(bench, 0);
    bench_run(bench, 50 * SIM_US);
    cr_assert(eq(u32, heard.frames, 4));
    cr_assert(eq(sz, heard.payload, PAYLOAD));
    for (size_t i = 0; i < PAYLOAD; i++) {
        cr_assert(eq(u8, heard.whole[i], pattern(i)), "byte %zu", i);
    }
    cr_expect(eq(u32, bench_violations(bench), 0));
}

/* Any byte of the datagram, its header or its addresses that changed is told. */
Test(ixgbe_offload, receiver_tells_every_changed_byte)
{
    g_autoptr(Bench) bench = bench_new();
    uint8_t frame[120];

    bench_start(bench);
    bench_udp(frame, sizeof(frame), 7, 8, -1);
    for (size_t at = 25; at <= sizeof(frame); at++) {
        IxgbeRxWriteback result = {0};
        IxgbeParsed parsed;
        uint8_t changed[sizeof(frame)];

        memcpy(changed, frame, sizeof(frame));
        if (at < sizeof(frame) && (at < 38 || at > 41)) { /* not its length, not its sum to 0 */
            changed[at] ^= (uint8_t)(1u << at % 8);
        }
        ixgbe_model_parse(bench->model, changed, sizeof(changed), &parsed);
        ixgbe_model_check_received(bench->model, changed, &parsed, &result);
        cr_expect(ne(u32, result.status & IXGBE_RX_IPCS, 0));
        cr_expect(eq(int, (result.status & IXGBE_RX_IPE) != 0, at < 34), "byte %zu", at);
        if (at >= 26) {
            bool wrong = at < sizeof(frame) && (at < 38 || at > 41);

            cr_expect(ne(u32, result.status & IXGBE_RX_L4CS, 0), "byte %zu", at);
            cr_expect(eq(int, (result.status & IXGBE_RX_TCPE) != 0, wrong), "byte %zu", at);
        }
    }
}
