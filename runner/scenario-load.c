/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [load NAME] and [step N title]. */
#include "scenario-private.h"

#include <string.h>

#include "sim/sim-time.h"

#define SECTOR_BYTES 512u

void scenario_load_free(ScenarioLoad *self)
{
    if (!self) {
        return;
    }
    g_free(self->name);
    g_strfreev(self->devices);
    g_free(self->pattern);
    g_free(self->pin);
    g_free(self);
}

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

static gboolean read_length(Scenario *self, ScenarioLoad *load, const char *group, GError **error)
{
    guint64 time_ps = 0;
    const SimKeyfileEntry *ios = sim_keyfile_entry(self->file, group, "ios");
    const SimKeyfileEntry *time = sim_keyfile_entry(self->file, group, "time");
    SimKeyfileEntry place = {.group = group, .key = "ios", .line = load->line};

    if (ios && time) {
        sim_keyfile_error(self->file, time, SIM_KEYFILE_ERROR_VALUE, error,
                          "ios in line %u gives the length already; keep one", ios->line);
        return FALSE;
    }
    if (!ios && !time) {
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "is missing; give ios = N, or time = TIME");
        return FALSE;
    }
    if (!scenario_number(self->file, group, "ios", SIM_UNIT_NONE, 1, 1000000000, &load->ios,
                         error) ||
        !scenario_number(self->file, group, "time", SIM_UNIT_TIME, SIM_MS, 3600 * SIM_S, &time_ps,
                         error)) {
        return FALSE;
    }
    load->time_ms = time_ps / SIM_MS;
    return TRUE;
}

gboolean scenario_read_load(Scenario *self, const char *group, GError **error)
{
    static const char *const patterns[] = {"randread", "read", "randwrite", "write", NULL};
    static const char *const pins[] = {"spread", "none", NULL};
    static const char *const answers[] = {"yes", "no", NULL};
    const guint64 most_bytes = G_GUINT64_CONSTANT(1) << 46;
    ScenarioLoad *load = g_new0(ScenarioLoad, 1);
    g_autofree char *window = NULL;

    g_ptr_array_add(self->loads, load);
    load->line = sim_keyfile_group_line(self->file, group);
    load->name = g_strstrip(g_strdup(group + strlen("load")));
    load->readers = 1;
    load->depth = 1;
    load->block_bytes = 4096;
    load->span_bytes = G_GUINT64_CONSTANT(16) << 30;
    if (!scenario_word(self->file, group, "pattern", patterns, "randread", &load->pattern, error) ||
        !scenario_word(self->file, group, "pin", pins, "spread", &load->pin, error) ||
        !scenario_word(self->file, group, "window", answers, "", &window, error) ||
        !scenario_number(self->file, group, "readers", SIM_UNIT_NONE, 1, 1024, &load->readers,
                         error) ||
        !scenario_number(self->file, group, "depth", SIM_UNIT_NONE, 1, 4096, &load->depth, error) ||
        !scenario_number(self->file, group, "block", SIM_UNIT_BYTES, SECTOR_BYTES, 8 << 20,
                         &load->block_bytes, error) ||
        !scenario_number(self->file, group, "warmup", SIM_UNIT_NONE, 0, 1000000000, &load->warmup,
                         error) ||
        !scenario_number(self->file, group, "span", SIM_UNIT_BYTES, SECTOR_BYTES, most_bytes,
                         &load->span_bytes, error) ||
        !scenario_number(self->file, group, "offset", SIM_UNIT_BYTES, 0, most_bytes,
                         &load->offset_bytes, error) ||
        !read_length(self, load, group, error)) {
        return FALSE;
    }
    load->window = strcmp(window, "yes") == 0;
    load->devices = scenario_list(scenario_text(self->file, group, "devices"), ", \t");
    if (load->block_bytes % SECTOR_BYTES || load->span_bytes % load->block_bytes ||
        load->offset_bytes % SECTOR_BYTES) {
        const char *key = load->block_bytes % SECTOR_BYTES       ? "block"
                          : load->span_bytes % load->block_bytes ? "span"
                                                                 : "offset";
        const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, key);
        if (!entry) {
            entry = sim_keyfile_entry(self->file, group, "block");
        }
        sim_keyfile_error(self->file, entry, SIM_KEYFILE_ERROR_VALUE, error,
                          strcmp(key, "span") == 0 ? "is not a multiple of block"
                                                   : "is not a multiple of 512B");
        return FALSE;
    }
    return TRUE;
}

