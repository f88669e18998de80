/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event queue.  Time is cut into buckets of about a microsecond.  A wheel holds the events of
 * the next thousand buckets, each bucket a list in no order; what lies beyond is in a heap, `far`.
 * When nothing is left in the heap `near`, the first bucket that holds something is moved there and
 * its events run, with those that they schedule into the same bucket.  So an event is put and
 * taken at a cost that does not grow with the number of events, and the order is that of the keys.
 *
 * A heap has four children a node, and its events know their place: removing one is O(log n). */
#include "sim/sim-queue.h"

enum { BUCKET_SHIFT = 18, BUCKETS = 4096, WORDS = BUCKETS / 64, FANOUT = 4 };

/* (priority, insertion) in one number: two bits of priority, 62 of sequence. */
#define PRIORITY_SHIFT 62
#define NO_BUCKET UINT64_MAX

enum { PLACE_NEAR, PLACE_WHEEL, PLACE_FAR }; /* SimEvent.place */

/* Carries the whole sort key: comparing two never touches the events themselves. */
typedef struct HeapEntry {
    SimTime when;
    uint64_t order;
    SimEvent *event;
} HeapEntry;

typedef struct Heap {
    HeapEntry *entries;
    uint32_t n, allocated;
    uint8_t place; /* of its events */
} Heap;

struct SimQueue {
    SimTime now; /* first: sim_queue_now() */
    Heap near;
    uint64_t begin; /* number of the wheel's first bucket; events of the buckets before are near */
    uint64_t sequence;
    SimTime armed; /* the deadline that the armer was told last */
    bool running;
    uint64_t words_used; /* bit n: used[n] is not 0 */
    uint64_t used[WORDS];
    SimEvent *buckets[BUCKETS]; /* by number % BUCKETS */
    Heap far;
    uint64_t far_bucket; /* of its first event, or NO_BUCKET */
    void (*arm)(void *opaque, SimTime deadline);
    void *arm_opaque;
};

G_STATIC_ASSERT(offsetof(SimQueue, now) == 0);
G_STATIC_ASSERT(WORDS <= 64);

/* --- Heaps --- */

static void heap_init(Heap *heap, uint8_t place)
{
    *heap = (Heap){.allocated = 64, .place = place};
    heap->entries = g_new(HeapEntry, heap->allocated);
}

static void heap_clear(Heap *heap)
{
    for (uint32_t i = 0; i < heap->n; i++) {
        heap->entries[i].event->position = 0;
    }
    g_free(heap->entries);
}

static inline bool entry_before(const HeapEntry *a, const HeapEntry *b)
{
    return a->when < b->when || (a->when == b->when && a->order < b->order);
}

static inline void heap_put(Heap *heap, uint32_t index, const HeapEntry *entry)
{
    heap->entries[index] = *entry;
    entry->event->position = index + 1;
}

static void heap_up(Heap *heap, uint32_t index, HeapEntry entry)
{
    while (index > 0) {
        uint32_t parent = (index - 1) / FANOUT;

        if (!entry_before(&entry, &heap->entries[parent])) {
            break;
        }
        heap_put(heap, index, &heap->entries[parent]);
        index = parent;
    }
    heap_put(heap, index, &entry);
}

static void heap_down(Heap *heap, uint32_t index, HeapEntry entry)
{
    for (;;) {
        uint32_t first = FANOUT * index + 1, child = first;

        if (first >= heap->n) {
            break;
        }
        for (uint32_t i = first + 1; i < MIN(first + FANOUT, heap->n); i++) {
            if (entry_before(&heap->entries[i], &heap->entries[child])) {
                child = i;
            }
        }
        if (!entry_before(&heap->entries[child], &entry)) {
            break;
        }
        heap_put(heap, index, &heap->entries[child]);
        index = child;
    }
    heap_put(heap, index, &entry);
}

static void heap_push(Heap *heap, SimEvent *event)
{
    if (heap->n == heap->allocated) {
        heap->allocated *= 2;
        heap->entries = g_renew(HeapEntry, heap->entries, heap->allocated);
    }
    event->place = heap->place;
    heap_up(heap, heap->n++, (HeapEntry){event->when, event->order, event});
}

static void heap_remove(Heap *heap, uint32_t index)
{
    HeapEntry last = heap->entries[--heap->n];

    if (index == heap->n) {
        return;
    }
    if (index > 0 && entry_before(&last, &heap->entries[(index - 1) / FANOUT])) {
        heap_up(heap, index, last);
    } else {
        heap_down(heap, index, last);
    }
}

/* --- The wheel --- */

static inline uint64_t bucket_of(SimTime when)
{
    return when >> BUCKET_SHIFT;
}

