/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue map as the driver made it, out of sysfs and /proc/irq: docs/channel.md. */
#include "devices.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS_MAX 4096

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* The folder's entries that are numbers, in their order; returns how many. */
static int numbers_in(const char *folder, int *numbers)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);
    int n = 0;

    while (dir && n < NUMBERS_MAX && (entry = readdir(dir))) {
        uint64_t value;

        if (number_parse(entry->d_name, &value) && value <= INT_MAX) {
            numbers[n++] = (int)value;
        }
    }
    if (dir) {
        closedir(dir);
    }
    qsort(numbers, (size_t)n, sizeof(*numbers), compare_numbers);
    return n;
}

/* A line of a file as one word; "-" when it cannot be read or is empty. */
static const char *word_of(const char *path, char *line, size_t size)
{
    size_t out = 0;

    if (!line_read(path, line, size)) {
        return "-";
    }
    for (const char *in = line; *in; in++) {
        if (*in != ' ') {
            line[out++] = *in;
        }
    }
    line[out] = '\0';
    return out ? line : "-";
}

static void add_queues(Text *out, const char *sysfs, const Device *device, int *numbers)
{
    char path[PATH_MAX], line[1024];
    const char *disk = strrchr(device->disk, '/') + 1;
    int n;

    string_set(path, sizeof(path), "%s/block/%s/mq", sysfs, disk);
    n = numbers_in(path, numbers);
    for (int i = 0; i < n; i++) {
        string_set(path, sizeof(path), "%s/block/%s/mq/%d/cpu_list", sysfs, disk, numbers[i]);
        text_printf(out, "%s hctx %d cpus %s\n", device->serial, numbers[i],
                    word_of(path, line, sizeof(line)));
    }
}

/* The name that the driver gave an interrupt, a folder of its number; "-" when it did not. */
static void add_irq_name(Text *out, const char *proc, int irq)
{
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *dir;

    string_set(path, sizeof(path), "%s/irq/%d", proc, irq);
    dir = opendir(path);
    do {
        entry = dir ? readdir(dir) : NULL;
    } while (entry && (entry->d_name[0] == '.' || entry->d_type != DT_DIR));
    text_printf(out, " name %s", entry ? entry->d_name : "-");
    if (dir) {
        closedir(dir);
    }
}

/* Queues that the interface uses, and the cpus that send by them: a mask, as in sysfs. */
static void add_net_queues(Text *out, const char *sysfs, const Device *device)
{
    char path[PATH_MAX], line[1024];

    text_printf(out, "%s interface %s\n", device->serial, device->interface);
    for (int i = 0; i < NUMBERS_MAX; i++) {
        string_set(path, sizeof(path), "%s/class/net/%s/queues/tx-%d", sysfs, device->interface, i);
        if (access(path, F_OK) != 0) {
            return;
        }
        string_set(path, sizeof(path), "%s/class/net/%s/queues/tx-%d/xps_cpus", sysfs,
                   device->interface, i);
        text_printf(out, "%s tx %d mask %s\n", device->serial, i,
                    word_of(path, line, sizeof(line)));
    }
}

static void add_vectors(Text *out, const Devices *devices, const Device *device, int *numbers)
{
    char path[PATH_MAX], effective[1024], affinity[1024];
    int n;

    string_set(path, sizeof(path), "%s/bus/pci/devices/%s/msi_irqs", devices->sysfs, device->bdf);
    n = numbers_in(path, numbers);
    for (int i = 0; i < n; i++) {
        string_set(path, sizeof(path), "%s/irq/%d/effective_affinity_list", devices->proc,
                   numbers[i]);
        text_printf(out, "%s irq %d vector %d effective %s", device->serial, numbers[i], i,
                    word_of(path, effective, sizeof(effective)));
        string_set(path, sizeof(path), "%s/irq/%d/smp_affinity_list", devices->proc, numbers[i]);
        text_printf(out, " affinity %s", word_of(path, affinity, sizeof(affinity)));
        if (*device->interface) {
            add_irq_name(out, devices->proc, numbers[i]);
        }
        text_printf(out, "\n");
    }
}

void queue_map_add(Text *out, const Devices *devices)
{
    static int numbers[NUMBERS_MAX];

    for (int i = 0; i < devices->n; i++) {
        const Device *device = &devices->list[i];
        const char *colon = strchr(device->bdf, ':'); /* without the domain */

        text_printf(out, "%s bdf %s\n", device->serial, colon ? colon + 1 : device->bdf);
        if (*device->interface) {
            add_net_queues(out, devices->sysfs, device);
        } else if (*device->disk) {
            add_queues(out, devices->sysfs, device, numbers);
        }
        add_vectors(out, devices, device, numbers);
    }
}
