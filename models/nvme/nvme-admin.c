/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Admin commands: queues, Abort, asynchronous events, security, firmware, format.  [NVMe-1.1 §5] */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { TRANSFER_MOST = 128 << 10, IDENTIFY_BYTES = 4096 };

/* Payload of @bytes, in a buffer of ours. */
static NvmeStatus want_data(NvmeCommand *command, uint64_t bytes, bool to_guest)
{
    NvmeStatus status;

    if (bytes > TRANSFER_MOST) {
        return NVME_INVALID_FIELD;
    }
    command->bytes = bytes;
    command->to_guest = to_guest;
    status = nvme_model_prp_check(command);
    if (status != NVME_OK) {
        command->bytes = 0;
    } else if (bytes > 0) {
        command->buffer = g_malloc0(bytes);
    }
    return status;
}

static NvmeStatus unknown_opcode(NvmeCommand *command)
{
    nvme_model_violation(command->model, "NVMe-1.1 §5", "admin opcode reserved or not supported");
    return NVME_INVALID_OPCODE;
}

static bool has(const NvmeCommand *command, unsigned oacs)
{
    return (command->model->profile->oacs & oacs) != 0;
}

NvmeStatus nvme_model_admin_check(NvmeCommand *command)
{
    const NvmeSqe *sqe = &command->sqe;

    if ((sqe->flags & (NVME_FLAGS_FUSE | NVME_FLAGS_PSDT)) != 0) {
        return NVME_INVALID_FIELD;
    }
    switch (sqe->opcode) {
    case NVME_ADMIN_IDENTIFY:
        return want_data(command, IDENTIFY_BYTES, true);
    case NVME_ADMIN_GET_LOG:
        return want_data(command, ((sqe->cdw10 >> 16 & 0xfff) + 1) * 4, true);
    case NVME_ADMIN_SET_FEATURES:
    case NVME_ADMIN_GET_FEATURES: {
        uint64_t bytes = (sqe->cdw10 & 0xff) == NVME_FEATURE_LBA_RANGE ? 64
                         : (sqe->cdw10 & 0xff) == NVME_FEATURE_APST    ? 256
                                                                       : 0;
        NvmeStatus status = nvme_model_feature_check(command);
        return status == NVME_OK ? want_data(command, bytes, sqe->opcode == NVME_ADMIN_GET_FEATURES)
                                 : status;
    }
    case NVME_ADMIN_ASYNC_EVENT:
        command->is_aer = true;
        return NVME_OK;
    case NVME_ADMIN_ABORT:
        command->model->counts[NVME_DEVICE_aborts]++;
        if (command->model->aborts_inside > command->model->profile->acl) {
            return NVME_ABORT_LIMIT;
        }
        command->model->aborts_inside++;
        command->counts_as_abort = true;
        return NVME_OK;
    case NVME_ADMIN_FIRMWARE_DOWNLOAD:
        if (!has(command, NVME_OACS_FIRMWARE)) {
            return unknown_opcode(command);
        }
        return sqe->cdw10 < TRANSFER_MOST / 4
                   ? want_data(command, ((uint64_t)sqe->cdw10 + 1) * 4, false)
                   : NVME_INVALID_FIELD;
    case NVME_ADMIN_FIRMWARE_ACTIVATE:
        return has(command, NVME_OACS_FIRMWARE) ? NVME_OK : unknown_opcode(command);
    case NVME_ADMIN_FORMAT:
        return has(command, NVME_OACS_FORMAT) ? NVME_OK : unknown_opcode(command);
    case NVME_ADMIN_SECURITY_SEND:
        return has(command, NVME_OACS_SECURITY) ? NVME_OK : unknown_opcode(command);
    case NVME_ADMIN_SECURITY_RECEIVE:
        if (!has(command, NVME_OACS_SECURITY)) {
            return unknown_opcode(command);
        }
        /* Protocol 00h: the list of protocols, which names itself alone. */
        if (sqe->cdw10 >> 24 != 0 || !command->model->profile->opal_protocols) {
            return NVME_INVALID_FIELD;
        }
        return want_data(command, MIN(sqe->cdw11, 512u) & ~3u, true);
    case NVME_ADMIN_DELETE_SQ:
    case NVME_ADMIN_CREATE_SQ:
    case NVME_ADMIN_DELETE_CQ:
    case NVME_ADMIN_CREATE_CQ:
        return NVME_OK;
    default:
        return unknown_opcode(command);
    }
}

