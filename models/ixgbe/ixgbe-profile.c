/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of an 82599 profile's parameters, and the reader. */
#include "ixgbe/ixgbe-profile-fields.h"
#include "ixgbe/ixgbe-regs.h"
#include "ixgbe/ixgbe-spec.h"
#include <string.h>

enum { REGISTERS_BYTES = IXGBE_BAR0_DWORDS * 4 };

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

/* Linux counts on MSI-X at 70h and on PCI Express at A0h. */
#define PCIE_TEXT(key, field, meaning) STR("pci", key, field, NULL, meaning),
#define PCIE_COUNT(key, field, least, most, dflt, meaning)                                         \
    COUNT("pci", key, pci.field, least, most, dflt, meaning),
#define PCIE_BYTES(key, field, least, most, dflt, meaning)                                         \
    BYTES("pci", key, pci.field, least, most, dflt, meaning),
#define PCIE_DEFAULT_revision NULL
#define PCIE_DEFAULT_bar0_bytes "512KiB"
#define PCIE_DEFAULT_io_bar_bytes "32B"
#define PCIE_DEFAULT_msix_bar_bytes "16KiB"
#define PCIE_DEFAULT_msix_vectors "64"
#define PCIE_DEFAULT_msix_table "0"
#define PCIE_DEFAULT_msix_pba "8192"
#define PCIE_DEFAULT_pm_offset "64"
#define PCIE_DEFAULT_msi_offset "80"
#define PCIE_DEFAULT_msix_offset "112"
#define PCIE_DEFAULT_pcie_offset "160"
#define PCIE_DEFAULT_aer_offset "256"
#define PCIE_DEFAULT_serial_offset "320"
#define PCIE_DEFAULT_max_payload "512B"
#define PCIE_DEFAULT_generation "2"
#define PCIE_DEFAULT_lanes "8"
#define PCIE_DEFAULT_tags NULL

static const SimParam params[] = {
    STR("profile", "name", name, NULL, "name of the profile"),
    STR("profile", "source", source, NULL, "where the values come from"),

#include "pcie/pcie-identity.def"

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
    COUNT("engine", "tx-fetches", tx_fetches, 1, 128, NULL,
          "descriptor reads of all queues that are under way at once"),
    COUNT("engine", "tx-contexts", tx_contexts, 1, 256, NULL,
          "requests for data under way at which no further packet is begun"),
    TIME("engine", "tx-decide", tx_decide_ps, SIM_MS, NULL,
         "doorbell's arrival to the descriptor read"),
    TIME("engine", "partial-line", partial_line_ps, SIM_MS, NULL,
         "time of the machine's memory for each cache line that is written in part"),
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

/* What the ranges of single keys cannot say: NULL, or the key and why. */
static const char *find_fault(IxgbeProfile *self, const char **why)
{
    self->pci.msi_vectors = self->pci.msi_offset != 0; /* the part has one */
    self->pci.msi_masks = true;
    self->pci.completion_timeout = true;
    self->pci.registers_bytes = REGISTERS_BYTES;
    *why = "is more than tx-cache, the descriptors that the chip holds";
    if (self->tx_fetch_least > self->tx_cache) {
        return "tx-fetch-least";
    }
    *why = "an 82599 has at most 64";
    if (self->pci.msix_vectors > IXGBE_VECTORS) {
        return "pci.msix-vectors";
    }
    *why = "must hold the registers, 128KiB";
    if (self->pci.bar0_bytes < REGISTERS_BYTES) {
        return "pci.bar0";
    }
    return pcie_identity_check(&self->pci, self->pci_id, self->pci_subsystem, why);
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
        sim_params_fault(params, G_N_ELEMENTS(params), file, key, why, error);
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

void ixgbe_profile_pci(const IxgbeProfile *self, PcieIdentity *identity)
{
    *identity = self->pci;
    identity->partial_line_ps = self->partial_line_ps;
}
