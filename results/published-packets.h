/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The published forwarding rates (published/ixgbe_pps.csv), a figure a table, and what may be
 * expected of a model there (published/fit-packets.csv).  Built in; needs no database. */
#pragma once
#include <glib.h>
#include <stdbool.h>

typedef struct PublishedPackets {
    char *id;           /* table_id of the CSV: "base_q7" */
    unsigned queues;    /* RSS queues, 1 … 16 */
    unsigned rx_ring;   /* entries */
    unsigned rx_usecs;  /* microseconds */
    unsigned samples;   /* that the figure is made of */
    double pps;         /* the figure: median of the packets sent a second */
    double least, most; /* of the samples */
    char *role;         /* "fitted", "predicted"; "" = context */
    char *note;         /* from fit-packets.csv */
    double bar_pct;     /* most error that passes; < 0: none */
} PublishedPackets;

/* All figures, in the order of the CSV: GPtrArray of const PublishedPackets *; (transfer none),
 * made once. */
const GPtrArray *published_packets(void);
/* NULL: no such figure. */
const PublishedPackets *published_packets_find(const char *id);
/* The id nearest to @id, or NULL. */
const char *published_packets_nearest(const char *id);
/* Share of cpu time in percent that published/ixgbe_perf_top.csv, of 16 queues, gives to functions
 * in which cpus wait for each other: the count of users of one route, and locks. */
double published_packets_waiting_pct(void);
