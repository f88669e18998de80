/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Medians worked out by hand from published/ixgbe_pps.csv. */
#include "bench.h"
#include "results/published-packets.h"

Test(results_published_packets, medians_and_roles)
{
    static const struct {
        const char *id;
        unsigned queues, rx_ring, rx_usecs;
        double pps, least, most;
        const char *role;
        double bar_pct;
    } rows[] = {
        {"base_q1", 1, 4096, 10, 1470593, 1468672, 1471230, "fitted", 15},
        {"base_q4", 4, 4096, 10, 4404224, 4385404, 4413758, "predicted", -1},
        {"base_q8", 8, 4096, 10, 6241992, 6223746, 6257160, "predicted", 15},
        {"base_q16", 16, 4096, 10, 6941782.5, 6924092, 6960707, "fitted", 15},
        {"q1_rxring1024_usecs256", 1, 1024, 256, 1511358, 1504830, 1513470, "", -1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const PublishedPackets *figure = published_packets_find(rows[i].id);

        cr_assert(figure != NULL, "%s", rows[i].id);
        cr_expect(eq(u32, figure->samples, 10), "%s", rows[i].id);
        cr_expect(eq(u32, figure->queues, rows[i].queues), "%s", rows[i].id);
        cr_expect(eq(u32, figure->rx_ring, rows[i].rx_ring), "%s", rows[i].id);
        cr_expect(eq(u32, figure->rx_usecs, rows[i].rx_usecs), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->pps, rows[i].pps, 4), "%s: %f", rows[i].id, figure->pps);
        cr_expect(ieee_ulp_eq(dbl, figure->least, rows[i].least, 4), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->most, rows[i].most, 4), "%s", rows[i].id);
        cr_expect(eq(str, figure->role, (char *)rows[i].role), "%s", rows[i].id);
        cr_expect(ieee_ulp_eq(dbl, figure->bar_pct, rows[i].bar_pct, 4), "%s", rows[i].id);
    }
    cr_expect(eq(u32, published_packets()->len, 19), "tables of the document");
}

Test(results_published_packets, names)
{
    cr_expect(not(published_packets_find("base_q9") != NULL));
    cr_expect(eq(str, (char *)published_packets_nearest("bsae_q14"), "base_q14"));
}

/* 16.32 + 16.30 + 15.11 + 12.62 + 5.60 */
Test(results_published_packets, share_of_waiting)
{
    cr_expect(epsilon_eq(dbl, published_packets_waiting_pct(), 65.95, 0.001));
}
