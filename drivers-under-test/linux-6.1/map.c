/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's queue map: cpus grouped evenly over the vectors, a hardware queue a group. */
#include "native-maps.h"

/* Groups @n cpus from @first on into @groups; the first ones have one cpu more. */
static void spread_node(unsigned first, unsigned n, unsigned groups, uint16_t *firsts,
                        uint16_t *counts)
{
    for (unsigned g = 0; g < groups; g++) {
        counts[g] = (uint16_t)(n / groups + (g < n % groups));
        firsts[g] = (uint16_t)first;
        first += counts[g];
    }
}

/* Nodes of equal size are served in proportion, one after the other. */
static void spread(unsigned cpus, unsigned nodes, unsigned groups, uint16_t *firsts,
                   uint16_t *counts)
{
    unsigned left = cpus, done = 0;

    groups = MIN(groups, cpus);
    if (nodes > groups || nodes == 0 || cpus % nodes) {
        nodes = 1;
    }
    for (unsigned node = 0; node < nodes; node++) {
        unsigned n = cpus / nodes, share = MAX((groups - done) * n / left, 1);

        spread_node(node * n, n, share, firsts + done, counts + done);
        left -= n;
        done += share;
    }
}

/* The cpu of the mask with the fewest managed vectors. */
static unsigned place_vector(uint16_t *allocated, unsigned first, unsigned n)
{
    unsigned best = first;

    for (unsigned cpu = first; cpu < first + n; cpu++) {
        best = allocated[cpu] < allocated[best] ? cpu : best;
    }
    allocated[best]++;
    return best;
}

/* Queues first_q … of one kind, each with a vector of its own; @sq_of (cpu → queue) gets them. */
static void add_set(NativeMap *map, unsigned cpus, unsigned nodes, unsigned first_q, unsigned n,
                    uint16_t *sq_of, uint16_t *allocated)
{
    uint16_t firsts[NATIVE_QUEUES], counts[NATIVE_QUEUES];

    spread(cpus, nodes, n, firsts, counts);
    for (unsigned i = 0; i < n; i++) {
        unsigned q = first_q + i;

        map->cq_of[q] = (uint16_t)q;
        map->vector_of[q] = (uint16_t)q;
        map->vector_cpus_first[q] = firsts[i];
        map->vector_cpus_n[q] = counts[i];
        map->vector_cpu[q] = (uint16_t)place_vector(allocated, firsts[i], counts[i]);
        for (unsigned cpu = firsts[i]; cpu < firsts[i] + counts[i]; cpu++) {
            sq_of[cpu] = (uint16_t)q;
        }
    }
}

void linux_6_1_map(NativeMap *map, unsigned cpus, unsigned nodes, unsigned granted,
                   unsigned vectors, unsigned write_queues, unsigned poll_queues,
                   uint16_t *allocated)
{
    unsigned queues = MIN(cpus + write_queues + poll_queues, granted);
    unsigned poll = MIN(poll_queues, queues - 1), with_irq, normal, read = 0;

    map->vectors = MIN(vectors, 1 + queues - poll);
    with_irq = MAX(map->vectors - 1, 1);
    normal = with_irq;
    if (write_queues && with_irq > 1) {
        normal = MIN(write_queues, with_irq - 1);
        read = with_irq - normal;
    }
    map->sqs = map->cqs = with_irq + poll;
    g_snprintf(map->name, sizeof map->name, "%u/%u/%u default/read/poll queues", normal, read,
               poll);
    map->vector_cpus_n[0] = (uint16_t)cpus; /* the admin vector may go anywhere, and goes to 0 */
    if (map->vectors == 1) {
        map->cq_of[1] = 1;
        for (unsigned cpu = 0; cpu < cpus; cpu++) {
            map->write_sq[cpu] = map->read_sq[cpu] = 1;
        }
    } else {
        add_set(map, cpus, nodes, 1, normal, map->write_sq, allocated);
        for (unsigned cpu = 0; cpu < cpus; cpu++) {
            map->read_sq[cpu] = map->write_sq[cpu];
        }
        if (read) {
            add_set(map, cpus, nodes, 1 + normal, read, map->read_sq, allocated);
        }
    }
    for (unsigned i = 0; i < poll; i++) {
        map->cq_of[with_irq + 1 + i] = (uint16_t)(with_irq + 1 + i);
        map->polled[with_irq + 1 + i] = true;
    }
    for (unsigned cpu = 0; poll && cpu < cpus; cpu++) { /* the load's I/O is polled */
        map->read_sq[cpu] = map->write_sq[cpu] = (uint16_t)(with_irq + 1 + cpu % poll);
    }
}
