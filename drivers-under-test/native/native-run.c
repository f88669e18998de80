/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native engine: it pops the one event queue until the loads are done. */
#include "native-run.h"

#include <string.h>

#include "native-report.h"
#include "sim/sim-telemetry.h"

/* How long the queue runs before somebody is asked whether to stop. */
#define SLICE (1 * SIM_MS)

typedef struct Run {
    const NativeRunConfig *config;
    SimQueue *queue;
    SimTelemetry *telemetry;
    HostMemory *memory;
    HostCpus *cpus;
    PcieLink **links; /* by slot of the machine */
    HostDevice **devices;
    NativeController **controllers;
    unsigned attached;
    NativeShared shared;
    SimEvent sample;
    bool window_started, window_ended;
    GPtrArray *loads; /* kept to the end: a thread may still be on its way when its load is over */
    GString *log;     /* what the driver would print */
    uint64_t ios;
} Run;

/* --- Records --- */

static void record(Run *self, const char *at)
{
    host_cpus_record(self->cpus, self->telemetry, at);
    for (unsigned i = 0; i < self->config->devices_n; i++) {
        nvme_model_record(host_device_model(self->devices[i]), at);
    }
}

static void mark(Run *self, const char *what)
{
    sim_telemetry_begin(self->telemetry, "mark");
    sim_telemetry_u64(self->telemetry, "t_ps", sim_queue_now(self->queue));
    sim_telemetry_str(self->telemetry, "what", what);
    sim_telemetry_end(self->telemetry);
}

static void report(Run *self, const char *name, const char *body)
{
    sim_telemetry_begin(self->telemetry, "report");
    sim_telemetry_u64(self->telemetry, "t_ps", sim_queue_now(self->queue));
    sim_telemetry_str(self->telemetry, "name", name);
    sim_telemetry_str(self->telemetry, "body", body);
    sim_telemetry_end(self->telemetry);
}

static void report_interrupts(Run *self, const char *name)
{
    g_autoptr(GString) text = g_string_new(NULL);

    native_report_interrupts(text, self->controllers, self->attached, self->config->cpus);
    report(self, name, text->str);
}

static void schedule_sample(Run *self)
{
    if (self->config->sample_ps) {
        sim_queue_schedule(self->queue, &self->sample,
                           sim_queue_now(self->queue) + self->config->sample_ps, SIM_PRIO_LATE);
    }
}

static void sample(void *opaque)
{
    Run *self = opaque;

    for (unsigned i = 0; i < self->config->devices_n; i++) {
        nvme_model_sample(host_device_model(self->devices[i]));
    }
    schedule_sample(self);
}

/* Of the one load whose window is the run's. */
static void window(void *opaque, bool start)
{
    Run *self = opaque;
    const char *what = start ? "window-start" : "window-end";

    mark(self, what);
    record(self, what);
    if (start) {
        self->window_started = true;
        schedule_sample(self);
    } else {
        self->window_ended = true;
        sim_queue_cancel(self->queue, &self->sample);
    }
}

static void write_begin(Run *self)
{
    sim_telemetry_begin(self->telemetry, "begin");
    sim_telemetry_u64(self->telemetry, "schema", 1);
    sim_telemetry_u64(self->telemetry, "seed", self->config->seed);
    sim_telemetry_str(self->telemetry, "clock", "native");
    sim_telemetry_u64(self->telemetry, "quantum", 0);
    sim_telemetry_end(self->telemetry);
}

static bool write_end(Run *self, const char *verdict, GError **error)
{
    record(self, "end");
    for (unsigned i = 0; i < self->config->devices_n; i++) {
        nvme_model_check(host_device_model(self->devices[i]));
    }
    for (size_t i = 0; i < self->config->machine->slots_n; i++) {
        if (self->links[i]) {
            pcie_link_check(self->links[i], self->telemetry);
        }
    }
    sim_telemetry_violation_totals(self->telemetry);
    sim_telemetry_begin(self->telemetry, "end");
    sim_telemetry_u64(self->telemetry, "t_ps", sim_queue_now(self->queue));
    sim_telemetry_str(self->telemetry, "verdict", verdict);
    sim_telemetry_u64(self->telemetry, "code", 0);
    sim_telemetry_end(self->telemetry);
    if (self->telemetry && !sim_telemetry_flush(self->telemetry)) {
        g_set_error(error, G_FILE_ERROR,
                    g_file_error_from_errno(sim_telemetry_errno(self->telemetry)),
                    "the telemetry cannot be written: %s",
                    g_strerror(sim_telemetry_errno(self->telemetry)));
        return false;
    }
    return true;
}

/* --- Machine --- */

static PcieLink *link_of(Run *self, const char *slot, GError **error)
{
    const HostMachine *machine = self->config->machine;

    for (size_t i = 0; i < machine->slots_n; i++) {
        if (g_str_equal(machine->slots[i].name, slot)) {
            if (!self->links[i]) {
                self->links[i] = pcie_link_new(self->queue, slot, &machine->slots[i].params);
            }
            return self->links[i];
        }
    }
    g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_PARAMETER, "the machine has no slot '%s'", slot);
    return NULL;
}

static bool plug_in(Run *self, unsigned index, GError **error)
{
    const NativeRunDevice *device = &self->config->devices[index];
    PcieLink *link = link_of(self, device->slot, error);
    HostDeviceOptions options = {.name = device->name,
                                 .profile = device->profile,
                                 .model = device->options,
                                 .telemetry = self->telemetry,
                                 .seed = self->config->seed};

    if (link) {
        self->devices[index] = host_device_new(self->queue, self->memory, link, &options, error);
    }
    return self->devices[index] != NULL;
}

