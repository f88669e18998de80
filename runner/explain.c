/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run will do, in words. */
#include "explain.h"

#include <stdio.h>

#include "machine.h"
#include "snapshot.h"

/* Measured with Linux 6.1 and eight busy cpus (docs/qemu-devices.md): instructions of one I/O with
 * its share of the kernel, and how many this simulator does a second. */
#define INSTRUCTIONS_PER_IO 16000.0
#define INSTRUCTIONS_PER_SECOND 1e8
#define FIXED_SECONDS 1.6
#define STEP_SECONDS 0.5
#define BOOT_SECONDS 40.0

/* Of native mode (benchmarks/native-speed.c), with what a run costs around it. */
#define NATIVE_IOS_PER_SECOND 7e5
#define NATIVE_SECONDS 0.1

double explain_estimate(const Scenario *scenario)
{
    double ios = 0, busy_ms = 0;

    for (guint i = 0; i < scenario->loads->len; i++) {
        const ScenarioLoad *load = g_ptr_array_index(scenario->loads, i);
        ios += (double)load->ios + (double)load->warmup;
        busy_ms += (double)load->time_ms;
    }
    if (scenario->simulated) { /* no drive does more than 700 a millisecond */
        return NATIVE_SECONDS + (ios + busy_ms * 700) / NATIVE_IOS_PER_SECOND;
    }
    /* A load by time keeps every cpu busy at worst. */
    return FIXED_SECONDS + STEP_SECONDS * scenario->steps->len +
           ios * INSTRUCTIONS_PER_IO / INSTRUCTIONS_PER_SECOND +
           busy_ms / 1000 * (double)scenario->mips * 1e6 * (double)scenario->cpus /
               INSTRUCTIONS_PER_SECOND;
}

static void print_snapshot(const Scenario *scenario, const Inputs *inputs)
{
    g_autofree char *key = machine_snapshot_key(scenario, inputs, NULL);

    if (key && snapshot_exists(inputs->cache, key)) {
        printf("  snapshot    %.20s, there\n", key);
    } else {
        printf("  snapshot    not there yet: the guest boots once, about %.0f s\n",
               BOOT_SECONDS + (double)scenario->cpus);
    }
}

void explain_print(const Scenario *scenario, const Inputs *inputs, const Prepared *prepared,
                   const char *why)
{
    g_autofree char *memory = sim_value_format(scenario->memory_bytes, SIM_UNIT_BYTES);

    printf("%s%s%s\n  %s\n  why: %s\n", scenario->name, *scenario->point ? ": " : "",
           scenario->point, scenario->title, scenario->why);
    printf("  machine     %s: %" G_GUINT64_FORMAT " cpus of %" G_GUINT64_FORMAT
           " MIPS, %s, quantum %" G_GUINT64_FORMAT
           " instructions, clock %s, seed %" G_GUINT64_FORMAT "\n",
           scenario->machine->name, scenario->cpus, scenario->mips, memory, scenario->quantum,
           scenario->clock, scenario->seed);
    for (guint i = 0; i < scenario->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(scenario->devices, i);
        printf("  device      %s: %s, a %s, in %s, %s %s%s%s\n", device->name,
               device->type->name(device->profile), device->type->what, device->slot,
               device->type == DEVICE_IXGBE ? "MAC" : "serial", device->serial,
               device->wire   ? ", on wire "
               : device->fill ? ", fill "
                              : "",
               device->wire   ? device->wire
               : device->fill ? device->fill
                              : "");
        for (guint j = 0; j < device->changes->len; j++) {
            printf("              with %s\n", (char *)g_ptr_array_index(device->changes, j));
        }
        for (guint j = 0; j < device->faults->len; j++) {
            printf("              fault %s\n", (char *)g_ptr_array_index(device->faults, j));
        }
    }
    if (scenario->simulated) {
        printf("  driver      %s, simulated: no guest\n", scenario->driver);
    } else if (inputs) {
        printf("  driver      %s, kernel %s\n", scenario->driver, inputs->kernel_release);
        print_snapshot(scenario, inputs);
    } else {
        printf("  cannot run  %s\n", why);
    }
    printf("  estimate    %.0f s wall-clock time\n", explain_estimate(scenario));
    if (prepared) {
        g_auto(GStrv) lines = g_strsplit(prepared->plan, "\n", -1);
        printf("  plan\n");
        for (char **line = lines; *line && **line; line++) {
            printf("    %s\n", *line);
        }
    }
}
