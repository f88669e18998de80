/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile of a drive: the table of keys, and the few values that have a syntax of their own. */
#include "nvme/nvme-profile-fields.h"
#include "nvme/nvme-regs.h"
#include <stdbool.h>
#include <string.h>

enum { PROG_IF_NVM_EXPRESS = 2 };

#define FIELD_OF(field) offsetof(NvmeProfile, field)
#define STR(grp, k, field, dflt, text)                                                             \
    {                                                                                              \
        .key = k, .group = grp, .kind = SIM_PARAM_STRING, .offset = FIELD_OF(field),               \
        .fallback = dflt, .meaning = text                                                          \
    }
#define NUM(grp, k, field, u, lo, hi, dflt, text)                                                  \
    {                                                                                              \
        .key = k, .group = grp, .kind = SIM_PARAM_U64, .unit = u, .offset = FIELD_OF(field),       \
        .least = lo, .most = hi, .fallback = dflt, .meaning = text                                 \
    }
#define COUNT(grp, k, field, lo, hi, dflt, text)                                                   \
    NUM(grp, k, field, SIM_UNIT_NONE, lo, hi, dflt, text)
#define BYTES(grp, k, field, lo, hi, dflt, text)                                                   \
    NUM(grp, k, field, SIM_UNIT_BYTES, lo, hi, dflt, text)
#define TIME(grp, k, field, hi, dflt, text) NUM(grp, k, field, SIM_UNIT_TIME, 0, hi, dflt, text)
#define RATE(grp, k, field, text)                                                                  \
    NUM(grp, k, field, SIM_UNIT_RATE, 0, UINT64_C(1000000000000), "0MB/s", text)
#define FLAG(grp, k, field, dflt, text)                                                            \
    {                                                                                              \
        .key = k, .group = grp, .kind = SIM_PARAM_BOOL, .offset = FIELD_OF(field), .most = 1,      \
        .fallback = dflt, .meaning = text                                                          \
    }
#define WORD(grp, k, field, list, dflt, text)                                                      \
    {                                                                                              \
        .key = k, .group = grp, .kind = SIM_PARAM_ENUM, .offset = FIELD_OF(field), .words = list,  \
        .fallback = dflt, .meaning = text                                                          \
    }

static const char *const grant_words[] = {"maximum", "requested", NULL};
static const char *const answer_words[] = {"refuse", "accept", NULL};
static const char *const fatal_words[] = {"ignore", "cfs", NULL};
static const char *const version_words[] = {"1.0", "1.1", NULL};

#define PCIE_TEXT(k, field, text) STR("pci", k, field, NULL, text),
#define PCIE_COUNT(k, field, lo, hi, dflt, text) COUNT("pci", k, pci.field, lo, hi, dflt, text),
#define PCIE_BYTES(k, field, lo, hi, dflt, text) BYTES("pci", k, pci.field, lo, hi, dflt, text),
#define PCIE_DEFAULT_revision "1"
#define PCIE_DEFAULT_bar0_bytes "16KiB"
#define PCIE_DEFAULT_io_bar_bytes "0B"
#define PCIE_DEFAULT_msix_vectors NULL
#define PCIE_DEFAULT_msix_table NULL
#define PCIE_DEFAULT_msix_pba NULL
#define PCIE_DEFAULT_msi_vectors "0"
#define PCIE_DEFAULT_pm_offset "64"
#define PCIE_DEFAULT_msi_offset "0"
#define PCIE_DEFAULT_msix_offset "80"
#define PCIE_DEFAULT_pcie_offset "96"
#define PCIE_DEFAULT_aer_offset "256"
#define PCIE_DEFAULT_serial_offset "0"
#define PCIE_DEFAULT_max_payload "128B"
#define PCIE_DEFAULT_generation "3"
#define PCIE_DEFAULT_lanes "4"
#define PCIE_DEFAULT_tags "32"

