/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include "host/host-machine.h"

#define CPUS "[machine]\nname = m\nsource = test\nmips = 1000\ncpus = 8\nthreads-per-core = 2\n"
#define SLOTS "[slots]\ngeneration = 3\nlanes = 4\nlanes.source = s\n"
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

Test(host_machine, a_slot_says_only_what_differs)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SimKeyfile) file =
        sim_keyfile_parse("m.ini",
                          "[slot z]\n[slot y]\nlanes = 8\n[slot x]\nlanes = 16\n"
                          "lanes.source = x\n" CPUS SLOTS,
                          &error);
    g_autoptr(HostMachine) machine = host_machine_read(file, &error);

    cr_assert(ne(ptr, machine, NULL), "%s", error ? error->message : "");
    cr_assert(eq(sz, machine->slots_n, 3));
    for (size_t i = 0; i < 3; i++) {
        cr_expect(eq(u64, machine->slots[i].params.generation, 3));
        cr_expect(eq(u64, machine->slots[i].params.read_latency_ps, 700 * SIM_NS));
        cr_expect(eq(u64, machine->slots[i].params.lanes, UINT64_C(4) << i));
    }
    cr_expect(eq(str, (char *)host_machine_slot_source(file, "z", "lanes"), "s"));
    cr_expect(eq(ptr, (void *)host_machine_slot_source(file, "y", "lanes"), NULL),
              "the source of another value");
    cr_expect(eq(str, (char *)host_machine_slot_source(file, "x", "lanes"), "x"));
    cr_expect(eq(ptr, (void *)host_machine_slot_source(file, "z", "rcb"), NULL));
}

Test(host_machine, busy_cores_lower_the_clock)
{
    static const struct {
        uint64_t cores, mips;
    } rows[] = {{1, 1000}, {2, 1000}, {3, 945}, {4, 945}, {5, 891}, {64, 891}};
    g_autoptr(GError) error = NULL;
    g_autoptr(SimKeyfile) file =
        sim_keyfile_parse("m.ini", CPUS "turbo = 2:3700  4:3500 8:3300\n" SLOT, &error);
    g_autoptr(HostMachine) machine = host_machine_read(file, &error);
    g_autoptr(SimKeyfile) plain = sim_keyfile_parse("m.ini", CPUS SLOT, &error);
    g_autoptr(HostMachine) one = host_machine_read(plain, &error);

    cr_assert(machine != NULL && one != NULL, "%s", error ? error->message : "");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        cr_expect(eq(u64, host_machine_mips(machine, rows[i].cores), rows[i].mips));
        cr_expect(eq(u64, host_machine_mips(one, rows[i].cores), 1000));
    }
}

typedef struct Bad {
    char text[220];
    char message[200];
} Bad;

ParameterizedTestParameters(host_machine, refused)
{
    static Bad rows[] = {
        {CPUS SLOTS,
         "m.ini: no slot; add a [slot NAME] group for each, and what they share to [slots]"},
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
        {CPUS "turbo = 2:3700 4\n" SLOT,
         "m.ini:7: [machine] turbo: '4': write CORES:MHZ, with more cores and no higher clock than "
         "the pair before, as in 2:3700 4:3500"},
        {CPUS "turbo = 2:3700 2:3500\n" SLOT,
         "m.ini:7: [machine] turbo: '2:3500': write CORES:MHZ, with more cores and no higher clock "
         "than the pair before, as in 2:3700 4:3500"},
        {CPUS "turbo = 2:3500 4:3700\n" SLOT,
         "m.ini:7: [machine] turbo: '4:3700': write CORES:MHZ, with more cores and no higher clock "
         "than the pair before, as in 2:3700 4:3500"},
        {CPUS SLOT "rcb = 65B\n", "m.ini:10: [slot a] rcb: must be a power of two"},
        {CPUS SLOT "rcb = 128B\ncompletion-max = 64B\n",
         "m.ini:11: [slot a] completion-max: must be 0B or a power of two that is at least rcb"},
        {CPUS "[slot a]\ngeneration = 3\nlanes = 3\n",
         "m.ini:9: [slot a] lanes: must be a power of two"},
        {CPUS "[slot a]\nlanes = 4\n",
         "m.ini: [slot a] generation: is missing: PCI Express generation of the slot: 2.5, 5, 8 or "
         "16 GT/s a lane; add it"},
        {CPUS "[slots]\nlanes = 4\n[slot a]\n",
         "m.ini: [slot a] generation: is missing: PCI Express generation of the slot: 2.5, 5, 8 or "
         "16 GT/s a lane; add it"},
        {CPUS SLOT "[slots]\ntag = 4\n",
         "m.ini:11: [slots] tag: unknown key; did you mean \"tags\"?"},
        {CPUS SLOTS "tags = 0\n[slot a]\n",
         "m.ini:11: [slots] tags: 0 is out of range; it must be between 1 and 1024"},
        {CPUS SLOTS "[slot a]\nlane = 8\n",
         "m.ini:12: [slot a] lane: unknown key; did you mean \"lanes\"?"},
        {CPUS SLOTS "[slot a]\ntags = 0\n",
         "m.ini:12: [slot a] tags: 0 is out of range; it must be between 1 and 1024"},
        {CPUS SLOTS "completion-max = 64B\n[slot a]\n[slot b]\nrcb = 128B\n",
         "m.ini:11: [slots] completion-max: in [slot b] must be 0B or a power of two that is at "
         "least rcb"},
        {CPUS SLOT "[slot]\n", "m.ini:10: [slot]: unknown group; did you mean [slot NAME]?"},
        {CPUS SLOT "[solts]\n", "m.ini:10: [solts]: unknown group; did you mean [slots]?"},
        {CPUS SLOT "[solt b]\n", "m.ini:10: [solt b]: unknown group; did you mean [slot NAME]?"},
        {CPUS SLOT "[elsewhere]\n",
         "m.ini:10: [elsewhere]: unknown group; a machine has [machine], [costs], [slots] and "
         "[slot NAME]"},
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
        {"xeon-14c-2600-x2", 56, 2, UINT64_C(1) << 30, 3, 1},
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
