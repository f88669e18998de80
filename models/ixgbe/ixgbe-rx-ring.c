/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A receive ring: its registers, and the write-back of what is ready.  Ready descriptors go out
 * together: when as many as the profile says have gathered, at the ring's end, when the oldest has
 * waited long enough, or when an interrupt of the ring's vector is sent.  [82599 §7.1.6 … §7.1.9]
 */
#include "ixgbe/ixgbe-internal.h"

static const IxgbeRingCounter reason_counters[] = {[IXGBE_WB_BATCH] = IXGBE_RING_rx_wb_batch,
                                                   [IXGBE_WB_HOLD] = IXGBE_RING_rx_wb_hold,
                                                   [IXGBE_WB_INTERRUPT] =
                                                       IXGBE_RING_rx_wb_interrupt,
                                                   [IXGBE_WB_FLUSH] = IXGBE_RING_rx_wb_flush};

static void set_ready(IxgbeRxRing *ring, bool ready)
{
    uint64_t bit = UINT64_C(1) << ring->queue % 64,
             *word = &ring->model->rx_ready[ring->queue / 64];

    *word = ready ? *word | bit : *word & ~bit;
}

/* The descriptor as the driver's format has it. */
static void encode(const IxgbeRxRing *ring, const IxgbeRxWriteback *done, uint8_t *at)
{
    bool legacy = IXGBE_GET(ring->model->regs.SRRCTL[ring->queue], SRRCTL_DESCTYPE) == 0;
    IxgbeRxWriteback advanced = {GUINT32_TO_LE(done->type), GUINT32_TO_LE(done->hash),
                                 GUINT32_TO_LE(done->status), GUINT16_TO_LE(done->length),
                                 GUINT16_TO_LE(done->vlan)};
    IxgbeRxLegacy old = {.length = GUINT16_TO_LE(done->length),
                         .status = (uint8_t)done->status,
                         .vlan = GUINT16_TO_LE(done->vlan)};

    if (!legacy) {
        memcpy(at, &advanced, sizeof advanced);
        return;
    }
    old.status &= (uint8_t)~IXGBE_RX_FLM;
    old.errors = (uint8_t)((done->status & IXGBE_RX_TCPE ? IXGBE_RX_LEGACY_TCPE : 0) |
                           (done->status & IXGBE_RX_IPE ? IXGBE_RX_LEGACY_IPE : 0));
    memcpy(at, &old, sizeof old);
}

static void count(IxgbeRxRing *ring, unsigned n, IxgbeRxReason reason)
{
    static const uint8_t most[] = {1, 2, 3, 4, 8, 16};
    unsigned i = 0;

    while (i < G_N_ELEMENTS(most) && n > most[i]) {
        i++;
    }
    ring->counts[IXGBE_RING_rx_wb_of_1 + i]++;
    ring->counts[IXGBE_RING_rx_writebacks]++;
    ring->counts[IXGBE_RING_rx_descriptors] += n;
    ring->counts[reason_counters[reason]]++;
}

void ixgbe_model_rx_writeback(IxgbeModel *self, unsigned queue, IxgbeRxReason reason)
{
    IxgbeRxRing *ring = &self->rx[queue];
    IxgbeWriteback *writeback;
    uint64_t address;
    SimTime done;

    if (ring->ready_n == 0) {
        return;
    }
    sim_queue_cancel(self->port->queue, &ring->hold);
    writeback = ixgbe_model_writeback_new(self);
    writeback->tx = false;
    writeback->queue = queue;
    writeback->generation = ring->generation;
    writeback->first = ring->ready_first;
    writeback->n = ring->ready_n;
    writeback->frames = ring->ready_frames;
    for (unsigned i = 0; i < ring->ready_n; i++) {
        encode(ring, &ring->ready[i], writeback->data + i * sizeof(IxgbeRxWriteback));
    }
    count(ring, ring->ready_n, reason);
    writeback->address = ixgbe_model_address(self->regs.RDBAL[queue], self->regs.RDBAH[queue]) +
                         (uint64_t)ring->ready_first * sizeof(IxgbeRxWriteback);
    writeback->bytes = ring->ready_n * (unsigned)sizeof(IxgbeRxWriteback);
    address = writeback->address;
    done = ixgbe_model_charge_write(self, PCIE_FOR_RX_DESC_WRITEBACK, address, writeback->bytes,
                                    ixgbe_model_now(self));
    ring->last_written = MAX(ring->last_written, done);
    ring->ready_first = (ring->ready_first + ring->ready_n) % ring->entries;
    ring->ready_n = ring->ready_frames = 0;
    set_ready(ring, false);
    ixgbe_model_writeback_send(self, writeback, ring->last_written);
}

void ixgbe_model_rx_written(IxgbeWriteback *writeback)
{
    IxgbeModel *self = writeback->model;
    IxgbeRxRing *ring = &self->rx[writeback->queue];

    if (writeback->generation != ring->generation) {
        self->counts[IXGBE_DEVICE_dropped_queue] += writeback->frames;
        return;
    }
    ixgbe_model_write_memory(self, writeback->address, writeback->data, writeback->bytes);
    self->regs.RDH[ring->queue] = (writeback->first + writeback->n) % ring->entries;
    self->counts[self->bus_master ? IXGBE_DEVICE_frames_delivered
                                  : IXGBE_DEVICE_dropped_disabled] += writeback->frames;
    ixgbe_model_cause_queue(self, ring->queue, false);
}

