/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find and hash a run's inputs; have the guest image built. */
#define _GNU_SOURCE /* strverscmp */
#include "inputs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paths.h"

G_DEFINE_QUARK(inputs - error - quark, inputs_error)

/* Newest by version of the folders PREFIX* in @cache; digits compare as numbers. */
static char *newest_folder(const char *cache, const char *prefix)
{
    g_autoptr(GDir) dir = g_dir_open(cache, 0, NULL);
    g_autofree char *best = NULL;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        if (g_str_has_prefix(name, prefix) && g_ascii_isxdigit(name[strlen(prefix)]) &&
            (!best || strverscmp(name, best) > 0)) {
            g_free(best);
            best = g_strdup(name);
        }
    }
    return best ? g_build_filename(cache, best, NULL) : NULL;
}

/* The QEMU linked last of those that build-qemu keeps in the cache. */
static char *newest_qemu(const char *cache)
{
    g_autofree char *base = g_build_filename(cache, "qemu", NULL);
    g_autoptr(GDir) dir = g_dir_open(base, 0, NULL);
    g_autofree char *best = NULL;
    struct timespec newest = {0};
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(base, name, "bin", "qemu-system-x86_64", NULL);
        struct stat st;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
            (!best || st.st_mtim.tv_sec > newest.tv_sec ||
             (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec))) {
            g_free(best);
            best = g_steal_pointer(&path);
            newest = st.st_mtim;
        }
    }
    return g_steal_pointer(&best);
}

char *inputs_find_qemu(const InputsOptions *options, GError **error)
{
    g_autofree char *cache = paths_cache(options->cache);
    g_autofree char *path = options->qemu ? g_strdup(options->qemu) : newest_qemu(cache);

    if (!path) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    "QEMU is not built; run ./quickstart (or qemu-devices/build-qemu), or give "
                    "--qemu FILE");
        return NULL;
    }
    if (access(path, X_OK) < 0 || g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "QEMU %s cannot be executed: %s; give --qemu FILE, or run ./quickstart", path,
                    g_strerror(errno ? errno : EISDIR));
        return NULL;
    }
    return g_canonicalize_filename(path, NULL);
}

char *inputs_find_kernel(const InputsOptions *options, GError **error)
{
    g_autofree char *cache = paths_cache(options->cache);
    g_autofree char *folder = options->kernel ? NULL : newest_folder(cache, "kernel-");
    g_autofree char *path = options->kernel ? g_strdup(options->kernel)
                            : folder        ? g_build_filename(folder, "vmlinuz", NULL)
                                            : NULL;

    if (!path) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    "no guest kernel in the cache; run ./quickstart (or "
                    "drivers-under-test/guest/fetch-kernel), or give --kernel FILE --modules DIR");
        return NULL;
    }
    struct stat st;
    if (stat(path, &st) < 0 || access(path, R_OK) < 0) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "the kernel %s cannot be read: %s; give a readable file with --kernel", path,
                    g_strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode) || st.st_size < 4096) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "the kernel %s is no kernel image; give a bzImage with --kernel", path);
        return NULL;
    }
    return g_canonicalize_filename(path, NULL);
}

char *inputs_find_tools(const char *cache, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(cache, 0, NULL);
    g_autofree char *best = NULL;
    struct timespec newest = {0};
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(cache, name, NULL);
        struct stat st;
        if (g_str_has_prefix(name, "tools-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
            (!best || st.st_mtim.tv_sec > newest.tv_sec)) {
            g_free(best);
            best = g_steal_pointer(&path);
            newest = st.st_mtim;
        }
    }
    if (!best) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    "the guest's programs are not in the cache; run ./quickstart (or "
                    "drivers-under-test/guest/fetch-tools)");
    }
    return g_steal_pointer(&best);
}

char **inputs_tool_files(const Inputs *self, const char *tool, GError **error)
{
    /* Names of programs, where the package has another. */
    static const char *const packages[][2] = {{"nvme", "nvme-cli"},
                                              {"busybox", "busybox-static"},
                                              {"ip", "iproute2"},
                                              {"tc", "iproute2"},
                                              {"dpdk-testpmd", "dpdk-dev"}};
    static const char *const names[] = {"nvme", "fio",          "ethtool", "ip",
                                        "tc",   "dpdk-testpmd", "busybox", NULL};
    g_autofree char *text = NULL;
    const char *package = tool;

    for (size_t i = 0; i < G_N_ELEMENTS(packages); i++) {
        if (strcmp(tool, packages[i][0]) == 0) {
            package = packages[i][1];
        }
    }
    if (!self->tools_dir) {
        g_free(inputs_find_tools(self->cache, error));
        return NULL;
    }
    g_autofree char *list = g_build_filename(self->tools_dir, "LISTS", package, NULL);
    if (strchr(tool, '/') || !g_file_get_contents(list, &text, NULL, NULL)) {
        g_autofree char *list_of = g_strjoinv(", ", (char **)names);
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    g_strv_contains(names, tool)
                        ? "the cache has no guest program '%s' yet; run "
                          "drivers-under-test/guest/fetch-tools --update%s%s"
                        : "there is no guest program '%s'%s%s",
                    tool, g_strv_contains(names, tool) ? "" : "; there are: ",
                    g_strv_contains(names, tool) ? "" : list_of);
        return NULL;
    }
    return g_strsplit(g_strstrip(text), "\n", -1);
}

