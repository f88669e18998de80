/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpio-read.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 110u
#define FIELDS 13u

/* In the order of the header: cpio(5), "New ASCII Format". */
enum {
    INO,
    MODE,
    UID,
    GID,
    NLINK,
    MTIME,
    FILESIZE,
    DEVMAJOR,
    DEVMINOR,
    RDEVMAJOR,
    RDEVMINOR,
    NAMESIZE,
    CHECK
};

typedef struct Entry {
    uint32_t field[FIELDS];
    const char *name;
    const uint8_t *data;
} Entry;

static size_t align4(size_t value)
{
    return (value + 3) & ~(size_t)3;
}

static bool parse_header(const uint8_t *at, Entry *entry)
{
    if (memcmp(at, "070701", 6) != 0) {
        return false;
    }
    for (unsigned i = 0; i < FIELDS; i++) {
        uint32_t value = 0;

        for (unsigned digit = 0; digit < 8; digit++) {
            uint8_t c = at[6 + i * 8 + digit];

            if (c >= '0' && c <= '9') {
                value = value << 4 | (uint32_t)(c - '0');
            } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
                value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
            } else {
                return false;
            }
        }
        entry->field[i] = value;
    }
    return true;
}

/* Takes the entry at *@offset and moves that behind it. */
static bool next_entry(const uint8_t *archive, size_t length, size_t *offset, Entry *entry,
                       Reason *reason)
{
    size_t at = *offset, data;

    if (length - at < HEADER_BYTES || !parse_header(archive + at, entry)) {
        return reason_set(reason, "the archive has no cpio header at byte %zu", at);
    }
    entry->name = (const char *)archive + at + HEADER_BYTES;
    if (entry->field[NAMESIZE] == 0 || entry->field[NAMESIZE] > PATH_MAX ||
        entry->field[NAMESIZE] > length - at - HEADER_BYTES ||
        entry->name[entry->field[NAMESIZE] - 1] != '\0') {
        return reason_set(reason, "the archive's entry at byte %zu has no valid name", at);
    }
    data = align4(at + HEADER_BYTES + entry->field[NAMESIZE]);
    if (data > length || entry->field[FILESIZE] > length - data) {
        return reason_set(reason, "the archive ends inside %s", entry->name);
    }
    entry->data = archive + data;
    *offset = align4(data + entry->field[FILESIZE]);
    if (*offset > length) {
        *offset = length;
    }
    return true;
}

static bool name_is_safe(const char *name)
{
    if (*name == '/' || *name == '\0') {
        return false;
    }
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0')) {
            return false;
        }
    }
    return true;
}

static bool write_file(const char *path, const Entry *entry)
{
    size_t left = entry->field[FILESIZE];
    const uint8_t *from = entry->data;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  entry->field[MODE] & 07777);

    if (fd < 0) {
        return false;
    }
    while (left > 0) {
        ssize_t put = write(fd, from, left);

        if (put <= 0) {
            close(fd);
            return false;
        }
        from += put;
        left -= (size_t)put;
    }
    return close(fd) == 0;
}

static bool write_symlink(const char *path, const Entry *entry)
{
    char destination[PATH_MAX];

    if (entry->field[FILESIZE] >= sizeof(destination)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(destination, entry->data, entry->field[FILESIZE]);
    destination[entry->field[FILESIZE]] = '\0';
    return symlink(destination, path) == 0;
}

static bool write_entry(const char *target, const Entry *entry, Reason *reason)
{
    char path[PATH_MAX * 2];
    bool done;

    if (!name_is_safe(entry->name)) {
        return reason_set(reason, "the archive's path \"%s\" leads out of it", entry->name);
    }
    string_set(path, sizeof(path), "%s/%s", target, entry->name);
    switch (entry->field[MODE] & S_IFMT) {
    case S_IFDIR:
        done = mkdir(path, entry->field[MODE] & 07777) == 0 || errno == EEXIST;
        break;
    case S_IFREG:
        done = write_file(path, entry);
        break;
    case S_IFLNK:
        done = write_symlink(path, entry);
        break;
    default:
        return reason_set(reason, "the archive's %s is no file, folder or symlink", entry->name);
    }
    return done || reason_set(reason, "cannot unpack %s: %s", entry->name, strerror(errno));
}

bool cpio_unpack(const void *archive, size_t length, const char *target, Reason *reason)
{
    size_t offset = 0;
    Entry entry;

    for (;;) {
        if (!next_entry(archive, length, &offset, &entry, reason)) {
            return false;
        }
        if (strcmp(entry.name, "TRAILER!!!") == 0) {
            return true;
        }
        if (!write_entry(target, &entry, reason)) {
            return false;
        }
    }
}
