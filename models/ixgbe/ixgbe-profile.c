/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of an 82599 profile's parameters, and the reader. */
#include "ixgbe/ixgbe-profile-fields.h"
#include <string.h>

#define FIELD_OF(field) offsetof(IxgbeProfile, field)
#define NUM(group_, key_, field_, unit_, least_, most_, default_, meaning_)                        \
    {                                                                                              \
        .key = key_, .group = group_, .kind = SIM_PARAM_U64, .unit = unit_,                        \
        .offset = FIELD_OF(field_), .least = least_, .most = most_, .fallback = default_,          \
        .meaning = meaning_                                                                        \
    }
#define COUNT(group, key, field, least, most, dflt, meaning)                                       \
    NUM(group, key, field, SIM_UNIT_NONE, least, most, dflt, meaning)
#define BYTES(group, key, field, least, most, dflt, meaning)                                       \
    NUM(group, key, field, SIM_UNIT_BYTES, least, most, dflt, meaning)
#define TIME(group, key, field, most, dflt, meaning)                                               \
    NUM(group, key, field, SIM_UNIT_TIME, 0, most, dflt, meaning)
#define STR(group_, key_, field_, default_, meaning_)                                              \
    {                                                                                              \
        .key = key_, .group = group_, .kind = SIM_PARAM_STRING, .offset = FIELD_OF(field_),        \
        .fallback = default_, .meaning = meaning_                                                  \
    }

static const char *const sfp_words[] = {"da", "sr", "none", NULL};