char *inputs_package_version(const Inputs *self, const char *package, GError **error)
{
    g_autofree char *path = g_build_filename(self->tools_dir, "packages", NULL);
    g_autofree char *prefix = g_strconcat(package, "_", NULL);
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, error)) {
        return NULL;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1); /* NAME_VERSION_ARCHITECTURE.deb */
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, prefix)) {
            const char *version = *line + strlen(prefix);
            g_autofree char *word = g_strndup(version, strcspn(version, "_"));
            return g_uri_unescape_string(word, NULL); /* the colon of an epoch */
        }
    }
    g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                "the guest's programs are not of package %s; run "
                "drivers-under-test/guest/fetch-tools --update",
                package);
    return NULL;
}

/* --- What shapes a snapshot --- */

/* Files of build-qemu's tree that are ours or have our hooks: what the linked program was made of,
 * whatever the source tree holds by now.  Models and the drives' glue are left out on purpose. */
static const char *const snapshot_sources[] = {
    "accel/tcg/icount-common.c",     "accel/tcg/quirkbench-clock.c",
    "accel/tcg/tcg-accel-ops-rr.c",  "accel/tcg/tcg-accel-ops.c",
    "hw/quirkbench/channel.c",       "include/quirkbench-clock-hooks.h",
    "include/quirkbench-clock.h",    "system/vl.c",
    "target/i386/tcg/misc_helper.c",
};

/* A snapshot holds guest memory and the state of QEMU's own devices, the channel and the clock: it
 * outlives a relinked model.  A QEMU of the cache is known by the name of its folder (version,
 * configuration) and by those sources; any other by its content. */
static char *qemu_snapshot_key(const Inputs *self, GError **error)
{
    g_autofree char *ours = g_build_filename(self->cache, "qemu", "", NULL);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

    if (!g_str_has_prefix(self->qemu, ours)) {
        return g_strdup(self->qemu_hash);
    }
    g_auto(GStrv) parts = g_strsplit(self->qemu + strlen(ours), "/", 2);
    g_checksum_update(sum, (const guchar *)parts[0], (gssize)strlen(parts[0]) + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(snapshot_sources); i++) {
        g_autofree char *path =
            g_build_filename(ours, parts[0], "source", snapshot_sources[i], NULL);
        if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
            return g_strdup(self->qemu_hash); /* a cache that keeps the program alone */
        }
        g_autofree char *hash = hash_cache_file(self->hashes, path, error);
        if (!hash) {
            return NULL;
        }
        g_checksum_update(sum, (const guchar *)hash, (gssize)strlen(hash) + 1);
    }
    return g_strdup(g_checksum_get_string(sum));
}

/* --- The guest image --- */

/* build-initramfs says what is in it; here it is only run, and its result kept. */
static gboolean write_image(const char *script, const char *programs, const char *busybox,
                            const char *path, GError **error)
{
    const char *const argv[] = {script, "--programs", programs, "--busybox", busybox, path, NULL};
    g_autofree char *said = NULL;
    int status = 0;

    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                      &said, &status, error)) {
        return FALSE;
    }
    if (!g_spawn_check_wait_status(status, NULL)) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ, "the guest image cannot be built: %s",
                    g_strstrip(said));
        return FALSE;
    }
    return TRUE;
}

/* A static busybox out of the guest's programs. */
static char *find_busybox(const Inputs *self, GError **error)
{
    g_auto(GStrv) files = inputs_tool_files(self, "busybox", error);

    for (char **file = files; files && *file; file++) {
        if (g_str_has_suffix(*file, "/busybox")) {
            return g_build_filename(self->tools_dir, *file, NULL);
        }
    }
    if (files) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "%s holds no busybox; remove it and "
                    "run drivers-under-test/guest/fetch-tools",
                    self->tools_dir);
    }
    return NULL;
}

