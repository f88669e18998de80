/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cable and the tester at its end. */
#include "wire/wire-tester.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Log {
    SimQueue *queue;
    unsigned frames, lights;
    size_t bytes;
    SimTime last;
    uint8_t frame[WIRE_FRAME_MOST];
} Log;

static void receive(void *opaque, const uint8_t *frame, size_t bytes)
{
    Log *log = opaque;

    log->frames++;
    log->bytes = bytes;
    log->last = sim_queue_now(log->queue);
    memcpy(log->frame, frame, bytes);
}

static void light(void *opaque, bool on)
{
    ((Log *)opaque)->lights++;
}

static Log log0;

static Wire *lit_wire(SimQueue *queue, SimTime delay_ps)
{
    Wire *wire = wire_new(queue, &(WireParams){.delay_ps = delay_ps});

    log0 = (Log){.queue = queue};
    wire_end_attach(wire_end(wire, 1), &(WireClient){&log0, receive, light});
    wire_end_set_light(wire_end(wire, 0), true);
    wire_end_set_light(wire_end(wire, 1), true);
    return wire;
}

/* [IEEE 802.3 §4.4.2]: 67.2 ns for 64 bytes at 10 Gb/s, of which 9.6 are the gap. */
Test(wire, time_of_a_frame)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 5 * SIM_NS);
    uint8_t frame[60] = {1, 2, 3};

    cr_expect(eq(u64, wire_send(wire_end(wire, 0), frame, 60, 0), 67200));
    cr_expect(eq(u64, wire_send(wire_end(wire, 0), frame, 20, 0), 134400), "padded");
    sim_queue_run(queue, SIM_US);
    cr_expect(eq(u32, log0.frames, 2));
    cr_expect(eq(sz, log0.bytes, 60));
    cr_expect(eq(u64, log0.last, 134400 - 9600 + 5000));
    cr_expect(eq(u8, log0.frame[0], 1));
    cr_expect(eq(u64, wire_end_sent(wire_end(wire, 0)).bytes, 128));
}

Test(wire, dark_ends_lose_frames)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    uint8_t frame[60] = {0};

    wire_end_set_light(wire_end(wire, 0), false);
    wire_send(wire_end(wire, 0), frame, 60, 0);
    sim_queue_run(queue, SIM_US);
    cr_expect(eq(u32, log0.frames, 0));
    cr_expect(eq(u64, wire_end_sent(wire_end(wire, 0)).lost, 1));
    cr_expect(eq(u32, log0.lights, 2), "on and off");
    cr_expect(not(wire_end_sees_light(wire_end(wire, 1))));
}

/* More frames in flight than the ring had places, of growing size. */
Test(wire, many_in_flight_arrive_in_order)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 50 * SIM_US);
    static uint8_t frame[WIRE_FRAME_MOST];

    for (unsigned i = 0; i < 200; i++) {
        frame[0] = (uint8_t)i;
        wire_send(wire_end(wire, 0), frame, 60 + i * 40, 0);
    }
    for (unsigned i = 0; i < 200; i++) {
        cr_assert(sim_queue_deadline(queue) != SIM_TIME_NEVER);
        sim_queue_run(queue, sim_queue_deadline(queue));
        cr_expect(eq(u8, log0.frame[0], (uint8_t)i));
        cr_expect(eq(sz, log0.bytes, 60 + i * 40));
    }
}

Test(wire_tester, line_rate_is_14_88_mpps)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    g_autoptr(WireTester) tester =
        wire_tester_new(queue, wire_end(wire, 0), &(WireTesterParams){0});

    wire_tester_start(tester, 0);
    sim_queue_run(queue, SIM_MS);
    cr_expect(eq(u64, wire_tester_count(tester).frames_sent, 14881));
}

Test(wire_tester, rate_has_no_drift)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    g_autoptr(WireTester) tester = wire_tester_new(
        queue, wire_end(wire, 0), &(WireTesterParams){.frames_per_s = 300007, .frames = 300007});

    wire_tester_start(tester, 0);
    sim_queue_run(queue, SIM_S + SIM_US);
    cr_expect(eq(u32, log0.frames, 300007));
    cr_expect(le(u64, log0.last, SIM_S));
}

