/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [step N title], and what steps and other groups need of each other. */
#include "scenario-private.h"

#include <string.h>

#include "sim/sim-time.h"

/* What the guest's program knows; `run` is beside the table there. */
static const struct {
    const char *name;
    unsigned least, most; /* words, with the name */
    const char *usage;
} plan_commands[] = {
#define PLAN_COMMAND(name, least, most, action, usage) {name, least, most, usage},
#include "plan-commands.def"
#undef PLAN_COMMAND
};

static void action_free(gpointer data)
{
    ScenarioAction *action = data;

    g_free(action->text);
    g_free(action);
}

void scenario_step_free(ScenarioStep *self)
{
    if (!self) {
        return;
    }
    g_free(self->title);
    g_ptr_array_unref(self->actions);
    g_free(self);
}

/* `fault = DEVICE STAGE ACTION …`, with `at = TIME`: into the device's list. */
static gboolean read_fault(Scenario *self, const char *group, GError **error)
{
    const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "fault");
    const char *text = scenario_text(self->file, group, "fault");
    guint64 at_ps = 0;

    if (!text) {
        const SimKeyfileEntry *at = sim_keyfile_entry(self->file, group, "at");
        if (at) {
            sim_keyfile_error(self->file, at, SIM_KEYFILE_ERROR_VALUE, error,
                              "belongs to a fault; add fault = DEVICE STAGE ACTION");
        }
        return at == NULL;
    }
    g_auto(GStrv) words = scenario_list(text, " \t");
    ScenarioDevice *device = words[0] ? scenario_device(self, words[0]) : NULL;
    if (!device) {
        g_autofree const char **names = scenario_device_names(self);
        scenario_unknown(self->file, entry, error, "there is no device", words[0] ? words[0] : "",
                         names);
        return FALSE;
    }
    if (!words[1] || !words[2]) {
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_SYNTAX, error,
                          "write DEVICE STAGE ACTION, as in nvme0 cqe hold opcode=read count=1");
        return FALSE;
    }
    if (!scenario_number(self->file, group, "at", SIM_UNIT_TIME, 0, 3600 * SIM_S, &at_ps, error)) {
        return FALSE;
    }
    g_autofree char *rest = g_strjoinv(" ", words + 1);
    g_autofree char *at = at_ps ? sim_value_format(at_ps, SIM_UNIT_TIME) : NULL;
    g_autofree char *whole = at ? g_strdup_printf("%s at=%s", rest, at) : g_strdup(rest);
    return scenario_add_fault(self, device, whole, entry, error);
}

/* `window = TIME`: the action's text becomes its milliseconds; `start` and `end` stay. */
static gboolean read_window(Scenario *self, const char *group, ScenarioAction *action,
                            GError **error)
{
    guint64 time_ps = 0;

    if (strcmp(action->text, "start") == 0 || strcmp(action->text, "end") == 0) {
        return TRUE;
    }
    if (!scenario_number(self->file, group, "window", SIM_UNIT_TIME, SIM_MS, 3600 * SIM_S, &time_ps,
                         error)) {
        return FALSE;
    }
    if (time_ps >= self->limit_ps) {
        g_autofree char *limit = sim_value_format(self->limit_ps, SIM_UNIT_TIME);
        sim_keyfile_error(
            self->file, sim_keyfile_entry(self->file, group, "window"), SIM_KEYFILE_ERROR_VALUE,
            error, "the run ends before, at %s; shorten it or raise [scenario] limit", limit);
        return FALSE;
    }
    g_free(action->text);
    action->text = g_strdup_printf("%" G_GUINT64_FORMAT, time_ps / SIM_MS);
    return TRUE;
}

/* A run has one measured window, of a load, of a step, or from one step to another. */
static gboolean check_windows(Scenario *self, GError **error)
{
    unsigned line = 0, open = 0;

    for (guint i = 0; i < self->loads->len; i++) {
        const ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        line = load->window ? load->line : line;
    }
    for (guint i = 0; i < self->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(self->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            SimKeyfileEntry place = {.group = "step", .key = "window", .line = action->line};
            if (action->kind != STEP_WINDOW) {
                continue;
            }
            if (strcmp(action->text, "end") == 0) {
                if (!open) {
                    sim_keyfile_error(
                        self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                        "no window is open here; add window = start to a step before");
                    return FALSE;
                }
                open = 0;
                continue;
            }
            open = strcmp(action->text, "start") == 0 ? action->line : open;
            if (line) {
                sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                                  "a run has one measured window, and line %u is it", line);
                return FALSE;
            }
            line = action->line;
        }
    }
    if (open) {
        SimKeyfileEntry place = {.group = "step", .key = "window", .line = open};
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                          "the window stays open; add window = end to a step behind it");
        return FALSE;
    }
    return TRUE;
}

