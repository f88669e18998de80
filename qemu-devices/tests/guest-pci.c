/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-pci.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <unistd.h>

#define PCI "/sys/bus/pci/devices"

void guest_die(const char *what)
{
    perror(what);
    sync();
    reboot(RB_AUTOBOOT);
}

void pci_write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 || write(fd, text, strlen(text)) < 0) {
        guest_die(path);
    }
    close(fd);
}

static unsigned read_number(const char *folder, const char *name)
{
    char path[1024], text[32] = "";
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_RDONLY);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0) {
        text[0] = 0;
    }
    close(fd);
    return strtoul(text, NULL, 16);
}

void *pci_map(const char *folder, const char *name, size_t bytes)
{
    char path[1024];
    void *at;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_RDWR);
    at = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

int pci_find(unsigned class, unsigned vendor, unsigned device, char *folder, size_t bytes)
{
    DIR *dir = opendir(PCI);
    struct dirent *entry;
    int found = 0;

    while (!found && dir && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.') {
            snprintf(folder, bytes, PCI "/%s", entry->d_name);
            found = class ? read_number(folder, "class") == class
                          : read_number(folder, "vendor") == vendor &&
                                read_number(folder, "device") == device;
        }
    }
    closedir(dir);
    return found;
}

uint64_t pci_bar_address(const char *folder, unsigned bar)
{
    char path[1024];
    unsigned long long start = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/resource", folder);
    file = fopen(path, "r");
    for (unsigned i = 0; file && i <= bar; i++) {
        if (fscanf(file, "%llx %*x %*x", &start) != 1) {
            start = 0;
        }
    }
    if (file) {
        fclose(file);
    }
    return start;
}
