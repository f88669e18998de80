/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of devices that a scenario may plug in: one row a model, which all else reads. */
#pragma once
#include <gio/gio.h>

#include "pcie/pcie-identity.h"
#include "sim/sim-counter.h"
#include "sim/sim-param.h"

typedef struct DeviceType {
    const char *kind;         /* as in the results: "nvme"; profiles are in models/KIND/profiles */
    const char *what;         /* "NVMe drive" */
    const char *plural;       /* "NVMe drives" */
    const char *profiles;     /* folder of profiles, in the source tree */
    const char *qemu;         /* QEMU's name of the device */
    const char *const *keys;  /* of [device NAME] beside those of every device; NULL-ended */
    const char *const *parts; /* of {NAME:PART} in steps; NULL-ended */
    const SimCounter *counters;
    size_t counters_n;
    const SimParam *(*params)(size_t *n);
    /* A profile: loaded from a file (transfer full), its name, a value as text (transfer full), a
     * value's source. */
    void *(*load)(const char *path, GError **error);
    void *(*read)(SimKeyfile *file, GError **error); /* the same, from one that is scanned */
    void (*free)(void *profile);
    const char *(*name)(const void *profile);
    char *(*format)(const void *profile, const SimParam *param);
    const char *(*source)(const void *profile, const char *key);
    void (*pci)(const void *profile, PcieIdentity *pci);
} DeviceType;

extern const DeviceType device_types[];
extern const size_t device_types_n;
#define DEVICE_NVME (&device_types[0])
#define DEVICE_IXGBE (&device_types[1])

/* The file of a profile, given by name or path, and what it is a profile of: its folder says so, or
 * whose keys it has.  NULL: @error names the nearest one. (transfer full) */
char *device_type_find_profile(const char *name, const DeviceType **type, GError **error);
/* NULL: profiles of the type have no such key. */
const SimParam *device_type_param(const DeviceType *self, const char *key);
