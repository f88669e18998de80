/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated drivers against the published documents: errors over all figures with their bars, and
 * the documents' listings of interrupts by cpu (published/cpu_systat.csv). */
#pragma once
#include "published.h"

#define NATIVE_BAR_MEDIAN_PCT 5
#define NATIVE_BAR_PREDICTED_PCT 8
#define NATIVE_BAR_WORST_PCT 20
#define NATIVE_BAR_FITTED_OF 3 /* at most one of so many figures may be fitted */

typedef struct NativeErrors {
    unsigned figures;
    double median_pct, worst_pct; /* of the absolute errors; NAN: no figure */
} NativeErrors;

typedef enum { NATIVE_MISSING, NATIVE_HELD, NATIVE_MISSED } NativeVerdict;

typedef struct NativeSummary {
    unsigned figures, missing; /* that have a native role; of them, without a run */
    NativeErrors all, fitted, predicted;
    NativeErrors documents[2]; /* published_documents, in their order */
    NativeVerdict verdict;     /* MISSING: some figure has no run, so there is none */
    bool median_held, predicted_held, worst_held, fitted_held; /* the bars, one by one */
} NativeSummary;

/* Prefixes of scenario ids: "d000", "d002". */
extern const char *const published_documents[2];

/* @figures: of const PublishedFigure *; @errors_pct: of each, in their order, NAN without a run.
 * Figures without a native role do not count. */
NativeSummary native_summary(const GPtrArray *figures, const double *errors_pct);

/* Interrupts a second by cpu, as the document lists them. */
typedef struct PublishedListing {
    char *id;      /* "d000_4k_rand_after_3nvme" */
    char *against; /* scenario id of the simulated run to compare with */
    char *note;    /* what to know of the comparison, or "" */
    unsigned cpus; /* listed; not all in every listing */
    unsigned *cpu; /* their numbers */
    double *interrupts;
} PublishedListing;

/* All listings in the order of the CSV, without their totals: GPtrArray of const PublishedListing
 * *; (transfer none), made once. */
const GPtrArray *published_listings(void);
/* Rank correlation with interrupts of cpus 0 … @cpus - 1 of a run: a cpu beyond took none. */
double published_listing_correlation(const PublishedListing *self, const double *interrupts,
                                     unsigned cpus);
