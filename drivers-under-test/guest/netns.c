/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netns.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int open_plain(int family, int type, Reason *reason)
{
    int fd = socket(family, type | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        reason_set(reason, "cannot open a socket: %s", strerror(errno));
    }
    return fd;
}

int netns_socket(const char *name, int family, int type, Reason *reason)
{
    char path[PATH_MAX];
    int own, other, fd = -1;

    if (!*name) {
        return open_plain(family, type, reason);
    }
    string_set(path, sizeof(path), NETNS_FOLDER "/%s", name);
    own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    other = open(path, O_RDONLY | O_CLOEXEC);
    /* A namespace that cannot be left again is not entered. */
    if (own >= 0 && other >= 0 && setns(other, CLONE_NEWNET) == 0) {
        fd = open_plain(family, type, reason);
        setns(own, CLONE_NEWNET);
    } else {
        reason_set(reason, "cannot enter network namespace %s: %s", name, strerror(errno));
    }
    if (own >= 0) {
        close(own);
    }
    if (other >= 0) {
        close(other);
    }
    return fd;
}
