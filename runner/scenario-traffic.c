/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [traffic NAME]: streams between two addresses of the guest, every byte of which is checked. */
#include "scenario-private.h"

#include <arpa/inet.h>
#include <string.h>

#define MOST_STREAMS 256 /* each way */
#define MOST_PORTS 60000 /* a run's: each stream of each round has one of its own */
#define FIRST_PORT 5001
#define LONGEST_NAMESPACE 60

void scenario_traffic_free(ScenarioTraffic *self)
{
    if (self) {
        g_free(self->name);
        g_free(self->from);
        g_free(self->to);
        g_free(self->protocol);
        g_free(self);
    }
}

ScenarioTraffic *scenario_find_traffic(const Scenario *self, const char *name)
{
    for (guint i = 0; i < self->traffics->len; i++) {
        ScenarioTraffic *traffic = g_ptr_array_index(self->traffics, i);
        if (strcmp(traffic->name, name) == 0) {
            return traffic;
        }
    }
    return NULL;
}

/* ADDRESS or ADDRESS@NAMESPACE; *@family gets the address's. */
static gboolean read_end(SimKeyfile *file, const char *group, const char *key, char **end,
                         int *family, GError **error)
{
    guint8 address[16];

    if (!scenario_required(file, group, key, end, error)) {
        return FALSE;
    }
    const char *at = strchr(*end, '@');
    g_autofree char *text = at ? g_strndup(*end, at - *end) : g_strdup(*end);
    gboolean fits = !at || (at[1] && strlen(at + 1) < LONGEST_NAMESPACE);
    for (const char *c = at ? at + 1 : ""; *c; c++) {
        fits = fits && (g_ascii_isalnum(*c) || *c == '_' || *c == '-');
    }
    *family = inet_pton(AF_INET, text, address) == 1    ? AF_INET
              : inet_pton(AF_INET6, text, address) == 1 ? AF_INET6
                                                        : AF_UNSPEC;
    if (!fits || *family == AF_UNSPEC) {
        sim_keyfile_error(file, sim_keyfile_entry(file, group, key), SIM_KEYFILE_ERROR_VALUE, error,
                          "'%s' is no IP address, or one and its network namespace; write it as "
                          "10.0.0.1@a",
                          *end);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_numbers(Scenario *self, ScenarioTraffic *traffic, const char *group,
                             GError **error)
{
    return scenario_number(self->file, group, "streams", SIM_UNIT_NONE, 1, MOST_STREAMS,
                           &traffic->streams, error) &&
           scenario_number(self->file, group, "bytes", SIM_UNIT_BYTES, 2 * MOST_STREAMS,
                           G_GUINT64_CONSTANT(1) << 40, &traffic->bytes, error) &&
           scenario_number(self->file, group, "rounds", SIM_UNIT_NONE, 1, 10000, &traffic->rounds,
                           error) &&
           scenario_number(self->file, group, "size", SIM_UNIT_BYTES, 64, 65000,
                           &traffic->datagram_bytes, error);
}

gboolean scenario_read_traffic(Scenario *self, const char *group, GError **error)
{
    static const char *const answers[] = {"yes", "no", NULL};
    static const char *const protocols[] = {"tcp", "udp", NULL};
    static const char *const of_udp[] = {"size", "segment"};
    ScenarioTraffic *traffic = g_new0(ScenarioTraffic, 1);
    g_autofree char *both = NULL, *segment = NULL, *bytes = NULL;
    int from = 0, to = 0;

    g_ptr_array_add(self->traffics, traffic);
    traffic->line = sim_keyfile_group_line(self->file, group);
    traffic->name = g_strstrip(g_strdup(group + strlen("traffic")));
    traffic->streams = 16;
    traffic->rounds = 1;
    traffic->datagram_bytes = 1472;
    if (!scenario_word(self->file, group, "protocol", protocols, "tcp", &traffic->protocol,
                       error) ||
        !scenario_word(self->file, group, "both", answers, "yes", &both, error) ||
        !scenario_word(self->file, group, "segment", answers, "no", &segment, error) ||
        !read_end(self->file, group, "from", &traffic->from, &from, error) ||
        !read_end(self->file, group, "to", &traffic->to, &to, error) ||
        !scenario_required(self->file, group, "bytes", &bytes, error) ||
        !read_numbers(self, traffic, group, error)) {
        return FALSE;
    }
    traffic->both = strcmp(both, "yes") == 0;
    traffic->segment = strcmp(segment, "yes") == 0;
    if (from != to) {
        sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "to"),
                          SIM_KEYFILE_ERROR_VALUE, error,
                          "one end has an IPv4 address, the other an IPv6 address");
        return FALSE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(of_udp) && strcmp(traffic->protocol, "udp") != 0; i++) {
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, of_udp[i]);
        if (entry) {
            sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                              "is for datagrams; add protocol = udp");
            return FALSE;
        }
    }
    return TRUE;
}

