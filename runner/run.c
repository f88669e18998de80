/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restore the snapshot, plug the devices in, go on, wait for the end; then ingest and judge. */
#include "run.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

#include "expect.h"
#include "files.h"
#include "machine.h"
#include "native-mode.h"
#include "plan.h"
#include "qemu.h"
#include "run-files.h"
#include "snapshot.h"

#define SETUP_US (60 * G_USEC_PER_SEC)
#define TAIL_LINES 12

void run_prepared_free(Prepared *self)
{
    if (self) {
        g_clear_pointer(&self->driver, driver_free);
        g_clear_pointer(&self->module_files, g_ptr_array_unref);
        g_clear_pointer(&self->modules, g_ptr_array_unref);
        g_strfreev(self->tools);
        g_free(self->plan);
        g_free(self);
    }
}

void run_outcome_free(RunOutcome *self)
{
    if (self) {
        g_free(self->verdict);
        g_free(self->reason);
        g_free(self->log_tail);
        g_free(self);
    }
}

static char **all_tools(const Driver *driver, const Scenario *scenario)
{
    GPtrArray *tools = g_ptr_array_new();

    for (char **tool = driver->tools; *tool; tool++) {
        g_ptr_array_add(tools, g_strdup(*tool));
    }
    for (char **tool = scenario->tools; *tool; tool++) {
        if (!g_strv_contains((const char *const *)driver->tools, *tool)) {
            g_ptr_array_add(tools, g_strdup(*tool));
        }
    }
    g_ptr_array_add(tools, NULL);
    return (char **)g_ptr_array_free(tools, FALSE);
}

Prepared *run_prepare(Scenario *scenario, const Inputs *inputs, GError **error)
{
    g_autoptr(Prepared) self = g_new0(Prepared, 1);

    self->scenario = scenario;
    self->driver = driver_load(scenario->driver, error);
    if (!self->driver) {
        return NULL;
    }
    self->tools = all_tools(self->driver, scenario);
    if (scenario->simulated) {
        self->module_files = g_ptr_array_new();
        self->modules = g_ptr_array_new();
        self->plan = g_strdup("");
        return g_steal_pointer(&self);
    }
    self->module_files = driver_module_files(self->driver, scenario->modules, inputs->modules_dir,
                                             inputs->fallback_modules_dir, error);
    if (!self->module_files) {
        return NULL;
    }
    self->modules = g_ptr_array_new_with_free_func((GDestroyNotify)plan_module_free);
    for (guint i = 0; i < self->module_files->len; i++) {
        g_ptr_array_add(self->modules, plan_module_new(g_ptr_array_index(self->module_files, i)));
    }
    self->plan = plan_text(scenario, self->driver, self->modules, error);
    return self->plan ? g_steal_pointer(&self) : NULL;
}

/* --- The row --- */

static char *scenario_hash(const Scenario *scenario)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    const char *const *groups = sim_keyfile_groups(scenario->file);

    for (size_t i = 0; groups[i]; i++) {
        const GPtrArray *entries = sim_keyfile_entries(scenario->file, groups[i]);
        if (strcmp(groups[i], "matrix") == 0 || g_str_has_prefix(groups[i], "expect ") ||
            g_str_has_prefix(groups[i], "point ") || strcmp(groups[i], SCENARIO_NARROWED) == 0) {
            continue; /* this point's values stand in the other groups */
        }
        for (guint j = 0; entries && j < entries->len; j++) {
            const SimKeyfileEntry *entry = g_ptr_array_index(entries, j);
            g_autofree char *line =
                g_strdup_printf("[%s]%s=%s\n", groups[i], entry->key, entry->value);
            g_checksum_update(sum, (guchar *)line, (gssize)strlen(line));
        }
    }
    return g_strdup(g_checksum_get_string(sum));
}

