/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `traffic`: streams between two addresses, each byte of which both ends can compute;
 * docs/channel.md. */
#pragma once
#include "channel.h"

/* Both directions together. */
#define TRAFFIC_STREAMS_MAX 512

/* ADDRESS@NAMESPACE: an address that an interface of that network namespace has. */
typedef struct TrafficEnd {
    char address[64];
    char netns[64]; /* empty: the program's own */
} TrafficEnd;

typedef struct TrafficSpec {
    const char *name;
    TrafficEnd from, to;
    bool udp, both, segment;
    uint64_t streams;        /* each way */
    uint64_t bytes;          /* of a round, all streams together */
    uint64_t rounds;         /* each with new sockets */
    uint64_t datagram_bytes; /* of UDP: payload */
    uint64_t port, seed;
} TrafficSpec;

bool traffic_parse(TrafficSpec *spec, char **words, int words_n, Reason *reason);

/* The pattern of a stream, and of a datagram within it (whose first word is its number). */
uint64_t traffic_key(const TrafficSpec *spec, uint64_t round, uint64_t stream);
uint64_t traffic_datagram_key(uint64_t stream_key, uint64_t number);
/* Fills @data with, or compares it to, the pattern's bytes from @offset on, a multiple of 8.
 * Compares: returns how many bytes differ; *@first is the first of them. */
void traffic_fill(uint64_t key, uint64_t offset, uint8_t *data, size_t bytes);
size_t traffic_compare(uint64_t key, uint64_t offset, const uint8_t *data, size_t bytes,
                       size_t *first);
/* Payload of a stream: its share of a round; of UDP whole datagrams. */
uint64_t traffic_stream_bytes(const TrafficSpec *spec, uint64_t stream);

/* Runs it and reports `traffic-NAME`; false: a connection or a byte was wrong. */
bool traffic_run(const TrafficSpec *spec, Channel *channel, Reason *reason);