static const SimParam params[] = {
    STR("profile", "name", name, NULL, "name of the profile"),
    STR("profile", "source", source, NULL, "where the values come from"),

    STR("pci", "pci.id", pci_id, NULL, "vendor:device"),
    STR("pci", "pci.subsystem", pci_subsystem, NULL, "vendor:device of the subsystem"),
    COUNT("pci", "pci.revision", pci_revision, 0, 255, NULL, "revision"),
    BYTES("pci", "pci.bar0", pci_bar0_bytes, 128 << 10, 1 << 20, "512KiB", "registers and flash"),
    BYTES("pci", "pci.msix-bar", pci_msix_bar_bytes, 4096, 1 << 20, "16KiB",
          "BAR4: MSI-X table and pending bits"),
    COUNT("pci", "pci.msix-vectors", pci_msix_vectors, 1, 64, "64", "MSI-X vectors"),
    COUNT("pci", "pci.msix-table", pci_msix_table, 0, 1 << 20, "0", "offset of the table in BAR4"),
    COUNT("pci", "pci.msix-pba", pci_msix_pba, 0, 1 << 20, "8192",
          "offset of the pending bits in BAR4"),
    BYTES("pci", "pci.io-bar", pci_io_bar_bytes, 0, 256, "32B", "BAR2 of type I/O; 0B = none"),
    COUNT("pci", "pci.pm-offset", pci_pm, 0, 255, "64", "config offset; 0 = none"),
    COUNT("pci", "pci.msi-offset", pci_msi, 0, 255, "80", "config offset; 0 = none"),
    COUNT("pci", "pci.msix-offset", pci_msix, 0, 255, "112", "config offset; Linux counts on 0x70"),
    COUNT("pci", "pci.pcie-offset", pci_pcie, 64, 255, "160",
          "config offset; Linux counts on 0xa0"),
    COUNT("pci", "pci.aer-offset", pci_aer, 0, 4095, "256",
          "config offset of error reporting; 0 = none"),
    COUNT("pci", "pci.serial-offset", pci_serial, 0, 4095, "320",
          "config offset of the serial number; 0 = none"),
    BYTES("pci", "pci.max-payload", pci_max_payload, 128, 4096, "512B",
          "Max_Payload_Size Supported"),
    COUNT("pci", "pci.generation", pci_generation, 1, 4, "2",
          "fastest link speed: 1 = 2.5, 2 = 5, 3 = 8, 4 = 16 GT/s"),
    COUNT("pci", "pci.lanes", pci_lanes, 1, 16, "8", "widest link"),
    COUNT("pci", "pci.tags", pci_tags, 1, 1024, NULL, "reads that the card can have outstanding"),

    {.key = "sfp",
     .group = "card",
     .kind = SIM_PARAM_ENUM,
     .offset = FIELD_OF(sfp),
     .fallback = "da",
     .words = sfp_words,
     .meaning = "module in the cage: passive copper cable, 10GBASE-SR optic, or none"},
    COUNT("card", "eeprom.caps", eeprom_caps, 0, 65535, NULL,
          "word 2Ch: bit 0 any module, bit 1 no FCoE, bit 7 no crosstalk fix"),
    COUNT("card", "eeprom.firmware", eeprom_firmware, 0, 65535, NULL,
          "firmware version word; DPDK wants more than 5"),
    COUNT("card", "eeprom.pba", eeprom_pba, 0, UINT32_MAX, NULL,
          "words 15h and 16h, the board's part number"),

    BYTES("engine", "rx-buffer", rx_buffer_bytes, 16 << 10, 1 << 20, NULL,
          "receive packet buffer, shared with the flow director's table"),
    COUNT("engine", "rx-fetch-group", rx_fetch_group, 1, 32, NULL,
          "most descriptors that one read fetches for frames that wait for the same queue"),
    COUNT("engine", "rx-lookahead", rx_lookahead, 1, 8192, NULL,
          "the oldest frames in the buffer, among which those for the same queue are found"),
    COUNT("engine", "rx-writeback-most", rx_writeback_most, 1, 64, NULL,
          "descriptors of a queue that are ready: so many go out at once"),
    TIME("engine", "rx-writeback-hold", rx_writeback_hold_ps, SIM_MS, NULL,
         "longest time that a ready descriptor waits for others of its queue; 0s = it does not"),
    COUNT("engine", "rx-contexts", rx_contexts, 1, 256, NULL,
          "descriptor reads and what follows that are under way at once"),
    TIME("engine", "rx-decide", rx_decide_ps, SIM_MS, NULL,
         "whole frame in the buffer to its descriptor read"),
    BYTES("engine", "tx-buffer", tx_buffer_bytes, 16 << 10, 1 << 20, NULL,
          "transmit packet buffer"),
    COUNT("engine", "tx-cache", tx_cache, 4, 128, NULL, "descriptors of a queue on the chip"),
    COUNT("engine", "tx-fetch-least", tx_fetch_least, 1, 128, NULL,
          "a read ahead waits for room for so many descriptors, if so many are to be read"),
    COUNT("engine", "tx-contexts", tx_contexts, 1, 256, NULL,
          "packets whose data are being read at once"),
    TIME("engine", "tx-decide", tx_decide_ps, SIM_MS, NULL,
         "doorbell's arrival to the descriptor read"),
    TIME("engine", "partial-line", partial_line_ps, SIM_MS, NULL,
         "time that memory takes for each partial cache line written"),
    TIME("engine", "link-up", link_up_ps, 10 * SIM_S, NULL, "light to link"),

    {.key = "quirk.udp-zero-checksum",
     .group = "quirk",
     .kind = SIM_PARAM_BOOL,
     .offset = FIELD_OF(quirk_udp_zero_checksum),
     .fallback = "no",
     .meaning = "erratum 44: a UDP checksum of 0 is reported as an error"},
};

const SimParam *ixgbe_profile_params(size_t *n)
{
    *n = G_N_ELEMENTS(params);
    return params;
}

IxgbeProfile *ixgbe_profile_ref(IxgbeProfile *self)
{
    self->references++;
    return self;
}

void ixgbe_profile_free(IxgbeProfile *self)
{
    if (self == NULL || --self->references > 0) {
        return;
    }
    sim_params_clear(self, params, G_N_ELEMENTS(params));
    g_hash_table_unref(self->sources);
    g_free(self);
}

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

