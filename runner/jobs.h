/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs that do not depend on each other, several at a time, each in a process of its own. */
#pragma once
#include <json-glib/json-glib.h>

/* Runs job @index and describes it; (transfer full). */
typedef JsonObject *(*JobFunc)(guint index, int interrupt_fd, void *opaque);
/* A job has ended, in this process; @run: NULL: its process died.  FALSE: no further job begins. */
typedef gboolean (*JobDone)(guint index, JsonObject *run, void *opaque);

/* A descriptor that becomes readable at SIGINT, SIGTERM or SIGHUP, which are blocked from then on;
 * -1: there is none. */
int jobs_interrupt_fd(void);
gboolean jobs_interrupted(int interrupt_fd);

/* @at_once: 1: in this process.  After an interrupt no further job begins. */
void jobs_run(guint jobs, guint at_once, int interrupt_fd, JobFunc run, JobDone done, void *opaque);
