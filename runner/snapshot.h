/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Booted machines, kept: the guest boots once for each (QEMU, machine, kernel, image) and asks for
 * the snapshot; runs restore it.  Kept in CACHE/snapshots/KEY/{state,log}, made under a lock. */
#pragma once
#include "inputs.h"
#include "scenario.h"

#define SNAPSHOT_ERROR (snapshot_error_quark())
GQuark snapshot_error_quark(void);
typedef enum {
    SNAPSHOT_ERROR_BOOT,  /* the guest did not come up: the message says where its log is */
    SNAPSHOT_ERROR_WRITE, /* disk full, cache not writable */
} SnapshotError;

#define SNAPSHOTS_KEPT 8

/* Says what takes long; NULL function: nothing is said. */
typedef void (*SnapshotProgress)(const char *text, void *opaque);

/**
 * snapshot_find:
 * Returns: (transfer full): the path of the state file, made if it is not there (half a minute and
 * more), or NULL and @error.  @key_out: (out) (transfer full): the snapshot's key. */
char *snapshot_find(const Scenario *scenario, const Inputs *inputs, int interrupt_fd,
                    SnapshotProgress progress, void *opaque, char **key_out, GError **error);
struct Qemu;
/* Loads @state into a QEMU that was started with -incoming defer; it stays stopped. */
gboolean snapshot_restore(struct Qemu *qemu, const char *state, gint64 deadline, GError **error);
/* Is it there? */
gboolean snapshot_exists(const char *cache, const char *key);
/* Removes all but the @kept used last, and what dead makers have left.  Returns how many. */
unsigned snapshot_prune(const char *cache, unsigned kept);
