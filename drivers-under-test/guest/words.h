/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan's syntax: words, {SERIAL} and key=value options. */
#pragma once
#include "text.h"

/* Splits @line in place at blanks; double quotes group, and may stand inside a word (a="b c").
 * Returns the number of words, or -1 with @reason: too many words, a quote not closed. */
int words_split(char *line, char **words, int words_max, Reason *reason);

/* What `{name}` (@field NULL) or `{name:field}` stands for; NULL: not ours, left as it is. */
typedef const char *(*WordsLookup)(void *data, const char *name, const char *field);
void words_substitute(Text *out, const char *line, WordsLookup lookup, void *data);

typedef enum { OPTION_NUMBER, OPTION_TEXT, OPTION_FLAG } OptionKind;

/* One key of a command: where its value goes in the command's struct (uint64_t, const char *,
 * bool). */
typedef struct Option {
    const char *key;
    OptionKind kind;
    size_t offset;
} Option;

/* Reads key=value words into @target; an unknown key, one given twice or a bad value is an error.
 */
bool options_read(char **words, int words_n, const Option *options, int options_n, void *target,
                  Reason *reason);

/* Splits @text (changed in place) at commas; returns the number of items, or -1 when more than
 * @max. */
int list_split(char *text, char **items, int max);
