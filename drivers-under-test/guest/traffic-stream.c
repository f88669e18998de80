/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the threads of `traffic` do for each block or datagram. */
#include "traffic-internal.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A stream of UDP has at most this on its way, and at least one datagram: so that neither a ring
 * nor a socket has to drop what a sender that never looks would pour into it. */
#define UDP_AHEAD_BYTES (48u << 10)
#define UDP_SEGMENTS_MOST 64u /* of the kernel, for one send */
#define UDP_SEND_MOST 65000u
#define GIVE_UP_S 3

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static bool send_all(TrafficStream *self, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t sent = send(self->send_fd, data, bytes, MSG_NOSIGNAL);

        if (sent <= 0) {
            if (sent < 0 && errno == EINTR) {
                continue;
            }
            traffic_fail(self, "cannot send after %llu bytes: %s",
                         (unsigned long long)self->sent_bytes, strerror(errno));
            return false;
        }
        self->sent_bytes += (uint64_t)sent;
        data += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

/* The block is filled while its predecessor is on its way: send copies. */
static void send_tcp(TrafficStream *self, uint8_t *block)
{
    for (uint64_t at = 0; at < self->bytes && !self->run->failed; at += TRAFFIC_BLOCK_BYTES) {
        uint64_t left = self->bytes - at;
        size_t n = left < TRAFFIC_BLOCK_BYTES ? (size_t)left : TRAFFIC_BLOCK_BYTES;

        traffic_fill(self->key, at, block, n);
        if (!send_all(self, block, n)) {
            return;
        }
    }
    shutdown(self->send_fd, SHUT_WR);
}

static void check(TrafficStream *self, uint64_t key, uint64_t number, uint64_t offset,
                  const uint8_t *data, size_t bytes)
{
    size_t first = 0, wrong = traffic_compare(key, offset, data, bytes, &first);
    uint8_t expected[8];

    self->verified_bytes += bytes - wrong;
    self->mismatched_bytes += wrong;
    if (wrong > 0) {
        traffic_fill(key, (offset + first) & ~7ull, expected, sizeof(expected));
        traffic_fail(self,
                     "%llu bytes are wrong; the first is byte %llu of %s %llu: 0x%02x, not 0x%02x",
                     (unsigned long long)wrong, (unsigned long long)(offset + first),
                     self->run->spec->udp ? "datagram" : "block", (unsigned long long)number,
                     data[first], expected[(offset + first) % 8]);
    }
}

static void receive_tcp(TrafficStream *self, uint8_t *block)
{
    ssize_t got;

    for (uint64_t at = 0; at < self->bytes && !self->run->failed; at += TRAFFIC_BLOCK_BYTES) {
        uint64_t left = self->bytes - at;
        size_t n = left < TRAFFIC_BLOCK_BYTES ? (size_t)left : TRAFFIC_BLOCK_BYTES, have = 0;

        while (have < n) {
            got = recv(self->receive_fd, block + have, n - have, MSG_WAITALL);
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got <= 0) {
                traffic_fail(self, "ended after %llu of %llu bytes: %s",
                             (unsigned long long)(at + have), (unsigned long long)self->bytes,
                             got < 0 ? strerror(errno) : "the sender has closed");
                return;
            }
            have += (size_t)got;
        }
        check(self, self->key, at / TRAFFIC_BLOCK_BYTES, at, block, n);
    }
    do {
        got = recv(self->receive_fd, block, TRAFFIC_BLOCK_BYTES, 0);
    } while (got < 0 && errno == EINTR);
    if (got != 0 && !self->run->failed) {
        traffic_fail(self, "does not end after its %llu bytes", (unsigned long long)self->bytes);
    }
}

/* --- UDP --- */

/* Waits until @more datagrams may be sent; what does not come within GIVE_UP_S is lost. */
static void wait_for_room(TrafficStream *self, uint64_t more)
{
    uint64_t most = UDP_AHEAD_BYTES / self->run->spec->datagram_bytes;
    struct timespec end;

    most = most > more ? most : more;
    pthread_mutex_lock(&self->lock);
    while (self->issued - self->settled + more > most) {
        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += GIVE_UP_S;
        if (pthread_cond_timedwait(&self->moved, &self->lock, &end) == ETIMEDOUT) {
            self->settled = self->issued;
        }
    }
    self->issued += more;
    pthread_mutex_unlock(&self->lock);
}

