/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [device NAME]: profile, slot, serial, faults; changes of single profile values. */
#include "scenario-private.h"

#include <string.h>

#include "nvme/nvme-model.h"
#include "paths.h"
#include "results/published.h"
#include "results/published-packets.h"

void scenario_device_free(ScenarioDevice *self)
{
    if (!self) {
        return;
    }
    g_free(self->name);
    g_free(self->profile_path);
    if (self->profile) {
        self->type->free(self->profile);
    }
    g_clear_pointer(&self->changes, g_ptr_array_unref);
    g_free(self->slot);
    g_free(self->serial);
    g_free(self->fill);
    g_free(self->sfp);
    g_free(self->card);
    g_free(self->wire);
    g_clear_pointer(&self->faults, g_ptr_array_unref);
    g_free(self->published);
    g_free(self);
}

static char *profile_value(const ScenarioDevice *device, const char *key)
{
    const SimParam *param = device_type_param(device->type, key);

    return param ? device->type->format(device->profile, param) : NULL;
}

SimKeyfile *scenario_changed_profile(const ScenarioDevice *device, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(device->profile_path, error);

    for (guint i = 0; file && i < device->changes->len; i++) {
        const char *change = g_ptr_array_index(device->changes, i);
        const char *equals = strchr(change, '=');
        g_autofree char *key = g_strndup(change, equals - change);
        g_autofree char *source = g_strconcat(key, ".source", NULL);
        const SimParam *param = device_type_param(device->type, key);

        sim_keyfile_set(file, param->group, key, equals + 1);
        sim_keyfile_set(file, param->group, source, "estimate: set by the scenario");
    }
    return g_steal_pointer(&file);
}

/* A value of `profile.KEY = VALUE` against the profile's own table. */
static gboolean check_change(SimKeyfile *file, const DeviceType *type, const SimKeyfileEntry *entry,
                             const char *key, GError **error)
{
    const SimParam *param = device_type_param(type, key);
    g_autofree char *message = NULL;
    guint64 value = 0;

    if (!param) {
        size_t n = 0;
        const SimParam *params = type->params(&n);
        g_autofree const char **names = g_new0(const char *, n + 1);
        for (size_t i = 0; i < n; i++) {
            names[i] = params[i].key;
        }
        const char *nearest = sim_nearest_word(key, names);
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                          "profiles have no key '%s'%s%s%s", key,
                          nearest ? "; did you mean '" : "; see quirkbench profiles",
                          nearest ? nearest : "", nearest ? "'?" : "");
        return FALSE;
    }
    if (param->kind != SIM_PARAM_U64) {
        return TRUE; /* words and tables: check_changed_profile() */
    }
    if (!sim_value_parse(entry->value, param->unit, &value, &message)) {
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", message);
        return FALSE;
    }
    if (value < param->least || value > param->most) {
        g_autofree char *low = sim_value_format(param->least, param->unit);
        g_autofree char *high = sim_value_format(param->most, param->unit);
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          "%s is out of range: %s to %s (%s)", entry->value, low, high,
                          param->meaning);
        return FALSE;
    }
    return TRUE;
}

/* Words, texts, tables and what must fit together: the changed profile is read as a run would.  The
 * message of its reader, `FILE: [GROUP] KEY: …`, is told at the scenario's own line. */
static gboolean check_changed_profile(Scenario *self, const ScenarioDevice *device,
                                      const char *group, GError **error)
{
    g_autoptr(GError) inner = NULL;
    g_autoptr(SimKeyfile) file = scenario_changed_profile(device, error);
    void *changed = file ? device->type->read(file, &inner) : NULL;
    const SimKeyfileEntry *culprit = NULL;
    const char *message;

    if (changed || !file) {
        device->type->free(changed);
        return changed != NULL;
    }
    message = inner->message;
    for (guint i = 0; i < device->changes->len; i++) {
        const char *change = g_ptr_array_index(device->changes, i);
        g_autofree char *name = g_strndup(change, strcspn(change, "="));
        g_autofree char *key = g_strconcat("profile.", name, NULL);
        g_autofree char *mark = g_strdup_printf("] %s: ", name);
        const char *at = strstr(inner->message, mark);
        if (at || !culprit) {
            culprit = sim_keyfile_entry(self->file, group, key);
        }
        if (at) {
            message = at + strlen(mark);
            break;
        }
    }
    sim_keyfile_error(self->file, culprit, SIM_KEYFILE_ERROR_VALUE, error, "%s", message);
    return FALSE;
}

