/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NVM command set.  [NVMe-1.1 §6] */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { FUA = 1u << 30, DSM_DEALLOCATE = 4, TRANSFER_MOST = 2 << 20 };

static uint64_t first_lba(const NvmeCommand *command)
{
    return (uint64_t)command->sqe.cdw11 << 32 | command->sqe.cdw10;
}

/* Place and length on the media. */
static NvmeStatus check_range(NvmeCommand *command, uint64_t *bytes)
{
    NvmeModel *self = command->model;
    uint64_t slba = first_lba(command), nlb_0based = command->sqe.cdw12 & 0xffff;
    uint64_t nlb = nlb_0based + 1;

    if (slba >= self->lbas || nlb > self->lbas - slba) {
        return NVME_LBA_RANGE;
    }
    command->first_byte = slba << self->lba_shift;
    *bytes = nlb << self->lba_shift;
    return NVME_OK;
}

static NvmeStatus check_transfer(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint64_t most = self->profile->page_min_bytes << self->profile->mdts, bytes = 0;
    NvmeStatus status = check_range(command, &bytes);

    if (status != NVME_OK) {
        return status;
    }
    if (bytes > MIN(most, (uint64_t)TRANSFER_MOST)) {
        nvme_model_violation(self, "NVMe-1.1 §5.11", "transfer larger than MDTS");
        return NVME_INVALID_FIELD;
    }
    command->bytes = bytes;
    if ((command->sqe.cdw12 & FUA) != 0 && !self->profile->vwc) {
        nvme_model_violation(self, "NVMe-1.1 §6.9", "FUA without a volatile write cache");
    }
    return nvme_model_prp_check(command);
}

static NvmeStatus need_capability(NvmeModel *self, unsigned bit)
{
    if ((self->profile->oncs & bit) == 0) {
        nvme_model_violation(self, "NVMe-1.1 §6", "command that ONCS says is not supported");
        return NVME_INVALID_OPCODE;
    }
    return NVME_OK;
}

static NvmeStatus check_dsm(NvmeCommand *command)
{
    NvmeStatus status = need_capability(command->model, NVME_ONCS_DSM);
    unsigned ranges_0based = command->sqe.cdw10 & 0xff;

    if (status != NVME_OK) {
        return status;
    }
    command->bytes = (ranges_0based + 1) * sizeof(NvmeDsmRange);
    status = nvme_model_prp_check(command);
    if (status == NVME_OK) {
        command->buffer = g_malloc0(command->bytes);
    }
    return status;
}

static NvmeStatus check_opcode(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeStatus status;
    uint64_t bytes;

    switch (command->sqe.opcode) {
    case NVME_IO_FLUSH:
        if (!self->profile->vwc) {
            nvme_model_violation(self, "NVMe-1.1 §6.8", "Flush without a volatile write cache");
        }
        return NVME_OK;
    case NVME_IO_READ:
        command->to_guest = true;
        status = check_transfer(command);
        command->mapped =
            status == NVME_OK &&
            nvme_model_store_is_mapped(self->store, command->first_byte, command->bytes);
        return status;
    case NVME_IO_WRITE:
        return check_transfer(command);
    case NVME_IO_COMPARE:
        status = need_capability(self, NVME_ONCS_COMPARE);
        status = status == NVME_OK ? check_transfer(command) : status;
        if (status == NVME_OK) {
            command->buffer = g_malloc(command->bytes);
            command->mapped = true;
        }
        return status;
    case NVME_IO_WRITE_UNCORRECTABLE:
        status = need_capability(self, NVME_ONCS_WRITE_UNCORRECTABLE);
        return status == NVME_OK ? check_range(command, &bytes) : status;
    case NVME_IO_WRITE_ZEROES:
        status = need_capability(self, NVME_ONCS_WRITE_ZEROES);
        return status == NVME_OK ? check_range(command, &bytes) : status;
    case NVME_IO_DSM:
        return check_dsm(command);
    default:
        nvme_model_violation(self, "NVMe-1.1 §6", "reserved I/O opcode");
        return NVME_INVALID_OPCODE;
    }
}

