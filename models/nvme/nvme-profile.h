/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile of an NVMe drive: identity, limits, timing, quirks.  Every field has a row in nvme-profile.c: key, unit, range, meaning. */
#pragma once
#include <glib.h>
#include "pcie/pcie-identity.h"
#include "sim/sim-param.h"

typedef struct NvmeProfile NvmeProfile; /* fields in nvme-profile-fields.h: for models/nvme alone */

/* @path: a file. Errors name file and line. (transfer full) */
NvmeProfile *nvme_profile_load(const char *path, GError **error);
NvmeProfile *nvme_profile_read(SimKeyfile *file, GError **error); /* the same, from one that is scanned */
void nvme_profile_free(NvmeProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NvmeProfile, nvme_profile_free)
const char *nvme_profile_name(const NvmeProfile *self);
/* The table of parameters, and a value as text (transfer full) with its source: for `quirkbench profiles` and telemetry. */
const SimParam *nvme_profile_params(size_t *n);
char *nvme_profile_format(const NvmeProfile *self, const SimParam *param);
const char *nvme_profile_source(const NvmeProfile *self, const char *key);

/* What whoever builds config space needs. */
void nvme_profile_pci(const NvmeProfile *self, PcieIdentity *identity);
