/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver that nobody ships: Linux's habits with a map of your choice. */
#include "native-maps.h"

/* @n cpus in @queues blocks, from queue @first on. */
static void blocks(uint16_t *sq_of, unsigned n, unsigned first, unsigned queues)
{
    for (unsigned cpu = 0; cpu < n; cpu++) {
        sq_of[cpu] = (uint16_t)(first + cpu * queues / n);
    }
}

static void dealt_out(uint16_t *sq_of, unsigned n, unsigned queues)
{
    for (unsigned cpu = 0; cpu < n; cpu++) {
        sq_of[cpu] = (uint16_t)(1 + cpu % queues);
    }
}

/* A vector goes to the first cpu that submits to one of its queues; a stride's to cpu q mod n. */
static void place_vectors(NativeMap *map, unsigned policy, unsigned cpus)
{
    for (unsigned cpu = cpus; cpu-- > 0;) {
        map->vector_cpu[map->vector_of[map->write_sq[cpu]]] = (uint16_t)cpu;
        map->vector_cpu[map->vector_of[map->read_sq[cpu]]] = (uint16_t)cpu;
    }
    map->vector_cpu[0] = 0;
    for (unsigned v = 0; v < map->vectors; v++) {
        if (policy == NATIVE_MAP_STRIDE) {
            map->vector_cpu[v] = (uint16_t)(v % cpus);
        }
        map->vector_cpus_first[v] = map->vector_cpu[v];
        map->vector_cpus_n[v] = 1;
    }
}

void queue_policy_map(NativeMap *map, unsigned policy, unsigned cpus, unsigned granted,
                      unsigned vectors)
{
    unsigned queues = policy == NATIVE_MAP_ONE ? 1 : MIN(granted, cpus);
    bool polled = policy == NATIVE_MAP_POLLED;

    if (policy == NATIVE_MAP_APART && queues < 2) {
        queues = MIN(granted, 2);
    }
    map->sqs = map->cqs = queues;
    map->vectors = MIN(vectors, 1 + queues);
    g_snprintf(map->name, sizeof map->name, "%s, %u queues", native_map_words[policy], queues);
    for (unsigned q = 1; q <= queues; q++) {
        map->cq_of[q] = (uint16_t)q;
        map->polled[q] = polled;
        map->vector_of[q] = (uint16_t)(map->vectors > 1 ? 1 + (q - 1) % (map->vectors - 1) : 0);
    }
    if (policy == NATIVE_MAP_PER_CPU || policy == NATIVE_MAP_STRIDE) {
        dealt_out(map->read_sq, cpus, queues);
        dealt_out(map->write_sq, cpus, queues);
    } else if (policy == NATIVE_MAP_APART && queues > 1) {
        blocks(map->write_sq, cpus, 1, queues / 2);
        blocks(map->read_sq, cpus, 1 + queues / 2, queues - queues / 2);
    } else {
        blocks(map->read_sq, cpus, 1, queues);
        blocks(map->write_sq, cpus, 1, queues);
    }
    place_vectors(map, policy, cpus);
}

static void make_map(NativeController *self, unsigned granted)
{
    const NativeParameters *p = self->parameters;
    unsigned vectors = host_device_vectors(self->device);

    queue_policy_map(&self->map, p->map, self->host.cpus,
                     p->queues ? MIN(granted, p->queues) : granted,
                     p->vectors ? MIN(vectors, p->vectors) : vectors);
}

static bool attach(NativeController *self, GError **error)
{
    return linux_attach_with(self, make_map, error);
}

static const char *const parameters[] = {
    "map", "queues", "vectors", "io_queue_depth", "coalesce_entries", "coalesce_time", NULL};

const NativeDriver queue_policy = {
    .name = "queue-policy",
    .parameters = parameters,
    .generation_in_cid = true,
    .attach = attach,
};
