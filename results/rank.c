/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *sorted(const double *values, unsigned n)
{
    double *copy = g_new(double, n);

    for (unsigned i = 0; i < n; i++) {
        copy[i] = values[i];
    }
    qsort(copy, n, sizeof(double), by_value);
    return copy;
}

/* Each value's rank, from 1; equal values have the mean of the ranks that they take up. */
static double *ranks(const double *values, unsigned n)
{
    double *rank = g_new(double, n);

    for (unsigned i = 0; i < n; i++) {
        unsigned below = 0, equal = 0;
        for (unsigned j = 0; j < n; j++) {
            below += values[j] < values[i];
            equal += values[j] == values[i];
        }
        rank[i] = below + (equal + 1) / 2.0;
    }
    return rank;
}

double rank_correlation(const double *x, const double *y, unsigned n)
{
    g_autofree double *rx = NULL, *ry = NULL;
    double mean = (n + 1) / 2.0, xx = 0, yy = 0, xy = 0;

    if (n < 2) {
        return NAN;
    }
    rx = ranks(x, n);
    ry = ranks(y, n);
    for (unsigned i = 0; i < n; i++) {
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
        xy += (rx[i] - mean) * (ry[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

double rank_median(const double *values, unsigned n)
{
    g_autofree double *all = NULL;

    if (n == 0) {
        return NAN;
    }
    all = sorted(values, n);
    return n % 2 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
}

double rank_median_range(const double *values, unsigned n, double *least, double *most)
{
    *least = *most = values[0];
    for (unsigned i = 1; i < n; i++) {
        *least = MIN(*least, values[i]);
        *most = MAX(*most, values[i]);
    }
    return rank_median(values, n);
}
