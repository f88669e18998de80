/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/host-cpu.h"

/* How long a thread may keep a cpu that another one wants. */
#define SLICE (1 * SIM_MS)

typedef enum {
    CPU_INTERRUPTS,
    CPU_IPIS,
    CPU_SWITCHES,
    CPU_LOCK_WAITS,
    CPU_LOCK_WAIT_PS,
    CPU_COUNTERS
} CpuCounter;

const SimCounter host_cpu_counters[] = {
    {"interrupts", "", "device interrupts taken"},
    {"ipis", "", "inter-processor interrupts received"},
    {"context_switches", "", "changes of thread"},
    {"lock_waits", "", "times that a thread or handler found a lock held"},
    {"lock_wait_ps", "ps", "time spent spinning for them"},
};
const size_t host_cpu_counters_n = G_N_ELEMENTS(host_cpu_counters);
G_STATIC_ASSERT(G_N_ELEMENTS(host_cpu_counters) == CPU_COUNTERS);

typedef struct Cpu {
    SimTime irq_free; /* handlers run until then */
    SimTime stolen;   /* by handlers, from the piece of work in progress */
    SimTime slice_start, spin_start;
    unsigned sibling; /* the next cpu of the core; the last one's is the first */
    HostThread *current;
    HostThread *first, **tail; /* runnable ones */
    uint64_t busy_ps;          /* what has been begun, to its end */
    uint64_t counts[CPU_COUNTERS];
} Cpu;

struct HostCpus {
    HostCosts costs; /* first: host_cpus_costs() */
    SimQueue *queue;
    unsigned n;
    Cpu *cpu;
};

G_STATIC_ASSERT(offsetof(HostCpus, costs) == 0);

HostCpus *host_cpus_new(SimQueue *queue, unsigned n, unsigned threads_per_core,
                        const HostCosts *costs)
{
    HostCpus *self = g_new0(HostCpus, 1);
    unsigned cores = MAX(n / MAX(threads_per_core, 1), 1);

    self->queue = queue;
    self->costs = *costs;
    self->n = n;
    self->cpu = g_new0(Cpu, n);
    for (unsigned i = 0; i < n; i++) {
        self->cpu[i].tail = &self->cpu[i].first;
        self->cpu[i].sibling = i + cores < n ? i + cores : i % cores;
    }
    return self;
}

void host_cpus_free(HostCpus *self)
{
    if (self) {
        g_free(self->cpu);
        g_free(self);
    }
}

unsigned host_cpus_n(const HostCpus *self)
{
    return self->n;
}

SimQueue *host_cpus_queue(const HostCpus *self)
{
    return self->queue;
}

bool host_cpu_is_idle(const HostCpus *self, unsigned cpu)
{
    const Cpu *c = &self->cpu[cpu];

    return !c->current && c->irq_free <= sim_queue_now(self->queue);
}

/* @cost on @cpu, where another thread of the core may be in the way. */
static SimTime with_sibling(const HostCpus *self, unsigned cpu, SimTime cost)
{
    for (unsigned i = self->cpu[cpu].sibling; i != cpu; i = self->cpu[i].sibling) {
        if (!host_cpu_is_idle(self, i)) {
            return cost + cost * self->costs.sibling_percent / 100;
        }
    }
    return cost;
}

/* --- Threads --- */

/* @switched: the cpu did something else before, or nothing. */
static void begin_work(HostThread *thread, bool switched)
{
    HostCpus *self = thread->cpus;
    Cpu *cpu = &self->cpu[thread->cpu];
    SimTime now = sim_queue_now(self->queue), start = MAX(now, cpu->irq_free), cost = 0;

    if (switched) {
        cpu->counts[CPU_SWITCHES]++;
        cost = self->costs.context_switch_ps;
    }
    cost += thread->begin(thread, start + cost);
    cost = with_sibling(self, thread->cpu, cost);
    cpu->stolen = 0;
    cpu->busy_ps += cost;
    sim_queue_schedule(self->queue, &thread->event, start + cost, SIM_PRIO_NORMAL);
}

static void dispatch(HostCpus *self, Cpu *cpu)
{
    HostThread *thread = cpu->first;

    cpu->current = thread;
    if (!thread) {
        return;
    }
    cpu->first = thread->next;
    if (!cpu->first) {
        cpu->tail = &cpu->first;
    }
    cpu->slice_start = sim_queue_now(self->queue);
    begin_work(thread, true);
}

static void enqueue(Cpu *cpu, HostThread *thread)
{
    thread->next = NULL;
    *cpu->tail = thread;
    cpu->tail = &thread->next;
}

static void work_done(void *opaque)
{
    HostThread *thread = opaque;
    HostCpus *self = thread->cpus;
    Cpu *cpu = &self->cpu[thread->cpu];
    SimTime now = sim_queue_now(self->queue);

    if (cpu->stolen > 0) {
        SimTime stolen = cpu->stolen;

        cpu->stolen = 0;
        sim_queue_schedule(self->queue, &thread->event, now + stolen, SIM_PRIO_NORMAL);
        return;
    }
    switch (thread->end(thread)) {
    case HOST_SPINS:
        if (!cpu->first) {
            thread->spinning = true;
            cpu->spin_start = now;
            return;
        } /* somebody wants the cpu: it looks again when it gets it back */
        enqueue(cpu, thread);
        dispatch(self, cpu);
        return;
    case HOST_GOES_ON:
        if (cpu->first && now - cpu->slice_start > SLICE) {
            enqueue(cpu, thread);
            dispatch(self, cpu);
        } else {
            begin_work(thread, false);
        }
        return;
    case HOST_BLOCKS:
        thread->runnable = false;
        dispatch(self, cpu);
        return;
    }
}

