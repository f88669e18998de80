/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native-mode.h"

#include <string.h>

#include "jobs.h"
#include "native-run.h"
#include "run-files.h"
#include "sim/sim-time.h"

gboolean native_check_parameters(const Scenario *scenario, const SimKeyfileEntry *entry,
                                 GError **error)
{
    NativeParameters parameters;
    GError *inner = NULL;

    if (!native_parameters_read(&parameters, native_driver_find(scenario->driver),
                                (const char *const *)scenario->parameters, &inner)) {
        sim_keyfile_error(scenario->file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s",
                          inner->message);
        g_clear_error(&inner);
        return FALSE;
    }
    return TRUE;
}

/* A number of a device's profile: what the scenario sets, else the file. */
static guint64 profile_number(const ScenarioDevice *device, const char *key)
{
    const SimParam *param = device_type_param(device->type, key);
    g_autofree char *text = device->type->format(device->profile, param);
    guint64 value = 0;

    sim_value_parse(text, param->unit, &value, NULL);
    for (guint i = 0; i < device->changes->len; i++) {
        const char *change = g_ptr_array_index(device->changes, i);
        if (g_str_has_prefix(change, key) && change[strlen(key)] == '=') {
            sim_value_parse(change + strlen(key) + 1, param->unit, &value, NULL);
        }
    }
    return value;
}

