/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of scenario keys, and the reading of one value with its unit and range. */
#include "scenario-private.h"

#include <string.h>

const ScenarioKey scenario_keys[] = {
    {"scenario", "title", NULL, "the line in reports"},
    {"scenario", "why", NULL, "the bug or the claim that it would catch"},
    {"scenario", "spec", NULL, "section of the specification, if there is one"},
    {"scenario", "driver", "linux-nvme", "driver under test: a folder of drivers-under-test"},
    {"scenario", "seed", "1", "seed of all that is drawn at random"},
    {"scenario", "clock", "deterministic", "deterministic, or wall (not repeatable)"},
    {"scenario", "limit", "120s", "most model time that a run may take"},
    {"scenario", "wall-limit", "900s", "most wall-clock time that a run may take"},
    {"scenario", "tools", NULL, "programs that guest steps need, e.g. nvme, fio, ethtool"},
    {"scenario", "sample", "1ms", "interval of the samples inside the measured window"},
    {"machine", "profile", NULL, "machine profile: a name or a path"},
    {"machine", "cpus", "as the profile", "cpus of the guest"},
    {"machine", "memory", "as the profile", "memory of the guest"},
    {"machine", "mips", "as the profile", "instructions a microsecond of model time, of one cpu"},
    {"machine", "busy-cores", NULL,
     "cores that the load keeps busy: mips is that of the profile's turbo; or mips"},
    {"machine", "quantum", "as the profile", "instructions that a cpu may run ahead"},
    {"machine", "slots", "as the profile", "slots in the order in which devices take them"},
    {"device", "profile", NULL, "device profile: a name or a path"},
    {"device", "slot", "the next free one", "slot of the machine profile"},
    {"device", "serial", "from the profile, made unique", "serial number, 1 to 20 characters"},
    {"device", "fill", "random", "what unwritten blocks read as: random or zero"},
    {"device", "faults", NULL, "faults from the start on, separated by semicolons"},
    {"device", "store-limit", "as the model", "written blocks kept in memory"},
    {"device", "published", NULL,
     "published rows to compare with: SCENARIO_ID, or SCENARIO_ID/DEVICE; of a port that sends: "
     "TABLE_ID"},
    {"device", "profile.KEY", NULL, "stands in for the profile's value of KEY"},
    {"device", "mac", "00:1b:21:00:00:01 and on", "of a port: its MAC address"},
    {"device", "sfp", "as the profile", "of a port: module in its cage: da, sr or none"},
    {"device", "card", NULL, "of a port: it is the second one of that port's card"},
    {"wire", "ends", NULL, "two ports, or a port and tester or netdev"},
    {"wire", "netdev", NULL, "what QEMU's -netdev takes, without id; needs clock = wall"},
    {"wire", "rate", "line rate", "frames a second of the tester"},
    {"wire", "size", "64B", "bytes of its frames, with CRC, without VLAN tag; or wire-size"},
    {"wire", "wire-size", NULL, "bytes of its frames on the wire, with CRC and VLAN tag; or size"},
    {"wire", "frames", "no end", "how many it sends"},
    {"wire", "flows", "1", "UDP source ports, from 9 on; or source-ports"},
    {"wire", "source-ports", "9", "UDP ports that its frames come from: 9, or 9-72"},
    {"wire", "destination-ports", "9", "UDP ports that they go to"},
    {"wire", "source-addresses", "198.18.0.1",
     "IPv4 addresses that they come from: one, FIRST-LAST, or ADDRESS/BITS"},
    {"wire", "destination-addresses", "198.19.0.1", "IPv4 addresses that they go to"},
    {"wire", "order", "turns", "in which ports and addresses follow: turns, or random by the seed"},
    {"wire", "vlan", "none", "VLAN tag of its frames: 0 to 4094, or none"},
    {"wire", "destination", "the port's", "MAC address that they go to"},
    {"wire", "start", "window", "when it starts: window, never, or a model time"},
    {"wire", "capture", "no", "yes: all frames into NAME.pcap; --keep keeps it"},
    {"driver", "parameters", NULL, "module parameters: MODULE.NAME=VALUE, separated by blanks"},
    {"driver", "modules", NULL, "further modules that steps need, loaded before the driver's"},
    {"load", "devices", "all", "devices, separated by commas or blanks"},
    {"load", "pattern", "randread", "randread, read, randwrite or write"},
    {"load", "readers", "1", "threads a device"},
    {"load", "depth", "1", "requests that each thread keeps outstanding"},
    {"load", "block", "4KiB", "bytes of one request"},
    {"load", "ios", NULL, "requests in the measured window, over all devices; or time"},
    {"load", "time", NULL, "length of the window in guest time; or ios"},
    {"load", "warmup", "0", "requests before the window, over all devices"},
    {"load", "span", "16GiB", "part of the device that is used"},
    {"load", "offset", "0B", "where that part begins"},
    {"load", "pin", "spread", "spread threads over the cpus, or none: the scheduler places them"},
    {"load", "window", "yes for the first", "whether this load is the measured window"},
    {"traffic", "from", NULL, "where streams begin: ADDRESS, or ADDRESS@NAMESPACE"},
    {"traffic", "to", NULL, "where they end"},
    {"traffic", "protocol", "tcp", "tcp or udp"},
    {"traffic", "streams", "16", "connections or pairs of ports, each way"},
    {"traffic", "both", "yes", "yes: as many the other way at the same time; or no"},
    {"traffic", "bytes", NULL, "payload of a round, all streams together"},
    {"traffic", "rounds", "1", "how many times, each with new sockets"},
    {"traffic", "size", "1472B", "of udp: payload of a datagram"},
    {"traffic", "segment", "no", "of udp: yes: many datagrams a send (UDP_SEGMENT)"},
    {"step", "guest", NULL,
     "command line in the guest; {nvme0} {nvme0:ctrl} {nvme0:bdf} {nvme0:serial}; {eth0} "
     "{eth0:mac}"},
    {"step", "load", NULL, "runs the load of that name"},
    {"step", "verify", NULL, "key=value words of the plan's verify command"},
    {"step", "plan", NULL, "a line of the plan as it stands (docs/channel.md)"},
    {"step", "traffic", NULL, "runs the traffic of that name"},
    {"step", "window", NULL,
     "the measured window, of that guest time, or from start to end: the wires' testers send"},
    {"step", "fault", NULL, "DEVICE STAGE ACTION [opcode= qid= count= after= time= status= at=]"},
    {"step", "at", NULL, "model time from which the fault is armed"},
};
const size_t scenario_keys_n = G_N_ELEMENTS(scenario_keys);