static gint64 begin_row(const Prepared *prepared, const Inputs *inputs, ResultsStore *store,
                        const char *snapshot_key, GError **error)
{
    const Scenario *scenario = prepared->scenario;
    g_autoptr(GStringChunk) strings = g_string_chunk_new(1024);
    g_autoptr(GArray) list = run_inputs(prepared, inputs, snapshot_key, strings, error);
    g_autofree ResultsDevice *devices = g_new0(ResultsDevice, scenario->devices->len + 1);
    g_autofree char *hash = scenario_hash(scenario);
    const char *package = prepared->driver->package;
    g_autofree char *version =
        package ? inputs_package_version(inputs, package, error) : g_strdup(inputs->kernel_release);

    if (!list || (package && !version)) {
        return 0;
    }
    for (guint i = 0; i < scenario->devices->len; i++) {
        const ScenarioDevice *device = g_ptr_array_index(scenario->devices, i);
        devices[i] = (ResultsDevice){.device = device->name,
                                     .model = device->type->kind,
                                     .profile = device->type->name(device->profile),
                                     .slot = device->slot,
                                     .serial = device->serial,
                                     .published_id = device->published};
    }
    ResultsRun run = {.scenario = scenario->name,
                      .title = scenario->title,
                      .scenario_path = scenario->path,
                      .scenario_hash = hash,
                      .point = scenario->point,
                      .seed = scenario->seed,
                      .clock = scenario->clock,
                      .quantum = scenario->quantum,
                      .dilation = 1.0,
                      .driver = scenario->driver,
                      .driver_version = version,
                      .machine = scenario->machine->name,
                      .cpus = scenario->cpus,
                      .mips = scenario->mips,
                      .version = QB_VERSION,
                      .devices = devices,
                      .devices_n = scenario->devices->len,
                      .inputs = (const ResultsInput *)list->data,
                      .inputs_n = list->len};
    return results_run_begin(store, &run, error);
}

/* --- Resume --- */

/* Whether the run was made of just these inputs. */
static gboolean has_inputs(ResultsStore *store, gint64 run_id, const GArray *list)
{
    static const char count_sql[] = "SELECT COUNT(*) FROM run_input WHERE run_id = ?1";
    static const char one_sql[] = "SELECT 1 FROM run_input WHERE run_id = ?1 AND kind = ?2"
                                  " AND name = ?3 AND hash = ?4";
    sqlite3_stmt *stmt = NULL;
    gboolean same = sqlite3_prepare_v2(results_db(store), count_sql, -1, &stmt, NULL) == SQLITE_OK;

    if (same) {
        sqlite3_bind_int64(stmt, 1, run_id);
        same = sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0) == (int)list->len;
    }
    sqlite3_finalize(stmt);
    stmt = NULL;
    same = same && sqlite3_prepare_v2(results_db(store), one_sql, -1, &stmt, NULL) == SQLITE_OK;
    for (guint i = 0; same && i < list->len; i++) {
        const ResultsInput *input = &g_array_index(list, ResultsInput, i);
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 1, run_id);
        sqlite3_bind_text(stmt, 2, input->kind, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, input->name, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 4, input->hash, -1, SQLITE_STATIC);
        same = sqlite3_step(stmt) == SQLITE_ROW;
    }
    sqlite3_finalize(stmt);
    return same;
}

gint64 run_find_finished(const Prepared *prepared, const Inputs *inputs, ResultsStore *store,
                         GError **error)
{
    static const char sql[] =
        "SELECT run_id FROM run WHERE scenario = ?1 AND point = ?2 AND scenario_hash = ?3"
        " AND seed = ?4 AND version = ?5 AND status IN ('passed', 'failed') ORDER BY run_id DESC";
    const Scenario *scenario = prepared->scenario;
    g_autoptr(GStringChunk) strings = g_string_chunk_new(1024);
    g_autofree char *hash = scenario_hash(scenario);
    g_autofree char *key =
        scenario->simulated ? NULL : machine_snapshot_key(scenario, inputs, error);
    g_autoptr(GArray) list =
        key || scenario->simulated ? run_inputs(prepared, inputs, key, strings, error) : NULL;
    sqlite3_stmt *stmt = NULL;
    gint64 found = 0;

    if (!list || sqlite3_prepare_v2(results_db(store), sql, -1, &stmt, NULL) != SQLITE_OK) {
        if (list) {
            g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_SQL, "%s: %s", results_path(store),
                        sqlite3_errmsg(results_db(store)));
        }
        return 0;
    }
    sqlite3_bind_text(stmt, 1, scenario->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, scenario->point, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 3, hash, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 4, (gint64)scenario->seed);
    sqlite3_bind_text(stmt, 5, QB_VERSION, -1, SQLITE_STATIC);
    while (!found && sqlite3_step(stmt) == SQLITE_ROW) {
        gint64 run_id = sqlite3_column_int64(stmt, 0);
        found = has_inputs(store, run_id, list) ? run_id : 0;
    }
    sqlite3_finalize(stmt);
    return found;
}

