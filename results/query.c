/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The named queries that are built in. */
#include <string.h>

#include "internal.h"
#include "sim/sim-keyfile.h"

char **results_query_names(void)
{
    char **names = results_files("queries");

    for (int i = 0; names[i]; i++) {
        char *dot = strrchr(names[i], '.');

        if (dot) {
            *dot = '\0';
        }
    }
    return names;
}

const char *results_query_sql(const char *name, GError **error)
{
    g_autofree char *file = g_strdup_printf("queries/%s.sql", name);
    const char *sql = strchr(name, '/') ? NULL : results_file(file);

    if (!sql) {
        g_auto(GStrv) names = results_query_names();
        const char *nearest = sim_nearest_word(name, (const char *const *)names);
        g_autofree char *all = g_strjoinv(", ", names);

        g_set_error(error, RESULTS_ERROR, RESULTS_ERROR_NAME,
                    nearest ? "there is no query \"%s\"; did you mean \"%s\"?"
                            : "there is no query \"%s\"; there are: %s",
                    name, nearest ? nearest : all);
    }
    return sql;
}