const char **scenario_known_keys(const char *group)
{
    GPtrArray *keys = g_ptr_array_new();

    for (size_t i = 0; i < scenario_keys_n; i++) {
        if (strcmp(scenario_keys[i].group, group) == 0) {
            g_ptr_array_add(keys, (gpointer)scenario_keys[i].key);
        }
    }
    g_ptr_array_add(keys, NULL);
    return (const char **)g_ptr_array_free(keys, FALSE);
}

const char *scenario_text(SimKeyfile *file, const char *group, const char *key)
{
    const char *value = sim_keyfile_get(file, group, key);

    return value && *value ? value : NULL;
}

gboolean scenario_required(SimKeyfile *file, const char *group, const char *key, char **value,
                           GError **error)
{
    const char *text = scenario_text(file, group, key);

    if (!text) {
        SimKeyfileEntry place = {
            .group = group, .key = key, .line = sim_keyfile_group_line(file, group)};
        sim_keyfile_error(file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "is missing or empty; add it to the group");
        return FALSE;
    }
    g_free(*value);
    *value = g_strdup(text);
    return TRUE;
}

gboolean scenario_number(SimKeyfile *file, const char *group, const char *key, SimUnit unit,
                         guint64 least, guint64 most, guint64 *value, GError **error)
{
    const char *text = sim_keyfile_get(file, group, key);
    g_autofree char *message = NULL;
    guint64 parsed = 0;

    if (!text) {
        return TRUE;
    }
    const SimKeyfileEntry *entry = sim_keyfile_entry(file, group, key);
    if (!sim_value_parse(text, unit, &parsed, &message)) {
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error, "%s", message);
        return FALSE;
    }
    if (parsed < least || parsed > most) {
        g_autofree char *low = sim_value_format(least, unit);
        g_autofree char *high = sim_value_format(most, unit);
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          "%s is out of range: %s to %s", text, low, high);
        return FALSE;
    }
    *value = parsed;
    return TRUE;
}

void scenario_unknown(SimKeyfile *file, const SimKeyfileEntry *entry, GError **error,
                      const char *what, const char *word, const char *const *words)
{
    const char *nearest = sim_nearest_word(word, words);
    g_autofree char *list = g_strjoinv(", ", (char **)words);

    if (nearest) {
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                          "%s '%s'; did you mean '%s'?", what, word, nearest);
    } else if (*list) {
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_UNKNOWN, error, "%s '%s'; there are: %s",
                          what, word, list);
    } else {
        sim_keyfile_error(file, entry, SIM_KEYFILE_ERROR_UNKNOWN, error, "%s '%s'; there are none",
                          what, word);
    }
}

gboolean scenario_word(SimKeyfile *file, const char *group, const char *key,
                       const char *const *words, const char *fallback, char **value, GError **error)
{
    const char *text = sim_keyfile_get(file, group, key);

    if (text && !g_strv_contains(words, text)) {
        scenario_unknown(file, sim_keyfile_entry(file, group, key), error, "there is no", text,
                         words);
        return FALSE;
    }
    g_free(*value);
    *value = g_strdup(text ? text : fallback);
    return TRUE;
}

char **scenario_list(const char *text, const char *separators)
{
    g_auto(GStrv) parts = g_strsplit_set(text ? text : "", separators, -1);
    GPtrArray *kept = g_ptr_array_new();

    for (char **part = parts; *part; part++) {
        g_strstrip(*part);
        if (**part) {
            g_ptr_array_add(kept, g_strdup(*part));
        }
    }
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}
