/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submission and completion queues: doorbells, round robin arbitration, SQE fetch.
 * [NVMe-1.1 §3.1.11, §3.1.12, §4.1, §4.11]
 *
 * A doorbell takes effect at its arrival.  No event is spent on that: those that have arrived are
 * taken in (nvme_model_settle) before anything else happens, each with its own time. */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { ADMIN_INSIDE_MOST = 512, FETCH_MOST = 64, NO_LIMIT = 7 };

static uint32_t ring_distance(uint32_t from, uint32_t to, uint32_t size)
{
    return to >= from ? to - from : to + size - from;
}

NvmeCq *nvme_model_cq_new(NvmeModel *self, uint16_t qid, uint64_t base, uint32_t size,
                          uint16_t vector, bool interrupts)
{
    NvmeCq *cq = g_new0(NvmeCq, 1);

    cq->qid = qid;
    cq->base = base;
    cq->size = size;
    cq->vector = vector;
    cq->interrupts = interrupts;
    cq->phase = true;
    cq->waiting_end = &cq->waiting;
    self->cqs[qid] = cq;
    nvme_model_cq_changed(self, cq);
    return cq;
}

NvmeSq *nvme_model_sq_new(NvmeModel *self, uint16_t qid, NvmeCq *cq, uint64_t base, uint32_t size)
{
    NvmeSq *sq = g_new0(NvmeSq, 1);

    sq->qid = qid;
    sq->cq = cq;
    sq->base = base;
    sq->size = size;
    sq->stamps = g_new0(SimTime, size);
    sq->live_cids = g_new0(uint64_t, 65536 / 64);
    cq->sqs++;
    self->sqs[qid] = sq;
    return sq;
}

static void set_pending(NvmeModel *self, unsigned qid, bool on)
{
    uint64_t bit = UINT64_C(1) << (qid % 64), word = UINT64_C(1) << (qid / 64);

    if (on) {
        self->pending[qid / 64] |= bit;
        self->pending_words |= word;
    } else {
        self->pending[qid / 64] &= ~bit;
        self->pending_words &= self->pending[qid / 64] == 0 ? ~word : UINT64_MAX;
    }
}

