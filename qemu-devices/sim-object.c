/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulation object: one SimQueue on one timer of the virtual clock, the machine's slots, and
 * the telemetry file from its first record to its last.
 *
 * QEMU finalises no device when it exits, so the file is complete, and on disk, before QEMU is told
 * to stop; whatever happens after that is not simulated any more. */
#include "qemu/osdep.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "quirkbench-clock.h"
#include "sim-object-fields.h"
#include "sim/sim-keyfile.h"

/* --- Time --- */

static void sim_arm(void *opaque, SimTime when_ps)
{
    QuirkbenchSim *s = opaque;

    if (!s->started || s->finished) {
        return;
    }
    if (when_ps == SIM_TIME_NEVER) {
        timer_del(s->timer);
    } else {
        timer_mod(s->timer, s->epoch_ns + DIV_ROUND_UP(when_ps, SIM_NS));
    }
}

/* Whether the limit and the samples, timers of our own, were all that was still to come. */
static bool sim_nothing_left(QuirkbenchSim *s)
{
    sim_queue_cancel(s->queue, &s->sample_event);
    return all_cpu_threads_idle() &&
           qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL) < 0;
}

bool quirkbench_sim_enter(QuirkbenchSim *s)
{
    if (s->started && !s->finished) {
        sim_queue_run(s->queue, (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - s->epoch_ns) * SIM_NS);
        if (s->limit_reached) {
            quirkbench_sim_finish(s, sim_nothing_left(s) ? "idle" : "limit", 0);
        }
    }
    return !s->finished;
}

bool quirkbench_sim_is_wall(const QuirkbenchSim *s)
{
    return s->wall;
}

void quirkbench_sim_leave(QuirkbenchSim *s)
{
    if (s->wall) {
        quirkbench_sim_enter(s);
    }
}

static void sim_timer_fired(void *opaque)
{
    quirkbench_sim_enter(opaque);
}

static void sim_vm_state_changed(void *opaque, bool running, RunState state)
{
    QuirkbenchSim *s = opaque;

    if (running && !s->started) {
        s->epoch_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        s->started = true;
        if (s->limit_ps) {
            sim_queue_schedule(s->queue, &s->limit_event, s->limit_ps, SIM_PRIO_LATE);
        }
        sim_arm(s, sim_queue_deadline(s->queue));
    }
}

/* --- The end --- */

void quirkbench_sim_finish(QuirkbenchSim *s, const char *verdict, uint32_t code)
{
    if (s->finished) {
        return;
    }
    quirkbench_sim_write_end(s, verdict, code);
    s->finished = true;
    timer_del(s->timer);
    qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_SHUTDOWN);
}

/* Not the end itself: events of the same instant follow in the queue, and the last record is the
 * last. */
static void sim_limit_reached(void *opaque)
{
    QuirkbenchSim *s = opaque;

    s->limit_reached = true;
}

static void sim_idle(void *opaque)
{
    QuirkbenchSim *s = opaque;

    if (s->started) {
        quirkbench_sim_finish(s, "idle", 0);
    }
}

static void sim_shutdown(Notifier *notifier, void *data)
{
    QuirkbenchSim *s = container_of(notifier, QuirkbenchSim, shutdown_notifier);
    ShutdownCause cause = *(ShutdownCause *)data;
    bool panic = cause == SHUTDOWN_CAUSE_GUEST_RESET || cause == SHUTDOWN_CAUSE_GUEST_PANIC;

    /* A vCPU may still be on its way out of its last instruction, and its count is not complete. */
    pause_all_vcpus();
    if (quirkbench_sim_enter(s)) {
        quirkbench_sim_finish(s, panic ? "panic" : "interrupted", 0);
    }
}

/* --- What devices ask for --- */

void quirkbench_sim_attach(QuirkbenchSim *s, const QuirkbenchSimClient *client)
{
    g_ptr_array_add(s->clients, (void *)client);
}

void quirkbench_sim_detach(QuirkbenchSim *s, const QuirkbenchSimClient *client)
{
    if (quirkbench_sim_enter(s)) {
        client->record(client->opaque, "end");
        client->check(client->opaque);
    }
    g_ptr_array_remove(s->clients, (void *)client);
}

void quirkbench_sim_port(QuirkbenchSim *s, SimPort *port)
{
    port->queue = s->queue;
    port->telemetry = s->telemetry;
    port->seed = s->seed;
}

