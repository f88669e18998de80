/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts: causes, masks, vectors and throttling.  [82599 §7.3, §8.2.3.5]
 *
 * `causes` has a bit for each vector (MSI-X), of which the low 16 are EICR's; `other` has EICR's
 * bits 30:16.  A vector has two timers of EITR's interval: `next`, before which it does not
 * interrupt, started by its interrupts; and `flush_next`, at which descriptors that are held for it
 * are written back, started by flushes too. */
#include "ixgbe/ixgbe-internal.h"

#define OTHER_CAUSES UINT32_C(0x7fff0000)
#define OTHER_VECTOR_CAUSES UINT32_C(0x3fff0000)

static SimIrqMode mode_of(const IxgbeModel *self)
{
    unsigned vectors;

    return self->port->ops->irq_mode(self->port->opaque, &vectors);
}

/* Does each cause have a vector of its own? */
static bool spread(const IxgbeModel *self)
{
    return IXGBE_GET(self->regs.GPIE[0], GPIE_MULTIPLE_MSIX) && mode_of(self) == SIM_IRQ_MSIX;
}

static SimTime interval_of(const IxgbeModel *self, unsigned v)
{
    return IXGBE_GET(self->regs.EITR[v], EITR_INTERVAL) * 2 * SIM_US;
}

static uint32_t eicr(const IxgbeModel *self)
{
    return (uint32_t)(self->causes & 0xffff) | self->other |
           (self->other != 0 ? IXGBE_CAUSE_OTHER : 0);
}

/* Vector (or RTxQ bit) of a queue; -1: none. */
static int vector_of(const IxgbeModel *self, unsigned queue, bool tx)
{
    uint32_t entry = self->regs.IVAR[queue / 2] >> ((queue & 1) * 2 + tx) * 8;

    if ((entry & 0x80) == 0) {
        return -1;
    }
    return spread(self) ? (int)(entry & 0x3f) : (int)(entry & 0xf);
}

/* The vector whose EITR throttles a queue. */
static int timer_of(const IxgbeModel *self, unsigned queue, bool tx)
{
    int v = vector_of(self, queue, tx);

    return v >= 0 && !spread(self) ? 0 : v;
}

static void flush(IxgbeModel *self, unsigned v)
{
    for (unsigned word = 0; word < 2; word++) {
        for (uint64_t left = self->rx_ready[word]; left != 0; left &= left - 1) {
            unsigned queue = word * 64 + (unsigned)__builtin_ctzll(left);
            if (timer_of(self, queue, false) == (int)v) {
                ixgbe_model_rx_writeback(self, queue, IXGBE_WB_INTERRUPT);
            }
        }
        for (uint64_t left = self->tx_held[word]; left != 0; left &= left - 1) {
            unsigned queue = word * 64 + (unsigned)__builtin_ctzll(left);
            if (timer_of(self, queue, true) == (int)v) {
                ixgbe_model_tx_writeback(self, queue, IXGBE_TX_WB_EITR);
            }
        }
    }
}

static void start_timers(IxgbeModel *self, unsigned v)
{
    IxgbeVector *vector = &self->vectors[v];

    vector->next = vector->flush_next = ixgbe_model_now(self) + interval_of(self, v);
}

static void send_message(IxgbeModel *self, unsigned v, unsigned message)
{
    IxgbeVector *vector = &self->vectors[v];

    flush(self, v);
    start_timers(self, v);
    if (!self->port->ops->raise(self->port->opaque, message)) {
        vector->counts[IXGBE_VECTOR_masked]++;
        return;
    }
    pcie_message(self->function, ixgbe_model_now(self));
    vector->counts[IXGBE_VECTOR_interrupts]++;
    self->counts[IXGBE_DEVICE_interrupts]++;
}

/* False: the vector must wait for its timer. */
static bool may_fire(IxgbeModel *self, unsigned v)
{
    IxgbeVector *vector = &self->vectors[v];

    if (ixgbe_model_now(self) >= vector->next) {
        return true;
    }
    if (!sim_event_scheduled(&vector->timer)) {
        vector->counts[IXGBE_VECTOR_throttled]++;
        sim_queue_schedule(self->port->queue, &vector->timer, vector->next, SIM_PRIO_NORMAL);
    }
    return false;
}

