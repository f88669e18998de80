/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space of an 82599, laid out as its profile says. */
#pragma once
#include "hw/pci/pci_device.h"
#include "ixgbe/ixgbe-profile.h"
#include "pcie/pcie-link.h"

/* The BARs: registers, I/O, MSI-X. */
typedef struct QuirkbenchIxgbeBars {
    MemoryRegion registers, io, msix;
} QuirkbenchIxgbeBars;

/* Registers the BARs and capabilities; bars->registers is initialised by the caller.  @slot: what
 * the machine's slot can do.  False: nothing is left behind. */
bool quirkbench_ixgbe_config_init(PCIDevice *pci, const IxgbePciIdentity *identity,
                                  QuirkbenchIxgbeBars *bars, const uint8_t *mac,
                                  const PcieParams *slot, Error **errp);
void quirkbench_ixgbe_config_exit(PCIDevice *pci, const IxgbePciIdentity *identity,
                                  QuirkbenchIxgbeBars *bars);