void host_thread_init(HostThread *self, HostCpus *cpus, unsigned cpu, bool pinned)
{
    sim_event_init(&self->event, work_done, self);
    self->cpus = cpus;
    self->cpu = cpu;
    self->pinned = pinned;
    self->runnable = self->spinning = false;
}

static void end_spin(HostThread *thread)
{
    HostCpus *self = thread->cpus;
    Cpu *cpu = &self->cpu[thread->cpu];

    cpu->busy_ps += sim_queue_now(self->queue) - cpu->spin_start;
    thread->spinning = false;
}

/* The cpu it ran on last if that is idle, else the next idle one, else the same. */
static unsigned place(const HostThread *thread)
{
    const HostCpus *self = thread->cpus;

    for (unsigned i = 0; i < self->n; i++) {
        unsigned cpu = (thread->cpu + i) % self->n;

        if (host_cpu_is_idle(self, cpu)) {
            return cpu;
        }
    }
    return thread->cpu;
}

void host_thread_wake(HostThread *self, unsigned from_cpu)
{
    HostCpus *cpus = self->cpus;
    Cpu *cpu;

    if (self->spinning) {
        end_spin(self);
        begin_work(self, false);
        return;
    }
    if (self->runnable) {
        return;
    }
    self->runnable = true;
    if (!self->pinned) {
        self->cpu = place(self);
    }
    cpu = &cpus->cpu[self->cpu];
    if (self->cpu != from_cpu && cpu->current) {
        host_cpu_interrupt(cpus, from_cpu, cpus->costs.ipi_send_ps);
        cpu->counts[CPU_IPIS]++;
        host_cpu_interrupt(cpus, self->cpu, cpus->costs.ipi_ps);
    }
    enqueue(cpu, self);
    if (cpu->current && cpu->current->spinning) { /* it gives way */
        HostThread *spinner = cpu->current;

        end_spin(spinner);
        enqueue(cpu, spinner);
        dispatch(cpus, cpu);
    } else if (!cpu->current) {
        dispatch(cpus, cpu);
    }
}

/* --- Interrupts --- */

SimTime host_cpu_interrupt(HostCpus *self, unsigned cpu, SimTime cost)
{
    Cpu *c = &self->cpu[cpu];
    SimTime now = sim_queue_now(self->queue), start = MAX(now, c->irq_free);

    cost = with_sibling(self, cpu, cost);
    c->irq_free = start + cost;
    if (c->current && !c->current->spinning) {
        c->stolen += cost;
    }
    if (!c->current || !c->current->spinning) { /* a spinning cpu is busy anyway */
        c->busy_ps += cost;
    }
    return c->irq_free;
}

void host_cpu_count_interrupt(HostCpus *self, unsigned cpu)
{
    self->cpu[cpu].counts[CPU_INTERRUPTS]++;
}

SimTime host_cpus_broadcast(HostCpus *self, unsigned from)
{
    SimTime spent = 0;

    for (unsigned i = 0; i < self->n; i++) {
        if (i == from || host_cpu_is_idle(self, i)) {
            continue;
        }
        self->cpu[i].counts[CPU_IPIS]++;
        spent += self->costs.ipi_send_ps;
        host_cpu_interrupt(self, i, self->costs.ipi_ps);
    }
    return spent > 0 ? spent + self->costs.ipi_ps : 0;
}

/* --- Locks --- */

SimTime host_lock_take(HostCpus *self, HostLock *lock, unsigned cpu, SimTime at, SimTime hold)
{
    SimTime start = MAX(at, lock->free_at), wait = start - at;

    if (wait > 0) {
        self->cpu[cpu].counts[CPU_LOCK_WAITS]++;
        self->cpu[cpu].counts[CPU_LOCK_WAIT_PS] += wait;
    }
    if (lock->taken_before && lock->cpu != cpu) {
        start += self->costs.lock_handover_ps;
    }
    lock->taken_before = true;
    lock->cpu = cpu;
    lock->free_at = start + hold;
    return start - at;
}

/* --- Accounts --- */

uint64_t host_cpu_busy_ps(const HostCpus *self, unsigned cpu)
{
    const Cpu *c = &self->cpu[cpu];
    SimTime now = sim_queue_now(self->queue), ahead = 0;

    if (c->current && c->current->spinning) {
        return c->busy_ps + (now - c->spin_start);
    }
    if (c->current) { /* its end, with what handlers have taken of it, is still to come */
        ahead = c->current->event.when + c->stolen - now;
    } else if (c->irq_free > now) {
        ahead = c->irq_free - now;
    }
    return c->busy_ps - MIN(ahead, c->busy_ps);
}

void host_cpus_record(const HostCpus *self, SimTelemetry *telemetry, const char *at)
{
    for (unsigned i = 0; i < self->n; i++) {
        sim_telemetry_begin(telemetry, "vcpu");
        sim_telemetry_str(telemetry, "at", at);
        sim_telemetry_u64(telemetry, "cpu", i);
        sim_telemetry_u64(telemetry, "instructions", 0); /* nothing executes them */
        sim_telemetry_u64(telemetry, "busy_ns", host_cpu_busy_ps(self, i) / SIM_NS);
        sim_telemetry_end(telemetry);
        sim_counters_record(telemetry, at, "machine", "cpu", i, host_cpu_counters,
                            self->cpu[i].counts, CPU_COUNTERS);
    }
}