/* What the ranges of single keys cannot say: NULL, or the key and why. */
static const char *find_fault(IxgbeProfile *self, const char **why)
{
    uint64_t bar = self->pci_msix_bar_bytes;

    *why = "write vendor:device as in 8086:10fb";
    if (!parse_id(self->pci_id, &self->vendor_id, &self->device_id)) {
        return "pci.id";
    }
    if (!parse_id(self->pci_subsystem, &self->subsystem_vendor_id, &self->subsystem_id)) {
        return "pci.subsystem";
    }
    *why = "a power of two";
    if (!is_power_of_two(self->pci_bar0_bytes)) {
        return "pci.bar0";
    }
    if (!is_power_of_two(bar)) {
        return "pci.msix-bar";
    }
    if (!is_power_of_two(self->pci_max_payload)) {
        return "pci.max-payload";
    }
    *why = "table and pending bits must lie in BAR4, apart";
    if (self->pci_msix_table + self->pci_msix_vectors * 16 > bar || self->pci_msix_table % 8 != 0) {
        return "pci.msix-table";
    }
    if (self->pci_msix_pba + 8 > bar || self->pci_msix_pba % 8 != 0 ||
        (self->pci_msix_pba + 8 > self->pci_msix_table &&
         self->pci_msix_pba < self->pci_msix_table + self->pci_msix_vectors * 16)) {
        return "pci.msix-pba";
    }
    return NULL;
}

IxgbeProfile *ixgbe_profile_read(SimKeyfile *file, GError **error)
{
    g_autoptr(IxgbeProfile) self = g_new0(IxgbeProfile, 1);
    const char *why, *key;

    self->references = 1;
    self->sources = sim_params_sources(params, G_N_ELEMENTS(params), file);
    if (!sim_params_read(self, params, G_N_ELEMENTS(params), file, error)) {
        return NULL;
    }
    key = find_fault(self, &why);
    if (key != NULL) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE, "%s: %s: %s",
                    sim_keyfile_name(file), key, why);
        return NULL;
    }
    return g_steal_pointer(&self);
}

IxgbeProfile *ixgbe_profile_load(const char *path, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, error);

    return file != NULL ? ixgbe_profile_read(file, error) : NULL;
}

const char *ixgbe_profile_name(const IxgbeProfile *self)
{
    return self->name;
}

char *ixgbe_profile_format(const IxgbeProfile *self, const SimParam *param)
{
    return sim_param_format(self, param);
}

const char *ixgbe_profile_source(const IxgbeProfile *self, const char *key)
{
    const char *text = g_hash_table_lookup(self->sources, key);
    return text != NULL ? text : "default";
}

void ixgbe_profile_pci(const IxgbeProfile *self, IxgbePciIdentity *identity)
{
    *identity = (IxgbePciIdentity){
        .vendor_id = self->vendor_id,
        .device_id = self->device_id,
        .subsystem_vendor_id = self->subsystem_vendor_id,
        .subsystem_id = self->subsystem_id,
        .revision = (uint8_t)self->pci_revision,
        .bar0_bytes = (unsigned)self->pci_bar0_bytes,
        .msix_bar_bytes = (unsigned)self->pci_msix_bar_bytes,
        .msix_vectors = (unsigned)self->pci_msix_vectors,
        .msix_table_offset = (unsigned)self->pci_msix_table,
        .msix_pba_offset = (unsigned)self->pci_msix_pba,
        .io_bar_bytes = (unsigned)self->pci_io_bar_bytes,
        .pm_offset = (unsigned)self->pci_pm,
        .msi_offset = (unsigned)self->pci_msi,
        .msix_offset = (unsigned)self->pci_msix,
        .pcie_offset = (unsigned)self->pci_pcie,
        .aer_offset = (unsigned)self->pci_aer,
        .serial_offset = (unsigned)self->pci_serial,
        .max_payload = (unsigned)self->pci_max_payload,
        .generation = (unsigned)self->pci_generation,
        .lanes = (unsigned)self->pci_lanes,
        .tags = (unsigned)self->pci_tags,
    };
}
