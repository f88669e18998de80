/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of a profile: for models/ixgbe alone. */
#pragma once
#include "ixgbe/ixgbe-profile.h"

enum { IXGBE_SFP_DA, IXGBE_SFP_SR, IXGBE_SFP_NONE };

struct IxgbeProfile {
    unsigned references;
    GHashTable *sources; /* key → text */
    char *name, *source;

    char *pci_id, *pci_subsystem;
    PcieIdentity pci;

    uint64_t sfp; /* IXGBE_SFP_… */
    uint64_t eeprom_caps, eeprom_firmware, eeprom_pba;

    uint64_t rx_buffer_bytes, rx_fetch_group, rx_lookahead, rx_writeback_most, rx_contexts;
    uint64_t tx_buffer_bytes, tx_cache, tx_fetch_least, tx_fetches, tx_contexts;
    SimTime rx_writeback_hold_ps, rx_decide_ps, tx_decide_ps, partial_line_ps, link_up_ps;

    uint64_t quirk_udp_zero_checksum;
};

IxgbeProfile *ixgbe_profile_ref(IxgbeProfile *self);
