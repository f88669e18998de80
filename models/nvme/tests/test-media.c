/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times: each parameter by itself, on a drive that has no other. */
#include "bench.h"

/* Time of one command from its doorbell's arrival to its CQE. */
static SimTime time_of(Bench *bench, NvmeSqe sqe)
{
    NvmeWide before = bench->model->time_sum;

    cr_assert(eq(uint, bench_code(bench_command(bench, 1, 1, sqe)), 0));
    return (SimTime)(bench->model->time_sum - before);
}

/* What @key = @value adds to a command on the ideal drive. */
static SimTime added(const char *change, const char *second, NvmeSqe sqe, bool mapped)
{
    const NvmeModelOptions options = {.fill_random = mapped};
    g_autoptr(Bench) with = bench_new_with("ideal", &options, change, second, NULL);
    g_autoptr(Bench) without = bench_new_with("ideal", &options, NULL);

    bench_start(with, 64);
    bench_start(without, 64);
    return time_of(with, sqe) - time_of(without, sqe);
}

Test(nvme_media, each_parameter_adds_its_time)
{
    static const struct {
        const char *change, *second;
        unsigned opcode;
        bool mapped;
        SimTime expected;
    } rows[] = {
        {"doorbell-to-fetch=700ns", NULL, NVME_IO_READ, false, 700 * SIM_NS},
        {"decode=1us", NULL, NVME_IO_READ, false, SIM_US},
        {"media.read=68us", NULL, NVME_IO_READ, true, 68 * SIM_US},
        {"media.read=68us", NULL, NVME_IO_READ, false, 0},
        {"media.read=68us", "media.units=16", NVME_IO_READ, true, 68 * SIM_US},
        {"media.units=16", "media.unit-bandwidth=4.096GB/s", NVME_IO_READ, true, SIM_US},
        {"media.unmapped-read=9us", NULL, NVME_IO_READ, false, 9 * SIM_US},
        {"media.unmapped-read=9us", NULL, NVME_IO_READ, true, 0},
        {"media.command-interval=5us", NULL, NVME_IO_READ, true, 0},
        {"quirk.bandwidth-by-size=4KiB:409.6MB/s", NULL, NVME_IO_READ, true, 10 * SIM_US},
        {"quirk.bandwidth-by-size=8KiB:409.6MB/s", NULL, NVME_IO_READ, true, 0},
        {"media.write-accept=8us", NULL, NVME_IO_WRITE, true, 8 * SIM_US},
        {"media.write-bandwidth=409.6MB/s", NULL, NVME_IO_WRITE, true, 10 * SIM_US},
        {"media.write-bandwidth=409.6MB/s", "media.write-buffer=1MiB", NVME_IO_WRITE, true, 0},
        {"media.write-interval=12us", NULL, NVME_IO_WRITE, true, 12 * SIM_US},
        {"media.flush=500us", NULL, NVME_IO_FLUSH, true, 500 * SIM_US},
        {"media.write-zeroes=20us", NULL, NVME_IO_WRITE_ZEROES, true, 20 * SIM_US},
        {"media.write-uncorrectable=50us", NULL, NVME_IO_WRITE_UNCORRECTABLE, true, 50 * SIM_US},
        {"media.dsm=50us", "media.dsm-range=1us", NVME_IO_DSM, true, 58 * SIM_US},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        NvmeSqe sqe = bench_io(rows[i].opcode, 8, 8, BENCH_DATA, 0);
        if (rows[i].opcode == NVME_IO_DSM) {
            sqe.cdw10 = 7;
        }
        cr_expect(
            eq(u64, added(rows[i].change, rows[i].second, sqe, rows[i].mapped), rows[i].expected),
            "%s", rows[i].change);
    }
}

