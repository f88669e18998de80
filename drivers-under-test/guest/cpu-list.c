/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu-list.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A number below 2^20 at *@at, which is moved behind it; -1 if there is none. */
static long take_number(const char **at)
{
    char *end;
    long value;

    if (!isdigit((unsigned char)**at)) {
        return -1;
    }
    value = strtol(*at, &end, 10);
    *at = end;
    return value < 1L << 20 ? value : -1;
}

int cpu_list_parse(const char *list, int *cpus, int max)
{
    int n = 0;

    while (*list) {
        long first = take_number(&list), last = first;

        if (*list == '-') {
            list++;
            last = take_number(&list);
        }
        if (first < 0 || last < first || last - first >= max - n) {
            return -1;
        }
        for (long cpu = first; cpu <= last; cpu++) {
            cpus[n++] = (int)cpu;
        }
        if (*list == ',' && list[1]) {
            list++;
        } else if (*list) {
            return -1;
        }
    }
    return n;
}

int cpu_list_online(const char *sysfs, int *cpus, int max)
{
    char path[PATH_MAX], list[1024];
    int n = 0;

    string_set(path, sizeof(path), "%s/devices/system/cpu/online", sysfs);
    if (line_read(path, list, sizeof(list))) {
        n = cpu_list_parse(list, cpus, max);
    }
    if (n <= 0) {
        cpus[0] = 0;
        n = 1;
    }
    return n;
}
