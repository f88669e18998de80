/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: what the guest program does in a run (docs/channel.md), made from a scenario's point.
 */
#pragma once
#include "driver.h"
#include "scenario.h"

/* How a driver under test is loaded: drivers-under-test/NAME/driver.ini. */
typedef struct PlanModule {
    char *file;        /* as in the archive: "nvme.ko" */
    char *name;        /* as in `nvme.poll_queues`: "nvme" */
    char **parameters; /* that the module says it has; NULL: its file was not there to be read */
} PlanModule;

/* PCI address of the port that takes the devices of number 0; the next ones follow
 * (qemu-devices/machine-args). */
#define PLAN_ROOT_PORT "0000:00:%02x.0"
enum { PLAN_ROOT_PORT_DEVICE = 0x10 };

/**
 * plan_text:
 * @modules: GPtrArray of PlanModule *, in the order in which they are loaded
 * Returns: (transfer full): the plan, or NULL and @error (SIM_KEYFILE_ERROR with file and line) */
char *plan_text(const Scenario *scenario, const Driver *driver, GPtrArray *modules, GError **error);

void plan_module_free(PlanModule *self);
/* A module by its file: "nvme-core.ko" has the name "nvme_core". (transfer full) */
PlanModule *plan_module_new(const char *file);

/* A step's text with {nvme0}, {nvme0:ctrl}, {nvme0:bdf} into {SERIAL}, …; ${x} and what names no
 * device but is no plain word stay as they are.  NULL: @error. (transfer full) */
char *plan_substitute(const Scenario *scenario, const ScenarioAction *action, GError **error);
