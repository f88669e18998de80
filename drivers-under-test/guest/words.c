/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes one word at *@from, written without its quotes to the same place; false: quote not closed.
 */
static bool take_word(char **from)
{
    char *in = *from, *out = *from;
    bool quoted = false;

    for (; *in && (quoted || !is_blank(*in)); in++) {
        if (*in == '"') {
            quoted = !quoted;
        } else {
            *out++ = *in;
        }
    }
    *from = *in ? in + 1 : in;
    *out = '\0';
    return !quoted;
}

int words_split(char *line, char **words, int words_max, Reason *reason)
{
    int n = 0;

    for (;;) {
        while (is_blank(*line)) {
            line++;
        }
        if (!*line) {
            return n;
        }
        if (n == words_max) {
            reason_set(reason, "more than %d words", words_max);
            return -1;
        }
        words[n++] = line;
        if (!take_word(&line)) {
            reason_set(reason, "a double quote is not closed");
            return -1;
        }
    }
}

void words_substitute(Text *out, const char *line, WordsLookup lookup, void *data)
{
    char name[64];

    while (*line) {
        size_t plain = strcspn(line, "{"), length;
        const char *value = NULL;

        text_add(out, line, plain);
        line += plain;
        if (!*line) {
            return;
        }
        length = strcspn(line + 1, "}");
        if (line[1 + length] == '}' && length > 0 && length < sizeof(name)) {
            char *colon;

            memcpy(name, line + 1, length);
            name[length] = '\0';
            value = lookup(data, name, NULL); /* a MAC address has colons of its own */
            colon = value ? NULL : strrchr(name, ':');
            if (colon) {
                *colon++ = '\0';
                value = lookup(data, name, colon);
            }
        }
        if (value) {
            text_add(out, value, strlen(value));
            line += length + 2;
        } else {
            text_add(out, line++, 1);
        }
    }
}

static bool option_store(const Option *option, char *value, void *target, Reason *reason)
{
    void *at = (char *)target + option->offset;

    switch (option->kind) {
    case OPTION_NUMBER:
        return number_parse(value, at) ||
               reason_set(reason, "%s=%s: the value must be a whole number", option->key, value);
    case OPTION_TEXT:
        *(char **)at = value;
        return *value || reason_set(reason, "%s= has no value", option->key);
    case OPTION_FLAG:
        *(bool *)at = strcmp(value, "yes") == 0;
        return *(bool *)at || strcmp(value, "no") == 0 ||
               reason_set(reason, "%s=%s: the value must be yes or no", option->key, value);
    }
    return false;
}

bool options_read(char **words, int words_n, const Option *options, int options_n, void *target,
                  Reason *reason)
{
    uint64_t seen = 0;

    for (int i = 0; i < words_n; i++) {
        size_t length = strcspn(words[i], "=");
        int which = 0;

        while (which < options_n && (strlen(options[which].key) != length ||
                                     strncmp(options[which].key, words[i], length) != 0)) {
            which++;
        }
        if (which == options_n || words[i][length] != '=') {
            return reason_set(reason, "unknown option \"%s\"", words[i]);
        }
        if (seen & (uint64_t)1 << which) {
            return reason_set(reason, "%s= is given twice", options[which].key);
        }
        seen |= (uint64_t)1 << which;
        if (!option_store(&options[which], words[i] + length + 1, target, reason)) {
            return false;
        }
    }
    return true;
}

int list_split(char *text, char **items, int max)
{
    int n = 0;

    for (char *next = text; next; n++) {
        if (n == max) {
            return -1;
        }
        items[n] = next;
        next = strchr(next, ',');
        if (next) {
            *next++ = '\0';
        }
    }
    return n;
}
