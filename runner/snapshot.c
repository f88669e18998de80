/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make, find and prune snapshots. */
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "machine.h"
#include "qemu.h"

#define BOOT_US (600 * G_USEC_PER_SEC)
#define SAVE_US (120 * G_USEC_PER_SEC)

G_DEFINE_QUARK(snapshot - error - quark, snapshot_error)

static char *folder_of(const char *cache, const char *key)
{
    g_autofree char *name = g_strndup(key, 20);

    return g_build_filename(cache, "snapshots", name, NULL);
}

gboolean snapshot_exists(const char *cache, const char *key)
{
    g_autofree char *folder = folder_of(cache, key);
    g_autofree char *state = g_build_filename(folder, "state", NULL);

    return g_file_test(state, G_FILE_TEST_IS_REGULAR);
}

/* Parameters and capabilities that both sides of a migration want.  Self-announce wakes cpus of a
 * restored machine at moments that depend on the real one. */
static gboolean prepare_migration(Qemu *qemu, gint64 deadline, GError **error)
{
    JsonObject *parameters = json_object_new();
    JsonObject *capability = json_object_new();
    JsonObject *capabilities = json_object_new();
    JsonArray *list = json_array_new();

    json_object_set_int_member(parameters, "announce-rounds", 0);
    json_object_set_int_member(parameters, "max-bandwidth", G_GINT64_CONSTANT(1) << 40);
    json_object_set_string_member(capability, "capability", "events");
    json_object_set_boolean_member(capability, "state", TRUE);
    json_array_add_object_element(list, capability);
    json_object_set_array_member(capabilities, "capabilities", list);
    gboolean fine =
        qmp_execute(qemu->qmp, "migrate-set-capabilities", capabilities, deadline, error);
    if (!fine) {
        json_object_unref(parameters);
        return FALSE;
    }
    return qmp_execute(qemu->qmp, "migrate-set-parameters", parameters, deadline, error);
}

gboolean snapshot_restore(Qemu *qemu, const char *state, gint64 deadline, GError **error)
{
    JsonObject *arguments = json_object_new();
    g_autofree char *uri = g_strconcat("file:", state, NULL);

    json_object_set_string_member(arguments, "uri", uri);
    if (!prepare_migration(qemu, deadline, error)) {
        json_object_unref(arguments);
        return FALSE;
    }
    return qmp_execute(qemu->qmp, "migrate-incoming", arguments, deadline, error) &&
           qmp_wait_migration(qemu->qmp, deadline, error);
}

static gboolean save(Qemu *qemu, const char *state, GError **error)
{
    gint64 deadline = g_get_monotonic_time() + SAVE_US;
    JsonObject *arguments = json_object_new();
    g_autofree char *uri = g_strconcat("file:", state, NULL);

    json_object_set_string_member(arguments, "uri", uri);
    if (!prepare_migration(qemu, deadline, error)) {
        json_object_unref(arguments);
        return FALSE;
    }
    return qmp_execute(qemu->qmp, "migrate", arguments, deadline, error) &&
           qmp_wait_migration(qemu->qmp, deadline, error);
}

static gboolean boot_and_save(const Scenario *scenario, const Inputs *inputs, const char *folder,
                              int interrupt_fd, GError **error)
{
    g_autofree char *serial = g_build_filename(folder, "log", NULL);
    g_autofree char *qemu_log = g_build_filename(folder, "qemu-log", NULL);
    g_autofree char *state = g_build_filename(folder, "state", NULL);
    g_autofree char *machine = machine_escape(scenario->machine_path);
    g_autofree char *sim = g_strdup_printf("machine=%s,clock=%s", machine, scenario->clock);
    g_auto(GStrv) argv = machine_command(scenario, inputs, serial, sim, NULL, NULL, error);
    g_autoptr(Qemu) qemu = NULL;

    if (!argv || !(qemu = qemu_start((const char *const *)argv, qemu_log, interrupt_fd, error))) {
        return FALSE;
    }
    if (!qmp_wait_event(qemu->qmp, "STOP", g_get_monotonic_time() + BOOT_US, NULL, error)) {
        qemu_explain(qemu, error);
        if (!g_error_matches(*error, QMP_ERROR, QMP_ERROR_INTERRUPTED)) {
            g_autofree char *tail = files_tail(serial, 8);
            g_prefix_error(error, "the guest did not boot: ");
            if (*tail) {
                g_autofree char *message = g_strdup((*error)->message);
                g_clear_error(error);
                g_set_error(error, SNAPSHOT_ERROR, SNAPSHOT_ERROR_BOOT, "%s; its last words:\n%s",
                            message, tail);
            }
        }
        return FALSE;
    }
    if (!save(qemu, state, error)) {
        qemu_explain(qemu, error);
        g_prefix_error(error, "the snapshot cannot be saved in %s (disk full?): ", folder);
        return FALSE;
    }
    qemu_quit(qemu);
    g_clear_pointer(&qemu, qemu_free);
    return files_sync(state, error);
}