PcieLink *quirkbench_sim_link(QuirkbenchSim *s, const char *name, Error **errp)
{
    for (size_t i = 0; i < s->machine->slots_n; i++) {
        const HostSlot *slot = &s->machine->slots[i];

        if (name ? !strcmp(slot->name, name) : !s->links[i]) {
            if (!s->links[i]) {
                s->links[i] = pcie_link_new(s->queue, slot->name, &slot->params);
            }
            return s->links[i];
        }
    }
    if (name) {
        error_setg(errp, "%s: the machine has no slot '%s'", s->machine_path, name);
    } else {
        error_setg(errp, "%s: every slot is in use: name one with slot=", s->machine_path);
    }
    return NULL;
}

const PcieParams *quirkbench_sim_slot(QuirkbenchSim *s, const PcieLink *link)
{
    return &host_machine_slot(s->machine, pcie_link_name(link))->params;
}

/* --- Life --- */

static bool sim_parse_time(const char *name, const char *text, SimTime *value, Error **errp)
{
    g_autofree char *message = NULL;

    if (text && !sim_value_parse(text, SIM_UNIT_TIME, value, &message)) {
        error_setg(errp, "%s=%s: %s", name, text, message);
        return false;
    }
    return true;
}

static void sim_realize(DeviceState *dev, Error **errp)
{
    QuirkbenchSim *s = QUIRKBENCH_SIM(dev);
    const char *clock = s->clock ? s->clock : "deterministic";
    bool wall = !strcmp(clock, "wall");
    g_autoptr(GError) error = NULL;

    if (!wall && strcmp(clock, "deterministic")) {
        error_setg(errp, "clock=%s: deterministic or wall", clock);
        return;
    }
    if (wall ? icount_enabled() : !quirkbench_clock_active()) {
        error_setg(errp, "clock=%s needs QEMU to run with%s", clock,
                   wall ? "out -icount" : " -icount shift=0,sleep=off,parallel=on");
        return;
    }
    if (!sim_parse_time("sample", s->sample_text, &s->sample_ps, errp) ||
        !sim_parse_time("limit", s->limit_text, &s->limit_ps, errp)) {
        return;
    }
    if (!s->machine_path) {
        error_setg(errp, "machine= is missing: the file of a machine profile");
        return;
    }
    s->machine = host_machine_load(s->machine_path, &error);
    if (s->machine && s->mips) {
        s->machine->mips = s->mips;
    }
    if (s->machine && !wall && s->machine->mips != quirkbench_clock_mips()) {
        error_setg(errp, "%s: mips = %" PRIu64 ", but -icount has mips=%" PRId64, s->machine_path,
                   s->machine->mips, quirkbench_clock_mips());
        return;
    }
    if (s->machine && s->telemetry_path) {
        s->telemetry = sim_telemetry_new(s->telemetry_path, &error);
    }
    if (error) {
        error_setg(errp, "%s", error->message);
        return;
    }
    s->wall = wall;
    s->links = g_new0(PcieLink *, s->machine->slots_n);
    s->clients = g_ptr_array_new();
    s->queue = sim_queue_new();
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, sim_timer_fired, s);
    sim_queue_set_armer(s->queue, sim_arm, s);
    sim_event_init(&s->sample_event, quirkbench_sim_sample, s);
    sim_event_init(&s->limit_event, sim_limit_reached, s);
    qemu_add_vm_change_state_handler(sim_vm_state_changed, s);
    s->shutdown_notifier.notify = sim_shutdown;
    qemu_register_shutdown_notifier(&s->shutdown_notifier);
    quirkbench_clock_idle_notify(sim_idle, s);
    quirkbench_sim_write_begin(s, clock);
}

static const Property sim_properties[] = {
    DEFINE_PROP_STRING("telemetry", QuirkbenchSim, telemetry_path),
    DEFINE_PROP_STRING("machine", QuirkbenchSim, machine_path),
    DEFINE_PROP_STRING("clock", QuirkbenchSim, clock),
    DEFINE_PROP_STRING("sample", QuirkbenchSim, sample_text),
    DEFINE_PROP_UINT64("mips", QuirkbenchSim, mips, 0),
    DEFINE_PROP_STRING("limit", QuirkbenchSim, limit_text),
    DEFINE_PROP_UINT64("seed", QuirkbenchSim, seed, 1),
};

static void sim_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = sim_realize;
    dc->desc = "Quirkbench: model time, slots and telemetry";
    dc->user_creatable = true;
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, sim_properties);
}

static const TypeInfo sim_type = {
    .name = TYPE_QUIRKBENCH_SIM,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(QuirkbenchSim),
    .class_init = sim_class_init,
};

static void sim_register(void)
{
    type_register_static(&sim_type);
}
type_init(sim_register)
