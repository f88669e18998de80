/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An Ethernet cable with two ends: frames take their time on it, in order, in each direction.
 *
 * Frames are passed without preamble and CRC; on the wire each takes 24 bytes more (8 preamble,
 * 4 CRC, 12 gap) [IEEE 802.3 §4.4.2].  An end may be dark: what is sent while either end is dark is
 * lost.  Left out: pause frames, damaged frames, half duplex. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim/sim-queue.h"

enum { WIRE_OVERHEAD_BYTES = 24, WIRE_FRAME_LEAST = 60, WIRE_FRAME_MOST = 16384 };

typedef struct Wire Wire;
typedef struct WireEnd WireEnd;

/* Who is at an end. */
typedef struct WireClient {
    void *opaque;
    /* A frame has arrived whole; it is the receiver's to read during the call. */
    void (*receive)(void *opaque, const uint8_t *frame, size_t bytes);
    /* The other end was lit or went dark. (nullable) */
    void (*light)(void *opaque, bool on);
} WireClient;

typedef struct WireParams {
    uint64_t bits_per_s; /* must divide 8 * 10^12; 0 = 10 Gb/s */
    SimTime delay_ps;    /* of the cable: 5 ns a metre */
} WireParams;

Wire *wire_new(SimQueue *queue, const WireParams *params);
void wire_free(Wire *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Wire, wire_free)
WireEnd *wire_end(Wire *self, unsigned which); /* 0 or 1; (transfer none) */

/* Copies @client; NULL: nobody any more, and the end is dark. */
void wire_end_attach(WireEnd *self, const WireClient *client);
void wire_end_set_light(WireEnd *self, bool on);
bool wire_end_sees_light(const WireEnd *self); /* of the other end */

/* Sends from @from on, or when what was sent before has left.  Returns when the last bit of it has
 * left; the frame arrives after the delay.  A frame shorter than 60 bytes is padded with zeros. */
SimTime wire_send(WireEnd *self, const uint8_t *frame, size_t bytes, SimTime from);
SimTime wire_free_at(const WireEnd *self); /* when a frame could start */
SimTime wire_frame_time(const Wire *self, size_t bytes);

typedef struct WireCount {
    uint64_t frames, bytes; /* with CRC */
    uint64_t lost;          /* frames sent into the dark, not in `frames` */
} WireCount;
WireCount wire_end_sent(const WireEnd *self);

/* Writes every frame from now on to a capture file, as pcap with nanoseconds, at the time its last
 * bit has left; without CRC. */
bool wire_capture(Wire *self, const char *path, GError **error);
