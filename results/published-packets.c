/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published forwarding rates: the samples of a table become a median and a range. */
#include "internal.h"
#include "published-packets.h"
#include "rank.h"
#include "sim/sim-keyfile.h"

static void figure_free(void *data)
{
    PublishedPackets *figure = data;

    g_free(figure->id);
    g_free(figure->role);
    g_free(figure->note);
    g_free(figure);
}

static unsigned number(const GPtrArray *rows, guint row, const char *column)
{
    return (unsigned)g_ascii_strtoull(results_csv_cell(rows, row, column), NULL, 10);
}

static PublishedPackets *figure_new(const GPtrArray *rows, guint row, const GPtrArray *fit)
{
    PublishedPackets *figure = g_new0(PublishedPackets, 1);

    figure->id = g_strdup(results_csv_cell(rows, row, "table_id"));
    figure->queues = number(rows, row, "rss_queues");
    figure->rx_ring = number(rows, row, "rx_ring_entries");
    figure->rx_usecs = number(rows, row, "rx_usecs_us");
    figure->bar_pct = -1;
    for (guint i = 1; i < fit->len; i++) {
        if (g_str_equal(results_csv_cell(fit, i, "table_id"), figure->id)) {
            const char *bar = results_csv_cell(fit, i, "bar_pct");

            figure->role = g_strdup(results_csv_cell(fit, i, "role"));
            figure->note = g_strdup(results_csv_cell(fit, i, "note"));
            figure->bar_pct = *bar ? g_ascii_strtod(bar, NULL) : -1;
            return figure;
        }
    }
    figure->role = g_strdup("");
    figure->note = g_strdup("");
    return figure;
}

/* Samples of a table stand together. */
static GPtrArray *read_figures(void)
{
    g_autoptr(GPtrArray) rows = results_csv("published/ixgbe_pps.csv");
    g_autoptr(GPtrArray) fit = results_csv("published/fit-packets.csv");
    GPtrArray *figures = g_ptr_array_new_with_free_func(figure_free);
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint row = 1; row < rows->len;) {
        PublishedPackets *figure = figure_new(rows, row, fit);

        g_array_set_size(samples, 0);
        for (; row < rows->len && g_str_equal(results_csv_cell(rows, row, "table_id"), figure->id);
             row++) {
            double pps = g_ascii_strtod(results_csv_cell(rows, row, "pps_tx"), NULL);

            g_array_append_val(samples, pps);
        }
        figure->samples = samples->len;
        figure->pps = rank_median_range((const double *)(const void *)samples->data, samples->len,
                                        &figure->least, &figure->most);
        g_ptr_array_add(figures, figure);
    }
    return figures;
}

const GPtrArray *published_packets(void)
{
    static GPtrArray *figures; /* constant once made; freed by nobody */

    if (g_once_init_enter(&figures)) {
        g_once_init_leave(&figures, read_figures());
    }
    return figures;
}

const PublishedPackets *published_packets_find(const char *id)
{
    const GPtrArray *figures = published_packets();

    for (guint i = 0; i < figures->len; i++) {
        const PublishedPackets *figure = g_ptr_array_index(figures, i);

        if (g_str_equal(figure->id, id)) {
            return figure;
        }
    }
    return NULL;
}

const char *published_packets_nearest(const char *id)
{
    const GPtrArray *figures = published_packets();
    g_autoptr(GPtrArray) ids = g_ptr_array_new();

    for (guint i = 0; i < figures->len; i++) {
        g_ptr_array_add(ids, ((PublishedPackets *)g_ptr_array_index(figures, i))->id);
    }
    g_ptr_array_add(ids, NULL);
    return sim_nearest_word(id, (const char *const *)ids->pdata);
}

double published_packets_waiting_pct(void)
{
    /* Users of the one route are counted in a cache line that all cpus write; the next two read
     * what stands beside the count. */
    static const char *const waiting[] = {"skb_dst_force", "dst_release",      "rt_cache_valid",
                                          "ipv4_mtu",      "do_raw_spin_lock", NULL};
    g_autoptr(GPtrArray) rows = results_csv("published/ixgbe_perf_top.csv");
    double sum = 0;

    for (guint row = 1; row < rows->len; row++) {
        if (g_strv_contains(waiting, results_csv_cell(rows, row, "kernel_function"))) {
            sum += g_ascii_strtod(results_csv_cell(rows, row, "cpu_pct"), NULL);
        }
    }
    return sum;
}
