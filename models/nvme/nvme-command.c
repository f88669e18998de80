/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all commands share: the stages from decode to the posted CQE, faults, abort.
 * Three events a command: its fetch, the end of the media's work, the CQE's visibility. */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { PIECE = 4096 }; /* data moves through the stack */

NvmeCommand *nvme_model_command_new(NvmeModel *self, NvmeSq *sq, const NvmeSqe *sqe, SimTime start)
{
    NvmeCommand *command = self->free_commands;

    if (command != NULL) {
        self->free_commands = command->next_waiting;
        memset(&command->pages_n, 0, sizeof *command - offsetof(NvmeCommand, pages_n));
    } else {
        command = g_new0(NvmeCommand, 1);
        sim_event_init(&command->event, nvme_model_command_event, command);
        command->model = self;
    }
    command->sq = sq;
    command->sqe = *sqe;
    command->start = start;
    command->previous = NULL;
    command->next = sq->live;
    if (sq->live != NULL) {
        sq->live->previous = command;
    }
    sq->live = command;
    sq->live_n++;
    sq->live_cids[sqe->cid / 64] |= UINT64_C(1) << (sqe->cid % 64);
    if (sq->qid == 0) {
        self->admin_inside++;
    } else {
        self->io_inside++;
    }
    return command;
}

void nvme_model_commands_free(NvmeModel *self)
{
    while (self->free_commands != NULL) {
        NvmeCommand *command = self->free_commands;
        self->free_commands = command->next_waiting;
        g_free(command->pages);
        g_free(command);
    }
}

/* Takes @command out of the accounts and hands its memory back. */
static void release(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeSq *sq = command->sq;
    SimTime now = nvme_model_now(self);

    if (sim_event_scheduled(&command->event)) {
        sim_queue_cancel(self->port->queue, &command->event);
    }
    self->time_sum += now - command->start;
    nvme_model_outstanding(self, now, -1);
    if (command->previous != NULL) {
        command->previous->next = command->next;
    } else {
        sq->live = command->next;
    }
    if (command->next != NULL) {
        command->next->previous = command->previous;
    }
    sq->live_n--;
    sq->live_cids[command->sqe.cid / 64] &= ~(UINT64_C(1) << (command->sqe.cid % 64));
    if (sq->qid == 0) {
        self->admin_inside--;
    } else {
        self->io_inside--;
    }
    self->aborts_inside -= command->counts_as_abort;
    if (command->buffer != NULL) {
        g_clear_pointer(&command->buffer, g_free);
    }
    command->next_waiting = self->free_commands;
    self->free_commands = command;
}

void nvme_model_command_discard(NvmeCommand *command)
{
    command->model->counts[NVME_DEVICE_commands_discarded]++;
    release(command);
}

void nvme_model_schedule(NvmeCommand *command, NvmeState state, SimTime when)
{
    command->state = state;
    sim_queue_schedule(command->model->port->queue, &command->event, when, SIM_PRIO_NORMAL);
}

static void record_fault(const NvmeCommand *command, const SimFault *fault)
{
    SimTelemetry *telemetry = command->model->port->telemetry;

    sim_telemetry_begin(telemetry, "fault");
    sim_telemetry_u64(telemetry, "t_ps", nvme_model_now(command->model));
    sim_telemetry_str(telemetry, "device", command->model->port->device);
    sim_telemetry_str(telemetry, "stage", fault->stage);
    sim_telemetry_str(telemetry, "action", sim_fault_action_name(fault->action));
    sim_telemetry_u64(telemetry, "opcode", command->sqe.opcode);
    sim_telemetry_u64(telemetry, "qid", command->sq->qid);
    sim_telemetry_end(telemetry);
}

