/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue maps against figures that were worked out by hand from the drivers' sources; the rows for
 * 8 and 32 cpus agree with what the published boot messages and interrupt columns show. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <string.h>
#include "native-maps.h"

enum { N = 32 };

typedef struct Row {
    char name[32];
    unsigned cpus, sqs, cqs, vectors, last;
    char map[32];
    unsigned made_sqs, made_cqs, made_vectors, next_last;
    uint16_t read_sq[N], write_sq[N]; /* by cpu */
    uint16_t cq_of[2 * N + 1];        /* by SQ, from 1; 0: not looked at */
    uint16_t vector_cpu[N + 1];
} Row;

#define EIGHT 1, 2, 3, 4, 5, 6, 7, 8
#define COUNT_TO_31                                                                                \
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
        27, 28, 29, 30, 31

/* clang-format off */
ParameterizedTestParameters(native_maps, dragonfly_2016_07)
{
    static Row rows[] = {
        {"1 cpu, SM951", 1, 8, 8, 9, 0, "optimal map", 2, 1, 2, 0,
         {1}, {2}, {0, 1, 1}, {0, 0}},
        {"2 cpus, SM951", 2, 8, 8, 9, 0, "optimal map", 4, 2, 3, 1,
         {1, 3}, {2, 4}, {0, 2, 2, 1, 1}, {0, 1, 0}},
        {"4 cpus, SM951", 4, 8, 8, 9, 0, "optimal map", 8, 4, 5, 1,
         {1, 3, 5, 7}, {2, 4, 6, 8}, {0, 4, 4, 1, 1, 2, 2, 3, 3}, {0, 1, 2, 3, 0}},
        {"4 cpus, 750", 4, 31, 31, 32, 0, "optimal map", 8, 4, 5, 1,
         {1, 3, 5, 7}, {2, 4, 6, 8}, {0, 4, 4, 1, 1, 2, 2, 3, 3}, {0, 1, 2, 3, 0}},
        {"8 cpus, SM951", 8, 8, 8, 9, 0, "nominal map 1:1 cpu", 8, 8, 9, 1,
         {8, 1, 2, 3, 4, 5, 6, 7}, {8, 1, 2, 3, 4, 5, 6, 7}, {0, EIGHT},
         {0, 1, 2, 3, 4, 5, 6, 7, 0}},
        {"16 cpus, SM951", 16, 8, 8, 9, 0, "rw-sep map (8, 8)", 8, 8, 9, 9,
         {EIGHT, EIGHT}, {EIGHT, EIGHT}, {0, 8, 1, 2, 3, 4, 5, 6, 7},
         {0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {"16 cpus, 750", 16, 31, 31, 32, 0, "nominal map 1:1 cpu", 16, 16, 17, 1,
         {16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
         {16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}},
        {"32 cpus, SM951 nvme0", 32, 8, 8, 9, 0, "rw-sep map (8, 8)", 8, 8, 9, 9,
         {EIGHT, EIGHT, EIGHT, EIGHT}, {EIGHT, EIGHT, EIGHT, EIGHT},
         {0, 8, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
        {"32 cpus, SM951 nvme1", 32, 8, 8, 9, 9, "rw-sep map (8, 8)", 8, 8, 9, 18,
         {EIGHT, EIGHT, EIGHT, EIGHT}, {EIGHT, EIGHT, EIGHT, EIGHT},
         {0, 7, 8, 1, 2, 3, 4, 5, 6}, {9, 10, 11, 12, 13, 14, 15, 16, 17}},
        {"32 cpus, 750 nvme2", 32, 31, 31, 32, 18, "rw-sep map (31, 31)", 31, 31, 32, 18,
         {COUNT_TO_31, 1}, {COUNT_TO_31, 1},
         {0, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 1, 1, 2, 3, 4,
          5, 6, 7, 8, 9, 10, 11, 12},
         {18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
          11, 12, 13, 14, 15, 16, 17}},
        {"few queues: basic", 4, 2, 1, 9, 0, "basic map", 2, 1, 5, 1,
         {1, 1, 1, 1}, {2, 2, 2, 2}, {0, 1, 1}, {0, 1, 2, 3, 0}},
        {"one queue: minimal", 4, 1, 1, 9, 0, "minimal map", 1, 1, 5, 1,
         {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 1}, {0, 1, 2, 3, 0}},
    };
    return cr_make_param_array(Row, rows, G_N_ELEMENTS(rows));
}
/* clang-format on */

ParameterizedTest(Row *row, native_maps, dragonfly_2016_07)
{
    NativeMap map = {0};
    unsigned last = row->last;

    /* The driver asks for 2n and n: what it gets is never more. */
    dragonfly_2016_07_map(&map, row->cpus, MIN(row->sqs, 2 * row->cpus), MIN(row->cqs, row->cpus),
                          row->vectors, &last);
    cr_expect(eq(str, map.name, row->map), "%s", row->name);
    cr_expect(eq(uint, map.sqs, row->made_sqs), "%s", row->name);
    cr_expect(eq(uint, map.cqs, row->made_cqs), "%s", row->name);
    cr_expect(eq(uint, map.vectors, row->made_vectors), "%s", row->name);
    cr_expect(eq(uint, last, row->next_last), "%s", row->name);
    for (unsigned cpu = 0; cpu < row->cpus; cpu++) {
        cr_expect(eq(u16, map.read_sq[cpu], row->read_sq[cpu]), "%s: cpu %u", row->name, cpu);
        cr_expect(eq(u16, map.write_sq[cpu], row->write_sq[cpu]), "%s: cpu %u", row->name, cpu);
    }
    for (unsigned q = 1; q <= map.sqs; q++) {
        cr_expect(eq(u16, map.cq_of[q], row->cq_of[q]), "%s: SQ %u", row->name, q);
    }
    for (unsigned v = 0; v < map.vectors; v++) {
        cr_expect(eq(u16, map.vector_cpu[v], row->vector_cpu[v]), "%s: vector %u", row->name, v);
    }
}

/* cpus without a vector of their own share those of others, and SQs above the vectors lie idle. */
Test(native_maps, dragonfly_2016_07_leaves_queues_idle)
{
    NativeMap map = {0};
    unsigned last = 0, used[17] = {0};

    dragonfly_2016_07_map(&map, 16, 16, 16, 9, &last);
    cr_expect(eq(str, map.name, "nominal map 1:1 cpu"));
    for (unsigned cpu = 0; cpu < 16; cpu++) {
        used[map.read_sq[cpu]]++;
    }
    for (unsigned q = 1; q <= 16; q++) {
        cr_expect(eq(uint, used[q], q <= 8 ? 2 : 0), "SQ %u", q);
    }
}

Test(native_maps, dragonfly_2016_07_one_interrupt)
{
    NativeMap map = {0};
    unsigned last = 0;

    dragonfly_2016_07_map(&map, 8, 8, 4, 1, &last);
    cr_expect(eq(uint, map.vectors, 1));
    for (unsigned q = 1; q <= map.cqs; q++) {
        cr_expect(eq(u16, map.vector_of[q], 0));
    }
}

/* The boot messages of 6 June 2016: 8 cpus, "Returns 8/8 queues, nominal map 1:1 cpu". */
Test(native_maps, dragonfly_2016_06_as_published)
{
    NativeMap map = {0};

    dragonfly_2016_06_map(&map, 8, 8, 8, 9);
    cr_expect(eq(str, map.name, "nominal map 1:1 cpu"));
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        cr_expect(eq(u16, map.read_sq[cpu], cpu ? cpu : 8));
        cr_expect(eq(u16, map.cq_of[map.read_sq[cpu]], map.read_sq[cpu]));
    }
    map = (NativeMap){0};
    dragonfly_2016_06_map(&map, 4, 18, 6, 9);
    cr_expect(eq(str, map.name, "optimal map"));
    cr_expect(eq(uint, map.sqs, 18));
    map = (NativeMap){0};
    dragonfly_2016_06_map(&map, 32, 8, 8, 9);
    cr_expect(eq(str, map.name, "rw-sep map"));
    cr_expect(eq(uint, map.sqs, 6));
    cr_expect(eq(uint, map.cqs, 3));
}

/* --- Linux --- */

typedef struct LinuxRow {
    unsigned cpus, nodes, granted, vectors, writes, polls;
    char map[48];
    unsigned queues;
    unsigned first[34], n[34]; /* cpus of each queue's vector, from queue 1 */
} LinuxRow;

/* clang-format off */
ParameterizedTestParameters(native_maps, linux_6_1)
{
    static LinuxRow rows[] = {
        {32, 1, 8, 9, 0, 0, "8/0/0 default/read/poll queues", 8,
         {0, 4, 8, 12, 16, 20, 24, 28}, {4, 4, 4, 4, 4, 4, 4, 4}},
        {32, 1, 31, 32, 0, 0, "31/0/0 default/read/poll queues", 31,
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
          26, 27, 28, 29, 30, 31},
         {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
          1}},
        {8, 1, 8, 9, 0, 0, "8/0/0 default/read/poll queues", 8,
         {0, 1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {4, 1, 31, 32, 0, 0, "4/0/0 default/read/poll queues", 4, {0, 1, 2, 3}, {1, 1, 1, 1}},
        {32, 2, 31, 32, 0, 0, "31/0/0 default/read/poll queues", 31,
         {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
          26, 27, 28, 29, 30, 31},
         {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
          1}},
        {8, 1, 8, 9, 2, 0, "2/6/0 default/read/poll queues", 8,
         {0, 4, 0, 2, 4, 6, 7, 0}, {4, 4, 2, 2, 1, 1, 1, 1}},
        {8, 1, 1, 1, 0, 0, "1/0/0 default/read/poll queues", 1, {0}, {0}},
    };
    return cr_make_param_array(LinuxRow, rows, G_N_ELEMENTS(rows));
}
/* clang-format on */

ParameterizedTest(LinuxRow *row, native_maps, linux_6_1)
{
    NativeMap map = {0};
    uint16_t allocated[NATIVE_CPUS] = {0};

    linux_6_1_map(&map, row->cpus, row->nodes, row->granted, row->vectors, row->writes, row->polls,
                  allocated);
    cr_expect(eq(str, map.name, row->map));
    cr_expect(eq(uint, map.sqs, row->queues));
    for (unsigned q = 1; q <= row->queues && row->n[q - 1] && row->writes == 0; q++) {
        cr_expect(eq(uint, map.vector_cpus_first[q], row->first[q - 1]), "queue %u", q);
        cr_expect(eq(uint, map.vector_cpus_n[q], row->n[q - 1]), "queue %u", q);
        for (unsigned i = 0; i < row->n[q - 1]; i++) {
            cr_expect(eq(uint, map.read_sq[row->first[q - 1] + i], q));
        }
        cr_expect(eq(uint, map.vector_cpu[q], row->first[q - 1]));
    }
}

/* Fifteen vectors for one node and sixteen for the other; the odd cpu pairs up in the first. */
Test(native_maps, linux_6_1_nodes_in_proportion)
{
    NativeMap map = {0};
    uint16_t allocated[NATIVE_CPUS] = {0};
    unsigned first_node = 0;

    linux_6_1_map(&map, 32, 2, 31, 32, 0, 0, allocated);
    for (unsigned q = 1; q <= 31; q++) {
        first_node += map.vector_cpus_first[q] < 16;
    }
    cr_expect(eq(uint, first_node, 15));
}

/* Reads and writes apart, polled queues last; a second drive's vectors avoid the first one's cpus.
 */
Test(native_maps, linux_6_1_sets)
{
    NativeMap map = {0}, other = {0};
    uint16_t allocated[NATIVE_CPUS] = {0};

    linux_6_1_map(&map, 8, 1, 8, 9, 2, 2, allocated);
    cr_expect(eq(str, map.name, "2/4/2 default/read/poll queues"));
    cr_expect(eq(u16, map.cq_of[8], 8));
    cr_expect(map.polled[7] && map.polled[8] && !map.polled[6]);
    cr_expect(eq(u16, map.read_sq[3], 8), "polled I/O goes to the polled queues");
    memset(allocated, 0, sizeof allocated);
    map = (NativeMap){0};
    linux_6_1_map(&map, 8, 1, 4, 9, 0, 0, allocated);
    linux_6_1_map(&other, 8, 1, 4, 9, 0, 0, allocated);
    cr_expect(eq(u16, map.vector_cpu[1], 0));
    cr_expect(eq(u16, other.vector_cpu[1], 1));
}

/* --- Policies --- */

typedef struct PolicyRow {
    unsigned policy, granted, vectors, queues;
    uint16_t read_sq[8], write_sq[8];
} PolicyRow;

ParameterizedTestParameters(native_maps, queue_policy)
{
    static PolicyRow rows[] = {
        {NATIVE_MAP_ONE, 8, 9, 1, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {NATIVE_MAP_PER_CPU, 31, 32, 8, {EIGHT}, {EIGHT}},
        {NATIVE_MAP_BLOCKS, 4, 9, 4, {1, 1, 2, 2, 3, 3, 4, 4}, {1, 1, 2, 2, 3, 3, 4, 4}},
        {NATIVE_MAP_STRIDE, 4, 9, 4, {1, 2, 3, 4, 1, 2, 3, 4}, {1, 2, 3, 4, 1, 2, 3, 4}},
        {NATIVE_MAP_APART, 8, 9, 8, {5, 5, 6, 6, 7, 7, 8, 8}, {1, 1, 2, 2, 3, 3, 4, 4}},
        {NATIVE_MAP_POLLED, 8, 9, 8, {EIGHT}, {EIGHT}},
        {NATIVE_MAP_PER_CPU, 8, 3, 8, {EIGHT}, {EIGHT}},
    };
    return cr_make_param_array(PolicyRow, rows, G_N_ELEMENTS(rows));
}

ParameterizedTest(PolicyRow *row, native_maps, queue_policy)
{
    NativeMap map = {0};

    queue_policy_map(&map, row->policy, 8, row->granted, row->vectors);
    cr_expect(eq(uint, map.sqs, row->queues), "%s", map.name);
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        cr_expect(eq(u16, map.read_sq[cpu], row->read_sq[cpu]), "%s: cpu %u", map.name, cpu);
        cr_expect(eq(u16, map.write_sq[cpu], row->write_sq[cpu]), "%s: cpu %u", map.name, cpu);
    }
    for (unsigned q = 1; q <= map.cqs; q++) {
        cr_expect(eq(int, map.polled[q], row->policy == NATIVE_MAP_POLLED));
        cr_expect(lt(u16, map.vector_of[q], (uint16_t)row->vectors));
    }
}
