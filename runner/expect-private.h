/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that make up [expect]. */
#pragma once
#include "expect.h"

typedef enum { UNIT_NUMBER, UNIT_PERCENT, UNIT_PER_S, UNIT_TIME, UNIT_BYTES, UNIT_RATE } Unit;

/* What a key's last word stands for: an SQL expression over one row. */
typedef struct Column {
    const char *name, *sql;
    Unit unit;     /* values are compared in: number, percent, /s, ps, bytes, bytes/s */
    bool of_ports; /* of device_columns: network ports have it too */
} Column;

typedef enum {
    OF_DEVICE,
    OF_PORT,
    OF_COUNTER,
    OF_VECTORS,
    OF_CPU,
    OF_MAP,
    OF_TRAFFIC,
    OF_QUERY,
    OF_VERDICT,
    OF_DMESG,
} Source;
typedef enum { EQUAL, AT_LEAST, AT_MOST } Bound;

/* An entry, understood. */
typedef struct Expect {
    Source source;
    Bound bound;
    char *device;         /* (nullable) */
    char *name;           /* counter or query */
    const Column *column; /* of OF_DEVICE, OF_PORT, OF_CPU, OF_MAP, OF_TRAFFIC */
    Unit unit;
    double value;
    double within_pct; /* of a published figure; < 0: none */
    char *point;       /* the value is that point's, of the same scenario; NULL: `value` */
    GRegex *deny;
} Expect;

/* A file's entry and what may stand in it. */
typedef struct Place {
    SimKeyfile *file;
    const SimKeyfileEntry *entry;
    const char *const *devices;     /* and wires; NULL: not checked */
    const DeviceType *const *types; /* of each; NULL in it: a wire */
} Place;

/* --- expect-columns.c: what may be expected --- */
/* Each ends with a NULL name. */
extern const Column expect_device_columns[], expect_port_columns[], expect_cpu_columns[],
    expect_traffic_columns[], expect_map_columns[];

/* NULL: @columns have none of that name. */
const Column *expect_find_column(const Column *columns, const char *name);
/* Of a device of any type or of a wire; NULL: there is none of that name. */
const SimCounter *expect_find_counter(const char *name);
/* What a device of @type has, or a wire (NULL), NULL-ended.  (transfer container) */
GPtrArray *expect_words_of(const DeviceType *type);

/* --- expect-parse.c: an entry understood --- */
/* NULL: @error is of SIM_KEYFILE_ERROR.  (transfer full) */
Expect *expect_parse(const Place *place, GError **error);
void expect_free(Expect *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expect, expect_free)

/* --- expect-lookup.c: figures from the database --- */
/* The statement of the figures that a run has for @self.  NULL: SQLite's error is the database's.
 * The caller finalizes it. */
sqlite3_stmt *expect_lookup(const Expect *self, ResultsStore *store, int64_t run_id);
/* Steps to the next row that is of @self's device; @value: (out): its figure in @self's unit, NAN:
 * nothing measured.  Returns SQLITE_ROW, or what ended the rows: SQLITE_DONE or an error. */
int expect_lookup_next(const Expect *self, sqlite3_stmt *stmt, double *value);
/* The latest run of @self's other point before @run_id; 0: there is none. */
int64_t expect_lookup_point(const Expect *self, ResultsStore *store, int64_t run_id);