static gboolean read_changes(Scenario *self, ScenarioDevice *device, const char *group,
                             GError **error)
{
    const GPtrArray *entries = sim_keyfile_entries(self->file, group);

    for (guint i = 0; entries && i < entries->len; i++) {
        SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        if (!g_str_has_prefix(entry->key, "profile.")) {
            continue;
        }
        const char *key = entry->key + strlen("profile.");
        entry->taken = true;
        if (!check_change(self->file, device->type, entry, key, error)) {
            return FALSE;
        }
        g_ptr_array_add(device->changes, g_strdup_printf("%s=%s", key, entry->value));
    }
    return device->changes->len == 0 || check_changed_profile(self, device, group, error);
}

/* Of a drive SCENARIO_ID/DEVICE; without a device, the row of this one's name.  Of a port a table.
 */
static gboolean read_published(SimKeyfile *file, ScenarioDevice *device, const char *group,
                               GError **error)
{
    const char *text = scenario_text(file, group, "published");
    gboolean port = device->type == DEVICE_IXGBE;
    const char *nearest;

    if (!text) {
        return TRUE;
    }
    device->published =
        port || strchr(text, '/') ? g_strdup(text) : g_strdup_printf("%s/%s", text, device->name);
    if (port ? published_packets_find(text) != NULL : published_find(device->published) != NULL) {
        return TRUE;
    }
    nearest = port ? published_packets_nearest(text) : published_nearest(device->published);
    sim_keyfile_error(file, sim_keyfile_entry(file, group, "published"), SIM_KEYFILE_ERROR_UNKNOWN,
                      error, "there are no published rows '%s'%s%s%s", device->published,
                      nearest ? "; did you mean '" : "; see quirkbench published",
                      nearest ? nearest : "", nearest ? "'?" : "");
    return FALSE;
}

static gboolean check_serial(SimKeyfile *file, const char *group, const char *serial,
                             GError **error)
{
    gboolean fits = strlen(serial) >= 1 && strlen(serial) <= 20;

    for (const char *c = serial; *c; c++) {
        fits = fits && g_ascii_isgraph(*c) && !strchr(",{}\"'\\", *c);
    }
    if (!fits) {
        sim_keyfile_error(file, sim_keyfile_entry(file, group, "serial"), SIM_KEYFILE_ERROR_VALUE,
                          error, "'%s': a serial has 1 to 20 letters and digits", serial);
    }
    return fits;
}

/* --- Faults: the model knows its stages; one that nothing is connected to reads them. --- */

static bool no_dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    return false;
}

static bool no_dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    return false;
}

static SimIrqMode no_irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = 0;
    return SIM_IRQ_NONE;
}

static bool no_raise(void *opaque, unsigned vector)
{
    return false;
}

static void no_intx(void *opaque, bool level) {}

gboolean scenario_add_fault(Scenario *self, ScenarioDevice *device, const char *text,
                            const SimKeyfileEntry *entry, GError **error)
{
    if (device->type != DEVICE_NVME) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          "%s is a %s; faults are of drives", device->name, device->type->what);
        return FALSE;
    }
    static const SimPortOps ops = {.dma_read = no_dma_read,
                                   .dma_write = no_dma_write,
                                   .irq_mode = no_irq_mode,
                                   .raise = no_raise,
                                   .set_intx = no_intx};
    const char *const faults[] = {text, NULL};
    const NvmeModelOptions options = {.faults = faults};
    g_autoptr(SimQueue) queue = sim_queue_new();
    SimPort port = {.ops = &ops, .queue = queue, .device = device->name, .seed = self->seed};
    PcieLink *link = pcie_link_new(queue, "none", &self->machine->slots[0].params);
    PcieFunction *function = pcie_function_new(link, &(PcieFunctionParams){0});
    g_autoptr(GError) inner = NULL;
    NvmeModel *model = nvme_model_new(&port, function, device->profile, &options, &inner);

    nvme_model_free(model);
    pcie_function_free(function);
    pcie_link_free(link);
    if (!model) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", inner->message);
        return FALSE;
    }
    g_ptr_array_add(device->faults, g_strdup(text));
    return TRUE;
}

/* Keys that only devices of another type have are refused. */
static gboolean check_type_keys(SimKeyfile *file, const DeviceType *type, const char *group,
                                GError **error)
{
    for (size_t i = 0; i < device_types_n; i++) {
        for (const char *const *key = device_types[i].keys; *key; key++) {
            const SimKeyfileEntry *entry = sim_keyfile_entry(file, group, *key);
            if (entry && !g_strv_contains(type->keys, *key)) {
                sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                                  "is a key of a %s; this is a %s", device_types[i].what,
                                  type->what);
                return FALSE;
            }
        }
    }
    return TRUE;
}

