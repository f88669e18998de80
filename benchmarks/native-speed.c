/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many I/Os native mode simulates a second of one core, and what memory it takes.
 * native-speed [PROFILE [DRIVER [READERS [DEPTH [IOS]]]]]; telemetry as in a run, to a scratch
 * file. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "native-run.h"

static const char *argument(int argc, char **argv, int i, const char *fallback)
{
    return i < argc ? argv[i] : fallback;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    const char *drive = argument(argc, argv, 1, "intel-750");
    g_autofree char *machine_path =
        g_build_filename(PROFILES, "host/profiles/xeon-2620v4-x2.ini", NULL);
    g_autofree char *file = g_strconcat(drive, ".ini", NULL);
    g_autofree char *path = g_build_filename(PROFILES, "nvme/profiles", file, NULL);
    g_autofree char *folder = g_dir_make_tmp("native-speed-XXXXXX", NULL);
    g_autofree char *telemetry = g_build_filename(folder, "telemetry.jsonl", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(HostMachine) machine = host_machine_load(machine_path, &error);
    g_autoptr(NvmeProfile) profile = machine ? nvme_profile_load(path, &error) : NULL;
    const NativeDriver *driver = native_driver_find(argument(argc, argv, 2, "dragonfly-2016-07"));
    unsigned devices[] = {0};
    struct rusage usage;
    NativeRunResult result;

    if (!profile || !driver) {
        fprintf(stderr, "native-speed: %s\n", error ? error->message : "no such driver");
        return 2;
    }
    NativeLoadSpec load = {.devices = devices,
                           .devices_n = 1,
                           .random = true,
                           .pinned = true,
                           .window = true,
                           .readers = strtoull(argument(argc, argv, 3, "31"), NULL, 10),
                           .depth = strtoull(argument(argc, argv, 4, "64"), NULL, 10),
                           .block_bytes = 4096,
                           .span_bytes = UINT64_C(16) << 30,
                           .ios = strtoull(argument(argc, argv, 5, "1000000"), NULL, 10),
                           .warmup = 1000,
                           .seed = 1};
    NativeRunDevice device = {.name = "nvme0",
                              .slot = "slot2",
                              .profile = profile,
                              .options = {.serial = "A", .fill_random = true}};
    NativeRunConfig config = {.driver = driver,
                              .machine = machine,
                              .cpus = 32,
                              .seed = 1,
                              .limit_ps = 86400 * SIM_S,
                              .sample_ps = SIM_MS,
                              .telemetry_path = telemetry,
                              .devices = &device,
                              .devices_n = 1,
                              .loads = &load,
                              .loads_n = 1};
    native_parameters_read(&config.parameters, driver, NULL, NULL);
    double begin = cpu_seconds();
    if (!native_run(&config, &result, &error)) {
        fprintf(stderr, "native-speed: %s\n", error->message);
        return 3;
    }
    double seconds = cpu_seconds() - begin;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s, %s, %" G_GUINT64_FORMAT " readers, depth %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT
           " I/Os in %.2f s of one core, %.2f M a second; %ld MiB\n",
           drive, driver->name, load.readers, load.depth, result.ios, seconds,
           (double)result.ios / seconds / 1e6, usage.ru_maxrss / 1024);
    g_unlink(telemetry);
    g_rmdir(folder);
    return 0;
}