SimTime nvme_model_admin_time(const NvmeCommand *command)
{
    const NvmeProfile *profile = command->model->profile;

    switch (command->sqe.opcode) {
    case NVME_ADMIN_IDENTIFY:
        return profile->admin_identify_ps;
    case NVME_ADMIN_DELETE_SQ:
    case NVME_ADMIN_CREATE_SQ:
    case NVME_ADMIN_DELETE_CQ:
    case NVME_ADMIN_CREATE_CQ:
        return profile->admin_queue_ps;
    case NVME_ADMIN_SET_FEATURES:
    case NVME_ADMIN_GET_FEATURES:
        return profile->admin_feature_ps;
    case NVME_ADMIN_GET_LOG:
        return profile->admin_log_ps;
    case NVME_ADMIN_FORMAT:
        return profile->admin_format_ps;
    default:
        return profile->admin_other_ps;
    }
}

static void record_queue(NvmeModel *self, const char *what, unsigned qid, unsigned cqid,
                         unsigned vector, unsigned size, bool ien)
{
    SimTelemetry *telemetry = self->port->telemetry;

    sim_telemetry_begin(telemetry, "queue");
    sim_telemetry_u64(telemetry, "t_ps", nvme_model_now(self));
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "what", what);
    sim_telemetry_u64(telemetry, "qid", qid);
    sim_telemetry_u64(telemetry, "cqid", cqid);
    sim_telemetry_u64(telemetry, "vector", vector);
    sim_telemetry_u64(telemetry, "size", size);
    sim_telemetry_bool(telemetry, "ien", ien);
    sim_telemetry_end(telemetry);
}

/* What Create SQ and Create CQ have in common: size, address, PC, entry sizes. */
static NvmeStatus check_create(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    const NvmeSqe *sqe = &command->sqe;
    uint32_t size_0based = sqe->cdw10 >> 16, cc = (uint32_t)self->regs[NVME_REG_CC];
    bool contiguous = (sqe->cdw11 & 1) != 0;

    if (size_0based == 0 || size_0based + 1 > self->profile->queue_entries) {
        return NVME_QUEUE_SIZE;
    }
    if (!contiguous) { /* the model has no lists of queue pages, whatever CAP.CQR says */
        return NVME_INVALID_FIELD;
    }
    if ((sqe->prp1 & (nvme_model_page(self) - 1)) != 0) {
        nvme_model_violation(self, "NVMe-1.1 §5.3", "queue memory is not page aligned");
        return NVME_INVALID_FIELD;
    }
    if (NVME_GET(cc, CC_IOSQES) != 6 || NVME_GET(cc, CC_IOCQES) != 4) {
        nvme_model_violation(self, "NVMe-1.1 §3.1.5",
                             "CC.IOSQES or IOCQES when a queue is created");
        return NVME_INVALID_FIELD;
    }
    return NVME_OK;
}

/* Vectors that an interrupt may use now. */
static unsigned usable_vectors(NvmeModel *self)
{
    unsigned vectors = 0;
    SimIrqMode mode = self->port->ops->irq_mode(self->port->opaque, &vectors);

    if (mode == SIM_IRQ_MSIX) {
        return self->vectors_n;
    }
    return mode == SIM_IRQ_MSI ? CLAMP(vectors, 1, self->vectors_n) : 1;
}

static NvmeStatus create_cq(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    const NvmeSqe *sqe = &command->sqe;
    uint16_t qid = (uint16_t)sqe->cdw10, vector = (uint16_t)(sqe->cdw11 >> 16);
    bool interrupts = (sqe->cdw11 & 2) != 0;
    NvmeStatus status;

    if (qid == 0 || qid > self->granted || self->cqs[qid] != NULL) {
        return NVME_INVALID_QID;
    }
    status = check_create(command);
    if (status != NVME_OK) {
        return status;
    }
    if (vector >= usable_vectors(self)) {
        return NVME_INVALID_VECTOR;
    }
    nvme_model_cq_new(self, qid, sqe->prp1, (sqe->cdw10 >> 16) + 1, vector, interrupts);
    self->io_queues_created++;
    record_queue(self, "cq-created", qid, qid, vector, (sqe->cdw10 >> 16) + 1, interrupts);
    return NVME_OK;
}

