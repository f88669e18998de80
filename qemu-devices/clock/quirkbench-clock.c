/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parallel virtual clock: see quirkbench-clock.h, and "Time" in ARCHITECTURE.md.
 *
 * One host thread runs all vCPUs in slices.  The runnable vCPU that is furthest behind runs until
 * the next timer's deadline, or until it is a quantum ahead of the second.  All that decides where
 * a slice ends is a function of guest state, so that a run is the same on any machine; what other
 * host threads do (kicks, bottom halves, RCU) may interrupt a slice but cannot move its end.
 *
 * Times are kept in ticks: one instruction is TICKS_PER_INSN of them, one nanosecond is mips, and
 * no conversion ever rounds.
 *
 * Left out: caches, pipelines and memory latency (an instruction is an instruction), vCPU hotplug,
 * record/replay, single-stepping without timers. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/option.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "migration/vmstate.h"
#include "system/cpus.h"
#include "system/replay.h"
#include "system/runstate.h"
#include "exec/cpu-common.h"
#include "accel/tcg/tcg-accel-ops.h"
#include "accel/tcg/tcg-accel-ops-icount.h"
#include "quirkbench-clock-hooks.h"

#define TICKS_PER_INSN 1000
#define VCPUS_MAX 512
#define MIPS_DEFAULT 1000
#define MIPS_MOST 100000
#define QUANTUM_DEFAULT_NS 2000
/* What a PAUSE takes: between Broadwell's 10 cycles and Skylake's 140.  One unit, as for other
 * instructions, would make spinning vCPUs the slowest thing to simulate. */
#define PAUSE_NS 40
/* A slice without any deadline: long enough not to matter, short enough not to overflow. */
#define SLICE_MOST_NS INT32_MAX

typedef struct Clock {
    bool active;
    int64_t mips;
    int64_t quantum_ns;

    int64_t published; /* atomic: other threads read it */
    int64_t local[VCPUS_MAX];
    int64_t busy[VCPUS_MAX];
    uint64_t instructions[VCPUS_MAX];
    bool runnable[VCPUS_MAX];

    /* The slice in progress: whose (-1: nobody's), and the local time at which it ends. */
    int32_t slice_cpu;
    int64_t slice_end;

    /* From the snapshot. */
    int64_t loaded_mips;
    int64_t loaded_quantum_ns;

    QuirkbenchClockIdle *idle;
    void *idle_opaque;
    bool idle_told;
} Clock;

static Clock self;
static CPUState *running;     /* atomic: which vCPU a kick must stop */
static CPUState *slice_owner; /* the vCPU that slice_cpu means */

/* --- Reading --- */

bool quirkbench_clock_active(void)
{
    return self.active;
}

int64_t quirkbench_clock_mips(void)
{
    return self.mips;
}

int64_t quirkbench_clock_quantum_ns(void)
{
    return self.quantum_ns;
}

int64_t quirkbench_clock_published_ns(void)
{
    return qatomic_read_i64(&self.published) / self.mips;
}

static bool in_guest_code(CPUState *cpu)
{
    return cpu && cpu->running;
}

void quirkbench_clock_account(CPUState *cpu)
{
    int64_t executed = cpu->icount_budget - (cpu->neg.icount_decr.u16.low + cpu->icount_extra);

    cpu->icount_budget -= executed;
    self.local[cpu->cpu_index] += executed * TICKS_PER_INSN;
    self.busy[cpu->cpu_index] += executed * TICKS_PER_INSN;
    self.instructions[cpu->cpu_index] += executed;
}

static void set_budget(CPUState *cpu, int64_t ticks)
{
    int64_t budget = DIV_ROUND_UP(ticks, TICKS_PER_INSN);
    int low = MIN(0xffff, budget);

    cpu->icount_budget = budget;
    cpu->neg.icount_decr.u16.low = low;
    cpu->icount_extra = budget - low;
}

bool quirkbench_clock_pause(CPUState *cpu)
{
    int i = cpu->cpu_index;
    int64_t left, pause;

    quirkbench_clock_account(cpu);
    left = MAX(self.slice_end - self.local[i], 0);
    pause = MIN(left, PAUSE_NS * self.mips);
    self.local[i] += pause;
    self.busy[i] += pause;
    set_budget(cpu, left - pause);
    return left > pause;
}