/* Does a line of the plan open the window by itself? */
static gboolean has_window(const Scenario *self)
{
    for (guint i = 0; i < self->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(self->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            if (action->kind == STEP_WINDOW ||
                (action->kind == STEP_PLAN && g_str_has_prefix(action->text, "mark "))) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* A tester that waits for a window which does not come would send nothing. */
static gboolean check_senders(Scenario *self, GError **error)
{
    for (guint i = 0; i < self->wires->len && !has_window(self); i++) {
        const ScenarioWire *wire = g_ptr_array_index(self->wires, i);
        g_autofree char *group = g_strconcat("wire ", wire->name, NULL);
        SimKeyfileEntry place = {.group = group, .key = "", .line = wire->line};
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "start");
        if (wire->tester && wire->sends && wire->start_ps == 0) {
            sim_keyfile_error(self->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "its tester sends in the window, and no step has window =; add one, "
                              "or start = never");
            return FALSE;
        }
    }
    return TRUE;
}

/* A line of the plan is read by the guest only after it has booted: what it would refuse is found
 * here.  Quoted words are left to it. */
static gboolean check_plan(Scenario *self, const SimKeyfileEntry *entry, GError **error)
{
    const char *names[G_N_ELEMENTS(plan_commands) + 2] = {[G_N_ELEMENTS(plan_commands)] = "run"};
    const char *line = entry->value + strspn(entry->value, "- \t");
    g_auto(GStrv) words = scenario_list(line, " \t");
    guint n = g_strv_length(words);

    for (size_t i = 0; i < G_N_ELEMENTS(plan_commands); i++) {
        names[i] = plan_commands[i].name;
    }
    if (n == 0 || !g_strv_contains(names, words[0])) {
        scenario_unknown(self->file, entry, error, "the guest has no command", n ? words[0] : "",
                         names);
        return FALSE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(plan_commands) && !strpbrk(line, "\"'"); i++) {
        if (strcmp(words[0], plan_commands[i].name) == 0 &&
            (n < plan_commands[i].least || n > plan_commands[i].most)) {
            sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_SYNTAX, error, "write %s",
                              plan_commands[i].usage);
            return FALSE;
        }
    }
    return TRUE;
}

const char *const scenario_step_keys[] = {"guest",  "load",    "verify", "plan",
                                          "window", "traffic", NULL};

gboolean scenario_read_step(Scenario *self, const char *group, GError **error)
{
    ScenarioStep *step = g_new0(ScenarioStep, 1);
    const char *text = group + strlen("step ");
    char *end = NULL;
    SimKeyfileEntry place = {
        .group = group, .key = "", .line = sim_keyfile_group_line(self->file, group)};

    step->actions = g_ptr_array_new_with_free_func(action_free);
    g_ptr_array_add(self->steps, step);
    guint64 number = g_ascii_strtoull(text, &end, 10);
    if (end == text || number < 1 || number > 999 || (*end && *end != ' ')) {
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_SYNTAX, error,
                          "write [step N TITLE] with N from 1 to 999");
        return FALSE;
    }
    step->number = number;
    step->title = g_strstrip(g_strdup(end));
    if (self->steps->len > 1) {
        const ScenarioStep *before = g_ptr_array_index(self->steps, self->steps->len - 2);
        if (before->number >= step->number) {
            sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "steps count upwards, and the one before is %u", before->number);
            return FALSE;
        }
    }
    const GPtrArray *entries = sim_keyfile_entries(self->file, group);
    for (guint i = 0; entries && i < entries->len; i++) {
        SimKeyfileEntry *entry = g_ptr_array_index(entries, i);
        for (unsigned kind = 0; scenario_step_keys[kind]; kind++) {
            if (strcmp(entry->key, scenario_step_keys[kind]) == 0) {
                if (!*entry->value) {
                    sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                                      "is empty; give it a value or leave it out");
                    return FALSE;
                }
                ScenarioAction *action = g_new0(ScenarioAction, 1);
                action->kind = (ScenarioActionKind)kind;
                action->text = g_strdup(entry->value);
                action->line = entry->line;
                entry->taken = true;
                g_ptr_array_add(step->actions, action);
                if ((kind == STEP_WINDOW && !read_window(self, group, action, error)) ||
                    (kind == STEP_PLAN && !check_plan(self, entry, error))) {
                    return FALSE;
                }
            }
        }
    }
    return read_fault(self, group, error);
}

gboolean scenario_finish_steps(Scenario *self, GError **error)
{
    g_autofree const char **names = g_new0(const char *, self->loads->len + 1);

    for (guint i = 0; i < self->loads->len; i++) {
        names[i] = ((ScenarioLoad *)g_ptr_array_index(self->loads, i))->name;
    }
    for (guint i = 0; i < self->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(self->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            if (action->kind == STEP_LOAD && !scenario_find_load(self, action->text)) {
                SimKeyfileEntry place = {.group = "step", .key = "load", .line = action->line};
                scenario_unknown(self->file, &place, error, "there is no load", action->text,
                                 names);
                return FALSE;
            }
        }
    }
    return check_windows(self, error) && check_senders(self, error);
}
