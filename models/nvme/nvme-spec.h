/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest sees in memory: submission and completion entries, Identify data, log pages, and
 * the numbers in them.  Little-endian; field names are the specification's. */
#pragma once
#include <assert.h>
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

static_assert(G_BYTE_ORDER == G_LITTLE_ENDIAN, "structures are used in place");

/* Submission queue entry. [NVMe-1.1 §4.2] */
typedef struct NvmeSqe {
    uint8_t opcode;
    uint8_t flags; /* 1:0 FUSE, 7:6 PSDT */
    uint16_t cid;
    uint32_t nsid;
    uint64_t reserved;
    uint64_t mptr;
    uint64_t prp1, prp2;
    uint32_t cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
} NvmeSqe;
static_assert(sizeof(NvmeSqe) == 64, "[NVMe-1.1 §4.2]");
static_assert(offsetof(NvmeSqe, prp1) == 24 && offsetof(NvmeSqe, cdw10) == 40, "[NVMe-1.1 §4.2]");

/* Completion queue entry. [NVMe-1.1 §4.6] */
typedef struct NvmeCqe {
    uint32_t dw0;
    uint32_t reserved;
    uint16_t sqhd, sqid;
    uint16_t cid;
    uint16_t status; /* bit 0 phase, 15:1 status field */
} NvmeCqe;
static_assert(sizeof(NvmeCqe) == 16, "[NVMe-1.1 §4.6]");
static_assert(offsetof(NvmeCqe, sqhd) == 8 && offsetof(NvmeCqe, status) == 14, "[NVMe-1.1 §4.6]");

enum { NVME_FLAGS_FUSE = 0x03, NVME_FLAGS_PSDT = 0xc0 };

enum NvmeAdminOpcode {
    NVME_ADMIN_DELETE_SQ = 0x00,
    NVME_ADMIN_CREATE_SQ = 0x01,
    NVME_ADMIN_GET_LOG = 0x02,
    NVME_ADMIN_DELETE_CQ = 0x04,
    NVME_ADMIN_CREATE_CQ = 0x05,
    NVME_ADMIN_IDENTIFY = 0x06,
    NVME_ADMIN_ABORT = 0x08,
    NVME_ADMIN_SET_FEATURES = 0x09,
    NVME_ADMIN_GET_FEATURES = 0x0a,
    NVME_ADMIN_ASYNC_EVENT = 0x0c,
    NVME_ADMIN_FIRMWARE_ACTIVATE = 0x10,
    NVME_ADMIN_FIRMWARE_DOWNLOAD = 0x11,
    NVME_ADMIN_FORMAT = 0x80,
    NVME_ADMIN_SECURITY_SEND = 0x81,
    NVME_ADMIN_SECURITY_RECEIVE = 0x82,
};

enum NvmeIoOpcode {
    NVME_IO_FLUSH = 0x00,
    NVME_IO_WRITE = 0x01,
    NVME_IO_READ = 0x02,
    NVME_IO_WRITE_UNCORRECTABLE = 0x04,
    NVME_IO_COMPARE = 0x05,
    NVME_IO_WRITE_ZEROES = 0x08,
    NVME_IO_DSM = 0x09,
};

/* Status field without the phase: SC 7:0, SCT 10:8, More 13, DNR 14. [NVMe-1.1 §4.6.1] */
typedef uint16_t NvmeStatus;
enum {
    NVME_OK = 0x000,
    NVME_INVALID_OPCODE = 0x001,
    NVME_INVALID_FIELD = 0x002,
    NVME_DATA_TRANSFER_ERROR = 0x004,
    NVME_INTERNAL_ERROR = 0x006,
    NVME_ABORT_REQUESTED = 0x007,
    NVME_ABORT_SQ_DELETED = 0x008,
    NVME_INVALID_NAMESPACE = 0x00b,
    NVME_SEQUENCE_ERROR = 0x00c,
    NVME_LBA_RANGE = 0x080,
    NVME_CAPACITY_EXCEEDED = 0x081,
    NVME_CQ_INVALID = 0x100,
    NVME_INVALID_QID = 0x101,
    NVME_QUEUE_SIZE = 0x102,
    NVME_ABORT_LIMIT = 0x103,
    NVME_AER_LIMIT = 0x105,
    NVME_INVALID_FIRMWARE_SLOT = 0x106,
    NVME_INVALID_FIRMWARE_IMAGE = 0x107,
    NVME_INVALID_VECTOR = 0x108,
    NVME_INVALID_LOG_PAGE = 0x109,
    NVME_INVALID_FORMAT = 0x10a,
    NVME_INVALID_QUEUE_DELETION = 0x10c,
    NVME_FEATURE_NOT_SAVEABLE = 0x10d,
    NVME_FEATURE_NOT_CHANGEABLE = 0x10e,
    NVME_WRITE_FAULT = 0x280,
    NVME_UNRECOVERED_READ = 0x281,
    NVME_COMPARE_FAILURE = 0x285,
    NVME_STATUS_CODE = 0x7ff,
    NVME_STATUS_MORE = 0x2000,
    NVME_STATUS_DNR = 0x4000,
};

enum NvmeFeature {
    NVME_FEATURE_ARBITRATION = 0x01,
    NVME_FEATURE_POWER = 0x02,
    NVME_FEATURE_LBA_RANGE = 0x03,
    NVME_FEATURE_TEMPERATURE = 0x04,
    NVME_FEATURE_ERROR_RECOVERY = 0x05,
    NVME_FEATURE_WRITE_CACHE = 0x06,
    NVME_FEATURE_QUEUES = 0x07,
    NVME_FEATURE_COALESCING = 0x08,
    NVME_FEATURE_VECTOR = 0x09,
    NVME_FEATURE_ATOMICITY = 0x0a,
    NVME_FEATURE_ASYNC_EVENT = 0x0b,
    NVME_FEATURE_APST = 0x0c,
    NVME_FEATURES = 0x0d,
};