/* Brings the numbers of the calling vCPU up to date, if a vCPU is calling. */
static void catch_up(void)
{
    CPUState *cpu = current_cpu;

    if (in_guest_code(cpu)) {
        /* In the middle of a translation block the count is not exact. */
        g_assert(cpu->neg.can_do_io);
        quirkbench_clock_account(cpu);
    }
}

int64_t quirkbench_clock_get(void)
{
    CPUState *cpu = current_cpu;

    if (in_guest_code(cpu)) {
        catch_up();
        return self.local[cpu->cpu_index] / self.mips;
    }
    return quirkbench_clock_published_ns();
}

static bool has_vcpu(int cpu_index)
{
    return self.active && cpu_index >= 0 && cpu_index < VCPUS_MAX;
}

uint64_t quirkbench_clock_vcpu_instructions(int cpu_index)
{
    catch_up();
    return has_vcpu(cpu_index) ? self.instructions[cpu_index] : 0;
}

int64_t quirkbench_clock_vcpu_ns(int cpu_index)
{
    catch_up();
    return has_vcpu(cpu_index) ? self.local[cpu_index] / self.mips : 0;
}

int64_t quirkbench_clock_vcpu_busy_ns(int cpu_index)
{
    catch_up();
    return has_vcpu(cpu_index) ? self.busy[cpu_index] / self.mips : 0;
}

/* --- Interrupting a slice --- */

void quirkbench_clock_kick(CPUState *unused)
{
    CPUState *cpu = qatomic_read(&running);

    if (cpu) {
        cpu_exit(cpu);
    }
}

void quirkbench_clock_handle_interrupt(CPUState *cpu, int mask)
{
    CPUState *sender = current_cpu;

    icount_handle_interrupt(cpu, mask);
    /* A vCPU that wakes another must let it have its turn: its slice was measured without it. */
    if (qemu_cpu_is_self(cpu) && cpu != sender && in_guest_code(sender) &&
        !self.runnable[cpu->cpu_index]) {
        cpu_exit(sender);
    }
}

void quirkbench_clock_stop_here(void)
{
    g_assert(in_guest_code(current_cpu));
    vm_stop(RUN_STATE_PAUSED);
}

void quirkbench_clock_idle_notify(QuirkbenchClockIdle *func, void *opaque)
{
    self.idle = func;
    self.idle_opaque = opaque;
    self.idle_told = false;
}

/* --- The loop --- */

/* A stop is for all: one vCPU asks for it, and the main loop takes the others along later. */
static bool may_run(void)
{
    CPUState *cpu;

    if (!runstate_is_running()) {
        return false;
    }
    CPU_FOREACH(cpu) {
        if (cpu->stop || cpu->stopped) {
            return false;
        }
    }
    return true;
}

static bool has_queued_work(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->stop || !cpu_work_list_empty(cpu)) {
            return true;
        }
    }
    return false;
}

/* Who may run, and who is furthest behind; the lowest index of equals. */
typedef struct Survey {
    CPUState *behind;       /* NULL: all are halted */
    int64_t second;         /* the smallest local time of the others; INT64_MAX: no others */
    int64_t latest;         /* the largest local time of all */
} Survey;

/* One that wakes starts at @now, never in its own past. */
static Survey survey(int64_t now)
{
    Survey found = {.second = INT64_MAX};
    int64_t least = INT64_MAX;
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        int i = cpu->cpu_index;
        bool runnable = !cpu->halted || cpu_has_work(cpu);

        if (runnable && !self.runnable[i]) {
            self.local[i] = MAX(self.local[i], now);
        }
        self.runnable[i] = runnable;
        found.latest = MAX(found.latest, self.local[i]);
        if (runnable && self.local[i] < least) {
            found.second = least;
            least = self.local[i];
            found.behind = cpu;
        } else if (runnable && self.local[i] < found.second) {
            found.second = self.local[i];
        }
    }
    return found;
}

static void publish(int64_t now)
{
    if (now > self.published) {
        qatomic_set_i64(&self.published, now);
    }
}

