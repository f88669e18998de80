/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated cpus: who runs when, what interrupts take away, what locks cost, what is accounted. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include "host/host-cpu.h"
#include "host/host-memory.h"

#define US SIM_US

static const HostCosts costs = {.context_switch_ps = 1 * US,
                                .ipi_ps = 2 * US,
                                .ipi_send_ps = 1 * US,
                                .lock_handover_ps = 1 * US,
                                .sibling_percent = 50};

/* A thread that does @left pieces of 10 us and notes when each ended. */
typedef struct Worker {
    HostThread thread;
    unsigned left, done;
    SimTime ends[8];
} Worker;

static SimTime begin(HostThread *thread, SimTime start)
{
    return 10 * US;
}

static HostNext end(HostThread *thread)
{
    Worker *worker = (Worker *)thread;

    worker->ends[worker->done++] = sim_queue_now(host_cpus_queue(thread->cpus));
    return worker->done < worker->left ? HOST_GOES_ON : HOST_BLOCKS;
}

static void worker_init(Worker *worker, HostCpus *cpus, unsigned cpu, unsigned pieces)
{
    *worker = (Worker){.left = pieces};
    host_thread_init(&worker->thread, cpus, cpu, true);
    worker->thread.begin = begin;
    worker->thread.end = end;
}

Test(host_cpu, two_threads_take_turns)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(HostCpus) cpus = host_cpus_new(queue, 1, 1, &costs);
    Worker a, b;

    worker_init(&a, cpus, 0, 1);
    worker_init(&b, cpus, 0, 1);
    host_thread_wake(&a.thread, 0);
    host_thread_wake(&b.thread, 0);
    sim_queue_run(queue, SIM_TIME_NEVER);
    cr_expect(eq(u64, a.ends[0], 11 * US), "a switch and its work");
    cr_expect(eq(u64, b.ends[0], 22 * US));
    cr_expect(eq(u64, host_cpu_busy_ps(cpus, 0), 22 * US));
}

Test(host_cpu, a_handler_pushes_the_work_out)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(HostCpus) cpus = host_cpus_new(queue, 1, 1, &costs);
    Worker a;

    worker_init(&a, cpus, 0, 1);
    host_thread_wake(&a.thread, 0);
    sim_queue_run(queue, 5 * US);
    cr_expect(eq(u64, host_cpu_interrupt(cpus, 0, 3 * US), 8 * US));
    cr_expect(eq(u64, host_cpu_interrupt(cpus, 0, 3 * US), 11 * US), "one after the other");
    cr_expect(eq(u64, host_cpu_busy_ps(cpus, 0), 5 * US), "what is to come does not count");
    sim_queue_run(queue, SIM_TIME_NEVER);
    cr_expect(eq(u64, a.ends[0], 17 * US));
    cr_expect(eq(u64, host_cpu_busy_ps(cpus, 0), 17 * US));
}

Test(host_cpu, siblings_slow_each_other)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(HostCpus) cpus = host_cpus_new(queue, 4, 2, &costs);
    Worker a, b, c;

    worker_init(&a, cpus, 0, 1);
    worker_init(&b, cpus, 1, 1);
    worker_init(&c, cpus, 2, 1);
    host_thread_wake(&a.thread, 0);
    host_thread_wake(&b.thread, 1);
    host_thread_wake(&c.thread, 2);
    sim_queue_run(queue, SIM_TIME_NEVER);
    cr_expect(eq(u64, a.ends[0], 11 * US), "alone when it began");
    cr_expect(eq(u64, b.ends[0], 11 * US), "cpu 1 is another core");
    cr_expect(eq(u64, c.ends[0], 16500 * SIM_NS), "cpu 2 is cpu 0's sibling");
}

Test(host_cpu, waking_a_busy_cpu_takes_an_ipi)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(HostCpus) cpus = host_cpus_new(queue, 2, 1, &costs);
    Worker a, b;

    worker_init(&a, cpus, 0, 1);
    worker_init(&b, cpus, 0, 1);
    host_thread_wake(&a.thread, 1);
    cr_expect(eq(u64, host_cpu_busy_ps(cpus, 1), 0), "an idle cpu sees it without one");
    host_thread_wake(&b.thread, 1);
    sim_queue_run(queue, SIM_TIME_NEVER);
    cr_expect(eq(u64, host_cpu_busy_ps(cpus, 1), 1 * US));
    cr_expect(eq(u64, a.ends[0], 13 * US));
    cr_expect(eq(u64, b.ends[0], 24 * US));
}

Test(host_cpu, a_held_lock_spins)
{
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(HostCpus) cpus = host_cpus_new(queue, 2, 1, &costs);
    HostLock lock = {0};

    cr_expect(eq(u64, host_lock_take(cpus, &lock, 0, 10 * US, 4 * US), 0));
    cr_expect(eq(u64, host_lock_take(cpus, &lock, 0, 12 * US, 4 * US), 2 * US));
    cr_expect(eq(u64, host_lock_take(cpus, &lock, 1, 15 * US, 4 * US), 4 * US),
              "3 us held and 1 us for its cache line");
}

Test(host_memory, pages_payload_and_nothing)
{
    g_autoptr(HostMemory) memory = host_memory_new();
    void *here = NULL;
    uint64_t a = host_memory_allocate(memory, 5000, &here), b = host_memory_payload(memory, 4096);
    uint32_t value = 7, back = 0;

    cr_expect(eq(u64, a % HOST_PAGE_BYTES, 0));
    cr_assert(host_memory_write(memory, a + 4998, &value, 4));
    cr_assert(host_memory_read(memory, a + 4998, &back, 4));
    cr_expect(eq(u32, back, 7));
    cr_expect(eq(int, ((uint8_t *)here)[4998], 7));
    cr_expect(eq(u64, host_memory_bytes(memory), 8192));
    cr_expect(host_memory_is_payload(memory, b, 4096));
    cr_expect(not(host_memory_is_payload(memory, a, 4)));
    cr_assert(host_memory_write(memory, b, &value, 4), "taken");
    cr_assert(host_memory_read(memory, b, &back, 4));
    cr_expect(eq(u32, back, 0), "and not kept");
    cr_expect(not(host_memory_read(memory, 0, &back, 4)));
    cr_expect(not(host_memory_write(memory, UINT64_MAX - 1, &back, 4)));
    cr_expect(not(host_memory_read(memory, UINT64_C(3) << 30, &back, 4)));
}

/* An allocation larger than a chunk lies in one piece; a write across two of them is whole. */
Test(host_memory, across_chunks)
{
    g_autoptr(HostMemory) memory = host_memory_new();
    uint8_t *here = NULL, data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t a = host_memory_allocate(memory, 3 << 20, (void **)&here);

    cr_assert(host_memory_write(memory, a + (1 << 20) - 4, data, 8));
    cr_expect(eq(int, here[(1 << 20) - 4], 1));
    cr_expect(eq(int, here[(1 << 20) + 3], 8));
}
