/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a `traffic` command and the bytes of its streams: no I/O here. */
#include "generator.h"
#include "traffic.h"
#include "words.h"
#include <string.h>

#define DATAGRAM_LEAST 64u
#define DATAGRAM_MOST 65000u

typedef struct Words {
    TrafficSpec spec;
    const char *from, *to, *protocol;
} Words;

static const Option options[] = {
    {"name", OPTION_TEXT, offsetof(Words, spec.name)},
    {"from", OPTION_TEXT, offsetof(Words, from)},
    {"to", OPTION_TEXT, offsetof(Words, to)},
    {"protocol", OPTION_TEXT, offsetof(Words, protocol)},
    {"streams", OPTION_NUMBER, offsetof(Words, spec.streams)},
    {"both", OPTION_FLAG, offsetof(Words, spec.both)},
    {"bytes", OPTION_NUMBER, offsetof(Words, spec.bytes)},
    {"rounds", OPTION_NUMBER, offsetof(Words, spec.rounds)},
    {"size", OPTION_NUMBER, offsetof(Words, spec.datagram_bytes)},
    {"segment", OPTION_FLAG, offsetof(Words, spec.segment)},
    {"port", OPTION_NUMBER, offsetof(Words, spec.port)},
    {"seed", OPTION_NUMBER, offsetof(Words, spec.seed)},
};

static bool parse_end(TrafficEnd *end, const char *key, const char *text, Reason *reason)
{
    const char *at = text ? strchr(text, '@') : NULL;
    int length = text ? (int)(at ? at - text : (long)strlen(text)) : 0;

    if (length == 0 || !string_set(end->address, sizeof(end->address), "%.*s", length, text) ||
        !string_set(end->netns, sizeof(end->netns), "%s", at ? at + 1 : "")) {
        return reason_set(reason, "%s=: must be ADDRESS or ADDRESS@NAMESPACE", key);
    }
    return true;
}

static bool check_numbers(const TrafficSpec *spec, Reason *reason)
{
    uint64_t all = spec->streams * (spec->both ? 2 : 1);

    if (spec->streams == 0 || spec->streams > TRAFFIC_STREAMS_MAX || all > TRAFFIC_STREAMS_MAX) {
        return reason_set(reason, "streams=: from 1 to %d, both ways together",
                          TRAFFIC_STREAMS_MAX);
    }
    if (spec->bytes < all || spec->rounds == 0) {
        return reason_set(reason, "bytes= and rounds= must leave a byte for each stream");
    }
    if (spec->datagram_bytes < DATAGRAM_LEAST || spec->datagram_bytes > DATAGRAM_MOST) {
        return reason_set(reason, "size=: from %u to %u", DATAGRAM_LEAST, DATAGRAM_MOST);
    }
    if (spec->port == 0 || spec->port + all * spec->rounds > 65536) {
        return reason_set(reason, "port=: each stream of each round takes one from it on");
    }
    return spec->udp || !spec->segment ||
           reason_set(reason, "segment=yes is for UDP; TCP segments as the interface is set");
}

bool traffic_parse(TrafficSpec *spec, char **words, int words_n, Reason *reason)
{
    Words read = {
        .spec = {.name = "", .streams = 1, .rounds = 1, .datagram_bytes = 1472, .port = 5001},
        .protocol = "tcp"};

    if (!options_read(words, words_n, options, sizeof(options) / sizeof(options[0]), &read,
                      reason)) {
        return false;
    }
    *spec = read.spec;
    spec->udp = strcmp(read.protocol, "udp") == 0;
    if (!spec->udp && strcmp(read.protocol, "tcp") != 0) {
        return reason_set(reason, "protocol=%s: must be tcp or udp", read.protocol);
    }
    return parse_end(&spec->from, "from", read.from, reason) &&
           parse_end(&spec->to, "to", read.to, reason) && check_numbers(spec, reason);
}

uint64_t traffic_key(const TrafficSpec *spec, uint64_t round, uint64_t stream)
{
    return generator_start(spec->seed, round, stream);
}

uint64_t traffic_datagram_key(uint64_t stream_key, uint64_t number)
{
    return generator_mix(stream_key ^ number);
}

uint64_t traffic_stream_bytes(const TrafficSpec *spec, uint64_t stream)
{
    uint64_t all = spec->streams * (spec->both ? 2 : 1);
    uint64_t bytes = spec->bytes / all + (stream < spec->bytes % all);

    if (!spec->udp) {
        return bytes;
    }
    return (bytes + spec->datagram_bytes - 1) / spec->datagram_bytes * spec->datagram_bytes;
}

void traffic_fill(uint64_t key, uint64_t offset, uint8_t *data, size_t bytes)
{
    uint64_t index = offset / 8, word;
    size_t at = 0;

    for (; at + 8 <= bytes; at += 8) {
        word = generator_word(key, index++);
        memcpy(data + at, &word, 8);
    }
    word = generator_word(key, index);
    memcpy(data + at, &word, bytes - at);
}

size_t traffic_compare(uint64_t key, uint64_t offset, const uint8_t *data, size_t bytes,
                       size_t *first)
{
    size_t wrong = 0;

    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t expected = generator_word(key, (offset + at) / 8), got = expected;
        size_t n = bytes - at < 8 ? bytes - at : 8;

        memcpy(&got, data + at, n);
        for (size_t i = 0; got != expected && i < n; i++) {
            if (data[at + i] != (uint8_t)(expected >> i * 8)) {
                *first = wrong++ == 0 ? at + i : *first;
            }
        }
    }
    return wrong;
}
