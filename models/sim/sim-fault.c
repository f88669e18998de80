/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults that a scenario asks for: parsed once, matched at each stage of each command.  The first
 * fault that matches and is not used up acts; those it hides are not counted. */
#include "sim/sim-fault.h"
#include "sim/sim-keyfile.h"
#include <string.h>

typedef struct Armed {
    SimFault fault;
    unsigned stage;
    uint64_t passed, acted;
} Armed;

struct SimFaults {
    uint64_t stages_used; /* first: sim_faults_wait() */
    const char *const *stages;
    const SimFaultWord *opcodes;
    const SimQueue *queue;
    GPtrArray *armed; /* of Armed, owned */
};

G_STATIC_ASSERT(offsetof(SimFaults, stages_used) == 0);

static const char *const actions[] = {
    [SIM_FAULT_NONE] = "none",
    [SIM_FAULT_DROP] = "drop",
    [SIM_FAULT_HOLD] = "hold",
    [SIM_FAULT_DELAY] = "delay",
    [SIM_FAULT_STATUS] = "status",
    [SIM_FAULT_CORRUPT] = "corrupt",
    NULL,
};
static const char *const options[] = {"opcode", "qid", "count", "time", "status", "after", "at", NULL};

static void armed_free(gpointer data)
{
    Armed *armed = data;

    g_free(armed->fault.stage);
    g_free(armed);
}

SimFaults *sim_faults_new(const char *const *stages)
{
    SimFaults *self = g_new0(SimFaults, 1);

    self->stages = stages;
    self->armed = g_ptr_array_new_with_free_func(armed_free);
    return self;
}

void sim_faults_free(SimFaults *self)
{
    if (self) {
        g_ptr_array_free(self->armed, TRUE);
        g_free(self);
    }
}

void sim_faults_set_opcodes(SimFaults *self, const SimFaultWord *opcodes)
{
    self->opcodes = opcodes;
}

void sim_faults_set_queue(SimFaults *self, const SimQueue *queue)
{
    self->queue = queue;
}

const char *sim_fault_action_name(SimFaultAction action)
{
    return actions[action];
}

static int word_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++) {
        if (g_str_equal(words[i], word)) {
            return i;
        }
    }
    return -1;
}

static bool unknown(const char *what, const char *word, const char *const *words, GError **error)
{
    const char *nearest = sim_nearest_word(word, words);
    g_autofree char *all = g_strjoinv(", ", (char **)words);

    if (nearest) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_UNKNOWN,
                    "unknown %s \"%s\"; did you mean \"%s\"?", what, word, nearest);
    } else {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_UNKNOWN,
                    "unknown %s \"%s\"; one of: %s", what, word, all);
    }
    return false;
}

static bool parse_opcode(const SimFaults *self, const char *text, uint64_t *value, GError **error)
{
    g_autofree const char **words = NULL;
    size_t n = 0;

    if (sim_value_parse(text, SIM_UNIT_NONE, value, NULL)) {
        return true;
    }
    for (const SimFaultWord *w = self->opcodes; w && w->name; w++) {
        if (g_str_equal(w->name, text)) {
            *value = (uint64_t)w->value;
            return true;
        }
        n++;
    }
    words = g_new0(const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        words[i] = self->opcodes[i].name;
    }
    return unknown("opcode", text, words, error);
}

