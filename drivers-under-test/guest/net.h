/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network ports that a plan has waited for: found by MAC or PCI address, never by ethN. */
#pragma once
#include "devices.h"

/* Waits at most @ms until a driver has made an interface of the port whose MAC
 * ("00:1b:21:00:00:01", any case) or PCI address ("0000:01:00.0") is @name; VLANs and the like are
 * no ports. */
bool net_wait(Devices *self, const char *name, uint64_t ms, Reason *reason);
/* Waits at most @ms until the interface of that port has its link. */
bool net_wait_link(const Devices *self, const char *name, uint64_t ms, Reason *reason);
/* Adds `NAME COUNTER VALUE` lines, the driver's statistics (ethtool -S) of every port. */
bool net_statistics_add(Text *out, const Devices *devices, Reason *reason);