Test(wire_tester, frames_cover_the_ranges)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    g_autoptr(WireTester) tester = wire_tester_new(queue, wire_end(wire, 0),
                                                   &(WireTesterParams){.source_port = 9,
                                                                       .source_ports = 4,
                                                                       .destination_ip = 0x0a000001,
                                                                       .destination_ips = 3,
                                                                       .tagged = true,
                                                                       .vlan = 1000});
    static uint8_t frame[WIRE_FRAME_MOST];
    unsigned seen[12] = {0};

    for (unsigned n = 0; n < 12; n++) {
        cr_assert(eq(sz, wire_tester_frame(tester, n, frame), 60));
        cr_expect(eq(u8, frame[12], 0x81));
        cr_expect(eq(u8, frame[15], 1000 & 0xff));
        seen[(frame[18 + 21] - 9) * 3 + frame[18 + 19] - 1]++;
    }
    for (unsigned i = 0; i < 12; i++) {
        cr_expect(eq(u32, seen[i], 1));
    }
}

/* The size is that on the wire: a tag takes 4 bytes of the payload. */
Test(wire_tester, size_is_that_on_the_wire)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    static uint8_t frame[WIRE_FRAME_MOST];

    for (unsigned bytes = 64; bytes < 80; bytes += 4) {
        for (unsigned tagged = 0; tagged < 2; tagged++) {
            const WireTesterParams params = {.frame_bytes = bytes, .tagged = tagged};
            g_autoptr(WireTester) tester = wire_tester_new(queue, wire_end(wire, 0), &params);
            unsigned ip = 14 + 4 * tagged;
            cr_expect(eq(sz, wire_tester_frame(tester, 0, frame), bytes - 4));
            cr_expect(eq(u8, frame[ip], 0x45));
            cr_expect(eq(u32, (unsigned)(frame[ip + 2] << 8 | frame[ip + 3]), bytes - 4 - ip));
        }
    }
}

/* Each frame draws: the seed alone says what, each port is drawn about as often, and the port says
 * nothing about the address. */
Test(wire_tester, seed_draws_ports_and_addresses)
{
    enum { FRAMES = 8192, PORTS = 16, ADDRESSES = 4 };
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    static uint8_t frame[WIRE_FRAME_MOST], first[FRAMES];
    unsigned differ = 0, in_turn = 0;

    for (unsigned seed = 1; seed <= 3; seed++) {
        const WireTesterParams params = {
            .seed = seed == 3 ? 1 : seed, .source_ports = PORTS, .destination_ips = ADDRESSES};
        g_autoptr(WireTester) tester = wire_tester_new(queue, wire_end(wire, 0), &params);
        unsigned seen[PORTS][ADDRESSES] = {{0}}, last = 0;
        for (unsigned n = 0; n < FRAMES; n++) {
            wire_tester_frame(tester, n, frame);
            seen[frame[14 + 21]][frame[14 + 19]]++;
            in_turn += frame[14 + 21] == (last + 1) % PORTS;
            last = frame[14 + 21];
            if (seed == 1) {
                first[n] = frame[14 + 21];
            } else if (seed == 2) {
                differ += first[n] != last;
            } else {
                cr_assert(eq(u8, first[n], last), "the same seed");
            }
        }
        for (unsigned i = 0; i < PORTS * ADDRESSES; i++) {
            unsigned n = seen[i / ADDRESSES][i % ADDRESSES];
            cr_expect(n > 88 && n < 168, "%u of %u", n, FRAMES / PORTS / ADDRESSES);
        }
    }
    cr_expect(gt(u32, differ, FRAMES / 2), "another seed");
    cr_expect(lt(u32, in_turn, 3 * FRAMES / 8), "no turns");
}

Test(wire, capture_is_a_pcap_file)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(Wire) wire = lit_wire(queue, 0);
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL, *text = NULL;
    uint8_t frame[60] = {7};
    gsize bytes;

    close(g_file_open_tmp("wire-XXXXXX", &path, &error));
    cr_assert(wire_capture(wire, path, &error));
    wire_send(wire_end(wire, 0), frame, 60, 3 * SIM_S);
    wire_free(g_steal_pointer(&wire));
    cr_assert(g_file_get_contents(path, &text, &bytes, &error));
    cr_expect(eq(sz, bytes, 24 + 16 + 60));
    cr_expect(eq(u32, GUINT32_FROM_LE(*(uint32_t *)text), 0xa1b23c4d));
    cr_expect(eq(u32, GUINT32_FROM_LE(*(uint32_t *)(text + 24)), 3));
    cr_expect(eq(u8, text[40], 7));
    g_unlink(path);
}