/* --- QEMU --- */

static const ScenarioDevice *second_port(const Scenario *scenario, const ScenarioDevice *device)
{
    for (guint i = 0; i < scenario->devices->len; i++) {
        const ScenarioDevice *other = g_ptr_array_index(scenario->devices, i);
        if (g_strcmp0(other->card, device->name) == 0) {
            return other;
        }
    }
    return NULL;
}

static void add_port_properties(JsonObject *arguments, const Scenario *scenario,
                                const ScenarioDevice *device)
{
    json_object_set_string_member(arguments, "addr", device->card ? "0.1" : "0.0");
    if (device->card || second_port(scenario, device)) {
        json_object_set_boolean_member(arguments, "multifunction", TRUE);
    }
    json_object_set_string_member(arguments, "mac", device->serial);
    if (device->sfp) {
        json_object_set_string_member(arguments, "sfp", device->sfp);
    }
    if (device->wire) {
        json_object_set_string_member(arguments, "wire", device->wire);
    }
}

static gboolean plug_in(Qemu *qemu, const Scenario *scenario, guint index, const char *folder,
                        gint64 deadline, GError **error)
{
    const ScenarioDevice *device = g_ptr_array_index(scenario->devices, index);
    g_autofree char *profile = run_profile(device, folder, error);
    g_autofree char *port = g_strdup_printf("rp%u", device->root_port);

    if (!profile) {
        return FALSE;
    }
    JsonObject *arguments = json_object_new();
    json_object_set_string_member(arguments, "driver", device->type->qemu);
    json_object_set_string_member(arguments, "id", device->name);
    json_object_set_string_member(arguments, "bus", port);
    json_object_set_string_member(arguments, "sim", "sim0");
    json_object_set_string_member(arguments, "slot", device->slot);
    json_object_set_string_member(arguments, "profile", profile);
    if (device->type == DEVICE_IXGBE) {
        add_port_properties(arguments, scenario, device);
        return qmp_execute(qemu->qmp, "device_add", arguments, deadline, error);
    }
    json_object_set_string_member(arguments, "serial", device->serial);
    json_object_set_string_member(arguments, "fill", device->fill);
    if (device->faults->len) {
        g_ptr_array_add(device->faults, NULL);
        g_autofree char *faults = g_strjoinv("; ", (char **)device->faults->pdata);
        g_ptr_array_remove_index(device->faults, device->faults->len - 1);
        json_object_set_string_member(arguments, "faults", faults);
    }
    if (device->store_limit_bytes) {
        g_autofree char *limit = sim_value_format(device->store_limit_bytes, SIM_UNIT_BYTES);
        json_object_set_string_member(arguments, "store-limit", limit);
    }
    return qmp_execute(qemu->qmp, "device_add", arguments, deadline, error);
}

static void append_range(GString *text, const char *name, const ScenarioRange *range)
{
    g_string_append_printf(text, ",%s=%" G_GUINT32_FORMAT ",%ss=%" G_GUINT32_FORMAT, name,
                           range->first, name, range->n);
}

/* Value of -netdev for a wire that has one. */
static char *netdev_argument(const ScenarioWire *wire)
{
    return g_strdup_printf("%s,id=net-%s", wire->netdev, wire->name);
}

/* Value of -device for a wire: docs/qemu-devices.md. */
static char *wire_argument(const ScenarioWire *wire, const char *folder)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "quirkbench-wire,id=%s,sim=sim0", wire->name);
    if (wire->capture) {
        g_autofree char *leaf = g_strconcat(wire->name, ".pcap", NULL);
        g_autofree char *path = g_build_filename(folder, leaf, NULL);
        g_autofree char *escaped = machine_escape(path);
        g_string_append_printf(text, ",capture=%s", escaped);
    }
    if (wire->netdev) {
        g_string_append_printf(text, ",netdev=net-%s", wire->name);
    }
    if (wire->tester) {
        g_string_append_printf(text,
                               ",tester=on,rate=%" G_GUINT64_FORMAT ",frames=%" G_GUINT64_FORMAT
                               ",frame-bytes=%" G_GUINT64_FORMAT
                               ",vlan=%d,destination=%s,random=%s",
                               wire->rate, wire->frames, wire->frame_bytes, wire->vlan,
                               wire->destination, wire->random ? "on" : "off");
        append_range(text, "source-port", &wire->source_ports);
        append_range(text, "destination-port", &wire->destination_ports);
        append_range(text, "source-ip", &wire->source_addresses);
        append_range(text, "destination-ip", &wire->destination_addresses);
    }
    if (wire->tester && wire->sends) {
        g_autofree char *when =
            wire->start_ps ? sim_value_format(wire->start_ps, SIM_UNIT_TIME) : g_strdup("window");
        g_string_append_printf(text, ",start=%s", when);
    }
    return g_string_free(text, FALSE);
}