static const SimParam params[] = {
    STR("profile", "name", name, NULL, "name of the profile, as scenarios write it"),
    STR("profile", "source", source, NULL, "where the values as a whole come from"),

#include "pcie/pcie-identity.def"

    WORD("capabilities", "version", version, version_words, NULL,
         "specification that the drive follows"),
    COUNT("capabilities", "queue-entries", queue_entries, 2, 65536, NULL,
          "largest I/O queue, entries (CAP.MQES + 1)"),
    FLAG("capabilities", "queues.contiguous", queues_contiguous, "yes",
         "CAP.CQR: queues must be contiguous"),
    NUM("capabilities", "timeout", timeout_ps, SIM_UNIT_TIME, 500 * SIM_MS, 127 * SIM_S, NULL,
        "CAP.TO, in steps of 500 ms"),
    BYTES("capabilities", "page-min", page_min_bytes, 4096, 1 << 27, "4KiB",
          "smallest memory page (CAP.MPSMIN)"),
    BYTES("capabilities", "page-max", page_max_bytes, 4096, 1 << 27, "4KiB",
          "largest memory page (CAP.MPSMAX)"),
    COUNT("capabilities", "io-queues", io_queues, 1, 1023, NULL,
          "I/O queue pairs that the drive has"),

    STR("identify", "identify.serial", serial, NULL, "serial number, 1 to 20 characters"),
    STR("identify", "identify.model", model, NULL, "model number, 1 to 40 characters"),
    STR("identify", "identify.firmware", firmware, NULL, "firmware revision, 1 to 8 characters"),
    STR("identify", "identify.ieee", ieee, "000000", "IEEE OUI, six hex digits"),
    STR("identify", "identify.eui64", eui64, "0000000000000000",
        "EUI64 of namespace 1, sixteen hex digits; zeros = none"),
    COUNT("identify", "identify.rab", rab, 0, 255, "0", "Recommended Arbitration Burst"),
    COUNT("identify", "identify.cmic", cmic, 0, 255, "0", "multi-interface capabilities"),
    COUNT("identify", "identify.mdts", mdts, 1, 9, NULL,
          "Maximum Data Transfer Size: page-min << n, at most 2 MiB"),
    COUNT("identify", "identify.cntlid", cntlid, 0, 65535, "0", "controller id"),
    COUNT("identify", "identify.oacs", oacs, 0, 7, "0",
          "optional admin commands: 1 security, 2 format, 4 firmware"),
    COUNT("identify", "identify.acl", acl, 0, 255, "3", "Abort Command Limit, 0's based"),
    COUNT("identify", "identify.aerl", aerl, 0, 255, "3", "Async Event Request Limit, 0's based"),
    COUNT("identify", "identify.frmw", frmw, 0, 31, "2",
          "firmware slots: bit 0 slot 1 read only, 3:1 number"),
    COUNT("identify", "identify.lpa", lpa, 0, 3, "0",
          "log pages: 1 SMART per namespace, 2 command effects"),
    COUNT("identify", "identify.elpe", elpe, 0, 255, "63", "Error Log Page Entries, 0's based"),
    COUNT("identify", "identify.avscc", avscc, 0, 1, "0",
          "vendor commands use the standard format"),
    COUNT("identify", "identify.apsta", apsta, 0, 1, "0", "autonomous power state transitions"),
    COUNT("identify", "identify.wctemp", wctemp, 0, 65535, "0", "warning temperature, kelvin"),
    COUNT("identify", "identify.cctemp", cctemp, 0, 65535, "0", "critical temperature, kelvin"),
    COUNT("identify", "identify.oncs", oncs, 0, 31, "0",
          "optional I/O commands: 1 compare, 2 write uncorrectable, 4 DSM, 8 write zeroes, 16 "
          "save/select"),
    COUNT("identify", "identify.fuses", fuses, 0, 1, "0",
          "fused operations (named, not carried out)"),
    COUNT("identify", "identify.fna", fna, 0, 7, "0",
          "format attributes; bit 2: cryptographic erase"),
    COUNT("identify", "identify.vwc", vwc, 0, 1, "0", "volatile write cache present"),
    COUNT("identify", "identify.awun", awun, 0, 65535, "0", "Atomic Write Unit Normal, 0's based"),
    COUNT("identify", "identify.awupf", awupf, 0, 65535, "0",
          "Atomic Write Unit Power Fail, 0's based"),
    COUNT("identify", "identify.nvscc", nvscc, 0, 1, "0",
          "vendor I/O commands use the standard format"),
    COUNT("identify", "identify.acwu", acwu, 0, 65535, "0", "Atomic Compare and Write Unit"),
    COUNT("identify", "identify.vs3", vs3, 0, 16, "0", "vendor byte 3: Intel's stripe, 4 KiB << n"),
#define POWER(n, dflt)                                                                             \
    STR("identify", "power." #n, power[n], dflt,                                                   \
        "power state: WATTS ENTRY EXIT RELATIVE operational|non-operational; empty = none")
    POWER(0, "25.00W 0us 0us 0 operational"),
    POWER(1, ""),
    POWER(2, ""),
    POWER(3, ""),
    POWER(4, ""),
    POWER(5, ""),
    POWER(6, ""),
    POWER(7, ""),
#undef POWER
    BYTES("identify", "namespace.capacity", capacity_bytes, 1 << 20, UINT64_C(1) << 50, NULL,
          "size of namespace 1"),
    STR("identify", "namespace.formats", formats, "512+0:0",
        "LBA formats DATA+METADATA:RELATIVE, separated by ';'"),
    COUNT("identify", "namespace.nsfeat", nsfeat, 0, 255, "0", "namespace features"),
    COUNT("identify", "namespace.mc", mc, 0, 3, "0", "metadata capabilities"),
    COUNT("identify", "namespace.dpc", dpc, 0, 31, "0", "data protection capabilities"),
    COUNT("identify", "namespace.dps", dps, 0, 15, "0", "data protection settings"),

    COUNT("identify", "smart.temperature", smart_temperature, 0, 65535, "310",
          "temperature, kelvin"),
    COUNT("identify", "smart.spare", smart_spare, 0, 100, "100", "available spare, percent"),
    COUNT("identify", "smart.used", smart_used, 0, 255, "0", "percentage used"),
    COUNT("identify", "smart.power-cycles", smart_power_cycles, 0, INT64_MAX, "1",
          "power cycles at the start"),
    COUNT("identify", "smart.power-on-hours", smart_hours, 0, INT64_MAX, "0",
          "power-on hours at the start"),
    COUNT("identify", "smart.unsafe-shutdowns", smart_unsafe, 0, INT64_MAX, "0",
          "unsafe shutdowns at the start"),

    WORD("behaviour", "queues.grant", grant, grant_words, "maximum", "answer to Set Features 07h"),
    COUNT("behaviour", "queues.ffff-status", ffff_status, 0, 2047, "2",
          "status for Set Features 07h with FFFFh, SCT and SC"),
    WORD("behaviour", "queues.set-after-create", set_after_create, answer_words, "accept",
         "Set Features 07h while I/O queues exist: accept, or refuse with 0Ch"),
    WORD("behaviour", "identify.cns2", cns2, answer_words, "refuse",
         "Identify CNS 2 (active namespaces)"),
    COUNT("behaviour", "identify.cns-mask", cns_mask, 1, 255, "255",
          "bits of CNS that the drive decodes"),
    FLAG("behaviour", "error.more", error_more, "no",
         "More bit of a status that has an error log entry"),
    FLAG("behaviour", "error.dnr", error_dnr, "yes",
         "Do Not Retry bit of errors that cannot go away"),
    WORD("behaviour", "error.queue-memory", queue_memory, fatal_words, "cfs",
         "bus error on a queue: CSTS.CFS, or nothing"),
    FLAG("behaviour", "abort.effective", abort_effective, "yes",
         "Abort finds commands that wait for the media"),
    FLAG("behaviour", "security.list", opal_protocols, "yes",
         "Security Receive protocol 00h lists protocols"),

    TIME("life", "ready.power-on", ready_power_on_ps, 127 * SIM_S, "0s",
         "CC.EN=1 to CSTS.RDY=1, first time after power-on"),
    TIME("life", "ready.enable", ready_enable_ps, 127 * SIM_S, "0s", "CC.EN=1 to CSTS.RDY=1"),
    TIME("life", "ready.disable", ready_disable_ps, 127 * SIM_S, "0s", "CC.EN=0 to CSTS.RDY=0"),
    TIME("life", "shutdown.time", shutdown_ps, 127 * SIM_S, "0s", "CC.SHN to CSTS.SHST=2"),

    TIME("timing", "doorbell-to-fetch", doorbell_to_fetch_ps, SIM_MS, "0s",
         "tail doorbell's arrival to the SQE fetch leaving"),
    COUNT("timing", "fetch-burst", fetch_burst, 1, 64, "1",
          "submission entries fetched by one read"),
    TIME("timing", "fetch-ahead", fetch_ahead_ps, SIM_S, "0s",
         "fetching stops while the decoder is this far behind; 0 = never"),
    TIME("timing", "decode", decode_ps, SIM_MS, "0s", "decoding one command; one at a time"),
    COUNT("timing", "commands", commands_max, 1, 65536, "1024",
          "I/O commands that the controller holds at once"),
    COUNT("timing", "arbitration-burst", arbitration_burst, 0, 7, "0",
          "default of feature 01h: 2^n commands a turn, 7 = no limit"),
    TIME("timing", "admin.identify", admin_identify_ps, SIM_S, "0s",
         "time of Identify; admin commands run one at a time"),
    TIME("timing", "admin.queue", admin_queue_ps, SIM_S, "0s", "time of Create and Delete Queue"),
    TIME("timing", "admin.feature", admin_feature_ps, SIM_S, "0s", "time of Set and Get Features"),
    TIME("timing", "admin.log", admin_log_ps, SIM_S, "0s", "time of Get Log Page"),
    TIME("timing", "admin.other", admin_other_ps, SIM_S, "0s", "time of every other admin command"),
    TIME("timing", "admin.format", admin_format_ps, 3600 * SIM_S, "0s", "time of Format NVM"),

    COUNT("media", "media.units", units, 0, 4096, "0",
          "flash units that work independently; 0 = no flash time"),
    TIME("media", "media.read", read_ps, SIM_S, "0s", "array time of one read"),
    BYTES("media", "media.stripe", stripe_bytes, 512, 1 << 30, "4KiB",
          "bytes of a unit before the next unit's"),
    RATE("media", "media.unit-bandwidth", unit_bandwidth, "transfer out of one unit; 0 = no time"),
    FLAG("media", "media.page-register", page_register, "no",
         "a unit keeps the stripe it read last: reading it again takes no array time"),
    TIME("media", "media.command-interval", command_interval_ps, SIM_S, "0s",
         "least time between two reads of mapped blocks"),
    RATE("media", "media.bandwidth", bandwidth,
         "data path of the whole drive for mapped reads; 0 = no limit"),
    TIME("media", "media.unmapped-read", unmapped_read_ps, SIM_S, "0s",
         "read of blocks that were never written"),
    TIME("media", "media.unmapped-interval", unmapped_interval_ps, SIM_S, "0s",
         "least time between two of those"),
    BYTES("media", "media.write-buffer", write_buffer_bytes, 0, UINT64_C(1) << 36, "0B",
          "write buffer; 0 = a write waits for the flash"),
    TIME("media", "media.write-accept", write_accept_ps, SIM_S, "0s",
         "time to take a write into the buffer"),
    RATE("media", "media.write-bandwidth", write_bandwidth, "buffer to flash; 0 = no time"),
    TIME("media", "media.write-interval", write_interval_ps, SIM_S, "0s",
         "least time between two writes leaving the buffer"),
    TIME("media", "media.flush", flush_ps, SIM_S, "0s",
         "Flush, beside waiting for a volatile buffer to drain"),
    TIME("media", "media.dsm", dsm_ps, SIM_S, "0s", "Dataset Management"),
    TIME("media", "media.dsm-range", dsm_range_ps, SIM_S, "0s", "each of its ranges"),
    TIME("media", "media.write-zeroes", write_zeroes_ps, SIM_S, "0s", "Write Zeroes"),
    TIME("media", "media.write-uncorrectable", write_uncorrectable_ps, SIM_S, "0s",
         "Write Uncorrectable"),

    {.key = "quirk.bandwidth-by-size",
     .group = "quirk",
     .kind = SIM_PARAM_TABLE,
     .unit = SIM_UNIT_RATE,
     .offset = FIELD_OF(bandwidth_by_size),
     .least = 1,
     .most = UINT64_C(1000000000000),
     .fallback = "",
     .meaning = "a read of this size or more holds the whole drive for its bytes at this rate; "
                "empty = off"},
    BYTES("quirk", "quirk.stripe-size", quirk_stripe_bytes, 0, 1 << 30, "0B",
          "boundary in LBA space that is slow to cross; 0 = off"),
    TIME("quirk", "quirk.stripe-crossing-penalty", quirk_crossing_ps, SIM_S, "0s",
         "added to a read or write that crosses it"),
};

