/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net.h"
#include "netns.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The PCI address behind an interface: where its `device` leads to. */
static bool interface_bdf(const char *sysfs, const char *interface, char *bdf, size_t size)
{
    char path[PATH_MAX], target[PATH_MAX];
    ssize_t length;
    const char *leaf;

    string_set(path, sizeof(path), "%s/class/net/%s/device", sysfs, interface);
    length = readlink(path, target, sizeof(target) - 1);
    if (length <= 0) {
        return false;
    }
    target[length] = '\0';
    leaf = strrchr(target, '/');
    return string_set(bdf, size, "%s", leaf ? leaf + 1 : target);
}

static bool find_interface(const char *sysfs, const char *name, Device *device)
{
    char path[PATH_MAX], address[64];
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    string_set(path, sizeof(path), "%s/class/net", sysfs);
    dir = opendir(path);
    while (!found && dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' ||
            !interface_bdf(sysfs, entry->d_name, device->bdf, sizeof(device->bdf))) {
            continue;
        }
        string_set(path, sizeof(path), "%s/class/net/%s/address", sysfs, entry->d_name);
        found = strcasecmp(device->bdf, name) == 0 ||
                (line_read(path, address, sizeof(address)) && strcasecmp(address, name) == 0);
        string_set(device->interface, sizeof(device->interface), "%s", entry->d_name);
    }
    if (dir) {
        closedir(dir);
    }
    return found;
}

bool net_wait(Devices *self, const char *name, uint64_t ms, Reason *reason)
{
    uint64_t end = devices_now_ms() + ms;
    Device device = {0};
    bool found;

    if (!string_set(device.serial, sizeof(device.serial), "%s", name)) {
        return reason_set(reason, "\"%.40s\" is neither a MAC nor a PCI address", name);
    }
    while (!(found = find_interface(self->sysfs, name, &device)) && devices_now_ms() < end) {
        devices_poll();
    }
    if (!found) {
        return reason_set(reason, "no interface of %s after %llu ms", name, (unsigned long long)ms);
    }
    return devices_store(self, &device, reason);
}

/* --- Ports that steps have put into a network namespace: sysfs shows none of them --- */

static bool ask(int fd, const Device *device, void *data)
{
    struct ifreq request = {.ifr_data = data};

    string_set(request.ifr_name, sizeof(request.ifr_name), "%s", device->interface);
    return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

static bool is_here(int fd, const Device *device)
{
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

    return ask(fd, device, &info) &&
           strncmp(info.bus_info, device->bdf, sizeof(info.bus_info)) == 0;
}

/* A socket where the port is; -1: nowhere. */
static int port_socket(const Device *device)
{
    Reason reason;
    int fd = netns_socket("", AF_INET, SOCK_DGRAM, &reason);
    DIR *dir = fd >= 0 && !is_here(fd, device) ? opendir(NETNS_FOLDER) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        int other = entry->d_name[0] == '.'
                        ? -1
                        : netns_socket(entry->d_name, AF_INET, SOCK_DGRAM, &reason);

        if (other >= 0) {
            close(fd);
            fd = other;
            if (is_here(fd, device)) {
                break;
            }
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (fd >= 0 && !is_here(fd, device)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool port_has_link(const Device *device)
{
    struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
    int fd = port_socket(device);
    bool up = fd >= 0 && ask(fd, device, &link) && link.data != 0;

    if (fd >= 0) {
        close(fd);
    }
    return up;
}

bool net_wait_link(const Devices *self, const char *name, uint64_t ms, Reason *reason)
{
    uint64_t end = devices_now_ms() + ms;
    const Device *device = devices_find(self, name);
    char path[PATH_MAX], carrier[8] = "";

    if (!device || !*device->interface) {
        return reason_set(reason, "wait-net %s has to come before", name);
    }
    string_set(path, sizeof(path), "%s/class/net/%s/carrier", self->sysfs, device->interface);
    /* Of an interface that is not up, the file cannot be read. */
    while (!(line_read(path, carrier, sizeof(carrier)) ? strcmp(carrier, "1") == 0
                                                       : port_has_link(device))) {
        if (devices_now_ms() >= end) {
            return reason_set(reason, "%s (%s) has no link after %llu ms", name, device->interface,
                              (unsigned long long)ms);
        }
        devices_poll();
    }
    return true;
}

/* --- The driver's statistics --- */

static bool cannot_read(const Device *device, Reason *reason)
{
    return reason_set(reason, "cannot read the statistics of %s: %s", device->interface,
                      strerror(errno));
}

static bool add_statistics(Text *out, int fd, const Device *device, Reason *reason)
{
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
    struct ethtool_gstrings *names = NULL;
    struct ethtool_stats *values = NULL;
    bool done = false;

    if (!ask(fd, device, &info)) {
        return cannot_read(device, reason);
    }
    names = calloc(1, sizeof(*names) + (size_t)info.n_stats * ETH_GSTRING_LEN);
    values = calloc(1, sizeof(*values) + (size_t)info.n_stats * sizeof(values->data[0]));
    if (names && values) {
        names->cmd = ETHTOOL_GSTRINGS;
        names->string_set = ETH_SS_STATS;
        names->len = info.n_stats;
        values->cmd = ETHTOOL_GSTATS;
        values->n_stats = info.n_stats;
        done = (ask(fd, device, names) && ask(fd, device, values)) || cannot_read(device, reason);
    }
    for (uint32_t i = 0; done && i < info.n_stats; i++) {
        text_printf(out, "%s %.*s %llu\n", device->serial, ETH_GSTRING_LEN,
                    (const char *)names->data + i * ETH_GSTRING_LEN,
                    (unsigned long long)values->data[i]);
    }
    free(names);
    free(values);
    return done;
}

bool net_statistics_add(Text *out, const Devices *devices, Reason *reason)
{
    bool done = true;

    for (int i = 0; done && i < devices->n; i++) {
        const Device *device = &devices->list[i];
        int fd = *device->interface ? port_socket(device) : -1;

        done = !*device->interface ||
               (fd >= 0 ? add_statistics(out, fd, device, reason)
                        : reason_set(reason, "%s is in no namespace", device->interface));
        if (fd >= 0) {
            close(fd);
        }
    }
    return done;
}
