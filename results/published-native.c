/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "published-native.h"

#include <math.h>

#include "internal.h"
#include "rank.h"

const char *const published_documents[2] = {"d000", "d002"};

/* --- Errors and their bars --- */

/* Of the figures whose native role (NULL: any) and scenario id's start (NULL: any) are these. */
static NativeErrors errors_of(const GPtrArray *figures, const double *errors_pct, const char *role,
                              const char *document)
{
    g_autoptr(GArray) errors = g_array_new(FALSE, FALSE, sizeof(double));
    NativeErrors result = {.worst_pct = NAN};

    for (guint i = 0; i < figures->len; i++) {
        const PublishedFigure *figure = g_ptr_array_index(figures, i);
        double error = fabs(errors_pct[i]);

        if (!*figure->native_role || isnan(error) ||
            (role && !g_str_equal(figure->native_role, role)) ||
            (document && !g_str_has_prefix(figure->scenario_id, document))) {
            continue;
        }
        g_array_append_val(errors, error);
        result.worst_pct = fmax(result.worst_pct, error); /* of NAN and a number: the number */
    }
    result.figures = errors->len;
    result.median_pct = rank_median((const double *)(const void *)errors->data, errors->len);
    return result;
}

NativeSummary native_summary(const GPtrArray *figures, const double *errors_pct)
{
    NativeSummary self = {0};

    for (guint i = 0; i < figures->len; i++) {
        const PublishedFigure *figure = g_ptr_array_index(figures, i);

        if (*figure->native_role) {
            self.figures++;
            self.missing += isnan(errors_pct[i]) != 0;
        }
    }
    self.all = errors_of(figures, errors_pct, NULL, NULL);
    self.fitted = errors_of(figures, errors_pct, "fitted", NULL);
    self.predicted = errors_of(figures, errors_pct, "predicted", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(self.documents); i++) {
        self.documents[i] = errors_of(figures, errors_pct, NULL, published_documents[i]);
    }
    if (self.missing) {
        return self;
    }
    self.median_held = self.all.median_pct <= NATIVE_BAR_MEDIAN_PCT;
    self.predicted_held = self.predicted.median_pct <= NATIVE_BAR_PREDICTED_PCT;
    self.worst_held = self.all.worst_pct <= NATIVE_BAR_WORST_PCT;
    self.fitted_held = self.fitted.figures * NATIVE_BAR_FITTED_OF <= self.figures;
    self.verdict = self.median_held && self.predicted_held && self.worst_held && self.fitted_held
                       ? NATIVE_HELD
                       : NATIVE_MISSED;
    return self;
}

/* --- Interrupts by cpu --- */

static void listing_free(void *data)
{
    PublishedListing *self = data;

    g_free(self->id);
    g_free(self->against);
    g_free(self->note);
    g_free(self->cpu);
    g_free(self->interrupts);
    g_free(self);
}

static PublishedListing *listing_new(const GPtrArray *rows, guint row)
{
    PublishedListing *self = g_new0(PublishedListing, 1);
    const char *note = results_csv_cell(rows, row, "note");

    self->id = g_strdup(results_csv_cell(rows, row, "scenario_id"));
    /* The test is not named: the one whose interrupts come nearest. */
    self->against =
        g_strdup(g_str_equal(self->id, "d002_systat_unattributed") ? "d002_4k_seq_zeroed_p8_2nvme"
                                                                   : self->id);
    self->note =
        g_strdup(g_str_has_suffix(self->id, "_4sata") ? "SATA's interrupts are in it, too" : note);
    self->cpu = g_new(unsigned, rows->len);
    self->interrupts = g_new(double, rows->len);
    return self;
}

static GPtrArray *read_listings(void)
{
    g_autoptr(GPtrArray) rows = results_csv("published/cpu_systat.csv");
    GPtrArray *listings = g_ptr_array_new_with_free_func(listing_free);
    PublishedListing *listing = NULL;

    for (guint row = 1; row < rows->len; row++) {
        const char *cpu = results_csv_cell(rows, row, "cpu");

        if (!listing || !g_str_equal(listing->id, results_csv_cell(rows, row, "scenario_id"))) {
            listing = listing_new(rows, row);
            g_ptr_array_add(listings, listing);
        }
        if (!g_str_equal(cpu, "total")) {
            listing->cpu[listing->cpus] = (unsigned)g_ascii_strtoull(cpu, NULL, 10);
            listing->interrupts[listing->cpus++] =
                g_ascii_strtod(results_csv_cell(rows, row, "extint_per_s"), NULL);
        }
    }
    return listings;
}

const GPtrArray *published_listings(void)
{
    static GPtrArray *listings; /* constant once made; freed by nobody */

    if (g_once_init_enter(&listings)) {
        g_once_init_leave(&listings, read_listings());
    }
    return listings;
}

double published_listing_correlation(const PublishedListing *self, const double *interrupts,
                                     unsigned cpus)
{
    g_autofree double *ours = g_new0(double, self->cpus);

    for (unsigned i = 0; i < self->cpus; i++) {
        ours[i] = self->cpu[i] < cpus ? interrupts[self->cpu[i]] : 0;
    }
    return rank_correlation(self->interrupts, ours, self->cpus);
}
