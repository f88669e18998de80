/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports of a native run, in the words of the guest's (docs/channel.md). */
#pragma once
#include "native-load.h"

/* @irq_base: number of the first controller's first vector; each has NATIVE_IRQS of them. */
enum { NATIVE_IRQ_BASE = 24, NATIVE_IRQS = 2048 };

void native_report_map(GString *text, const NativeController *controller, const char *serial);
/* As /proc/interrupts. */
void native_report_interrupts(GString *text, NativeController *const *controllers, unsigned n,
                              unsigned cpus);
void native_report_load(GString *text, const NativeLoad *load, const char *const *serials,
                        unsigned n);
