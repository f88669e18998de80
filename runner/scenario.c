/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scenario file as a whole: groups in file order, [scenario], [machine] and [driver], then what
 * needs the other groups.  One pass a point of the matrix. */
#include "scenario-private.h"

#include <string.h>

#include "driver.h"
#include "expect.h"
#include "native-mode.h"
#include "paths.h"
#include "sim/sim-time.h"

void scenario_free(Scenario *self)
{
    if (!self) {
        return;
    }
    g_clear_pointer(&self->file, sim_keyfile_free);
    g_free(self->name);
    g_free(self->path);
    g_free(self->point);
    g_free(self->title);
    g_free(self->why);
    g_free(self->spec);
    g_free(self->driver);
    g_free(self->clock);
    g_strfreev(self->tools);
    g_strfreev(self->parameters);
    g_strfreev(self->modules);
    g_free(self->machine_path);
    g_clear_pointer(&self->machine, host_machine_free);
    g_clear_pointer(&self->devices, g_ptr_array_unref);
    g_clear_pointer(&self->wires, g_ptr_array_unref);
    g_clear_pointer(&self->loads, g_ptr_array_unref);
    g_clear_pointer(&self->traffics, g_ptr_array_unref);
    g_clear_pointer(&self->steps, g_ptr_array_unref);
    g_free(self);
}

ScenarioDevice *scenario_device(const Scenario *self, const char *name)
{
    for (guint i = 0; i < self->devices->len; i++) {
        ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        if (strcmp(device->name, name) == 0) {
            return device;
        }
    }
    return NULL;
}

ScenarioWire *scenario_wire(const Scenario *self, const char *name)
{
    for (guint i = 0; i < self->wires->len; i++) {
        ScenarioWire *wire = g_ptr_array_index(self->wires, i);
        if (strcmp(wire->name, name) == 0) {
            return wire;
        }
    }
    return NULL;
}

ScenarioLoad *scenario_find_load(const Scenario *self, const char *name)
{
    for (guint i = 0; i < self->loads->len; i++) {
        ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        if (strcmp(load->name, name) == 0) {
            return load;
        }
    }
    return NULL;
}

/* [expect] may name devices and wires. */
static gboolean check_expect(const Scenario *self, GError **error)
{
    guint n = self->devices->len + self->wires->len;
    g_autofree const char **names = g_new0(const char *, n + 1);
    g_autofree const DeviceType **types = g_new0(const DeviceType *, n + 1);

    for (guint i = 0; i < self->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        names[i] = device->name;
        types[i] = device->type;
    }
    for (guint i = 0; i < self->wires->len; i++) {
        names[self->devices->len + i] = ((ScenarioWire *)g_ptr_array_index(self->wires, i))->name;
    }
    return expect_validate(self->file, names, types, error);
}

const char **scenario_device_names(const Scenario *self)
{
    const char **names = g_new0(const char *, self->devices->len + 1);

    for (guint i = 0; i < self->devices->len; i++) {
        names[i] = ((ScenarioDevice *)g_ptr_array_index(self->devices, i))->name;
    }
    return names;
}

static gboolean read_scenario(Scenario *self, GError **error)
{
    static const char *const clocks[] = {"deterministic", "wall", NULL};
    guint64 wall_ps = 900 * SIM_S;

    self->seed = 1;
    self->limit_ps = 120 * SIM_S;
    self->sample_ps = SIM_MS;
    if (!scenario_required(self->file, "scenario", "title", &self->title, error) ||
        !scenario_required(self->file, "scenario", "why", &self->why, error) ||
        !scenario_number(self->file, "scenario", "seed", SIM_UNIT_NONE, 0, G_MAXINT64, &self->seed,
                         error) ||
        !scenario_word(self->file, "scenario", "clock", clocks, "deterministic", &self->clock,
                       error) ||
        !scenario_number(self->file, "scenario", "limit", SIM_UNIT_TIME, SIM_MS, 86400 * SIM_S,
                         &self->limit_ps, error) ||
        !scenario_number(self->file, "scenario", "wall-limit", SIM_UNIT_TIME, SIM_S, 86400 * SIM_S,
                         &wall_ps, error) ||
        !scenario_number(self->file, "scenario", "sample", SIM_UNIT_TIME, 10 * SIM_US, 3600 * SIM_S,
                         &self->sample_ps, error)) {
        return FALSE;
    }
    self->wall_limit_ms = wall_ps / SIM_MS;
    self->spec = g_strdup(scenario_text(self->file, "scenario", "spec"));
    const char *driver = scenario_text(self->file, "scenario", "driver");
    self->driver = g_strdup(driver ? driver : "linux-nvme");
    g_auto(GStrv) drivers = driver_names();
    if (driver && !g_strv_contains((const char *const *)drivers, driver)) {
        scenario_unknown(self->file, sim_keyfile_entry(self->file, "scenario", "driver"), error,
                         "there is no driver", driver, (const char *const *)drivers);
        return FALSE;
    }
    self->tools = scenario_list(scenario_text(self->file, "scenario", "tools"), ", \t");
    g_autoptr(Driver) loaded = driver_load(self->driver, error);
    if (!loaded) {
        return FALSE;
    }
    self->simulated = loaded->simulated;
    if (self->simulated) {
        g_free(self->clock);
        self->clock = g_strdup("native");
    }
    return TRUE;
}

