/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space of a device, laid out as its profile says. */
#pragma once
#include "hw/pci/pci_device.h"
#include "pcie/pcie-identity.h"

/* The BARs: registers, I/O, MSI-X where it has one of its own. */
typedef struct QuirkbenchPciBars {
    MemoryRegion registers, io, msix;
} QuirkbenchPciBars;

/* Registers the BARs and capabilities; bars->registers is initialised by the caller.  @serial: of
 * the serial number's capability, if the identity has one.  @slot: what the machine's slot can do.
 * False: nothing is left behind. */
bool quirkbench_pci_config_init(PCIDevice *pci, const PcieIdentity *identity,
                                QuirkbenchPciBars *bars, uint64_t serial, const PcieParams *slot,
                                Error **errp);
void quirkbench_pci_config_exit(PCIDevice *pci, const PcieIdentity *identity,
                                QuirkbenchPciBars *bars);

/* A guest's write to config space. */
void quirkbench_pci_config_write(PCIDevice *pci, const PcieIdentity *identity, uint32_t address,
                                 uint32_t value, int bytes);
/* Hands Device Control's sizes to @function. */
void quirkbench_pci_config_control(PCIDevice *pci, PcieFunction *function);
/* Whether the device may read and write memory: Bus Master Enable is set, and it is in D0; in D3hot
 * it only answers accesses to config space.  [PCI-PM-1.2 §5.4.1] */
bool quirkbench_pci_config_master(PCIDevice *pci, const PcieIdentity *identity);
/* Device Control after a reset; true: a function level reset is what resets the device. */
bool quirkbench_pci_config_reset(PCIDevice *pci);