/* Takes the lock of @folder; says so if somebody else has it. */
static int lock_maker(const char *folder, int interrupt_fd, SnapshotProgress progress, void *opaque,
                      GError **error)
{
    g_autofree char *path = g_strconcat(folder, ".lock", NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0) {
        g_set_error(error, SNAPSHOT_ERROR, SNAPSHOT_ERROR_WRITE,
                    "the cache cannot be written: %s: %s; choose another with --cache", path,
                    g_strerror(errno));
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (progress) {
            progress("waiting for another run that makes the same snapshot", opaque);
        }
        /* In steps: flock() itself would not notice that the user interrupts. */
        while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
            struct pollfd interrupt = {.fd = interrupt_fd, .events = POLLIN};
            if (poll(&interrupt, 1, 200) > 0) {
                g_set_error(error, QMP_ERROR, QMP_ERROR_INTERRUPTED, "interrupted");
                close(fd);
                return -1;
            }
        }
    }
    return fd;
}

static gboolean make(const Scenario *scenario, const Inputs *inputs, const char *folder,
                     int interrupt_fd, SnapshotProgress progress, void *opaque, GError **error)
{
    g_autofree char *temporary = g_strconcat(folder, ".new", NULL);
    g_autofree char *text =
        g_strdup_printf("booting the guest once for its snapshot (%" G_GUINT64_FORMAT
                        " cpus; half a minute to two)",
                        scenario->cpus);

    files_remove_folder(temporary);
    if (g_mkdir(temporary, 0755) < 0) {
        g_set_error(error, SNAPSHOT_ERROR, SNAPSHOT_ERROR_WRITE, "%s: %s", temporary,
                    g_strerror(errno));
        return FALSE;
    }
    if (progress) {
        progress(text, opaque);
    }
    gint64 begin = g_get_monotonic_time();
    if (!boot_and_save(scenario, inputs, temporary, interrupt_fd, error)) {
        files_remove_folder(temporary);
        return FALSE;
    }
    if (g_rename(temporary, folder) < 0) {
        g_set_error(error, SNAPSHOT_ERROR, SNAPSHOT_ERROR_WRITE, "%s: %s", folder,
                    g_strerror(errno));
        files_remove_folder(temporary);
        return FALSE;
    }
    if (progress) {
        g_autofree char *done =
            g_strdup_printf("snapshot ready after %.0f s",
                            (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC);
        progress(done, opaque);
    }
    return TRUE;
}

char *snapshot_find(const Scenario *scenario, const Inputs *inputs, int interrupt_fd,
                    SnapshotProgress progress, void *opaque, char **key_out, GError **error)
{
    g_autofree char *key = machine_snapshot_key(scenario, inputs, error);

    if (!key) {
        return NULL;
    }
    g_autofree char *folder = folder_of(inputs->cache, key);
    g_autofree char *state = g_build_filename(folder, "state", NULL);
    if (!g_file_test(state, G_FILE_TEST_IS_REGULAR)) {
        g_autofree char *base = g_build_filename(inputs->cache, "snapshots", NULL);
        g_mkdir_with_parents(base, 0755);
        int lock = lock_maker(folder, interrupt_fd, progress, opaque, error);
        if (lock < 0) {
            return NULL;
        }
        gboolean fine = g_file_test(state, G_FILE_TEST_IS_REGULAR) ||
                        make(scenario, inputs, folder, interrupt_fd, progress, opaque, error);
        if (fine) {
            snapshot_prune(inputs->cache, SNAPSHOTS_KEPT);
        }
        close(lock);
        if (!fine) {
            return NULL;
        }
    }
    utimensat(AT_FDCWD, folder, NULL, 0); /* used now: pruning goes by this */
    *key_out = g_steal_pointer(&key);
    return g_steal_pointer(&state);
}

typedef struct Kept {
    char *path;
    struct timespec used;
} Kept;

static void kept_free(gpointer data)
{
    Kept *kept = data;

    g_free(kept->path);
    g_free(kept);
}

static int newest_first(gconstpointer a, gconstpointer b)
{
    const Kept *x = *(const Kept *const *)a, *y = *(const Kept *const *)b;

    if (x->used.tv_sec != y->used.tv_sec) {
        return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
    }
    return x->used.tv_nsec < y->used.tv_nsec ? 1 : x->used.tv_nsec > y->used.tv_nsec ? -1 : 0;
}

unsigned snapshot_prune(const char *cache, unsigned kept)
{
    g_autofree char *base = g_build_filename(cache, "snapshots", NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(kept_free);
    g_autoptr(GDir) dir = g_dir_open(base, 0, NULL);
    unsigned removed = 0;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(base, name, NULL);
        struct stat st;
        if (g_str_has_suffix(name, ".new")) {
            g_autofree char *lock = g_strdup_printf("%.*s.lock", (int)strlen(path) - 4, path);
            int fd = open(lock, O_RDWR | O_CLOEXEC);
            if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) {
                files_remove_folder(path); /* its maker is dead */
                removed++;
            }
            if (fd >= 0) {
                close(fd);
            }
        } else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            Kept *entry = g_new0(Kept, 1);
            entry->path = g_steal_pointer(&path);
            entry->used = st.st_mtim;
            g_ptr_array_add(all, entry);
        }
    }
    g_ptr_array_sort(all, newest_first);
    for (guint i = kept; i < all->len; i++) {
        files_remove_folder(((Kept *)g_ptr_array_index(all, i))->path);
        removed++;
    }
    return removed;
}
