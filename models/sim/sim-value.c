/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values with units, exact in both directions: no floating point, nothing rounded. */
#include "sim/sim-keyfile.h"
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

typedef struct UnitName {
    const char *name;
    uint64_t scale;
} UnitName;

/* Largest first: the order in which formatting tries them. */
static const UnitName time_units[] = {{"s", SIM_S},   {"ms", SIM_MS}, {"us", SIM_US},
                                      {"ns", SIM_NS}, {"ps", SIM_PS}, {NULL, 0}};
static const UnitName byte_units[] = {{"GiB", UINT64_C(1) << 30},
                                      {"MiB", UINT64_C(1) << 20},
                                      {"KiB", UINT64_C(1) << 10},
                                      {"B", 1},
                                      {NULL, 0}};
static const UnitName rate_units[] = {
    {"GB/s", UINT64_C(1000000000)}, {"MB/s", UINT64_C(1000000)}, {NULL, 0}};
static const UnitName per_s_units[] = {{"/s", 1}, {NULL, 0}};
static const UnitName percent_units[] = {{"percent", 1}, {NULL, 0}};

static const struct {
    const UnitName *names;
    const char *write; /* how to write one, for messages: %s is the number that was given */
    uint64_t most;
} units[] = {
    [SIM_UNIT_NONE] = {NULL, NULL, UINT64_MAX},
    [SIM_UNIT_TIME] = {time_units, "write %sns, %sus or %sms", INT64_MAX},
    [SIM_UNIT_BYTES] = {byte_units, "write %sB, %sKiB or %sMiB", UINT64_MAX},
    [SIM_UNIT_RATE] = {rate_units, "write %sMB/s or %sGB/s", UINT64_MAX},
    [SIM_UNIT_PER_S] = {per_s_units, "write %s/s", UINT64_MAX},
    [SIM_UNIT_PERCENT] = {percent_units, "write %s percent", UINT64_MAX},
};

static bool refuse(char **message, char *text)
{
    if (message) {
        *message = text;
    } else {
        g_free(text);
    }
    return false;
}

static char *hint(SimUnit unit, const char *number)
{
    g_auto(GStrv) parts = g_strsplit(units[unit].write, "%s", -1);

    return g_strjoinv(number, parts);
}

/* "0x…", for identifiers, or digits alone. */
static bool parse_bare(const char *text, uint64_t *value, char **message)
{
    const char *digits = text;
    unsigned base = 10;
    uint64_t result = 0;

    if (g_str_has_prefix(text, "0x")) {
        digits += 2;
        base = 16;
    }
    if (*digits == '\0') {
        return refuse(message, g_strdup("a number is missing"));
    }
    for (const char *p = digits; *p; p++) {
        int digit = g_ascii_xdigit_value(*p);

        if (digit < 0 || (unsigned)digit >= base) {
            return refuse(
                message,
                *p == '-'                 ? g_strdup_printf("\"%s\" is negative", text)
                : *p == '.' && p > digits ? g_strdup_printf("\"%s\" must be a whole number", text)
                : p > digits ? g_strdup_printf("\"%s\" is a count; write it without a unit", text)
                             : g_strdup_printf("\"%s\" is not a number", text));
        }
        if (__builtin_mul_overflow(result, base, &result) ||
            __builtin_add_overflow(result, (unsigned)digit, &result)) {
            return refuse(message, g_strdup_printf("\"%s\" is too large", text));
        }
    }
    *value = result;
    return true;
}

static const UnitName *find_unit(const UnitName *names, const char *word)
{
    for (; names->name; names++) {
        if (g_str_equal(names->name, word)) {
            return names;
        }
    }
    return NULL;
}

static char *unknown_unit(SimUnit unit, const char *word)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "unknown unit \"%s\"; write one of", word);
    for (const UnitName *u = units[unit].names; u->name; u++) {
        g_string_append_printf(text, " %s", u->name);
    }
    return g_string_free(text, FALSE);
}

bool sim_value_parse(const char *text, SimUnit unit, uint64_t *value, char **message)
{
    const char *p = text, *fraction = NULL;
    size_t fraction_digits = 0;
    g_autofree char *number = NULL;
    const UnitName *name;
    Wide whole = 0, part = 0, power = 1;

    if (unit == SIM_UNIT_NONE) {
        return parse_bare(text, value, message);
    }
    while (g_ascii_isdigit(*p)) {
        p++;
    }
    if (p > text && *p == '.') {
        fraction = ++p;
        while (g_ascii_isdigit(*p)) {
            p++;
        }
        fraction_digits = (size_t)(p - fraction);
    }
    if (p == text || (fraction && fraction_digits == 0)) {
        return refuse(message, *text == '\0'  ? g_strdup("a value is missing")
                               : *text == '-' ? g_strdup_printf("\"%s\" is negative", text)
                                              : g_strdup_printf("\"%s\" is not a number", text));
    }
    number = g_strndup(text, (gsize)(p - text));
    while (*p == ' ') {
        p++;
    }
    if (*p == '\0') {
        g_autofree char *how = hint(unit, number);

        return refuse(message, g_strdup_printf("a unit is missing: %s", how));
    }
    name = find_unit(units[unit].names, p);
    if (!name) {
        return refuse(message, unknown_unit(unit, p));
    }
    for (p = text; g_ascii_isdigit(*p); p++) {
        whole = whole * 10 + (Wide)(*p - '0');
        if (whole > UINT64_MAX) {
            return refuse(message, g_strdup_printf("\"%s\" is too large", text));
        }
    }
    while (fraction_digits > 0 && fraction[fraction_digits - 1] == '0') {
        fraction_digits--;
    }
    for (size_t i = 0; i < MIN(fraction_digits, 19); i++) {
        part = part * 10 + (Wide)(fraction[i] - '0');
        power *= 10;
    }
    /* part < 10^19 and scale <= 10^12: the product stays below 2^128. */
    if (fraction_digits > 19 || part * name->scale % power != 0) {
        return refuse(message, g_strdup_printf("\"%s\" has more digits than %s can hold", text,
                                               unit == SIM_UNIT_TIME ? "whole picoseconds"
                                               : unit == SIM_UNIT_BYTES || unit == SIM_UNIT_RATE
                                                   ? "whole bytes"
                                                   : "a whole number"));
    }
    whole = whole * name->scale + part * name->scale / power;
    if (whole > units[unit].most) {
        return refuse(message, g_strdup_printf("\"%s\" is too large", text));
    }
    *value = (uint64_t)whole;
    return true;
}

char *sim_value_format(uint64_t value, SimUnit unit)
{
    const UnitName *name = units[unit].names;

    if (!name) {
        return g_strdup_printf("%" G_GUINT64_FORMAT, value);
    }
    while (name[1].name && (value == 0 || value % name->scale != 0)) {
        name++;
    }
    if (value % name->scale != 0) { /* a rate below 1 MB/s, or between two: decimals are exact */
        g_autofree char *digits = g_strdup_printf("%06" G_GUINT64_FORMAT, value % name->scale);

        for (size_t n = strlen(digits); digits[n - 1] == '0'; n--) {
            digits[n - 1] = '\0';
        }
        return g_strdup_printf("%" G_GUINT64_FORMAT ".%s%s", value / name->scale, digits,
                               name->name);
    }
    return g_strdup_printf("%" G_GUINT64_FORMAT "%s%s", value / name->scale,
                           unit == SIM_UNIT_PERCENT ? " " : "", name->name);
}