/* The initramfs, kept by what goes into it. */
static gboolean find_image(Inputs *self, GError **error)
{
    g_autofree char *init = paths_program("drivers-under-test/guest/quirkbench-init");
    g_autofree char *script = paths_script("drivers-under-test/guest/build-initramfs");
    g_autofree char *programs = g_path_get_dirname(init);
    g_autofree char *init_hash = NULL, *script_hash = NULL, *busybox = NULL, *busybox_hash = NULL;

    if (!g_file_test(init, G_FILE_TEST_IS_REGULAR)) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    "the in-guest program %s is not built; run ./quickstart or ninja -C build",
                    init);
        return FALSE;
    }
    self->tools_dir = inputs_find_tools(self->cache, error);
    if (!self->tools_dir || !(init_hash = hash_cache_file(self->hashes, init, error)) ||
        !(script_hash = hash_cache_file(self->hashes, script, error)) ||
        !(busybox = find_busybox(self, error)) ||
        !(busybox_hash = hash_cache_file(self->hashes, busybox, error))) {
        return FALSE;
    }
    g_autofree char *facts = g_strjoin("|", init_hash, script_hash, busybox_hash, NULL);
    g_autofree char *key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, facts, -1);
    g_autofree char *name = g_strdup_printf("initramfs-%.16s.cpio", key);
    self->image = g_build_filename(self->cache, "images", name, NULL);
    if (!g_file_test(self->image, G_FILE_TEST_IS_REGULAR)) {
        g_autofree char *folder = g_path_get_dirname(self->image);
        if (g_mkdir_with_parents(folder, 0755) < 0) {
            g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                        "the cache %s cannot be written: %s; choose another with --cache",
                        self->cache, g_strerror(errno));
            return FALSE;
        }
        if (!write_image(script, programs, busybox, self->image, error)) {
            return FALSE;
        }
    }
    self->image_hash = hash_cache_file(self->hashes, self->image, error);
    return self->image_hash != NULL;
}

/* --- All of it --- */

static gboolean find_modules(Inputs *self, const InputsOptions *options, GError **error)
{
    g_autofree char *folder = newest_folder(self->cache, "kernel-");
    g_autofree char *of_cache = folder ? g_build_filename(folder, "modules", NULL) : NULL;
    g_autofree char *beside = g_path_get_dirname(self->kernel);

    if (options->modules) {
        if (!g_file_test(options->modules, G_FILE_TEST_IS_DIR)) {
            g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                        "--modules %s is no folder; give the lib/modules/RELEASE of the kernel, "
                        "or a folder of .ko files",
                        options->modules);
            return FALSE;
        }
        self->modules_dir = g_canonicalize_filename(options->modules, NULL);
        /* A folder with nvme.ko alone: the rest comes from the kernel that is run. */
        self->fallback_modules_dir = options->kernel ? NULL : g_steal_pointer(&of_cache);
    } else if (options->kernel) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_MISSING,
                    "--kernel needs --modules DIR: the lib/modules/RELEASE of that kernel");
        return FALSE;
    } else {
        self->modules_dir = g_steal_pointer(&of_cache);
    }
    g_autofree char *release = g_build_filename(beside, "release", NULL);
    if (!g_file_get_contents(release, &self->kernel_release, NULL, NULL)) {
        self->kernel_release = g_path_get_basename(self->modules_dir);
    }
    g_strstrip(self->kernel_release);
    return TRUE;
}

Inputs *inputs_none(const InputsOptions *options)
{
    Inputs *self = g_new0(Inputs, 1);

    self->cache = paths_cache(options->cache);
    g_mkdir_with_parents(self->cache, 0755); /* best effort: the hashes are worked out again */
    self->hashes = hash_cache_new(self->cache);
    return self;
}

Inputs *inputs_find(const InputsOptions *options, GError **error)
{
    g_autoptr(Inputs) self = g_new0(Inputs, 1);

    self->cache = paths_cache(options->cache);
    if (!(self->qemu = inputs_find_qemu(options, error)) ||
        !(self->kernel = inputs_find_kernel(options, error)) ||
        !find_modules(self, options, error)) {
        return NULL;
    }
    if (g_mkdir_with_parents(self->cache, 0755) < 0) {
        g_set_error(error, INPUTS_ERROR, INPUTS_ERROR_READ,
                    "the cache %s cannot be made: %s; choose another with --cache", self->cache,
                    g_strerror(errno));
        return NULL;
    }
    self->hashes = hash_cache_new(self->cache);
    g_autofree char *args = paths_data("qemu-devices/machine-args");
    if (!(self->qemu_hash = hash_cache_file(self->hashes, self->qemu, error)) ||
        !(self->kernel_hash = hash_cache_file(self->hashes, self->kernel, error)) ||
        !g_file_get_contents(args, &self->machine_args, NULL, error) || !find_image(self, error)) {
        return NULL;
    }
    self->qemu_key = qemu_snapshot_key(self, error);
    return self->qemu_key ? g_steal_pointer(&self) : NULL;
}

void inputs_free(Inputs *self)
{
    if (!self) {
        return;
    }
    g_free(self->cache);
    g_clear_pointer(&self->hashes, hash_cache_free);
    g_free(self->qemu);
    g_free(self->qemu_hash);
    g_free(self->qemu_key);
    g_free(self->kernel);
    g_free(self->kernel_hash);
    g_free(self->kernel_release);
    g_free(self->modules_dir);
    g_free(self->fallback_modules_dir);
    g_free(self->tools_dir);
    g_free(self->image);
    g_free(self->image_hash);
    g_free(self->machine_args);
    g_free(self);
}
