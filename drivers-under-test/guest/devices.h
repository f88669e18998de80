/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan has waited for: NVMe controllers, found by serial, never by nvmeN; network ports
 * (net.h), whose MAC or PCI address stands for the serial; PCI functions (pci.h). */
#pragma once
#include "text.h"

#define DEVICES_MAX 64

typedef struct Device {
    char serial[24];
    char disk[64];      /* /dev/nvmeXn1 */
    char ctrl[64];      /* /dev/nvmeX */
    char bdf[24];       /* 0000:01:00.0 */
    char interface[16]; /* eth0; with disk empty too: a function that a program drives */
} Device;

typedef struct Devices {
    const char *sysfs, *dev, *proc; /* "/sys", "/dev", "/proc" */
    Device list[DEVICES_MAX];
    int n;
} Devices;

/* Waits at most @ms until the controller is live and its namespace 1 can be opened and is quiet. */
bool devices_wait(Devices *self, const char *serial, uint64_t ms, Reason *reason);
/* Waits at most @ms until no controller has that serial, and forgets it. */
bool devices_wait_gone(Devices *self, const char *serial, uint64_t ms, Reason *reason);
/* Keeps a copy of @device, in place of one with its serial. */
bool devices_store(Devices *self, const Device *device, Reason *reason);
/* Guest time, and what lies between two looks at it. */
uint64_t devices_now_ms(void);
void devices_poll(void);
/* NULL: not waited for. */
const Device *devices_find(const Devices *self, const char *serial);
/* A WordsLookup on a Devices. */
const char *devices_lookup(void *devices, const char *name, const char *field);

/* Adds the lines of the `queue-map` report. */
void queue_map_add(Text *out, const Devices *devices);