/* Submits @n reads at once, each of @blocks at @stride blocks' distance; the time of all. */
static SimTime time_of_many(Bench *bench, unsigned n, unsigned blocks, unsigned stride)
{
    SimTime start, last = 0;
    NvmeCqe cqe;

    for (unsigned i = 0; i < 31; i++) {
        *(uint64_t *)bench_memory(bench, BENCH_LIST + i * 8, 8) = BENCH_DATA + 4096 * (i + 1);
    }
    bench_start(bench, 256);
    for (unsigned i = 0; i < n; i++) {
        bench_put(bench, 1,
                  bench_io(NVME_IO_READ, (uint64_t)i * stride, blocks, BENCH_DATA, BENCH_LIST));
    }
    start = sim_queue_now(bench->queue);
    bench_ring(bench, 1);
    for (unsigned done = 0; done < n;) {
        sim_queue_run(bench->queue, sim_queue_deadline(bench->queue));
        while (bench_peek(bench, 1, &cqe)) {
            done++;
            last = sim_queue_now(bench->queue);
        }
    }
    bench_check(bench);
    return last - start;
}

#define RANDOM (&(NvmeModelOptions){.fill_random = true})

static bool near(SimTime time, SimTime expected)
{
    return time >= expected && time < expected + expected / 50 + 5 * SIM_US;
}

Test(nvme_media, command_ceiling)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", RANDOM, "media.command-interval=5us", NULL);

    cr_expect(near(time_of_many(bench, 200, 8, 8), 199 * 5 * SIM_US));
}

Test(nvme_media, unmapped_ceiling)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", NULL, "media.unmapped-interval=5us",
                                            "media.command-interval=1ms", NULL);

    cr_expect(near(time_of_many(bench, 200, 8, 8), 199 * 5 * SIM_US));
}

Test(nvme_media, data_path_ceiling)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", RANDOM, "media.bandwidth=1GB/s",
                                            "media.read=80us", "media.units=64", NULL);
    SimTime time = time_of_many(bench, 200, 64, 64);

    /* 200 × 32 KiB at 1 GB/s, after the first page has come from the flash */
    cr_expect(near(time, 200 * UINT64_C(32768) * 1000 + 80 * SIM_US), "%" G_GUINT64_FORMAT " ps",
              time);
}

Test(nvme_media, size_quirk_is_a_ceiling_of_the_drive)
{
    g_autoptr(Bench) bench = bench_new_with(
        "ideal", RANDOM, "quirk.bandwidth-by-size=32KiB:2.13GB/s; 64KiB:300MB/s", NULL);
    SimTime time = time_of_many(bench, 64, 128, 128);

    cr_expect(near(time, 64 * UINT64_C(65536) * 10000 / 3), "%" G_GUINT64_FORMAT " ps", time);
}

Test(nvme_media, one_unit_serves_one_after_the_other)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", RANDOM, "media.read=50us", "media.units=1", NULL);

    cr_expect(near(time_of_many(bench, 20, 8, 8), 20 * 50 * SIM_US));
}

Test(nvme_media, page_register_serves_the_stripe_read_last)
{
    g_autoptr(Bench) keeps = bench_new_with("ideal", RANDOM, "media.read=50us", "media.units=1",
                                            "media.page-register=yes", NULL);
    g_autoptr(Bench) forgets =
        bench_new_with("ideal", RANDOM, "media.read=50us", "media.units=1", NULL);
    SimTime first;

    bench_start(keeps, 64);
    bench_start(forgets, 64);
    first = time_of(keeps, bench_io(NVME_IO_READ, 8, 1, BENCH_DATA, 0));
    cr_expect(
        eq(u64, first - time_of(keeps, bench_io(NVME_IO_READ, 9, 1, BENCH_DATA, 0)), 50 * SIM_US));
    cr_expect(eq(u64, time_of(keeps, bench_io(NVME_IO_READ, 16, 1, BENCH_DATA, 0)), first));
    cr_expect(eq(u64, time_of(keeps, bench_io(NVME_IO_READ, 8, 1, BENCH_DATA, 0)), first));
    first = time_of(forgets, bench_io(NVME_IO_READ, 8, 1, BENCH_DATA, 0));
    cr_expect(eq(u64, time_of(forgets, bench_io(NVME_IO_READ, 9, 1, BENCH_DATA, 0)), first));
}

Test(nvme_media, stripes_of_a_command_go_in_parallel)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", RANDOM, "media.read=50us", "media.units=4096", NULL);
    SimTime time = time_of_many(bench, 1, 256, 256);

    cr_expect(near(time, 50 * SIM_US + 131072 * UINT64_C(294)), "%" G_GUINT64_FORMAT " ps", time);
}

