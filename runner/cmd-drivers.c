/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `quirkbench drivers`: what can be put under test. */
#include <stdio.h>

#include "cmd.h"
#include "driver.h"

int cmd_drivers(int argc, char **argv)
{
    const GOptionEntry entries[] = {{NULL}};
    int status = cmd_options(&argc, &argv, entries, "", "Lists the drivers under test.");

    if (status != CMD_GO_ON) {
        return status;
    }
    if (argc > 1) {
        return cmd_fail(CMD_USAGE, "drivers", "takes no argument");
    }
    g_auto(GStrv) names = driver_names();
    for (char **name = names; *name; name++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Driver) driver = driver_load(*name, &error);
        if (!driver) {
            status = cmd_fail(CMD_USAGE, "drivers", "%s", error->message);
            continue;
        }
        g_autofree char *modules = g_strjoinv(" ", driver->modules);
        printf("%-18s %s; %s%s\n", *name, driver->title,
               driver->simulated ? "simulated" : "modules: ", modules);
    }
    return status == CMD_GO_ON ? CMD_OK : status;
}