static void wheel_put(SimQueue *self, SimEvent *event, unsigned slot)
{
    SimEvent *first = self->buckets[slot];

    event->place = PLACE_WHEEL;
    event->position = slot + 1;
    event->previous = NULL;
    event->next = first;
    if (first) {
        first->previous = event;
    }
    self->buckets[slot] = event;
    self->used[slot / 64] |= UINT64_C(1) << slot % 64;
    self->words_used |= UINT64_C(1) << slot / 64;
}

static void wheel_emptied(SimQueue *self, unsigned slot)
{
    self->used[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    if (self->used[slot / 64] == 0) {
        self->words_used &= ~(UINT64_C(1) << slot / 64);
    }
}

static void wheel_remove(SimQueue *self, SimEvent *event)
{
    unsigned slot = event->position - 1;

    if (event->next) {
        event->next->previous = event->previous;
    }
    if (event->previous) {
        event->previous->next = event->next;
        return;
    }
    self->buckets[slot] = event->next;
    if (!event->next) {
        wheel_emptied(self, slot);
    }
}

/* Number of the first bucket of the wheel that holds something, or NO_BUCKET. */
static uint64_t wheel_first(const SimQueue *self)
{
    unsigned start = self->begin % BUCKETS, word = start / 64;
    uint64_t bits = self->used[word] & UINT64_MAX << start % 64, words;

    if (self->words_used == 0) {
        return NO_BUCKET;
    }
    if (bits == 0) { /* the words behind it, then around to what lies before @start */
        words = self->words_used & (UINT64_MAX << word) << 1;
        word = (unsigned)__builtin_ctzll(words ? words : self->words_used);
        bits = self->used[word];
    }
    return self->begin + (word * 64 + (unsigned)__builtin_ctzll(bits) - start) % BUCKETS;
}

static void far_changed(SimQueue *self)
{
    self->far_bucket = self->far.n > 0 ? bucket_of(self->far.entries[0].when) : NO_BUCKET;
}

/* Puts a list into `near`, but for its first event, which it returns. */
G_GNUC_NO_INLINE static SimEvent *take_earliest(SimQueue *self, SimEvent *list)
{
    SimEvent *earliest = list;

    for (SimEvent *event = list->next, *next; event; event = next) {
        bool before = event->when < earliest->when ||
                      (event->when == earliest->when && event->order < earliest->order);
        SimEvent *later = before ? earliest : event;

        next = event->next;
        earliest = before ? event : earliest;
        heap_push(&self->near, later);
    }
    return earliest;
}

/* What comes next when `near` is empty; NULL: nothing, or look closely with refill(). */
static inline SimEvent *take_first(SimQueue *self, SimTime until)
{
    uint64_t number = wheel_first(self);
    unsigned slot = number % BUCKETS;
    SimEvent *event = self->buckets[slot];

    if (number >= self->far_bucket || number >= bucket_of(until)) { /* or NO_BUCKET */
        return NULL;
    }
    self->buckets[slot] = NULL;
    wheel_emptied(self, slot);
    self->begin = number + 1;
    return event->next ? take_earliest(self, event) : event;
}

/* Moves the bucket that comes next into `near`, which is empty.  False: none begins up to @until.
 */
G_GNUC_NO_INLINE static bool refill(SimQueue *self, SimTime until)
{
    uint64_t number = MIN(wheel_first(self), self->far_bucket);
    SimEvent *event = NULL;

    if (number == NO_BUCKET || number > bucket_of(until)) {
        return false;
    }
    if (number - self->begin < BUCKETS) {
        unsigned slot = number % BUCKETS;

        event = self->buckets[slot];
        self->buckets[slot] = NULL;
        wheel_emptied(self, slot);
    }
    self->begin = number + 1;
    while (event) {
        SimEvent *next = event->next;

        heap_push(&self->near, event);
        event = next;
    }
    while (self->far_bucket == number) {
        event = self->far.entries[0].event;
        heap_remove(&self->far, 0);
        far_changed(self);
        heap_push(&self->near, event);
    }
    return true;
}

/* No event is left up to @until: the wheel may begin there. */
static void turn_wheel(SimQueue *self, SimTime until)
{
    if (self->near.n == 0 && until != SIM_TIME_NEVER) {
        self->begin = MAX(self->begin, bucket_of(until));
    }
}

/* --- The queue --- */

SimQueue *sim_queue_new(void)
{
    SimQueue *self = g_new0(SimQueue, 1);

    heap_init(&self->near, PLACE_NEAR);
    heap_init(&self->far, PLACE_FAR);
    self->far_bucket = NO_BUCKET;
    self->armed = SIM_TIME_NEVER;
    return self;
}

void sim_queue_free(SimQueue *self)
{
    if (!self) {
        return;
    }
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (SimEvent *event = self->buckets[i]; event; event = event->next) {
            event->position = 0;
        }
    }
    heap_clear(&self->near);
    heap_clear(&self->far);
    g_free(self);
}