/* Bytes of the device's namespace. */
static guint64 capacity_bytes(const ScenarioDevice *device)
{
    const SimParam *param = device_type_param(device->type, "namespace.capacity");
    g_autofree char *text = param ? device->type->format(device->profile, param) : NULL;
    guint64 bytes = G_MAXUINT64;

    if (text) {
        sim_value_parse(text, param->unit, &bytes, NULL);
    }
    return bytes;
}

static gboolean finish_load(Scenario *self, ScenarioLoad *load, const char *group, GError **error)
{
    g_autofree const char **names = scenario_device_names(self);

    if (!load->devices[0]) {
        g_strfreev(load->devices);
        load->devices = g_strdupv((char **)names);
    }
    if (!load->devices[0]) {
        SimKeyfileEntry place = {.group = group, .key = "", .line = load->line};
        sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_MISSING, error,
                          "the scenario has no device; add [device nvme0]");
        return FALSE;
    }
    for (char **name = load->devices; *name; name++) {
        const ScenarioDevice *device = scenario_device(self, *name);
        if (!device) {
            scenario_unknown(self->file, sim_keyfile_entry(self->file, group, "devices"), error,
                             "there is no device", *name, names);
            return FALSE;
        }
        if (device->type != DEVICE_NVME) {
            const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "devices");
            SimKeyfileEntry place = {.group = group, .key = "", .line = load->line};
            sim_keyfile_error(self->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "%s is a %s; a load reads and writes drives", *name,
                              device->type->what);
            return FALSE;
        }
        guint64 capacity = capacity_bytes(device);
        if (load->offset_bytes + load->span_bytes > capacity) {
            const SimKeyfileEntry *entry = sim_keyfile_entry(self->file, group, "span");
            SimKeyfileEntry place = {.group = group, .key = "span", .line = load->line};
            sim_keyfile_error(self->file, entry ? entry : &place, SIM_KEYFILE_ERROR_VALUE, error,
                              "offset and span reach beyond the end of %s (%" G_GUINT64_FORMAT
                              " bytes)",
                              *name, capacity);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean scenario_finish_loads(Scenario *self, GError **error)
{
    ScenarioLoad *marked = NULL;

    for (guint i = 0; i < self->loads->len; i++) {
        ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        g_autofree char *group =
            *load->name ? g_strconcat("load ", load->name, NULL) : g_strdup("load");
        if (!finish_load(self, load, group, error)) {
            return FALSE;
        }
        if (load->window && marked) {
            sim_keyfile_error(self->file, sim_keyfile_entry(self->file, group, "window"),
                              SIM_KEYFILE_ERROR_VALUE, error,
                              "a run has one measured window, and the load of line %u is it",
                              marked->line);
            return FALSE;
        }
        marked = load->window ? load : marked;
    }
    for (guint i = 0; i < self->loads->len && !marked; i++) {
        ScenarioLoad *load = g_ptr_array_index(self->loads, i);
        g_autofree char *group =
            *load->name ? g_strconcat("load ", load->name, NULL) : g_strdup("load");
        if (!sim_keyfile_entry(self->file, group, "window")) {
            load->window = TRUE;
            marked = load;
        }
    }
    return TRUE;
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

/* `window = TIME`: the action's text becomes its milliseconds. */
static gboolean read_window(Scenario *self, const char *group, ScenarioAction *action,
                            GError **error)
{
    guint64 time_ps = 0;

    if (!scenario_number(self->file, group, "window", SIM_UNIT_TIME, SIM_MS, 3600 * SIM_S, &time_ps,
                         error)) {
        return FALSE;
    }
    g_free(action->text);
    action->text = g_strdup_printf("%" G_GUINT64_FORMAT, time_ps / SIM_MS);
    return TRUE;
}

/* A run has one measured window, of a load or of a step. */
static gboolean check_windows(Scenario *self, GError **error)
{
    unsigned line = 0;

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
            if (line) {
                sim_keyfile_error(self->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                                  "a run has one measured window, and line %u is it", line);
                return FALSE;
            }
            line = action->line;
        }
    }
    return TRUE;
}

gboolean scenario_read_step(Scenario *self, const char *group, GError **error)
{
    static const char *const keys[] = {"guest", "load", "verify", "plan", "window", NULL};
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
        for (unsigned kind = 0; keys[kind]; kind++) {
            if (strcmp(entry->key, keys[kind]) == 0 && *entry->value) {
                ScenarioAction *action = g_new0(ScenarioAction, 1);
                action->kind = (ScenarioActionKind)kind;
                action->text = g_strdup(entry->value);
                action->line = entry->line;
                entry->taken = true;
                g_ptr_array_add(step->actions, action);
                if (kind == STEP_WINDOW && !read_window(self, group, action, error)) {
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
    return check_windows(self, error);
}