static Qemu *start(const Prepared *prepared, const Inputs *inputs, const RunOptions *options,
                   const char *folder, GError **error)
{
    const Scenario *scenario = prepared->scenario;
    g_autofree char *archive = g_build_filename(folder, "archive.cpio", NULL);
    g_autofree char *serial = g_build_filename(folder, "serial.log", NULL);
    g_autofree char *log = g_build_filename(folder, "qemu.log", NULL);
    g_autofree char *plain = g_build_filename(folder, "telemetry.jsonl", NULL);
    g_autofree char *telemetry = machine_escape(plain);
    g_autofree char *machine = machine_escape(scenario->machine_path);
    g_autofree char *limit = sim_value_format(scenario->limit_ps, SIM_UNIT_TIME);
    g_autofree char *sample = sim_value_format(scenario->sample_ps, SIM_UNIT_TIME);
    g_autofree char *sim = g_strdup_printf(
        "telemetry=%s,machine=%s,seed=%" G_GUINT64_FORMAT ",clock=%s,sample=%s,limit=%s", telemetry,
        machine, scenario->seed, scenario->clock, sample, limit);
    g_autoptr(GPtrArray) extra = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(extra, g_strdup("-incoming"));
    g_ptr_array_add(extra, g_strdup("defer"));
    g_ptr_array_add(extra, g_strdup("-S"));
    for (guint i = 0; i < scenario->wires->len; i++) {
        const ScenarioWire *wire = g_ptr_array_index(scenario->wires, i);
        if (wire->netdev) {
            g_ptr_array_add(extra, g_strdup("-netdev"));
            g_ptr_array_add(extra, netdev_argument(wire));
        }
        g_ptr_array_add(extra, g_strdup("-device"));
        g_ptr_array_add(extra, wire_argument(wire, folder));
    }
    g_ptr_array_add(extra, NULL);
    if (!run_write_archive(prepared, inputs, archive, error)) {
        return NULL;
    }
    g_auto(GStrv) argv = machine_command(scenario, inputs, serial, sim, archive,
                                         (const char *const *)extra->pdata, error);
    return argv ? qemu_start((const char *const *)argv, log, options->interrupt_fd, error) : NULL;
}

/* Everything from the restored snapshot to `cont`. */
static gboolean set_going(Qemu *qemu, const Scenario *scenario, const char *state,
                          const char *folder, GError **error)
{
    gint64 deadline = g_get_monotonic_time() + SETUP_US;

    if (!snapshot_restore(qemu, state, deadline, error)) {
        return FALSE;
    }
    /* Second functions first: the guest looks at a card when function 0 appears. */
    for (guint i = 0; i < 2 * scenario->devices->len; i++) {
        guint index = i % scenario->devices->len;
        const ScenarioDevice *device = g_ptr_array_index(scenario->devices, index);
        if ((i < scenario->devices->len) == (device->card != NULL) &&
            !plug_in(qemu, scenario, index, folder, deadline, error)) {
            g_prefix_error(error, "%s: ", device->name);
            return FALSE;
        }
    }
    return qmp_execute(qemu->qmp, "cont", NULL, deadline, error);
}

