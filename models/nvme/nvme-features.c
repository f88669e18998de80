/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Set and Get Features: 01h to 0Ch.  [NVMe-1.1 §5.9, §5.12] */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { SELECT_CURRENT, SELECT_DEFAULT, SELECT_SAVED, SELECT_SUPPORTED };
enum { CAN_SAVE = 1, CAN_CHANGE = 4, VECTOR_DISABLE = 1 << 16 };
enum { TEMPERATURE_BIT = 2 };

static uint32_t default_of(const NvmeModel *self, unsigned fid)
{
    switch (fid) {
    case NVME_FEATURE_ARBITRATION:
        return (uint32_t)self->profile->arbitration_burst;
    case NVME_FEATURE_TEMPERATURE:
        return 0xffff;
    case NVME_FEATURE_WRITE_CACHE:
        return (uint32_t)self->profile->vwc;
    case NVME_FEATURE_QUEUES:
        return (self->queues - 2) | (self->queues - 2) << 16;
    default:
        return 0;
    }
}

/* Not those that are of a queue or a vector.  [NVMe-1.1 §5.12.1] */
static bool is_saveable(unsigned fid)
{
    return fid == NVME_FEATURE_ARBITRATION || fid == NVME_FEATURE_TEMPERATURE ||
           fid == NVME_FEATURE_ERROR_RECOVERY || fid == NVME_FEATURE_WRITE_CACHE ||
           fid == NVME_FEATURE_APST;
}

void nvme_model_features_reset(NvmeModel *self, bool power_on)
{
    for (unsigned fid = 0; fid < NVME_FEATURES; fid++) {
        uint32_t value = default_of(self, fid);
        if (power_on && self->counts[NVME_DEVICE_commands_completed] == 0) {
            self->saved[fid] = value;
        }
        self->features[fid] = is_saveable(fid) ? self->saved[fid] : value;
    }
    memcpy(self->apst, self->apst_saved, sizeof self->apst);
    for (unsigned i = 0; i < self->vectors_n; i++) {
        self->vectors[i].no_coalescing = false;
    }
    memset(self->event_masked, 0, sizeof self->event_masked);
    memset(self->event_pending, 0, sizeof self->event_pending);
}

static bool exists(const NvmeModel *self, unsigned fid)
{
    switch (fid) {
    case NVME_FEATURE_WRITE_CACHE:
        return self->profile->vwc != 0;
    case NVME_FEATURE_APST:
        return self->profile->apsta != 0;
    default:
        return fid >= NVME_FEATURE_ARBITRATION && fid < NVME_FEATURES;
    }
}

NvmeStatus nvme_model_feature_check(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    unsigned fid = command->sqe.cdw10 & 0xff;

    if (!exists(self, fid)) {
        return NVME_INVALID_FIELD;
    }
    if (fid == NVME_FEATURE_LBA_RANGE && command->sqe.nsid != 1) {
        return NVME_INVALID_NAMESPACE;
    }
    if (fid == NVME_FEATURE_VECTOR && (command->sqe.cdw11 & 0xffff) >= self->vectors_n) {
        return NVME_INVALID_FIELD;
    }
    return NVME_OK;
}

/* The grant does not depend on what exists: it is answered again by Get Features. */
static NvmeStatus set_queues(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint32_t sqs_0based = command->sqe.cdw11 & 0xffff, cqs_0based = command->sqe.cdw11 >> 16;
    uint32_t most_0based = self->queues - 2, granted_sqs = most_0based, granted_cqs = most_0based;

    if (sqs_0based == 0xffff || cqs_0based == 0xffff) {
        return (NvmeStatus)self->profile->ffff_status;
    }
    if (self->io_queues_created > 0) {
        nvme_model_violation(self, "NVMe-1.1 §5.12.1.7",
                             "Number of Queues set after I/O queues were created");
        if (self->profile->set_after_create == NVME_ANSWER_REFUSE) {
            return NVME_SEQUENCE_ERROR;
        }
    }
    if (self->profile->grant == NVME_GRANT_REQUESTED) {
        granted_sqs = MIN(sqs_0based, most_0based);
        granted_cqs = MIN(cqs_0based, most_0based);
    }
    self->granted = MAX(granted_sqs, granted_cqs) + 1;
    self->features[NVME_FEATURE_QUEUES] = command->dw0 = granted_sqs | granted_cqs << 16;
    return NVME_OK;
}

