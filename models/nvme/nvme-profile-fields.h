/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a profile: for models/nvme alone.  Keys, ranges and meanings are in nvme-profile.c.
 */
#pragma once
#include "nvme/nvme-profile.h"

enum { NVME_POWER_STATES = 8, NVME_FORMATS = 16 };

typedef enum { NVME_GRANT_MAXIMUM, NVME_GRANT_REQUESTED } NvmeGrant;
typedef enum { NVME_ANSWER_REFUSE, NVME_ANSWER_ACCEPT } NvmeAnswer;
typedef enum { NVME_FATAL_IGNORE, NVME_FATAL_CFS } NvmeFatal;
typedef enum { NVME_VERSION_1_0, NVME_VERSION_1_1 } NvmeVersion;

typedef struct NvmePowerRow {
    uint32_t power; /* units of 0.1 mW */
    uint32_t enlat_us, exlat_us;
    uint8_t relative;
    bool operational;
} NvmePowerRow;

typedef struct NvmeFormatRow {
    uint8_t lba_shift;
    uint16_t metadata_bytes;
    uint8_t relative_performance;
} NvmeFormatRow;

struct NvmeProfile {
    int references;
    GHashTable *sources; /* key → text */

    char *name, *source;
    /* PCI */
    char *pci_id, *pci_subsystem;
    PcieIdentity pci;
    /* capabilities */
    uint64_t version, queue_entries, queues_contiguous, timeout_ps;
    uint64_t page_min_bytes, page_max_bytes;
    uint64_t io_queues;
    /* Identify */
    char *serial, *model, *firmware, *ieee, *eui64;
    uint64_t rab, cmic, mdts, cntlid, oacs, acl, aerl, frmw, lpa, elpe, avscc, apsta, wctemp,
        cctemp;
    uint64_t oncs, fuses, fna, vwc, awun, awupf, nvscc, acwu, vs3;
    char *power[NVME_POWER_STATES];
    uint64_t capacity_bytes;
    char *formats;
    uint64_t nsfeat, mc, dpc, dps;
    /* SMART */
    uint64_t smart_temperature, smart_spare, smart_used, smart_power_cycles, smart_hours,
        smart_unsafe;
    /* behaviour */
    uint64_t grant, ffff_status, set_after_create, cns2, cns_mask;
    uint64_t error_more, error_dnr, queue_memory, abort_effective;
    uint64_t opal_protocols;
    /* life */
    uint64_t ready_power_on_ps, ready_enable_ps, ready_disable_ps, shutdown_ps;
    /* pipeline */
    uint64_t doorbell_to_fetch_ps, fetch_burst, fetch_ahead_ps, decode_ps, commands_max;
    uint64_t arbitration_burst;
    uint64_t admin_identify_ps, admin_queue_ps, admin_feature_ps, admin_log_ps, admin_other_ps,
        admin_format_ps;
    /* media */
    uint64_t units, read_ps, stripe_bytes, unit_bandwidth, page_register;
    uint64_t command_interval_ps, bandwidth;
    uint64_t unmapped_read_ps, unmapped_interval_ps;
    uint64_t write_buffer_bytes, write_accept_ps, write_bandwidth, write_interval_ps, flush_ps;
    uint64_t dsm_ps, dsm_range_ps, write_zeroes_ps, write_uncorrectable_ps;
    SimTable bandwidth_by_size;
    uint64_t quirk_stripe_bytes, quirk_crossing_ps;

    /* worked out from the texts above */
    uint8_t ieee_bytes[3], eui64_bytes[8];
    NvmePowerRow power_rows[NVME_POWER_STATES];
    unsigned power_n;
    NvmeFormatRow format_rows[NVME_FORMATS];
    unsigned formats_n;
};

NvmeProfile *nvme_profile_ref(NvmeProfile *self);
/* Picoseconds that @bytes take at @bytes_per_s, rounded up; rate 0 = no time. */
static inline SimTime nvme_profile_span(uint64_t bytes, uint64_t bytes_per_s)
{
    if (bytes_per_s == 0) {
        return 0;
    }
    if (bytes < UINT64_C(1) << 24 && bytes_per_s < UINT64_C(1) << 60) { /* 64 bits hold it */
        return (bytes * SIM_S + bytes_per_s - 1) / bytes_per_s;
    }
    return (SimTime)(((unsigned __int128)bytes * SIM_S + bytes_per_s - 1) / bytes_per_s);
}
