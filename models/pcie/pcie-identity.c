/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of a PCI identity: a config space that hardware could have, and that a host can build. */
#include "pcie/pcie-identity.h"
#include <string.h>

enum {
    CONFIG_HEADER_BYTES = 64,
    CONFIG_SPACE_BYTES = 256, /* extended capabilities start here */
    CONFIG_EXTENDED_BYTES = 4096,
    PM_BYTES = 8,
    MSI_BYTES = 14,
    MSI_MASKED_BYTES = 24,
    MSIX_BYTES = 12,
    PCIE_BYTES = 60,
    AER_BYTES = 56, /* without the log of TLP prefixes, which devices of these days have not */
    SERIAL_BYTES = 12,
    MSIX_ENTRY_BYTES = 16,
};

static bool parse_id(const char *text, uint16_t *vendor, uint16_t *device)
{
    guint64 value[2];

    if (strlen(text) != 9 || text[4] != ':') {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        g_autofree char *part = g_strndup(text + i * 5, 4);
        if (!g_ascii_string_to_unsigned(part, 16, 0, 0xffff, &value[i], NULL)) {
            return false;
        }
    }
    *vendor = (uint16_t)value[0];
    *device = (uint16_t)value[1];
    return true;
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static const char *check_sizes(const PcieIdentity *self, const char **why)
{
    *why = "a BAR's size must be a power of two";
    if (!is_power_of_two(self->bar0_bytes)) {
        return "pci.bar0";
    }
    if (self->msix_bar_bytes != 0 && !is_power_of_two(self->msix_bar_bytes)) {
        return "pci.msix-bar";
    }
    *why = "an I/O BAR's size must be a power of two from 4B on, or 0B for none";
    if (self->io_bar_bytes != 0 &&
        (self->io_bar_bytes < 4 || !is_power_of_two(self->io_bar_bytes))) {
        return "pci.io-bar";
    }
    *why = "must be a power of two";
    if (!is_power_of_two(self->max_payload)) {
        return "pci.max-payload";
    }
    if (!is_power_of_two(self->lanes)) {
        return "pci.lanes";
    }
    *why = "must be 0 or a power of two";
    return self->msi_vectors != 0 && !is_power_of_two(self->msi_vectors) ? "pci.msi-vectors" : NULL;
}

static const char *check_msix(const PcieIdentity *self, const char **why)
{
    bool apart = self->msix_bar_bytes != 0;
    uint64_t bar = apart ? self->msix_bar_bytes : self->bar0_bytes;
    uint64_t least = apart ? 0 : self->registers_bytes;
    uint64_t table_end = self->msix_table + self->msix_vectors * MSIX_ENTRY_BYTES;
    uint64_t pba_end = self->msix_pba + (self->msix_vectors + 63) / 64 * 8;

    *why = apart ? "the table must lie in BAR4, at a multiple of 8"
                 : "the table must lie in BAR0, behind the registers, at a multiple of 8";
    if (table_end > bar || self->msix_table < least || self->msix_table % 8 != 0) {
        return "pci.msix-table";
    }
    *why = apart ? "the pending bits must lie in BAR4, at a multiple of 8"
                 : "the pending bits must lie in BAR0, behind the registers, at a multiple of 8";
    if (pba_end > bar || self->msix_pba < least || self->msix_pba % 8 != 0) {
        return "pci.msix-pba";
    }
    *why = "table and pending bits overlap";
    return self->msix_pba < table_end && self->msix_table < pba_end ? "pci.msix-pba" : NULL;
}

/* A capability must lie in its part of config space and over no other. */
static const char *check_capabilities(const PcieIdentity *self, const char **why)
{
    struct {
        const char *key;
        uint64_t offset, bytes, from, to;
    } caps[] = {
        {"pci.pm-offset", self->pm_offset, PM_BYTES, CONFIG_HEADER_BYTES, CONFIG_SPACE_BYTES},
        {"pci.msi-offset", self->msi_vectors != 0 ? self->msi_offset : 0,
         self->msi_masks ? MSI_MASKED_BYTES : MSI_BYTES, CONFIG_HEADER_BYTES, CONFIG_SPACE_BYTES},
        {"pci.msix-offset", self->msix_offset, MSIX_BYTES, CONFIG_HEADER_BYTES, CONFIG_SPACE_BYTES},
        {"pci.pcie-offset", self->pcie_offset, PCIE_BYTES, CONFIG_HEADER_BYTES, CONFIG_SPACE_BYTES},
        {"pci.aer-offset", self->aer_offset, AER_BYTES, CONFIG_SPACE_BYTES, CONFIG_EXTENDED_BYTES},
        {"pci.serial-offset", self->serial_offset, SERIAL_BYTES, CONFIG_SPACE_BYTES,
         CONFIG_EXTENDED_BYTES},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(caps); i++) {
        if (caps[i].offset == 0) {
            continue;
        }
        *why = caps[i].to == CONFIG_SPACE_BYTES
                   ? "the capability must lie between 64 and 256, at a multiple of 4"
                   : "the capability must lie between 256 and 4096, at a multiple of 4";
        if (caps[i].offset < caps[i].from || caps[i].offset + caps[i].bytes > caps[i].to ||
            caps[i].offset % 4 != 0) {
            return caps[i].key;
        }
        *why = "the capability lies over another one";
        for (unsigned k = 0; k < i; k++) {
            if (caps[k].offset != 0 && caps[k].offset < caps[i].offset + caps[i].bytes &&
                caps[i].offset < caps[k].offset + caps[k].bytes) {
                return caps[i].key;
            }
        }
    }
    /* Guests follow the list from 256 on. */
    *why = "the first extended capability must lie at 256";
    if (self->aer_offset != 0 && self->aer_offset != CONFIG_SPACE_BYTES) {
        return "pci.aer-offset";
    }
    return self->aer_offset == 0 && self->serial_offset != 0 &&
                   self->serial_offset != CONFIG_SPACE_BYTES
               ? "pci.serial-offset"
               : NULL;
}

const char *pcie_identity_check(PcieIdentity *self, const char *id, const char *subsystem,
                                const char **why)
{
    const char *key;

    *why = "write vendor:device, four hex digits each, as in 8086:10fb";
    if (!parse_id(id, &self->vendor_id, &self->device_id)) {
        return "pci.id";
    }
    if (!parse_id(subsystem, &self->subsystem_vendor_id, &self->subsystem_id)) {
        return "pci.subsystem";
    }
    key = check_sizes(self, why);
    if (key == NULL) {
        key = check_msix(self, why);
    }
    return key != NULL ? key : check_capabilities(self, why);
}

PcieFunctionParams pcie_identity_function(const PcieIdentity *self)
{
    return (PcieFunctionParams){.generation = self->generation,
                                .lanes = self->lanes,
                                .max_payload = self->max_payload,
                                .tags = self->tags,
                                .partial_line_ps = self->partial_line_ps};
}