bool nvme_model_act_fault(NvmeCommand *command, NvmeStage stage, SimTime *when)
{
    NvmeModel *self = command->model;
    const SimFault *fault =
        sim_faults_due(self->faults, stage, command->sqe.opcode, command->sq->qid);

    if (fault == NULL) {
        return true;
    }
    record_fault(command, fault);
    switch (fault->action) {
    case SIM_FAULT_DROP:
        command->state = NVME_AT_LOST;
        return false;
    case SIM_FAULT_HOLD:
        command->state = NVME_AT_HELD;
        return false;
    case SIM_FAULT_DELAY:
        *when += MIN(fault->time_ps, (SimTime)INT64_MAX - MIN(*when, (SimTime)INT64_MAX));
        return true;
    case SIM_FAULT_STATUS:
        if (stage == NVME_STAGE_MSIX) {
            return true;
        }
        command->status = (NvmeStatus)(fault->status & 0x7fff);
        nvme_model_schedule(command, NVME_AT_CQE, *when);
        return false;
    case SIM_FAULT_CORRUPT:
        if (stage == NVME_STAGE_SQE_FETCH) {
            command->sqe.cdw10 ^= 1;
        } else if (stage == NVME_STAGE_CQE) {
            command->corrupt_cqe = true;
        } else {
            command->corrupt_data = true;
        }
        return true;
    case SIM_FAULT_NONE:
        break;
    }
    return true;
}

/* Data of a command from the guest: into its buffer, or into the store. */
typedef struct Arrival {
    SimTime from, done;
} Arrival;

/* Not the guest's doing: the run goes on, and whoever reads its records must know. */
static void record_full_store(NvmeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;

    if (self->store_was_full) {
        return;
    }
    self->store_was_full = true;
    sim_telemetry_begin(telemetry, "fault");
    sim_telemetry_u64(telemetry, "t_ps", nvme_model_now(self));
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "stage", "media");
    sim_telemetry_str(telemetry, "action", "store-full");
    sim_telemetry_end(telemetry);
}

static bool fetch_segment(NvmeCommand *command, uint64_t address, uint64_t position, uint64_t bytes,
                          void *data)
{
    NvmeModel *self = command->model;
    PciePurpose purpose = command->sq->qid == 0 ? PCIE_FOR_ADMIN_DATA : PCIE_FOR_DATA;
    Arrival *arrival = data;
    uint8_t piece[PIECE];
    SimTime done = pcie_dma_read(self->function, purpose, address, bytes, arrival->from);

    arrival->done = MAX(arrival->done, done);
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        size_t n = MIN(bytes - at, sizeof piece);
        uint8_t *to = command->buffer != NULL ? command->buffer + position + at : piece;
        if (!self->port->ops->dma_read(self->port->opaque, address + at, to, n)) {
            command->status = NVME_DATA_TRANSFER_ERROR;
            return false;
        }
        if (command->corrupt_data && position + at == 0) {
            to[0] ^= 0xff;
        }
        if (command->buffer == NULL &&
            !nvme_model_store_write(self->store, command->first_byte + position + at, to, n)) {
            command->status = NVME_WRITE_FAULT;
            record_full_store(self);
            return false;
        }
    }
    return true;
}

/* PRP list and data from the guest, as far as there are any.  False: a fault ended the command's
 * way. */
static bool gather(NvmeCommand *command, SimTime *when)
{
    if (nvme_model_prp_needs_list(command)) {
        if (!nvme_model_stage(command, NVME_STAGE_PRP_LIST, when)) {
            return false;
        }
        command->status = nvme_model_prp_read_list(command, when);
    }
    if (command->status == NVME_OK && command->bytes > 0 && !command->to_guest) {
        Arrival arrival;
        if (!nvme_model_stage(command, NVME_STAGE_DATA, when)) {
            return false;
        }
        arrival = (Arrival){*when, *when};
        nvme_model_prp_walk(command, fetch_segment, &arrival);
        *when = arrival.done;
    }
    return true;
}