static gboolean read_port(Scenario *self, ScenarioDevice *device, const char *group, GError **error)
{
    static const char *const modules[] = {"da", "sr", "none", NULL};

    if (!scenario_word(self->file, group, "sfp", modules, NULL, &device->sfp, error) ||
        !scenario_mac(self->file, group, "mac", &device->serial, error)) {
        return FALSE;
    }
    device->card = g_strdup(scenario_text(self->file, group, "card"));
    return read_published(self->file, device, group, error);
}

static gboolean read_drive(Scenario *self, ScenarioDevice *device, const char *group,
                           GError **error)
{
    static const char *const fills[] = {"random", "zero", NULL};

    if (!scenario_word(self->file, group, "fill", fills, "random", &device->fill, error) ||
        !scenario_number(self->file, group, "store-limit", SIM_UNIT_BYTES, 1024 * 1024,
                         G_GUINT64_CONSTANT(1) << 40, &device->store_limit_bytes, error)) {
        return FALSE;
    }
    device->serial = g_strdup(scenario_text(self->file, group, "serial"));
    g_auto(GStrv) faults = scenario_list(scenario_text(self->file, group, "faults"), ";");
    for (char **fault = faults; *fault; fault++) {
        if (!scenario_add_fault(self, device, *fault,
                                sim_keyfile_entry(self->file, group, "faults"), error)) {
            return FALSE;
        }
    }
    return read_published(self->file, device, group, error) &&
           (!device->serial || check_serial(self->file, group, device->serial, error));
}

/* A key that is there has a value.  (One of `profile.` may be empty: a table without rows.) */
static gboolean check_not_empty(SimKeyfile *file, const char *group, GError **error)
{
    const GPtrArray *entries = sim_keyfile_entries(file, group);

    for (guint i = 0; entries && i < entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        if (!*entry->value && !g_str_has_prefix(entry->key, "profile.")) {
            sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "is empty; give it a value or leave it out");
            return FALSE;
        }
    }
    return TRUE;
}

gboolean scenario_read_device(Scenario *self, const char *group, GError **error)
{
    ScenarioDevice *device = g_new0(ScenarioDevice, 1);
    g_autofree char *profile = NULL;
    GError *inner = NULL;

    g_ptr_array_add(self->devices, device);
    device->line = sim_keyfile_group_line(self->file, group);
    device->name = g_strdup(group + strlen("device "));
    device->changes = g_ptr_array_new_with_free_func(g_free);
    device->faults = g_ptr_array_new_with_free_func(g_free);
    SimKeyfileEntry place = {.group = group, .key = "", .line = device->line};
    for (const char *c = device->name; *c; c++) {
        if (!g_ascii_isalnum(*c) && *c != '_' && *c != '-') {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "a device's name has letters, digits, - and _ only");
            return FALSE;
        }
    }
    if (strcmp(device->name, "tester") == 0 || strcmp(device->name, "netdev") == 0) {
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                          "a wire's end has that name; give the device another");
        return FALSE;
    }
    if (!scenario_required(self->file, group, "profile", &profile, error) ||
        !check_not_empty(self->file, group, error)) {
        return FALSE;
    }
    device->profile_path = device_type_find_profile(profile, &device->type, &inner);
    if (!device->profile_path) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "profile"),
                          SIM_KEYFILE_ERROR_UNKNOWN, error, "%s", inner->message);
        g_clear_error(&inner);
        return FALSE;
    }
    device->profile = device->type->load(device->profile_path, error);
    if (!device->profile || !check_type_keys(self->file, device->type, group, error) ||
        !read_changes(self, device, group, error)) {
        return FALSE;
    }
    device->slot = g_strdup(scenario_text(self->file, group, "slot"));
    return device->type == DEVICE_IXGBE ? read_port(self, device, group, error)
                                        : read_drive(self, device, group, error);
}

