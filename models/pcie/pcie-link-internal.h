/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For models/pcie and its tests alone. */
#pragma once
#include "pcie/pcie-link.h"

/* Adds @wire_bytes to a ledger behind the serialiser's back: the identity must notice. */
void pcie_function_tamper(PcieFunction *self, PciePurpose purpose, PcieDirection direction,
                          PcieTlpType type, uint64_t wire_bytes);
/* Busy intervals that a direction remembers at the moment. */
size_t pcie_link_intervals(const PcieLink *self, PcieDirection direction);
