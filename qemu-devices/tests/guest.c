/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PID 1 of the glue's tests: no driver; it pokes the devices from user space.
 * The channel's archive is its script, one word and its operands a line. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "guest-pci.h"

static volatile uint32_t *channel;
static char *channel_ram;
static volatile uint8_t *drive;
static char drive_folder[512];

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

    while (!pci_find(0x010802, 0, 0, drive_folder, sizeof(drive_folder))) {
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

    /* With several threads Linux may still be assigning addresses. */
    usleep(10000);
    snprintf(path, sizeof(path), "%s/enable", drive_folder);
    pci_write_file(path, "1");
    drive = pci_map(drive_folder, "resource0", 16384);
}

/* A queue pair in the channel's RAM: memory whose address we know. */
enum {
    SQ_OFFSET = 40 << 20,
    CQ_OFFSET = SQ_OFFSET + 4096,
    DATA_OFFSET = CQ_OFFSET + 4096,
    ENTRIES = 16
};
static uint64_t ram_address;
static unsigned sq_tail, cq_head, cq_phase;

static void put32(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(drive + offset) = value;
}

static void put64(unsigned offset, uint64_t value)
{
    put32(offset, value);
    put32(offset + 4, value >> 32);
}

static void admin_start(uint64_t sq_address)
{
    memset(channel_ram + SQ_OFFSET, 0, 8192);
    sq_tail = cq_head = 0;
    cq_phase = 1;
    put32(0x14, 0);
    put32(0x24, (ENTRIES - 1) << 16 | (ENTRIES - 1));
    put64(0x28, sq_address ? sq_address : ram_address + SQ_OFFSET);
    put64(0x30, ram_address + CQ_OFFSET);
    put32(0x14, 6 << 16 | 4 << 20 | 1);
    for (unsigned i = 0; i < 10000 && !(*(volatile uint32_t *)(drive + 0x1c) & 3); i++) {
        usleep(100);
    }
    report("csts", "%08x", *(volatile uint32_t *)(drive + 0x1c));
}

static void admin_command(unsigned opcode, uint64_t prp1, uint32_t cdw10)
{
    uint32_t *sqe = (uint32_t *)(channel_ram + SQ_OFFSET + sq_tail * 64);
    volatile uint32_t *cqe = (uint32_t *)(channel_ram + CQ_OFFSET + cq_head * 16);

    memset(sqe, 0, 64);
    sqe[0] = opcode | sq_tail << 16;
    sqe[6] = prp1;
    sqe[7] = prp1 >> 32;
    sqe[10] = cdw10;
    sq_tail = (sq_tail + 1) % ENTRIES;
    put32(0x1000, sq_tail);
    for (unsigned i = 0; i < 1000; i++) {
        if ((cqe[3] >> 16 & 1) == cq_phase) {
            report("admin", "opcode %02x status %04x", opcode, cqe[3] >> 17);
            cq_head = (cq_head + 1) % ENTRIES;
            cq_phase ^= !cq_head;
            put32(0x1004, cq_head);
            return;
        }
        usleep(100);
    }
    report("admin", "opcode %02x no completion, csts %08x", opcode,
           *(volatile uint32_t *)(drive + 0x1c));
}

/* An address by name: of RAM, of a device's registers, of config space, or a number. */
static uint64_t address_of(const char *name)
{
    char folder[512];

    if (!strcmp(name, "ram")) {
        return ram_address + DATA_OFFSET;
    }
    if (!strcmp(name, "drive")) {
        return pci_bar_address(drive_folder, 0);
    }
    if (!strcmp(name, "channel") && pci_find(0, 0x1234, 0x5142, folder, sizeof(folder))) {
        return pci_bar_address(folder, 0);
    }
    return strtoull(name, NULL, 16);
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
    char name[32];

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
    } else if (sscanf(line, "admin-start %31s", name) == 1) {
        admin_start(address_of(name));
    } else if (!strcmp(line, "admin-start")) {
        admin_start(0);
    } else if (sscanf(line, "admin %x %31s %x", &offset, name, &value) == 3) {
        admin_command(offset, address_of(name), value);
    } else if (sscanf(line, "msix-entry %x %31s %x", &offset, name, &value) == 3) {
        put64(offset, address_of(name));
        put32(offset + 8, value);
        put32(offset + 12, 0);
    } else if (!strcmp(line, "ram32")) {
        report("ram32", "%08x", *(volatile uint32_t *)(channel_ram + DATA_OFFSET));
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
    if (!pci_find(0, 0x1234, 0x5142, folder, sizeof(folder))) {
        guest_die("no channel");
    }
    snprintf(path, sizeof(path), "%s/enable", folder);
    pci_write_file(path, "1");
    channel = pci_map(folder, "resource0", 4096);
    channel_ram = pci_map(folder, "resource2", 64 << 20);
    ram_address = pci_bar_address(folder, 2);
    if (!channel || !channel_ram || channel[0] != 0x48434251) {
        guest_die("the channel cannot be mapped");
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
