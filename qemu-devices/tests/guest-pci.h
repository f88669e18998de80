/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions as sysfs shows them, for the guest of the glue's tests. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Says why and resets the machine: PID 1 has nowhere to return to. */
void guest_die(const char *what);
void pci_write_file(const char *path, const char *text);
/* File @name of @folder, e.g. "resource0", as memory of the device; NULL: it cannot be mapped. */
void *pci_map(const char *folder, const char *name, size_t bytes);
/* The folder of the function with this class, or if that is 0 with this vendor and device; 0: there is none. */
int pci_find(unsigned class, unsigned vendor, unsigned device, char *folder, size_t bytes);
/* The address of BAR @bar of a function; 0: it has none. */
uint64_t pci_bar_address(const char *folder, unsigned bar);