static void run_machine(const Prepared *prepared, const Inputs *inputs, const RunOptions *options,
                        const char *state, const char *folder, RunOutcome *outcome)
{
    const Scenario *scenario = prepared->scenario;
    g_autoptr(GError) error = NULL;
    gint64 deadline = g_get_monotonic_time() + (gint64)scenario->wall_limit_ms * 1000;
    g_autoptr(Qemu) qemu = start(prepared, inputs, options, folder, &error);
    int status = 0;

    if (qemu && set_going(qemu, scenario, state, folder, &error) &&
        qemu_wait_end(qemu, deadline, &status, &error)) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            outcome->status = WIFSIGNALED(status) ? RESULTS_ABORTED : RESULTS_RUN_ERROR;
            outcome->reason =
                WIFSIGNALED(status)
                    ? g_strdup_printf("QEMU was killed by signal %d", WTERMSIG(status))
                    : g_strdup_printf("QEMU ended with status %d", WEXITSTATUS(status));
        }
        return;
    }
    if (g_error_matches(error, QMP_ERROR, QMP_ERROR_INTERRUPTED)) {
        qemu_quit(qemu);
        outcome->status = RESULTS_INTERRUPTED;
        outcome->reason = g_strdup("interrupted");
        outcome->verdict = g_strdup("interrupted");
        return;
    }
    outcome->status = RESULTS_RUN_ERROR;
    if (g_error_matches(error, QMP_ERROR, QMP_ERROR_TIMEOUT)) {
        qemu_quit(qemu);
        outcome->verdict = g_strdup("wall-limit");
        outcome->reason = g_strdup_printf("stopped at its wall-limit of %" G_GUINT64_FORMAT " s",
                                          scenario->wall_limit_ms / 1000);
        return;
    }
    if (qemu) {
        qemu_explain(qemu, &error);
    }
    if (g_error_matches(error, QEMU_ERROR, QEMU_ERROR_KILLED)) {
        outcome->status = RESULTS_ABORTED;
    }
    outcome->reason = g_strdup(error->message);
    /* This program has read the same profiles and faults already, and taken them. */
    if (strstr(error->message, "unknown key") || strstr(error->message, "unknown group") ||
        strstr(error->message, "Property ")) {
        g_free(outcome->reason);
        outcome->reason = g_strdup_printf("%s (QEMU has older models than this program: run "
                                          "qemu-devices/build-qemu)",
                                          error->message);
    }
}

/* --- Judgement --- */

static gboolean expects_verdict(const Scenario *scenario)
{
    return sim_keyfile_entry(scenario->file, "expect", "run.verdict") != NULL;
}

static void judge_verdict(const Scenario *scenario, ResultsStore *store, RunOutcome *outcome,
                          gboolean ended)
{
    const char *verdict = outcome->verdict;

    if (outcome->status != RESULTS_PASSED) {
        return;
    }
    if (!ended || !verdict) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->reason =
            g_strdup("the telemetry has no end: disk full, or QEMU was stopped from outside");
    } else if (strcmp(verdict, "interrupted") == 0) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->reason = g_strdup("QEMU was stopped from outside");
    } else if (strcmp(verdict, "done") == 0 || expects_verdict(scenario)) {
        return;
    } else if (strcmp(verdict, "panic") == 0) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->reason = g_strdup("the guest panicked");
    } else if (strcmp(verdict, "plan-unreadable") == 0) {
        outcome->status = RESULTS_RUN_ERROR;
        outcome->reason = g_strdup("the guest program could not read the plan");
    } else if (strcmp(verdict, "plan-failed") == 0) {
        g_autofree char *report = results_run_report(store, outcome->run_id, "plan-error");
        outcome->status = RESULTS_FAILED;
        outcome->reason = g_strdup_printf("the plan failed: %s",
                                          report ? g_strdelimit(g_strchomp(report), "\n", ' ')
                                                 : "the guest did not say where");
    } else if (strcmp(verdict, "idle") == 0) {
        outcome->status = RESULTS_FAILED;
        outcome->reason = g_strdup("the guest hangs: all cpus idle and no timer armed");
    } else {
        outcome->status = RESULTS_FAILED;
        outcome->reason = g_strdup_printf("the run ended with verdict %s", verdict);
    }
}

static gboolean judge(const Scenario *scenario, ResultsStore *store, const char *folder,
                      RunOutcome *outcome, GError **error)
{
    g_autofree char *telemetry = g_build_filename(folder, "telemetry.jsonl", NULL);
    g_autofree char *breach = NULL;
    bool ended = false;
    GError *inner = NULL;

    if (!g_file_test(telemetry, G_FILE_TEST_EXISTS)) {
        return TRUE; /* QEMU did not come so far: the reason is there already */
    }
    if (!results_run_ingest(store, outcome->run_id, telemetry, &ended, &inner)) {
        if (!g_error_matches(inner, RESULTS_ERROR, RESULTS_ERROR_TELEMETRY)) {
            g_propagate_error(error, inner);
            return FALSE;
        }
        if (outcome->status == RESULTS_PASSED) {
            outcome->status = RESULTS_RUN_ERROR;
            outcome->reason = g_strdup(inner->message);
        }
        g_clear_error(&inner);
        return TRUE;
    }
    if (!outcome->verdict) {
        outcome->verdict = results_run_verdict(store, outcome->run_id);
    }
    judge_verdict(scenario, store, outcome, ended);
    if (outcome->status != RESULTS_PASSED && outcome->status != RESULTS_FAILED) {
        return TRUE;
    }
    if (!expect_evaluate(scenario->file, store, outcome->run_id, &outcome->checks_failed, error)) {
        return FALSE;
    }
    if (!results_run_identities_held(store, outcome->run_id, &breach)) {
        outcome->status = RESULTS_FAILED;
        g_free(outcome->reason);
        outcome->reason = g_strdup_printf("an accounting identity is broken: %s", breach);
    } else if (outcome->checks_failed) {
        outcome->status = RESULTS_FAILED;
        if (!outcome->reason) {
            outcome->reason = g_strdup_printf("%u check%s failed", outcome->checks_failed,
                                              outcome->checks_failed == 1 ? "" : "s");
        }
    }
    return TRUE;
}

