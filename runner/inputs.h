/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run is made of besides its scenario: QEMU, kernel, guest image, modules, tools; where they
 * are and what their content hashes to.  What is missing is one line that says what to do. */
#pragma once
#include <gio/gio.h>

#include "driver.h"
#include "hash-cache.h"

#define INPUTS_ERROR (inputs_error_quark())
GQuark inputs_error_quark(void);
typedef enum {
    INPUTS_ERROR_MISSING, /* not there: the message says what to run */
    INPUTS_ERROR_READ,    /* there, but cannot be used */
} InputsError;

/* What the user may give; NULL: the cache's own. */
typedef struct InputsOptions {
    const char *cache, *qemu, *kernel, *modules;
} InputsOptions;

typedef struct Inputs {
    char *cache;
    HashCache *hashes;
    char *qemu, *qemu_hash;
    char *qemu_key; /* of what shapes a snapshot: not of the models */
    char *kernel, *kernel_hash, *kernel_release;
    char *modules_dir, *fallback_modules_dir;
    char *tools_dir;          /* NULL: not fetched */
    char *image, *image_hash; /* initramfs */
    char *machine_args;       /* text of qemu-devices/machine-args */
} Inputs;

/* For runs of simulated drivers alone: the cache folder and its hashes. */
Inputs *inputs_none(const InputsOptions *options);
Inputs *inputs_find(const InputsOptions *options, GError **error);
void inputs_free(Inputs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Inputs, inputs_free)

/* Single steps, for `quirkbench doctor`: a path or NULL and @error. (transfer full) */
char *inputs_find_qemu(const InputsOptions *options, GError **error);
char *inputs_find_kernel(const InputsOptions *options, GError **error);
char *inputs_find_tools(const char *cache, GError **error);

/* Paths, relative to inputs->tools_dir, of the files that @tool needs.  NULL: @error. */
char **inputs_tool_files(const Inputs *self, const char *tool, GError **error);
/* Version of a Debian package that the tools came from, "22.11.11-0+deb12u1".  NULL: @error.
 * (transfer full) */
char *inputs_package_version(const Inputs *self, const char *package, GError **error);
