/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench profiles`: what there is, and each value of one with unit, range, source, meaning. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "device-type.h"
#include "host/host-machine.h"
#include "paths.h"

static const char machines[] = "models/host/profiles";

static void list_devices(const DeviceType *type)
{
    g_auto(GStrv) names = paths_profiles(type->profiles);

    printf("%s\n", type->plural);
    for (char **name = names; *name; name++) {
        g_autofree char *path = paths_profile(type->profiles, *name, NULL);
        g_autoptr(GError) error = NULL;
        void *profile = type->load(path, &error);
        PcieIdentity pci = {0};
        if (!profile) {
            printf("  %-18s cannot be used: %s\n", *name, error->message);
            continue;
        }
        type->pci(profile, &pci);
        type->free(profile);
        printf("  %-18s %04x:%04x, %" G_GUINT64_FORMAT " MSI-X vectors, PCIe %" G_GUINT64_FORMAT
               ".0 x%" G_GUINT64_FORMAT "\n",
               *name, pci.vendor_id, pci.device_id, pci.msix_vectors, pci.generation, pci.lanes);
    }
}

static void list_machines(void)
{
    g_auto(GStrv) names = paths_profiles(machines);

    printf("machines\n");
    for (char **name = names; *name; name++) {
        g_autofree char *path = paths_profile(machines, *name, NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(HostMachine) machine = host_machine_load(path, &error);
        if (!machine) {
            printf("  %-18s cannot be used: %s\n", *name, error->message);
            continue;
        }
        printf("  %-18s %" G_GUINT64_FORMAT " cpus, %" G_GUINT64_FORMAT " MIPS, %zu slots\n", *name,
               machine->cpus, machine->mips, machine->slots_n);
    }
}

/* "1us to 50ms", or what a value may be. */
static char *range_of(const SimParam *param)
{
    switch (param->kind) {
    case SIM_PARAM_U64: {
        g_autofree char *least = sim_value_format(param->least, param->unit);
        g_autofree char *most = sim_value_format(param->most, param->unit);
        return g_strdup_printf("%s to %s", least, most);
    }
    case SIM_PARAM_BOOL:
        return g_strdup("yes or no");
    case SIM_PARAM_ENUM:
        return g_strjoinv(", ", (char **)param->words);
    case SIM_PARAM_TABLE:
        return g_strdup("size:value; size:value");
    case SIM_PARAM_STRING:
        break;
    }
    return g_strdup("text");
}

static void show_param(const SimParam *param, const char *value, const char *source,
                       const char **group)
{
    g_autofree char *range = range_of(param);

    if (g_strcmp0(*group, param->group) != 0) {
        *group = param->group;
        printf("\n[%s]\n", param->group);
    }
    printf("  %s = %s\n      %s\n      range: %s; source: %s\n", param->key, value, param->meaning,
           range,
           source            ? source
           : param->fallback ? "default"
                             : "not given");
}

static int show_device(const DeviceType *type, const char *path)
{
    g_autoptr(GError) error = NULL;
    void *profile = type->load(path, &error);
    const char *group = NULL;
    size_t n = 0;

    if (!profile) {
        return cmd_fail(CMD_USAGE, "profiles", "%s", error->message);
    }
    const SimParam *params = type->params(&n);
    printf("%s: %s\n", type->name(profile), type->what);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *value = type->format(profile, &params[i]);
        show_param(&params[i], value, type->source(profile, params[i].key), &group);
    }
    type->free(profile);
    return CMD_OK;
}

static int show_machine(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(HostMachine) machine = host_machine_load(path, &error);
    g_autoptr(SimKeyfile) file = machine ? sim_keyfile_load(path, &error) : NULL;

    if (!file) {
        return cmd_fail(CMD_USAGE, "profiles", "%s", error->message);
    }
    printf("%s: machine, %s\n", machine->name, machine->source);
    printf("\n[machine]\n");
    const GPtrArray *entries = sim_keyfile_entries(file, "machine");
    for (guint i = 0; entries && i < entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        g_autofree char *key = g_strconcat(entry->key, ".source", NULL);
        const SimKeyfileEntry *source = sim_keyfile_entry(file, "machine", key);
        if (source) {
            printf("  %s = %s\n      source: %s\n", entry->key, entry->value, source->value);
        }
    }
    const char *group = NULL;
    for (size_t i = 0; i < host_costs_params_n; i++) {
        const SimParam *param = &host_costs_params[i];
        g_autofree char *value = sim_param_format(&machine->costs, param);
        g_autofree char *key = g_strconcat(param->key, ".source", NULL);
        const SimKeyfileEntry *source = sim_keyfile_entry(file, param->group, key);
        show_param(param, value, source ? source->value : NULL, &group);
    }
    for (size_t i = 0; i < machine->slots_n; i++) {
        const char *name = machine->slots[i].name;
        const char *shown = NULL;
        printf("\nslot %s\n", name);
        for (size_t j = 0; j < pcie_params_n; j++) {
            g_autofree char *value = sim_param_format(&machine->slots[i].params, &pcie_params[j]);
            const char *source = host_machine_slot_source(file, name, pcie_params[j].key);
            shown = pcie_params[j].group; /* no group line for each slot */
            show_param(&pcie_params[j], value, source, &shown);
        }
    }
    return CMD_OK;
}

int cmd_profiles(int argc, char **argv)
{
    const GOptionEntry entries[] = {{NULL}};
    int status = cmd_options(&argc, &argv, entries, "[NAME]",
                             "Lists profiles, or shows each key of one: value, meaning, range, "
                             "source.");
    g_autoptr(GError) error = NULL;

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc < 2) {
        for (size_t i = 0; i < device_types_n; i++) {
            list_devices(&device_types[i]);
        }
        list_machines();
        return CMD_OK;
    }
    if (argc > 2) {
        return cmd_fail(CMD_USAGE, "profiles", "one name at a time");
    }
    g_autofree char *machine = paths_profile(machines, argv[1], NULL);
    if (machine && !strchr(argv[1], '/')) {
        return show_machine(machine);
    }
    const DeviceType *type = NULL;
    g_autofree char *path = device_type_find_profile(argv[1], &type, &error);
    return path ? show_device(type, path) : cmd_fail(CMD_USAGE, "profiles", "%s", error->message);
}
