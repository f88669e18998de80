/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of UDP ports and IPv4 addresses: "9", "9-72"; "198.18.0.1", "198.18.0.1-198.18.0.9",
 * "198.18.0.0/24". */
#include "scenario-private.h"

#include <string.h>

#define MOST_ADDRESSES (1u << 24)

/* All of @text: digits up to @most. */
static gboolean parse_decimal(const char *text, guint64 most, guint64 *value)
{
    return g_ascii_string_to_unsigned(text, 10, 0, most, value, NULL);
}

static gboolean parse_address(const char *text, guint64 *address)
{
    g_auto(GStrv) parts = g_strsplit(text, ".", 5);
    guint64 byte = 0;

    *address = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!parts[i] || !parse_decimal(parts[i], 255, &byte)) {
            return FALSE;
        }
        *address = *address << 8 | byte;
    }
    return parts[4] == NULL;
}

static gboolean parse_port(const char *text, guint64 *port)
{
    return parse_decimal(text, 65535, port);
}

static gboolean wrong(SimKeyfile *file, const char *group, const char *key, const char *what,
                      GError **error)
{
    const char *text = scenario_text(file, group, key);

    sim_keyfile_error(file, sim_keyfile_entry(file, group, key), SIM_KEYFILE_ERROR_VALUE, error,
                      "'%s' %s", text, what);
    return FALSE;
}

/* "A" or "A-B". */
static gboolean read_span(SimKeyfile *file, const char *group, const char *key,
                          gboolean (*parse)(const char *, guint64 *), const char *form,
                          ScenarioRange *range, GError **error)
{
    g_auto(GStrv) ends = g_strsplit(scenario_text(file, group, key), "-", 2);
    guint64 first = 0, last = 0;

    if (!parse(g_strstrip(ends[0]), &first) || (ends[1] && !parse(g_strstrip(ends[1]), &last))) {
        return wrong(file, group, key, form, error);
    }
    last = ends[1] ? last : first;
    if (last < first) {
        return wrong(file, group, key, "goes downwards; write the lesser end first", error);
    }
    if (last - first >= MOST_ADDRESSES) {
        return wrong(file, group, key, "is more than 16777216 addresses", error);
    }
    *range = (ScenarioRange){(guint32)first, (guint32)(last - first + 1)};
    return TRUE;
}

gboolean scenario_ports(SimKeyfile *file, const char *group, const char *key, ScenarioRange *range,
                        GError **error)
{
    return !scenario_text(file, group, key) ||
           read_span(file, group, key, parse_port,
                     "is no UDP port or range of ports; write 9, or 9-72 (0 to 65535)", range,
                     error);
}

gboolean scenario_addresses(SimKeyfile *file, const char *group, const char *key,
                            ScenarioRange *range, GError **error)
{
    static const char form[] = "is no IPv4 address or range; write 198.18.0.1, "
                               "198.18.0.1-198.18.0.9 or 198.18.0.0/24";
    const char *text = scenario_text(file, group, key);
    guint64 address = 0, bits = 0;

    if (!text || !strchr(text, '/')) {
        return !text || read_span(file, group, key, parse_address, form, range, error);
    }
    g_auto(GStrv) parts = g_strsplit(text, "/", 2);
    if (!parse_address(g_strstrip(parts[0]), &address) ||
        !parse_decimal(g_strstrip(parts[1]), 32, &bits)) {
        return wrong(file, group, key, form, error);
    }
    if (bits < 8) {
        return wrong(file, group, key, "is more than 16777216 addresses", error);
    }
    guint32 n = UINT32_C(1) << (32 - bits);
    if ((address & (n - 1)) != 0) {
        return wrong(file, group, key, "has bits set behind its prefix", error);
    }
    *range = (ScenarioRange){(guint32)address, n};
    return TRUE;
}
