/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device-type.h"

#include <string.h>

#include "ixgbe/ixgbe-counters.h"
#include "ixgbe/ixgbe-profile.h"
#include "nvme/nvme-counters.h"
#include "nvme/nvme-profile.h"

/* --- NVMe drives --- */

static void *nvme_load(const char *path, GError **error)
{
    return nvme_profile_load(path, error);
}

static void *nvme_read(SimKeyfile *file, GError **error)
{
    return nvme_profile_read(file, error);
}

static void nvme_free(void *profile)
{
    nvme_profile_free(profile);
}

static const char *nvme_name(const void *profile)
{
    return nvme_profile_name(profile);
}

static char *nvme_format(const void *profile, const SimParam *param)
{
    return nvme_profile_format(profile, param);
}

static const char *nvme_source(const void *profile, const char *key)
{
    return nvme_profile_source(profile, key);
}

static void nvme_pci(const void *profile, PcieIdentity *pci)
{
    nvme_profile_pci(profile, pci);
}

/* --- Ports of an 82599 --- */

static void *ixgbe_load(const char *path, GError **error)
{
    return ixgbe_profile_load(path, error);
}

static void *ixgbe_read(SimKeyfile *file, GError **error)
{
    return ixgbe_profile_read(file, error);
}

static void ixgbe_free(void *profile)
{
    ixgbe_profile_free(profile);
}

static const char *ixgbe_name(const void *profile)
{
    return ixgbe_profile_name(profile);
}

static char *ixgbe_format(const void *profile, const SimParam *param)
{
    return ixgbe_profile_format(profile, param);
}

static const char *ixgbe_source(const void *profile, const char *key)
{
    return ixgbe_profile_source(profile, key);
}

static void ixgbe_pci(const void *profile, PcieIdentity *pci)
{
    ixgbe_profile_pci(profile, pci);
}

static const char *const nvme_keys[] = {"serial",      "fill",      "faults",
                                        "store-limit", "published", NULL};
static const char *const nvme_parts[] = {"ctrl", "bdf", "serial", NULL};
static const char *const ixgbe_keys[] = {"mac", "sfp", "card", "published", NULL};
static const char *const ixgbe_parts[] = {"bdf", "mac", NULL};

const DeviceType device_types[] = {
    {
        .kind = "nvme",
        .what = "NVMe drive",
        .plural = "NVMe drives",
        .profiles = "models/nvme/profiles",
        .qemu = "quirkbench-nvme",
        .keys = nvme_keys,
        .parts = nvme_parts,
        .counters = nvme_model_device_counters,
        .counters_n = NVME_DEVICE_COUNTERS,
        .params = nvme_profile_params,
        .load = nvme_load,
        .read = nvme_read,
        .free = nvme_free,
        .name = nvme_name,
        .format = nvme_format,
        .source = nvme_source,
        .pci = nvme_pci,
    },
    {
        .kind = "ixgbe",
        .what = "port of an 82599",
        .plural = "network cards",
        .profiles = "models/ixgbe/profiles",
        .qemu = "quirkbench-ixgbe",
        .keys = ixgbe_keys,
        .parts = ixgbe_parts,
        .counters = ixgbe_model_device_counters,
        .counters_n = IXGBE_DEVICE_COUNTERS,
        .params = ixgbe_profile_params,
        .load = ixgbe_load,
        .read = ixgbe_read,
        .free = ixgbe_free,
        .name = ixgbe_name,
        .format = ixgbe_format,
        .source = ixgbe_source,
        .pci = ixgbe_pci,
    },
};
const size_t device_types_n = G_N_ELEMENTS(device_types);

const SimParam *device_type_param(const DeviceType *self, const char *key)
{
    size_t n = 0;
    const SimParam *params = self->params(&n);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(params[i].key, key) == 0) {
            return &params[i];
        }
    }
    return NULL;
}
