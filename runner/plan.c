/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a scenario's point to the text of the plan. */
#include "plan.h"

#include <string.h>

#include "scenario-private.h"

enum { MARK_START = 1, MARK_END = 2, MARK_STEP = 0x100 }; /* docs/channel.md */

#define READY_MS 60000 /* guest time a drive may take to come up; idle time costs nothing */

void plan_module_free(PlanModule *self)
{
    if (self) {
        g_free(self->file);
        g_free(self->name);
        g_strfreev(self->parameters);
        g_free(self);
    }
}

/* A module's file holds `parm=NAME:what it is` for each parameter. */
static char **module_parameters(const char *file)
{
    static const char mark[] = "parm=";
    g_autofree char *data = NULL;
    gsize bytes = 0;

    if (!g_file_get_contents(file, &data, &bytes, NULL)) {
        return NULL;
    }
    GPtrArray *names = g_ptr_array_new();
    for (const char *at = data, *end = data + bytes; at < end; at += strlen(at) + 1) {
        if (g_str_has_prefix(at, mark)) {
            const char *name = at + strlen(mark);
            g_ptr_array_add(names, g_strndup(name, strcspn(name, ":")));
        }
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

PlanModule *plan_module_new(const char *file)
{
    PlanModule *self = g_new0(PlanModule, 1);

    self->file = g_path_get_basename(file);
    self->name = g_strndup(self->file, strcspn(self->file, "."));
    g_strdelimit(self->name, "-", '_');
    self->parameters = module_parameters(file);
    return self;
}

/* A name that could be meant as a device: letters, digits, - and _, beginning with a letter. */
static gboolean is_word(const char *text)
{
    if (!g_ascii_isalpha(*text)) {
        return FALSE;
    }
    for (; *text; text++) {
        if (!g_ascii_isalnum(*text) && *text != '-' && *text != '_') {
            return FALSE;
        }
    }
    return TRUE;
}

char *plan_substitute(const Scenario *scenario, const ScenarioAction *action, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const char *text = action->text;
    SimKeyfileEntry place = {
        .group = "step", .key = action->kind == STEP_PLAN ? "plan" : "guest", .line = action->line};

    for (const char *at = text; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end || (at > text && at[-1] == '$')) {
            g_string_append_c(out, *at++);
            continue;
        }
        g_autofree char *inner = g_strndup(at + 1, end - at - 1);
        char *part = strchr(inner, ':');
        if (part) {
            *part++ = 0;
        }
        const ScenarioDevice *device = scenario_device(scenario, inner);
        const char *const *parts = device ? device->type->parts : NULL;
        if (device && part && g_strv_contains(parts, part) &&
            (strcmp(part, "serial") == 0 || strcmp(part, "mac") == 0)) {
            g_string_append(out, device->serial);
        } else if (device && (!part || g_strv_contains(parts, part))) {
            g_string_append_printf(out, "{%s%s%s}", device->serial, part ? ":" : "",
                                   part ? part : "");
        } else if (device) {
            scenario_unknown(scenario->file, &place, error, "a device has no", part, parts);
            return NULL;
        } else if (is_word(inner)) {
            g_autofree const char **names = scenario_device_names(scenario);
            scenario_unknown(scenario->file, &place, error, "there is no device", inner, names);
            return NULL;
        } else {
            g_string_append_c(out, *at++); /* a brace of the shell's; others may lie within */
            continue;
        }
        at = end + 1;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static void add_modules(const Scenario *scenario, GPtrArray *modules, GString *plan)
{
    for (guint i = 0; i < modules->len; i++) {
        const PlanModule *module = g_ptr_array_index(modules, i);
        g_string_append_printf(plan, "insmod %s", module->file);
        for (char **word = scenario->parameters; *word; word++) {
            size_t n = strlen(module->name);
            if (strncmp(*word, module->name, n) == 0 && (*word)[n] == '.') {
                g_string_append_printf(plan, " %s", *word + n + 1);
            }
        }
        g_string_append_c(plan, '\n');
    }
}

/* @word: MODULE.NAME=VALUE. */
static gboolean check_parameter(const Scenario *scenario, const PlanModule *module,
                                const char *word, GError **error)
{
    const char *from = word + strlen(module->name) + 1;
    g_autofree char *name = g_strndup(from, strcspn(from, "="));
    g_autofree char *what = g_strdup_printf("module %s has no parameter", module->name);
    const char *const *names = (const char *const *)module->parameters;

    if (names && !g_strv_contains(names, name)) {
        scenario_unknown(scenario->file, sim_keyfile_entry(scenario->file, "driver", "parameters"),
                         error, what, name, names);
        return FALSE;
    }
    return TRUE;
}

/* A parameter of a module that is not loaded would be lost without a word, one that the module does
 * not have with a line in the kernel's log. */
static gboolean check_parameters(const Scenario *scenario, GPtrArray *modules, GError **error)
{
    g_autofree const char **names = g_new0(const char *, modules->len + 1);

    for (guint i = 0; i < modules->len; i++) {
        names[i] = ((PlanModule *)g_ptr_array_index(modules, i))->name;
    }
    for (char **word = scenario->parameters; *word; word++) {
        g_autofree char *name = g_strndup(*word, strcspn(*word, "."));
        if (!g_strv_contains(names, name)) {
            scenario_unknown(scenario->file,
                             sim_keyfile_entry(scenario->file, "driver", "parameters"), error,
                             "the driver has no module", name, names);
            return FALSE;
        }
        for (guint i = 0; i < modules->len; i++) {
            const PlanModule *module = g_ptr_array_index(modules, i);
            if (strcmp(module->name, name) == 0 &&
                !check_parameter(scenario, module, *word, error)) {
                return FALSE;
            }
        }
    }
    return TRUE;
}

static void add_load(const Scenario *scenario, const ScenarioLoad *load, GString *plan)
{
    if (load->window) {
        g_string_append(plan, "observe before\n");
    }
    g_string_append(plan, "load devices=");
    for (char **name = load->devices; *name; name++) {
        g_string_append_printf(plan, "%s%s", name > load->devices ? "," : "",
                               scenario_device(scenario, *name)->serial);
    }
    g_string_append_printf(plan,
                           " pattern=%s readers=%" G_GUINT64_FORMAT " depth=%" G_GUINT64_FORMAT
                           " block=%" G_GUINT64_FORMAT,
                           load->pattern, load->readers, load->depth, load->block_bytes);
    if (load->ios) {
        g_string_append_printf(plan, " ios=%" G_GUINT64_FORMAT, load->ios);
    } else {
        g_string_append_printf(plan, " time-ms=%" G_GUINT64_FORMAT, load->time_ms);
    }
    g_string_append_printf(plan,
                           " warmup=%" G_GUINT64_FORMAT " span=%" G_GUINT64_FORMAT
                           " offset=%" G_GUINT64_FORMAT " seed=%" G_GUINT64_FORMAT
                           " pin=%s window=%s\n",
                           load->warmup, load->span_bytes, load->offset_bytes, scenario->seed,
                           load->pin, load->window ? "yes" : "no");
    if (load->window) {
        g_string_append(plan, "observe after\n");
    }
}

/* `verify = device=nvme0 action=write …`: the device's name becomes its serial, sizes lose units.
 */
static gboolean add_verify(const Scenario *scenario, const ScenarioAction *action, GString *plan,
                           GError **error)
{
    static const char *const keys[] = {"device", "action", "blocks",  "sizes", "span",
                                       "offset", "seed",   "threads", NULL};
    static const char *const byte_keys[] = {"sizes", "span", "offset", NULL};
    g_auto(GStrv) words = scenario_list(action->text, " \t");
    SimKeyfileEntry place = {.group = "step", .key = "verify", .line = action->line};
    gboolean seeded = FALSE;

    g_string_append(plan, "verify");
    for (char **word = words; *word; word++) {
        g_autofree char *key = g_strndup(*word, strcspn(*word, "="));
        const char *value = (*word)[strlen(key)] ? *word + strlen(key) + 1 : "";
        if (!g_strv_contains(keys, key)) {
            scenario_unknown(scenario->file, &place, error, "verify has no word", key, keys);
            return FALSE;
        }
        seeded = seeded || strcmp(key, "seed") == 0;
        if (strcmp(key, "device") == 0) {
            const ScenarioDevice *device = scenario_device(scenario, value);
            if (device && device->type != DEVICE_NVME) {
                sim_keyfile_error(scenario->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                                  "%s is a %s; verify writes and reads drives", value,
                                  device->type->what);
                return FALSE;
            }
            if (!device) {
                g_autofree const char **names = scenario_device_names(scenario);
                scenario_unknown(scenario->file, &place, error, "there is no device", value, names);
                return FALSE;
            }
            g_string_append_printf(plan, " device=%s", device->serial);
        } else if (g_strv_contains(byte_keys, key)) {
            g_auto(GStrv) sizes = g_strsplit(value, ",", -1);
            g_string_append_printf(plan, " %s=", key);
            for (char **size = sizes; *size; size++) {
                guint64 bytes = 0;
                g_autofree char *message = NULL;
                if (!sim_value_parse(*size, SIM_UNIT_BYTES, &bytes, &message)) {
                    sim_keyfile_error(scenario->file, &place, SIM_KEYFILE_ERROR_VALUE, error,
                                      "%s: %s", key, message);
                    return FALSE;
                }
                g_string_append_printf(plan, "%s%" G_GUINT64_FORMAT, size > sizes ? "," : "",
                                       bytes);
            }
        } else {
            g_string_append_printf(plan, " %s=%s", key, value);
        }
    }
    if (!seeded) {
        g_string_append_printf(plan, " seed=%" G_GUINT64_FORMAT, scenario->seed);
    }
    g_string_append_c(plan, '\n');
    return TRUE;
}

/* `start` and `end`, or a time. */
static void add_window(const char *what, GString *plan)
{
    gboolean end = strcmp(what, "end") == 0, start = strcmp(what, "start") == 0;

    if (!end) {
        g_string_append_printf(plan, "observe before\nmark %u\n", MARK_START);
    }
    if (!end && !start) {
        g_string_append_printf(plan, "sleep %s\n", what);
    }
    if (!start) {
        g_string_append_printf(plan, "mark %u\nobserve after\n", MARK_END);
    }
}

/* @ports: that traffic has used up so far. */
static gboolean add_step(const Scenario *scenario, const ScenarioStep *step, guint64 *ports,
                         GString *plan, GError **error)
{
    if (step->actions->len == 0) {
        return TRUE; /* a fault alone: nothing to do in the guest */
    }
    g_string_append_printf(plan, "# step %u %s\nmark %u\n", step->number, step->title,
                           MARK_STEP + step->number);
    for (guint i = 0; i < step->actions->len; i++) {
        const ScenarioAction *action = g_ptr_array_index(step->actions, i);
        g_autofree char *text = NULL;
        switch (action->kind) {
        case STEP_GUEST:
        case STEP_PLAN:
            text = plan_substitute(scenario, action, error);
            if (!text) {
                return FALSE;
            }
            g_string_append_printf(plan, "%s%s\n", action->kind == STEP_GUEST ? "run " : "", text);
            break;
        case STEP_LOAD:
            add_load(scenario, scenario_find_load(scenario, action->text), plan);
            break;
        case STEP_WINDOW:
            add_window(action->text, plan);
            break;
        case STEP_TRAFFIC:
            scenario_plan_traffic(scenario, scenario_find_traffic(scenario, action->text), ports,
                                  plan);
            break;
        case STEP_VERIFY:
            if (!add_verify(scenario, action, plan, error)) {
                return FALSE;
            }
            break;
        }
    }
    return TRUE;
}

static gboolean in_a_step(const Scenario *scenario, const ScenarioLoad *load)
{
    for (guint i = 0; i < scenario->steps->len; i++) {
        const ScenarioStep *step = g_ptr_array_index(scenario->steps, i);
        for (guint j = 0; j < step->actions->len; j++) {
            const ScenarioAction *action = g_ptr_array_index(step->actions, j);
            if (action->kind == STEP_LOAD && strcmp(action->text, load->name) == 0) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* The driver's way to a device: it finds the device by itself, or is given it. */
static void add_device(const ScenarioDevice *device, const Driver *driver, GString *plan)
{
    g_string_append_printf(plan, "wait-%s %s ", driver->wait, device->serial);
    if (strcmp(driver->wait, "pci") == 0) {
        g_string_append_printf(plan, PLAN_ROOT_PORT "/%d ",
                               PLAN_ROOT_PORT_DEVICE + device->root_port, device->card ? 1 : 0);
    }
    g_string_append_printf(plan, "%d\n", READY_MS);
    if (driver->bind) {
        g_string_append_printf(plan, "bind %s %s\n", device->serial, driver->bind);
    }
}

char *plan_text(const Scenario *scenario, const Driver *driver, GPtrArray *modules, GError **error)
{
    g_autoptr(GString) plan = g_string_new(NULL);
    guint64 ports = 0;

    if (!check_parameters(scenario, modules, error)) {
        return NULL;
    }
    g_string_append_printf(plan, "# %s%s%s\n", scenario->name, *scenario->point ? ": " : "",
                           scenario->point);
    add_modules(scenario, modules, plan);
    for (guint i = 0; i < scenario->devices->len; i++) {
        add_device(g_ptr_array_index(scenario->devices, i), driver, plan);
    }
    g_string_append(plan, "queue-map\n");
    for (guint i = 0; i < scenario->loads->len; i++) {
        const ScenarioLoad *load = g_ptr_array_index(scenario->loads, i);
        if (!in_a_step(scenario, load)) {
            add_load(scenario, load, plan);
        }
    }
    for (guint i = 0; i < scenario->steps->len; i++) {
        if (!add_step(scenario, g_ptr_array_index(scenario->steps, i), &ports, plan, error)) {
            return NULL;
        }
    }
    g_string_append(plan, "dmesg\n");
    return g_string_free(g_steal_pointer(&plan), FALSE);
}
