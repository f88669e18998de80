/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI identity: what a config space cannot be. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include "pcie/pcie-identity.h"

/* A drive whose MSI-X table lies behind its registers. */
static PcieIdentity drive(void)
{
    return (PcieIdentity){.bar0_bytes = 16384,
                          .io_bar_bytes = 256,
                          .msix_vectors = 9,
                          .msix_table = 0x3000,
                          .msix_pba = 0x2000,
                          .msi_vectors = 8,
                          .pm_offset = 0x40,
                          .msi_offset = 0x50,
                          .msix_offset = 0xb0,
                          .pcie_offset = 0x70,
                          .aer_offset = 0x100,
                          .serial_offset = 0x148,
                          .max_payload = 128,
                          .generation = 3,
                          .lanes = 4,
                          .tags = 32,
                          .registers_bytes = 0x1050};
}

/* A card with a BAR of its own for MSI-X. */
static PcieIdentity card(void)
{
    PcieIdentity self = drive();

    self.msix_bar_bytes = 16384;
    self.msix_vectors = 64;
    self.msix_table = 0;
    self.msi_masks = true;
    return self;
}

Test(pcie_identity, ids_are_read)
{
    PcieIdentity self = drive();
    const char *why;

    cr_assert(pcie_identity_check(&self, "144d:a802", "8086:000C", &why) == NULL, "%s", why);
    cr_expect(eq(u16, self.vendor_id, 0x144d));
    cr_expect(eq(u16, self.device_id, 0xa802));
    cr_expect(eq(u16, self.subsystem_vendor_id, 0x8086));
    cr_expect(eq(u16, self.subsystem_id, 0x000c));
    self = card();
    cr_expect(pcie_identity_check(&self, "8086:10fb", "8086:0003", &why) == NULL, "%s", why);
}

Test(pcie_identity, function_has_the_link_and_the_payload)
{
    PcieIdentity self = drive();
    PcieFunctionParams params = pcie_identity_function(&self);

    cr_expect(eq(u64, params.generation, 3));
    cr_expect(eq(u64, params.lanes, 4));
    cr_expect(eq(u64, params.max_payload, 128));
    cr_expect(eq(u64, params.tags, 32));
}

Test(pcie_identity, refused_ids)
{
    static const char *const texts[] = {"",           "8086",      "8086:10f",   "8086:10fg",
                                        "80860:10fb", "8086-10fb", "8086:10fb ", "0x86:10fb"};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        PcieIdentity self = drive();
        const char *why, *key = pcie_identity_check(&self, texts[i], "8086:0003", &why);

        cr_expect(g_strcmp0(key, "pci.id") == 0, "%s is taken", texts[i]);
        key = pcie_identity_check(&self, "8086:10fb", texts[i], &why);
        cr_expect(g_strcmp0(key, "pci.subsystem") == 0, "%s is taken", texts[i]);
    }
}

typedef struct Change {
    bool card;
    size_t field;
    uint64_t value;
    const char *key;
    const char *why;
} Change;

#define DRIVE(field, value, key, why)                                                              \
    {                                                                                              \
        false, offsetof(PcieIdentity, field), value, key, why                                      \
    }
#define CARD(field, value, key, why)                                                               \
    {                                                                                              \
        true, offsetof(PcieIdentity, field), value, key, why                                       \
    }

/* Each of these would be an assertion in whoever builds config space, or a device that no guest
 * could use. */
static const Change changes[] = {
    DRIVE(bar0_bytes, 12288, "pci.bar0", "power of two"),
    DRIVE(io_bar_bytes, 3, "pci.io-bar", "power of two"),
    DRIVE(io_bar_bytes, 1, "pci.io-bar", "power of two"),
    DRIVE(max_payload, 384, "pci.max-payload", "power of two"),
    DRIVE(lanes, 3, "pci.lanes", "power of two"),
    DRIVE(msi_vectors, 3, "pci.msi-vectors", "power of two"),
    CARD(msix_bar_bytes, 5000, "pci.msix-bar", "power of two"),
    DRIVE(msix_table, 0x1000, "pci.msix-table", "behind the registers"),
    DRIVE(msix_table, 0x3ff8, "pci.msix-table", "BAR0"),
    DRIVE(msix_table, 0x3004, "pci.msix-table", "multiple of 8"),
    DRIVE(msix_pba, 0x4000, "pci.msix-pba", "BAR0"),
    DRIVE(msix_pba, 0x3008, "pci.msix-pba", "overlap"),
    DRIVE(msix_pba, 0x2ffc, "pci.msix-pba", "multiple of 8"),
    CARD(msix_table, 0x3c08, "pci.msix-table", "BAR4"),
    CARD(msix_pba, 0x4000, "pci.msix-pba", "BAR4"),
    CARD(msix_pba, 0x3f8, "pci.msix-pba", "overlap"),
    DRIVE(pm_offset, 0x20, "pci.pm-offset", "between 64 and 256"),
    DRIVE(pm_offset, 0x42, "pci.pm-offset", "multiple of 4"),
    DRIVE(msi_offset, 0x44, "pci.msi-offset", "over another"),
    CARD(msi_offset, 0x5c, "pci.pcie-offset", "over another"),
    DRIVE(msix_offset, 0xf8, "pci.msix-offset", "between 64 and 256"),
    DRIVE(msix_offset, 0x48, "pci.msix-offset", "over another"),
    DRIVE(pcie_offset, 0xc8, "pci.pcie-offset", "between 64 and 256"),
    DRIVE(pcie_offset, 0x80, "pci.pcie-offset", "over another"),
    DRIVE(aer_offset, 0xc0, "pci.aer-offset", "between 256 and 4096"),
    DRIVE(aer_offset, 0x200, "pci.aer-offset", "at 256"),
    DRIVE(aer_offset, 0, "pci.serial-offset", "at 256"),
    DRIVE(serial_offset, 0x140, "pci.serial-offset", NULL),
    DRIVE(serial_offset, 0x134, "pci.serial-offset", "over another"),
    DRIVE(serial_offset, 4088, "pci.serial-offset", "between 256 and 4096"),
};

Test(pcie_identity, refused_layouts)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
        const Change *change = &changes[i];
        PcieIdentity self = change->card ? card() : drive();
        const char *why = "", *key;

        *(uint64_t *)((char *)&self + change->field) = change->value;
        key = pcie_identity_check(&self, "8086:10fb", "8086:0003", &why);
        if (change->why == NULL) { /* fine as it is */
            cr_expect(key == NULL, "row %u: %s: %s", i, key, why);
            continue;
        }
        cr_expect(g_strcmp0(key, change->key) == 0, "row %u: %s instead of %s", i,
                  key ? key : "nothing", change->key);
        cr_expect(strstr(why, change->why) != NULL, "row %u: %s", i, why);
    }
}

Test(pcie_identity, none_of_the_optional_capabilities)
{
    PcieIdentity self = drive();
    const char *why, *key;

    self.pm_offset = self.msi_offset = self.aer_offset = self.serial_offset = 0;
    self.io_bar_bytes = self.msi_vectors = 0;
    key = pcie_identity_check(&self, "8086:10fb", "8086:0003", &why);
    cr_expect(key == NULL, "%s: %s", key, why);
}