static void evaluate_vector(IxgbeModel *self, unsigned v)
{
    uint64_t bit = UINT64_C(1) << v;

    if ((self->causes & self->masks_v & bit) == 0 || !may_fire(self, v)) {
        return;
    }
    if (v >= 16 || (self->regs.EIAC[0] >> v & 1) != 0) {
        self->causes &= ~bit;
    }
    if (IXGBE_GET(self->regs.GPIE[0], GPIE_EIAME) &&
        (self->regs.EIAM_EX[v / 32] >> v % 32 & 1) != 0) {
        self->masks_v &= ~bit;
    }
    send_message(self, v, v);
}

static void evaluate_other(IxgbeModel *self)
{
    uint32_t entry = self->regs.IVAR_MISC[0] >> 8;
    unsigned v = entry & 0x3f;

    if ((self->other & self->other_mask & OTHER_VECTOR_CAUSES) == 0 || (entry & 0x80) == 0 ||
        !may_fire(self, v)) {
        return;
    }
    self->other &= ~(self->regs.EIAC[0] & OTHER_CAUSES);
    send_message(self, v, v);
}

/* One interrupt for all causes; EITR(0) throttles. */
static void evaluate_shared(IxgbeModel *self)
{
    uint32_t masks = (uint32_t)(self->masks_v & 0xffff) | self->other_mask;
    bool pending = (eicr(self) & masks) != 0;
    SimIrqMode mode = mode_of(self);

    if (self->intx && (!pending || mode != SIM_IRQ_INTX)) {
        self->intx = false;
        self->port->ops->set_intx(self->port->opaque, false);
    }
    if (!pending || self->intx || mode == SIM_IRQ_NONE || !may_fire(self, 0)) {
        return;
    }
    if (mode != SIM_IRQ_INTX) {
        send_message(self, 0, 0);
        return;
    }
    flush(self, 0);
    start_timers(self, 0);
    self->intx = true;
    self->vectors[0].counts[IXGBE_VECTOR_interrupts]++;
    self->counts[IXGBE_DEVICE_interrupts]++;
    self->port->ops->set_intx(self->port->opaque, true);
}

/* @candidates: vectors that may have something to say. */
static void evaluate(IxgbeModel *self, uint64_t candidates, bool other)
{
    if (!spread(self)) {
        evaluate_shared(self);
        return;
    }
    if (self->intx) { /* the mode has changed */
        self->intx = false;
        self->port->ops->set_intx(self->port->opaque, false);
    }
    candidates &= self->causes & self->masks_v;
    for (; candidates != 0; candidates &= candidates - 1) {
        evaluate_vector(self, (unsigned)__builtin_ctzll(candidates));
    }
    if (other) {
        evaluate_other(self);
    }
}

static void throttle_event(void *opaque)
{
    IxgbeVector *vector = opaque;
    IxgbeModel *self = vector->model;

    evaluate(self, UINT64_C(1) << (vector - self->vectors), true);
}

static void flush_event(void *opaque)
{
    IxgbeVector *vector = opaque;
    IxgbeModel *self = vector->model;
    unsigned v = (unsigned)(vector - self->vectors);

    vector->flush_next = ixgbe_model_now(self) + interval_of(self, v);
    flush(self, v);
}

IxgbeHold ixgbe_model_hold(IxgbeModel *self, unsigned queue, bool tx)
{
    int v = timer_of(self, queue, tx);
    IxgbeVector *vector;
    SimTime now = ixgbe_model_now(self);

    if (v < 0) {
        return IXGBE_HOLD_NO_VECTOR;
    }
    vector = &self->vectors[v];
    if (now >= vector->flush_next) {
        vector->flush_next = now + interval_of(self, (unsigned)v);
        return IXGBE_HOLD_NOT;
    }
    if (!sim_event_scheduled(&vector->flush)) {
        sim_queue_schedule(self->port->queue, &vector->flush, vector->flush_next, SIM_PRIO_NORMAL);
    }
    return IXGBE_HOLD_TIMER;
}

void ixgbe_model_cause_queue(IxgbeModel *self, unsigned queue, bool tx)
{
    int v = vector_of(self, queue, tx);

    if (v >= 0) {
        self->causes |= UINT64_C(1) << v;
        evaluate(self, UINT64_C(1) << v, false);
    }
}

void ixgbe_model_cause_other(IxgbeModel *self, uint32_t cause)
{
    self->other |= cause & OTHER_CAUSES;
    evaluate(self, 0, true);
}

void ixgbe_model_irq_changed(IxgbeModel *self)
{
    evaluate(self, UINT64_MAX, true);
}

