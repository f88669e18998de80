/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worker processes: one a job, its description comes back as JSON through a pipe. */
#include "jobs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Worker {
    pid_t pid;
    int fd;
    guint index;
    GString *text;
} Worker;

int jobs_interrupt_fd(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

gboolean jobs_interrupted(int interrupt_fd)
{
    struct pollfd fd = {.fd = interrupt_fd, .events = POLLIN};

    return interrupt_fd >= 0 && poll(&fd, 1, 0) > 0;
}

static void G_GNUC_NORETURN work(guint index, int fd, pid_t parent, JobFunc run, void *opaque)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    /* A signalfd tells of signals of the process that made it. */
    JsonObject *described = run(index, jobs_interrupt_fd(), opaque);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, described);
    g_autofree char *text = json_to_string(root, FALSE);
    size_t length = strlen(text);
    for (size_t sent = 0; sent < length;) {
        ssize_t n = write(fd, text + sent, length - sent);
        if (n <= 0 && errno != EINTR) {
            _exit(1);
        }
        sent += n > 0 ? (size_t)n : 0;
    }
    fflush(stdout);
    _exit(0);
}

static Worker *start_worker(guint index, JobFunc run, void *opaque)
{
    int ends[2];
    pid_t parent = getpid();

    fflush(stdout);
    fflush(stderr);
    if (pipe(ends) < 0) {
        return NULL;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work(index, ends[1], parent, run, opaque);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return NULL;
    }
    Worker *worker = g_new0(Worker, 1);
    worker->pid = pid;
    worker->fd = ends[0];
    worker->index = index;
    worker->text = g_string_new(NULL);
    return worker;
}

/* Reads what has come; FALSE: the worker is finished. */
static gboolean read_worker(Worker *worker)
{
    char buffer[4096];
    ssize_t n = read(worker->fd, buffer, sizeof(buffer));

    if (n > 0) {
        g_string_append_len(worker->text, buffer, n);
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

static gboolean end_worker(Worker *worker, JobDone done, void *opaque)
{
    g_autoptr(JsonParser) parser = json_parser_new();

    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    gboolean whole = json_parser_load_from_data(parser, worker->text->str, -1, NULL) &&
                     json_parser_get_root(parser) &&
                     JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser));
    gboolean go_on = done(
        worker->index, whole ? json_node_get_object(json_parser_get_root(parser)) : NULL, opaque);
    close(worker->fd);
    g_string_free(worker->text, TRUE);
    g_free(worker);
    return go_on;
}

static void run_here(guint jobs, int interrupt_fd, JobFunc run, JobDone done, void *opaque)
{
    gboolean go_on = TRUE;

    for (guint i = 0; i < jobs && go_on && !jobs_interrupted(interrupt_fd); i++) {
        JsonObject *described = run(i, interrupt_fd, opaque);
        go_on = done(i, described, opaque);
        json_object_unref(described);
    }
}

void jobs_run(guint jobs, guint at_once, int interrupt_fd, JobFunc run, JobDone done, void *opaque)
{
    g_autoptr(GPtrArray) workers = g_ptr_array_new();
    guint next = 0;
    gboolean stopping = FALSE, killed = FALSE;

    if (at_once <= 1 || jobs <= 1) {
        run_here(jobs, interrupt_fd, run, done, opaque);
        return;
    }
    while (workers->len || (next < jobs && !stopping)) {
        while (!stopping && next < jobs && workers->len < at_once) {
            Worker *worker = start_worker(next, run, opaque);
            if (worker) {
                g_ptr_array_add(workers, worker);
            } else {
                stopping = !done(next, NULL, opaque);
            }
            next++;
        }
        g_autofree struct pollfd *fds = g_new0(struct pollfd, workers->len + 1);
        for (guint i = 0; i < workers->len; i++) {
            fds[i] = (struct pollfd){.fd = ((Worker *)workers->pdata[i])->fd, .events = POLLIN};
        }
        fds[workers->len] = (struct pollfd){.fd = killed ? -1 : interrupt_fd, .events = POLLIN};
        if (workers->len == 0 || poll(fds, workers->len + 1, -1) < 0) {
            continue;
        }
        if (fds[workers->len].revents) {
            stopping = killed = TRUE; /* a Ctrl-C reached them too; a plain kill did not */
            for (guint i = 0; i < workers->len; i++) {
                kill(((Worker *)workers->pdata[i])->pid, SIGTERM);
            }
        }
        for (guint i = workers->len; i-- > 0;) {
            Worker *worker = workers->pdata[i];
            if (fds[i].revents && !read_worker(worker)) {
                g_ptr_array_remove_index(workers, i);
                stopping |= !end_worker(worker, done, opaque);
            }
        }
    }
}
