# SPDX-License-Identifier: GPL-2.0-or-later
# The stock devices that a Quirkbench machine needs; everything else is left out.
CONFIG_Q35=y
CONFIG_PCIE_PORT=y
# QEMU's own nvme: only for comparison in benchmarks.
CONFIG_NVME_PCI=y