/* When the next timer fires, in ticks; INT64_MAX if none is armed. */
static int64_t next_deadline(void)
{
    int64_t delta_ns = timerlist_deadline_ns(main_loop_tlg.tl[QEMU_CLOCK_VIRTUAL]);

    if (delta_ns < 0 || delta_ns > INT64_MAX / self.mips - quirkbench_clock_published_ns()) {
        return INT64_MAX;
    }
    /* Counted from whole nanoseconds, as timers see the clock. */
    return (quirkbench_clock_published_ns() + delta_ns) * self.mips;
}

/* How far @cpu may go, apart from the slice it is in. */
static int64_t limit_of(const Survey *found, CPUState *cpu, int64_t deadline)
{
    int64_t others = cpu == found->behind ? found->second : self.local[found->behind->cpu_index];
    int64_t limit = MIN(deadline, self.local[cpu->cpu_index] + SLICE_MOST_NS * self.mips);

    return others == INT64_MAX ? limit : MIN(limit, others + self.quantum_ns * self.mips);
}

static CPUState *choose(const Survey *found, int64_t deadline)
{
    if (self.slice_cpu >= 0 && !slice_owner) {
        slice_owner = qemu_get_cpu(self.slice_cpu); /* just restored */
    }
    /* A slice that something cut short goes on before another vCPU is chosen.  Its end can only
     * come nearer: where it was cut must not show. */
    if (self.slice_cpu >= 0 && self.runnable[self.slice_cpu]) {
        self.slice_end = MIN(self.slice_end, limit_of(found, slice_owner, deadline));
        if (self.local[self.slice_cpu] < self.slice_end) {
            return slice_owner;
        }
    }
    slice_owner = found->behind;
    self.slice_cpu = slice_owner->cpu_index;
    self.slice_end = limit_of(found, slice_owner, deadline);
    return slice_owner;
}

static void execute(CPUState *cpu)
{
    int reason;

    set_budget(cpu, self.slice_end - self.local[cpu->cpu_index]);
    current_cpu = cpu;
    bql_unlock();
    reason = tcg_cpu_exec(cpu);
    quirkbench_clock_account(cpu);
    set_budget(cpu, 0);
    if (reason == EXCP_ATOMIC) {
        cpu_exec_step_atomic(cpu);
    }
    bql_lock();
    if (reason == EXCP_DEBUG) {
        cpu_handle_guest_debug(cpu);
    }
}

static void do_queued_work(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->stop || !cpu_work_list_empty(cpu)) {
            qemu_wait_io_event_common(cpu);
        }
    }
}

/* Nothing to execute: skip to the next timer, or sleep until another thread has something. */
static void idle(int64_t deadline)
{
    if (deadline != INT64_MAX) {
        publish(deadline);
        return;
    }
    if (!self.idle_told && self.idle) {
        self.idle_told = true;
        self.idle(self.idle_opaque);
    }
    if (!has_queued_work()) {
        qemu_cond_wait_bql(first_cpu->halt_cond);
    }
}

/* Returns whether the lock was free in between. */
static bool turn(void)
{
    int64_t now = self.published, deadline;
    Survey found;

    do_queued_work();
    if (!may_run()) {
        if (!has_queued_work()) {
            qemu_cond_wait_bql(first_cpu->halt_cond);
        }
        return false;
    }

    /* Whom the last slice woke starts when it was woken, which is the end of that slice. */
    if (self.slice_cpu >= 0) {
        now = MAX(now, self.local[self.slice_cpu]);
    }
    found = survey(now);
    publish(found.behind ? self.local[found.behind->cpu_index] : found.latest);
    deadline = next_deadline();
    if (deadline <= self.published) {
        qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
        found = survey(self.published);
        deadline = next_deadline();
    }

    if (!found.behind) {
        self.slice_cpu = -1;
        idle(deadline);
        return false;
    }
    self.idle_told = false;

    CPUState *cpu = choose(&found, deadline);

    if (self.slice_end <= self.local[cpu->cpu_index]) {
        return false; /* a timer that became due while timers ran comes first */
    }
    qatomic_set_mb(&running, cpu);
    execute(cpu);
    qatomic_set(&running, NULL);
    return true;
}

static void force_rcu(Notifier *notify, void *data)
{
    quirkbench_clock_kick(NULL);
}

