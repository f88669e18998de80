/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, migrating, locks, deaths, and disks that cannot be written. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bench.h"

#define NOBODY 65534

Test(results_store, is_created_and_migrated)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *version = g_strdup_printf("%d", results_schema_version());

    cr_expect(ge(int, results_schema_version(), 4));
    bench_expect(bench, 0, "PRAGMA user_version", version);
    bench_expect(bench, 0, "PRAGMA integrity_check", "ok");
    bench_expect(bench, 0, "PRAGMA foreign_keys", "1");
    bench_expect(bench, 0, "PRAGMA journal_mode", "delete");
    /* Every table is STRICT. */
    bench_expect(bench, 0,
                 "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'"
                 " AND NOT strict AND name NOT LIKE 'sqlite_%'",
                 "");
    bench_reopen(bench, RESULTS_OPEN_WRITE);
    bench_expect(bench, 0, "PRAGMA user_version", version);
}

/* Each version of the schema on the way here can be migrated. */
Test(results_store, migrates_from_every_version)
{
    for (int old = 1; old < results_schema_version(); old++) {
        g_autoptr(Bench) bench = bench_new();
        g_autofree char *version = g_strdup_printf("%d", results_schema_version());
        g_autofree char *folder = bench_file("../schema");
        sqlite3 *db = NULL;

        results_close(g_steal_pointer(&bench->store));
        (void)g_unlink(bench->path);
        cr_assert(eq(int, sqlite3_open(bench->path, &db), SQLITE_OK));
        for (int i = 1; i <= old; i++) {
            g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
            g_autofree char *prefix = g_strdup_printf("%04d-", i);
            const char *name;

            while ((name = g_dir_read_name(files))) {
                g_autofree char *path = g_build_filename(folder, name, NULL);
                g_autofree char *sql = NULL;

                if (g_str_has_prefix(name, prefix)) {
                    cr_assert(g_file_get_contents(path, &sql, NULL, NULL));
                    cr_assert(eq(int, sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK));
                }
            }
        }
        sqlite3_close(db);
        bench_reopen(bench, RESULTS_OPEN_READ); /* reading migrates too, where it can */
        bench_expect(bench, 0, "PRAGMA user_version", version);
        bench_expect(bench, 0, "SELECT COUNT(*) FROM device_summary", "0");
    }
}

static void refused(const char *path, ResultsOpen mode, int code, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultsStore) store = results_open(path, mode, &error);

    cr_assert(not(store != NULL), "%s was opened", path);
    cr_expect(eq(int, error->code, code), "%s", error->message);
    cr_expect(has(error->message, part), "\"%s\" says nothing of \"%s\"", error->message, part);
    cr_expect(has(error->message, path), "%s", error->message);
    cr_expect(not(has(error->message, "\n")), "%s", error->message);
}

Test(results_store, newer_database_is_refused_naming_both_versions)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *ours = g_strdup_printf("up to %d", results_schema_version());

    cr_assert(eq(
        int, sqlite3_exec(results_db(bench->store), "PRAGMA user_version = 999", NULL, NULL, NULL),
        SQLITE_OK));
    results_close(g_steal_pointer(&bench->store));
    refused(bench->path, RESULTS_OPEN_READ, RESULTS_ERROR_VERSION, "999");
    refused(bench->path, RESULTS_OPEN_WRITE, RESULTS_ERROR_VERSION, ours);
}

Test(results_store, other_files_are_refused_and_left_alone)
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *text = bench_write(bench, "notes.txt", "these are notes, not a database\n");
    g_autofree char *missing = g_build_filename(bench->folder, "none.db", NULL);
    g_autofree char *nowhere = g_build_filename(bench->folder, "none", "runs.db", NULL);
    g_autofree char *other = g_build_filename(bench->folder, "other.db", NULL);
    g_autofree char *after = NULL;
    sqlite3 *db = NULL;

    refused(text, RESULTS_OPEN_WRITE, RESULTS_ERROR_WRITE, "not a database");
    cr_assert(g_file_get_contents(text, &after, NULL, NULL));
    cr_expect(eq(str, after, "these are notes, not a database\n"));
    refused(missing, RESULTS_OPEN_READ, RESULTS_ERROR_OPEN, "no such database");
    cr_expect(not(g_file_test(missing, G_FILE_TEST_EXISTS)));
    refused(nowhere, RESULTS_OPEN_WRITE, RESULTS_ERROR_OPEN, "no directory");
    refused(bench->folder, RESULTS_OPEN_WRITE, RESULTS_ERROR_OPEN, "is a directory");
    cr_assert(eq(int, sqlite3_open(other, &db), SQLITE_OK));
    cr_assert(eq(int, sqlite3_exec(db, "CREATE TABLE birds (name)", NULL, NULL, NULL), SQLITE_OK));
    sqlite3_close(db);
    refused(other, RESULTS_OPEN_WRITE, RESULTS_ERROR_OPEN, "another program");
}

