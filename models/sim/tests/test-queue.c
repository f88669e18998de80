/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "sim/sim-hash.h"
#include "sim/sim-queue.h"

/* An event that writes down that it ran, and may then do something to another. */
typedef struct Probe {
    SimEvent event;
    SimQueue *queue;
    int id;
    struct Probe *target; /* (nullable) */
    enum { NOTHING, CANCEL, MOVE, FREE } act;
    SimTime when;
} Probe;

static int ran[64];
static SimTime ran_at[64];
static int ran_n;

static void probe_run(void *opaque)
{
    Probe *p = opaque;

    ran_at[ran_n] = sim_queue_now(p->queue);
    ran[ran_n++] = p->id;
    if (p->act == CANCEL) {
        sim_queue_cancel(p->queue, &p->target->event);
    } else if (p->act == MOVE) {
        p->act = p->target == p && ran_n >= 5 ? NOTHING : MOVE;
        sim_queue_schedule(p->queue, &p->target->event, p->when, SIM_PRIO_NORMAL);
    } else if (p->act == FREE) {
        g_free(p);
    }
}

static Probe probes[8]; /* outlive every queue */

static Probe *probe_at(SimQueue *queue, int id, SimTime when, SimPriority priority)
{
    Probe *p = &probes[id];

    p->queue = queue;
    p->id = id;
    sim_event_init(&p->event, probe_run, p);
    sim_queue_schedule(queue, &p->event, when, priority);
    return p;
}

static void expect_order(const int *ids, int n)
{
    cr_assert(eq(int, ran_n, n));
    for (int i = 0; i < n; i++) {
        cr_expect(eq(int, ran[i], ids[i]), "event %d", i);
    }
}
#define EXPECT_ORDER(...)                                                                          \
    expect_order((const int[]){__VA_ARGS__}, (int)G_N_ELEMENTS(((const int[]){__VA_ARGS__})))

Test(sim_queue, time_then_priority_then_insertion)
{
    g_autoptr(SimQueue) queue = sim_queue_new();

    probe_at(queue, 1, 20, SIM_PRIO_EARLY);
    probe_at(queue, 2, 10, SIM_PRIO_LATE);
    probe_at(queue, 3, 10, SIM_PRIO_NORMAL);
    probe_at(queue, 4, 10, SIM_PRIO_NORMAL);
    probe_at(queue, 5, 10, SIM_PRIO_EARLY);
    cr_expect(eq(u64, sim_queue_deadline(queue), 10));
    cr_expect(eq(u64, sim_queue_run(queue, 15), 4));
    EXPECT_ORDER(5, 3, 4, 2);
    cr_expect(eq(u64, sim_queue_now(queue), 15));
    cr_expect(eq(u64, sim_queue_run(queue, SIM_TIME_NEVER), 1));
    EXPECT_ORDER(5, 3, 4, 2, 1);
    cr_expect(eq(u64, sim_queue_now(queue), 20), "NEVER leaves now at the last event");
    cr_expect(eq(u64, sim_queue_deadline(queue), SIM_TIME_NEVER));
}

Test(sim_queue, the_past_means_now)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    Probe *a = NULL;

    sim_queue_run(queue, 100);
    a = probe_at(queue, 1, 5, SIM_PRIO_NORMAL);
    cr_expect(eq(u64, a->event.when, 100));
    sim_queue_run(queue, 100);
    cr_expect(eq(u64, ran_at[0], 100));
    sim_queue_run(queue, 50);
    cr_expect(eq(u64, sim_queue_now(queue), 100), "now never steps back");
}

Test(sim_queue, a_move_counts_as_a_new_insertion)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    Probe *a = probe_at(queue, 1, 10, SIM_PRIO_NORMAL);
    Probe *c = probe_at(queue, 3, 5, SIM_PRIO_NORMAL);

    probe_at(queue, 2, 10, SIM_PRIO_NORMAL);
    sim_queue_schedule(queue, &a->event, 10, SIM_PRIO_NORMAL);
    sim_queue_schedule(queue, &c->event, 30, SIM_PRIO_NORMAL);
    sim_queue_run(queue, SIM_TIME_NEVER);
    EXPECT_ORDER(2, 1, 3);
}

Test(sim_queue, an_event_cancels_and_moves_others_and_itself)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    Probe *a = probe_at(queue, 1, 10, SIM_PRIO_NORMAL);
    Probe *b = probe_at(queue, 2, 10, SIM_PRIO_NORMAL);
    Probe *c = probe_at(queue, 3, 10, SIM_PRIO_NORMAL);
    Probe *d = probe_at(queue, 4, 99, SIM_PRIO_NORMAL);

    a->act = CANCEL;
    a->target = b;
    c->act = MOVE;
    c->target = c; /* again now, until five events have run */
    d->act = CANCEL;
    d->target = d; /* not scheduled any more: nothing happens */
    sim_queue_run(queue, SIM_TIME_NEVER);
    EXPECT_ORDER(1, 3, 3, 3, 3, 3, 4);
    cr_expect(not(sim_event_scheduled(&b->event)));
}

