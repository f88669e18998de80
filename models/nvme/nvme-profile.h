/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile of an NVMe drive: identity, limits, timing, quirks.  Every field has a row in nvme-profile.c: key, unit, range, meaning. */
#pragma once
#include <glib.h>
#include "sim/sim-param.h"

typedef struct NvmeProfile NvmeProfile; /* fields in nvme-profile-fields.h: for models/nvme alone */

/* @path: a file. Errors name file and line. (transfer full) */
NvmeProfile *nvme_profile_load(const char *path, GError **error);
void nvme_profile_free(NvmeProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NvmeProfile, nvme_profile_free)
const char *nvme_profile_name(const NvmeProfile *self);
/* The table of parameters, and a value as text (transfer full) with its source: for `quirkbench profiles` and telemetry. */
const SimParam *nvme_profile_params(size_t *n);
char *nvme_profile_format(const NvmeProfile *self, const SimParam *param);
const char *nvme_profile_source(const NvmeProfile *self, const char *key);

/* What the PCI glue needs to build config space. */
typedef struct NvmePciIdentity {
    uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
    uint8_t revision;
    unsigned bar0_bytes, msix_vectors, msix_table_offset, msix_pba_offset;
    unsigned msi_vectors; /* 0 = no MSI capability */
    unsigned pm_offset, msi_offset, msix_offset, pcie_offset, aer_offset, serial_offset; /* config space; 0 = none */
    unsigned io_bar_bytes; /* BAR2 of type I/O; 0 = none */
    unsigned max_payload;  /* supported, bytes */
    unsigned generation, lanes;
    unsigned tags;
} NvmePciIdentity;
void nvme_profile_pci(const NvmeProfile *self, NvmePciIdentity *identity);
