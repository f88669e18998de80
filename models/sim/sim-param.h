/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: a table of key, field, unit, range and meaning, read from a group of a key file.
 * The table feeds the parser, `quirkbench profiles`, the docs and the range tests.
 * Each key K may have `K.source = published | data sheet | estimate: why`; a profile file must give one for each value. */
#pragma once
#include <stddef.h>
#include "sim-keyfile.h"

typedef enum {
    SIM_PARAM_U64,   /* uint64_t field, .unit and range apply */
    SIM_PARAM_BOOL,  /* uint64_t field, yes/no */
    SIM_PARAM_STRING,/* char * field, owned */
    SIM_PARAM_TABLE, /* SimTable field: "size:value; size:value", keys in bytes, ascending, values in .unit; "none" or empty: no rows */
    SIM_PARAM_ENUM,  /* uint64_t field: index into .words */
} SimParamKind;

/* A step table: value of the last row whose key <= x. */
typedef struct SimTableRow { uint64_t key, value; } SimTableRow;
typedef struct SimTable { SimTableRow *rows; size_t n; } SimTable;
uint64_t sim_table_lookup(const SimTable *table, uint64_t key, uint64_t otherwise);

typedef struct SimParam {
    const char *key;   /* as in the file, e.g. "sqe-fetch" */
    const char *group; /* group of the key file, e.g. "timing" */
    SimParamKind kind;
    SimUnit unit;
    size_t offset;     /* of the field in the struct */
    uint64_t least, most; /* of a U64, of each value of a TABLE, of the bytes of a STRING; most = 0: no upper limit */
    const char *fallback; /* text of the default; NULL: required */
    const char *const *words; /* ENUM: NULL-ended */
    const char *meaning;
} SimParam;

/* Reads all of @params into @target (zeroed by the caller). Unknown keys in the groups that the table names, values
 * without unit or out of range: FALSE and @error with file and line, and nothing is left in @target to free.
 * `K.source` counts as known.  A caller that reads further keys of these groups itself does so first. */
bool sim_params_read(void *target, const SimParam *params, size_t n, SimKeyfile *file, GError **error);
/* @error: what is wrong with the value of @key, a parameter's, with file and line where the file has it: for what the
 * ranges of single parameters cannot say. */
void sim_params_fault(const SimParam *params, size_t n, SimKeyfile *file, const char *key, const char *why,
                      GError **error);
/* What `KEY.source` says of each parameter that has one: key (of @params) → text. (transfer full) */
GHashTable *sim_params_sources(const SimParam *params, size_t n, SimKeyfile *file);
/* Frees strings and tables. */
void sim_params_clear(void *target, const SimParam *params, size_t n);
/* Value of a parameter as text with unit. (transfer full) */
char *sim_param_format(const void *target, const SimParam *param);