/* From the arrival of the SQE to the end of the media's work, without an event in between. */
void nvme_model_command_start(NvmeCommand *command, SimTime fetched)
{
    NvmeModel *self = command->model;
    bool admin = command->sq->qid == 0;
    SimTime when = fetched, interval;

    if (!nvme_model_stage(command, NVME_STAGE_SQE_FETCH, &when)) {
        return;
    }
    command->status = admin ? nvme_model_admin_check(command) : nvme_model_io_check(command);
    interval = admin || command->status != NVME_OK ? 0 : nvme_model_io_interval(command);
    when = nvme_model_media_front(self, when, interval);
    if (!nvme_model_stage(command, NVME_STAGE_DECODE, &when)) {
        return;
    }
    if (command->status == NVME_OK && !gather(command, &when)) {
        return;
    }
    if (command->status != NVME_OK || command->is_aer) {
        nvme_model_schedule(command, NVME_AT_DECODE, when);
        return;
    }
    when = admin ? nvme_model_media_admin(self, when, nvme_model_admin_time(command))
                 : nvme_model_io_media(command, when);
    if (nvme_model_stage(command, NVME_STAGE_MEDIA, &when)) {
        nvme_model_schedule(command, NVME_AT_MEDIA, when);
    }
}

static bool charge_segment(NvmeCommand *command, uint64_t address, uint64_t position,
                           uint64_t bytes, void *data)
{
    NvmeModel *self = command->model;

    pcie_dma_write(self->function, command->sq->qid == 0 ? PCIE_FOR_ADMIN_DATA : PCIE_FOR_DATA,
                   address, bytes, nvme_model_now(self));
    return true;
}

void nvme_model_send_data(NvmeCommand *command)
{
    SimTime now = nvme_model_now(command->model), when = now;

    if (!command->data_stage_passed) {
        command->data_stage_passed = true;
        if (!nvme_model_stage(command, NVME_STAGE_DATA, &when)) {
            return;
        }
        if (when > now) {
            nvme_model_schedule(command, NVME_AT_DATA_OUT, when);
            return;
        }
    }
    nvme_model_prp_walk(command, charge_segment, NULL);
    command->move_data = true;
    nvme_model_complete(command, NVME_OK);
}

static bool move_segment(NvmeCommand *command, uint64_t address, uint64_t position, uint64_t bytes,
                         void *data)
{
    NvmeModel *self = command->model;
    const SimPortOps *ops = self->port->ops;
    uint8_t piece[PIECE];

    if (command->buffer == NULL && ops->dma_fill != NULL &&
        ops->dma_fill(self->port->opaque, address, bytes)) {
        return true;
    }
    for (uint64_t at = 0; at < bytes; at += sizeof piece) {
        size_t n = MIN(bytes - at, sizeof piece);
        uint8_t *from = piece;
        if (command->buffer != NULL) {
            from = command->buffer + position + at;
        } else {
            nvme_model_store_read(self->store, command->first_byte + position + at, piece, n);
        }
        if (command->corrupt_data && position + at == 0) {
            from[0] ^= 0xff;
        }
        if (!ops->dma_write(self->port->opaque, address + at, from, n)) {
            return false;
        }
    }
    return true;
}

static void move_data(NvmeCommand *command)
{
    if (command->move_data && command->model->bus_master &&
        !nvme_model_prp_walk(command, move_segment, NULL) && command->status == NVME_OK) {
        command->status = NVME_DATA_TRANSFER_ERROR;
        nvme_model_log_error(command);
    }
    command->move_data = false;
}

static bool goes_away(NvmeStatus status)
{
    return status == NVME_DATA_TRANSFER_ERROR || status == NVME_INTERNAL_ERROR ||
           status == NVME_ABORT_REQUESTED || status == NVME_ABORT_SQ_DELETED ||
           status == NVME_ABORT_LIMIT || status == NVME_WRITE_FAULT ||
           status == NVME_UNRECOVERED_READ;
}

