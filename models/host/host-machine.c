/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine profiles: the cpus and slots of the box that a run models. */
#include "host/host-machine.h"
#include <string.h>

#define SLOT_PREFIX "slot "   /* [slot NAME] */
#define SLOT_DEFAULTS "slots" /* what holds for all of them */

/* clang-format off */
const SimParam host_machine_params[] = {
    {"name", "machine", SIM_PARAM_STRING, SIM_UNIT_NONE, offsetof(HostMachine, name), 1, 64,
     NULL, NULL, "the profile's name, as a scenario writes it"},
    {"source", "machine", SIM_PARAM_STRING, SIM_UNIT_NONE, offsetof(HostMachine, source), 1, 0,
     NULL, NULL, "where the description of the machine comes from"},
    {"cpus", "machine", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(HostMachine, cpus), 1, 255,
     NULL, NULL, "logical cpus that the operating system sees, hyper-threads included"},
    {"sockets", "machine", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(HostMachine, sockets), 1, 8,
     "1", NULL, "processor packages over which the cpus are spread evenly"},
    {"threads-per-core", "machine", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(HostMachine, threads_per_core), 1, 4,
     "1", NULL, "logical cpus that share one core"},
    {"mips", "machine", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(HostMachine, mips), 1, 100000,
     NULL, NULL, "millions of instructions a second of one busy cpu; sets the length of an instruction in model time"},
    {"turbo", "machine", SIM_PARAM_STRING, SIM_UNIT_NONE, offsetof(HostMachine, turbo_text), 0, 256,
     "", NULL, "clock by busy cores: pairs CORES:MHZ, e.g. 2:3700 4:3500; mips is that of the first pair; empty: one clock"},
    {"quantum", "machine", SIM_PARAM_U64, SIM_UNIT_NONE, offsetof(HostMachine, quantum), 100, 1000000,
     "5000", NULL, "instructions that one cpu may run ahead of the one furthest behind; bounds the skew of their clocks"},
    {"memory", "machine", SIM_PARAM_U64, SIM_UNIT_BYTES, offsetof(HostMachine, memory_bytes), 64 << 20, UINT64_C(1) << 40,
     "512MiB", NULL, "memory of the guest; need not be that of the real machine"},
};
/* clang-format on */
const size_t host_machine_params_n = G_N_ELEMENTS(host_machine_params);

/* pcie_params as rows of another group. */
static SimParam *rows_of(const char *group)
{
    SimParam *rows = g_memdup2(pcie_params, pcie_params_n * sizeof(*pcie_params));

    for (size_t i = 0; i < pcie_params_n; i++) {
        rows[i].group = group;
    }
    return rows;
}

/* Each value of [slots] must be one that a slot may have; which of them fit together is seen when a
 * slot has them all. */
static bool check_defaults(SimKeyfile *file, GError **error)
{
    g_autofree SimParam *rows = rows_of(SLOT_DEFAULTS);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    PcieParams unused = {0};

    for (size_t i = 0; i < pcie_params_n; i++) {
        if (!rows[i].fallback) { /* what every slot must say may be missing here */
            char *least = sim_value_format(rows[i].least, rows[i].unit);

            g_ptr_array_add(texts, least);
            rows[i].fallback = least;
        }
    }
    return sim_params_read(&unused, rows, pcie_params_n, file, error);
}

/* Where the value of a slot's key stands: in its own group or in [slots]; NULL: in neither. */
static SimKeyfileEntry *slot_entry(SimKeyfile *file, const char *group, const char *key)
{
    SimKeyfileEntry *entry = sim_keyfile_entry(file, group, key);

    return entry ? entry : sim_keyfile_entry(file, SLOT_DEFAULTS, key);
}

static bool read_slot(HostSlot *slot, const char *group, SimKeyfile *file, GError **error)
{
    g_autofree SimParam *rows = rows_of(group);
    const char *problem, *key;

    for (size_t i = 0; i < pcie_params_n; i++) {
        const SimKeyfileEntry *entry = sim_keyfile_entry(file, SLOT_DEFAULTS, rows[i].key);

        if (entry) {
            rows[i].fallback = entry->value;
        }
    }
    if (!sim_params_read(&slot->params, rows, pcie_params_n, file, error)) {
        return false;
    }
    problem = pcie_params_problem(&slot->params, &key);
    if (problem) {
        const SimKeyfileEntry *entry = slot_entry(file, group, key);

        if (!entry) {
            sim_keyfile_group_error(file, group, SIM_KEYFILE_ERROR_VALUE, error, "%s %s", key,
                                    problem);
        } else if (g_str_equal(entry->group, group)) {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", problem);
        } else {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "in [%s] %s", group,
                              problem);
        }
        return false;
    }
    slot->name = g_strstrip(g_strdup(group + strlen(SLOT_PREFIX)));
    return true;
}

static bool unknown_group(const char *group, SimKeyfile *file, GError **error)
{
    static const char *const known[] = {"machine", "slot", "slots", "costs", NULL};
    g_autofree char *word = g_strndup(group, strcspn(group, " "));
    const char *nearest = sim_nearest_word(word, known);

    if (nearest) {
        sim_keyfile_group_error(file, group, SIM_KEYFILE_ERROR_UNKNOWN, error,
                                "unknown group; did you mean [%s]?",
                                g_str_equal(nearest, "slot") ? "slot NAME" : nearest);
    } else {
        sim_keyfile_group_error(
            file, group, SIM_KEYFILE_ERROR_UNKNOWN, error,
            "unknown group; a machine has [machine], [costs], [slots] and [slot NAME]");
    }
    return false;
}