static gboolean serial_taken(const Scenario *self, const char *serial)
{
    for (guint i = 0; i < self->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        if (g_strcmp0(device->serial, serial) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* A MAC of Intel's range that no other port has; Linux's names of ports follow the order of the
 * functions, and so do these. */
static char *unique_mac(const Scenario *self)
{
    char *mac = NULL;

    for (unsigned n = 1; !mac || serial_taken(self, mac); n++) {
        g_free(mac);
        mac = g_strdup_printf("00:1b:21:00:00:%02x", n);
    }
    return mac;
}

/* The profile's serial; for the second device of a kind its tail counts: …-1, …-2. */
static char *unique_serial(const Scenario *self, const ScenarioDevice *device)
{
    g_autofree char *base = profile_value(device, "identify.serial");

    if (!base || !*base) {
        g_free(base);
        base = g_strdup("QUIRKBENCH0000");
    }
    g_strstrip(base);
    g_autofree char *serial = g_strdup(base);
    for (unsigned n = 1; serial_taken(self, serial); n++) {
        g_autofree char *tail = g_strdup_printf("-%u", n);
        g_free(serial);
        serial = g_strdup_printf("%.*s%s", (int)(20 - strlen(tail)), base, tail);
    }
    return g_steal_pointer(&serial);
}

static gboolean slot_taken(const Scenario *self, const char *slot)
{
    for (guint i = 0; i < self->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        if (g_strcmp0(device->slot, slot) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Names of the slots in the order in which they are handed out. */
static char **slot_order(Scenario *self, GError **error)
{
    g_autofree const char **names = g_new0(const char *, self->machine->slots_n + 1);

    for (size_t i = 0; i < self->machine->slots_n; i++) {
        names[i] = self->machine->slots[i].name;
    }
    const char *given = scenario_text(self->file, "machine", "slots");
    g_auto(GStrv) order = given ? scenario_list(given, ";, ") : g_strdupv((char **)names);
    for (char **slot = order; given && *slot; slot++) {
        if (!g_strv_contains(names, *slot)) {
            scenario_unknown(self->file, sim_keyfile_entry(self->file, "machine", "slots"), error,
                             "the machine has no slot", *slot, names);
            return NULL;
        }
    }
    for (guint i = 0; i < self->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        if (device->slot && !g_strv_contains(names, device->slot)) {
            g_autofree char *group = g_strconcat("device ", device->name, NULL);
            scenario_unknown(self->file, sim_keyfile_entry(self->file, group, "slot"), error,
                             "the machine has no slot", device->slot, names);
            return NULL;
        }
    }
    return g_steal_pointer(&order);
}

/* The card's second port: function 1 beside function 0, on one link. */
static gboolean join_card(Scenario *self, ScenarioDevice *device, const char *group, GError **error)
{
    const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "card");
    const ScenarioDevice *first = scenario_device(self, device->card);
    g_autofree const char **names = scenario_device_names(self);
    const ScenarioDevice *other = NULL;

    if (!first) {
        scenario_unknown(self->file, entry, error, "there is no device", device->card, names);
        return FALSE;
    }
    for (guint i = 0; g_ptr_array_index(self->devices, i) != device; i++) {
        const ScenarioDevice *each = g_ptr_array_index(self->devices, i);
        if (g_strcmp0(each->card, device->card) == 0) {
            other = each;
        }
    }
    if (first->type != DEVICE_IXGBE || first->card || first->line > device->line || other ||
        device->slot) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          device->slot  ? "the card of %s has its slot already; leave slot = out"
                          : other       ? "a card has two ports, and %s has its second one already"
                          : first->card ? "%s is a second port itself; name the card's first"
                          : first->type != DEVICE_IXGBE ? "%s is no network port"
                                                        : "%s has to stand before its second port",
                          device->card);
        return FALSE;
    }
    device->slot = g_strdup(first->slot);
    device->root_port = first->root_port;
    return TRUE;
}

gboolean scenario_finish_devices(Scenario *self, GError **error)
{
    g_auto(GStrv) order = slot_order(self, error);
    char **next = order;
    unsigned root_ports = 0;

    if (!order) {
        return FALSE;
    }
    for (guint i = 0; i < self->devices->len; i++) {
        ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        g_autofree char *group = g_strconcat("device ", device->name, NULL);
        SimKeyfileEntry place = {.group = group, .key = "", .line = device->line};
        if (device->card) {
            if (!join_card(self, device, group, error)) {
                return FALSE;
            }
        } else if (root_ports == SCENARIO_ROOT_PORTS) {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "a machine takes at most %d devices", SCENARIO_ROOT_PORTS);
            return FALSE;
        } else {
            device->root_port = root_ports++;
        }
        while (!device->slot && *next && slot_taken(self, *next)) {
            next++;
        }
        if (!device->slot && !*next) {
            sim_keyfile_error(
                self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                "machine %s has no free slot left; name one with slot =", self->machine->name);
            return FALSE;
        }
        if (!device->slot) {
            device->slot = g_strdup(*next);
        }
        if (!device->serial) {
            device->serial =
                device->type == DEVICE_IXGBE ? unique_mac(self) : unique_serial(self, device);
            continue;
        }
        for (guint j = 0; j < i; j++) {
            const ScenarioDevice *other = g_ptr_array_index(self->devices, j);
            if (strcmp(other->serial, device->serial) == 0) {
                const char *key = device->type == DEVICE_IXGBE ? "mac" : "serial";
                sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, key),
                                  SIM_KEYFILE_ERROR_DUPLICATE, error,
                                  "device %s has that %s; drivers need them to differ", other->name,
                                  key);
                return FALSE;
            }
        }
    }
    return TRUE;
}