Test(nvme_media, crossing_a_stripe_costs)
{
    g_autoptr(Bench) bench = bench_new_with("ideal", RANDOM, "quirk.stripe-size=128KiB",
                                            "quirk.stripe-crossing-penalty=100us", NULL);
    SimTime inside, across;

    bench_start(bench, 16);
    inside = time_of(bench, bench_io(NVME_IO_READ, 248, 8, BENCH_DATA, 0));
    across = time_of(bench, bench_io(NVME_IO_READ, 252, 8, BENCH_DATA, 0));
    cr_expect(eq(u64, across - inside, 100 * SIM_US));
}

Test(nvme_media, full_write_buffer_makes_writes_wait)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", NULL, "media.write-buffer=16KiB", "media.write-bandwidth=40.96MB/s",
                       "identify.vwc=1", NULL);
    NvmeSqe write = bench_io(NVME_IO_WRITE, 0, 8, BENCH_DATA, 0), fua = write;
    SimTime quick;

    bench_start(bench, 16);
    quick = time_of(bench, write);
    cr_expect(lt(u64, quick, 10 * SIM_US));
    for (unsigned i = 0; i < 3; i++) {
        cr_expect(lt(u64, time_of(bench, write), 10 * SIM_US));
    }
    cr_expect(gt(u64, time_of(bench, write), 80 * SIM_US), "100 us a page leave the buffer");
    cr_expect(gt(u64, time_of(bench, bench_io(NVME_IO_FLUSH, 0, 1, 0, 0)), 300 * SIM_US));
    fua.cdw12 |= 1u << 30;
    cr_expect(gt(u64, time_of(bench, fua), 99 * SIM_US));
    cr_expect(lt(u64, time_of(bench, write), 10 * SIM_US));
}

Test(nvme_media, controller_holds_a_limited_number)
{
    g_autoptr(Bench) bench =
        bench_new_with("ideal", RANDOM, "commands=4", "media.read=100us", NULL);
    SimTime time = time_of_many(bench, 40, 8, 8);

    cr_expect(near(time, 10 * 100 * SIM_US) || time < 1100 * SIM_US, "%" G_GUINT64_FORMAT " ps",
              time);
}

Test(nvme_media, same_seed_same_times)
{
    g_autoptr(Bench) a = bench_new_with("samsung-sm951", RANDOM, NULL);
    g_autoptr(Bench) b = bench_new_with("samsung-sm951", RANDOM, NULL);

    cr_expect(eq(u64, time_of_many(a, 200, 32, 999), time_of_many(b, 200, 32, 999)));
}

Test(nvme_media, histogram_and_counters)
{
    g_autoptr(Bench) bench = bench_new("samsung-sm951");
    const uint64_t *counts = bench->model->counts;

    bench_start(bench, 16);
    for (unsigned i = 0; i < 3; i++) {
        time_of(bench, bench_io(NVME_IO_READ, 0, 8, BENCH_DATA, 0));
    }
    time_of(bench, bench_io(NVME_IO_WRITE, 0, 16, BENCH_DATA, BENCH_DATA));
    time_of(bench, bench_io(NVME_IO_FLUSH, 0, 1, 0, 0));
    nvme_model_record(bench->model, "end");
    nvme_model_sample(bench->model);
    cr_expect(eq(u64, counts[NVME_DEVICE_io_completed], 5));
    cr_expect(eq(u64, counts[NVME_DEVICE_read_commands], 3));
    cr_expect(eq(u64, counts[NVME_DEVICE_read_bytes], 3 * 4096));
    cr_expect(eq(u64, counts[NVME_DEVICE_write_bytes], 8192));
    cr_expect(eq(u64, counts[NVME_DEVICE_admin_commands], 2));
    cr_expect(eq(u64, counts[NVME_DEVICE_interrupts], 7));
    cr_expect(eq(u64, counts[NVME_DEVICE_commands_outstanding], 0));
    cr_expect(eq(u64, counts[NVME_DEVICE_outstanding_integral_ps],
                 counts[NVME_DEVICE_time_in_controller_ps]));
    cr_expect(eq(u64, sim_histogram_count(bench->model->latency[NVME_LATENCY_READ]), 3));
    cr_expect(eq(u64, sim_histogram_count(bench->model->latency[NVME_LATENCY_OTHER]), 1));
}