static void hold_event(void *opaque)
{
    IxgbeRxRing *ring = opaque;

    ixgbe_model_rx_writeback(ring->model, ring->queue, IXGBE_WB_HOLD);
}

void ixgbe_model_rx_ready(IxgbeRxRing *ring, const IxgbeRxWriteback *done)
{
    if (ring->ready_n == G_N_ELEMENTS(ring->ready) ||
        ring->ready_first + ring->ready_n == ring->entries) {
        ixgbe_model_rx_writeback(ring->model, ring->queue, IXGBE_WB_BATCH);
    }
    ring->ready[ring->ready_n++] = *done;
    ring->ready_frames += (done->status & IXGBE_RX_EOP) != 0;
}

void ixgbe_model_rx_settle(IxgbeRxRing *ring)
{
    IxgbeModel *self = ring->model;

    if (ring->ready_n == 0) {
        return;
    }
    if (ring->ready_n >= self->profile->rx_writeback_most ||
        ring->ready_first + ring->ready_n == ring->entries) {
        ixgbe_model_rx_writeback(self, ring->queue, IXGBE_WB_BATCH);
    } else if (self->profile->rx_writeback_hold_ps == 0) {
        ixgbe_model_rx_writeback(self, ring->queue, IXGBE_WB_HOLD);
    } else {
        set_ready(ring, true);
        if (!sim_event_scheduled(&ring->hold)) {
            sim_queue_schedule(self->port->queue, &ring->hold,
                               ixgbe_model_now(self) + self->profile->rx_writeback_hold_ps,
                               SIM_PRIO_NORMAL);
        }
    }
}

/* Nothing that is under way reaches memory any more: the driver may free it. */
static void ring_off(IxgbeRxRing *ring)
{
    ring->generation++;
    ring->entries = 0;
    ring->model->counts[IXGBE_DEVICE_dropped_queue] += ring->ready_frames;
    ring->ready_n = ring->ready_frames = 0;
    set_ready(ring, false);
    sim_queue_cancel(ring->model->port->queue, &ring->hold);
    ixgbe_model_rx_forget(ring);
}

void ixgbe_model_rx_stop(IxgbeRxRing *ring, const char *rule, const char *text)
{
    ixgbe_model_violation(ring->model, rule, text);
    ring_off(ring);
}

static void ring_on(IxgbeRxRing *ring)
{
    const IxgbeRegs *regs = &ring->model->regs;
    unsigned queue = ring->queue, entries = regs->RDLEN[queue] / sizeof(IxgbeRxRead);

    ring->generation++;
    ring->entries = entries;
    ring->fetch = entries == 0 ? 0 : regs->RDH[queue] % entries;
    ring->ready_first = ring->fetch;
    if (IXGBE_GET(regs->SRRCTL[queue], SRRCTL_DESCTYPE) > 1) {
        ixgbe_model_violation(ring->model, "82599 §7.1.10",
                              "header split is not modelled: one buffer is used");
    }
    if (IXGBE_GET(regs->RSCCTL[queue], RSCCTL_RSCEN) && !IXGBE_GET(regs->RFCTL[0], RFCTL_RSC_DIS)) {
        ixgbe_model_violation(ring->model, "82599 §7.11", "RSC is not modelled");
    }
}

void ixgbe_model_rxdctl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    bool was_on = IXGBE_GET(old, RXDCTL_ENABLE), on = IXGBE_GET(value, RXDCTL_ENABLE);

    if (IXGBE_GET(value, RXDCTL_SWFLSH)) {
        ixgbe_model_rx_writeback(self, index, IXGBE_WB_FLUSH);
    }
    if (!was_on && on) {
        ring_on(&self->rx[index]);
    } else if (was_on && !on) {
        ring_off(&self->rx[index]);
        ixgbe_model_rx_run(self, self->arrival);
    }
}

void ixgbe_model_rdh_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeRxRing *ring = &self->rx[index];

    if (ring->entries > 0) { /* it starts anew from there */
        ring_off(ring);
        ring_on(ring);
    }
}

void ixgbe_model_rdt_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    const IxgbeRxRing *ring = &self->rx[index];

    if (ring->entries > 0 && self->regs.RDT[index] >= ring->entries) {
        ixgbe_model_violation(self, "82599 §7.1.9", "RDT beyond the end of its ring");
    }
    ixgbe_model_rx_run(self, self->arrival + self->profile->rx_decide_ps);
}

void ixgbe_model_rxctrl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    ixgbe_model_rx_run(self, self->arrival);
}

void ixgbe_model_qde_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    if (IXGBE_GET(value, QDE_WE)) {
        self->rx[IXGBE_GET(value, QDE_QUEUE)].drop_forced = IXGBE_GET(value, QDE_ENABLE);
    }
}

void ixgbe_model_rx_init(IxgbeModel *self)
{
    self->job_list = g_ptr_array_new();
    self->rx = g_new0(IxgbeRxRing, IXGBE_QUEUES);
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        self->rx[q].model = self;
        self->rx[q].queue = q;
        sim_event_init(&self->rx[q].hold, hold_event, &self->rx[q]);
    }
}

void ixgbe_model_rx_reset(IxgbeModel *self)
{
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        ring_off(&self->rx[q]);
        self->rx[q].drop_forced = false;
    }
}