enum NvmeLog {
    NVME_LOG_ERROR = 0x01,
    NVME_LOG_SMART = 0x02,
    NVME_LOG_FIRMWARE = 0x03,
    NVME_LOG_EFFECTS = 0x05
};
enum NvmeEvent { NVME_EVENT_ERROR = 0, NVME_EVENT_SMART = 1, NVME_EVENT_TYPES = 8 };
enum { NVME_EVENT_INVALID_DOORBELL = 0, NVME_EVENT_INVALID_DOORBELL_VALUE = 1 };
enum { NVME_OACS_SECURITY = 1, NVME_OACS_FORMAT = 2, NVME_OACS_FIRMWARE = 4 };
enum {
    NVME_ONCS_COMPARE = 1,
    NVME_ONCS_WRITE_UNCORRECTABLE = 2,
    NVME_ONCS_DSM = 4,
    NVME_ONCS_WRITE_ZEROES = 8,
    NVME_ONCS_SAVE_SELECT = 16,
};

/* Power state descriptor. [NVMe-1.1 §5.11, figure 84] */
typedef struct NvmePowerState {
    uint16_t mp;
    uint8_t reserved2, flags; /* flags: bit 0 MXPS, bit 1 NOPS */
    uint32_t enlat, exlat;    /* microseconds */
    uint8_t rrt, rrl, rwt, rwl;
    uint8_t reserved16[16];
} NvmePowerState;
static_assert(sizeof(NvmePowerState) == 32, "[NVMe-1.1 §5.11]");

/* Identify Controller. [NVMe-1.1 §5.11, figure 83] */
typedef struct NvmeIdController {
    uint16_t vid, ssvid;
    char sn[20], mn[40], fr[8];
    uint8_t rab, ieee[3], cmic, mdts;
    uint16_t cntlid;
    uint8_t reserved80[176];
    uint16_t oacs;
    uint8_t acl, aerl, frmw, lpa, elpe, npss, avscc, apsta;
    uint16_t wctemp, cctemp;
    uint8_t reserved270[242];
    uint8_t sqes, cqes;
    uint16_t maxcmd;
    uint32_t nn;
    uint16_t oncs, fuses;
    uint8_t fna, vwc;
    uint16_t awun, awupf;
    uint8_t nvscc, reserved531;
    uint16_t acwu;
    uint8_t reserved534[2];
    uint32_t sgls;
    uint8_t reserved540[1508];
    NvmePowerState psd[32];
    uint8_t vendor[1024];
} NvmeIdController;
static_assert(sizeof(NvmeIdController) == 4096, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, cntlid) == 78, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, oacs) == 256, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, cctemp) == 268, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, sqes) == 512, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, vwc) == 525, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, sgls) == 536, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdController, psd) == 2048, "[NVMe-1.1 §5.11]");

/* Identify Namespace. [NVMe-1.1 §5.11, figure 85] */
typedef struct NvmeIdNamespace {
    uint64_t nsze, ncap, nuse;
    uint8_t nsfeat, nlbaf, flbas, mc, dpc, dps, nmic, rescap;
    uint8_t reserved32[88];
    uint8_t eui64[8];
    uint32_t lbaf[16]; /* MS 15:0, LBADS 23:16, RP 25:24 */
    uint8_t reserved192[3904];
} NvmeIdNamespace;
static_assert(sizeof(NvmeIdNamespace) == 4096, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdNamespace, eui64) == 120, "[NVMe-1.1 §5.11]");
static_assert(offsetof(NvmeIdNamespace, lbaf) == 128, "[NVMe-1.1 §5.11]");

/* Error Information log entry. [NVMe-1.1 §5.10.1.1] */
typedef struct NvmeErrorEntry {
    uint64_t count;
    uint16_t sqid, cid, status, location; /* status: with the phase bit */
    uint64_t lba;
    uint32_t nsid;
    uint8_t vendor, reserved29[35];
} NvmeErrorEntry;
static_assert(sizeof(NvmeErrorEntry) == 64, "[NVMe-1.1 §5.10.1.1]");

/* SMART / Health log. [NVMe-1.1 §5.10.1.2] */
typedef struct NvmeSmart {
    uint8_t critical_warning;
    uint8_t temperature[2]; /* kelvin */
    uint8_t available_spare, spare_threshold, percentage_used;
    uint8_t reserved6[26];
    uint64_t units_read[2], units_written[2], reads[2], writes[2]; /* 128-bit counts */
    uint64_t busy_minutes[2], power_cycles[2], power_on_hours[2], unsafe_shutdowns[2];
    uint64_t media_errors[2], error_entries[2];
    uint8_t reserved192[320];
} NvmeSmart;
static_assert(sizeof(NvmeSmart) == 512, "[NVMe-1.1 §5.10.1.2]");
static_assert(offsetof(NvmeSmart, units_read) == 32, "[NVMe-1.1 §5.10.1.2]");

/* One range of Dataset Management. [NVMe-1.1 §6.7] */
typedef struct NvmeDsmRange {
    uint32_t attributes, nlb;
    uint64_t slba;
} NvmeDsmRange;
static_assert(sizeof(NvmeDsmRange) == 16, "[NVMe-1.1 §6.7]");
