/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile of an 82599 card: identity, module, sizes, timing, quirks.  Every field has a row in
 * ixgbe-profile.c: key, unit, range, meaning. */
#pragma once
#include <glib.h>
#include "pcie/pcie-identity.h"
#include "sim/sim-param.h"

typedef struct IxgbeProfile IxgbeProfile; /* fields in ixgbe-internal.h: for models/ixgbe alone */

/* @path: a file.  Errors name file and line. (transfer full) */
IxgbeProfile *ixgbe_profile_load(const char *path, GError **error);
IxgbeProfile *ixgbe_profile_read(SimKeyfile *file, GError **error); /* the same */
void ixgbe_profile_free(IxgbeProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IxgbeProfile, ixgbe_profile_free)
const char *ixgbe_profile_name(const IxgbeProfile *self);
/* The table of parameters, and a value as text (transfer full) with its source. */
const SimParam *ixgbe_profile_params(size_t *n);
char *ixgbe_profile_format(const IxgbeProfile *self, const SimParam *param);
const char *ixgbe_profile_source(const IxgbeProfile *self, const char *key);

/* What whoever builds config space needs. */
void ixgbe_profile_pci(const IxgbeProfile *self, PcieIdentity *identity);
