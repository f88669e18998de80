/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [wire NAME]: a cable between two ports, or between a port and the tester or a netdev of QEMU. */
#include "scenario-private.h"

#include <string.h>

#include "sim/sim-time.h"

#define TESTER "tester"
#define NETDEV "netdev"
#define DISCARD_PORT 9
#define MOST_FLOWS 65000        /* UDP ports from there on */
#define TEST_NETWORK 0xc6120000 /* 198.18.0.0/15: benchmarks [RFC 2544 §C.2.2] */

#define WIRE_BYTES_PER_S 1250000000
enum { FRAME_LEAST = 64, FRAME_MOST = 16000, TAG_BYTES = 4 }; /* with CRC */
enum { WIRE_GAP_BYTES = 20 };                                 /* preamble and gap */

void scenario_wire_free(ScenarioWire *self)
{
    if (self) {
        g_free(self->name);
        g_strfreev(self->ends);
        g_free(self->netdev);
        g_free(self->destination);
        g_free(self);
    }
}

gboolean scenario_mac(SimKeyfile *file, const char *group, const char *key, char **mac,
                      GError **error)
{
    const char *text = scenario_text(file, group, key);
    gboolean fits = text && strlen(text) == strlen("00:00:00:00:00:00");

    if (!text) {
        return TRUE;
    }
    for (size_t i = 0; fits && text[i]; i++) {
        fits = i % 3 == 2 ? text[i] == ':' : g_ascii_isxdigit(text[i]);
    }
    if (!fits || (g_ascii_xdigit_value(text[1]) & 1 && strcmp(key, "mac") == 0) ||
        strcmp(text, "00:00:00:00:00:00") == 0) {
        sim_keyfile_error(file, sim_keyfile_entry(file, group, key), SIM_KEYFILE_ERROR_VALUE, error,
                          "'%s' is no MAC address of a station; write it as 00:1b:21:00:00:01",
                          text);
        return FALSE;
    }
    *mac = g_ascii_strdown(text, -1);
    return TRUE;
}

/* A number, or a word that stands in for one: what begins with a letter is a word. */
static gboolean is_word(SimKeyfile *file, const char *group, const char *key)
{
    const char *text = sim_keyfile_get(file, group, key);

    return text && g_ascii_isalpha(*text);
}

static gboolean read_start(Scenario *self, ScenarioWire *wire, const char *group, GError **error)
{
    static const char *const words[] = {"window", "never", NULL};
    const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "start");
    g_autofree char *word = NULL;

    if (!entry || is_word(self->file, group, "start")) {
        if (!scenario_word(self->file, group, "start", words, words[0], &word, error)) {
            return FALSE;
        }
        wire->sends = strcmp(word, "never") != 0;
        return TRUE;
    }
    wire->sends = TRUE;
    if (!scenario_number(self->file, group, "start", SIM_UNIT_TIME, 1, 3600 * SIM_S,
                         &wire->start_ps, error)) {
        return FALSE;
    }
    if (wire->start_ps >= self->limit_ps) {
        g_autofree char *limit = sim_value_format(self->limit_ps, SIM_UNIT_TIME);
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          "the run ends before, at %s; start earlier or raise [scenario] limit",
                          limit);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_vlan(Scenario *self, ScenarioWire *wire, const char *group, GError **error)
{
    static const char *const words[] = {"none", NULL};
    g_autofree char *word = NULL;
    guint64 vlan = 0;

    wire->vlan = -1;
    if (!sim_keyfile_entry(self->file, group, "vlan") || is_word(self->file, group, "vlan")) {
        return scenario_word(self->file, group, "vlan", words, words[0], &word, error);
    }
    if (!scenario_number(self->file, group, "vlan", SIM_UNIT_NONE, 0, 4094, &vlan, error)) {
        return FALSE;
    }
    wire->vlan = (gint)vlan;
    return TRUE;
}

/* A rate that the cable does not carry would be another one in the run. */
static gboolean check_rate(Scenario *self, const ScenarioWire *wire, const char *group,
                           GError **error)
{
    guint64 bytes = wire->frame_bytes + WIRE_GAP_BYTES;
    guint64 most = (WIRE_BYTES_PER_S + bytes - 1) / bytes;

    if (wire->rate > most) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "rate"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          "more than the line carries of that size: at most %" G_GUINT64_FORMAT
                          "/s; leave rate = out for line rate",
                          most);
        return FALSE;
    }
    return TRUE;
}

