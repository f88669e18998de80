/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sockets of `traffic`, each made in the network namespace of its end. */
#include "netns.h"
#include "traffic-internal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Window of a TCP connection: 16 of them, all on one queue, fit a ring of 1024 descriptors. */
#define TCP_BUFFER_BYTES (64 << 10)
/* More than the senders of UDP let grow. */
#define UDP_BUFFER_BYTES (4 << 20)
#define CONNECT_S 10
#define GIVE_UP_S 3

typedef union Address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} Address;

static bool address_of(const TrafficEnd *end, uint64_t port, Address *address, Reason *reason)
{
    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, end->address, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t)port);
        return true;
    }
    if (inet_pton(AF_INET6, end->address, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return true;
    }
    return reason_set(reason, "\"%s\" is no IP address", end->address);
}

static socklen_t address_length(const Address *address)
{
    return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

static void set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

/* A socket in the end's namespace, bound to its address. */
static int make(const TrafficSpec *spec, const TrafficEnd *end, uint64_t port, Reason *reason)
{
    Address address;
    int fd;

    if (!address_of(end, port, &address, reason)) {
        return -1;
    }
    fd = netns_socket(end->netns, address.any.sa_family, spec->udp ? SOCK_DGRAM : SOCK_STREAM,
                      reason);
    if (fd < 0) {
        return -1;
    }
    set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    set(fd, SOL_SOCKET, SO_RCVBUFFORCE, spec->udp ? UDP_BUFFER_BYTES : TCP_BUFFER_BYTES);
    if (bind(fd, &address.any, address_length(&address)) < 0) {
        reason_set(reason, "cannot have a socket at %s: %s", end->address, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static bool join(int fd, const TrafficEnd *end, uint64_t port, Reason *reason)
{
    struct timeval limit = {.tv_sec = CONNECT_S}, none = {0};
    Address address;
    bool joined;

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    joined = address_of(end, port, &address, reason) &&
             (connect(fd, &address.any, address_length(&address)) == 0 ||
              reason_set(reason, "cannot connect to %s: %s", end->address, strerror(errno)));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
    return joined;
}

bool traffic_open(TrafficStream *stream, uint64_t port, Reason *reason)
{
    const TrafficSpec *spec = stream->run->spec;
    bool back = stream->index >= spec->streams;
    const TrafficEnd *from = back ? &spec->to : &spec->from, *to = back ? &spec->from : &spec->to;
    struct timeval limit = {.tv_sec = GIVE_UP_S};
    int listener;

    stream->receive_fd = make(spec, to, port, reason);
    if (stream->receive_fd < 0) {
        return false;
    }
    stream->send_fd = make(spec, from, port, reason);
    if (stream->send_fd < 0) {
        return false;
    }
    if (spec->udp) {
        setsockopt(stream->receive_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (spec->segment) {
            set(stream->send_fd, SOL_UDP, UDP_SEGMENT, (int)spec->datagram_bytes);
        }
        return join(stream->receive_fd, from, port, reason) &&
               join(stream->send_fd, to, port, reason);
    }
    listener = stream->receive_fd;
    if (listen(listener, 1) < 0) {
        return reason_set(reason, "cannot listen at %s: %s", to->address, strerror(errno));
    }
    if (!join(stream->send_fd, to, port, reason)) {
        return false;
    }
    stream->receive_fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(listener);
    return stream->receive_fd >= 0 ||
           reason_set(reason, "cannot accept at %s: %s", to->address, strerror(errno));
}
