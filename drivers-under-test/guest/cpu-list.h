/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's way to write a set of cpus: "0-3,8,10-11". */
#pragma once
#include "text.h"

/* Writes the cpus' numbers to @cpus; returns how many, or -1 on bad syntax or more than @max. */
int cpu_list_parse(const char *list, int *cpus, int max);
/* The cpus that are online, below @sysfs; at least cpu 0. */
int cpu_list_online(const char *sysfs, int *cpus, int max);
