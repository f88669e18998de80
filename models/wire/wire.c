/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cable: a queue of frames on their way for each direction, and the capture file. */
#include "wire/wire.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define PS_PER_S UINT64_C(1000000000000)

/* A frame on its way; the buffer stays with its place in the ring. */
typedef struct Flight {
    uint8_t *frame;
    size_t bytes, allocated;
    SimTime arrival;
} Flight;

struct WireEnd {
    Wire *wire;
    WireEnd *other;
    WireClient client;
    bool light;
    Flight *flights; /* ring of `size`, a power of two: sent by this end */
    size_t size, first, n;
    SimEvent arrive;
    SimTime free_at;
    WireCount sent;
};

struct Wire {
    SimQueue *queue;
    WireParams params;
    SimTime byte_ps;
    WireEnd ends[2];
    FILE *capture;
};

static void arrive_event(void *opaque)
{
    WireEnd *self = opaque;
    Flight *flight = &self->flights[self->first];
    const WireClient *client = &self->other->client;
    uint8_t *frame = g_steal_pointer(&flight->frame);
    size_t bytes = flight->bytes, allocated = flight->allocated;

    /* The receiver may send, and the ring may grow. */
    self->first = (self->first + 1) & (self->size - 1);
    if (--self->n > 0) {
        sim_queue_schedule(self->wire->queue, &self->arrive, self->flights[self->first].arrival,
                           SIM_PRIO_NORMAL);
    }
    if (client->receive != NULL) {
        client->receive(client->opaque, frame, bytes);
    }
    flight = &self->flights[(self->first - 1) & (self->size - 1)];
    if (flight->frame == NULL) {
        flight->frame = frame;
        flight->allocated = allocated;
    } else {
        g_free(frame);
    }
}

Wire *wire_new(SimQueue *queue, const WireParams *params)
{
    Wire *self = g_new0(Wire, 1);

    self->queue = queue;
    self->params = *params;
    if (self->params.bits_per_s == 0) {
        self->params.bits_per_s = UINT64_C(10000000000);
    }
    g_assert(8 * PS_PER_S % self->params.bits_per_s == 0);
    self->byte_ps = 8 * PS_PER_S / self->params.bits_per_s;
    for (unsigned i = 0; i < 2; i++) {
        WireEnd *end = &self->ends[i];
        end->wire = self;
        end->other = &self->ends[1 - i];
        end->size = 16;
        end->flights = g_new0(Flight, end->size);
        sim_event_init(&end->arrive, arrive_event, end);
    }
    return self;
}

void wire_free(Wire *self)
{
    if (self == NULL) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        WireEnd *end = &self->ends[i];
        sim_queue_cancel(self->queue, &end->arrive);
        for (size_t f = 0; f < end->size; f++) {
            g_free(end->flights[f].frame);
        }
        g_free(end->flights);
    }
    if (self->capture != NULL) {
        fclose(self->capture);
    }
    g_free(self);
}

WireEnd *wire_end(Wire *self, unsigned which)
{
    return &self->ends[which & 1];
}

void wire_end_attach(WireEnd *self, const WireClient *client)
{
    self->client = client != NULL ? *client : (WireClient){0};
    if (client == NULL) {
        wire_end_set_light(self, false);
    }
}

void wire_end_set_light(WireEnd *self, bool on)
{
    const WireClient *other = &self->other->client;

    if (on == self->light) {
        return;
    }
    self->light = on;
    if (other->light != NULL) {
        other->light(other->opaque, on);
    }
}

bool wire_end_sees_light(const WireEnd *self)
{
    return self->other->light;
}

/* A place at the end of the ring for a frame of @bytes. */
static Flight *append(WireEnd *self, size_t bytes)
{
    Flight *flight;

    if (self->n == self->size) {
        Flight *larger = g_new0(Flight, self->size * 2);
        for (size_t i = 0; i < self->n; i++) {
            larger[i] = self->flights[(self->first + i) & (self->size - 1)];
        }
        g_free(self->flights);
        self->flights = larger;
        self->first = 0;
        self->size *= 2;
    }
    flight = &self->flights[(self->first + self->n++) & (self->size - 1)];
    if (flight->frame == NULL || flight->allocated < bytes) {
        flight->allocated = MAX(bytes, 256);
        g_free(flight->frame);
        flight->frame = g_malloc(flight->allocated);
    }
    return flight;
}

static void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> i * 8);
    }
}

static void capture(Wire *self, const uint8_t *frame, size_t bytes, SimTime when)
{
    uint8_t header[16];

    put32(header, (uint32_t)(when / SIM_S));
    put32(header + 4, (uint32_t)(when % SIM_S / SIM_NS));
    put32(header + 8, (uint32_t)bytes);
    put32(header + 12, (uint32_t)bytes);
    fwrite(header, sizeof header, 1, self->capture);
    fwrite(frame, bytes, 1, self->capture);
}

SimTime wire_send(WireEnd *self, const uint8_t *frame, size_t bytes, SimTime from)
{
    Wire *wire = self->wire;
    size_t padded = MAX(bytes, WIRE_FRAME_LEAST);
    SimTime start = MAX(MAX(from, self->free_at), sim_queue_now(wire->queue));
    Flight *flight;

    g_return_val_if_fail(bytes <= WIRE_FRAME_MOST, start);
    self->free_at = start + wire_frame_time(wire, padded);
    if (!self->light || !self->other->light) {
        self->sent.lost++;
        return self->free_at;
    }
    self->sent.frames++;
    self->sent.bytes += padded + 4;
    flight = append(self, padded);
    memcpy(flight->frame, frame, bytes);
    memset(flight->frame + bytes, 0, padded - bytes);
    flight->bytes = padded;
    /* The gap behind the frame is not part of its arrival. */
    flight->arrival = self->free_at - 12 * wire->byte_ps + wire->params.delay_ps;
    if (self->n == 1) {
        sim_queue_schedule(wire->queue, &self->arrive, flight->arrival, SIM_PRIO_NORMAL);
    }
    if (wire->capture != NULL) {
        capture(wire, flight->frame, padded, self->free_at - 12 * wire->byte_ps);
    }
    return self->free_at;
}

SimTime wire_free_at(const WireEnd *self)
{
    return self->free_at;
}

SimTime wire_frame_time(const Wire *self, size_t bytes)
{
    return (MAX(bytes, WIRE_FRAME_LEAST) + WIRE_OVERHEAD_BYTES) * self->byte_ps;
}

WireCount wire_end_sent(const WireEnd *self)
{
    return self->sent;
}

bool wire_capture(Wire *self, const char *path, GError **error)
{
    enum { MAGIC_NANOSECONDS = 0xa1b23c4d, LINKTYPE_ETHERNET = 1 };
    uint8_t header[24] = {[4] = 2, [6] = 4};
    FILE *file = g_fopen(path, "wb");

    if (file == NULL) {
        int code = errno;
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "%s: %s", path,
                    g_strerror(code));
        return false;
    }
    put32(header, MAGIC_NANOSECONDS);
    put32(header + 16, WIRE_FRAME_MOST);
    put32(header + 20, LINKTYPE_ETHERNET);
    fwrite(header, sizeof header, 1, file);
    if (self->capture != NULL) {
        fclose(self->capture);
    }
    self->capture = file;
    return true;
}