void sim_event_init(SimEvent *event, SimEventFunc func, void *opaque)
{
    *event = (SimEvent){.func = func, .opaque = opaque};
}

static SimTime first_time(const SimQueue *self)
{
    SimTime first = self->far.n > 0 ? self->far.entries[0].when : SIM_TIME_NEVER;
    uint64_t number;

    if (self->near.n > 0) {
        return self->near.entries[0].when;
    }
    number = wheel_first(self);
    if (number != NO_BUCKET) {
        const SimEvent *event = self->buckets[number % BUCKETS];

        for (; event; event = event->next) {
            first = MIN(first, event->when);
        }
    }
    return first;
}

/* Tells the armer, but only news. */
static void rearm(SimQueue *self, SimTime deadline)
{
    if (deadline == self->armed) {
        return;
    }
    self->armed = deadline;
    if (self->arm) {
        self->arm(self->arm_opaque, deadline);
    }
}

static void take_out(SimQueue *self, SimEvent *event)
{
    if (event->place == PLACE_WHEEL) {
        wheel_remove(self, event);
    } else if (event->place == PLACE_NEAR) {
        heap_remove(&self->near, event->position - 1);
    } else {
        heap_remove(&self->far, event->position - 1);
        far_changed(self);
    }
    event->position = 0;
}

static inline void set_key(SimQueue *self, SimEvent *event, SimTime when, SimPriority priority)
{
    event->when = when;
    event->order = (uint64_t)priority << PRIORITY_SHIFT | ++self->sequence;
}

G_GNUC_NO_INLINE static void schedule(SimQueue *self, SimEvent *event, SimTime when,
                                      SimPriority priority)
{
    bool was_first = false;
    uint64_t number;

    if (when < self->now) {
        when = self->now;
    }
    if (event->position != 0) {
        was_first = event->when == self->armed;
        take_out(self, event);
    }
    set_key(self, event, when, priority);
    number = bucket_of(when);
    if (number < self->begin) {
        heap_push(&self->near, event);
    } else if (number - self->begin < BUCKETS) {
        wheel_put(self, event, number % BUCKETS);
    } else {
        heap_push(&self->far, event);
        far_changed(self);
    }
    if (!self->running) { /* a run will tell the armer at its end */
        rearm(self, was_first ? first_time(self) : MIN(self->armed, when));
    }
}

void sim_queue_schedule(SimQueue *self, SimEvent *event, SimTime when, SimPriority priority)
{
    uint64_t number = bucket_of(when);

    if (G_LIKELY(event->position == 0 && self->running && when >= self->now &&
                 number - self->begin < BUCKETS)) { /* not less, and not too far */
        set_key(self, event, when, priority);
        wheel_put(self, event, number % BUCKETS);
        return;
    }
    schedule(self, event, when, priority);
}

void sim_queue_cancel(SimQueue *self, SimEvent *event)
{
    if (event->position == 0) {
        return;
    }
    take_out(self, event);
    if (!self->running && event->when == self->armed) {
        rearm(self, first_time(self));
    }
}

SimTime sim_queue_deadline(const SimQueue *self)
{
    return self->running ? first_time(self) : self->armed;
}

void sim_queue_advance(SimQueue *self, SimTime now)
{
    if (now <= self->now) {
        return;
    }
    /* A vCPU that is ahead must find the device as it is at the vCPU's own time. */
    if (!self->running) {
        if (self->armed <= now) {
            sim_queue_run(self, now);
        }
        turn_wheel(self, now);
    }
    self->now = now;
}

uint64_t sim_queue_run(SimQueue *self, SimTime until)
{
    uint64_t ran = 0;

    g_assert(!self->running); /* an event that runs the queue would see time pass inside itself */
    self->running = true;
    for (;;) {
        SimEvent *event = self->near.n == 0 ? take_first(self, until) : NULL;

        if (!event) {
            if (self->near.n == 0 && !refill(self, until)) {
                break;
            }
            event = self->near.entries[0].event;
            if (event->when > until) {
                break;
            }
            heap_remove(&self->near, 0);
        }
        event->position = 0;
        self->now = MAX(self->now, event->when);
        ran++;
        event->func(event->opaque); /* may free @event */
    }
    turn_wheel(self, until);
    if (until != SIM_TIME_NEVER && until > self->now) {
        self->now = until;
    }
    self->running = false;
    /* Always, even with the same deadline: the timer that led here has gone off. */
    self->armed = first_time(self);
    if (self->arm) {
        self->arm(self->arm_opaque, self->armed);
    }
    return ran;
}

void sim_queue_set_armer(SimQueue *self, void (*arm)(void *opaque, SimTime deadline), void *opaque)
{
    self->arm = arm;
    self->arm_opaque = opaque;
    if (self->armed != SIM_TIME_NEVER && arm) {
        arm(opaque, self->armed);
    }
}