const SimParam *nvme_profile_params(size_t *n)
{
    *n = G_N_ELEMENTS(params);
    return params;
}

NvmeProfile *nvme_profile_ref(NvmeProfile *self)
{
    self->references++;
    return self;
}

void nvme_profile_free(NvmeProfile *self)
{
    if (self == NULL || --self->references > 0) {
        return;
    }
    sim_params_clear(self, params, G_N_ELEMENTS(params));
    g_hash_table_unref(self->sources);
    g_free(self);
}

static bool parse_hex(const char *text, unsigned digits, uint8_t *bytes)
{
    if (strlen(text) != digits) {
        return false;
    }
    for (unsigned i = 0; i < digits; i++) {
        int value = g_ascii_xdigit_value(text[i]);
        if (value < 0) {
            return false;
        }
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | value);
    }
    return true;
}

static bool parse_number(const char *text, uint64_t most, uint64_t *value)
{
    return text[0] != '\0' && g_ascii_string_to_unsigned(text, 10, 0, most, value, NULL);
}

/* "9.00W" in units of 0.1 mW: at most four decimals. */
static bool parse_watts(const char *text, uint32_t *power)
{
    size_t length = strlen(text);

    if (length < 2 || text[length - 1] != 'W') {
        return false;
    }
    g_autofree char *number = g_strndup(text, length - 1);
    char *point = strchr(number, '.');
    uint64_t whole, fraction = 0;
    if (point != NULL) {
        *point = '\0';
        size_t digits = strlen(point + 1);
        if (digits > 4 || !parse_number(point + 1, 9999, &fraction)) {
            return false;
        }
        for (; digits < 4; digits++) {
            fraction *= 10;
        }
    }
    if (!parse_number(number, 655, &whole)) {
        return false;
    }
    *power = (uint32_t)(whole * 10000 + fraction);
    return true;
}

