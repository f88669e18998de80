/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published figures: the CSV's one-second samples become a median and a range. */
#include "internal.h"
#include "published.h"
#include "rank.h"
#include "sim/sim-keyfile.h"

GPtrArray *results_csv(const char *file)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    const char *text = results_file(file);
    g_auto(GStrv) lines = NULL;

    g_assert(text); /* built in */
    lines = g_strsplit(text, "\n", -1);
    for (int i = 0; lines[i]; i++) {
        if (*lines[i] && *lines[i] != '#') {
            g_ptr_array_add(rows, g_strsplit(lines[i], ",", -1));
        }
    }
    return rows;
}

const char *results_csv_cell(const GPtrArray *rows, guint row, const char *column)
{
    char **head = g_ptr_array_index(rows, 0);
    char **cells = g_ptr_array_index(rows, row);

    for (guint i = 0; head[i] && cells[i]; i++) {
        if (g_str_equal(head[i], column)) {
            return cells[i];
        }
    }
    g_assert_not_reached(); /* a column of a file that is built in */
}

static double figure_cell(const GPtrArray *rows, guint row, const char *column)
{
    return g_ascii_strtod(results_csv_cell(rows, row, column), NULL);
}

typedef struct Samples {
    GArray *iops, *idle; /* double */
} Samples;

static void figure_free(void *data)
{
    PublishedFigure *figure = data;

    g_free(figure->id);
    g_free(figure->scenario_id);
    g_free(figure->device);
    g_free(figure->model);
    g_free(figure->access);
    g_free(figure->fill);
    g_free(figure->processes);
    g_free(figure->role);
    g_free(figure->limit);
    g_free(figure->note);
    g_free(figure->native_role);
    g_free(figure);
}

static PublishedFigure *figure_new(const GPtrArray *rows, guint row)
{
    PublishedFigure *figure = g_new0(PublishedFigure, 1);

    figure->scenario_id = g_strdup(results_csv_cell(rows, row, "scenario_id"));
    figure->device = g_strdup(results_csv_cell(rows, row, "device"));
    figure->id = g_strconcat(figure->scenario_id, "/", figure->device, NULL);
    figure->model = g_strdup(results_csv_cell(rows, row, "model"));
    figure->access = g_strdup(results_csv_cell(rows, row, "access"));
    figure->fill = g_strdup(results_csv_cell(rows, row, "fill"));
    figure->processes = g_strdup(results_csv_cell(rows, row, "processes_per_device"));
    figure->block_bytes = g_ascii_strtoull(results_csv_cell(rows, row, "block_bytes"), NULL, 10);
    figure->sata = !g_str_has_prefix(figure->device, "nvme");
    figure->role = g_strdup("");
    figure->limit = g_strdup(figure->sata ? "sata" : "");
    figure->note = g_strdup("");
    figure->native_role = g_strdup("");
    figure->bar_pct = -1;
    return figure;
}

static bool is_left_out(const char *note)
{
    return g_str_has_prefix(note, "device idle") || g_str_has_prefix(note, "first second");
}

static void settle(PublishedFigure *figure, const Samples *samples)
{
    const double *iops = (const double *)(const void *)samples->iops->data;
    const double *idle = (const double *)(const void *)samples->idle->data;
    guint n = samples->iops->len;

    figure->idle_pct = rank_median(idle, n);
    figure->samples = n;
    figure->iops = rank_median_range(iops, n, &figure->least, &figure->most);
}

static void apply_fit(PublishedFigure *figure, const GPtrArray *fit)
{
    for (guint i = 1; i < fit->len; i++) {
        const char *bar;

        if (!g_str_equal(results_csv_cell(fit, i, "scenario_id"), figure->scenario_id) ||
            !g_str_equal(results_csv_cell(fit, i, "device"), figure->device)) {
            continue;
        }
        bar = results_csv_cell(fit, i, "bar_pct");
        g_free(figure->role);
        g_free(figure->limit);
        g_free(figure->note);
        figure->role = g_strdup(results_csv_cell(fit, i, "role"));
        figure->limit = g_strdup(results_csv_cell(fit, i, "limit"));
        figure->note = g_strdup(results_csv_cell(fit, i, "note"));
        g_free(figure->native_role);
        figure->native_role = g_strdup(results_csv_cell(fit, i, "native_role"));
        figure->bar_pct = *bar ? g_ascii_strtod(bar, NULL) : -1;
        return;
    }
}

static GPtrArray *read_figures(void)
{
    g_autoptr(GPtrArray) rows = results_csv("published/nvme_iostat.csv");
    g_autoptr(GPtrArray) fit = results_csv("published/fit.csv");
    GPtrArray *figures = g_ptr_array_new_with_free_func(figure_free);
    g_autoptr(GArray) samples = g_array_new(FALSE, TRUE, sizeof(Samples));
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint row = 1; row < rows->len; row++) {
        g_autofree char *id = g_strconcat(results_csv_cell(rows, row, "scenario_id"), "/",
                                          results_csv_cell(rows, row, "device"), NULL);
        double iops = figure_cell(rows, row, "tps");
        double idle = figure_cell(rows, row, "cpu_id_pct");
        void *position = NULL;
        Samples *own;

        if (is_left_out(results_csv_cell(rows, row, "note"))) {
            continue;
        }
        if (!g_hash_table_lookup_extended(index, id, NULL, &position)) {
            Samples fresh = {g_array_new(FALSE, FALSE, sizeof(double)),
                             g_array_new(FALSE, FALSE, sizeof(double))};
            PublishedFigure *figure = figure_new(rows, row);

            position = GUINT_TO_POINTER(figures->len);
            g_hash_table_insert(index, figure->id, position);
            g_ptr_array_add(figures, figure);
            g_array_append_val(samples, fresh);
        }
        own = &g_array_index(samples, Samples, GPOINTER_TO_UINT(position));
        g_array_append_val(own->iops, iops);
        g_array_append_val(own->idle, idle);
    }
    for (guint i = 0; i < figures->len; i++) {
        PublishedFigure *figure = g_ptr_array_index(figures, i);
        Samples *own = &g_array_index(samples, Samples, i);

        apply_fit(figure, fit);
        settle(figure, own);
        g_array_unref(own->iops);
        g_array_unref(own->idle);
    }
    return figures;
}

const GPtrArray *published_figures(void)
{
    static GPtrArray *figures; /* constant once made; freed by nobody */

    if (g_once_init_enter(&figures)) {
        g_once_init_leave(&figures, read_figures());
    }
    return figures;
}

const PublishedFigure *published_find(const char *id)
{
    const GPtrArray *figures = published_figures();

    for (guint i = 0; i < figures->len; i++) {
        const PublishedFigure *figure = g_ptr_array_index(figures, i);

        if (g_str_equal(figure->id, id)) {
            return figure;
        }
    }
    return NULL;
}

const char *published_nearest(const char *id)
{
    const GPtrArray *figures = published_figures();
    g_autofree const char **ids = g_new0(const char *, figures->len + 1);

    for (guint i = 0; i < figures->len; i++) {
        ids[i] = ((const PublishedFigure *)g_ptr_array_index(figures, i))->id;
    }
    return sim_nearest_word(id, ids);
}
