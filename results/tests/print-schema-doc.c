/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the reference part of docs/results.md: paste it there after a change of the schema. */
#include <stdio.h>

#include "schema-doc.h"

int main(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("quirkbench-schema-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "empty.db", NULL);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    ResultsStore *store = results_open(path, RESULTS_OPEN_WRITE, &error);
    g_autofree char *text = NULL;

    if (!store) {
        fprintf(stderr, "%s\n", error->message);
        return 1;
    }
    text = schema_doc(store);
    results_close(store);
    (void)remove(path);
    (void)remove(lock);
    (void)remove(folder);
    return fputs(text, stdout) == EOF;
}