static bool read_slots(HostMachine *self, SimKeyfile *file, GError **error)
{
    const char *const *groups = sim_keyfile_groups(file);

    if (!check_defaults(file, error)) {
        return false;
    }
    self->slots = g_new0(HostSlot, g_strv_length((char **)groups));
    for (; *groups; groups++) {
        if (g_str_has_prefix(*groups, SLOT_PREFIX)) {
            if (!read_slot(&self->slots[self->slots_n++], *groups, file, error)) {
                return false;
            }
        } else if (!g_str_equal(*groups, "machine") && !g_str_equal(*groups, "costs") &&
                   !g_str_equal(*groups, SLOT_DEFAULTS)) {
            return unknown_group(*groups, file, error);
        }
    }
    if (self->slots_n == 0) {
        sim_keyfile_error(
            file, NULL, SIM_KEYFILE_ERROR_MISSING, error,
            "no slot; add a [slot NAME] group for each, and what they share to [slots]");
        return false;
    }
    return true;
}

/* One pair of `turbo`, checked against the one before it. */
static bool read_turbo_pair(const char *word, const HostTurbo *before, HostTurbo *pair)
{
    const char *colon = strchr(word, ':');
    g_autofree char *cores = colon ? g_strndup(word, (gsize)(colon - word)) : NULL;

    return colon && g_ascii_string_to_unsigned(cores, 10, 1, 1024, &pair->cores, NULL) &&
           g_ascii_string_to_unsigned(colon + 1, 10, 1, 100000, &pair->mhz, NULL) &&
           (!before || (pair->cores > before->cores && pair->mhz <= before->mhz));
}

static bool read_turbo(HostMachine *self, SimKeyfile *file, GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(self->turbo_text, " \t", -1);

    self->turbo = g_new0(HostTurbo, g_strv_length(words) + 1);
    for (char **word = words; *word; word++) {
        size_t n = self->turbo_n;

        if (**word == '\0') {
            continue;
        }
        if (!read_turbo_pair(*word, n > 0 ? &self->turbo[n - 1] : NULL, &self->turbo[n])) {
            sim_keyfile_error(file, sim_keyfile_entry(file, "machine", "turbo"),
                              SIM_KEYFILE_ERROR_VALUE, error,
                              "'%s': write CORES:MHZ, with more cores and no higher clock than the "
                              "pair before, as in 2:3700 4:3500",
                              *word);
            return false;
        }
        self->turbo_n++;
    }
    return true;
}

uint64_t host_machine_mips(const HostMachine *self, uint64_t busy_cores)
{
    size_t i = 0;

    if (self->turbo_n == 0) {
        return self->mips;
    }
    while (i + 1 < self->turbo_n && self->turbo[i].cores < busy_cores) {
        i++;
    }
    return self->mips * self->turbo[i].mhz / self->turbo[0].mhz;
}

HostMachine *host_machine_load(const char *path, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, error);

    return file ? host_machine_read(file, error) : NULL;
}

HostMachine *host_machine_read(SimKeyfile *file, GError **error)
{
    g_autoptr(HostMachine) self = g_new0(HostMachine, 1);

    if (!sim_params_read(self, host_machine_params, host_machine_params_n, file, error) ||
        !sim_params_read(&self->costs, host_costs_params, host_costs_params_n, file, error)) {
        return NULL;
    }
    if (self->cpus % (self->sockets * self->threads_per_core) != 0) {
        sim_keyfile_error(file, sim_keyfile_entry(file, "machine", "cpus"), SIM_KEYFILE_ERROR_VALUE,
                          error,
                          "%" G_GUINT64_FORMAT " cpus cannot be spread over %" G_GUINT64_FORMAT
                          " sockets with %" G_GUINT64_FORMAT
                          " threads a core; change cpus, sockets or threads-per-core",
                          self->cpus, self->sockets, self->threads_per_core);
        return NULL;
    }
    return read_turbo(self, file, error) && read_slots(self, file, error) ? g_steal_pointer(&self)
                                                                          : NULL;
}

void host_machine_free(HostMachine *self)
{
    if (!self) {
        return;
    }
    for (size_t i = 0; i < self->slots_n; i++) {
        g_free(self->slots[i].name);
    }
    g_free(self->slots);
    g_free(self->turbo);
    sim_params_clear(self, host_machine_params, host_machine_params_n);
    g_free(self);
}

const HostSlot *host_machine_slot(const HostMachine *self, const char *name)
{
    for (size_t i = 0; i < self->slots_n; i++) {
        if (g_str_equal(self->slots[i].name, name)) {
            return &self->slots[i];
        }
    }
    return NULL;
}

const char *host_machine_slot_source(SimKeyfile *file, const char *slot, const char *key)
{
    g_autofree char *group = g_strconcat(SLOT_PREFIX, slot, NULL);
    g_autofree char *source = g_strconcat(key, ".source", NULL);
    const SimKeyfileEntry *entry = slot_entry(file, group, key);

    entry = entry ? sim_keyfile_entry(file, entry->group, source) : NULL;
    return entry ? entry->value : NULL;
}