/* What only the tester uses is refused where there is none. */
static gboolean check_tester_keys(Scenario *self, const ScenarioWire *wire, const char *group,
                                  GError **error)
{
    static const char *const keys[] = {"rate",
                                       "frames",
                                       "size",
                                       "wire-size",
                                       "flows",
                                       "source-ports",
                                       "vlan",
                                       "start",
                                       "destination",
                                       "order",
                                       "destination-ports",
                                       "source-addresses",
                                       "destination-addresses"};

    for (size_t i = 0; i < G_N_ELEMENTS(keys) && !wire->tester; i++) {
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, keys[i]);
        if (entry) {
            sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "is for the tester, and this wire has none");
            return FALSE;
        }
    }
    return TRUE;
}

/* One key says it, not both. */
static gboolean exclude(SimKeyfile *file, const char *group, const char *key, const char *other,
                        GError **error)
{
    const SimKeyfileEntry *entry = sim_keyfile_entry(file, group, other);

    if (!entry || !sim_keyfile_entry(file, group, key)) {
        return TRUE;
    }
    sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "stands beside %s: keep one",
                      key);
    return FALSE;
}

/* `size` leaves the tag out, `wire-size` has it. */
static gboolean read_size(SimKeyfile *file, ScenarioWire *wire, const char *group, GError **error)
{
    guint64 size = FRAME_LEAST, tag = wire->vlan >= 0 ? TAG_BYTES : 0;

    if (!exclude(file, group, "size", "wire-size", error) ||
        !scenario_number(file, group, "size", SIM_UNIT_BYTES, FRAME_LEAST, FRAME_MOST, &size,
                         error)) {
        return FALSE;
    }
    wire->frame_bytes = size + tag;
    return scenario_number(file, group, "wire-size", SIM_UNIT_BYTES, FRAME_LEAST, FRAME_MOST + tag,
                           &wire->frame_bytes, error);
}

static gboolean read_flows(SimKeyfile *file, ScenarioWire *wire, const char *group, GError **error)
{
    static const char *const orders[] = {"turns", "random", NULL};
    g_autofree char *order = NULL;
    guint64 flows = 1;

    if (!exclude(file, group, "source-ports", "flows", error) ||
        !scenario_number(file, group, "flows", SIM_UNIT_NONE, 1, MOST_FLOWS, &flows, error) ||
        !scenario_word(file, group, "order", orders, "turns", &order, error)) {
        return FALSE;
    }
    wire->random = strcmp(order, "random") == 0;
    wire->source_ports = (ScenarioRange){DISCARD_PORT, (guint32)flows};
    wire->destination_ports = (ScenarioRange){DISCARD_PORT, 1};
    wire->source_addresses = (ScenarioRange){TEST_NETWORK + 1, 1};
    wire->destination_addresses = (ScenarioRange){TEST_NETWORK + 0x10001, 1};
    return scenario_ports(file, group, "source-ports", &wire->source_ports, error) &&
           scenario_ports(file, group, "destination-ports", &wire->destination_ports, error) &&
           scenario_addresses(file, group, "source-addresses", &wire->source_addresses, error) &&
           scenario_addresses(file, group, "destination-addresses", &wire->destination_addresses,
                              error);
}

/* What comes in by a netdev depends on the machine, and on when it comes. */
static gboolean check_netdev(Scenario *self, const ScenarioWire *wire, const char *group,
                             GError **error)
{
    gboolean end = g_strv_contains((const char *const *)wire->ends, NETDEV);
    const SimKeyfileEntry *ends = sim_keyfile_entry(self->file, group, "ends");

    if (end && strcmp(self->clock, "wall") != 0) {
        sim_keyfile_error(
            self->file, ends, SIM_KEYFILE_ERROR_VALUE, error,
            "a netdev brings frames at times that no run repeats; add clock = wall to "
            "[scenario], or join two ports");
        return FALSE;
    }
    if (end != (wire->netdev != NULL)) {
        sim_keyfile_error(self->file, end ? ends : sim_keyfile_entry(self->file, group, "netdev"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          end ? "which netdev? add netdev = hubport,hubid=0 or the like"
                              : "no end of this wire is for it; write ends = eth0 netdev");
        return FALSE;
    }
    if (end && (g_str_has_prefix(wire->netdev, "id=") || strstr(wire->netdev, ",id="))) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "netdev"),
                          SIM_KEYFILE_ERROR_VALUE, error, "the id is ours; leave it out");
        return FALSE;
    }
    return TRUE;
}

