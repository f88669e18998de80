/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock for each run in progress that dies with its process: one byte of FILE.lock at offset
 * run_id.  Open file description locks: closing another descriptor of the file drops nothing, and
 * two stores of one process see each other.  The file stays: to delete it would race. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "internal.h"

int results_lock_open(const char *path, bool create)
{
    g_autofree char *name = g_strconcat(path, ".lock", NULL);
    int fd = open(name, create ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0666);

    return fd;
}

static struct flock byte_of(short type, int64_t run_id)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = run_id, .l_len = 1};
}

bool results_lock_take(int fd, int64_t run_id)
{
    struct flock lock = byte_of(F_WRLCK, run_id);

    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

void results_lock_drop(int fd, int64_t run_id)
{
    struct flock lock = byte_of(F_UNLCK, run_id);

    (void)fcntl(fd, F_OFD_SETLK, &lock);
}

bool results_lock_held(int fd, int64_t run_id)
{
    struct flock lock = byte_of(F_WRLCK, run_id);

    return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
