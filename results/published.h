/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The published NVMe measurements (published/nvme_iostat.csv), a figure a scenario and device, and
 * what may be expected of a model there (published/fit.csv).  Built in; needs no database. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PublishedFigure {
    char *id;          /* "d000_4k_rand_after_3nvme/nvme0" */
    char *scenario_id; /* of the CSV */
    char *device;
    char *model;     /* as the document names it */
    char *access;    /* "rand", "seq" */
    char *fill;      /* "zeroed", "urandom" */
    char *processes; /* a device; "" where the document does not say */
    uint64_t block_bytes;
    unsigned samples;   /* that the figure is made of */
    double iops;        /* the figure: median of the samples */
    double least, most; /* of the samples */
    double idle_pct;    /* median of the whole machine */
    bool sata;          /* context: not an NVMe device */
    char *role;         /* "fitted": a profile value comes from it; "predicted"; "" = context */
    char *limit;        /* what limits it: "device", "slot", "host", "sata" or "" */
    char *note;         /* from fit.csv */
    char *native_role;  /* as role, of native mode; host-limited figures are figures there */
    double bar_pct;     /* most error that passes; < 0: none */
} PublishedFigure;

/* All figures, in the order of the CSV: GPtrArray of const PublishedFigure *; (transfer none), made
 * once. Left out: idle devices, and seconds that the CSV's note calls start-up. */
const GPtrArray *published_figures(void);
/* NULL: no such figure. */
const PublishedFigure *published_find(const char *id);
/* The id nearest to @id, or NULL. */
const char *published_nearest(const char *id);