void quirkbench_clock_run(void)
{
    static Notifier rcu = {.notify = force_rcu};
    CPUState *cpu;

    rcu_add_force_rcu_notifier(&rcu);
    CPU_FOREACH(cpu) {
        if (cpu->cpu_index >= VCPUS_MAX) {
            error_report("-icount parallel=on: at most %d vCPUs", VCPUS_MAX);
            exit(1);
        }
        cpu->exit_request = 0;
    }
    /* Timer code asks "is this the vCPU thread" by looking at this. */
    current_cpu = first_cpu;
    for (;;) {
        if (!turn()) {
            /* Other threads get their chance. */
            bql_unlock();
            bql_lock();
        }
    }
}

/* --- Options and snapshots --- */

static int before_save(void *opaque)
{
    self.loaded_mips = self.mips;
    self.loaded_quantum_ns = self.quantum_ns;
    return 0;
}

/* A snapshot may be continued at another speed: its nanoseconds stay, its ticks change. */
static int after_load(void *opaque, int version_id)
{
    if (self.loaded_mips <= 0) {
        error_report("quirkbench-clock: the snapshot is damaged: mips is %" PRId64,
                     self.loaded_mips);
        return -EINVAL;
    }
    if (self.loaded_mips != self.mips) {
        self.published = self.published / self.loaded_mips * self.mips;
        for (int i = 0; i < VCPUS_MAX; i++) {
            self.local[i] = self.local[i] / self.loaded_mips * self.mips;
            self.busy[i] = self.busy[i] / self.loaded_mips * self.mips;
        }
    }
    if (self.loaded_mips != self.mips || self.loaded_quantum_ns != self.quantum_ns) {
        self.slice_cpu = -1;
    }
    slice_owner = NULL;
    return 0;
}

static const VMStateDescription vmstate_clock = {
    .name = "quirkbench-clock",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = before_save,
    .post_load = after_load,
    .fields = (const VMStateField[]) {
        VMSTATE_INT64(loaded_mips, Clock),
        VMSTATE_INT64(loaded_quantum_ns, Clock),
        VMSTATE_INT64(published, Clock),
        VMSTATE_INT64_ARRAY(local, Clock, VCPUS_MAX),
        VMSTATE_INT64_ARRAY(busy, Clock, VCPUS_MAX),
        VMSTATE_UINT64_ARRAY(instructions, Clock, VCPUS_MAX),
        VMSTATE_BOOL_ARRAY(runnable, Clock, VCPUS_MAX),
        VMSTATE_INT32(slice_cpu, Clock),
        VMSTATE_INT64(slice_end, Clock),
        VMSTATE_END_OF_LIST()
    }
};

bool quirkbench_clock_configure(QemuOpts *opts, Error **errp)
{
    uint64_t mips = qemu_opt_get_number(opts, "mips", MIPS_DEFAULT);
    uint64_t quantum_ns = qemu_opt_get_number(opts, "quantum", QUANTUM_DEFAULT_NS);

    if (!qemu_opt_get_bool(opts, "parallel", false)) {
        if (qemu_opt_get(opts, "mips") || qemu_opt_get(opts, "quantum")) {
            error_setg(errp, "icount: mips and quantum need parallel=on");
            return false;
        }
        return true;
    }
    if (g_strcmp0(qemu_opt_get(opts, "shift"), "0") || qemu_opt_get_bool(opts, "sleep", true) ||
        qemu_opt_get(opts, "rr")) {
        error_setg(errp, "icount: parallel=on needs shift=0,sleep=off, and no record/replay");
        return false;
    }
    if (mips < 1 || mips > MIPS_MOST) {
        error_setg(errp, "icount: mips must be from 1 to %d", MIPS_MOST);
        return false;
    }
    if (quantum_ns < 1 || quantum_ns > NANOSECONDS_PER_SECOND) {
        error_setg(errp, "icount: quantum (in ns) must be from 1 to 1000000000");
        return false;
    }
    self.mips = mips;
    self.quantum_ns = quantum_ns;
    self.slice_cpu = -1;
    self.active = true;
    vmstate_register(NULL, 0, &vmstate_clock, &self);
    return true;
}
