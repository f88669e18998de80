/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the simulation object itself writes to the telemetry file (docs/telemetry.md): its first and
 * last records, marks, reports and the vCPUs' work; at marks it has every device write its
 * counters. */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "qemu/error-report.h"
#include "quirkbench-clock.h"
#include "sim-object-fields.h"

enum { MARK_START = 1, MARK_END = 2, MARK_STEP = 0x100 };

void quirkbench_sim_write_begin(QuirkbenchSim *s, const char *clock)
{
    sim_telemetry_begin(s->telemetry, "begin");
    sim_telemetry_u64(s->telemetry, "schema", 1);
    sim_telemetry_u64(s->telemetry, "seed", s->seed);
    sim_telemetry_str(s->telemetry, "clock", clock);
    /* In instructions, as in a machine profile. */
    sim_telemetry_u64(s->telemetry, "quantum",
                      quirkbench_clock_active()
                          ? quirkbench_clock_quantum_ns() * quirkbench_clock_mips() / 1000
                          : 0);
    sim_telemetry_end(s->telemetry);
}

static void sim_record_vcpus(QuirkbenchSim *s, const char *at)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        sim_telemetry_begin(s->telemetry, "vcpu");
        sim_telemetry_str(s->telemetry, "at", at);
        sim_telemetry_u64(s->telemetry, "cpu", cpu->cpu_index);
        sim_telemetry_u64(s->telemetry, "instructions",
                          quirkbench_clock_vcpu_instructions(cpu->cpu_index));
        sim_telemetry_u64(s->telemetry, "busy_ns", quirkbench_clock_vcpu_busy_ns(cpu->cpu_index));
        sim_telemetry_end(s->telemetry);
    }
}

static void sim_record(QuirkbenchSim *s, const char *at)
{
    sim_record_vcpus(s, at);
    for (guint i = 0; i < s->clients->len; i++) {
        QuirkbenchSimClient *client = s->clients->pdata[i];

        client->record(client->opaque, at);
    }
}

void quirkbench_sim_sample(void *opaque)
{
    QuirkbenchSim *s = opaque;

    for (guint i = 0; i < s->clients->len; i++) {
        QuirkbenchSimClient *client = s->clients->pdata[i];

        client->sample(client->opaque);
    }
    sim_queue_schedule(s->queue, &s->sample_event, sim_queue_now(s->queue) + s->sample_ps,
                       SIM_PRIO_LATE);
}

static void sim_write_mark(QuirkbenchSim *s, const char *what)
{
    sim_telemetry_begin(s->telemetry, "mark");
    sim_telemetry_u64(s->telemetry, "t_ps", sim_queue_now(s->queue));
    sim_telemetry_str(s->telemetry, "what", what);
    sim_telemetry_end(s->telemetry);
}

void quirkbench_sim_mark(QuirkbenchSim *s, uint32_t mark)
{
    if (!quirkbench_sim_enter(s)) {
        return;
    }
    if (mark == MARK_START && !s->window_started) {
        s->window_started = true;
        sim_write_mark(s, "window-start");
        sim_record(s, "window-start");
        if (s->sample_ps) {
            sim_queue_schedule(s->queue, &s->sample_event, sim_queue_now(s->queue) + s->sample_ps,
                               SIM_PRIO_LATE);
        }
    } else if (mark == MARK_END && s->window_started && !s->window_ended) {
        s->window_ended = true;
        sim_queue_cancel(s->queue, &s->sample_event);
        sim_write_mark(s, "window-end");
        sim_record(s, "window-end");
    } else if (mark >= MARK_STEP) {
        g_autofree char *what = g_strdup_printf("step-%u", mark - MARK_STEP);

        sim_write_mark(s, what);
    }
}

void quirkbench_sim_report(QuirkbenchSim *s, const char *text, size_t bytes)
{
    const char *newline = memchr(text, '\n', bytes);
    size_t name_bytes = newline ? newline - text : bytes;
    size_t skip = newline ? name_bytes + 1 : bytes;

    if (!quirkbench_sim_enter(s)) {
        return;
    }
    sim_telemetry_begin(s->telemetry, "report");
    sim_telemetry_u64(s->telemetry, "t_ps", sim_queue_now(s->queue));
    sim_telemetry_strn(s->telemetry, "name", text, name_bytes);
    sim_telemetry_strn(s->telemetry, "body", text + skip, bytes - skip);
    sim_telemetry_end(s->telemetry);
}

void quirkbench_sim_write_end(QuirkbenchSim *s, const char *verdict, uint32_t code)
{
    sim_record(s, "end");
    for (guint i = 0; i < s->clients->len; i++) {
        QuirkbenchSimClient *client = s->clients->pdata[i];

        client->check(client->opaque);
    }
    for (size_t i = 0; i < s->machine->slots_n; i++) {
        if (s->links[i]) {
            pcie_link_check(s->links[i], s->telemetry);
        }
    }
    sim_telemetry_violation_totals(s->telemetry);
    sim_telemetry_begin(s->telemetry, "end");
    sim_telemetry_u64(s->telemetry, "t_ps", sim_queue_now(s->queue));
    sim_telemetry_str(s->telemetry, "verdict", verdict);
    sim_telemetry_u64(s->telemetry, "code", code);
    sim_telemetry_end(s->telemetry);
    if (s->telemetry && !sim_telemetry_flush(s->telemetry)) {
        error_report("%s: %s", s->telemetry_path, strerror(sim_telemetry_errno(s->telemetry)));
    }
}
