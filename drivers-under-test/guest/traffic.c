/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "traffic.h"
#include "cpu-list.h"
#include "traffic-internal.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX 1024
#define STACK_BYTES (64u << 10)

typedef struct Totals {
    uint64_t sent_bytes, verified_bytes, mismatched_bytes;
    uint64_t sent, received, repeated; /* datagrams */
} Totals;

void traffic_fail(TrafficStream *stream, const char *format, ...)
{
    TrafficRun *run = stream->run;
    const TrafficSpec *spec = run->spec;
    bool back = stream->index >= spec->streams;
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    pthread_mutex_lock(&run->lock);
    if (!atomic_exchange(&run->failed, true)) {
        reason_set(run->reason, "%s stream %u, %s to %s: %s", spec->udp ? "udp" : "tcp",
                   stream->index, back ? spec->to.address : spec->from.address,
                   back ? spec->from.address : spec->to.address, what);
    }
    pthread_mutex_unlock(&run->lock);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Receivers first: what is sent finds somebody who waits. */
static bool start(TrafficStream *streams, int n, Reason *reason)
{
    pthread_attr_t attributes;
    bool started = true;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 0; started && i < n; i++) {
        started = streams[i].receives =
            !pthread_create(&streams[i].receiver, &attributes, traffic_receiver, &streams[i]);
    }
    for (int i = 0; started && i < n; i++) {
        started = streams[i].sends =
            !pthread_create(&streams[i].sender, &attributes, traffic_sender, &streams[i]);
    }
    pthread_attr_destroy(&attributes);
    return started || reason_set(reason, "cannot start %d threads", 2 * n);
}

/* Ends a stream: closes what is open, waits for its threads, adds it up. */
static void finish(TrafficStream *stream, bool broken, Totals *totals)
{
    if (broken) { /* one end may wait for the other, which there is not */
        shutdown(stream->send_fd, SHUT_RDWR);
        shutdown(stream->receive_fd, SHUT_RDWR);
    }
    if (stream->sends) {
        pthread_join(stream->sender, NULL);
    }
    if (stream->receives) {
        pthread_join(stream->receiver, NULL);
    }
    close(stream->send_fd);
    close(stream->receive_fd);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->moved);
    totals->sent_bytes += stream->sent_bytes;
    totals->verified_bytes += stream->verified_bytes;
    totals->mismatched_bytes += stream->mismatched_bytes;
    totals->sent += stream->sent;
    totals->received += stream->received;
    totals->repeated += stream->repeated;
}

static void prepare(TrafficRun *run, TrafficStream *stream, unsigned index, uint64_t round)
{
    int cpus[CPUS_MAX], cpus_n = cpu_list_online("/sys", cpus, CPUS_MAX);
    pthread_condattr_t monotonic;

    *stream =
        (TrafficStream){.run = run,
                        .index = index,
                        .key = traffic_key(run->spec, round, index),
                        .bytes = traffic_stream_bytes(run->spec, index),
                        .send_fd = -1,
                        .receive_fd = -1,
                        .send_cpu = cpus[index % (unsigned)cpus_n],
                        .receive_cpu = cpus[(index + (unsigned)cpus_n / 2) % (unsigned)cpus_n]};
    pthread_mutex_init(&stream->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->moved, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static bool run_round(TrafficRun *run, uint64_t round, Totals *totals)
{
    const TrafficSpec *spec = run->spec;
    int n = (int)spec->streams * (spec->both ? 2 : 1);
    TrafficStream *streams = calloc((size_t)n, sizeof(*streams));
    bool done = streams || reason_set(run->reason, "no memory for %d streams", n);

    for (int i = 0; streams && i < n; i++) {
        prepare(run, &streams[i], (unsigned)i, round);
    }
    for (int i = 0; done && i < n; i++) {
        done =
            traffic_open(&streams[i], spec->port + round * (uint64_t)n + (uint64_t)i, run->reason);
    }
    done = done && start(streams, n, run->reason);
    run->failed = run->failed || !done;
    for (int i = 0; streams && i < n; i++) {
        finish(&streams[i], !done, totals);
    }
    free(streams);
    return done && !run->failed;
}

static void report(const TrafficRun *run, const Totals *totals, uint64_t guest_ns)
{
    const TrafficSpec *spec = run->spec;
    Text name = {0}, body = {0};

    text_printf(&name, "traffic-%s", spec->name);
    text_printf(&body,
                "{\"name\": \"%s\", \"protocol\": \"%s\", \"streams\": %llu, \"sent_bytes\": %llu, "
                "\"verified_bytes\": %llu, \"mismatched_bytes\": %llu, \"datagrams_sent\": %llu, "
                "\"datagrams_received\": %llu, \"datagrams_repeated\": %llu, \"guest_ns\": %llu}\n",
                spec->name, spec->udp ? "udp" : "tcp",
                (unsigned long long)(spec->streams * (spec->both ? 2 : 1) * spec->rounds),
                (unsigned long long)totals->sent_bytes, (unsigned long long)totals->verified_bytes,
                (unsigned long long)totals->mismatched_bytes, (unsigned long long)totals->sent,
                (unsigned long long)totals->received, (unsigned long long)totals->repeated,
                (unsigned long long)guest_ns);
    channel_report(run->channel, name.data, body.data, body.length);
    text_free(&name);
    text_free(&body);
}

bool traffic_run(const TrafficSpec *spec, Channel *channel, Reason *reason)
{
    TrafficRun run = {
        .spec = spec, .channel = channel, .lock = PTHREAD_MUTEX_INITIALIZER, .reason = reason};
    Totals totals = {0};
    uint64_t begin = now_ns();
    bool done = true;

    for (uint64_t round = 0; done && round < spec->rounds; round++) {
        done = run_round(&run, round, &totals);
    }
    report(&run, &totals, now_ns() - begin);
    return done;
}
