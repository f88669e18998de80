/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A driver under test: drivers-under-test/NAME/driver.ini, and the modules that it consists of. */
#pragma once
#include <glib.h>

typedef struct Driver {
    char *name, *title;
    gboolean simulated;
    char *drives; /* kind of device: "nvme", "ixgbe" (device-type.h) */
    /* Of real ones; lists are NULL-ended. */
    char **modules; /* names of the modules under test: "nvme" */
    char *wait;     /* how the plan waits for a device: "nvme", "net", "pci" */
    char *bind;     /* NULL, or the module that the plan gives each device to */
    char **tools;   /* programs that are the driver, beside the scenario's tools */
    char *package;  /* NULL, or the Debian package of @tools whose version is the driver's */
} Driver;

/* @error names the nearest driver.  (transfer full) */
Driver *driver_load(const char *name, GError **error);
void driver_free(Driver *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Driver, driver_free)
/* Names of all drivers, sorted, NULL-ended.  (transfer full) */
char **driver_names(void);

/**
 * driver_module_files:
 * @more: (nullable): names of further modules, NULL-ended, loaded before the driver's
 * @modules_dir: as lib/modules/RELEASE, with modules.dep; or a folder of .ko files that stand in
 *   for those of @fallback_dir
 * @fallback_dir: (nullable): where modules that @modules_dir lacks come from
 * Returns: (transfer full): paths of the .ko files in the order in which they are loaded, or NULL
 * and @error */
GPtrArray *driver_module_files(const Driver *self, char **more, const char *modules_dir,
                               const char *fallback_dir, GError **error);
