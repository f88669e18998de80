/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Medians worked out by hand from published/nvme_iostat.csv. */
#include <math.h>

#include "bench.h"
#include "results/published.h"

static const struct {
    const char *id;
    unsigned samples;
    double iops, least, most;
    const char *role, *limit;
    double bar_pct;
} rows[] = {
    {"d000_4k_rand_after_3nvme/nvme0", 6, 274589.5, 274157, 275083, "predicted", "device", 10},
    {"d000_4k_rand_after_3nvme/nvme1", 6, 274325, 273993, 274437, "predicted", "device", 10},
    {"d000_4k_rand_after_3nvme/nvme2", 6, 380857, 380048, 382228, "fitted", "device", 10},
    /* 55535 47155 47577 47063 47469 55278: two levels */
    {"d000_32k_rand_after_3nvme_4sata/nvme0", 6, 47523, 47063, 55535, "fitted", "device", 10},
    {"d000_32k_rand_after_3nvme_4sata/da2", 6, 6385, 6313, 6399, "", "sata", -1},
    /* its first second, 266055, is start-up */
    {"d002_4k_seq_urandom_p32_nvme0only/nvme0", 3, 281370, 280478, 281500, "fitted", "device", 10},
    {"d002_4k_seq_zeroed_p8_nvme0only/nvme0", 4, 324530, 324524, 324559, "fitted", "host", 10},
    {"d002_512_seq_zeroed_p8_2nvme/nvme1", 5, 260055, 259894, 260630, "predicted", "host", -1},
    {"d002_16k_rand_urandom_p32_2nvme/nvme0", 4, 102305.5, 102160, 102358, "predicted", "slot", 10},
};

Test(results_published, medians_and_roles)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const PublishedFigure *figure = published_find(rows[i].id);

        cr_assert(figure != NULL, "%s", rows[i].id);
        cr_expect(eq(u32, figure->samples, rows[i].samples), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->iops, rows[i].iops, 4), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->least, rows[i].least, 4), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->most, rows[i].most, 4), "%s", rows[i].id);
        cr_expect(eq(str, figure->role, (char *)rows[i].role), "%s", rows[i].id);
        cr_expect(eq(str, figure->limit, (char *)rows[i].limit), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->bar_pct, rows[i].bar_pct, 4), "%s", rows[i].id);
    }
}

Test(results_published, idle_devices_are_left_out)
{
    cr_expect(not(published_find("d002_4k_seq_zeroed_p8_nvme0only/nvme1") != NULL));
    cr_expect(not(published_find("nonsense") != NULL));
    cr_expect(eq(str, (char *)published_nearest("d000_4k_rand_after_3nvme/nvme9"),
                 "d000_4k_rand_after_3nvme/nvme0"));
}

/* Every row of fit.csv is about a figure, and every NVMe figure has one. */
Test(results_published, fit_covers_the_figures)
{
    g_autofree char *path = bench_file("../published/fit.csv");
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    const GPtrArray *figures = published_figures();
    guint fits = 0, nvme = 0;

    cr_assert(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (int i = 1; lines[i] && *lines[i]; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], ",", -1);
        g_autofree char *id = g_strconcat(cells[0], "/", cells[1], NULL);

        cr_expect(published_find(id) != NULL, "%s", id);
        cr_expect(eq(u32, g_strv_length(cells), 7), "%s", lines[i]);
        fits++;
    }
    for (guint i = 0; i < figures->len; i++) {
        nvme += !((const PublishedFigure *)g_ptr_array_index(figures, i))->sata;
    }
    cr_expect(eq(u32, fits, nvme));
}