/* One `key=value`; @seen has a bit for each option given so far. */
static bool parse_option(const SimFaults *self, SimFault *fault, char *word, unsigned *seen,
                         GError **error)
{
    char *equals = strchr(word, '=');
    static const uint64_t most[] = {0xff, 0xffff, UINT64_MAX, INT64_MAX,
                                    0x7fff, UINT64_MAX, INT64_MAX};
    uint64_t value;
    g_autofree char *message = NULL;
    int option;

    if (!equals) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_SYNTAX,
                    "\"%s\" has no \"=\"; write KEY=VALUE", word);
        return false;
    }
    *equals = '\0';
    option = word_index(options, word);
    if (option < 0) {
        return unknown("fault key", word, options, error);
    }
    if (*seen & 1u << option) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_DUPLICATE,
                    "%s: a second time; keep one", word);
        return false;
    }
    *seen |= 1u << option;
    if (option == 0) {
        if (!parse_opcode(self, equals + 1, &value, error)) {
            return false;
        }
    } else if (option == 2 && g_str_equal(equals + 1, "all")) {
        value = UINT64_MAX;
    } else if (!sim_value_parse(equals + 1, option == 3 || option == 6 ? SIM_UNIT_TIME : SIM_UNIT_NONE, &value,
                                &message)) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE, "%s: %s", word, message);
        return false;
    }
    if (value > most[option] || (value == 0 && (option == 2 || option == 3))) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE, "%s: %s is out of range",
                    word, equals + 1);
        return false;
    }
    switch (option) {
    case 0:
        fault->opcode = (int)value;
        break;
    case 1:
        fault->qid = (int)value;
        break;
    case 2:
        fault->count = value;
        break;
    case 3:
        fault->time_ps = value;
        break;
    case 4:
        fault->status = (unsigned)value;
        break;
    case 5:
        fault->after = value;
        break;
    case 6:
        fault->at_ps = value;
        break;
    }
    return true;
}

/* `time` belongs to delay, `status` to status: there they must be given, elsewhere they must not.
 */
static bool check_options(const SimFault *fault, unsigned seen, GError **error)
{
    static const struct {
        int option;
        SimFaultAction action;
        const char *example;
    } rules[] = {{3, SIM_FAULT_DELAY, "time=5ms"}, {4, SIM_FAULT_STATUS, "status=0x281"}};

    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        bool given = seen & 1u << rules[i].option;

        if (fault->action == rules[i].action && !given) {
            g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_MISSING,
                        "%s needs %s=…; write for example %s", actions[fault->action],
                        options[rules[i].option], rules[i].example);
            return false;
        }
        if (fault->action != rules[i].action && given) {
            g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE,
                        "%s= means nothing with %s; remove it", options[rules[i].option],
                        actions[fault->action]);
            return false;
        }
    }
    return true;
}

bool sim_faults_add(SimFaults *self, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \t", -1);
    SimFault fault = {.opcode = -1, .qid = -1, .count = 1};
    int stage = -1, action = -1;
    unsigned seen = 0;
    Armed *armed;

    for (char **word = words; *word; word++) {
        if (**word == '\0') {
            continue;
        }
        if (stage < 0) {
            stage = word_index(self->stages, *word);
            if (stage < 0) {
                return unknown("stage", *word, self->stages, error);
            }
        } else if (action < 0) {
            action = word_index(actions + 1, *word) + 1;
            if (action == 0) {
                return unknown("action", *word, actions + 1, error);
            }
            fault.action = (SimFaultAction)action;
        } else if (!parse_option(self, &fault, *word, &seen, error)) {
            return false;
        }
    }
    if (action < 0) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_SYNTAX,
                    "\"%s\": write STAGE ACTION [KEY=VALUE …]", text);
        return false;
    }
    if (!check_options(&fault, seen, error)) {
        return false;
    }
    armed = g_new0(Armed, 1);
    armed->fault = fault;
    armed->fault.stage = g_strdup(self->stages[stage]);
    armed->stage = (unsigned)stage;
    g_ptr_array_add(self->armed, armed);
    self->stages_used |= UINT64_C(1) << MIN(stage, 63);
    return true;
}

static bool is_armed(const SimFaults *self, const SimFault *fault)
{
    return fault->at_ps == 0 || (self->queue && sim_queue_now(self->queue) >= fault->at_ps);
}

const SimFault *sim_faults_due(SimFaults *self, unsigned stage, int opcode, int qid)
{
    if (!sim_faults_wait(self, stage)) {
        return NULL;
    }
    for (guint i = 0; i < self->armed->len; i++) {
        Armed *armed = g_ptr_array_index(self->armed, i);
        const SimFault *fault = &armed->fault;

        if (armed->stage != stage || armed->acted >= fault->count ||
            (fault->opcode >= 0 && fault->opcode != opcode) ||
            (fault->qid >= 0 && fault->qid != qid) || !is_armed(self, fault)) {
            continue;
        }
        if (armed->passed < fault->after) {
            armed->passed++;
            continue;
        }
        armed->acted++;
        return fault;
    }
    return NULL;
}
