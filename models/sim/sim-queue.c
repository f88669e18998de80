/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event queue: a heap of four children a node whose events know their place, so a move or a
 * cancel is O(log n).  An entry carries the whole sort key; comparing two never touches the events
 * themselves.  While an event runs its place at the root stands empty: the event that it schedules,
 * as most do, takes that place and sinks, which is half of the work of a removal and an insertion. */
#include "sim/sim-queue.h"

/* (priority, insertion) in one number: two bits of priority, 62 of sequence. */
#define PRIORITY_SHIFT 62
#define FANOUT 4

typedef struct HeapEntry {
    SimTime when;
    uint64_t order;
    SimEvent *event;
} HeapEntry;

struct SimQueue {
    SimTime now; /* first: sim_queue_now() */
    HeapEntry *heap;
    uint32_t n, allocated;
    uint64_t sequence;
    SimTime armed; /* the deadline that the armer was told last */
    bool running;
    bool hole; /* heap[0] is nobody's */
    void (*arm)(void *opaque, SimTime deadline);
    void *arm_opaque;
};

G_STATIC_ASSERT(offsetof(SimQueue, now) == 0);

SimQueue *sim_queue_new(void)
{
    SimQueue *self = g_new0(SimQueue, 1);

    self->allocated = 64;
    self->heap = g_new(HeapEntry, self->allocated);
    self->armed = SIM_TIME_NEVER;
    return self;
}

void sim_queue_free(SimQueue *self)
{
    if (!self) {
        return;
    }
    for (uint32_t i = self->hole; i < self->n; i++) {
        self->heap[i].event->position = 0;
    }
    g_free(self->heap);
    g_free(self);
}

void sim_event_init(SimEvent *event, SimEventFunc func, void *opaque)
{
    *event = (SimEvent){.func = func, .opaque = opaque};
}

static inline bool entry_before(const HeapEntry *a, const HeapEntry *b)
{
    return a->when < b->when || (a->when == b->when && a->order < b->order);
}

static inline void heap_put(SimQueue *self, uint32_t index, const HeapEntry *entry)
{
    self->heap[index] = *entry;
    entry->event->position = index + 1;
}

static void heap_up(SimQueue *self, uint32_t index, HeapEntry entry)
{
    while (index > 0) {
        uint32_t parent = (index - 1) / FANOUT;

        if (!entry_before(&entry, &self->heap[parent])) {
            break;
        }
        heap_put(self, index, &self->heap[parent]);
        index = parent;
    }
    heap_put(self, index, &entry);
}

static void heap_down(SimQueue *self, uint32_t index, HeapEntry entry)
{
    for (;;) {
        uint32_t first = FANOUT * index + 1, child = first;

        if (first >= self->n) {
            break;
        }
        for (uint32_t i = first + 1; i < MIN(first + FANOUT, self->n); i++) {
            if (entry_before(&self->heap[i], &self->heap[child])) {
                child = i;
            }
        }
        if (!entry_before(&self->heap[child], &entry)) {
            break;
        }
        heap_put(self, index, &self->heap[child]);
        index = child;
    }
    heap_put(self, index, &entry);
}

/* Puts @entry where it belongs, starting from @index, whose old content is not needed any more. */
static void heap_settle(SimQueue *self, uint32_t index, HeapEntry entry)
{
    if (index > 0 && entry_before(&entry, &self->heap[(index - 1) / FANOUT])) {
        heap_up(self, index, entry);
    } else {
        heap_down(self, index, entry);
    }
}

static void close_hole(SimQueue *self)
{
    if (self->hole) {
        self->hole = false;
        self->n--;
        if (self->n > 0) {
            heap_down(self, 0, self->heap[self->n]);
        }
    }
}

static void heap_remove(SimQueue *self, SimEvent *event)
{
    uint32_t index = event->position - 1;

    event->position = 0;
    self->n--;
    if (index < self->n) {
        heap_settle(self, index, self->heap[self->n]);
    }
}

/* Tells the armer, but only news, and not while a run will do so at its end anyway. */
static void rearm(SimQueue *self)
{
    SimTime deadline = sim_queue_deadline(self);

    if (self->running || deadline == self->armed) {
        return;
    }
    self->armed = deadline;
    if (self->arm) {
        self->arm(self->arm_opaque, deadline);
    }
}

void sim_queue_schedule(SimQueue *self, SimEvent *event, SimTime when, SimPriority priority)
{
    HeapEntry entry;

    if (when < self->now) {
        when = self->now;
    }
    event->when = when;
    event->priority = (uint8_t)priority;
    event->sequence = ++self->sequence;
    if (self->hole && event->position == 0) {
        self->hole = false;
        heap_down(self, 0,
                  (HeapEntry){when, (uint64_t)priority << PRIORITY_SHIFT | event->sequence, event});
        return; /* inside a run, which tells the armer */
    }
    close_hole(self);
    entry = (HeapEntry){when, (uint64_t)priority << PRIORITY_SHIFT | event->sequence, event};
    if (event->position != 0) {
        heap_settle(self, event->position - 1, entry);
    } else {
        if (self->n == self->allocated) {
            self->allocated *= 2;
            self->heap = g_renew(HeapEntry, self->heap, self->allocated);
        }
        heap_up(self, self->n++, entry);
    }
    rearm(self);
}

void sim_queue_cancel(SimQueue *self, SimEvent *event)
{
    if (event->position != 0) {
        close_hole(self);
        heap_remove(self, event);
        rearm(self);
    }
}

SimTime sim_queue_deadline(const SimQueue *self)
{
    if (self->hole) { /* the first of the root's children */
        SimTime first = SIM_TIME_NEVER;

        for (uint32_t i = 1; i < MIN(1 + FANOUT, self->n); i++) {
            first = MIN(first, self->heap[i].when);
        }
        return first;
    }
    return self->n > 0 ? self->heap[0].when : SIM_TIME_NEVER;
}

void sim_queue_advance(SimQueue *self, SimTime now)
{
    if (now <= self->now) {
        return;
    }
    /* A vCPU that is ahead must find the device as it is at the vCPU's own time. */
    if (!self->running && sim_queue_deadline(self) <= now) {
        sim_queue_run(self, now);
    }
    self->now = now;
}

uint64_t sim_queue_run(SimQueue *self, SimTime until)
{
    uint64_t ran = 0;

    g_assert(!self->running); /* an event that runs the queue would see time pass inside itself */
    self->running = true;
    while (self->n > 0 && self->heap[0].when <= until) {
        SimEvent *event = self->heap[0].event;

        if (event->when > self->now) {
            self->now = event->when;
        }
        event->position = 0;
        self->hole = true;
        ran++;
        event->func(event->opaque); /* may free @event */
        close_hole(self);
    }
    if (until != SIM_TIME_NEVER && until > self->now) {
        self->now = until;
    }
    self->running = false;
    /* Always, even with the same deadline: the timer that led here has gone off. */
    self->armed = sim_queue_deadline(self);
    if (self->arm) {
        self->arm(self->arm_opaque, self->armed);
    }
    return ran;
}

void sim_queue_set_armer(SimQueue *self, void (*arm)(void *opaque, SimTime deadline), void *opaque)
{
    self->arm = arm;
    self->arm_opaque = opaque;
    self->armed = SIM_TIME_NEVER;
    rearm(self);
}