/* --- processes --- */

/* Runs @func in a child; its exit status. */
static int in_child(void (*func)(Bench *bench), Bench *bench)
{
    int status;
    pid_t child = fork();

    cr_assert(child >= 0);
    if (child == 0) {
        func(bench);
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* For children: a failed Criterion assertion there would not be seen. */
#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void read_only_directory(Bench *bench)
{
    g_autoptr(GError) error = NULL;
    ResultsStore *store;
    g_autofree char *status = NULL;

    if (getuid() == 0) {
        need(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    }
    store = results_open(bench->path, RESULTS_OPEN_WRITE, &error);
    need(!store && strstr(error->message, "cannot be written") && strstr(error->message, "--db"));
    g_clear_error(&error);
    store = results_open(bench->path, RESULTS_OPEN_READ, &error);
    need(store);
    status = results_run_status(store, 1, &error);
    need(g_strcmp0(status, "aborted") == 0);
    results_close(store);
}

Test(results_store, read_only_directory_can_be_read_and_says_why_not_written)
{
    g_autoptr(Bench) bench = bench_new();

    (void)bench_begin(bench, 7, "bb22");
    results_close(g_steal_pointer(&bench->store));
    cr_assert(eq(int, g_chmod(bench->folder, 0555), 0));
    cr_assert(eq(int, g_chmod(bench->path, 0444), 0));
    cr_expect(eq(int, in_child(read_only_directory, bench), 0));
    bench->store = NULL;
    cr_assert(eq(int, g_chmod(bench->folder, 0755), 0));
}

/* Begins a run in a child, waits until it has, kills it. */
static void killed_run(Bench *bench, useconds_t after_us, void (*then)(Bench *, int64_t))
{
    int pipe_fds[2], status;
    char byte;
    pid_t child;

    results_close(g_steal_pointer(&bench->store));
    cr_assert(eq(int, pipe(pipe_fds), 0));
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        int64_t run_id;

        bench->store = results_open(bench->path, RESULTS_OPEN_WRITE, NULL);
        need(bench->store);
        run_id = bench_begin(bench, 7, "bb22");
        need(write(pipe_fds[1], "x", 1) == 1);
        if (then) {
            then(bench, run_id);
        }
        pause();
        _exit(0);
    }
    close(pipe_fds[1]);
    cr_assert(eq(int, (int)read(pipe_fds[0], &byte, 1), 1));
    close(pipe_fds[0]);
    if (!then) { /* alive: others see it run */
        g_autoptr(ResultsStore) other = results_open(bench->path, RESULTS_OPEN_WRITE, NULL);
        g_autofree char *alive = results_run_status(other, 1, NULL);

        cr_expect(eq(str, alive, "running"));
    }
    usleep(after_us);
    cr_assert(eq(int, kill(child, SIGKILL), 0));
    cr_assert(eq(int, waitpid(child, &status, 0), child));
}

Test(results_store, run_of_a_killed_process_is_aborted)
{
    g_autoptr(Bench) bench = bench_new();

    killed_run(bench, 0, NULL);
    /* Presented to a reader, file untouched … */
    bench_reopen(bench, RESULTS_OPEN_READ);
    bench_expect(bench, 1, "SELECT status, reason FROM runs", "aborted|its process died");
    bench_expect(bench, 1, "SELECT status FROM run", "running");
    /* … and marked by a writer, for the sqlite3 shell. */
    bench_reopen(bench, RESULTS_OPEN_WRITE);
    bench_expect(bench, 1, "SELECT status FROM run", "aborted");
    bench_expect(bench, 1, "PRAGMA integrity_check", "ok");
}

Test(results_store, own_run_is_alive_until_it_is_closed)
{
    g_autoptr(Bench) bench = bench_new();
    int64_t first = bench_begin(bench, 7, "bb22"), second = bench_begin(bench, 7, "bb22");
    g_autoptr(ResultsStore) other = results_open(bench->path, RESULTS_OPEN_WRITE, NULL);

    bench_expect(bench, 0, "SELECT status FROM runs", "running\nrunning");
    cr_assert(results_run_finish(bench->store, first, RESULTS_FAILED, "a check", NULL, 1.0, NULL));
    bench_expect(bench, 0, "SELECT status, reason FROM runs", "failed|a check\nrunning|-");
    results_close(g_steal_pointer(&bench->store));
    g_autofree char *status = results_run_status(other, second, NULL);
    cr_expect(eq(str, status, "aborted"));
}

/* Telemetry that takes a while: @samples records. */
static void write_long_telemetry(Bench *bench, unsigned samples)
{
    g_autoptr(GString) text = g_string_new(
        "{\"type\":\"begin\",\"schema\":1,\"seed\":7,\"clock\":\"deterministic\",\"quantum\":1}\n");

    for (unsigned i = 0; i < samples; i++) {
        g_string_append_printf(text,
                               "{\"type\":\"sample\",\"t_ps\":%u,\"device\":\"nvme0\","
                               "\"completed\":1,\"interrupts\":2,\"bytes\":3}\n",
                               i);
    }
    g_string_append(text, "{\"type\":\"end\",\"t_ps\":9,\"verdict\":\"done\",\"code\":0}\n");
    g_free(bench_write(bench, "long.jsonl", text->str));
}

static void ingest_long(Bench *bench, int64_t run_id)
{
    g_autofree char *path = g_build_filename(bench->folder, "long.jsonl", NULL);

    /* Spills into the file before the commit. */
    sqlite3_exec(results_db(bench->store), "PRAGMA cache_size = 10", NULL, NULL, NULL);
    (void)results_run_ingest(bench->store, run_id, path, NULL, NULL);
}

Test(results_store, killed_while_taking_telemetry_in)
{
    for (useconds_t after_us = 2000; after_us <= 50000; after_us *= 2) {
        g_autoptr(Bench) bench = bench_new();

        write_long_telemetry(bench, 20000);
        killed_run(bench, after_us, ingest_long);
        bench_reopen(bench, RESULTS_OPEN_READ);
        bench_expect(bench, 1, "PRAGMA integrity_check", "ok");
        bench_expect(bench, 1, "SELECT status FROM runs", "aborted");
        bench_expect(bench, 1, "SELECT COUNT(*) IN (0, 20000) FROM sample", "1");
    }
}

/* --- a disk that is full --- */

#define SKIPPED 77

/* A disk of @size, as the mount option has it, at @folder; seen by this process alone. */
static void mount_small_disk(const char *folder, const char *size)
{
    g_autofree char *options = g_strconcat("size=", size, NULL);
    int spaces = CLONE_NEWNS | (getuid() == 0 ? 0 : CLONE_NEWUSER);

    need(g_mkdir(folder, 0755) == 0);
    if (unshare(spaces) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", folder, "tmpfs", 0, options)) {
        _exit(SKIPPED);
    }
}

static void create_on_full_disk(Bench *bench)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_build_filename(bench->folder, "disk", NULL);
    g_autofree char *path = g_build_filename(folder, "runs.db", NULL);

    mount_small_disk(folder, "16k");
    need(!results_open(path, RESULTS_OPEN_WRITE, &error));
    need(has(error->message, "the disk is full") && has(error->message, "--db"));
    need(!g_file_test(path, G_FILE_TEST_EXISTS));
}

static void ingest_on_full_disk(Bench *bench)
{
    g_autofree char *telemetry = g_build_filename(bench->folder, "long.jsonl", NULL);
    g_autofree char *folder = g_build_filename(bench->folder, "disk", NULL);
    g_autofree char *answer = NULL;
    g_autoptr(GError) error = NULL;

    mount_small_disk(folder, "512k");
    g_free(bench->path);
    bench->path = g_build_filename(folder, "runs.db", NULL);
    bench->store = results_open(bench->path, RESULTS_OPEN_WRITE, &error);
    need(bench->store);
    need(bench_begin(bench, 7, "bb22") == 1);
    need(!results_run_ingest(bench->store, 1, telemetry, NULL, &error));
    need(has(error->message, "the disk is full"));
    g_clear_error(&error);
    need(results_run_finish(bench->store, 1, RESULTS_RUN_ERROR, "disk full", NULL, 1, &error));
    bench_reopen(bench, RESULTS_OPEN_READ);
    answer = bench_ask(bench, "SELECT status, (SELECT COUNT(*) FROM sample) FROM runs", 1);
    need(g_str_equal(answer, "error|0"));
    g_free(answer);
    answer = bench_ask(bench, "PRAGMA integrity_check", 1);
    need(g_str_equal(answer, "ok"));
}

static void on_full_disk(void (*func)(Bench *bench))
{
    g_autoptr(Bench) bench = bench_new();
    g_autofree char *folder = g_build_filename(bench->folder, "disk", NULL);
    int status;

    write_long_telemetry(bench, 20000);
    results_close(g_steal_pointer(&bench->store));
    status = in_child(func, bench);
    (void)g_rmdir(folder);
    if (status == SKIPPED) {
        cr_skip_test("a small disk cannot be mounted here: needs root or user namespaces");
    }
    cr_expect(eq(int, status, 0));
}

Test(results_store, full_disk_keeps_nothing_of_the_telemetry)
{
    on_full_disk(ingest_on_full_disk);
}

Test(results_store, full_disk_leaves_no_half_made_database)
{
    on_full_disk(create_on_full_disk);
}
