/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A QEMU process: started with a QMP connection over an inherited socket pair, killed with us. */
#pragma once
#include "qmp.h"

#define QEMU_ERROR (qemu_error_quark())
GQuark qemu_error_quark(void);
typedef enum {
    QEMU_ERROR_START, /* cannot be started */
    QEMU_ERROR_DIED,  /* ended before it was asked to; the message holds its last words */
    QEMU_ERROR_KILLED, /* by a signal */
} QemuError;

typedef struct Qemu {
    int pid, pidfd;
    Qmp *qmp;
    char *log_path; /* its stderr */
} Qemu;

/**
 * qemu_start:
 * @argv: (transfer none): program and arguments, NULL-ended; the QMP monitor is added
 * @log_path: where its stdout and stderr go
 * @interrupt_fd: readable when the user interrupts; -1: none
 * Must be called on the thread that lives as long as the process: PR_SET_PDEATHSIG watches the
 * thread that forks.
 * Returns: (transfer full): a QEMU that has greeted, or NULL and @error */
Qemu *qemu_start(const char *const *argv, const char *log_path, int interrupt_fd, GError **error);
/* Kills it if it still runs, reaps it, frees. */
void qemu_free(Qemu *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Qemu, qemu_free)

/* Waits until it has ended; @status gets waitpid()'s status.  FALSE: it still runs at the deadline,
 * or the user interrupted. */
gboolean qemu_wait_end(Qemu *self, gint64 deadline, int *status, GError **error);
/* Asks it to quit and gives it a moment to write its last records; kills it otherwise. */
void qemu_quit(Qemu *self);
/* Turns an error of the QMP connection into what QEMU itself said, if it is dead. */
void qemu_explain(Qemu *self, GError **error);
