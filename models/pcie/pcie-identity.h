/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI identity of a device: what its config space says.  The keys of a profile are in
 * pcie-identity.def; whoever builds config space needs nothing else. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "pcie/pcie-link.h"

typedef struct PcieIdentity {
    /* Of the profile.  Offsets are in config space, 0 = none; sizes in bytes, 0 = none. */
    uint64_t revision, bar0_bytes, io_bar_bytes;
    uint64_t msix_bar_bytes; /* BAR4 with table and pending bits; 0 = they lie in BAR0 */
    uint64_t msix_vectors, msix_table, msix_pba;
    uint64_t msi_vectors;
    uint64_t pm_offset, msi_offset, msix_offset, pcie_offset, aer_offset, serial_offset;
    uint64_t max_payload; /* supported */
    uint64_t generation, lanes, tags;

    /* Worked out from `pci.id` and `pci.subsystem`. */
    uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;

    /* Of the kind of device. */
    uint8_t prog_if;
    bool msi_masks;           /* MSI with a mask for each vector */
    bool completion_timeout;  /* the driver may set it in Device Control 2 */
    uint64_t registers_bytes; /* start of BAR0, where no MSI-X table can lie */
    SimTime partial_line_ps;  /* as PcieFunctionParams has it: for the link alone */
} PcieIdentity;

/* Fills in the ids, and finds what the ranges of single keys cannot say: NULL = nothing, or the key
 * that is at fault and @why (static).  @id, @subsystem: texts of the profile. */
const char *pcie_identity_check(PcieIdentity *self, const char *id, const char *subsystem,
                                const char **why);
/* What the link needs to know of the device. */
PcieFunctionParams pcie_identity_function(const PcieIdentity *self);
