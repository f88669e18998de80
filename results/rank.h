/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ranks. */
#pragma once

/* Spearman's rank correlation of @n pairs: from -1 to 1, by ranks, of which equal values have the
 * mean.  NAN: fewer than two pairs, or all values of a series are equal. */
double rank_correlation(const double *x, const double *y, unsigned n);
/* Median, of any order; the mean of the middle two of an even number.  NAN: none. */
double rank_median(const double *values, unsigned n);
/* The median as above, and the smallest and largest of @n >= 1 values. */
double rank_median_range(const double *values, unsigned n, double *least, double *most);
