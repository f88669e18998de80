/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rank correlations, medians and bars worked out by hand. */
#include <math.h>

#include "bench.h"
#include "results/published-native.h"
#include "results/rank.h"

#define near(a, b) epsilon_eq(dbl, a, b, 1e-12)

static const struct {
    const char *what;
    unsigned n;
    double x[5], y[5], rho;
} series[] = {
    {"same order", 4, {1, 2, 3, 4}, {10, 11, 500, 501}, 1},
    {"reverse order", 4, {1, 2, 3, 4}, {9, 7, 5, -3}, -1},
    /* every rank is off by one: 1 - 6 * 4 / (4 * 15) */
    {"neighbours swapped", 4, {10, 20, 30, 40}, {2, 1, 4, 3}, 0.6},
    /* ranks 1 2 3.5 5 3.5: 8 / sqrt(10 * 9.5) */
    {"a tie on one side", 5, {1, 2, 3, 4, 5}, {5, 6, 7, 8, 7}, 0.82078268166812329},
    /* ranks 1.5 1.5 3 and 1 2.5 2.5: 0.75 / 1.5 */
    {"ties on both", 3, {1, 1, 2}, {0, 5, 5}, 0.5},
    /* ranks 1 4 4 4 2 and 2 2 2 4 5: products 2 - 1 - 1 + 1 - 2 over sqrt(8 * 8) */
    {"three alike", 5, {0, 7, 7, 7, 1}, {3, 3, 3, 8, 9}, -1.0 / 8},
};

Test(results_rank, correlation)
{
    static const double alike[] = {5, 5, 5}, others[] = {1, 2, 3};

    for (size_t i = 0; i < G_N_ELEMENTS(series); i++) {
        cr_expect(near(rank_correlation(series[i].x, series[i].y, series[i].n), series[i].rho),
                  "%s", series[i].what);
        cr_expect(near(rank_correlation(series[i].y, series[i].x, series[i].n), series[i].rho),
                  "%s", series[i].what);
    }
    cr_expect(isnan(rank_correlation(alike, others, 3)));
    cr_expect(isnan(rank_correlation(others, alike, 3)));
    cr_expect(isnan(rank_correlation(others, others, 1)));
    cr_expect(isnan(rank_correlation(others, others, 0)));
}

Test(results_rank, median)
{
    static const double values[] = {3, 1, 2, 10};

    cr_expect(near(rank_median(values, 3), 2));
    cr_expect(near(rank_median(values, 4), 2.5));
    cr_expect(near(rank_median(values, 1), 3));
    cr_expect(isnan(rank_median(values, 0)));
}

static const PublishedListing *find(const char *id)
{
    const GPtrArray *listings = published_listings();

    for (guint i = 0; i < listings->len; i++) {
        const PublishedListing *listing = g_ptr_array_index(listings, i);

        if (g_str_equal(listing->id, id)) {
            return listing;
        }
    }
    cr_fatal("no listing %s", id);
    return NULL;
}

/* The totals are the document's, which are the sums over the cpus, but where it leaves cpus out. */
Test(results_listings, cpus_and_totals)
{
    static const struct {
        const char *id, *against;
        unsigned cpus;
        double total;
    } rows[] = {
        {"d000_32k_rand_before_3nvme", "d000_32k_rand_before_3nvme", 32, 160903},
        {"d000_4k_rand_before_3nvme", "d000_4k_rand_before_3nvme", 5, 24485},
        {"d000_4k_rand_after_3nvme", "d000_4k_rand_after_3nvme", 32, 940226},
        {"d000_4k_rand_after_3nvme_4sata", "d000_4k_rand_after_3nvme_4sata", 32, 982494},
        {"d000_32k_rand_after_3nvme_4sata", "d000_32k_rand_after_3nvme_4sata", 32, 256043},
        {"d002_systat_unattributed", "d002_4k_seq_zeroed_p8_2nvme", 8, 519813},
    };

    cr_expect(eq(u32, published_listings()->len, G_N_ELEMENTS(rows)));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const PublishedListing *listing = find(rows[i].id);
        double total = 0;

        for (unsigned j = 0; j < listing->cpus; j++) {
            cr_expect(eq(u32, listing->cpu[j], j), "%s", listing->id);
            total += listing->interrupts[j];
        }
        cr_expect(eq(u32, listing->cpus, rows[i].cpus), "%s", listing->id);
        cr_expect(eq(str, listing->against, (char *)rows[i].against));
        cr_expect(near(total, rows[i].total), "%s", listing->id);
    }
}

