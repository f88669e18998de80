/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space of an NVMe drive, laid out as its profile says. */
#pragma once
#include "hw/pci/pci_device.h"
#include "nvme/nvme-profile.h"
#include "pcie/pcie-link.h"

/* Registers the BARs and capabilities.  @slot: what the machine's slot can do.  False: nothing is
 * left behind. */
bool quirkbench_nvme_config_init(PCIDevice *pci, const NvmePciIdentity *identity,
                                 MemoryRegion *bar0, MemoryRegion *io_bar, const char *serial,
                                 const PcieParams *slot, Error **errp);
void quirkbench_nvme_config_exit(PCIDevice *pci, const NvmePciIdentity *identity,
                                 MemoryRegion *bar0);
