/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions that a plan has waited for before any driver of a class knows them: found by where
 * they are plugged in, and bound to a driver by name. */
#pragma once
#include "devices.h"

/* Waits at most @ms until there is the function at @place, "BRIDGE/FUNCTION" ("0000:00:10.0/1": the
 * second function behind that port), which from then on is known by @name. */
bool pci_wait(Devices *self, const char *name, const char *place, uint64_t ms, Reason *reason);
/* Takes the device from the driver that it has and gives it to @driver, which has to be loaded. */
bool pci_bind(const Devices *self, const char *name, const char *driver, Reason *reason);