gboolean scenario_read_wire(Scenario *self, const char *group, GError **error)
{
    static const char *const answers[] = {"yes", "no", NULL};
    ScenarioWire *wire = g_new0(ScenarioWire, 1);
    g_autofree char *ends = NULL, *capture = NULL;

    g_ptr_array_add(self->wires, wire);
    wire->line = sim_keyfile_group_line(self->file, group);
    wire->name = g_strdup(group + strlen("wire "));
    SimKeyfileEntry place = {.group = group, .key = "", .line = wire->line};
    for (const char *c = wire->name; *c; c++) {
        if (!g_ascii_isalnum(*c) && *c != '_' && *c != '-') {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "a wire's name has letters, digits, - and _ only");
            return FALSE;
        }
    }
    if (!scenario_required(self->file, group, "ends", &ends, error) ||
        !scenario_number(self->file, group, "rate", SIM_UNIT_PER_S, 1, 100000000, &wire->rate,
                         error) ||
        !scenario_number(self->file, group, "frames", SIM_UNIT_NONE, 1, 1000000000, &wire->frames,
                         error) ||
        !read_vlan(self, wire, group, error) || !read_size(self->file, wire, group, error) ||
        !check_rate(self, wire, group, error) || !read_flows(self->file, wire, group, error) ||
        !scenario_word(self->file, group, "capture", answers, "no", &capture, error) ||
        !scenario_mac(self->file, group, "destination", &wire->destination, error) ||
        !read_start(self, wire, group, error)) {
        return FALSE;
    }
    wire->netdev = g_strdup(scenario_text(self->file, group, "netdev"));
    wire->capture = strcmp(capture, "yes") == 0;
    wire->ends = scenario_list(ends, ", \t");
    if (g_strv_length(wire->ends) != 2) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "ends"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          "a wire has two ends: ports, or a port and " TESTER " or " NETDEV);
        return FALSE;
    }
    wire->tester = g_strv_contains((const char *const *)wire->ends, TESTER);
    return check_netdev(self, wire, group, error) && check_tester_keys(self, wire, group, error);
}

/* Plugs the wire into the port @name. */
static gboolean plug(Scenario *self, ScenarioWire *wire, const char *name,
                     const SimKeyfileEntry *entry, GError **error)
{
    g_autofree const char **names = scenario_device_names(self);
    ScenarioDevice *device = scenario_device(self, name);

    if (!device) {
        names = g_renew(const char *, names, self->devices->len + 2);
        names[self->devices->len] = TESTER;
        names[self->devices->len + 1] = NULL;
        scenario_unknown(self->file, entry, error, "there is no device", name, names);
        return FALSE;
    }
    if (device->wire && strcmp(device->wire, wire->name) == 0) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          "both ends are %s; a wire joins two ports, or a port and " TESTER, name);
        return FALSE;
    }
    if (device->type != DEVICE_IXGBE || device->wire) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          device->wire ? "%s is plugged into wire %s already"
                                       : "%s is a %s, which takes no wire",
                          name, device->wire ? device->wire : device->type->what);
        return FALSE;
    }
    device->wire = g_strdup(wire->name);
    if (wire->tester && !wire->destination) {
        wire->destination = g_strdup(device->serial);
    }
    return TRUE;
}

gboolean scenario_finish_wires(Scenario *self, GError **error)
{
    for (guint i = 0; i < self->wires->len; i++) {
        ScenarioWire *wire = g_ptr_array_index(self->wires, i);
        g_autofree char *group = g_strconcat("wire ", wire->name, NULL);
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "ends");
        SimKeyfileEntry place = {.group = group, .key = "", .line = wire->line};
        unsigned ports = 0;
        if (scenario_device(self, wire->name)) {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_DUPLICATE, error,
                              "a device has that name; results tell them apart by it");
            return FALSE;
        }
        for (char **end = wire->ends; *end; end++) {
            if (strcmp(*end, TESTER) == 0 || strcmp(*end, NETDEV) == 0) {
                continue;
            }
            ports++;
            if (!plug(self, wire, *end, entry, error)) {
                return FALSE;
            }
        }
        if (ports == 0) {
            sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "one end is for the tester or a netdev, the other for a port");
            return FALSE;
        }
    }
    return TRUE;
}
