/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run hands to QEMU, and what it notes about its inputs. */
#include "run-files.h"
#include "scenario-private.h"

#include <string.h>

#include "cpio-write.h"
#include "native-sources-hash.h"
#include "plan.h"

static gboolean add_tool(CpioWriter *cpio, GHashTable *added, const Inputs *inputs,
                         const char *tool, GError **error)
{
    g_auto(GStrv) files = inputs_tool_files(inputs, tool, error);

    for (char **file = files; files && *file; file++) {
        g_autofree char *source = g_build_filename(inputs->tools_dir, *file, NULL);
        g_autofree char *name = g_build_filename("tools", *file, NULL);
        g_autofree char *target = g_file_read_link(source, NULL);
        if (!g_hash_table_add(added, g_strdup(name))) {
            continue; /* two tools share a library */
        }
        if (target ? !cpio_writer_add_symlink(cpio, name, target, error)
                   : !cpio_writer_add_file(cpio, name, 0755, source, error)) {
            return FALSE;
        }
    }
    return files != NULL;
}

gboolean run_write_archive(const Prepared *prepared, const Inputs *inputs, const char *path,
                           GError **error)
{
    g_autoptr(CpioWriter) cpio = cpio_writer_new();
    g_autoptr(GHashTable) added = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    if (!cpio_writer_add_bytes(cpio, "plan", 0644, prepared->plan, strlen(prepared->plan), error)) {
        return FALSE;
    }
    for (guint i = 0; i < prepared->module_files->len; i++) {
        const PlanModule *module = g_ptr_array_index(prepared->modules, i);
        g_autofree char *name = g_build_filename("modules", module->file, NULL);
        if (!cpio_writer_add_file(cpio, name, 0644, g_ptr_array_index(prepared->module_files, i),
                                  error)) {
            return FALSE;
        }
    }
    for (char **tool = prepared->tools; *tool; tool++) {
        if (!add_tool(cpio, added, inputs, *tool, error)) {
            return FALSE;
        }
    }
    g_autoptr(GByteArray) bytes = cpio_writer_finish(cpio);
    return g_file_set_contents_full(path, (char *)bytes->data, bytes->len, G_FILE_SET_CONTENTS_NONE,
                                    0600, error);
}

char *run_profile(const ScenarioDevice *device, const char *folder, GError **error)
{
    if (device->changes->len == 0) {
        return g_strdup(device->profile_path);
    }
    g_autoptr(SimKeyfile) file = scenario_changed_profile(device, error);
    if (!file) {
        return NULL;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    const char *const *groups = sim_keyfile_groups(file);
    for (size_t i = 0; groups[i]; i++) {
        const GPtrArray *entries = sim_keyfile_entries(file, groups[i]);
        g_string_append_printf(text, "[%s]\n", groups[i]);
        for (guint j = 0; j < entries->len; j++) {
            const SimKeyfileEntry *entry = g_ptr_array_index(entries, j);
            g_string_append_printf(text, "%s = %s\n", entry->key, entry->value);
        }
    }
    g_autofree char *name = g_strdup_printf("profile-%s.ini", device->name);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return g_file_set_contents(path, text->str, text->len, error) ? g_steal_pointer(&path) : NULL;
}

static gboolean add_file(GArray *list, const Inputs *inputs, GStringChunk *strings,
                         const char *kind, const char *path, GError **error)
{
    g_autofree char *hash = hash_cache_file(inputs->hashes, path, error);
    g_autofree char *name = g_path_get_basename(path);

    if (!hash) {
        return FALSE;
    }
    ResultsInput input = {.kind = kind,
                          .name = g_string_chunk_insert(strings, name),
                          .hash = g_string_chunk_insert(strings, hash),
                          .path = g_string_chunk_insert(strings, path)};
    g_array_append_val(list, input);
    return TRUE;
}

/* One input for all of a tool's files: their names and hashes. */
static gboolean add_tool_input(GArray *list, const Inputs *inputs, GStringChunk *strings,
                               const char *tool, GError **error)
{
    g_auto(GStrv) files = inputs_tool_files(inputs, tool, error);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

    for (char **file = files; files && *file; file++) {
        g_autofree char *path = g_build_filename(inputs->tools_dir, *file, NULL);
        g_autofree char *hash = hash_cache_file(inputs->hashes, path, error);
        if (!hash) {
            return FALSE;
        }
        g_checksum_update(sum, (const guchar *)*file, (gssize)strlen(*file) + 1);
        g_checksum_update(sum, (const guchar *)hash, (gssize)strlen(hash));
    }
    ResultsInput input = {.kind = "tool",
                          .name = g_string_chunk_insert(strings, tool),
                          .hash = g_string_chunk_insert(strings, g_checksum_get_string(sum)),
                          .path = g_string_chunk_insert(strings, inputs->tools_dir)};
    g_array_append_val(list, input);
    return files != NULL;
}

/* Of a native run: this program's models and simulated drivers, the machine, the drives. */
static gboolean add_native_inputs(GArray *list, const Scenario *scenario, const Inputs *inputs,
                                  GStringChunk *strings, GError **error)
{
    ResultsInput models = {.kind = "models", .name = "native", .hash = NATIVE_SOURCES_HASH};

    g_array_append_val(list, models);
    return add_file(list, inputs, strings, "machine", scenario->machine_path, error);
}

static gboolean add_profiles(GArray *list, const Scenario *scenario, const Inputs *inputs,
                             GStringChunk *strings, GError **error)
{
    for (guint i = 0; i < scenario->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(scenario->devices, i);
        gboolean there = FALSE;
        for (guint j = 0; j < i; j++) {
            const ScenarioDevice *other = g_ptr_array_index(scenario->devices, j);
            there = there || strcmp(other->profile_path, device->profile_path) == 0;
        }
        if (!there && !add_file(list, inputs, strings, "profile", device->profile_path, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

GArray *run_inputs(const Prepared *prepared, const Inputs *inputs, const char *snapshot_key,
                   GStringChunk *strings, GError **error)
{
    const Scenario *scenario = prepared->scenario;
    g_autoptr(GArray) list = g_array_new(FALSE, TRUE, sizeof(ResultsInput));
    ResultsInput snapshot = {.kind = "snapshot", .name = "state", .hash = snapshot_key};

    if (scenario->simulated) {
        return add_native_inputs(list, scenario, inputs, strings, error) &&
                       add_profiles(list, scenario, inputs, strings, error)
                   ? g_steal_pointer(&list)
                   : NULL;
    }
    if (!add_file(list, inputs, strings, "qemu", inputs->qemu, error) ||
        !add_file(list, inputs, strings, "kernel", inputs->kernel, error) ||
        !add_file(list, inputs, strings, "guest-image", inputs->image, error) ||
        !add_file(list, inputs, strings, "machine", scenario->machine_path, error)) {
        return NULL;
    }
    /* The image's file name is a part of its key; the name stays the same. */
    g_array_index(list, ResultsInput, 2).name = "initramfs.cpio";
    g_array_append_val(list, snapshot);
    for (guint i = 0; i < prepared->module_files->len; i++) {
        if (!add_file(list, inputs, strings, "module", g_ptr_array_index(prepared->module_files, i),
                      error)) {
            return NULL;
        }
    }
    if (!add_profiles(list, scenario, inputs, strings, error)) {
        return NULL;
    }
    for (char **tool = prepared->tools; *tool; tool++) {
        if (!add_tool_input(list, inputs, strings, *tool, error)) {
            return NULL;
        }
    }
    return g_steal_pointer(&list);
}