Test(sim_queue, an_event_may_free_itself)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    Probe *p = g_new0(Probe, 1);

    p->queue = queue;
    p->act = FREE;
    sim_event_init(&p->event, probe_run, p);
    sim_queue_schedule(queue, &p->event, 10, SIM_PRIO_NORMAL);
    cr_expect(eq(u64, sim_queue_run(queue, 10), 1));
}

Test(sim_queue, freeing_the_queue_drops_events)
{
    SimQueue *queue = sim_queue_new();
    Probe *a = probe_at(queue, 1, 10, SIM_PRIO_NORMAL);

    sim_queue_free(queue);
    sim_queue_free(NULL);
    cr_expect(not(sim_event_scheduled(&a->event)));
    cr_expect(eq(int, ran_n, 0));
}

Test(sim_queue, advance_runs_what_is_due_at_its_own_time)
{
    g_autoptr(SimQueue) queue = sim_queue_new();

    probe_at(queue, 1, 10, SIM_PRIO_NORMAL);
    probe_at(queue, 2, 50, SIM_PRIO_NORMAL);
    sim_queue_advance(queue, 20);
    EXPECT_ORDER(1);
    cr_expect(eq(u64, ran_at[0], 10));
    cr_expect(eq(u64, sim_queue_now(queue), 20));
    sim_queue_advance(queue, 15);
    cr_expect(eq(u64, sim_queue_now(queue), 20));
}

static int armed_n;
static SimTime armed_to;

static void arm(void *opaque, SimTime deadline)
{
    armed_n++;
    armed_to = deadline;
}

Test(sim_queue, the_armer_hears_only_news)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    Probe *a = NULL, *b = NULL;

    sim_queue_set_armer(queue, arm, NULL);
    cr_expect(eq(int, armed_n, 0), "nothing is scheduled");
    a = probe_at(queue, 1, 100, SIM_PRIO_NORMAL);
    cr_expect(eq(int, armed_n, 1));
    b = probe_at(queue, 2, 200, SIM_PRIO_NORMAL);
    cr_expect(eq(int, armed_n, 1), "a later event is no news");
    sim_queue_schedule(queue, &b->event, 50, SIM_PRIO_NORMAL);
    cr_expect(eq(u64, armed_to, 50));
    sim_queue_cancel(queue, &b->event);
    cr_expect(eq(u64, armed_to, 100));
    cr_expect(eq(int, armed_n, 3));
    a->act = MOVE;
    a->target = b;
    a->when = 300;
    sim_queue_run(queue, 100);
    cr_expect(eq(int, armed_n, 4), "once, at the end of the run");
    cr_expect(eq(u64, armed_to, 300));
    sim_queue_run(queue, 150);
    cr_expect(eq(int, armed_n, 5), "a run re-arms even with the same deadline");
    sim_queue_cancel(queue, &b->event);
    cr_expect(eq(u64, armed_to, SIM_TIME_NEVER));
}

/* Random schedules, moves, cancels and runs against a list that is searched from end to end. */
enum { EVENTS = 300, STEPS = 60000 };

typedef struct Shadow {
    bool scheduled;
    SimTime when;
    int priority;
    uint64_t sequence;
} Shadow;

static SimEvent events[EVENTS];
static Shadow shadows[EVENTS];
static int fired = -1;

static void stress_run(void *opaque)
{
    fired = (int)((SimEvent *)opaque - events);
}

static int shadow_first(void)
{
    int best = -1;

    for (int i = 0; i < EVENTS; i++) {
        const Shadow *s = &shadows[i], *b = &shadows[MAX(best, 0)];

        if (s->scheduled &&
            (best < 0 || s->when < b->when ||
             (s->when == b->when && (s->priority < b->priority ||
                                     (s->priority == b->priority && s->sequence < b->sequence))))) {
            best = i;
        }
    }
    return best;
}

/* How far ahead events lie: one bucket of the queue, some of its wheel, far beyond, and all of
 * them. */
static SimTime ahead(unsigned kind, uint64_t random)
{
    static const SimTime spans[] = {500, 20 * SIM_US, 3 * SIM_MS, 5 * SIM_S};

    return random % spans[kind < 4 ? kind : (random >> 13) % 4];
}

ParameterizedTestParameters(sim_queue, stress_against_a_list)
{
    static unsigned kinds[] = {0, 1, 2, 3, 4};

    return cr_make_param_array(unsigned, kinds, G_N_ELEMENTS(kinds));
}

