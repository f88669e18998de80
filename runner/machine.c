/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fill in qemu-devices/machine-args. */
#include "machine.h"

#include <string.h>

#include "scenario-private.h"

char *machine_escape(const char *value)
{
    g_auto(GStrv) parts = g_strsplit(value, ",", -1);

    return g_strjoinv(",,", parts);
}

/* With the wall clock the machine's own time passes: no instruction count, and no constants that
 * come from it. */
static char *wall_append(const char *append)
{
    static const char *const gone[] = {"tsc_early_khz=", "lpj=", "tsc="};
    g_auto(GStrv) words = scenario_list(append, " ");
    g_autoptr(GString) kept = g_string_new(NULL);

    for (char **word = words; *word; word++) {
        gboolean keep = TRUE;
        for (size_t i = 0; i < G_N_ELEMENTS(gone); i++) {
            keep = keep && !g_str_has_prefix(*word, gone[i]);
        }
        if (keep) {
            g_string_append_printf(kept, "%s%s", kept->len ? " " : "", *word);
        }
    }
    return g_string_free(g_steal_pointer(&kept), FALSE);
}

/* Replaces @NAME@ by its value; an unknown name is an error in the file. */
static char *fill_in(const char *line, const char *const (*values)[2], size_t n, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (const char *at = line; *at;) {
        const char *end = *at == '@' ? strchr(at + 1, '@') : NULL;
        if (!end) {
            g_string_append_c(out, *at++);
            continue;
        }
        g_autofree char *name = g_strndup(at + 1, end - at - 1);
        size_t i = 0;
        while (i < n && strcmp(values[i][0], name) != 0) {
            i++;
        }
        if (i == n) {
            g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                        "qemu-devices/machine-args: nobody knows @%s@", name);
            return NULL;
        }
        g_string_append(out, values[i][1]);
        at = end + 1;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* @boot: at the profile's speed, whatever the scenario's, so that one snapshot serves all speeds.
 */
static GPtrArray *arguments(const Scenario *scenario, const Inputs *inputs, const char *serial_log,
                            gboolean boot, GError **error)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
    gboolean wall = strcmp(scenario->clock, "wall") == 0;
    g_autofree char *log = machine_escape(serial_log);
    g_autofree char *serial = g_strconcat("file:", log, NULL);
    g_autofree char *cpus = g_strdup_printf("%" G_GUINT64_FORMAT, scenario->cpus);
    g_autofree char *memory =
        g_strdup_printf("%" G_GUINT64_FORMAT "M", scenario->memory_bytes >> 20);
    uint64_t speed = boot ? scenario->machine->mips : scenario->mips;
    uint64_t ahead = boot ? scenario->machine->quantum : scenario->quantum;
    g_autofree char *mips = g_strdup_printf("%" G_GUINT64_FORMAT, speed);
    /* QEMU's clock takes nanoseconds; the machine profile counts instructions. */
    g_autofree char *quantum = g_strdup_printf("%" G_GUINT64_FORMAT, MAX(ahead * 1000 / speed, 1));
    const char *const values[][2] = {
        {"CPUS", cpus},
        {"MEMORY", memory},
        {"MIPS", mips},
        {"QUANTUM", quantum},
        {"SERIAL", serial},
        {"KERNEL", inputs->kernel},
        {"INITRD", inputs->image},
        {"APPEND", ""},
    };
    g_auto(GStrv) lines = g_strsplit(inputs->machine_args, "\n", -1);

    g_ptr_array_add(args, g_strdup(inputs->qemu));
    for (char **line = lines; *line; line++) {
        const char *before = args->len ? g_ptr_array_index(args, args->len - 1) : "";
        g_strstrip(*line);
        if (**line == 0 || **line == '#') {
            continue;
        }
        char *value = fill_in(*line, values, G_N_ELEMENTS(values), error);
        if (!value) {
            return NULL;
        }
        if (wall && strcmp(before, "-icount") == 0) {
            g_free(value);
            g_ptr_array_remove_index(args, args->len - 1);
            continue;
        }
        if (wall && (strcmp(before, "-append") == 0 || strcmp(before, "-accel") == 0)) {
            char *other = *before == '-' && before[1] == 'a' && before[2] == 'p'
                              ? wall_append(value)
                              : g_strdup("tcg,thread=multi,tb-size=256");
            g_free(value);
            value = other;
        }
        g_ptr_array_add(args, g_strstrip(value));
    }
    return g_steal_pointer(&args);
}

char **machine_command(const Scenario *scenario, const Inputs *inputs, const char *serial_log,
                       const char *sim, const char *archive, const char *const *extra,
                       GError **error)
{
    g_autoptr(GPtrArray) args = arguments(scenario, inputs, serial_log, archive == NULL, error);
    g_autofree char *path = archive ? machine_escape(archive) : NULL;

    if (!args) {
        return NULL;
    }
    g_ptr_array_add(args, g_strdup("-device"));
    g_autofree char *mips = archive && scenario->mips != scenario->machine->mips
                                ? g_strdup_printf(",mips=%" G_GUINT64_FORMAT, scenario->mips)
                                : g_strdup("");
    g_ptr_array_add(args, g_strdup_printf("quirkbench-sim,id=sim0,%s%s", sim, mips));
    /* One address in both, or the restored guest would not find it. */
    g_ptr_array_add(args, g_strdup("-device"));
    g_ptr_array_add(args, g_strdup_printf("quirkbench-channel,id=channel,sim=sim0,bus=pcie.0,"
                                          "addr=0x18%s%s",
                                          path ? ",archive=" : "", path ? path : ""));
    for (; extra && *extra; extra++) {
        g_ptr_array_add(args, g_strdup(*extra));
    }
    g_ptr_array_add(args, NULL);
    g_ptr_array_set_free_func(args, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&args), FALSE);
}

char *machine_snapshot_key(const Scenario *scenario, const Inputs *inputs, GError **error)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(GPtrArray) args = arguments(scenario, inputs, "serial", TRUE, error);
    const char *const hashes[] = {inputs->qemu_key, inputs->kernel_hash, inputs->image_hash};

    if (!args) {
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(hashes); i++) {
        g_checksum_update(sum, (const guchar *)hashes[i], (gssize)strlen(hashes[i]) + 1);
    }
    for (guint i = 1; i < args->len; i++) {
        const char *arg = g_ptr_array_index(args, i);
        /* Paths are not content: the hashes above stand for these. */
        if (strcmp(arg, inputs->kernel) != 0 && strcmp(arg, inputs->image) != 0) {
            g_checksum_update(sum, (const guchar *)arg, (gssize)strlen(arg) + 1);
        }
    }
    return g_strdup(g_checksum_get_string(sum));
}