static NvmeStatus create_sq(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    const NvmeSqe *sqe = &command->sqe;
    uint16_t qid = (uint16_t)sqe->cdw10, cqid = (uint16_t)(sqe->cdw11 >> 16);
    NvmeStatus status;

    if (qid == 0 || qid > self->granted || self->sqs[qid] != NULL || cqid > self->granted) {
        return NVME_INVALID_QID;
    }
    if (cqid == 0 || self->cqs[cqid] == NULL) {
        nvme_model_violation(self, "NVMe-1.1 §5.4", "Create SQ before its CQ");
        return NVME_CQ_INVALID;
    }
    status = check_create(command);
    if (status != NVME_OK) {
        return status;
    }
    nvme_model_sq_new(self, qid, self->cqs[cqid], sqe->prp1, (sqe->cdw10 >> 16) + 1);
    self->io_queues_created++;
    record_queue(self, "sq-created", qid, cqid, self->cqs[cqid]->vector, (sqe->cdw10 >> 16) + 1,
                 self->cqs[cqid]->interrupts);
    return NVME_OK;
}

static NvmeStatus delete_cq(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint16_t qid = (uint16_t)command->sqe.cdw10;
    NvmeCq *cq = qid < self->queues ? self->cqs[qid] : NULL;

    if (qid == 0 || cq == NULL) {
        return NVME_INVALID_QID;
    }
    if (cq->sqs > 0) {
        nvme_model_violation(self, "NVMe-1.1 §5.5", "Delete CQ before its SQs");
        return NVME_INVALID_QUEUE_DELETION;
    }
    record_queue(self, "cq-deleted", qid, qid, cq->vector, cq->size, cq->interrupts);
    nvme_model_cq_delete(self, cq);
    self->io_queues_created--;
    return NVME_OK;
}

void nvme_model_sq_emptied(NvmeModel *self, NvmeSq *sq)
{
    NvmeCommand *command = sq->deleter;

    record_queue(self, "sq-deleted", sq->qid, sq->cq->qid, sq->cq->vector, sq->size,
                 sq->cq->interrupts);
    nvme_model_sq_delete(self, sq);
    self->io_queues_created--;
    nvme_model_complete(command, NVME_OK);
}

/* Commands inside end with 08h, and their CQEs come before that of the Delete.  [NVMe-1.1 §5.6] */
static void delete_sq(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint16_t qid = (uint16_t)command->sqe.cdw10;
    NvmeSq *sq = qid < self->queues ? self->sqs[qid] : NULL;

    if (qid == 0 || sq == NULL || sq->deleter != NULL) {
        nvme_model_complete(command, NVME_INVALID_QID);
        return;
    }
    sq->deleter = command;
    command->state = NVME_AT_PARKED;
    for (NvmeCommand *c = sq->live, *next; c != NULL; c = next) {
        next = c->next;
        if (c->state == NVME_AT_LOST) {
            nvme_model_command_discard(c);
        } else {
            nvme_model_abort(c, NVME_ABORT_SQ_DELETED);
        }
    }
    if (sq->live == NULL) {
        nvme_model_sq_emptied(self, sq);
    }
}

static void abort_command(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint16_t qid = (uint16_t)command->sqe.cdw10, cid = (uint16_t)(command->sqe.cdw10 >> 16);
    NvmeSq *sq = qid < self->queues ? self->sqs[qid] : NULL;
    NvmeCommand *target = sq != NULL ? sq->live : NULL;

    while (target != NULL && (target->sqe.cid != cid || target == command)) {
        target = target->next;
    }
    command->dw0 = 1; /* not aborted */
    if (target != NULL && target->is_aer && target->state == NVME_AT_PARKED) {
        unsigned i = 0;
        while (i < self->aers_n && self->aers[i] != target) {
            i++;
        }
        if (i < self->aers_n) {
            self->aers_n--;
            memmove(&self->aers[i], &self->aers[i + 1], (self->aers_n - i) * sizeof self->aers[0]);
            target->state = NVME_AT_HELD;
        }
    }
    if (target != NULL && self->profile->abort_effective &&
        nvme_model_abort(target, NVME_ABORT_REQUESTED)) {
        command->dw0 = 0;
    }
    nvme_model_complete(command, NVME_OK);
}

/* Completes requests while there are events that are not masked. */
static void deliver_events(NvmeModel *self)
{
    for (unsigned type = 0; type < NVME_EVENT_TYPES && self->aers_n > 0; type++) {
        NvmeCommand *command;
        if (!self->event_pending[type] || self->event_masked[type]) {
            continue;
        }
        self->event_pending[type] = false;
        self->event_masked[type] = true; /* until its log page is read */
        command = self->aers[0];
        self->aers_n--;
        memmove(&self->aers[0], &self->aers[1], self->aers_n * sizeof self->aers[0]);
        command->dw0 = self->event_dw0[type];
        nvme_model_complete(command, NVME_OK);
    }
}

void nvme_model_async_event(NvmeModel *self, unsigned type, unsigned info, unsigned log)
{
    if (!self->event_masked[type] && !self->event_pending[type]) {
        self->event_pending[type] = true;
        self->event_dw0[type] = type | info << 8 | log << 16;
    }
    deliver_events(self);
}

