/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "channel.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCI_ID_VENDOR "0x1234"
#define PCI_ID_DEVICE "0x5142"
#define MAGIC 0x48434251u /* "QBCH" */
#define VERSION 1u

/* Registers of BAR0, by 32-bit word: docs/channel.md. */
enum {
    REG_MAGIC,
    REG_VERSION,
    REG_IN_BYTES,
    REG_OUT_OFFSET,
    REG_OUT_BYTES,
    REG_SNAPSHOT,
    REG_REPORT,
    REG_MARK,
    REG_END
};

static const char cut_line[] = "\n… truncated\n";

static void *map_resource(const char *device, const char *name, size_t *length)
{
    char path[PATH_MAX];
    struct stat info;
    void *at = MAP_FAILED;
    int fd;

    string_set(path, sizeof(path), "%s/%s", device, name);
    fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    if (fd >= 0) {
        if (fstat(fd, &info) == 0 && info.st_size > 0) {
            *length = (size_t)info.st_size;
            at = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        }
        close(fd);
    }
    return at == MAP_FAILED ? NULL : at;
}

/* Memory decoding is off for a device without a driver unless the firmware turned it on. */
static void enable_device(const char *device)
{
    char path[PATH_MAX];
    int fd;

    string_set(path, sizeof(path), "%s/enable", device);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t ignored = write(fd, "1", 1);

        (void)ignored;
        close(fd);
    }
}

static bool open_device(Channel *self, const char *device, Reason *reason)
{
    size_t length = 0;

    enable_device(device);
    self->registers = map_resource(device, "resource0", &length);
    if (!self->registers || length < (REG_END + 1) * sizeof(uint32_t)) {
        return reason_set(reason, "cannot map the channel's registers: %s", strerror(errno));
    }
    if (self->registers[REG_MAGIC] != MAGIC || self->registers[REG_VERSION] != VERSION) {
        return reason_set(reason, "the channel has magic %#x and version %u, not %#x and %u",
                          self->registers[REG_MAGIC], self->registers[REG_VERSION], MAGIC, VERSION);
    }
    self->memory = map_resource(device, "resource2", &self->memory_bytes);
    self->out_offset = self->registers[REG_OUT_OFFSET];
    self->out_bytes = self->registers[REG_OUT_BYTES];
    if (!self->memory || self->out_offset > self->memory_bytes ||
        self->out_bytes > self->memory_bytes - self->out_offset) {
        return reason_set(reason, "cannot map the channel's memory: %s", strerror(errno));
    }
    return true;
}

bool channel_open(Channel *self, const char *sysfs, Reason *reason)
{
    char folder[PATH_MAX], path[PATH_MAX], vendor[16], id[16];
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    *self = (Channel){0};
    string_set(folder, sizeof(folder), "%s/bus/pci/devices", sysfs);
    dir = opendir(folder);
    while (!found && dir && (entry = readdir(dir))) {
        string_set(path, sizeof(path), "%s/%s/vendor", folder, entry->d_name);
        if (entry->d_name[0] == '.' || !line_read(path, vendor, sizeof(vendor))) {
            continue;
        }
        string_set(path, sizeof(path), "%s/%s/device", folder, entry->d_name);
        found = line_read(path, id, sizeof(id)) && strcmp(vendor, PCI_ID_VENDOR) == 0 &&
                strcmp(id, PCI_ID_DEVICE) == 0;
        string_set(path, sizeof(path), "%s/%s", folder, entry->d_name);
    }
    if (dir) {
        closedir(dir);
    }
    if (!found) {
        return reason_set(reason, "this machine has no channel device");
    }
    if (!open_device(self, path, reason)) {
        *self = (Channel){0};
        return false;
    }
    return true;
}

void channel_snapshot(Channel *self)
{
    if (self->registers) {
        self->registers[REG_SNAPSHOT] = 1;
    }
}

const void *channel_input(Channel *self, size_t *length)
{
    *length = self->registers ? self->registers[REG_IN_BYTES] : 0;
    if (*length > self->memory_bytes) {
        *length = 0;
    }
    return self->memory;
}

size_t channel_layout(uint8_t *out, size_t out_bytes, const char *name, const void *body,
                      size_t length)
{
    size_t head = strlen(name), cut = strlen(cut_line), room;

    if (head + 1 + cut > out_bytes) {
        return 0;
    }
    memcpy(out, name, head);
    out[head] = '\n';
    room = out_bytes - head - 1;
    if (length <= room) {
        memcpy(out + head + 1, body, length);
        return head + 1 + length;
    }
    memcpy(out + head + 1, body, room - cut);
    memcpy(out + out_bytes - cut, cut_line, cut);
    return out_bytes;
}

void channel_report(Channel *self, const char *name, const void *body, size_t length)
{
    if (!self->registers) {
        printf("=== report %s\n%.*s\n", name, (int)length, (const char *)body);
        fflush(stdout);
        return;
    }
    self->registers[REG_REPORT] = (uint32_t)channel_layout(self->memory + self->out_offset,
                                                           self->out_bytes, name, body, length);
}

void channel_mark(Channel *self, uint32_t value)
{
    if (self->registers) {
        self->registers[REG_MARK] = value;
    } else {
        printf("=== mark %#x\n", value);
    }
}

void channel_end(Channel *self, ChannelVerdict verdict)
{
    if (self->registers) {
        self->registers[REG_END] = (uint32_t)verdict;
    } else {
        printf("=== end %d\n", (int)verdict);
        fflush(stdout);
    }
}
