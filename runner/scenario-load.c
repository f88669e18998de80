/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [load NAME]. */
#include "scenario-private.h"

#include <string.h>

#include "sim/sim-time.h"

#define SECTOR_BYTES 512u

void scenario_load_free(ScenarioLoad *self)
{
    if (!self) {
        return;
    }
    g_free(self->name);
    g_strfreev(self->devices);
    g_free(self->pattern);
    g_free(self->pin);
    g_free(self);
}

static gboolean read_length(Scenario *self, ScenarioLoad *load, const char *group, GError **error)
{
    guint64 time_ps = 0;
    const SimKeyfileEntry *ios = sim_keyfile_entry(self->file, group, "ios");
    const SimKeyfileEntry *time = sim_keyfile_entry(self->file, group, "time");
    SimKeyfileEntry place = {.group = group, .key = "ios", .line = load->line};

    if (ios && time) {
        sim_keyfile_error(self->file, time, SIM_KEYFILE_ERROR_VALUE, error,
                          "ios in line %u gives the length already; keep one", ios->line);
        return FALSE;
    }
    if (!ios && !time) {
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "is missing; give ios = N, or time = TIME");
        return FALSE;
    }
    if (!scenario_number(self->file, group, "ios", SIM_UNIT_NONE, 1, 1000000000, &load->ios,
                         error) ||
        !scenario_number(self->file, group, "time", SIM_UNIT_TIME, SIM_MS, 3600 * SIM_S, &time_ps,
                         error)) {
        return FALSE;
    }
    load->time_ms = time_ps / SIM_MS;
    return TRUE;
}

gboolean scenario_read_load(Scenario *self, const char *group, GError **error)
{
    static const char *const patterns[] = {"randread", "read", "randwrite", "write", NULL};
    static const char *const pins[] = {"spread", "none", NULL};
    static const char *const answers[] = {"yes", "no", NULL};
    const guint64 most_bytes = G_GUINT64_CONSTANT(1) << 46;
    ScenarioLoad *load = g_new0(ScenarioLoad, 1);
    g_autofree char *window = NULL;

    g_ptr_array_add(self->loads, load);
    load->line = sim_keyfile_group_line(self->file, group);
    load->name = g_strstrip(g_strdup(group + strlen("load")));
    load->readers = 1;
    load->depth = 1;
    load->block_bytes = 4096;
    load->span_bytes = G_GUINT64_CONSTANT(16) << 30;
    if (!scenario_word(self->file, group, "pattern", patterns, "randread", &load->pattern, error) ||
        !scenario_word(self->file, group, "pin", pins, "spread", &load->pin, error) ||
        !scenario_word(self->file, group, "window", answers, "", &window, error) ||
        !scenario_number(self->file, group, "readers", SIM_UNIT_NONE, 1, 1024, &load->readers,
                         error) ||
        !scenario_number(self->file, group, "depth", SIM_UNIT_NONE, 1, 4096, &load->depth, error) ||
        !scenario_number(self->file, group, "block", SIM_UNIT_BYTES, SECTOR_BYTES, 8 << 20,
                         &load->block_bytes, error) ||
        !scenario_number(self->file, group, "warmup", SIM_UNIT_NONE, 0, 1000000000, &load->warmup,
                         error) ||
        !scenario_number(self->file, group, "span", SIM_UNIT_BYTES, SECTOR_BYTES, most_bytes,
                         &load->span_bytes, error) ||
        !scenario_number(self->file, group, "offset", SIM_UNIT_BYTES, 0, most_bytes,
                         &load->offset_bytes, error) ||
        !read_length(self, load, group, error)) {
        return FALSE;
    }
    load->window = strcmp(window, "yes") == 0;
    load->devices = scenario_list(scenario_text(self->file, group, "devices"), ", \t");
    if (load->block_bytes % SECTOR_BYTES || load->span_bytes % load->block_bytes ||
        load->offset_bytes % SECTOR_BYTES) {
        const char *key = load->block_bytes % SECTOR_BYTES       ? "block"
                          : load->span_bytes % load->block_bytes ? "span"
                                                                 : "offset";
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, key);
        if (!entry) {
            entry = sim_keyfile_entry(self->file, group, "block");
        }
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          strcmp(key, "span") == 0 ? "is not a multiple of block"
                                                   : "is not a multiple of 512B");
        return FALSE;
    }
    return TRUE;
}

/* Bytes of the device's namespace. */
static guint64 capacity_bytes(const ScenarioDevice *device)
{
    const SimParam *param = device_type_param(device->type, "namespace.capacity");
    g_autofree char *text = param ? device->type->format(device->profile, param) : NULL;
    guint64 bytes = G_MAXUINT64;

    if (text) {
        sim_value_parse(text, param->unit, &bytes, NULL);
    }
    return bytes;
}

static gboolean finish_load(Scenario *self, ScenarioLoad *load, const char *group, GError **error)
{
    g_autofree const char **names = scenario_device_names(self);

    if (!load->devices[0]) {
        g_strfreev(load->devices);
        load->devices = g_strdupv((char **)names);
    }
    if (!load->devices[0]) {
        SimKeyfileEntry place = {.group = group, .key = "", .line = load->line};
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "the scenario has no device; add [device nvme0]");
        return FALSE;
    }
    for (char **name = load->devices; *name; name++) {
        const ScenarioDevice *device = scenario_device(self, *name);
        if (!device) {
            scenario_unknown(self->file, sim_keyfile_entry(self->file, group, "devices"), error,
                             "there is no device", *name, names);
            return FALSE;
        }
        if (device->type != DEVICE_NVME) {
            const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "devices");
            SimKeyfileEntry place = {.group = group, .key = "", .line = load->line};
            sim_keyfile_error(self->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "%s is a %s; a load reads and writes drives", *name,
                              device->type->what);
            return FALSE;
        }
        guint64 capacity = capacity_bytes(device);
        if (load->offset_bytes + load->span_bytes > capacity) {
            const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "span");
            SimKeyfileEntry place = {.group = group, .key = "span", .line = load->line};
            sim_keyfile_error(self->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "offset and span reach beyond the end of %s (%" G_GUINT64_FORMAT
                              " bytes)",
                              *name, capacity);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean scenario_finish_loads(Scenario *self, GError **error)
{
    ScenarioLoad *marked = NULL;

    for (guint i = 0; i < self->loads->len; i++) {
        ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        g_autofree char *group =
            *load->name ? g_strconcat("load ", load->name, NULL) : g_strdup("load");
        if (!finish_load(self, load, group, error)) {
            return FALSE;
        }
        if (load->window && marked) {
            sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "window"),
                              SIM_KEYFILE_ERROR_VALUE, error,
                              "a run has one measured window, and the load of line %u is it",
                              marked->line);
            return FALSE;
        }
        marked = load->window ? load : marked;
    }
    for (guint i = 0; i < self->loads->len && !marked; i++) {
        ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        g_autofree char *group =
            *load->name ? g_strconcat("load ", load->name, NULL) : g_strdup("load");
        if (!sim_keyfile_entry(self->file, group, "window")) {
            load->window = TRUE;
            marked = load;
        }
    }
    return TRUE;
}
