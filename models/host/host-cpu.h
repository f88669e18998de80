/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated cpus, threads and locks of native mode, on the same SimQueue as the devices.
 *
 * A cpu runs one thread's piece of work at a time, from a queue of runnable ones; interrupt
 * handlers run first and push the work's end out.  What anything costs is said by HostCosts.  A
 * piece of work has one event, at its end.  Left out: caches, frequency, priorities, sleep states.
 */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "host/host-costs.h"
#include "sim/sim-counter.h"
#include "sim/sim-queue.h"
#include "sim/sim-telemetry.h"

typedef struct HostCpus HostCpus;
typedef struct HostThread HostThread;

typedef enum {
    HOST_BLOCKS,  /* until host_thread_wake() */
    HOST_GOES_ON, /* with another piece of work */
    HOST_SPINS,   /* until host_thread_wake(), busy unless another thread wants the cpu */
} HostNext;

struct HostThread {
    SimEvent event;
    HostCpus *cpus;
    HostThread *next; /* in a run queue */
    unsigned cpu;
    bool pinned;
    bool runnable; /* queued or running */
    bool spinning;
    /* What the next piece of work costs if it begins at @start; called when it begins. */
    SimTime (*begin)(HostThread *self, SimTime start);
    HostNext (*end)(HostThread *self); /* the piece of work is done, now */
};

/* A spin lock: whoever comes while it is held spins, and its cache line costs a hand-over. */
typedef struct HostLock {
    SimTime free_at;
    unsigned cpu; /* last holder */
    bool taken_before;
} HostLock;

/* @threads_per_core: cpu i shares its core with those that differ from it by a multiple of
 * n / threads_per_core, as PC firmware numbers them. */
HostCpus *host_cpus_new(SimQueue *queue, unsigned n, unsigned threads_per_core,
                        const HostCosts *costs);
void host_cpus_free(HostCpus *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HostCpus, host_cpus_free)
unsigned host_cpus_n(const HostCpus *self);
/* The first member: asked for at each step of an I/O, it costs no call. */
static inline const HostCosts *host_cpus_costs(const HostCpus *self)
{
    return (const HostCosts *)(const void *)self;
}
SimQueue *host_cpus_queue(const HostCpus *self);

/* @cpu: where it starts, and stays if @pinned.  It waits for its first wake. */
void host_thread_init(HostThread *self, HostCpus *cpus, unsigned cpu, bool pinned);
/* Makes it runnable on behalf of @from_cpu; a busy cpu that is not that one takes an IPI.  Nothing
 * happens to a thread that is runnable. */
void host_thread_wake(HostThread *self, unsigned from_cpu);

/* A handler of @cost on @cpu, now or when the handlers before it are done; returns its end. */
SimTime host_cpu_interrupt(HostCpus *self, unsigned cpu, SimTime cost);
/* Counted as device interrupt of @cpu; its cost comes with host_cpu_interrupt(). */
void host_cpu_count_interrupt(HostCpus *self, unsigned cpu);
bool host_cpu_is_idle(const HostCpus *self, unsigned cpu);
/* An IPI to every cpu that is not idle, but for @from; returns what @from spends: sending them, and
 * the time of one until it is answered. */
SimTime host_cpus_broadcast(HostCpus *self, unsigned from);

/* Taken at @at by @cpu and held for @hold: returns how long it spins first. */
SimTime host_lock_take(HostCpus *self, HostLock *lock, unsigned cpu, SimTime at, SimTime hold);

/* Counters of each cpu, scope "cpu" of device "machine", and `vcpu` records. */
extern const SimCounter host_cpu_counters[];
extern const size_t host_cpu_counters_n;
void host_cpus_record(const HostCpus *self, SimTelemetry *telemetry, const char *at);
uint64_t host_cpu_busy_ps(const HostCpus *self, unsigned cpu); /* since model time 0 */