void ixgbe_model_irq_init(IxgbeModel *self)
{
    for (unsigned v = 0; v < IXGBE_VECTORS; v++) {
        self->vectors[v].model = self;
        sim_event_init(&self->vectors[v].timer, throttle_event, &self->vectors[v]);
        sim_event_init(&self->vectors[v].flush, flush_event, &self->vectors[v]);
    }
}

void ixgbe_model_irq_reset(IxgbeModel *self)
{
    self->causes = self->masks_v = 0;
    self->other = self->other_mask = 0;
    for (unsigned v = 0; v < IXGBE_VECTORS; v++) {
        sim_queue_cancel(self->port->queue, &self->vectors[v].timer);
        sim_queue_cancel(self->port->queue, &self->vectors[v].flush);
        self->vectors[v].next = self->vectors[v].flush_next = 0;
    }
    if (self->intx) {
        self->intx = false;
        self->port->ops->set_intx(self->port->opaque, false);
    }
}

/* --- Registers --- */

uint32_t ixgbe_model_eics_read(IxgbeModel *self, unsigned index)
{
    return eicr(self);
}

uint32_t ixgbe_model_eicr_read(IxgbeModel *self, unsigned index)
{
    uint32_t value = eicr(self), automask = self->regs.EIAM[0];

    if (spread(self) && IXGBE_GET(self->regs.GPIE[0], GPIE_OCD)) {
        self->other &= ~OTHER_VECTOR_CAUSES;
        return value;
    }
    if (!spread(self)) {
        self->masks_v &= ~(uint64_t)(value & automask & 0xffff);
        self->other_mask &= ~(value & automask);
    }
    self->causes &= ~UINT64_C(0xffff);
    self->other = 0;
    evaluate(self, 0, false);
    return value;
}

void ixgbe_model_eicr_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->causes &= ~(uint64_t)(value & 0xffff);
    self->other &= ~value;
    evaluate(self, 0, false);
}

void ixgbe_model_eics_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    if (!spread(self)) {
        uint32_t automask = value & self->regs.EIAM[0];
        self->masks_v |= automask & 0xffff;
        self->other_mask |= automask & OTHER_CAUSES;
    }
    self->causes |= value & 0xffff;
    self->other |= value & OTHER_CAUSES;
    evaluate(self, value & 0xffff, true);
}

void ixgbe_model_eics_ex_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    uint64_t bits = (uint64_t)value << index * 32;

    self->causes |= bits;
    evaluate(self, bits, false);
}

uint32_t ixgbe_model_eics_ex_read(IxgbeModel *self, unsigned index)
{
    return (uint32_t)(self->causes >> index * 32);
}

void ixgbe_model_eims_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->masks_v |= value & 0xffff;
    self->other_mask |= value & OTHER_CAUSES;
    evaluate(self, value & 0xffff, true);
}

void ixgbe_model_eimc_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->masks_v &= ~(uint64_t)(value & 0xffff);
    self->other_mask &= ~value;
    evaluate(self, 0, false);
}

uint32_t ixgbe_model_eims_read(IxgbeModel *self, unsigned index)
{
    return (uint32_t)(self->masks_v & 0xffff) | self->other_mask;
}

void ixgbe_model_eims_ex_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    uint64_t bits = (uint64_t)value << index * 32;

    self->masks_v |= bits;
    evaluate(self, bits, false);
}

void ixgbe_model_eimc_ex_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->masks_v &= ~((uint64_t)value << index * 32);
    evaluate(self, 0, false);
}

uint32_t ixgbe_model_eims_ex_read(IxgbeModel *self, unsigned index)
{
    return (uint32_t)(self->masks_v >> index * 32);
}

void ixgbe_model_eiam_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->regs.EIAM_EX[0] = (self->regs.EIAM_EX[0] & ~UINT32_C(0xffff)) | (value & 0xffff);
}

void ixgbe_model_eiam_ex_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    if (index == 0) {
        self->regs.EIAM[0] = (self->regs.EIAM[0] & ~UINT32_C(0xffff)) | (value & 0xffff);
    }
}

void ixgbe_model_eitr_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeVector *vector = &self->vectors[index];

    if (IXGBE_GET(value, EITR_CNT_WDIS)) {
        return;
    }
    vector->next = vector->flush_next = ixgbe_model_now(self);
    if (sim_event_scheduled(&vector->timer)) {
        sim_queue_schedule(self->port->queue, &vector->timer, vector->next, SIM_PRIO_NORMAL);
    }
    if (sim_event_scheduled(&vector->flush)) {
        sim_queue_schedule(self->port->queue, &vector->flush, vector->next, SIM_PRIO_NORMAL);
    }
}
