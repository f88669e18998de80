/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DragonFly's queue map of 6 June 2016, and the driver that makes it. */
#include "native-maps.h"

#include <string.h>

static void one_queue_for_each(NativeMap *map, const uint16_t *cv, unsigned cpus)
{
    g_strlcpy(map->name, "nominal map 1:1 cpu", sizeof map->name);
    map->sqs = map->cqs = cpus;
    for (unsigned q = 1; q <= cpus; q++) {
        map->cq_of[q] = (uint16_t)q;
    }
    for (unsigned i = 0; i < cpus; i++) {
        map->read_sq[i] = map->write_sq[i] = (uint16_t)((cv[i] - 1) % cpus + 1);
    }
}

void dragonfly_2016_06_map(NativeMap *map, unsigned cpus, unsigned sqs, unsigned cqs,
                           unsigned vectors)
{
    uint16_t cv[NATIVE_CPUS];
    unsigned last = 0; /* each controller begins at cpu 0 */

    dragonfly_vectors(map, cv, cpus, vectors, &last, true);
    if (sqs >= 4 * cpus + 2 && cqs >= cpus + 2) {
        g_strlcpy(map->name, "optimal map", sizeof map->name);
        map->sqs = 4 * cpus + 2; /* 1: crash dumps, 2: events */
        map->cqs = cpus + 2;
        map->cq_of[1] = map->cq_of[2] = 1;
        for (unsigned i = 0; i < cpus; i++) {
            unsigned q = 3 + 4 * i;

            map->read_sq[i] = (uint16_t)q;
            map->write_sq[i] = (uint16_t)(q + 1);
            for (unsigned j = 0; j < 4; j++) {
                map->cq_of[q + j] = cv[i];
            }
        }
    } else if (sqs >= cpus && cqs >= cpus) {
        one_queue_for_each(map, cv, cpus);
    } else {
        bool apart = sqs >= 6 && cqs >= 3, basic = sqs >= 2;
        unsigned first = apart ? 3 : 1;

        g_strlcpy(map->name,
                  apart   ? "rw-sep map"
                  : basic ? "basic map"
                          : "minimal map",
                  sizeof map->name);
        map->sqs = apart ? 6 : basic ? 2 : 1;
        map->cqs = apart ? 3 : 1;
        for (unsigned q = 1; q <= map->sqs; q++) {
            map->cq_of[q] = (uint16_t)(apart ? MIN(q, 3) : 1);
        }
        for (unsigned i = 0; i < cpus; i++) {
            map->read_sq[i] = (uint16_t)first;
            map->write_sq[i] = (uint16_t)(basic ? first + 1 : first);
        }
    }
    for (unsigned q = 1; q <= map->cqs; q++) {
        map->vector_of[q] = (uint16_t)(map->vectors > 1 ? 1 + (q - 1) % (map->vectors - 1) : 0);
    }
}

static const char *const parameters[] = {"physio", "coalesce_entries", "coalesce_time", NULL};

const NativeDriver dragonfly_2016_06 = {
    .name = "dragonfly-2016-06",
    .parameters = parameters,
    .wide_registers = true,
    .doorbell_each_cqe = true,
    .poll_ps = SIM_S,
    .attach = dragonfly_attach,
};
