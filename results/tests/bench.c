/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

char *bench_file(const char *name)
{
    const char *folder = g_getenv("RESULTS_TESTS");

    cr_assert(folder != NULL, "set RESULTS_TESTS to results/tests, or run meson test");
    return g_build_filename(folder, name, NULL);
}

Bench *bench_new(void)
{
    Bench *self = g_new0(Bench, 1);
    g_autoptr(GError) error = NULL;

    self->folder = g_dir_make_tmp("quirkbench-results-XXXXXX", &error);
    cr_assert(self->folder != NULL, "%s", error ? error->message : "");
    self->path = g_build_filename(self->folder, "runs.db", NULL);
    bench_reopen(self, RESULTS_OPEN_WRITE);
    return self;
}

void bench_free(Bench *self)
{
    const char *name;
    GDir *folder;

    results_close(self->store);
    (void)g_chmod(self->folder, 0755);
    folder = g_dir_open(self->folder, 0, NULL);
    while (folder && (name = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename(self->folder, name, NULL);

        (void)g_unlink(path);
    }
    g_clear_pointer(&folder, g_dir_close);
    (void)g_rmdir(self->folder);
    g_free(self->folder);
    g_free(self->path);
    g_free(self);
}

void bench_reopen(Bench *self, ResultsOpen mode)
{
    g_autoptr(GError) error = NULL;

    results_close(self->store);
    self->store = results_open(self->path, mode, &error);
    cr_assert(self->store != NULL, "%s", error ? error->message : "");
}

int64_t bench_begin(Bench *self, uint64_t seed, const char *kernel_hash)
{
    const ResultsDevice devices[] = {
        {"nvme0", "nvme", "samsung-sm951", NULL, "QB0", "d000_4k_rand_after_3nvme/nvme0"},
        {"nvme1", "nvme", "intel-750", NULL, "QB1", NULL},
    };
    const ResultsInput inputs[] = {
        {"qemu", "qemu-system-x86_64", "aa11", "/nowhere/qemu"},
        {"kernel", "vmlinuz", kernel_hash, NULL},
        {"kernel", "vmlinuz", kernel_hash, "/nowhere/else"}, /* named twice: told once */
    };
    const ResultsRun run = {
        .scenario = "golden",
        .title = "Made by hand",
        .scenario_path = "/nowhere/golden.ini",
        .scenario_hash = "5ca1ab1e",
        .point = "device nvme0.profile=samsung-sm951",
        .seed = seed,
        .clock = "deterministic",
        .quantum = 5000,
        .dilation = 1.0,
        .driver = "linux-nvme",
        .driver_version = "6.1.0",
        .machine = "xeon-e31270",
        .cpus = 2,
        .mips = 1650,
        .version = "0.1.0",
        .devices = devices,
        .devices_n = G_N_ELEMENTS(devices),
        .inputs = inputs,
        .inputs_n = G_N_ELEMENTS(inputs),
    };
    g_autoptr(GError) error = NULL;
    int64_t run_id = results_run_begin(self->store, &run, &error);

    cr_assert(run_id > 0, "%s", error ? error->message : "");
    return run_id;
}

static int64_t take(Bench *self, uint64_t seed, const char *name)
{
    int64_t run_id = bench_begin(self, seed, "bb22");
    g_autofree char *golden = bench_file(name);
    g_autoptr(GError) error = NULL;
    bool ended = false;

    cr_assert(results_run_ingest(self->store, run_id, golden, &ended, &error), "%s",
              error ? error->message : "");
    cr_assert(ended);
    cr_assert(results_run_finish(self->store, run_id, RESULTS_PASSED, NULL, NULL, 3.25, &error),
              "%s", error ? error->message : "");
    return run_id;
}

int64_t bench_golden(Bench *self)
{
    return take(self, 7, "golden.jsonl");
}

int64_t bench_golden_port(Bench *self)
{
    return take(self, 8, "golden-port.jsonl");
}

char *bench_ask(Bench *self, const char *sql, int64_t run_id)
{
    g_autoptr(GString) text = g_string_new(NULL);
    sqlite3 *db = results_db(self->store);
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    cr_assert(code == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_bind_parameter_index(stmt, ":run_id")) {
        sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":run_id"), run_id);
    }
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        g_string_append(text, text->len ? "\n" : "");
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *cell = (const char *)sqlite3_column_text(stmt, i);

            g_string_append_printf(text, "%s%s", i ? "|" : "", cell ? cell : "-");
        }
    }
    cr_assert(code == SQLITE_DONE, "%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *bench_write(Bench *self, const char *name, const char *text)
{
    char *path = g_build_filename(self->folder, name, NULL);

    cr_assert(g_file_set_contents(path, text, -1, NULL));
    return path;
}
