/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pci.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The function's folder lies in its bridge's: "0000:01:00.1" in devices/0000:00:10.0. */
static bool find_function(const char *sysfs, const char *bridge, const char *function, char *bdf,
                          size_t size)
{
    char path[PATH_MAX];
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    string_set(path, sizeof(path), "%s/bus/pci/devices/%s", sysfs, bridge);
    dir = opendir(path);
    while (!found && dir && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');

        found = dot > entry->d_name && strcmp(dot + 1, function) == 0 &&
                strchr(entry->d_name, ':') != NULL;
        if (found) {
            found = string_set(bdf, size, "%s", entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

bool pci_wait(Devices *self, const char *name, const char *place, uint64_t ms, Reason *reason)
{
    uint64_t end = devices_now_ms() + ms;
    const char *slash = strchr(place, '/');
    char bridge[32];
    Device device = {0};
    bool found;

    if (!slash || !string_set(bridge, sizeof(bridge), "%.*s", (int)(slash - place), place)) {
        return reason_set(reason, "\"%.60s\" is no place: BRIDGE/FUNCTION", place);
    }
    if (!string_set(device.serial, sizeof(device.serial), "%s", name)) {
        return reason_set(reason, "\"%.40s\" is too long a name", name);
    }
    while (
        !(found = find_function(self->sysfs, bridge, slash + 1, device.bdf, sizeof(device.bdf))) &&
        devices_now_ms() < end) {
        devices_poll();
    }
    if (!found) {
        return reason_set(reason, "no function %s behind %s after %llu ms", slash + 1, bridge,
                          (unsigned long long)ms);
    }
    return devices_store(self, &device, reason);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return done;
}

/* The driver that has the device: the leaf of its link; false when none has. */
static bool driver_of(const char *sysfs, const char *bdf, char *driver, size_t size)
{
    char path[PATH_MAX], target[PATH_MAX];
    ssize_t length;
    const char *leaf;

    string_set(path, sizeof(path), "%s/bus/pci/devices/%s/driver", sysfs, bdf);
    length = readlink(path, target, sizeof(target) - 1);
    if (length <= 0) {
        return false;
    }
    target[length] = '\0';
    leaf = strrchr(target, '/');
    return string_set(driver, size, "%s", leaf ? leaf + 1 : target);
}

bool pci_bind(const Devices *self, const char *name, const char *driver, Reason *reason)
{
    const Device *device = devices_find(self, name);
    char path[PATH_MAX], has[64];

    if (!device) {
        return reason_set(reason, "wait-pci %s has to come before", name);
    }
    if (driver_of(self->sysfs, device->bdf, has, sizeof(has)) && strcmp(has, driver) != 0) {
        string_set(path, sizeof(path), "%s/bus/pci/devices/%s/driver/unbind", self->sysfs,
                   device->bdf);
        if (!write_file(path, device->bdf)) {
            return reason_set(reason, "cannot take %s from %s: %s", device->bdf, has,
                              strerror(errno));
        }
    }
    string_set(path, sizeof(path), "%s/bus/pci/devices/%s/driver_override", self->sysfs,
               device->bdf);
    if (!write_file(path, driver)) {
        return reason_set(reason, "cannot write %s: %s", path, strerror(errno));
    }
    string_set(path, sizeof(path), "%s/bus/pci/drivers_probe", self->sysfs);
    if (!write_file(path, device->bdf)) {
        return reason_set(reason, "cannot write %s: %s", path, strerror(errno));
    }
    return (driver_of(self->sysfs, device->bdf, has, sizeof(has)) && strcmp(has, driver) == 0) ||
           reason_set(reason, "driver %s did not take %s (is it loaded? see dmesg)", driver,
                      device->bdf);
}