NvmeStatus nvme_model_io_check(NvmeCommand *command)
{
    const NvmeSqe *sqe = &command->sqe;
    NvmeStatus status;

    if ((sqe->flags & (NVME_FLAGS_FUSE | NVME_FLAGS_PSDT)) != 0) {
        nvme_model_violation(command->model, "NVMe-1.1 §4.2",
                             "fused operation or SGL without support");
        return NVME_INVALID_FIELD;
    }
    if (sqe->nsid != 1 && !(sqe->nsid == UINT32_MAX && sqe->opcode == NVME_IO_FLUSH)) {
        return NVME_INVALID_NAMESPACE;
    }
    status = check_opcode(command);
    if (status != NVME_OK) {
        command->bytes = 0;
    }
    return status;
}

SimTime nvme_model_io_interval(const NvmeCommand *command)
{
    const NvmeProfile *profile = command->model->profile;

    if (command->sqe.opcode != NVME_IO_READ) {
        return 0;
    }
    return command->mapped ? profile->command_interval_ps : profile->unmapped_interval_ps;
}

SimTime nvme_model_io_media(NvmeCommand *command, SimTime from)
{
    NvmeModel *self = command->model;
    const NvmeProfile *profile = self->profile;
    bool through =
        (command->sqe.cdw12 & FUA) != 0 || (self->features[NVME_FEATURE_WRITE_CACHE] & 1) == 0;

    switch (command->sqe.opcode) {
    case NVME_IO_READ:
    case NVME_IO_COMPARE:
        return nvme_model_media_read(self, from, command->first_byte, command->bytes,
                                     command->mapped);
    case NVME_IO_WRITE:
        return nvme_model_media_write(self, from, command->first_byte, command->bytes,
                                      profile->vwc && through);
    case NVME_IO_FLUSH:
        return nvme_model_media_flush(self, from);
    case NVME_IO_DSM:
        return from + profile->dsm_ps + profile->dsm_range_ps * ((command->sqe.cdw10 & 0xff) + 1);
    case NVME_IO_WRITE_ZEROES:
        return from + profile->write_zeroes_ps;
    case NVME_IO_WRITE_UNCORRECTABLE:
        return from + profile->write_uncorrectable_ps;
    default:
        return from;
    }
}

static NvmeStatus deallocate(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    const NvmeDsmRange *ranges = (const NvmeDsmRange *)command->buffer;
    size_t n = command->bytes / sizeof *ranges;

    for (size_t i = 0; i < n; i++) {
        if (ranges[i].slba > self->lbas || ranges[i].nlb > self->lbas - ranges[i].slba) {
            return NVME_LBA_RANGE;
        }
    }
    for (size_t i = 0; i < n && (command->sqe.cdw11 & DSM_DEALLOCATE) != 0; i++) {
        nvme_model_store_deallocate(self->store, ranges[i].slba << self->lba_shift,
                                    (uint64_t)ranges[i].nlb << self->lba_shift);
    }
    return NVME_OK;
}

static NvmeStatus compare(NvmeCommand *command)
{
    uint8_t piece[4096];

    for (uint64_t at = 0; at < command->bytes; at += sizeof piece) {
        size_t n = MIN(command->bytes - at, sizeof piece);
        nvme_model_store_read(command->model->store, command->first_byte + at, piece, n);
        if (memcmp(piece, command->buffer + at, n) != 0) {
            return NVME_COMPARE_FAILURE;
        }
    }
    return NVME_OK;
}

static bool is_unreadable(NvmeCommand *command)
{
    NvmeModel *self = command->model;

    if (!nvme_model_store_is_bad(self->store, command->first_byte, command->bytes)) {
        return false;
    }
    self->media_errors++;
    return true;
}

void nvme_model_io_finish(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeStatus status = NVME_OK;
    uint64_t length = ((uint64_t)(command->sqe.cdw12 & 0xffff) + 1) << self->lba_shift;

    switch (command->sqe.opcode) {
    case NVME_IO_READ:
        if (!is_unreadable(command)) {
            nvme_model_send_data(command);
            return;
        }
        status = NVME_UNRECOVERED_READ;
        break;
    case NVME_IO_COMPARE:
        status = is_unreadable(command) ? NVME_UNRECOVERED_READ : compare(command);
        break;
    case NVME_IO_DSM:
        status = deallocate(command);
        break;
    case NVME_IO_WRITE_ZEROES:
        status = nvme_model_store_zero(self->store, command->first_byte, length) ? NVME_OK
                                                                                 : NVME_WRITE_FAULT;
        break;
    case NVME_IO_WRITE_UNCORRECTABLE:
        status = nvme_model_store_mark_bad(self->store, command->first_byte, length)
                     ? NVME_OK
                     : NVME_WRITE_FAULT;
        break;
    default:
        break;
    }
    nvme_model_complete(command, status);
}