/* The listing's 10, 4954, 7917, 5634, 5970 have ranks 1 2 5 3 4. */
Test(results_listings, correlation_with_a_run)
{
    static const double level[] = {0, 100, 100, 100, 100, 999};
    const PublishedListing *listing = find("d000_4k_rand_before_3nvme");

    cr_expect(near(published_listing_correlation(listing, listing->interrupts, 5), 1));
    /* ranks 1 3.5 3.5 3.5 3.5, cpu 5 is not listed: 5 / sqrt(10 * 5) */
    cr_expect(near(published_listing_correlation(listing, level, 6), sqrt(0.5)));
    /* cpus 2 to 4 took none, ranks 2.5 5 2.5 2.5 2.5: -2.5 / sqrt(10 * 5) */
    cr_expect(near(published_listing_correlation(listing, level, 2), -sqrt(0.125)));
    cr_expect(isnan(published_listing_correlation(listing, level, 0)));
}

#define FIGURES 5
static PublishedFigure made[FIGURES] = {
    {.scenario_id = "d000_a", .native_role = "fitted"},
    {.scenario_id = "d000_b", .native_role = "predicted"},
    {.scenario_id = "d002_a", .native_role = "predicted"},
    {.scenario_id = "d002_b", .native_role = ""}, /* context */
    {.scenario_id = "d002_c", .native_role = "predicted"},
};

static GPtrArray *figures_new(void)
{
    GPtrArray *figures = g_ptr_array_new();

    for (size_t i = 0; i < FIGURES; i++) {
        g_ptr_array_add(figures, &made[i]);
    }
    return figures;
}

Test(results_native, errors_by_role_and_document)
{
    static const double errors[FIGURES] = {-2, 4, -6, 90, 8};
    g_autoptr(GPtrArray) figures = figures_new();
    NativeSummary summary = native_summary(figures, errors);

    cr_expect(eq(u32, summary.figures, 4));
    cr_expect(eq(u32, summary.missing, 0));
    cr_expect(eq(u32, summary.all.figures, 4));
    cr_expect(near(summary.all.median_pct, 5));
    cr_expect(near(summary.all.worst_pct, 8));
    cr_expect(eq(u32, summary.fitted.figures, 1));
    cr_expect(near(summary.fitted.median_pct, 2));
    cr_expect(eq(u32, summary.predicted.figures, 3));
    cr_expect(near(summary.predicted.median_pct, 6));
    cr_expect(near(summary.documents[0].median_pct, 3));
    cr_expect(near(summary.documents[1].median_pct, 7));
    cr_expect(near(summary.documents[1].worst_pct, 8));
    cr_expect(eq(int, summary.verdict, NATIVE_HELD));
}

Test(results_native, bars)
{
    static const struct {
        double errors[FIGURES];
        NativeVerdict verdict;
        bool median, predicted, worst;
    } rows[] = {
        {{-2, 4, -6, 90, 8}, NATIVE_HELD, true, true, true}, /* median 5: just held */
        {{-2, 4, -6.1, 90, 8}, NATIVE_MISSED, false, true, true},
        {{0, 0, 8, 90, 20}, NATIVE_HELD, true, true, true}, /* median 4, predicted 8, worst 20 */
        {{0, 0, 8.1, 90, 20}, NATIVE_MISSED, true, false, true},
        {{0, 0, 8, 90, -20.1}, NATIVE_MISSED, true, true, false},
    };
    g_autoptr(GPtrArray) figures = figures_new();

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NativeSummary summary = native_summary(figures, rows[i].errors);

        cr_expect(eq(int, summary.verdict, rows[i].verdict), "row %zu", i);
        cr_expect(eq(int, summary.median_held, rows[i].median), "row %zu", i);
        cr_expect(eq(int, summary.predicted_held, rows[i].predicted), "row %zu", i);
        cr_expect(eq(int, summary.worst_held, rows[i].worst), "row %zu", i);
        cr_expect(true == summary.fitted_held, "row %zu", i);
    }
}

Test(results_native, no_verdict_while_a_run_is_missing)
{
    static const double errors[FIGURES] = {-2, NAN, 99, NAN, 99};
    g_autoptr(GPtrArray) figures = figures_new();
    NativeSummary summary = native_summary(figures, errors);

    cr_expect(eq(u32, summary.figures, 4));
    cr_expect(eq(u32, summary.missing, 1)); /* context may be missing */
    cr_expect(eq(u32, summary.all.figures, 3));
    cr_expect(near(summary.all.median_pct, 99));
    cr_expect(near(summary.documents[0].worst_pct, 2));
    cr_expect(eq(int, summary.verdict, NATIVE_MISSING));
}

Test(results_native, at_most_a_third_is_fitted)
{
    static const double errors[FIGURES] = {0};
    g_autoptr(GPtrArray) figures = figures_new();
    NativeSummary summary;

    made[4].native_role = "fitted"; /* two of four; each test is a process */
    summary = native_summary(figures, errors);
    cr_expect(eq(int, summary.verdict, NATIVE_MISSED));
    cr_expect(false == summary.fitted_held);
    g_ptr_array_remove_index(figures, 4); /* one of three */
    cr_expect(eq(int, native_summary(figures, errors).verdict, NATIVE_HELD));
}