/* mips, told or by the clock that so many busy cores have. */
static gboolean read_speed(Scenario *self, GError **error)
{
    const SimKeyfileEntry *busy = sim_keyfile_entry(self->file, "machine", "busy-cores");
    uint64_t cores = 1, most = self->machine->cpus / self->machine->threads_per_core;

    self->mips = self->machine->mips;
    if (!scenario_number(self->file, "machine", "mips", SIM_UNIT_NONE, 1, 1000000, &self->mips,
                         error) ||
        !scenario_number(self->file, "machine", "busy-cores", SIM_UNIT_NONE, 1, most, &cores,
                         error)) {
        return FALSE;
    }
    if (busy == NULL) {
        return TRUE;
    }
    if (sim_keyfile_entry(self->file, "machine", "mips") || self->machine->turbo_n == 0) {
        sim_keyfile_error(self->file, busy, SIM_KEYFILE_ERROR_VALUE, error,
                          self->machine->turbo_n == 0
                              ? "profile %s has no turbo: its cpus have one clock; leave it out"
                              : "mips is told too; leave one of them out",
                          self->machine->name);
        return FALSE;
    }
    self->mips = host_machine_mips(self->machine, cores);
    return TRUE;
}

static gboolean read_machine(Scenario *self, GError **error)
{
    g_autofree char *profile = NULL;
    GError *inner = NULL;

    if (!scenario_required(self->file, "machine", "profile", &profile, error)) {
        return FALSE;
    }
    self->machine_path = paths_profile("models/host/profiles", profile, &inner);
    if (!self->machine_path) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, "machine", "profile"),
                          SIM_KEYFILE_ERROR_UNKNOWN, error, "%s", inner->message);
        g_clear_error(&inner);
        return FALSE;
    }
    self->machine = host_machine_load(self->machine_path, error);
    if (!self->machine) {
        return FALSE;
    }
    self->cpus = self->machine->cpus;
    self->memory_bytes = self->machine->memory_bytes;
    self->quantum = self->machine->quantum;
    if (!scenario_number(self->file, "machine", "cpus", SIM_UNIT_NONE, 1, 255, &self->cpus,
                         error) ||
        !scenario_number(self->file, "machine", "memory", SIM_UNIT_BYTES, 256 << 20,
                         G_GUINT64_CONSTANT(64) << 30, &self->memory_bytes, error) ||
        !read_speed(self, error) ||
        !scenario_number(self->file, "machine", "quantum", SIM_UNIT_NONE, 1, 1000000000,
                         &self->quantum, error)) {
        return FALSE;
    }
    if (self->memory_bytes % (1 << 20)) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, "machine", "memory"),
                          SIM_KEYFILE_ERROR_VALUE, error, "is not a multiple of 1MiB");
        return FALSE;
    }
    return TRUE;
}

/* [driver] parameters = MODULE.NAME=VALUE …; queues beyond the cpus are refused by nvme.ko only
 * after the boot: here at once. */