/* The first SQ from @qid on with entries to fetch; self->queues: none. */
static unsigned next_pending(const NvmeModel *self, unsigned qid)
{
    unsigned word = qid / 64;
    uint64_t bits, words;

    if (qid >= self->queues) {
        return self->queues;
    }
    bits = self->pending[word] & UINT64_MAX << (qid % 64);
    if (bits == 0) {
        words = self->pending_words & (UINT64_MAX << word) << 1;
        if (words == 0) {
            return self->queues;
        }
        word = (unsigned)__builtin_ctzll(words);
        bits = self->pending[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

void nvme_model_sq_delete(NvmeModel *self, NvmeSq *sq)
{
    SimTime now = nvme_model_now(self);

    while (sq->live != NULL) {
        nvme_model_command_discard(sq->live);
    }
    for (; sq->head != sq->tail; sq->head = sq->head + 1 == sq->size ? 0 : sq->head + 1) {
        self->time_sum += now - sq->stamps[sq->head];
        self->counts[NVME_DEVICE_commands_discarded]++;
        nvme_model_outstanding(self, now, -1);
    }
    set_pending(self, sq->qid, false);
    sq->cq->sqs--;
    self->sqs[sq->qid] = NULL;
    g_free(sq->stamps);
    g_free(sq->live_cids);
    g_free(sq);
}

void nvme_model_cq_delete(NvmeModel *self, NvmeCq *cq)
{
    self->cqs[cq->qid] = NULL;
    self->cqs_blocked -= cq->blocked;
    g_free(cq);
    nvme_model_irq_level(self);
}

void nvme_model_queues_drop(NvmeModel *self)
{
    for (unsigned q = 0; q < self->queues; q++) {
        if (self->sqs[q] != NULL) {
            nvme_model_sq_delete(self, self->sqs[q]);
        }
    }
    for (unsigned q = 0; q < self->queues; q++) {
        g_clear_pointer(&self->cqs[q], g_free);
    }
    self->cqs_blocked = 0;
    self->aers_n = 0;
    self->io_queues_created = 0;
    self->doorbells_n = 0;
    self->last_sq = 0;
    sim_queue_cancel(self->port->queue, &self->fetch);
}

void nvme_model_kick(NvmeModel *self, SimTime when)
{
    if (when != SIM_TIME_NEVER && (!sim_event_scheduled(&self->fetch) || self->fetch.when > when)) {
        sim_queue_schedule(self->port->queue, &self->fetch, when, SIM_PRIO_NORMAL);
    }
}

/* When an entry that is due at @due can be fetched: not while the front end is too far behind
 * (is_behind), which time alone changes. */
static SimTime fetch_time(const NvmeModel *self, SimTime due)
{
    SimTime ahead = self->profile->fetch_ahead_ps, front = self->media.front_free;

    return ahead != 0 && front > ahead ? MAX(due, front - ahead) : due;
}

static void invalid_doorbell(NvmeModel *self, const char *text, unsigned info)
{
    nvme_model_violation(self, "NVMe-1.1 §3.1.11", text);
    nvme_model_async_event(self, NVME_EVENT_ERROR, info, NVME_LOG_ERROR);
}

static void tail_written(NvmeModel *self, NvmeSq *sq, uint32_t value, SimTime arrival)
{
    uint32_t added, room;

    self->counts[NVME_DEVICE_doorbell_writes]++;
    self->sq_counts[sq->qid][NVME_SQ_doorbell_writes]++;
    if (value >= sq->size) {
        invalid_doorbell(self, "SQ tail doorbell beyond the queue",
                         NVME_EVENT_INVALID_DOORBELL_VALUE);
        return;
    }
    added = ring_distance(sq->tail, value, sq->size);
    room = sq->size - 1 - ring_distance(sq->reported, sq->tail, sq->size);
    if (added > room) {
        invalid_doorbell(self, "SQ tail doorbell moved backwards or past the head",
                         NVME_EVENT_INVALID_DOORBELL_VALUE);
        return;
    }
    if (sq->deleter != NULL) {
        nvme_model_violation(self, "NVMe-1.1 §5.6", "command submitted to a queue being deleted");
        return;
    }
    if (self->shut_down) {
        nvme_model_violation(self, "NVMe-1.1 §7.6.2", "command submitted after CC.SHN was written");
        return;
    }
    for (uint32_t i = 0; i < added; i++) {
        sq->stamps[sq->tail] = arrival;
        sq->tail = sq->tail + 1 == sq->size ? 0 : sq->tail + 1;
    }
    self->counts[NVME_DEVICE_commands_submitted] += added;
    self->counts[sq->qid == 0 ? NVME_DEVICE_admin_submitted : NVME_DEVICE_io_submitted] += added;
    self->sq_counts[sq->qid][NVME_SQ_commands_submitted] += added;
    nvme_model_outstanding(self, arrival, added);
    if (added > 0) {
        set_pending(self, sq->qid, true);
        nvme_model_kick(self, fetch_time(self, arrival + self->profile->doorbell_to_fetch_ps));
    }
}

static void head_written(NvmeModel *self, NvmeCq *cq, uint32_t value)
{
    uint32_t released;
    bool was_full = cq->used == cq->size - 1;

    self->counts[NVME_DEVICE_doorbell_writes]++;
    self->cq_counts[cq->qid][NVME_CQ_doorbell_writes]++;
    if (value >= cq->size) {
        invalid_doorbell(self, "CQ head doorbell beyond the queue",
                         NVME_EVENT_INVALID_DOORBELL_VALUE);
        return;
    }
    released = ring_distance(cq->head, value, cq->size);
    if (released > cq->posted) {
        invalid_doorbell(self, "CQ head doorbell ahead of the posted entries",
                         NVME_EVENT_INVALID_DOORBELL_VALUE);
        return;
    }
    cq->head = value;
    cq->posted -= released;
    cq->used -= released;
    while (cq->waiting != NULL && cq->used < cq->size - 1) {
        NvmeCommand *command = cq->waiting;
        cq->waiting = command->next_waiting;
        if (cq->waiting == NULL) {
            cq->waiting_end = &cq->waiting;
        }
        nvme_model_transmit(command);
    }
    nvme_model_cq_changed(self, cq);
    if (was_full) {
        nvme_model_kick(self, nvme_model_now(self));
    }
    nvme_model_irq_level(self);
}

static void take_doorbell(NvmeModel *self)
{
    const NvmeDoorbell *doorbell = &self->doorbells[self->doorbells_first];
    NvmeCq *cq = self->cqs[doorbell->qid];
    NvmeSq *sq = self->sqs[doorbell->qid];

    self->doorbells_first = (self->doorbells_first + 1) % NVME_DOORBELLS_MOST;
    self->doorbells_n--;
    if (doorbell->is_cq && cq != NULL) {
        head_written(self, cq, doorbell->value);
    } else if (!doorbell->is_cq && sq != NULL) {
        tail_written(self, sq, doorbell->value, doorbell->arrival);
    } else {
        invalid_doorbell(self, "doorbell of a queue that does not exist",
                         NVME_EVENT_INVALID_DOORBELL);
    }
}

void nvme_model_take_doorbells(NvmeModel *self)
{
    SimTime now = nvme_model_now(self);

    while (self->doorbells_n > 0 && self->doorbells[self->doorbells_first].arrival <= now) {
        take_doorbell(self);
    }
}

/* When an event must look at @doorbell; SIM_TIME_NEVER: it can wait for whatever comes next. */
static SimTime doorbell_event(const NvmeModel *self, const NvmeDoorbell *doorbell)
{
    const NvmeCq *cq = self->cqs[doorbell->qid];

    if (!doorbell->is_cq) {
        SimTime due = doorbell->arrival + self->profile->doorbell_to_fetch_ps;

        return self->sqs[doorbell->qid] != NULL ? fetch_time(self, due) : due;
    }
    if (cq == NULL || self->intx || cq->used == cq->size - 1 || doorbell->value >= cq->size ||
        ring_distance(cq->head, doorbell->value, cq->size) > cq->posted) {
        return doorbell->arrival; /* somebody waits for it, or it is wrong */
    }
    return SIM_TIME_NEVER;
}

static void record_doorbell_fault(NvmeModel *self, const SimFault *fault, unsigned qid)
{
    SimTelemetry *telemetry = self->port->telemetry;

    sim_telemetry_begin(telemetry, "fault");
    sim_telemetry_u64(telemetry, "t_ps", nvme_model_now(self));
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "stage", fault->stage);
    sim_telemetry_str(telemetry, "action", sim_fault_action_name(fault->action));
    sim_telemetry_u64(telemetry, "qid", qid);
    sim_telemetry_end(telemetry);
}

/* @offset from the first doorbell. */
void nvme_model_doorbell(NvmeModel *self, uint64_t offset, uint32_t value)
{
    NvmeDoorbell doorbell = {.is_cq = offset / 4 % 2 != 0, .value = value};
    const SimFault *fault;

    doorbell.arrival = pcie_mmio_write(self->function, PCIE_FOR_DOORBELL, 4, nvme_model_now(self));
    if (!self->running) {
        nvme_model_violation(self, "NVMe-1.1 §3.1.11", "doorbell written while CSTS.RDY=0");
        return;
    }
    if (!doorbell.is_cq && !self->bus_master) {
        nvme_model_violation(self, "NVMe-1.1 §2.1.2", "command submitted without bus mastery");
    }
    if (offset / 8 >= self->queues) {
        invalid_doorbell(self, "doorbell of a queue that does not exist",
                         NVME_EVENT_INVALID_DOORBELL);
        return;
    }
    doorbell.qid = (uint16_t)(offset / 8);
    fault = sim_faults_wait(self->faults, NVME_STAGE_DOORBELL)
                ? sim_faults_due(self->faults, NVME_STAGE_DOORBELL, -1, doorbell.qid)
                : NULL;
    if (fault != NULL) {
        record_doorbell_fault(self, fault, doorbell.qid);
        if (fault->action == SIM_FAULT_DELAY) {
            doorbell.arrival += fault->time_ps;
        } else if (fault->action == SIM_FAULT_CORRUPT) {
            doorbell.value ^= 1;
        } else {
            return;
        }
    }
    if (self->doorbells_n == NVME_DOORBELLS_MOST) {
        take_doorbell(self); /* more under way than a link can hold: the oldest arrives now */
    }
    if (self->doorbells_n > 0) { /* posted writes stay in order */
        unsigned last = (self->doorbells_first + self->doorbells_n - 1) % NVME_DOORBELLS_MOST;
        doorbell.arrival = MAX(doorbell.arrival, self->doorbells[last].arrival);
    }
    if (self->doorbells_n == 0) { /* the ring's beginning stays in the processor's cache */
        self->doorbells_first = 0;
    }
    self->doorbells[(self->doorbells_first + self->doorbells_n) % NVME_DOORBELLS_MOST] = doorbell;
    self->doorbells_n++;
    nvme_model_kick(self, doorbell_event(self, &doorbell));
}

/* Can the entry at the head of @sq be fetched now?  If only time is wanting, *@next gets it. */
static bool can_fetch(NvmeModel *self, NvmeSq *sq, SimTime now, SimTime *next)
{
    SimTime due;

    if (sq->head == sq->tail) {
        set_pending(self, sq->qid, false);
        return false;
    }
    if (sq->cq->waiting != NULL || sq->cq->used == sq->cq->size - 1) {
        if (self->doorbells_n > 0) { /* the CQ doorbell may be among them */
            *next = MIN(*next, self->doorbells[self->doorbells_first].arrival);
        }
        return false;
    }
    if (sq->qid == 0 ? self->admin_inside >= ADMIN_INSIDE_MOST
                     : self->io_inside >= self->profile->commands_max) {
        return false;
    }
    due = sq->stamps[sq->head] + self->profile->doorbell_to_fetch_ps;
    if (due > now) {
        *next = MIN(*next, due);
        return false;
    }
    return true;
}

/* Entries that one read can bring: due, in one piece of the ring, with room inside. */
static uint32_t burst_of(const NvmeModel *self, const NvmeSq *sq, uint32_t turn, SimTime now)
{
    uint32_t most = MIN((uint32_t)self->profile->fetch_burst, turn), n = 0;
    uint32_t room = sq->qid == 0 ? ADMIN_INSIDE_MOST - self->admin_inside
                                 : (uint32_t)self->profile->commands_max - self->io_inside;
    uint32_t end = sq->tail > sq->head ? sq->tail : sq->size;

    most = MIN(MIN(most, room), MIN(end - sq->head, (uint32_t)FETCH_MOST));
    while (n < most && sq->stamps[sq->head + n] + self->profile->doorbell_to_fetch_ps <= now) {
        n++;
    }
    return n;
}

static bool is_live(const NvmeSq *sq, uint16_t cid)
{
    return (sq->live_cids[cid / 64] >> (cid % 64) & 1) != 0;
}

/* False: the controller has failed. */
static bool fetch(NvmeModel *self, NvmeSq *sq, uint32_t n, SimTime now)
{
    NvmeSqe entries[FETCH_MOST];
    uint64_t address = sq->base + (uint64_t)sq->head * sizeof(NvmeSqe);
    SimTime fetched =
        pcie_dma_read(self->function, PCIE_FOR_SQE, address, n * sizeof(NvmeSqe), now);

    if (!self->port->ops->dma_read(self->port->opaque, address, entries, n * sizeof(NvmeSqe))) {
        if (self->profile->queue_memory == NVME_FATAL_CFS) {
            nvme_model_fatal(self, "NVMe-1.1 §4.1", "bus error on a submission queue");
            return false;
        }
        memset(entries, 0xff, n * sizeof(NvmeSqe));
    }
    self->sq_counts[sq->qid][NVME_SQ_sqe_fetches]++;
    self->sq_counts[sq->qid][NVME_SQ_commands_fetched] += n;
    for (uint32_t i = 0; i < n; i++) {
        SimTime start = sq->stamps[sq->head];
        sq->head = sq->head + 1 == sq->size ? 0 : sq->head + 1;
        if (is_live(sq, entries[i].cid)) {
            nvme_model_violation(self, "NVMe-1.1 §4.2",
                                 "command identifier is in use in its submission queue");
        }
        nvme_model_command_start(nvme_model_command_new(self, sq, &entries[i], start), fetched);
    }
    return true;
}

static bool is_behind(const NvmeModel *self, SimTime now, SimTime *next)
{
    SimTime ahead = self->profile->fetch_ahead_ps;

    if (ahead == 0 || self->media.front_free <= now + ahead) {
        return false;
    }
    *next = MIN(*next, self->media.front_free - ahead);
    return true;
}

/* One turn of the round robin.  [NVMe-1.1 §4.11] */
static void take_turn(NvmeModel *self, NvmeSq *sq, SimTime now, SimTime *next)
{
    unsigned burst = self->features[NVME_FEATURE_ARBITRATION] & 7;
    uint32_t turn = burst == NO_LIMIT ? UINT32_MAX : UINT32_C(1) << burst;

    while (turn > 0 && !is_behind(self, now, next) && can_fetch(self, sq, now, next)) {
        uint32_t n = burst_of(self, sq, turn, now);
        turn -= n;
        if (!fetch(self, sq, n, now)) {
            return;
        }
    }
}

/* The next queue after the last one served with something to fetch, or NULL. */
static NvmeSq *next_queue(NvmeModel *self, SimTime now, SimTime *next)
{
    unsigned first = self->last_sq + 1, qid;

    /* Full, and no CQ's doorbell to wait for: of all queues only the admin one can be fetched. */
    if (self->io_inside >= self->profile->commands_max && self->cqs_blocked == 0) {
        return next_pending(self, 0) == 0 && can_fetch(self, self->sqs[0], now, next) ? self->sqs[0]
                                                                                      : NULL;
    }
    for (qid = next_pending(self, first); qid < self->queues; qid = next_pending(self, qid + 1)) {
        if (can_fetch(self, self->sqs[qid], now, next)) {
            return self->sqs[qid];
        }
    }
    for (qid = next_pending(self, 0); qid < first; qid = next_pending(self, qid + 1)) {
        if (can_fetch(self, self->sqs[qid], now, next)) {
            return self->sqs[qid];
        }
    }
    return NULL;
}

void nvme_model_fetch_event(void *opaque)
{
    NvmeModel *self = opaque;
    SimTime now = nvme_model_now(self), next = SIM_TIME_NEVER;

    nvme_model_settle(self);
    while (self->running && self->bus_master && !NVME_GET(self->regs[NVME_REG_CSTS], CSTS_CFS) &&
           !is_behind(self, now, &next)) {
        NvmeSq *sq = next_queue(self, now, &next);
        if (sq == NULL) {
            break;
        }
        self->last_sq = sq->qid;
        take_turn(self, sq, now, &next);
    }
    for (unsigned i = 0; i < self->doorbells_n; i++) {
        unsigned at = (self->doorbells_first + i) % NVME_DOORBELLS_MOST;
        SimTime due = doorbell_event(self, &self->doorbells[at]);
        if (due != SIM_TIME_NEVER) {
            next = MIN(next, due);
            break; /* the others arrive later, and this one's event looks at them again */
        }
    }
    if (self->running) {
        nvme_model_kick(self, next);
    }
}
