/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of `traffic`. */
#pragma once
#include "traffic.h"
#include <pthread.h>
#include <stdatomic.h>

#define TRAFFIC_BLOCK_BYTES 65536u /* of one send or receive */

typedef struct TrafficRun {
    const TrafficSpec *spec;
    Channel *channel;
    pthread_mutex_t lock; /* of what follows */
    Reason *reason;
    _Atomic bool failed; /* everybody stops */
} TrafficRun;

/* One way, one connection or pair of sockets, one thread at each end. */
typedef struct TrafficStream {
    TrafficRun *run;
    unsigned index;
    uint64_t key, bytes;
    int send_fd, receive_fd;
    int send_cpu, receive_cpu;
    pthread_t sender, receiver;
    bool sends, receives; /* the thread was started */

    uint64_t sent_bytes, sent; /* the sender's; datagrams */
    /* The receiver's.  Datagrams that came twice are in `repeated` alone. */
    uint64_t verified_bytes, mismatched_bytes, received, repeated;

    /* UDP has no window of its own: the sender looks at how far the receiver is. */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved;
    uint64_t issued, settled; /* datagrams sent; of them arrived or given up */
    bool sender_done;
} TrafficStream;

/* Notes the first failure of a run, which is its reason to fail. */
void traffic_fail(TrafficStream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Opens the sockets of a stream; the ends' namespaces are entered and left. */
bool traffic_open(TrafficStream *stream, uint64_t port, Reason *reason);
/* Threads. */
void *traffic_sender(void *stream);
void *traffic_receiver(void *stream);
