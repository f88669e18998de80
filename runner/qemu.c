/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start, watch and end a QEMU process. */
#include "qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QMP_FD 3 /* in the child */
#define GREETING_US (30 * G_USEC_PER_SEC)
#define QUIT_US (5 * G_USEC_PER_SEC)

G_DEFINE_QUARK(qemu - error - quark, qemu_error)

/* Between fork and exec: calls that are safe after a fork only. */
static void G_GNUC_NORETURN child(char *const *argv, int qmp_fd, int log_fd, pid_t parent)
{
    static const int reset[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(reset); i++) {
        signal(reset[i], SIG_DFL);
    }
    /* A group of its own: Ctrl-C reaches us, and we stop it in order. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127); /* we died before the prctl */
    }
    int null_fd = open("/dev/null", O_RDONLY);
    dup2(null_fd, 0);
    dup2(log_fd, 1);
    dup2(log_fd, 2);
    if (qmp_fd == QMP_FD) {
        fcntl(qmp_fd, F_SETFD, 0);
    } else {
        dup2(qmp_fd, QMP_FD);
    }
    syscall(SYS_close_range, QMP_FD + 1, ~0u, 0);
    execv(argv[0], argv);
    static const char text[] = "cannot be executed\n";
    ssize_t unused = write(2, text, sizeof(text) - 1);
    (void)unused;
    _exit(127);
}

Qemu *qemu_start(const char *const *argv, const char *log_path, int interrupt_fd, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    int pair[2];

    for (; *argv; argv++) {
        g_ptr_array_add(all, (gpointer)*argv);
    }
    g_ptr_array_add(all, (gpointer) "-chardev");
    g_ptr_array_add(all, (gpointer) "socket,id=qmp,fd=" G_STRINGIFY(QMP_FD));
    g_ptr_array_add(all, (gpointer) "-mon");
    g_ptr_array_add(all, (gpointer) "chardev=qmp,mode=control");
    g_ptr_array_add(all, NULL);

    int log_fd = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        g_set_error(error, QEMU_ERROR, QEMU_ERROR_START, "cannot start QEMU: %s: %s", log_path,
                    g_strerror(errno));
        if (log_fd >= 0) {
            close(log_fd);
        }
        return NULL;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        child((char *const *)all->pdata, pair[1], log_fd, parent);
    }
    close(pair[1]);
    close(log_fd);
    if (pid < 0) {
        g_set_error(error, QEMU_ERROR, QEMU_ERROR_START, "cannot start QEMU: %s",
                    g_strerror(errno));
        close(pair[0]);
        return NULL;
    }
    g_autoptr(Qemu) self = g_new0(Qemu, 1);
    self->pid = pid;
    self->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    self->log_path = g_strdup(log_path);
    self->qmp = qmp_new(pair[0], interrupt_fd);
    if (!qmp_handshake(self->qmp, g_get_monotonic_time() + GREETING_US, error)) {
        qemu_explain(self, error);
        return NULL;
    }
    return g_steal_pointer(&self);
}

gboolean qemu_wait_end(Qemu *self, gint64 deadline, int *status, GError **error)
{
    if (!qmp_wait_closed(self->qmp, deadline, error)) {
        return FALSE;
    }
    /* The connection closes a moment before the process ends. */
    struct pollfd ended = {.fd = self->pidfd, .events = POLLIN};
    while (self->pid > 0) {
        pid_t got = waitpid(self->pid, status, WNOHANG);
        if (got == self->pid || (got < 0 && errno != EINTR)) {
            self->pid = 0;
        } else if (got == 0 && g_get_monotonic_time() >= deadline) {
            g_set_error(error, QMP_ERROR, QMP_ERROR_TIMEOUT, "QEMU does not end");
            return FALSE;
        } else if (got == 0) {
            poll(&ended, 1, self->pidfd >= 0 ? 1000 : 10);
        }
    }
    return TRUE;
}

void qemu_quit(Qemu *self)
{
    gint64 deadline = g_get_monotonic_time() + QUIT_US;
    int status = 0;

    if (self->pid > 0 && qmp_execute(self->qmp, "quit", NULL, deadline, NULL)) {
        /* The interrupt that made us come here is still pending: look at the process alone. */
        struct pollfd ended = {.fd = self->pidfd, .events = POLLIN};
        poll(&ended, 1, QUIT_US / 1000);
        if (waitpid(self->pid, &status, WNOHANG) == self->pid) {
            self->pid = 0;
        }
    }
}

void qemu_free(Qemu *self)
{
    if (!self) {
        return;
    }
    if (self->pid > 0) {
        kill(self->pid, SIGKILL);
        while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (self->pidfd >= 0) {
        close(self->pidfd);
    }
    qmp_free(self->qmp);
    g_free(self->log_path);
    g_free(self);
}

void qemu_explain(Qemu *self, GError **error)
{
    g_autofree char *log = NULL;
    int status = 0;

    if (!error || !*error || !g_error_matches(*error, QMP_ERROR, QMP_ERROR_CLOSED)) {
        return;
    }
    g_clear_error(error);
    if (qemu_wait_end(self, g_get_monotonic_time() + QUIT_US, &status, NULL) && WIFSIGNALED(status)) {
        g_set_error(error, QEMU_ERROR, QEMU_ERROR_KILLED, "QEMU was killed by signal %d",
                    WTERMSIG(status));
        return;
    }
    g_file_get_contents(self->log_path, &log, NULL, NULL);
    g_auto(GStrv) lines = g_strsplit(log ? g_strstrip(log) : "", "\n", -1);
    guint n = g_strv_length(lines);
    /* What matters is the first line: QEMU stops at its first error, and tells which argument it
     * was about: "qemu-system-x86_64: -device …: what is wrong". */
    const char *words = n ? lines[0] : "";
    const char *after = strstr(words, "qemu-system-x86_64: ");
    words = after ? after + strlen("qemu-system-x86_64: ") : words;
    after = *words == '-' ? strstr(words, ": ") : NULL;
    words = after ? after + strlen(": ") : words;
    g_set_error(error, QEMU_ERROR, QEMU_ERROR_DIED, "QEMU has ended: %s",
                *words ? words : "it said nothing");
}