static bool parse_power(const char *text, NvmePowerRow *row)
{
    g_auto(GStrv) words = g_strsplit_set(text, " ", -1);
    uint64_t entry, leave, relative;

    if (g_strv_length(words) != 5 || !parse_watts(words[0], &row->power)) {
        return false;
    }
    if (!sim_value_parse(words[1], SIM_UNIT_TIME, &entry, NULL) ||
        !sim_value_parse(words[2], SIM_UNIT_TIME, &leave, NULL) || entry > 100 * SIM_S ||
        leave > 100 * SIM_S || !parse_number(words[3], 31, &relative)) {
        return false;
    }
    row->enlat_us = (uint32_t)(entry / SIM_US);
    row->exlat_us = (uint32_t)(leave / SIM_US);
    row->relative = (uint8_t)relative;
    row->operational = g_str_equal(words[4], "operational");
    return row->operational || g_str_equal(words[4], "non-operational");
}

/* "512+8:2" */
static bool parse_format(const char *text, NvmeFormatRow *row)
{
    g_auto(GStrv) words = g_strsplit_set(text, "+:", -1);
    uint64_t data, metadata, relative;

    if (g_strv_length(words) != 3 || !parse_number(words[0], 4096, &data) ||
        !parse_number(words[1], 65535, &metadata) || !parse_number(words[2], 3, &relative) ||
        data < 512 || (data & (data - 1)) != 0) {
        return false;
    }
    for (row->lba_shift = 9; (UINT64_C(1) << row->lba_shift) < data; row->lba_shift++) {
    }
    row->metadata_bytes = (uint16_t)metadata;
    row->relative_performance = (uint8_t)relative;
    return true;
}

