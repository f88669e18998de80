/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SimPort's operations on QEMU's PCI bus; the port's opaque is the PCIDevice. */
#pragma once
#include "hw/pci/pci_device.h"
#include "sim/sim-port.h"

extern const SimPortOps quirkbench_pci_port_ops;
