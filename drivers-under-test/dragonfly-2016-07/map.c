/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DragonFly's queue map of July 2016 and after: five cases, tried in order. */
#include "native-maps.h"

#include <string.h>

/* Queues above @most start again at 1. */
static unsigned fix(unsigned value, unsigned most)
{
    return (value - 1) % most + 1;
}

unsigned dragonfly_vectors(NativeMap *map, uint16_t *cv, unsigned cpus, unsigned vectors,
                           unsigned *last, bool overwrite)
{
    unsigned nirqs = MIN(vectors, cpus + 1), cpu = *last;

    memset(cv, 0, cpus * sizeof *cv);
    if (nirqs < 2) { /* one interrupt for all */
        map->vectors = 1;
        map->vector_cpu[0] = 0;
        for (unsigned i = 0; i < cpus; i++) {
            cv[i] = (uint16_t)(i + 1);
        }
        return 1;
    }
    for (unsigned i = 0; i < nirqs; i++) {
        cpu = (*last + i) % cpus;
        map->vector_cpu[i] = (uint16_t)cpu;
        map->vector_cpus_first[i] = (uint16_t)cpu;
        map->vector_cpus_n[i] = 1;
        if (cv[cpu] == 0 || overwrite) {
            cv[cpu] = (uint16_t)i; /* the admin vector, 0, never counts as set */
        }
    }
    for (unsigned i = nirqs - 1;;) { /* cpus without one of their own */
        cpu = (cpu + 1) % cpus;
        i = (i + 1) % nirqs;
        i = i ? i : 1;
        if (cv[cpu] != 0) {
            break;
        }
        cv[cpu] = (uint16_t)i;
    }
    map->vectors = nirqs;
    *last = (*last + nirqs) % cpus;
    return nirqs;
}

static void set_vectors_of_cqs(NativeMap *map)
{
    for (unsigned q = 1; q <= map->cqs; q++) {
        map->vector_of[q] = (uint16_t)(map->vectors > 1 ? 1 + (q - 1) % (map->vectors - 1) : 0);
    }
}

void dragonfly_2016_07_map(NativeMap *map, unsigned cpus, unsigned sqs, unsigned cqs,
                           unsigned vectors, unsigned *last)
{
    uint16_t cv[NATIVE_CPUS];

    dragonfly_vectors(map, cv, cpus, vectors, last, false);
    if (sqs >= 2 * cpus && cqs >= cpus) {
        g_strlcpy(map->name, "optimal map", sizeof map->name);
        map->sqs = 2 * cpus;
        map->cqs = cpus;
        for (unsigned i = 0; i < cpus; i++) {
            unsigned q = 2 * i + 1;

            map->read_sq[i] = (uint16_t)q;
            map->write_sq[i] = (uint16_t)(q + 1);
            map->cq_of[q] = map->cq_of[q + 1] = (uint16_t)fix(cv[i], cpus);
        }
    } else if (sqs >= cpus && cqs >= cpus) {
        g_strlcpy(map->name, "nominal map 1:1 cpu", sizeof map->name);
        map->sqs = map->cqs = cpus;
        for (unsigned q = 1; q <= cpus; q++) {
            map->cq_of[q] = (uint16_t)q; /* of those that no cpu uses */
        }
        for (unsigned i = 0; i < cpus; i++) {
            map->read_sq[i] = map->write_sq[i] = cv[i];
            map->cq_of[cv[i]] = (uint16_t)fix(cv[i], cpus);
        }
    } else if (sqs >= 2 && cqs >= 2) {
        g_snprintf(map->name, sizeof map->name, "rw-sep map (%u, %u)", sqs, cqs);
        map->sqs = sqs;
        map->cqs = cqs;
        for (unsigned q = 1; q <= sqs; q++) {
            map->cq_of[q] = 1; /* likewise */
        }
        for (unsigned i = 0; i < cpus; i++) {
            unsigned q = fix(i + 1, sqs);

            map->read_sq[i] = map->write_sq[i] = (uint16_t)q;
            map->cq_of[q] = (uint16_t)fix(cv[i], cqs); /* the last cpu on it wins */
        }
    } else {
        bool basic = sqs >= 2;

        g_strlcpy(map->name, basic ? "basic map" : "minimal map", sizeof map->name);
        map->sqs = basic ? 2 : 1;
        map->cqs = 1;
        map->cq_of[1] = map->cq_of[2] = 1;
        for (unsigned i = 0; i < cpus; i++) {
            map->read_sq[i] = 1;
            map->write_sq[i] = basic ? 2 : 1;
        }
    }
    set_vectors_of_cqs(map);
}