static bool parse_formats(NvmeProfile *self)
{
    g_auto(GStrv) rows = g_strsplit(self->formats, ";", -1);

    for (unsigned i = 0; rows[i] != NULL; i++) {
        if (i == NVME_FORMATS || !parse_format(g_strstrip(rows[i]), &self->format_rows[i])) {
            return false;
        }
        self->formats_n = i + 1;
    }
    /* The namespace starts out in format 0, which must be one that the model can serve. */
    return self->formats_n > 0 && self->format_rows[0].metadata_bytes == 0;
}

/* NULL, or the key of the state that cannot be read. */
static const char *parse_power_states(NvmeProfile *self)
{
    static const char *const keys[NVME_POWER_STATES] = {"power.0", "power.1", "power.2", "power.3",
                                                        "power.4", "power.5", "power.6", "power.7"};

    for (unsigned i = 0; i < NVME_POWER_STATES && self->power[i][0] != '\0'; i++) {
        if (!parse_power(self->power[i], &self->power_rows[i])) {
            return keys[i];
        }
        self->power_n = i + 1;
    }
    return self->power_n > 0 ? NULL : keys[0];
}

static bool text_fits(const char *text, size_t most)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e) {
            return false;
        }
    }
    return length >= 1 && length <= most;
}

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* What the ranges of single keys cannot say: NULL, or the key and why. */
static const char *find_fault(NvmeProfile *self, const char **why)
{
    const char *key;

    *why = "must have 1 to 20 ASCII characters";
    if (!text_fits(self->serial, 20)) {
        return "identify.serial";
    }
    *why = "must have 1 to 40 ASCII characters";
    if (!text_fits(self->model, 40)) {
        return "identify.model";
    }
    *why = "must have 1 to 8 ASCII characters";
    if (!text_fits(self->firmware, 8)) {
        return "identify.firmware";
    }
    *why = "must be six hex digits";
    if (!parse_hex(self->ieee, 6, self->ieee_bytes)) {
        return "identify.ieee";
    }
    *why = "must be sixteen hex digits";
    if (!parse_hex(self->eui64, 16, self->eui64_bytes)) {
        return "identify.eui64";
    }
    *why = "write as in `9.00W 5us 5us 0 operational`; power.0 must be there";
    key = parse_power_states(self);
    if (key != NULL) {
        return key;
    }
    *why = "write as in `512+0:2; 4096+0:0`; the first has no metadata";
    if (!parse_formats(self)) {
        return "namespace.formats";
    }
    *why = "must be a multiple of 4KiB";
    if (self->capacity_bytes % 4096 != 0) {
        return "namespace.capacity";
    }
    *why = "page-min and page-max must be powers of two, page-min the smaller";
    if (!is_power_of_two(self->page_min_bytes)) {
        return "page-min";
    }
    if (!is_power_of_two(self->page_max_bytes) || self->page_min_bytes > self->page_max_bytes) {
        return "page-max";
    }
    self->pci.prog_if = PROG_IF_NVM_EXPRESS;
    self->pci.registers_bytes = NVME_DOORBELLS + (self->io_queues + 1) * NVME_DOORBELL_PAIR_BYTES;
    return pcie_identity_check(&self->pci, self->pci_id, self->pci_subsystem, why);
}

NvmeProfile *nvme_profile_read(SimKeyfile *file, GError **error)
{
    g_autoptr(NvmeProfile) self = g_new0(NvmeProfile, 1);
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

NvmeProfile *nvme_profile_load(const char *path, GError **error)
{
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, error);

    return file != NULL ? nvme_profile_read(file, error) : NULL;
}

const char *nvme_profile_name(const NvmeProfile *self)
{
    return self->name;
}

char *nvme_profile_format(const NvmeProfile *self, const SimParam *param)
{
    return sim_param_format(self, param);
}

const char *nvme_profile_source(const NvmeProfile *self, const char *key)
{
    const char *text = g_hash_table_lookup(self->sources, key);
    return text != NULL ? text : "default";
}

void nvme_profile_pci(const NvmeProfile *self, PcieIdentity *identity)
{
    *identity = self->pci;
}