void nvme_model_async_event_unmask(NvmeModel *self, unsigned type)
{
    self->event_masked[type] = false;
    deliver_events(self);
}

static void async_request(NvmeCommand *command)
{
    NvmeModel *self = command->model;

    if (self->aers_n > self->profile->aerl) {
        nvme_model_violation(self, "NVMe-1.1 §5.2", "more than AERL+1 Async Event Requests");
        nvme_model_complete(command, NVME_AER_LIMIT);
        return;
    }
    command->state = NVME_AT_PARKED;
    self->aers[self->aers_n++] = command;
    deliver_events(self);
}

static NvmeStatus format(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    const NvmeSqe *sqe = &command->sqe;
    unsigned number = sqe->cdw10 & 15, protection = sqe->cdw10 >> 5 & 7,
             erase = sqe->cdw10 >> 9 & 7;

    if (sqe->nsid != 1 && sqe->nsid != UINT32_MAX) {
        return NVME_INVALID_NAMESPACE;
    }
    if (number >= self->profile->formats_n || protection != 0 ||
        self->profile->format_rows[number].metadata_bytes != 0) {
        return NVME_INVALID_FORMAT;
    }
    if (erase > 2 || (erase == 2 && (self->profile->fna & 4) == 0)) {
        return NVME_INVALID_FIELD;
    }
    self->format = number;
    self->lba_shift = self->profile->format_rows[number].lba_shift;
    self->lbas = self->profile->capacity_bytes >> self->lba_shift;
    nvme_model_store_erase(self->store);
    return NVME_OK;
}

static NvmeStatus activate_firmware(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    unsigned slot = command->sqe.cdw10 & 7, action = command->sqe.cdw10 >> 3 & 3;
    unsigned slots = self->profile->frmw >> 1 & 7;

    if (action == 3) {
        return NVME_INVALID_FIELD;
    }
    if (slot > slots || (slot == 1 && action < 2 && (self->profile->frmw & 1) != 0)) {
        return NVME_INVALID_FIRMWARE_SLOT;
    }
    if (action < 2) { /* no image of ours exists, so none that is downloaded can be one */
        return NVME_INVALID_FIRMWARE_IMAGE;
    }
    return slot == 1 || slot == 0 ? NVME_OK : NVME_INVALID_FIRMWARE_SLOT;
}

/* Protocol 00h, 0000h: reserved 6, length 2 (big-endian), one protocol. */
static NvmeStatus security_receive(NvmeCommand *command)
{
    if ((command->sqe.cdw10 >> 8 & 0xffff) != 0) {
        return NVME_INVALID_FIELD;
    }
    if (command->bytes >= 8) {
        command->buffer[7] = 1;
    }
    return NVME_OK;
}

void nvme_model_admin_execute(NvmeCommand *command)
{
    NvmeStatus status;

    switch (command->sqe.opcode) {
    case NVME_ADMIN_DELETE_SQ:
        delete_sq(command);
        return;
    case NVME_ADMIN_ABORT:
        abort_command(command);
        return;
    case NVME_ADMIN_ASYNC_EVENT:
        async_request(command);
        return;
    case NVME_ADMIN_CREATE_SQ:
        status = create_sq(command);
        break;
    case NVME_ADMIN_CREATE_CQ:
        status = create_cq(command);
        break;
    case NVME_ADMIN_DELETE_CQ:
        status = delete_cq(command);
        break;
    case NVME_ADMIN_GET_LOG:
        status = nvme_model_get_log(command);
        break;
    case NVME_ADMIN_IDENTIFY:
        status = nvme_model_identify(command);
        break;
    case NVME_ADMIN_SET_FEATURES:
        status = nvme_model_set_feature(command);
        break;
    case NVME_ADMIN_GET_FEATURES:
        status = nvme_model_get_feature(command);
        break;
    case NVME_ADMIN_FORMAT:
        status = format(command);
        break;
    case NVME_ADMIN_FIRMWARE_ACTIVATE:
        status = activate_firmware(command);
        break;
    case NVME_ADMIN_FIRMWARE_DOWNLOAD:
        status = NVME_OK;
        break;
    case NVME_ADMIN_SECURITY_RECEIVE:
        status = security_receive(command);
        break;
    default: /* Security Send: no protocol takes anything */
        status = NVME_INVALID_FIELD;
        break;
    }
    if (status == NVME_OK && command->to_guest && command->bytes > 0) {
        nvme_model_send_data(command);
    } else {
        nvme_model_complete(command, status);
    }
}
