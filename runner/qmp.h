/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QMP, QEMU's control protocol, over one end of a socket pair: one command at a time, events kept
 * until somebody waits for them.  Each wait ends at a deadline, at the death of QEMU, or when the
 * user interrupts. */
#pragma once
#include <glib.h>
#include <json-glib/json-glib.h>

#define QMP_ERROR (qmp_error_quark())
GQuark qmp_error_quark(void);
typedef enum {
    QMP_ERROR_CLOSED,      /* QEMU has closed the connection: it is gone */
    QMP_ERROR_TIMEOUT,     /* the deadline has passed */
    QMP_ERROR_REFUSED,     /* QEMU answered with an error: its text */
    QMP_ERROR_PROTOCOL,    /* what came was not QMP */
    QMP_ERROR_INTERRUPTED, /* the interrupt descriptor became readable */
} QmpError;

typedef struct Qmp Qmp;

/* @fd: (transfer full). @interrupt_fd: readable when the user interrupts; -1: none. */
Qmp *qmp_new(int fd, int interrupt_fd);
void qmp_free(Qmp *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Qmp, qmp_free)

/* Deadlines are g_get_monotonic_time() values. */
gboolean qmp_handshake(Qmp *self, gint64 deadline, GError **error);
/* @arguments: (transfer full) (nullable).  FALSE: @error. */
gboolean qmp_execute(Qmp *self, const char *command, JsonObject *arguments, gint64 deadline,
                     GError **error);
/* Waits for the next event of that name; @data: (out) (optional) (transfer full) (nullable). */
gboolean qmp_wait_event(Qmp *self, const char *event, gint64 deadline, JsonObject **data,
                        GError **error);
/* Waits for MIGRATION to say `completed`; `failed` is QMP_ERROR_REFUSED. */
gboolean qmp_wait_migration(Qmp *self, gint64 deadline, GError **error);
/* Waits until QEMU closes the connection.  FALSE: timeout or interrupt. */
gboolean qmp_wait_closed(Qmp *self, gint64 deadline, GError **error);