ParameterizedTest(unsigned *kind, sim_queue, stress_against_a_list)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    uint64_t sequence = 0;

    for (int i = 0; i < EVENTS; i++) {
        sim_event_init(&events[i], stress_run, &events[i]);
    }
    for (int step = 0; step < STEPS; step++) {
        uint64_t random = sim_hash64((uint64_t)step);
        int i = (int)(random % EVENTS), first;
        SimTime now = sim_queue_now(queue);

        switch (random >> 32 & 3) {
        case 0:
        case 1:
            shadows[i] = (Shadow){true, now + ahead(*kind, random >> 16), (int)(random >> 60) % 3,
                                  ++sequence};
            sim_queue_schedule(queue, &events[i], shadows[i].when,
                               (SimPriority)shadows[i].priority);
            break;
        case 2:
            shadows[i].scheduled = false;
            sim_queue_cancel(queue, &events[i]);
            break;
        case 3:
            first = shadow_first();
            if (first >= 0 && random >> 34 & 1) { /* time passes, but nothing is due */
                sim_queue_advance(queue, now + (shadows[first].when - now) / 2);
            }
            cr_assert(eq(u64, sim_queue_deadline(queue),
                         first < 0 ? SIM_TIME_NEVER : shadows[first].when));
            if (first >= 0) {
                /* One event at a time: those of one instant are pushed behind it. */
                for (int j = 0; j < EVENTS; j++) {
                    if (j != first && shadows[j].scheduled &&
                        shadows[j].when == shadows[first].when) {
                        shadows[j] =
                            (Shadow){true, shadows[j].when + 1, shadows[j].priority, ++sequence};
                        sim_queue_schedule(queue, &events[j], shadows[j].when,
                                           (SimPriority)shadows[j].priority);
                    }
                }
                cr_assert(eq(u64, sim_queue_run(queue, shadows[first].when), 1));
                cr_assert(eq(int, fired, first));
                shadows[first].scheduled = false;
            }
            break;
        }
        cr_assert(eq(int, sim_event_scheduled(&events[i]), shadows[i].scheduled));
    }
}

/* The order of ties, all at once. */
static int order[EVENTS], order_n;

static void tie_run(void *opaque)
{
    order[order_n++] = (int)((SimEvent *)opaque - events);
}

Test(sim_queue, stress_of_ties)
{
    for (uint64_t round = 0; round < 50; round++) {
        g_autoptr(SimQueue) queue = sim_queue_new();

        order_n = 0;
        for (int i = 0; i < EVENTS; i++) {
            uint64_t random = sim_hash64_pair(round, (uint64_t)i);

            sim_event_init(&events[i], tie_run, &events[i]);
            shadows[i] = (Shadow){true, random % 4, (int)(random >> 8 & 0xff) % 3, (uint64_t)i};
            sim_queue_schedule(queue, &events[i], shadows[i].when,
                               (SimPriority)shadows[i].priority);
        }
        sim_queue_run(queue, SIM_TIME_NEVER);
        for (int i = 0; i < EVENTS; i++) {
            cr_assert(eq(int, order[i], shadow_first()));
            shadows[order[i]].scheduled = false;
        }
    }
}

/* Many events over long and short spans, run in pieces that end anywhere: all in order, none before
 * its time, none left. */
typedef struct Walk {
    SimQueue *queue;
    uint64_t random;
    unsigned kind, ran;
    SimTime last;
} Walk;
static Walk walk;

static void walk_run(void *opaque)
{
    SimEvent *event = opaque;

    cr_assert(eq(u64, event->when, sim_queue_now(walk.queue)));
    cr_assert(ge(u64, event->when, walk.last));
    walk.last = event->when;
    walk.ran++;
    walk.random = sim_hash64(walk.random);
    if (walk.ran < STEPS) {
        SimEvent *other = &events[walk.random % EVENTS];

        sim_queue_schedule(walk.queue, event, walk.last + ahead(walk.kind, walk.random >> 16),
                           SIM_PRIO_NORMAL);
        if (walk.random >> 40 & 1) {
            sim_queue_schedule(walk.queue, other, walk.last + ahead(walk.kind, walk.random >> 20),
                               SIM_PRIO_LATE);
        }
    }
}

ParameterizedTestParameters(sim_queue, pieces_of_a_long_walk)
{
    static unsigned kinds[] = {0, 1, 2, 3, 4};

    return cr_make_param_array(unsigned, kinds, G_N_ELEMENTS(kinds));
}

ParameterizedTest(unsigned *kind, sim_queue, pieces_of_a_long_walk)
{
    g_autoptr(SimQueue) queue = sim_queue_new();

    walk = (Walk){.queue = queue, .kind = *kind};
    for (int i = 0; i < EVENTS; i++) {
        sim_event_init(&events[i], walk_run, &events[i]);
        sim_queue_schedule(queue, &events[i], (SimTime)i, SIM_PRIO_NORMAL);
    }
    for (uint64_t i = 0; sim_queue_deadline(queue) != SIM_TIME_NEVER; i++) {
        SimTime until = sim_queue_deadline(queue) + ahead(*kind, sim_hash64(i)) / 8;

        sim_queue_run(queue, until);
        cr_assert(gt(u64, sim_queue_deadline(queue), until));
        cr_assert(eq(u64, sim_queue_now(queue), until));
    }
    for (int i = 0; i < EVENTS; i++) {
        cr_assert(not(sim_event_scheduled(&events[i])));
    }
    cr_expect(ge(u32, walk.ran, STEPS));
}
