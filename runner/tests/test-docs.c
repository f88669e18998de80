/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every scenario key is in the documents, and every scenario that we ship can be read. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "paths.h"
#include "scenario.h"

static char *document(const char *relative)
{
    g_autofree char *path = paths_data(relative);
    char *text = NULL;

    cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read", relative);
    return text;
}

/* The part of @text from its heading on to the next one: keys of two groups may have one name. */
static char *section(const char *text, const char *heading, const char *next)
{
    const char *begin = strstr(text, heading);

    cr_assert(begin != NULL, "there is no heading %s", heading);
    const char *end = strstr(begin + strlen(heading), next);
    return g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
}

Test(docs, scenarios_md_has_every_key)
{
    g_autofree char *text = document("docs/scenarios.md");

    for (size_t i = 0; i < scenario_keys_n; i++) {
        g_autofree char *heading = g_strdup_printf("\n## [%s", scenario_keys[i].group);
        g_autofree char *part = section(text, heading, "\n## ");
        g_autofree char *quoted = g_strdup_printf("`%s", scenario_keys[i].key);
        cr_expect(strstr(part, quoted) != NULL, "docs/scenarios.md: [%s] lacks `%s`",
                  scenario_keys[i].group, scenario_keys[i].key);
        if (scenario_keys[i].fallback && strchr(scenario_keys[i].fallback, ' ') == NULL) {
            cr_expect(strstr(part, scenario_keys[i].fallback) != NULL,
                      "docs/scenarios.md: [%s] %s lacks its default %s", scenario_keys[i].group,
                      scenario_keys[i].key, scenario_keys[i].fallback);
        }
    }
}

Test(docs, manual_page_has_every_key)
{
    g_autofree char *text = document("docs/man/quirkbench-scenario.5");

    for (size_t i = 0; i < scenario_keys_n; i++) {
        g_autofree char *heading = g_strdup_printf("\n.SH [%s", scenario_keys[i].group);
        g_autofree char *part = section(text, heading, "\n.SH ");
        g_auto(GStrv) words = g_strsplit(scenario_keys[i].key, "-", -1);
        g_autofree char *escaped = g_strjoinv("\\-", words);
        g_autofree char *line = g_strdup_printf("\n.B %s\n", escaped);
        cr_expect(strstr(part, line) != NULL, "quirkbench-scenario.5: [%s] lacks %s",
                  scenario_keys[i].group, scenario_keys[i].key);
    }
}

static void expect_readable(const char *relative, unsigned least)
{
    g_autofree char *folder = paths_data(relative);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    unsigned files = 0;

    cr_assert(dir != NULL);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) points = scenario_load(path, NULL, &error);
        cr_expect(points != NULL, "%s", error ? error->message : "?");
        for (guint i = 0; points && i < points->len; i++) {
            const Scenario *scenario = g_ptr_array_index(points, i);
            guint64 ios = 0;
            for (guint j = 0; j < scenario->loads->len; j++) {
                const ScenarioLoad *load = g_ptr_array_index(scenario->loads, j);
                ios += load->ios + load->warmup;
            }
            /* Test scenarios stay short: docs of the clock say what an I/O costs. */
            cr_expect(le(u64, ios, scenario->devices->len == 3 ? 50000 : 12000), "%s", path);
        }
        files++;
    }
    cr_expect(ge(u32, files, least));
}

Test(docs, shipped_scenarios_can_be_read)
{
    expect_readable("scenarios/nvme", 11);
    expect_readable("scenarios/ixgbe", 7);
}
