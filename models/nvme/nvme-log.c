/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log pages: errors, SMART, firmware slots, command effects.  [NVMe-1.1 §5.10]
 * Left out: vendor pages (Intel's CAh, C1h, C2h). */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { LOG_MOST = 16384, UNIT_BYTES = 512000 };

static unsigned entries_of(const NvmeModel *self)
{
    return (unsigned)self->profile->elpe + 1;
}

void nvme_model_log_error(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeErrorEntry *entry = &self->error_log[self->error_next];

    self->error_next = (self->error_next + 1) % entries_of(self);
    *entry = (NvmeErrorEntry){
        .count = ++self->errors_logged,
        .sqid = command->sq->qid,
        .cid = command->sqe.cid,
        .status = (uint16_t)(command->status << 1),
        .lba = command->sq->qid != 0 ? command->first_byte >> self->lba_shift : 0,
        .nsid = command->sqe.nsid,
    };
}

/* Newest first. */
static void error_log(const NvmeModel *self, uint8_t *to)
{
    unsigned n = entries_of(self);

    for (unsigned i = 0; i < n; i++) {
        const NvmeErrorEntry *entry = &self->error_log[(self->error_next + n - 1 - i) % n];
        memcpy(to + i * sizeof *entry, entry, sizeof *entry);
    }
}

static uint64_t units(uint64_t bytes)
{
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
}

static void smart_log(const NvmeModel *self, uint8_t *to)
{
    NvmeSmart *smart = (NvmeSmart *)to;
    const NvmeProfile *p = self->profile;
    const uint64_t *counts = self->counts;
    SimTime now = nvme_model_now(self);

    if (p->smart_temperature >= (self->features[NVME_FEATURE_TEMPERATURE] & 0xffff)) {
        smart->critical_warning = 2;
    }
    smart->temperature[0] = (uint8_t)p->smart_temperature;
    smart->temperature[1] = (uint8_t)(p->smart_temperature >> 8);
    smart->available_spare = (uint8_t)p->smart_spare;
    smart->spare_threshold = 10;
    smart->percentage_used = (uint8_t)p->smart_used;
    smart->units_read[0] = units(counts[NVME_DEVICE_read_bytes]);
    smart->units_written[0] = units(counts[NVME_DEVICE_write_bytes]);
    smart->reads[0] = counts[NVME_DEVICE_read_commands];
    smart->writes[0] = counts[NVME_DEVICE_write_commands];
    smart->power_cycles[0] = p->smart_power_cycles;
    smart->power_on_hours[0] = p->smart_hours + now / SIM_S / 3600;
    smart->unsafe_shutdowns[0] = p->smart_unsafe + self->unsafe_shutdowns;
    smart->media_errors[0] = self->media_errors;
    smart->error_entries[0] = self->errors_logged;
}

/* Slot 1 holds and runs the only image. */
static void firmware_log(const NvmeModel *self, uint8_t *to)
{
    size_t length = MIN(strlen(self->profile->firmware), 8);

    to[0] = 1;
    memset(to + 8, ' ', 8);
    memcpy(to + 8, self->profile->firmware, length);
}

/* A dword an opcode: bit 0 supported, bit 1 changes data; admin, then I/O.  [NVMe-1.2 §5.10.1.5] */
static void effects_log(const NvmeModel *self, uint8_t *to)
{
    static const uint8_t always[] = {
        NVME_ADMIN_DELETE_SQ,    NVME_ADMIN_CREATE_SQ,  NVME_ADMIN_GET_LOG, NVME_ADMIN_DELETE_CQ,
        NVME_ADMIN_CREATE_CQ,    NVME_ADMIN_IDENTIFY,   NVME_ADMIN_ABORT,   NVME_ADMIN_SET_FEATURES,
        NVME_ADMIN_GET_FEATURES, NVME_ADMIN_ASYNC_EVENT};
    uint64_t oacs = self->profile->oacs, oncs = self->profile->oncs;
    uint8_t *io = to + 1024;

    for (unsigned i = 0; i < G_N_ELEMENTS(always); i++) {
        to[always[i] * 4] = 1;
    }
    to[NVME_ADMIN_FIRMWARE_ACTIVATE * 4] = to[NVME_ADMIN_FIRMWARE_DOWNLOAD * 4] =
        (oacs & NVME_OACS_FIRMWARE) != 0;
    to[NVME_ADMIN_FORMAT * 4] = (oacs & NVME_OACS_FORMAT) != 0 ? 3 : 0;
    to[NVME_ADMIN_SECURITY_SEND * 4] = to[NVME_ADMIN_SECURITY_RECEIVE * 4] =
        (oacs & NVME_OACS_SECURITY) != 0;
    io[NVME_IO_FLUSH * 4] = io[NVME_IO_READ * 4] = 1;
    io[NVME_IO_WRITE * 4] = 3;
    io[NVME_IO_COMPARE * 4] = (oncs & NVME_ONCS_COMPARE) != 0;
    io[NVME_IO_WRITE_UNCORRECTABLE * 4] = (oncs & NVME_ONCS_WRITE_UNCORRECTABLE) != 0 ? 3 : 0;
    io[NVME_IO_DSM * 4] = (oncs & NVME_ONCS_DSM) != 0 ? 3 : 0;
    io[NVME_IO_WRITE_ZEROES * 4] = (oncs & NVME_ONCS_WRITE_ZEROES) != 0 ? 3 : 0;
}

static bool known_namespace(const NvmeModel *self, uint32_t nsid)
{
    return nsid == 0 || nsid == UINT32_MAX || (nsid == 1 && (self->profile->lpa & 1) != 0);
}

NvmeStatus nvme_model_get_log(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    g_autofree uint8_t *page = g_malloc0(LOG_MOST);

    switch (command->sqe.cdw10 & 0xff) {
    case NVME_LOG_ERROR:
        error_log(self, page);
        nvme_model_async_event_unmask(self, NVME_EVENT_ERROR);
        break;
    case NVME_LOG_SMART:
        if (!known_namespace(self, command->sqe.nsid)) {
            return NVME_INVALID_NAMESPACE;
        }
        smart_log(self, page);
        nvme_model_async_event_unmask(self, NVME_EVENT_SMART);
        break;
    case NVME_LOG_FIRMWARE:
        firmware_log(self, page);
        break;
    case NVME_LOG_EFFECTS:
        if ((self->profile->lpa & 2) == 0) {
            return NVME_INVALID_LOG_PAGE;
        }
        effects_log(self, page);
        break;
    default:
        return NVME_INVALID_LOG_PAGE;
    }
    memcpy(command->buffer, page, MIN(command->bytes, (uint64_t)LOG_MOST));
    return NVME_OK;
}
