/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrument at the other end of a cable: it generates UDP frames at a rate in model time, over
 * ranges of ports and addresses, and counts what comes back. */
#pragma once
#include "wire/wire.h"

typedef struct WireTesterParams {
    uint64_t frames_per_s; /* 0 = as many as the wire takes */
    uint64_t frames;       /* to send in all; 0 = no end */
    uint64_t frame_bytes;  /* on the wire, with CRC and VLAN tag: 64 … 16004; 0 = 64 */
    uint64_t seed;         /* of the choice among the ranges; 0: one after the other */
    uint8_t source[6], destination[6];
    uint32_t source_ip, destination_ip;     /* first of the range */
    uint32_t source_ips, destination_ips;   /* addresses in the range; 0 = 1 */
    uint16_t source_port, destination_port; /* first of the range */
    uint32_t source_ports, destination_ports;
    bool tagged;
    uint16_t vlan; /* TCI, if tagged */
} WireTesterParams;

typedef struct WireTesterCount {
    uint64_t frames_sent, frames_received, bytes_received; /* bytes with CRC */
    SimTime first_received, last_received;
} WireTesterCount;

typedef struct WireTester WireTester;

/* Attaches itself to @end, lit; sends nothing yet. */
WireTester *wire_tester_new(SimQueue *queue, WireEnd *end, const WireTesterParams *params);
void wire_tester_free(WireTester *self); /* before its wire */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WireTester, wire_tester_free)
void wire_tester_start(WireTester *self, SimTime when);
void wire_tester_stop(WireTester *self);
WireTesterCount wire_tester_count(const WireTester *self);
/* Frame number @n as it is sent; returns its bytes, without CRC.  @frame: 16384 bytes. */
size_t wire_tester_frame(const WireTester *self, uint64_t n, uint8_t *frame);