static bool build(Run *self, GError **error)
{
    const NativeRunConfig *config = self->config;

    if (config->telemetry_path) {
        self->telemetry = sim_telemetry_new(config->telemetry_path, error);
        if (!self->telemetry) {
            return false;
        }
    }
    self->queue = sim_queue_new();
    self->memory = host_memory_new();
    self->cpus =
        host_cpus_new(self->queue, config->cpus, (unsigned)config->machine->threads_per_core,
                      &config->machine->costs);
    self->links = g_new0(PcieLink *, config->machine->slots_n);
    self->devices = g_new0(HostDevice *, config->devices_n);
    self->controllers = g_new0(NativeController *, config->devices_n);
    self->log = g_string_new(NULL);
    self->loads = g_ptr_array_new_with_free_func((GDestroyNotify)native_load_free);
    sim_event_init(&self->sample, sample, self);
    write_begin(self);
    for (unsigned i = 0; i < config->devices_n; i++) {
        if (!plug_in(self, i, error)) {
            return false;
        }
    }
    return true;
}

static void tear_down(Run *self)
{
    const NativeRunConfig *config = self->config;

    g_clear_pointer(&self->loads, g_ptr_array_unref);
    for (unsigned i = 0; self->controllers && i < config->devices_n; i++) {
        native_controller_free(self->controllers[i]);
    }
    for (unsigned i = 0; self->devices && i < config->devices_n; i++) {
        host_device_free(self->devices[i]);
    }
    for (size_t i = 0; self->links && i < config->machine->slots_n; i++) {
        pcie_link_free(self->links[i]);
    }
    if (self->log) {
        g_string_free(self->log, TRUE);
    }
    g_free(self->controllers);
    g_free(self->devices);
    g_free(self->links);
    host_cpus_free(self->cpus);
    host_memory_free(self->memory);
    sim_queue_free(self->queue);
    sim_telemetry_free(self->telemetry);
}

/* --- The driver and its loads --- */

static bool attach_all(Run *self, GError **error)
{
    const NativeRunConfig *config = self->config;
    NativeHost host = {config->cpus, (unsigned)config->machine->sockets};
    g_autoptr(GString) map = g_string_new(NULL);

    for (unsigned i = 0; i < config->devices_n; i++) {
        NativeController *controller =
            native_controller_new(config->driver, &config->parameters, &self->shared, &host, i,
                                  self->devices[i], self->cpus, config->limit_ps);

        self->controllers[i] = controller;
        if (!config->driver->attach(controller, error)) {
            return false;
        }
        native_controller_start(controller);
        self->attached++;
        native_report_map(map, controller, config->devices[i].options.serial);
        g_string_append_printf(self->log,
                               "%s: %u submission, %u completion queues, %u vectors, %s\n",
                               config->devices[i].name, controller->map.sqs, controller->map.cqs,
                               controller->map.vectors, controller->map.name);
    }
    report(self, "queue-map", map->str);
    return true;
}

/* NULL: it went to its end; else the verdict. */
static const char *run_load(Run *self, const NativeLoadSpec *spec)
{
    const NativeRunConfig *config = self->config;
    NativeLoad *load =
        native_load_new(spec, self->controllers, self->cpus, self->memory, window, self);
    g_autofree const char **serials = g_new0(const char *, spec->devices_n);
    g_autoptr(GString) text = g_string_new(NULL);
    uint64_t errors = 0;

    g_ptr_array_add(self->loads, load);
    if (spec->window) {
        report_interrupts(self, "before.interrupts");
    }
    native_load_start(load);
    while (!native_load_finished(load)) {
        SimTime now = sim_queue_now(self->queue);

        if (now >= config->limit_ps || sim_queue_deadline(self->queue) == SIM_TIME_NEVER) {
            return now >= config->limit_ps ? "limit" : "idle";
        }
        if (config->stop && config->stop(config->opaque)) {
            return "interrupted";
        }
        sim_queue_run(self->queue, MIN(now + SLICE, config->limit_ps));
    }
    if (spec->window) {
        report_interrupts(self, "after.interrupts");
    }
    for (unsigned i = 0; i < spec->devices_n; i++) {
        serials[i] = config->devices[spec->devices[i]].options.serial;
        self->ios += native_load_result(load, i)->ios;
        errors += native_load_result(load, i)->errors;
    }
    native_report_load(text, load, serials, spec->devices_n);
    report(self, "load", text->str);
    if (errors) {
        report(self, "plan-error", "an I/O failed");
        return "plan-failed";
    }
    return NULL;
}

static const char *run_all(Run *self)
{
    g_autoptr(GError) error = NULL;
    const char *verdict = NULL;

    if (!attach_all(self, &error)) {
        report(self, "plan-error", error->message);
        g_string_append_printf(self->log, "%s\n", error->message);
        verdict = "plan-failed";
    }
    for (unsigned i = 0; i < self->config->loads_n && !verdict; i++) {
        verdict = run_load(self, &self->config->loads[i]);
    }
    report(self, "dmesg", self->log->str);
    return verdict ? verdict : "done";
}

bool native_run(const NativeRunConfig *config, NativeRunResult *result, GError **error)
{
    Run self = {.config = config};
    bool fine = build(&self, error) && write_end(&self, run_all(&self), error);

    if (result) {
        *result = (NativeRunResult){self.ios, self.memory ? host_memory_bytes(self.memory) : 0};
    }
    tear_down(&self);
    return fine;
}