/* A simulated driver sends a block as one command, so it must fit into one. */
static gboolean check_block(const Scenario *scenario, const ScenarioLoad *load, GError **error)
{
    g_autofree char *group =
        *load->name ? g_strconcat("load ", load->name, NULL) : g_strdup("load");
    const SimKeyfileEntry *entry = sim_keyfile_entry(scenario->file, group, "block");
    SimKeyfileEntry place = {.group = group, .key = "block", .line = load->line};

    for (char **name = load->devices; *name; name++) {
        const ScenarioDevice *device = scenario_device(scenario, *name);
        guint64 most = profile_number(device, "page-min")
                       << profile_number(device, "identify.mdts");

        if (load->block_bytes > most) {
            g_autofree char *text = sim_value_format(most, SIM_UNIT_BYTES);
            sim_keyfile_error(scenario->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE,
                              error, "is larger than a command of %s may be: %s (MDTS)", *name,
                              text);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean native_check_steps(const Scenario *scenario, GError **error)
{
    for (guint i = 0; i < scenario->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(scenario->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            SimKeyfileEntry place = {
                .group = "step", .key = scenario_step_keys[action->kind], .line = action->line};
            if (action->kind != STEP_LOAD) {
                sim_keyfile_error(scenario->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                                  "%s is simulated and has no guest; use a real driver",
                                  scenario->driver);
                return FALSE;
            }
        }
    }
    for (guint i = 0; i < scenario->loads->len; i++) {
        if (!check_block(scenario, g_ptr_array_index(scenario->loads, i), error)) {
            return FALSE;
        }
    }
    if (scenario->tools[0]) {
        sim_keyfile_error(scenario->file, sim_keyfile_entry(scenario->file, "scenario", "tools"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          "%s is simulated and has no guest; use a real driver", scenario->driver);
        return FALSE;
    }
    return TRUE;
}

/* --- From a scenario to a native run --- */

typedef struct Job {
    NativeRunConfig config;
    GArray *devices, *loads; /* NativeRunDevice, NativeLoadSpec */
    GPtrArray *owned;        /* profiles with a scenario's changes, lists of devices and faults */
    const RunOptions *options;
    gint64 deadline; /* wall clock */
    gboolean interrupted, too_long;
} Job;

static void job_clear(Job *self)
{
    g_array_unref(self->devices);
    g_array_unref(self->loads);
    g_ptr_array_unref(self->owned);
}

static bool stop(void *opaque)
{
    Job *self = opaque;

    self->interrupted = jobs_interrupted(self->options->interrupt_fd);
    self->too_long = g_get_monotonic_time() > self->deadline;
    return self->interrupted || self->too_long;
}

static gboolean add_device(Job *self, const ScenarioDevice *device, const char *folder,
                           GPtrArray *profiles, GError **error)
{
    g_autofree char *path = run_profile(device, folder, error);
    NvmeProfile *profile = path ? nvme_profile_load(path, error) : NULL;
    g_autoptr(GPtrArray) faults = g_ptr_array_new();

    if (!profile) {
        return FALSE;
    }
    g_ptr_array_add(profiles, profile);
    for (guint i = 0; i < device->faults->len; i++) {
        g_ptr_array_add(faults, g_ptr_array_index(device->faults, i));
    }
    g_ptr_array_add(faults, NULL);
    gpointer list = g_ptr_array_free(g_steal_pointer(&faults), FALSE);
    g_ptr_array_add(self->owned, list);
    NativeRunDevice row = {.name = device->name,
                           .slot = device->slot,
                           .profile = profile,
                           .options = {.serial = device->serial,
                                       .fill_random = strcmp(device->fill, "random") == 0,
                                       .store_limit_bytes = device->store_limit_bytes,
                                       .faults = list}};
    g_array_append_val(self->devices, row);
    return TRUE;
}

static void add_load(Job *self, const Scenario *scenario, const ScenarioLoad *load)
{
    unsigned n = g_strv_length(load->devices);
    unsigned *devices = g_new(unsigned, n);

    g_ptr_array_add(self->owned, devices);
    for (unsigned i = 0; i < n; i++) {
        g_ptr_array_find(scenario->devices, scenario_device(scenario, load->devices[i]),
                         &devices[i]);
    }
    NativeLoadSpec row = {.devices = devices,
                          .devices_n = n,
                          .random = g_str_has_prefix(load->pattern, "rand"),
                          .write = g_str_has_suffix(load->pattern, "write"),
                          .pinned = strcmp(load->pin, "spread") == 0,
                          .window = load->window,
                          .readers = load->readers,
                          .depth = load->depth,
                          .block_bytes = load->block_bytes,
                          .span_bytes = load->span_bytes,
                          .offset_bytes = load->offset_bytes,
                          .ios = load->ios,
                          .time_ps = load->time_ms * SIM_MS,
                          .warmup = load->warmup,
                          .seed = scenario->seed};
    g_array_append_val(self->loads, row);
}

static gboolean in_a_step(const Scenario *scenario, const ScenarioLoad *load)
{
    for (guint i = 0; i < scenario->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(scenario->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            if (strcmp(action->text, load->name) == 0) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* Those outside of steps first, as in a plan. */
static void add_loads(Job *self, const Scenario *scenario)
{
    for (guint i = 0; i < scenario->loads->len; i++) {
        const ScenarioLoad *load = g_ptr_array_index(scenario->loads, i);
        if (!in_a_step(scenario, load)) {
            add_load(self, scenario, load);
        }
    }
    for (guint i = 0; i < scenario->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(scenario->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            add_load(self, scenario, scenario_find_load(scenario, action->text));
        }
    }
}

static gboolean run_job(Job *self, const Scenario *scenario, const char *folder, GError **error)
{
    g_autoptr(GPtrArray) profiles =
        g_ptr_array_new_with_free_func((GDestroyNotify)nvme_profile_free);
    g_autofree char *telemetry = g_build_filename(folder, "telemetry.jsonl", NULL);

    for (guint i = 0; i < scenario->devices->len; i++) {
        if (!add_device(self, g_ptr_array_index(scenario->devices, i), folder, profiles, error)) {
            return FALSE;
        }
    }
    add_loads(self, scenario);
    self->config = (NativeRunConfig){.driver = native_driver_find(scenario->driver),
                                     .machine = scenario->machine,
                                     .cpus = (unsigned)scenario->cpus,
                                     .seed = scenario->seed,
                                     .limit_ps = scenario->limit_ps,
                                     .sample_ps = scenario->sample_ps,
                                     .telemetry_path = telemetry,
                                     .devices = (const NativeRunDevice *)self->devices->data,
                                     .devices_n = self->devices->len,
                                     .loads = (const NativeLoadSpec *)self->loads->data,
                                     .loads_n = self->loads->len,
                                     .stop = stop,
                                     .opaque = self};
    if (!native_parameters_read(&self->config.parameters, self->config.driver,
                                (const char *const *)scenario->parameters, error)) {
        return FALSE;
    }
    return native_run(&self->config, NULL, error);
}

void native_mode_run(const Scenario *scenario, const RunOptions *options, const char *folder,
                     RunOutcome *outcome)
{
    Job job = {.devices = g_array_new(FALSE, TRUE, sizeof(NativeRunDevice)),
               .loads = g_array_new(FALSE, TRUE, sizeof(NativeLoadSpec)),
               .owned = g_ptr_array_new_with_free_func(g_free),
               .options = options,
               .deadline = g_get_monotonic_time() + (gint64)scenario->wall_limit_ms * 1000};
    g_autoptr(GError) error = NULL;

    if (!run_job(&job, scenario, folder, &error)) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->reason = g_strdup(error->message);
    } else if (job.interrupted) {
        outcome->status = RESULTS_INTERRUPTED;
        outcome->reason = g_strdup("interrupted");
        outcome->verdict = g_strdup("interrupted");
    } else if (job.too_long) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->verdict = g_strdup("wall-limit");
        outcome->reason = g_strdup_printf("stopped at its wall-limit of %" G_GUINT64_FORMAT " s",
                                          scenario->wall_limit_ms / 1000);
    }
    job_clear(&job);
}
