/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generator and sink.  Frame n is a fixed function of the parameters, seed and n. */
#include "wire/wire-tester.h"
#include "sim/sim-hash.h"
#include <string.h>

enum { ETHERNET_BYTES = 14, TAG_BYTES = 4, IP_BYTES = 20, UDP_BYTES = 8, CRC_BYTES = 4 };
enum { FRAME_LEAST = 64, FRAME_MOST = 16004 };

struct WireTester {
    SimQueue *queue;
    WireEnd *end;
    WireTesterParams params;
    WireTesterCount count;
    SimTime start;
    SimEvent send;
    uint8_t frame[WIRE_FRAME_MOST];
    size_t frame_bytes; /* 0: none built yet */
    uint32_t flow[4];   /* of the frame that is built */
};

static uint32_t choose(const WireTester *self, uint64_t *n, uint32_t first, uint32_t range)
{
    uint32_t value;

    if (range <= 1) {
        return first;
    }
    value = first + (uint32_t)(*n % range);
    *n = self->params.seed != 0 ? sim_hash64(*n) : *n / range;
    return value;
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value);
}

static uint32_t sum16(const uint8_t *data, size_t bytes, uint32_t sum)
{
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        sum += (uint32_t)(data[i] << 8 | data[i + 1]);
    }
    if (bytes % 2 != 0) {
        sum += (uint32_t)data[bytes - 1] << 8;
    }
    return sum;
}

static uint16_t fold(uint32_t sum)
{
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static void put_headers(const WireTester *self, uint8_t *at, size_t bytes, const uint32_t flow[4])
{
    uint8_t *udp = at + IP_BYTES;
    size_t udp_bytes = bytes - IP_BYTES;
    uint16_t check;

    memset(at, 0, IP_BYTES + UDP_BYTES);
    at[0] = 0x45;
    put16(at + 2, (uint32_t)bytes);
    at[8] = 64; /* TTL */
    at[9] = 17; /* UDP */
    put32(at + 12, flow[0]);
    put32(at + 16, flow[1]);
    put16(at + 10, fold(sum16(at, IP_BYTES, 0)));
    put16(udp, flow[2]);
    put16(udp + 2, flow[3]);
    put16(udp + 4, (uint32_t)udp_bytes);
    check = fold(sum16(at + 12, 8, sum16(udp, udp_bytes, 17 + (uint32_t)udp_bytes)));
    put16(udp + 6, check != 0 ? check : 0xffff);
}

static void flow_of(const WireTester *self, uint64_t n, uint32_t flow[4])
{
    const WireTesterParams *p = &self->params;

    if (p->seed != 0) {
        n = sim_hash64_pair(p->seed, n);
    }
    flow[2] = choose(self, &n, p->source_port, p->source_ports) & 0xffff;
    flow[3] = choose(self, &n, p->destination_port, p->destination_ports) & 0xffff;
    flow[0] = choose(self, &n, p->source_ip, p->source_ips);
    flow[1] = choose(self, &n, p->destination_ip, p->destination_ips);
}

static size_t build(const WireTester *self, const uint32_t flow[4], uint8_t *frame)
{
    const WireTesterParams *p = &self->params;
    size_t bytes = p->frame_bytes - CRC_BYTES, at = ETHERNET_BYTES;

    memcpy(frame, p->destination, 6);
    memcpy(frame + 6, p->source, 6);
    if (p->tagged) {
        put16(frame + 12, 0x8100);
        put16(frame + 14, p->vlan);
        at += TAG_BYTES;
    }
    put16(frame + at - 2, 0x0800);
    memset(frame + at, 0, bytes - at);
    put_headers(self, frame + at, bytes - at, flow);
    return bytes;
}

size_t wire_tester_frame(const WireTester *self, uint64_t n, uint8_t *frame)
{
    uint32_t flow[4];

    flow_of(self, n, flow);
    return build(self, flow, frame);
}

/* When frame @n is due at a given rate: exact, no drift. */
static SimTime due(const WireTester *self, uint64_t n)
{
    uint64_t rate = self->params.frames_per_s;

    return self->start + n / rate * SIM_S + n % rate * SIM_S / rate;
}

static void send_event(void *opaque)
{
    WireTester *self = opaque;
    uint64_t n = self->count.frames_sent++;
    SimTime free_at, next;
    uint32_t flow[4];

    flow_of(self, n, flow);
    if (self->frame_bytes == 0 || memcmp(flow, self->flow, sizeof flow) != 0) {
        self->frame_bytes = build(self, flow, self->frame);
        memcpy(self->flow, flow, sizeof flow);
    }
    free_at = wire_send(self->end, self->frame, self->frame_bytes, sim_queue_now(self->queue));
    if (self->params.frames != 0 && self->count.frames_sent == self->params.frames) {
        return;
    }
    next = self->params.frames_per_s != 0 ? MAX(due(self, n + 1), free_at) : free_at;
    sim_queue_schedule(self->queue, &self->send, next, SIM_PRIO_NORMAL);
}

static void receive(void *opaque, const uint8_t *frame, size_t bytes)
{
    WireTester *self = opaque;
    SimTime now = sim_queue_now(self->queue);

    if (self->count.frames_received++ == 0) {
        self->count.first_received = now;
    }
    self->count.last_received = now;
    self->count.bytes_received += bytes + CRC_BYTES;
}

WireTester *wire_tester_new(SimQueue *queue, WireEnd *end, const WireTesterParams *params)
{
    WireTester *self = g_new0(WireTester, 1);
    const WireClient client = {self, receive, NULL};

    self->queue = queue;
    self->end = end;
    self->params = *params;
    self->params.frame_bytes = CLAMP(params->frame_bytes, FRAME_LEAST, FRAME_MOST);
    sim_event_init(&self->send, send_event, self);
    wire_end_attach(end, &client);
    wire_end_set_light(end, true);
    return self;
}

void wire_tester_free(WireTester *self)
{
    if (self == NULL) {
        return;
    }
    wire_tester_stop(self);
    wire_end_attach(self->end, NULL);
    g_free(self);
}

void wire_tester_start(WireTester *self, SimTime when)
{
    self->start = MAX(when, sim_queue_now(self->queue));
    self->count.frames_sent = 0;
    sim_queue_schedule(self->queue, &self->send, self->start, SIM_PRIO_NORMAL);
}

void wire_tester_stop(WireTester *self)
{
    sim_queue_cancel(self->queue, &self->send);
}

WireTesterCount wire_tester_count(const WireTester *self)
{
    return self->count;
}
