/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "devices.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 2

void devices_poll(void)
{
    struct timespec time = {.tv_nsec = POLL_MS * 1000000};

    nanosleep(&time, NULL);
}

uint64_t devices_now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static bool attribute(const char *sysfs, const char *name, const char *file, char *line,
                      size_t size)
{
    char path[PATH_MAX];

    string_set(path, sizeof(path), "%s/class/nvme/%s/%s", sysfs, name, file);
    return line_read(path, line, size);
}

/* The name ("nvme3") of the controller with @serial. */
static bool find_controller(const char *sysfs, const char *serial, char *name, size_t size)
{
    char path[PATH_MAX], value[64];
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    string_set(path, sizeof(path), "%s/class/nvme", sysfs);
    dir = opendir(path);
    while (!found && dir && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.' &&
            attribute(sysfs, entry->d_name, "serial", value, sizeof(value))) {
            found = strcmp(value, serial) == 0;
            string_set(name, size, "%s", entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

/* The disk of namespace 1 below controller @name.  Its number is the subsystem's, which need not be
 * the controller's; "nvme0c0n1" is a path of a multipath disk, not a disk. */
static bool find_disk(const char *sysfs, const char *name, char *disk, size_t size)
{
    char path[PATH_MAX], nsid[16];
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    string_set(path, sizeof(path), "%s/class/nvme/%s", sysfs, name);
    dir = opendir(path);
    while (!found && dir && (entry = readdir(dir))) {
        int instance, id, end = 0;

        if (sscanf(entry->d_name, "nvme%dn%d%n", &instance, &id, &end) == 2 &&
            entry->d_name[end] == '\0') {
            string_set(path, sizeof(path), "%s/block/%s/nsid", sysfs, entry->d_name);
            found = line_read(path, nsid, sizeof(nsid)) ? strcmp(nsid, "1") == 0 : id == 1;
            string_set(disk, size, "%s", entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

static bool can_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* The kernel reads the partition table just after the disk appears: the plan goes on when the
 * disk's counters have stood still, with nothing in flight, from one poll to the next. */
static bool disk_is_quiet(const char *sysfs, const char *disk, char *before, size_t size)
{
    char path[PATH_MAX], now[256];
    unsigned long value[9];
    bool quiet;

    string_set(path, sizeof(path), "%s/block/%s/stat", sysfs, disk);
    if (!line_read(path, now, sizeof(now))) {
        return false;
    }
    quiet = strcmp(now, before) == 0 &&
            sscanf(now, "%lu %lu %lu %lu %lu %lu %lu %lu %lu", &value[0], &value[1], &value[2],
                   &value[3], &value[4], &value[5], &value[6], &value[7], &value[8]) == 9 &&
            value[8] == 0;
    string_set(before, size, "%s", now);
    return quiet;
}

bool devices_store(Devices *self, const Device *device, Reason *reason)
{
    int i = 0;

    while (i < self->n && strcmp(self->list[i].serial, device->serial) != 0) {
        i++;
    }
    if (i == DEVICES_MAX) {
        return reason_set(reason, "%s is one device too many", device->serial);
    }
    self->list[i] = *device;
    self->n = i == self->n ? self->n + 1 : self->n;
    return true;
}

bool devices_wait(Devices *self, const char *serial, uint64_t ms, Reason *reason)
{
    uint64_t end = devices_now_ms() + ms;
    char name[32], disk[32], state[32] = "", before[256] = "";
    bool seen = false, ready = false;
    Device device = {0};

    if (strlen(serial) >= sizeof(device.serial)) {
        return reason_set(reason, "\"%.40s\" is too long a serial", serial);
    }
    string_set(device.serial, sizeof(device.serial), "%s", serial);
    do {
        if (find_controller(self->sysfs, serial, name, sizeof(name)) &&
            attribute(self->sysfs, name, "state", state, sizeof(state))) {
            seen = true;
            if (strcmp(state, "live") == 0 && find_disk(self->sysfs, name, disk, sizeof(disk))) {
                string_set(device.disk, sizeof(device.disk), "%s/%s", self->dev, disk);
                ready = can_open(device.disk) &&
                        disk_is_quiet(self->sysfs, disk, before, sizeof(before));
            }
        }
        if (!ready) {
            devices_poll();
        }
    } while (!ready && devices_now_ms() < end);
    if (!ready) {
        return seen ? reason_set(
                          reason,
                          "controller %s (%s) is %s and has no usable namespace 1 after %llu ms",
                          serial, name, state, (unsigned long long)ms)
                    : reason_set(reason, "no controller with serial %s after %llu ms", serial,
                                 (unsigned long long)ms);
    }
    string_set(device.ctrl, sizeof(device.ctrl), "%s/%s", self->dev, name);
    attribute(self->sysfs, name, "address", device.bdf, sizeof(device.bdf));
    return devices_store(self, &device, reason);
}

bool devices_wait_gone(Devices *self, const char *serial, uint64_t ms, Reason *reason)
{
    uint64_t end = devices_now_ms() + ms;
    char name[32];

    while (find_controller(self->sysfs, serial, name, sizeof(name))) {
        if (devices_now_ms() >= end) {
            return reason_set(reason, "controller %s is still there after %llu ms", serial,
                              (unsigned long long)ms);
        }
        devices_poll();
    }
    for (int i = 0; i < self->n; i++) {
        if (strcmp(self->list[i].serial, serial) == 0) {
            self->list[i] = self->list[--self->n];
        }
    }
    return true;
}

const Device *devices_find(const Devices *self, const char *serial)
{
    for (int i = 0; i < self->n; i++) {
        if (strcmp(self->list[i].serial, serial) == 0) {
            return &self->list[i];
        }
    }
    return NULL;
}

const char *devices_lookup(void *devices, const char *name, const char *field)
{
    const Device *device = devices_find(devices, name);

    if (!device || !field) {
        return !device              ? NULL
               : *device->interface ? device->interface
               : *device->disk      ? device->disk
                                    : device->bdf;
    }
    return strcmp(field, "bdf") == 0                     ? device->bdf
           : strcmp(field, "ctrl") == 0 && *device->ctrl ? device->ctrl
                                                         : NULL;
}
