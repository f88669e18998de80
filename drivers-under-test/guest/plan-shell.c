/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan-shell.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (4u << 20)

static void child(int output, const char *folder, const char *line)
{
    int input = open("/dev/null", O_RDONLY);

    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (chdir(folder) == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    }
    fprintf(stderr, "cannot run /bin/sh in %s: %s\n", folder, strerror(errno));
    _exit(127);
}

/* Reads until all writers are gone; keeps what fits a report. */
static void collect(int fd, Text *output)
{
    static char chunk[65536];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0 && output->length <= OUTPUT_MAX) {
            text_add(output, chunk, (size_t)got);
        }
    }
}

/* The exit status as the shell would tell it.  Orphans of earlier commands are PID 1's to bury. */
static int wait_for(pid_t pid)
{
    int status = 0;
    pid_t gone;

    do {
        gone = wait(&status);
    } while (gone != pid && (gone > 0 || errno == EINTR));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool plan_shell(Channel *channel, const char *folder, int number, const char *line, Reason *reason)
{
    Text output = {0}, body = {0};
    char name[32];
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0) {
        return reason_set(reason, "cannot make a pipe: %s", strerror(errno));
    }
    pid = fork();
    if (pid == 0) {
        child(ends[1], folder, line);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return reason_set(reason, "cannot start a process: %s", strerror(errno));
    }
    collect(ends[0], &output);
    close(ends[0]);
    status = wait_for(pid);
    text_printf(&body, "exit %d %s\n", status, line);
    text_add(&body, output.data ? output.data : "", output.length);
    string_set(name, sizeof(name), "run-%d", number);
    channel_report(channel, name, body.data, body.length);
    text_free(&output);
    text_free(&body);
    return status == 0 || reason_set(reason, "exit status %d", status);
}
