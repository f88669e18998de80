/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event queue: one a process, shared by all devices, links and wires.
 * Events fire in order of (time, priority, insertion).  Not thread-safe. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "sim-time.h"

typedef struct SimQueue SimQueue;
typedef void (*SimEventFunc)(void *opaque);

/* Lower fires first among events of one instant. */
typedef enum { SIM_PRIO_EARLY = 0, SIM_PRIO_NORMAL = 1, SIM_PRIO_LATE = 2 } SimPriority;

/* Embedded in its owner, who calls sim_event_init() once and cancels it before it goes away. */
typedef struct SimEvent {
    SimEventFunc func;
    void *opaque;
    SimTime when;                     /* valid while scheduled */
    uint64_t order;                   /* priority and insertion number */
    struct SimEvent *next, *previous; /* in its bucket */
    uint32_t position;                /* 1 + where in its place; 0 = not scheduled */
    uint8_t place;
} SimEvent;

SimQueue *sim_queue_new(void);
void sim_queue_free(SimQueue *self); /* NULL is fine; events still scheduled are dropped, never run */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimQueue, sim_queue_free)

void sim_event_init(SimEvent *event, SimEventFunc func, void *opaque);
static inline bool sim_event_scheduled(const SimEvent *event) { return event->position != 0; }

/* Schedules @event at @when (a time in the past means now); an event already scheduled is moved. */
void sim_queue_schedule(SimQueue *self, SimEvent *event, SimTime when, SimPriority priority);
void sim_queue_cancel(SimQueue *self, SimEvent *event); /* not scheduled: nothing happens */

/* Latest time seen: never steps back.  The first member of the queue, so that asking costs no call. */
static inline SimTime sim_queue_now(const SimQueue *self)
{
    return *(const SimTime *)(const void *)self;
}
/* Moves now forward to @now without running events that lie beyond it; a time that steps back is ignored.
 * Events due up to @now run first, so that each sees its own time (inside a run none does, only now moves).
 * For entry from a vCPU (MMIO): call before the model. */
void sim_queue_advance(SimQueue *self, SimTime now);
/* Time of the first event, or SIM_TIME_NEVER. */
SimTime sim_queue_deadline(const SimQueue *self);
/* Runs all events with time <= @until, setting now to each event's time, at the end to @until (if not NEVER).
 * Returns the number of events run. */
uint64_t sim_queue_run(SimQueue *self, SimTime until);
/* Called when the first deadline changes, from schedule/cancel, and at the end of each run (there even with the same
 * deadline: the timer has gone off).  SIM_TIME_NEVER: nothing to wait for.  One listener. */
void sim_queue_set_armer(SimQueue *self, void (*arm)(void *opaque, SimTime deadline), void *opaque);
