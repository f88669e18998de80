/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Key files (profiles, scenarios): groups, keys, values, with the line of each.
 * GKeyFile merges duplicates silently and knows no lines; this scanner refuses and names file:line.
 * Errors read `FILE:LINE: …; what to do`. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "sim-time.h"

#define SIM_KEYFILE_ERROR (sim_keyfile_error_quark())
GQuark sim_keyfile_error_quark(void);
typedef enum {
    SIM_KEYFILE_ERROR_READ,      /* the file cannot be read */
    SIM_KEYFILE_ERROR_SYNTAX,    /* no group, no '=', inline comment, not UTF-8 */
    SIM_KEYFILE_ERROR_DUPLICATE, /* group or key a second time */
    SIM_KEYFILE_ERROR_UNKNOWN,   /* group or key that nobody takes; nearest valid word named */
    SIM_KEYFILE_ERROR_VALUE,     /* unit missing or wrong, out of range, not a number */
    SIM_KEYFILE_ERROR_MISSING,   /* a required key is not there */
} SimKeyfileError;

typedef struct SimKeyfileEntry {
    const char *group, *key, *value; /* owned by the file */
    unsigned line;
    bool taken; /* somebody has read it */
} SimKeyfileEntry;
typedef struct SimKeyfile SimKeyfile;

SimKeyfile *sim_keyfile_load(const char *path, GError **error);
/* @name stands in messages for the path. */
SimKeyfile *sim_keyfile_parse(const char *name, const char *text, GError **error);
void sim_keyfile_free(SimKeyfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SimKeyfile, sim_keyfile_free)
const char *sim_keyfile_name(const SimKeyfile *self);

/* Groups in file order; (transfer none). */
const char *const *sim_keyfile_groups(const SimKeyfile *self);
unsigned sim_keyfile_group_line(const SimKeyfile *self, const char *group);
/* Entries of a group in file order: GPtrArray of SimKeyfileEntry*; (transfer none) (nullable). */
const GPtrArray *sim_keyfile_entries(const SimKeyfile *self, const char *group);
/* Value or NULL; marks the entry taken. */
const char *sim_keyfile_get(SimKeyfile *self, const char *group, const char *key);
SimKeyfileEntry *sim_keyfile_entry(SimKeyfile *self, const char *group, const char *key);
/* Sets or replaces (for --set and matrices); the line stays that of the original, or 0. */
void sim_keyfile_set(SimKeyfile *self, const char *group, const char *key, const char *value);
/* A deep copy, nothing taken. */
SimKeyfile *sim_keyfile_copy(const SimKeyfile *self);
/* Sets @error at an entry: `FILE:LINE: [group] key: message`. */
void sim_keyfile_error(const SimKeyfile *self, const SimKeyfileEntry *entry, SimKeyfileError code, GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);
/* The same for a whole group: `FILE:LINE: [group]: message`. */
void sim_keyfile_group_error(const SimKeyfile *self, const char *group, SimKeyfileError code, GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);
/* FALSE and @error at the first entry of @group that nobody took; @known (NULL-ended) feeds the nearest word. */
bool sim_keyfile_check_taken(const SimKeyfile *self, const char *group, const char *const *known, GError **error);
/* The word of @words nearest to @word by edit distance (at most 1/2 of its length), or NULL. */
const char *sim_nearest_word(const char *word, const char *const *words);

/* Values with units.  Units: ps ns us ms s; B KiB MiB GiB; MB/s GB/s (decimal); /s; percent; counts bare.
 * FALSE: @message (transfer full) says what is wrong ("a unit is missing: write 150ns, 150us or 150ms"). Integers and
 * decimal fractions are exact: 2.13GB/s is 2130000000. */
typedef enum { SIM_UNIT_NONE, SIM_UNIT_TIME, SIM_UNIT_BYTES, SIM_UNIT_RATE, SIM_UNIT_PER_S, SIM_UNIT_PERCENT } SimUnit;
bool sim_value_parse(const char *text, SimUnit unit, uint64_t *value, char **message);
/* The value with the largest unit that shows it exactly, e.g. "150ns". (transfer full) */
char *sim_value_format(uint64_t value, SimUnit unit);
