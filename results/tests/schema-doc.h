/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference part of docs/results.md, from the comments in results/schema. */
#pragma once
#include "results/store.h"

/* (transfer full): markdown.  NULL-safe: aborts on a column without a comment. */
char *schema_doc(ResultsStore *store);
