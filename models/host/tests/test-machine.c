/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "host/host-machine.h"

#define CPUS "[machine]\nname = m\nsource = test\nmips = 1000\ncpus = 8\nthreads-per-core = 2\n"
#define SLOT "[slot a]\ngeneration = 3\nlanes = 4\n"

Test(host_machine, defaults_and_slots_in_file_order)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SimKeyfile) file = sim_keyfile_parse(
        "m.ini", "[slot z]\ngeneration = 2\nlanes = 8\nread-latency = 1us\n" CPUS SLOT, &error);
    g_autoptr(HostMachine) machine = host_machine_read(file, &error);

    cr_assert(ne(ptr, machine, NULL), "%s", error ? error->message : "");
    cr_expect(eq(str, machine->name, "m"));
    cr_expect(eq(u64, machine->cpus, 8));
    cr_expect(eq(u64, machine->sockets, 1));
    cr_expect(eq(u64, machine->quantum, 5000));
    cr_expect(eq(u64, machine->memory_bytes, 512 << 20));
    cr_assert(eq(sz, machine->slots_n, 2));
    cr_expect(eq(str, machine->slots[0].name, "z"));
    cr_expect(eq(str, machine->slots[1].name, "a"));
    cr_expect(eq(u64, machine->slots[0].params.read_latency_ps, SIM_US));
    cr_expect(eq(ptr, (void *)host_machine_slot(machine, "a"), &machine->slots[1]));
    cr_expect(eq(ptr, (void *)host_machine_slot(machine, "slot a"), NULL));
}

typedef struct Bad {
    char text[220];
    char message[160];
} Bad;

ParameterizedTestParameters(host_machine, refused)
{
    static Bad rows[] = {
        {CPUS, "m.ini: no slot; add a [slot NAME] group with generation and lanes"},
        {SLOT, "m.ini: [machine] name: is missing: the profile's name, as a scenario writes it; "
               "add it"},
        {CPUS "sockets = 3\n" SLOT,
         "m.ini:5: [machine] cpus: 8 cpus cannot be spread over 3 sockets with 2 threads a core; "
         "change cpus, sockets or threads-per-core"},
        {CPUS "quantum = 5\n" SLOT, "m.ini:7: [machine] quantum: 5 is out of range; it must be "
                                    "between 100 and 1000000"},
        {CPUS "memroy = 1GiB\n" SLOT,
         "m.ini:7: [machine] memroy: unknown key; did you mean \"memory\"?"},
        {CPUS SLOT "lane = 4\n", "m.ini:10: [slot a] lane: unknown key; did you mean \"lanes\"?"},
        {CPUS SLOT "rcb = 65B\n", "m.ini:10: [slot a] rcb: must be a power of two"},
        {CPUS SLOT "rcb = 128B\ncompletion-max = 64B\n",
         "m.ini:11: [slot a] completion-max: must be 0B or a power of two that is at least rcb"},
        {CPUS "[slot a]\ngeneration = 3\nlanes = 3\n",
         "m.ini:9: [slot a] lanes: must be a power of two"},
        {CPUS "[slot a]\nlanes = 4\n",
         "m.ini: [slot a] generation: is missing: PCI Express generation of the slot: 2.5, 5, 8 or "
         "16 GT/s a lane; add it"},
        {CPUS SLOT "[solt b]\n", "m.ini:10: [solt b]: unknown group; did you mean [slot NAME]?"},
        {CPUS SLOT "[elsewhere]\n",
         "m.ini:10: [elsewhere]: unknown group; a machine has [machine] and [slot NAME]"},
    };

    return cr_make_param_array(Bad, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Bad *row, host_machine, refused)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SimKeyfile) file = sim_keyfile_parse("m.ini", row->text, &error);

    cr_assert(ne(ptr, file, NULL), "%s", error ? error->message : "");
    cr_assert(eq(ptr, host_machine_read(file, &error), NULL));
    cr_expect(eq(str, error->message, row->message));
}

/* Shipped profiles. */
typedef struct Shipped {
    char name[24];
    uint64_t cpus, sockets, memory_bytes, generation; /* not mips: that is fitted */
    size_t slots;
} Shipped;

ParameterizedTestParameters(host_machine, shipped)
{
    static Shipped rows[] = {
        {"xeon-e31270", 8, 1, UINT64_C(512) << 20, 2, 4},
        {"xeon-2620v4-x2", 32, 2, UINT64_C(1) << 30, 3, 6},
    };

    return cr_make_param_array(Shipped, rows, G_N_ELEMENTS(rows));
}

static char *shipped_path(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".ini", NULL);

    return g_build_filename(g_getenv("HOST_PROFILES"), file, NULL);
}

ParameterizedTest(Shipped *row, host_machine, shipped)
{
    g_autofree char *path = shipped_path(row->name);
    g_autoptr(GError) error = NULL;
    g_autoptr(HostMachine) machine = host_machine_load(path, &error);

    cr_assert(ne(ptr, machine, NULL), "%s", error ? error->message : "");
    cr_expect(eq(str, machine->name, row->name));
    cr_expect(eq(u64, machine->cpus, row->cpus));
    cr_expect(eq(u64, machine->sockets, row->sockets));
    cr_expect(gt(u64, machine->mips, 0));
    cr_expect(eq(u64, machine->memory_bytes, row->memory_bytes));
    cr_assert(eq(sz, machine->slots_n, row->slots));
    for (size_t i = 0; i < machine->slots_n; i++) {
        cr_expect(eq(u64, machine->slots[i].params.generation, row->generation));
    }
}

ParameterizedTestParameters(host_machine, each_value_has_a_source)
{
    static Shipped rows[] = {{.name = "xeon-e31270"}, {.name = "xeon-2620v4-x2"}};

    return cr_make_param_array(Shipped, rows, G_N_ELEMENTS(rows));
}
ParameterizedTest(Shipped *row, host_machine, each_value_has_a_source)
{
    g_autofree char *path = shipped_path(row->name);
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, NULL);

    cr_assert(ne(ptr, file, NULL));
    for (const char *const *group = sim_keyfile_groups(file); *group; group++) {
        const GPtrArray *entries = sim_keyfile_entries(file, *group);

        for (guint i = 0; i < entries->len; i++) {
            const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
            g_autofree char *source = g_strconcat(entry->key, ".source", NULL);

            if (!g_str_has_suffix(entry->key, "source") && !g_str_equal(entry->key, "name")) {
                cr_expect(ne(ptr, (void *)sim_keyfile_get(file, *group, source), NULL),
                          "%s [%s] %s", row->name, *group, entry->key);
            }
        }
    }
}
