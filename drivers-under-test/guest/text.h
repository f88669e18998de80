/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest program's strings: a text that grows, and the reason for which something failed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that grows; zero-initialised is empty.  @data ends in a NUL that @length leaves out. */
typedef struct Text {
    char *data;
    size_t length, capacity;
} Text;

void text_add(Text *self, const void *bytes, size_t length);
void text_printf(Text *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the file's content; false when it cannot be opened. */
bool text_add_file(Text *self, const char *path);
void text_free(Text *self);

/* Why something failed, in words for the person who wrote the plan. */
typedef struct Reason {
    char text[400];
} Reason;

/* Returns false, so that a function can end in `return reason_set(…)`. */
bool reason_set(Reason *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* snprintf that says whether all of it fitted. */
bool string_set(char *string, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A whole unsigned number, decimal or 0x…; false if @text is anything else. */
bool number_parse(const char *text, uint64_t *value);
/* The first line of a small file (sysfs), without trailing blanks; false when it cannot be read. */
bool line_read(const char *path, char *line, size_t size);