/* The bits beside the code, and the error log.  [NVMe-1.1 §4.6.1, §5.10.1.1] */
static void settle_status(NvmeCommand *command, NvmeStatus status)
{
    const NvmeProfile *profile = command->model->profile;

    command->status = status;
    if (status == NVME_OK || (status & ~NVME_STATUS_CODE) != 0) {
        return;
    }
    if (profile->error_dnr && !goes_away(status)) {
        command->status |= NVME_STATUS_DNR;
    }
    if (status == NVME_ABORT_REQUESTED || status == NVME_ABORT_SQ_DELETED) {
        return; /* asked for: not an error of the controller */
    }
    if (profile->error_more) {
        command->status |= NVME_STATUS_MORE;
    }
    nvme_model_log_error(command);
}

void nvme_model_complete(NvmeCommand *command, NvmeStatus status)
{
    SimTime now = nvme_model_now(command->model), when = now;

    settle_status(command, status);
    if (!nvme_model_stage(command, NVME_STAGE_CQE, &when)) {
        if (command->state == NVME_AT_HELD || command->state == NVME_AT_LOST) {
            move_data(command); /* the data is there, only the entry is not */
        }
        return;
    }
    if (when > now) {
        nvme_model_schedule(command, NVME_AT_CQE, when);
    } else {
        nvme_model_transmit(command);
    }
}

void nvme_model_transmit(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeCq *cq = command->sq->cq;

    if (cq->used == cq->size - 1) {
        command->state = NVME_AT_WAIT_CQ;
        command->next_waiting = NULL;
        *cq->waiting_end = command;
        cq->waiting_end = &command->next_waiting;
        nvme_model_cq_changed(self, cq);
        self->cq_counts[cq->qid][NVME_CQ_full]++;
        if (self->doorbells_n > 0) { /* the CQ doorbell may be among them */
            nvme_model_kick(self, self->doorbells[self->doorbells_first].arrival);
        }
        return;
    }
    command->slot = cq->tail;
    command->phase = cq->phase;
    cq->used++;
    if (++cq->tail == cq->size) {
        cq->tail = 0;
        cq->phase = !cq->phase;
    }
    nvme_model_cq_changed(self, cq);
    nvme_model_schedule(command, NVME_AT_POST,
                        pcie_dma_write(self->function, PCIE_FOR_CQE,
                                       cq->base + (uint64_t)command->slot * sizeof(NvmeCqe),
                                       sizeof(NvmeCqe), nvme_model_now(self)));
}

static void record_admin(const NvmeCommand *command)
{
    SimTelemetry *telemetry = command->model->port->telemetry;

    sim_telemetry_begin(telemetry, "command");
    sim_telemetry_u64(telemetry, "t_ps", nvme_model_now(command->model));
    sim_telemetry_str(telemetry, "device", command->model->port->device);
    sim_telemetry_u64(telemetry, "opcode", command->sqe.opcode);
    sim_telemetry_u64(telemetry, "status", command->status);
    sim_telemetry_u64(telemetry, "nsid", command->sqe.nsid);
    sim_telemetry_u64(telemetry, "cdw10", command->sqe.cdw10);
    sim_telemetry_end(telemetry);
}

static void count_io(NvmeModel *self, const NvmeCommand *command)
{
    uint64_t *counts = self->counts;
    bool good = command->status == NVME_OK;
    NvmeLatency latency = NVME_LATENCY_OTHER;

    counts[NVME_DEVICE_io_completed]++;
    if (command->sqe.opcode == NVME_IO_READ) {
        latency = NVME_LATENCY_READ;
        counts[NVME_DEVICE_read_commands]++;
        counts[NVME_DEVICE_read_bytes] += good ? command->bytes : 0;
    } else if (command->sqe.opcode == NVME_IO_WRITE) {
        latency = NVME_LATENCY_WRITE;
        counts[NVME_DEVICE_write_commands]++;
        counts[NVME_DEVICE_write_bytes] += good ? command->bytes : 0;
    }
    sim_histogram_add(self->latency[latency], nvme_model_now(self) - command->start);
}

