/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PID 1 of the glue's tests: no driver, no libc start-up surprises; it pokes the devices from user space.
 * The channel's archive is its script, one word and its operands a line. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PCI "/sys/bus/pci/devices"

static volatile uint32_t *channel;
static char *channel_ram;
static volatile uint8_t *drive;
static char drive_folder[512];

static void die(const char *what)
{
    perror(what);
    sync();
    reboot(RB_AUTOBOOT);
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 || write(fd, text, strlen(text)) < 0) {
        die(path);
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

static void *map(const char *folder, const char *name, size_t bytes)
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

/* The folder of the PCI function with this class or this vendor and device. */
static int find(unsigned class, unsigned vendor, unsigned device, char *folder, size_t bytes)
{
    DIR *dir = opendir(PCI);
    struct dirent *entry;
    int found = 0;

    while (!found && dir && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.') {
            snprintf(folder, bytes, PCI "/%s", entry->d_name);
            found = class ? read_number(folder, "class") == class
                          : read_number(folder, "vendor") == vendor && read_number(folder, "device") == device;
        }
    }
    closedir(dir);
    return found;
}

static void report(const char *name, const char *format, ...)
{
    char *out = channel_ram + channel[3];
    int n = sprintf(out, "%s\n", name);
    va_list list;

    va_start(list, format);
    n += vsprintf(out + n, format, list);
    va_end(list);
    channel[6] = n;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

static void wait_drive(unsigned milliseconds)
{
    uint64_t start = now_ns();

    while (!find(0x010802, 0, 0, drive_folder, sizeof(drive_folder))) {
        if (now_ns() - start > milliseconds * UINT64_C(1000000)) {
            report("drive", "absent");
            return;
        }
        usleep(100);
    }
    report("drive", "%s after %" PRIu64 " us", drive_folder, (now_ns() - start) / 1000);
}

static void open_drive(void)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/enable", drive_folder);
    write_file(path, "1");
    drive = map(drive_folder, "resource0", 16384);
}

static void config_access(const char *line)
{
    unsigned offset, bytes, value;
    char path[1024];
    int fd;

    snprintf(path, sizeof(path), "%s/config", drive_folder);
    fd = open(path, O_RDWR);
    if (sscanf(line, "config-write %x %u %x", &offset, &bytes, &value) == 3) {
        if (pwrite(fd, &value, bytes, offset) != (ssize_t)bytes) {
            report("config-write", "failed");
        }
    } else if (sscanf(line, "config-read %x %u", &offset, &bytes) == 2) {
        value = 0;
        if (pread(fd, &value, bytes, offset) == (ssize_t)bytes) {
            report("config-read", "%x %x", offset, value);
        }
    }
    close(fd);
}

static void obey(const char *line)
{
    unsigned offset, value;
    unsigned long long wide;

    if (!strncmp(line, "report ", 7)) {
        report("text", "%s", line + 7);
    } else if (sscanf(line, "mark %x", &value) == 1) {
        channel[7] = value;
    } else if (sscanf(line, "end %u", &value) == 1) {
        channel[8] = value;
    } else if (sscanf(line, "sleep %u", &value) == 1) {
        usleep(value);
    } else if (sscanf(line, "wait-drive %u", &value) == 1) {
        wait_drive(value);
    } else if (!strcmp(line, "open-drive")) {
        open_drive();
    } else if (sscanf(line, "read32 %x", &offset) == 1) {
        report("read32", "%x %08x", offset, *(volatile uint32_t *)(drive + offset));
    } else if (sscanf(line, "write32 %x %x", &offset, &value) == 2) {
        *(volatile uint32_t *)(drive + offset) = value;
    } else if (sscanf(line, "read64 %x", &offset) == 1) {
        report("read64", "%x %016" PRIx64, offset, *(volatile uint64_t *)(drive + offset));
    } else if (sscanf(line, "write64 %x %llx", &offset, &wide) == 2) {
        *(volatile uint64_t *)(drive + offset) = wide;
    } else if (!strncmp(line, "config-", 7)) {
        config_access(line);
    } else if (!strcmp(line, "panic")) {
        _exit(1);
    } else if (!strcmp(line, "spin")) {
        for (;;) {
        }
    } else if (*line) {
        report("unknown", "%s", line);
    }
}

int main(void)
{
    char folder[512], path[1024], *script, *next;
    uint32_t bytes;

    mkdir("/sys", 0755);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    if (!find(0, 0x1234, 0x5142, folder, sizeof(folder))) {
        die("no channel");
    }
    snprintf(path, sizeof(path), "%s/enable", folder);
    write_file(path, "1");
    channel = map(folder, "resource0", 4096);
    channel_ram = map(folder, "resource2", 64 << 20);
    if (!channel || !channel_ram || channel[0] != 0x48434251) {
        die("the channel cannot be mapped");
    }
    puts("snapshot");
    channel[5] = 1;
    bytes = channel[2];
    if (!bytes) {
        puts("no archive");
        channel[8] = 0;
    }
    script = strndup(channel_ram, bytes);
    for (char *line = script; line; line = next) {
        next = strchr(line, '\n');
        if (next) {
            *next++ = 0;
        }
        obey(line);
    }
    channel[8] = 0;
    for (;;) {
        pause();
    }
}