/* --- The whole --- */

static void keep_captures(const char *target, const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *from = g_build_filename(folder, name, NULL);
        g_autofree char *to = g_build_filename(target, name, NULL);
        g_autoptr(GFile) source = g_file_new_for_path(from);
        g_autoptr(GFile) copy = g_file_new_for_path(to);
        if (g_str_has_suffix(name, ".pcap")) {
            g_file_copy(source, copy, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
        }
    }
}

static void keep_files(const char *keep, gint64 run_id, const char *plan, const char *folder)
{
    static const char *const names[] = {"telemetry.jsonl", "archive.cpio", "serial.log",
                                        "qemu.log"};
    g_autofree char *name = g_strdup_printf("run-%" G_GINT64_FORMAT, run_id);
    g_autofree char *target = g_build_filename(keep, name, NULL);
    g_autofree char *plan_path = g_build_filename(target, "plan", NULL);

    g_mkdir_with_parents(target, 0755);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *from = g_build_filename(folder, names[i], NULL);
        g_autofree char *to = g_build_filename(target, names[i], NULL);
        g_autofree char *text = NULL;
        gsize length = 0;
        if (g_file_get_contents(from, &text, &length, NULL)) {
            g_file_set_contents(to, text, (gssize)length, NULL);
        }
    }
    g_file_set_contents(plan_path, plan, -1, NULL);
    keep_captures(target, folder);
}

RunOutcome *run_execute(const Prepared *prepared, const Inputs *inputs, const RunOptions *options,
                        GError **error)
{
    const Scenario *scenario = prepared->scenario;
    g_autoptr(RunOutcome) outcome = g_new0(RunOutcome, 1);
    g_autofree char *key = NULL;
    gint64 begin = g_get_monotonic_time();
    /* First: a database that cannot be written is known before the guest boots. */
    g_autoptr(ResultsStore) store = results_open(options->db, RESULTS_OPEN_WRITE, error);
    g_autoptr(ScratchFolder) scratch = store ? scratch_folder_new(error) : NULL;

    if (!scratch) {
        return NULL;
    }
    outcome->status = RESULTS_PASSED;
    g_autofree char *state = scenario->simulated
                                 ? NULL
                                 : snapshot_find(scenario, inputs, options->interrupt_fd,
                                                 options->progress, options->opaque, &key, error);
    if (!state && !scenario->simulated) {
        return NULL;
    }
    outcome->run_id = begin_row(prepared, inputs, store, key, error);
    if (!outcome->run_id) {
        return NULL;
    }
    if (scenario->simulated) {
        native_mode_run(scenario, options, scratch->path, outcome);
    } else {
        run_machine(prepared, inputs, options, state, scratch->path, outcome);
    }
    if (!judge(scenario, store, scratch->path, outcome, error)) {
        return NULL;
    }
    if (outcome->status == RESULTS_RUN_ERROR || outcome->status == RESULTS_FAILED) {
        g_autofree char *serial = g_build_filename(scratch->path, "serial.log", NULL);
        outcome->log_tail = files_tail(serial, TAIL_LINES);
    }
    if (options->keep) {
        keep_files(options->keep, outcome->run_id, prepared->plan, scratch->path);
    }
    outcome->wall_seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
    if (!results_run_finish(store, outcome->run_id, outcome->status, outcome->reason,
                            outcome->verdict, outcome->wall_seconds, error)) {
        return NULL;
    }
    return g_steal_pointer(&outcome);
}