static NvmeStatus set_power(NvmeCommand *command)
{
    NvmeModel *self = command->model;

    if ((command->sqe.cdw11 & 31) >= self->profile->power_n) {
        return NVME_INVALID_FIELD;
    }
    self->features[NVME_FEATURE_POWER] = command->sqe.cdw11 & 31;
    return NVME_OK;
}

/* A SMART event when the threshold lies below the temperature and the host wants to know. */
static void check_temperature(NvmeModel *self)
{
    uint32_t wanted = self->features[NVME_FEATURE_ASYNC_EVENT];

    if (self->profile->smart_temperature >= (self->features[NVME_FEATURE_TEMPERATURE] & 0xffff) &&
        (wanted & TEMPERATURE_BIT) != 0) {
        nvme_model_async_event(self, NVME_EVENT_SMART, 1, NVME_LOG_SMART);
    }
}

NvmeStatus nvme_model_set_feature(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    unsigned fid = command->sqe.cdw10 & 0xff;
    bool save = command->sqe.cdw10 >> 31 != 0 && (self->profile->oncs & NVME_ONCS_SAVE_SELECT) != 0;
    NvmeStatus status = NVME_OK;

    if (save && !is_saveable(fid)) {
        return NVME_FEATURE_NOT_SAVEABLE;
    }
    switch (fid) {
    case NVME_FEATURE_POWER:
        status = set_power(command);
        break;
    case NVME_FEATURE_QUEUES:
        status = set_queues(command);
        break;
    case NVME_FEATURE_VECTOR:
        self->vectors[command->sqe.cdw11 & 0xffff].no_coalescing =
            (command->sqe.cdw11 & VECTOR_DISABLE) != 0;
        break;
    case NVME_FEATURE_LBA_RANGE:
        memcpy(self->lba_range, command->buffer, sizeof self->lba_range);
        self->features[fid] = 0; /* one range, whatever was sent */
        break;
    case NVME_FEATURE_APST:
        memcpy(self->apst, command->buffer, sizeof self->apst);
        self->features[fid] = command->sqe.cdw11 & 1;
        break;
    default:
        self->features[fid] = command->sqe.cdw11;
        break;
    }
    if (status == NVME_OK && save) {
        self->saved[fid] = self->features[fid];
        memcpy(self->apst_saved, self->apst, sizeof self->apst_saved);
    }
    if (fid == NVME_FEATURE_TEMPERATURE || fid == NVME_FEATURE_ASYNC_EVENT) {
        check_temperature(self);
    }
    return status;
}

NvmeStatus nvme_model_get_feature(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    unsigned fid = command->sqe.cdw10 & 0xff, select = command->sqe.cdw10 >> 8 & 7;

    if ((self->profile->oncs & NVME_ONCS_SAVE_SELECT) == 0) {
        select = SELECT_CURRENT; /* reserved bits then */
    }
    switch (select) {
    case SELECT_CURRENT:
        command->dw0 = self->features[fid];
        if (fid == NVME_FEATURE_VECTOR) {
            unsigned vector = command->sqe.cdw11 & 0xffff;
            command->dw0 = vector | (self->vectors[vector].no_coalescing ? VECTOR_DISABLE : 0);
        } else if (fid == NVME_FEATURE_APST) {
            memcpy(command->buffer, self->apst, sizeof self->apst);
        } else if (fid == NVME_FEATURE_LBA_RANGE) {
            memcpy(command->buffer, self->lba_range, sizeof self->lba_range);
        }
        return NVME_OK;
    case SELECT_DEFAULT:
        command->dw0 = default_of(self, fid);
        return NVME_OK;
    case SELECT_SAVED:
        command->dw0 = is_saveable(fid) ? self->saved[fid] : default_of(self, fid);
        if (fid == NVME_FEATURE_APST) {
            memcpy(command->buffer, self->apst_saved, sizeof self->apst_saved);
        }
        return NVME_OK;
    case SELECT_SUPPORTED:
        command->dw0 = CAN_CHANGE | (is_saveable(fid) ? CAN_SAVE : 0);
        return NVME_OK;
    default:
        return NVME_INVALID_FIELD;
    }
}
