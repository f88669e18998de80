/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void text_reserve(Text *self, size_t more)
{
    size_t capacity = self->capacity ? self->capacity : 256;

    while (capacity < self->length + more + 1) {
        capacity *= 2;
    }
    if (capacity != self->capacity) {
        char *data = realloc(self->data, capacity);

        if (!data) {
            abort(); /* as PID 1: a panic, which the runner sees */
        }
        self->data = data;
        self->capacity = capacity;
    }
}

void text_add(Text *self, const void *bytes, size_t length)
{
    text_reserve(self, length);
    memcpy(self->data + self->length, bytes, length);
    self->length += length;
    self->data[self->length] = '\0';
}

void text_printf(Text *self, const char *format, ...)
{
    char *made;
    va_list args;
    int length;

    va_start(args, format);
    length = vasprintf(&made, format, args);
    va_end(args);
    if (length < 0) {
        abort();
    }
    text_add(self, made, (size_t)length);
    free(made);
}

bool text_add_file(Text *self, const char *path)
{
    char chunk[16384];
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
        text_add(self, chunk, (size_t)got);
    }
    close(fd);
    return true;
}

void text_free(Text *self)
{
    free(self->data);
    *self = (Text){0};
}

bool reason_set(Reason *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(self->text, sizeof(self->text), format, args);
    va_end(args);
    return false;
}

bool string_set(char *string, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(string, size, format, args);
    va_end(args);
    return length >= 0 && (size_t)length < size;
}

bool number_parse(const char *text, uint64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
    return errno == 0 && *end == '\0';
}

bool line_read(const char *path, char *line, size_t size)
{
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    got = read(fd, line, size - 1);
    close(fd);
    if (got < 0) {
        return false;
    }
    line[got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    for (size_t end = strlen(line); end > 0 && isspace((unsigned char)line[end - 1]); end--) {
        line[end - 1] = '\0';
    }
    return true;
}
