/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench doctor`: is all there that a run needs?  What is not, and what to do. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cmd.h"
#include "files.h"
#include "inputs.h"
#include "paths.h"
#include "results/store.h"
#include "snapshot.h"

typedef struct Doctor {
    InputsOptions options;
    const char *db;
    gboolean prune;
    unsigned wrong;
} Doctor;

static void good(const char *what, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void good(const char *what, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    printf("ok    %-11s %s\n", what, text);
}

static void bad(Doctor *self, const char *what, const char *text)
{
    self->wrong++;
    printf("WRONG %-11s %s\n", what, text);
}

static void check_qemu(Doctor *self)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = inputs_find_qemu(&self->options, &error);
    g_autofree char *said = NULL;
    int status = 0;

    if (!path) {
        bad(self, "QEMU", error->message);
        return;
    }
    const char *const argv[] = {path, "-device", "help", NULL};
    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &said,
                      NULL, &status, &error)) {
        bad(self, "QEMU", error->message);
    } else if (!said || !strstr(said, "quirkbench-nvme")) {
        g_autofree char *text = g_strdup_printf(
            "%s has no quirkbench-nvme: build it with qemu-devices/build-qemu", path);
        bad(self, "QEMU", text);
    } else {
        good("QEMU", "%s", path);
    }
}

static void check_kernel(Doctor *self)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = inputs_find_kernel(&self->options, &error);

    if (!path) {
        bad(self, "kernel", error->message);
        return;
    }
    good("kernel", "%s", path);
}

static void check_inputs(Doctor *self)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Inputs) inputs = inputs_find(&self->options, &error);
    g_auto(GStrv) drivers = driver_names();

    if (!inputs) {
        bad(self, "guest image", error->message);
        return;
    }
    good("guest image", "%s", inputs->image);
    for (char **name = drivers; *name; name++) {
        g_autoptr(GError) inner = NULL;
        g_autoptr(Driver) driver = driver_load(*name, &inner);
        if (driver && driver->simulated) {
            good("driver", "%s: simulated", *name);
            continue;
        }
        g_autoptr(GPtrArray) files = driver
                                         ? driver_module_files(driver, NULL, inputs->modules_dir,
                                                               inputs->fallback_modules_dir, &inner)
                                         : NULL;
        if (files) {
            good("driver", "%s: %u modules of %s", *name, files->len, inputs->kernel_release);
        } else {
            bad(self, "driver", inner->message);
        }
    }
}

/* Room, and whether a file can be made there. */
static void check_folder(Doctor *self, const char *what, const char *path, guint64 least_mib)
{
    struct statvfs fs;

    if (statvfs(path, &fs) < 0 || access(path, W_OK) < 0) {
        g_autofree char *text =
            g_strdup_printf("%s: %s; choose another folder", path, g_strerror(errno));
        bad(self, what, text);
        return;
    }
    guint64 mib = (guint64)fs.f_bavail * fs.f_frsize >> 20;
    if (mib < least_mib) {
        g_autofree char *text = g_strdup_printf(
            "%s has %" G_GUINT64_FORMAT " MiB left and %" G_GUINT64_FORMAT " are needed: make room",
            path, mib, least_mib);
        bad(self, what, text);
    } else {
        good(what, "%s, %" G_GUINT64_FORMAT " MiB free", path, mib);
    }
}

static void check_snapshots(Doctor *self, const char *cache)
{
    g_autofree char *base = g_build_filename(cache, "snapshots", NULL);
    g_autoptr(GDir) dir = g_dir_open(base, 0, NULL);
    unsigned there = 0, unfinished = 0;
    const char *name;

    if (self->prune) {
        good("snapshots", "%u removed", snapshot_prune(cache, SNAPSHOTS_KEPT));
    }
    while (dir && (name = g_dir_read_name(dir))) {
        there += !strchr(name, '.');
        unfinished += g_str_has_suffix(name, ".new");
    }
    good("snapshots", "%u kept%s", there,
         unfinished ? "; some are being made, or were left by a run that died (--prune)" : "");
}

static void check_database(Doctor *self)
{
    g_autoptr(GError) error = NULL;

    if (!g_file_test(self->db, G_FILE_TEST_EXISTS)) {
        g_autofree char *folder = g_path_get_dirname(self->db);
        check_folder(self, "results", folder, 16);
        return;
    }
    g_autoptr(ResultsStore) store = results_open(self->db, RESULTS_OPEN_READ, &error);
    if (!store) {
        bad(self, "results", error->message);
        return;
    }
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(results_db(store), "PRAGMA integrity_check", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0) {
        good("results", "%s", self->db);
    } else {
        bad(self, "results", sqlite3_errmsg(results_db(store)));
    }
    sqlite3_finalize(statement);
}

int cmd_doctor(int argc, char **argv)
{
    g_autofree char *db = NULL, *given_cache = NULL, *qemu = NULL, *kernel = NULL, *modules = NULL;
    Doctor self = {.db = CMD_DEFAULT_DB};
    const GOptionEntry entries[] = {
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &db, "database (" CMD_DEFAULT_DB ")", "FILE"},
        {"cache", 0, 0, G_OPTION_ARG_FILENAME, &given_cache, "cache folder", "DIR"},
        {"qemu", 0, 0, G_OPTION_ARG_FILENAME, &qemu, "QEMU to check", "FILE"},
        {"kernel", 0, 0, G_OPTION_ARG_FILENAME, &kernel, "kernel to check", "FILE"},
        {"modules", 0, 0, G_OPTION_ARG_FILENAME, &modules, "modules to check", "DIR"},
        {"prune", 0, 0, G_OPTION_ARG_NONE, &self.prune,
         "remove old snapshots and what dead runs have left", NULL},
        {NULL}};
    int status = cmd_options(&argc, &argv, entries, "", "Checks what a run needs.");

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc > 1) {
        return cmd_fail(CMD_USAGE, "doctor", "takes no argument");
    }
    g_autofree char *cache = paths_cache(given_cache);
    self.options =
        (InputsOptions){.cache = given_cache, .qemu = qemu, .kernel = kernel, .modules = modules};
    self.db = db ? db : self.db;
    check_qemu(&self);
    check_kernel(&self);
    check_inputs(&self);
    if (g_file_test(cache, G_FILE_TEST_IS_DIR)) {
        check_folder(&self, "cache", cache, 1024);
        check_snapshots(&self, cache);
    }
    check_folder(&self, "scratch", g_get_tmp_dir(), 256);
    unsigned dead = scratch_folder_clean(self.prune);
    if (dead) {
        good("scratch", "%u folder%s of dead runs%s", dead, dead == 1 ? "" : "s",
             self.prune ? " removed" : "; the next run removes them");
    }
    check_database(&self);
    if (self.wrong) {
        printf("%u wrong\n", self.wrong);
    }
    return self.wrong ? CMD_CANNOT_RUN : CMD_OK;
}