static void send_udp(TrafficStream *self, uint8_t *block)
{
    const TrafficSpec *spec = self->run->spec;
    size_t size = spec->datagram_bytes;
    uint64_t all = self->bytes / size, most = 1;

    if (spec->segment) {
        most = UDP_SEND_MOST / size < UDP_SEGMENTS_MOST ? UDP_SEND_MOST / size : UDP_SEGMENTS_MOST;
        most = most > 0 ? most : 1;
    }
    for (uint64_t number = 0; number < all && !self->run->failed;) {
        uint64_t n = all - number < most ? all - number : most;
        ssize_t sent;

        for (uint64_t i = 0; i < n; i++) {
            uint64_t name = number + i;

            traffic_fill(traffic_datagram_key(self->key, name), 8, block + i * size + 8, size - 8);
            memcpy(block + i * size, &name, 8);
        }
        wait_for_room(self, n);
        do {
            sent = send(self->send_fd, block, n * size, MSG_NOSIGNAL);
        } while (sent < 0 && errno == EINTR);
        if (sent != (ssize_t)(n * size)) {
            traffic_fail(self, "cannot send datagram %llu: %s", (unsigned long long)number,
                         sent < 0 ? strerror(errno) : "cut short");
            break;
        }
        number += n;
        self->sent += n;
        self->sent_bytes += n * size;
    }
    pthread_mutex_lock(&self->lock);
    self->sender_done = true;
    pthread_mutex_unlock(&self->lock);
}

/* A datagram has come: true if it is new and one of ours. */
static bool take(TrafficStream *self, const uint8_t *data, size_t bytes, uint8_t *seen,
                 uint64_t *number)
{
    size_t size = self->run->spec->datagram_bytes;
    uint64_t all = self->bytes / size;

    if (bytes == size) {
        memcpy(number, data, 8);
    }
    if (bytes != size || *number >= all) {
        self->mismatched_bytes += bytes;
        traffic_fail(self, "datagram of %zu bytes, number %llu: none such was sent", bytes,
                     (unsigned long long)*number);
        return false;
    }
    if (seen[*number / 8] & 1u << *number % 8) {
        self->repeated++;
        return false;
    }
    seen[*number / 8] |= (uint8_t)(1u << *number % 8);
    return true;
}

static void receive_udp(TrafficStream *self, uint8_t *block)
{
    size_t size = self->run->spec->datagram_bytes;
    uint64_t all = self->bytes / size, number = 0;
    uint8_t *seen = calloc(1, all / 8 + 1);
    bool done = seen == NULL;

    if (done) {
        traffic_fail(self, "no memory for %llu datagrams", (unsigned long long)all);
    }
    while (!done && self->received < all && !self->run->failed) {
        ssize_t got = recv(self->receive_fd, block, TRAFFIC_BLOCK_BYTES, 0);

        if (got < 0 && errno != EINTR && errno != EAGAIN) {
            traffic_fail(self, "cannot receive after %llu datagrams: %s",
                         (unsigned long long)self->received, strerror(errno));
            break;
        }
        pthread_mutex_lock(&self->lock);
        done = got < 0 && errno == EAGAIN && self->sender_done;
        if (got >= 0 && self->settled < self->issued) {
            self->settled++;
            pthread_cond_signal(&self->moved);
        }
        pthread_mutex_unlock(&self->lock);
        if (got >= 0 && take(self, block, (size_t)got, seen, &number)) {
            self->received++;
            self->verified_bytes += 8;
            check(self, traffic_datagram_key(self->key, number), number, 8, block + 8, size - 8);
        }
    }
    free(seen);
}

/* --- Threads --- */

static void work(TrafficStream *self, int cpu, void (*udp)(TrafficStream *, uint8_t *),
                 void (*tcp)(TrafficStream *, uint8_t *))
{
    uint8_t *block = malloc(TRAFFIC_BLOCK_BYTES);

    pin(cpu);
    if (!block) {
        traffic_fail(self, "no memory");
    } else if (self->run->spec->udp) {
        udp(self, block);
    } else {
        tcp(self, block);
    }
    free(block);
}

void *traffic_sender(void *data)
{
    TrafficStream *self = data;

    work(self, self->send_cpu, send_udp, send_tcp);
    return NULL;
}

void *traffic_receiver(void *data)
{
    TrafficStream *self = data;

    work(self, self->receive_cpu, receive_udp, receive_tcp);
    if (!self->run->spec->udp) {
        shutdown(self->receive_fd, SHUT_RDWR); /* a sender that still waits does not for ever */
    }
    return NULL;
}