static gboolean read_driver(Scenario *self, GError **error)
{
    static const char *const queue_counts[] = {"nvme.poll_queues", "nvme.write_queues", NULL};
    const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, "driver", "parameters");

    self->parameters = scenario_list(scenario_text(self->file, "driver", "parameters"), " \t");
    self->modules = scenario_list(scenario_text(self->file, "driver", "modules"), ", \t");
    if (self->simulated && *self->modules) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, "driver", "modules"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          "is for drivers that run in a guest; %s is simulated", self->driver);
        return FALSE;
    }
    if (self->simulated) {
        return native_check_parameters(self, entry, error);
    }
    for (char **word = self->parameters; *word; word++) {
        const char *dot = strchr(*word, '.');
        const char *equals = strchr(*word, '=');
        if (!dot || !equals || dot > equals || dot == *word || dot + 1 == equals) {
            sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_SYNTAX, error,
                              "'%s': write MODULE.NAME=VALUE, as in nvme.poll_queues=2", *word);
            return FALSE;
        }
        g_autofree char *name = g_strndup(*word, equals - *word);
        if (g_strv_contains(queue_counts, name)) {
            guint64 queues = 0;
            if (!g_ascii_string_to_unsigned(equals + 1, 10, 0, self->cpus, &queues, NULL)) {
                sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                                  "%s: impossible queue count; 0 to %" G_GUINT64_FORMAT
                                  " on this machine's cpus",
                                  *word, self->cpus);
                return FALSE;
            }
        }
    }
    return TRUE;
}

static gboolean check_group_names(SimKeyfile *file, GError **error)
{
    static const char *const words[] = {"scenario", "machine", "driver", "device", "wire",   "load",
                                        "traffic",  "step",    "matrix", "point",  "expect", NULL};
    const char *const *groups = sim_keyfile_groups(file);

    for (size_t i = 0; groups[i]; i++) {
        g_autofree char *kind = g_strndup(groups[i], strcspn(groups[i], " "));
        const char *rest = groups[i] + strlen(kind);
        SimKeyfileEntry place = {
            .group = groups[i], .key = "", .line = sim_keyfile_group_line(file, groups[i])};
        gboolean needs_name = strcmp(kind, "device") == 0 || strcmp(kind, "step") == 0 ||
                              strcmp(kind, "point") == 0 || strcmp(kind, "wire") == 0 ||
                              strcmp(kind, "traffic") == 0;
        gboolean may_have_name =
            needs_name || strcmp(kind, "load") == 0 || strcmp(kind, "expect") == 0;
        if (!g_strv_contains(words, kind)) {
            scenario_unknown(file, &place, error, "there is no group", kind, words);
            return FALSE;
        }
        if ((needs_name && !*rest) || (*rest && !may_have_name)) {
            sim_keyfile_error(file, &place, SIM_KEYFILE_ERROR_SYNTAX, error,
                              needs_name ? "the group needs a name, as in [%s %s]"
                                         : "the group has no name; write [%s]%s",
                              kind,
                              !needs_name    ? ""
                              : *kind == 'd' ? "nvme0"
                              : *kind != 's' ? "name"
                                             : "1 title");
            return FALSE;
        }
    }
    return TRUE;
}

