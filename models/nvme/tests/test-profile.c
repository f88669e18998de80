/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles: the files that ship, the table of keys, the values with a syntax of their own. */
#include "bench.h"
#include <string.h>

static const char *const names[] = {"ideal", "intel-750", "samsung-sm951"};

Test(nvme_profile, every_value_has_a_source)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.ini", NVME_PROFILES, names[i]);
        g_autoptr(SimKeyfile) file = sim_keyfile_load(path, NULL);
        size_t n;
        const SimParam *params = nvme_profile_params(&n);

        cr_assert(file != NULL);
        for (size_t k = 0; k < n; k++) {
            g_autofree char *source = g_strdup_printf("%s.source", params[k].key);
            if (g_str_equal(params[k].group, "profile") ||
                sim_keyfile_get(file, params[k].group, params[k].key) == NULL) {
                continue;
            }
            const char *text = sim_keyfile_get(file, params[k].group, source);
            cr_assert(text != NULL, "%s: %s", names[i], params[k].key);
            cr_expect(true == g_str_has_prefix(text, "published") ||
                          g_str_has_prefix(text, "data sheet") ||
                          g_str_has_prefix(text, "estimate"),
                      "%s: %s: %s", names[i], source, text);
        }
    }
}

Test(nvme_profile, keys_are_unique_over_groups)
{
    size_t n;
    const SimParam *params = nvme_profile_params(&n);

    for (size_t i = 0; i < n; i++) {
        cr_expect(strlen(params[i].meaning) > 5);
        for (size_t k = 0; k < i; k++) {
            cr_expect(ne(int, strcmp(params[i].key, params[k].key), 0), "%s", params[i].key);
        }
    }
}

Test(nvme_profile, pci_identity)
{
    g_autofree char *path = g_strdup_printf("%s/samsung-sm951.ini", NVME_PROFILES);
    g_autoptr(NvmeProfile) profile = nvme_profile_load(path, NULL);
    PcieIdentity id;

    cr_assert(profile != NULL);
    nvme_profile_pci(profile, &id);
    cr_expect(eq(u16, id.vendor_id, 0x144d));
    cr_expect(eq(u16, id.device_id, 0xa802));
    cr_expect(eq(u16, id.subsystem_id, 0xa801));
    cr_expect(eq(u64, id.msix_vectors, 9));
    cr_expect(eq(u64, id.msix_table, 0x3000));
    cr_expect(eq(u64, id.msix_pba, 0x2000));
    cr_expect(eq(u64, id.msi_vectors, 8));
    cr_expect(eq(u64, id.io_bar_bytes, 256));
    cr_expect(eq(str, (char *)nvme_profile_name(profile), "samsung-sm951"));
    cr_expect(true == g_str_has_prefix(nvme_profile_source(profile, "pci.id"), "published"));
    cr_expect(eq(str, (char *)nvme_profile_source(profile, "pci.bar0"), "default"));
}

static char *refusal(const char *group, const char *key, const char *value)
{
    g_autofree char *path = g_strdup_printf("%s/ideal.ini", NVME_PROFILES);
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(NvmeProfile) profile = NULL;

    cr_assert(file != NULL);
    sim_keyfile_set(file, group, key, value);
    profile = nvme_profile_read(file, &error);
    return profile == NULL ? g_strdup(error->message) : NULL;
}

/* A fault that shows when the values are put together still names the line of the one at fault. */
Test(nvme_profile, faults_have_a_line)
{
    static const char text[] = "[profile]\nname = a\nsource = b\n[pci]\npci.id = 1:2\n";
    g_autofree char *ideal_path = g_strdup_printf("%s/ideal.ini", NVME_PROFILES);
    g_autofree char *ideal = NULL;
    g_autofree char *whole = NULL;
    g_autoptr(GError) error = NULL;
    const char *rest;

    cr_assert(g_file_get_contents(ideal_path, &ideal, NULL, NULL));
    rest = strstr(ideal, "pci.id.source");
    cr_assert(rest != NULL);
    whole = g_strconcat(text, rest, NULL);
    g_autoptr(SimKeyfile) file = sim_keyfile_parse("mine.ini", whole, &error);
    cr_assert(file != NULL, "%s", error->message);
    cr_assert(nvme_profile_read(file, &error) == NULL);
    cr_expect(true == g_str_has_prefix(error->message, "mine.ini:5: [pci] pci.id: \"1:2\": write "),
              "%s", error->message);
}

Test(nvme_profile, refused_values)
{
    static const struct {
        const char *group, *key, *value;
    } rows[] = {
        {"pci", "pci.id", "144da802"},
        {"pci", "pci.subsystem", "144d:a80g"},
        {"pci", "pci.msix-table", "0x3ff8"},
        {"pci", "pci.msix-table", "0x1000"},
        {"pci", "pci.bar0", "12KiB"},
        {"pci", "pci.msi-vectors", "3"},
        {"pci", "pci.aer-offset", "320"},
        {"capabilities", "page-max", "12KiB"},
        {"capabilities", "queue-entries", "1"},
        {"capabilities", "version", "1.4"},
        {"identify", "identify.serial", "123456789012345678901"},
        {"identify", "identify.ieee", "12345"},
        {"identify", "identify.eui64", "xyz"},
        {"identify", "identify.mdts", "0"},
        {"identify", "power.0", "9 watts"},
        {"identify", "power.0", "9.00W 5us 5us 0 running"},
        {"identify", "power.0", "9.00001W 5us 5us 0 operational"},
        {"identify", "namespace.formats", "512+8:0"},
        {"identify", "namespace.formats", "513+0:0"},
        {"identify", "namespace.capacity", "1048577B"},
        {"timing", "decode", "1"},
        {"timing", "decodee", "1us"},
        {"media", "media.units", "5000"},
        {"quirk", "quirk.bandwidth-by-size", "64KiB"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *message = refusal(rows[i].group, rows[i].key, rows[i].value);
        cr_expect(message != NULL, "%s = %s is taken", rows[i].key, rows[i].value);
        if (message != NULL) {
            cr_expect(strstr(message, rows[i].key) != NULL, "%s", message);
        }
    }
}