static void count_completion(NvmeModel *self, const NvmeCommand *command)
{
    self->counts[NVME_DEVICE_commands_completed]++;
    self->cq_counts[command->sq->cq->qid][NVME_CQ_cqes_posted]++;
    if (command->status != NVME_OK) {
        self->counts[NVME_DEVICE_errors]++;
    }
    if ((command->status & NVME_STATUS_CODE) == NVME_ABORT_REQUESTED) {
        self->counts[NVME_DEVICE_aborted]++;
    }
    if (command->sq->qid != 0) {
        count_io(self, command);
        return;
    }
    self->counts[NVME_DEVICE_admin_commands]++;
    record_admin(command);
}

/* The CQE becomes visible: data first, the entry, then its interrupt. */
static void post(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    NvmeSq *sq = command->sq;
    NvmeCq *cq = sq->cq;
    bool was_full = sq->qid == 0 || self->io_inside == self->profile->commands_max;

    if (!self->bus_master) {
        return; /* until nvme_model_bus_master, or a reset */
    }
    move_data(command);
    NvmeCqe cqe = {
        .dw0 = command->dw0,
        .sqhd = (uint16_t)sq->head,
        .sqid = sq->qid,
        .cid = command->sqe.cid ^ (command->corrupt_cqe ? 0x8000 : 0),
        .status = (uint16_t)(command->status << 1 | command->phase),
    };
    if (!self->port->ops->dma_write(self->port->opaque,
                                    cq->base + (uint64_t)command->slot * sizeof cqe, &cqe,
                                    sizeof cqe) &&
        self->profile->queue_memory == NVME_FATAL_CFS) {
        nvme_model_fatal(self, "NVMe-1.1 §4.1", "bus error on a completion queue");
    }
    cq->posted++;
    sq->reported = sq->head;
    count_completion(self, command);
    nvme_model_irq_posted(command, cq);
    release(command);
    if (sq->deleter != NULL && sq->live == NULL) {
        nvme_model_sq_emptied(self, sq);
    }
    if (was_full && self->running) {
        nvme_model_kick(self, nvme_model_now(self));
    }
}

void nvme_model_command_event(void *opaque)
{
    NvmeCommand *command = opaque;
    NvmeModel *self = command->model;

    nvme_model_settle(self);
    switch (command->state) {
    case NVME_AT_DECODE:
        if (command->status != NVME_OK) {
            nvme_model_complete(command, command->status);
        } else {
            nvme_model_admin_execute(command); /* an Async Event Request */
        }
        break;
    case NVME_AT_MEDIA:
        if (command->sq->qid == 0) {
            nvme_model_admin_execute(command);
        } else {
            nvme_model_io_finish(command);
        }
        break;
    case NVME_AT_DATA_OUT:
        nvme_model_send_data(command);
        break;
    case NVME_AT_CQE:
        nvme_model_transmit(command);
        break;
    case NVME_AT_POST:
        post(command);
        break;
    case NVME_AT_WAIT_CQ:
    case NVME_AT_HELD:
    case NVME_AT_LOST:
    case NVME_AT_PARKED:
        break; /* these wait for something else than time */
    }
}

bool nvme_model_abort(NvmeCommand *command, NvmeStatus status)
{
    NvmeModel *self = command->model;

    switch (command->state) {
    case NVME_AT_DECODE:
    case NVME_AT_MEDIA:
    case NVME_AT_DATA_OUT:
    case NVME_AT_CQE:
    case NVME_AT_HELD:
        break;
    case NVME_AT_WAIT_CQ:
    case NVME_AT_POST:
    case NVME_AT_LOST:
    case NVME_AT_PARKED:
        return false;
    }
    sim_queue_cancel(self->port->queue, &command->event);
    command->move_data = false;
    settle_status(command, status);
    nvme_model_transmit(command);
    return true;
}