/* An unknown key is an error in every group; scenario_keys is the list of the known ones. */
static gboolean check_all_taken(Scenario *self, GError **error)
{
    const char *const *groups = sim_keyfile_groups(self->file);

    for (size_t i = 0; groups[i]; i++) {
        g_autofree char *kind = g_strndup(groups[i], strcspn(groups[i], " "));
        g_autofree const char **known = scenario_known_keys(kind);
        if (*known && !sim_keyfile_check_taken(self->file, groups[i], known, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Keys of [load] and the like are known before the values are read, so that a wrong key is not
 * first reported as a missing one. */
static gboolean check_known_keys(SimKeyfile *file, GError **error)
{
    const char *const *groups = sim_keyfile_groups(file);

    for (size_t i = 0; groups[i]; i++) {
        g_autofree char *kind = g_strndup(groups[i], strcspn(groups[i], " "));
        g_autofree const char **known = scenario_known_keys(kind);
        const GPtrArray *entries = sim_keyfile_entries(file, groups[i]);
        for (guint j = 0; *known && entries && j < entries->len; j++) {
            const SimKeyfileEntry *entry = g_ptr_array_index(entries, j);
            if (!g_strv_contains(known, entry->key) &&
                !(strcmp(kind, "device") == 0 && g_str_has_prefix(entry->key, "profile."))) {
                scenario_unknown(file, entry, error, "there is no key", entry->key, known);
                return FALSE;
            }
        }
    }
    return TRUE;
}

static gboolean read_groups(Scenario *self, GError **error)
{
    const char *const *groups = sim_keyfile_groups(self->file);

    for (size_t i = 0; groups[i]; i++) {
        const char *group = groups[i];
        gboolean fine = TRUE;
        if (g_str_has_prefix(group, "device ")) {
            fine = scenario_read_device(self, group, error);
        } else if (g_str_has_prefix(group, "wire ")) {
            fine = scenario_read_wire(self, group, error);
        } else if (strcmp(group, "load") == 0 || g_str_has_prefix(group, "load ")) {
            fine = scenario_read_load(self, group, error);
        } else if (g_str_has_prefix(group, "traffic ")) {
            fine = scenario_read_traffic(self, group, error);
        }
        if (!fine) {
            return FALSE;
        }
    }
    for (size_t i = 0; groups[i]; i++) {
        if (g_str_has_prefix(groups[i], "step ") && !scenario_read_step(self, groups[i], error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* A driver that does not bind a device would be waited for in vain. */
static gboolean check_driver(Scenario *self, GError **error)
{
    g_autoptr(Driver) driver = driver_load(self->driver, error);

    for (guint i = 0; driver && i < self->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(self->devices, i);
        if (strcmp(device->type->kind, driver->drives) != 0) {
            g_autofree char *group = g_strconcat("device ", device->name, NULL);
            sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "profile"),
                              SIM_KEYFILE_ERROR_VALUE, error,
                              "is of a %s, which driver %s does not drive; see quirkbench drivers",
                              device->type->what, self->driver);
            return FALSE;
        }
    }
    return driver != NULL;
}

static Scenario *scenario_new(const char *name, SimKeyfile *file, const char *point, GError **error)
{
    g_autoptr(Scenario) self = g_new0(Scenario, 1);
    g_autofree char *base = g_path_get_basename(name);

    self->file = file;
    self->path = g_strdup(name);
    self->name = g_str_has_suffix(base, ".ini") ? g_strndup(base, strlen(base) - strlen(".ini"))
                                                : g_strdup(base);
    self->point = g_strdup(point);
    self->devices = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_device_free);
    self->wires = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_wire_free);
    self->loads = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_load_free);
    self->traffics = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_traffic_free);
    self->steps = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_step_free);
    if (!check_known_keys(file, error) || !read_scenario(self, error) ||
        !read_machine(self, error) || !read_driver(self, error) || !read_groups(self, error) ||
        !scenario_finish_devices(self, error) || !check_driver(self, error) ||
        !scenario_finish_wires(self, error) || !scenario_finish_loads(self, error) ||
        !scenario_finish_steps(self, error) || !scenario_finish_traffics(self, error) ||
        !check_all_taken(self, error) || (self->simulated && !native_check_steps(self, error))) {
        return NULL;
    }
    if (self->loads->len == 0 && self->steps->len == 0) {
        SimKeyfileEntry place = {.group = "load", .key = ""};
        sim_keyfile_error(file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "the scenario does nothing; add [load] or [step 1 title]");
        return NULL;
    }
    return check_expect(self, error) ? g_steal_pointer(&self) : NULL;
}

static GPtrArray *points_of(SimKeyfile *file, const char *const *sets, GError **error)
{
    g_autoptr(GPtrArray) labels = NULL;
    g_autoptr(GPtrArray) scenarios = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_free);

    if (!check_group_names(file, error) || !scenario_apply_sets(file, sets, error)) {
        return NULL;
    }
    g_autoptr(GPtrArray) files = scenario_expand(file, &labels, error);
    for (guint i = 0; files && i < files->len; i++) {
        SimKeyfile *point = g_ptr_array_index(files, i);
        files->pdata[i] = NULL; /* the scenario owns it now */
        Scenario *scenario =
            scenario_new(sim_keyfile_name(file), point, g_ptr_array_index(labels, i), error);
        if (!scenario) {
            return NULL;
        }
        g_ptr_array_add(scenarios, scenario);
    }
    return files ? g_steal_pointer(&scenarios) : NULL;
}

GPtrArray *scenario_load(const char *path, const char *const *sets, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, error);

    return file ? points_of(file, sets, error) : NULL;
}

GPtrArray *scenario_parse(const char *name, const char *text, const char *const *sets,
                          GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_parse(name, text, error);

    return file ? points_of(file, sets, error) : NULL;
}