/* Ports that all the steps of a run need. */
static guint64 ports_of(const Scenario *self)
{
    guint64 ports = 0;

    for (guint i = 0; i < self->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(self->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            const ScenarioTraffic *traffic =
                action->kind == STEP_TRAFFIC ? scenario_find_traffic(self, action->text) : NULL;
            ports += traffic ? scenario_traffic_ports(traffic) : 0;
        }
    }
    return ports;
}

guint64 scenario_traffic_ports(const ScenarioTraffic *self)
{
    return self->streams * (self->both ? 2 : 1) * self->rounds;
}

gboolean scenario_finish_traffics(Scenario *self, GError **error)
{
    g_autofree const char **names = g_new0(const char *, self->traffics->len + 1);
    g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < self->traffics->len; i++) {
        names[i] = ((ScenarioTraffic *)g_ptr_array_index(self->traffics, i))->name;
    }
    for (guint i = 0; i < self->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(self->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            if (action->kind == STEP_TRAFFIC && !scenario_find_traffic(self, action->text)) {
                SimKeyfileEntry place = {.group = "step", .key = "traffic", .line = action->line};
                scenario_unknown(self->file, &place, error, "there is no traffic", action->text,
                                 names);
                return FALSE;
            }
            if (action->kind == STEP_TRAFFIC) {
                g_hash_table_add(named, action->text);
            }
        }
    }
    for (guint i = 0; i < self->traffics->len; i++) {
        const ScenarioTraffic *traffic = g_ptr_array_index(self->traffics, i);
        g_autofree char *group = g_strconcat("traffic ", traffic->name, NULL);
        SimKeyfileEntry place = {.group = group, .key = "", .line = traffic->line};
        if (!g_hash_table_contains(named, traffic->name)) {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "no step runs it; add traffic = %s to one", traffic->name);
            return FALSE;
        }
        if (ports_of(self) > MOST_PORTS) {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "streams and rounds of all steps need more than %d port numbers",
                              MOST_PORTS);
            return FALSE;
        }
    }
    return TRUE;
}

void scenario_plan_traffic(const Scenario *self, const ScenarioTraffic *traffic, guint64 *ports,
                           GString *plan)
{
    g_string_append_printf(plan,
                           "traffic name=%s protocol=%s from=%s to=%s streams=%" G_GUINT64_FORMAT
                           " both=%s bytes=%" G_GUINT64_FORMAT " rounds=%" G_GUINT64_FORMAT,
                           traffic->name, traffic->protocol, traffic->from, traffic->to,
                           traffic->streams, traffic->both ? "yes" : "no", traffic->bytes,
                           traffic->rounds);
    if (strcmp(traffic->protocol, "udp") == 0) {
        g_string_append_printf(plan, " size=%" G_GUINT64_FORMAT " segment=%s",
                               traffic->datagram_bytes, traffic->segment ? "yes" : "no");
    }
    g_string_append_printf(plan, " port=%" G_GUINT64_FORMAT " seed=%" G_GUINT64_FORMAT "\n",
                           FIRST_PORT + *ports, self->seed);
    *ports += scenario_traffic_ports(traffic);
}
