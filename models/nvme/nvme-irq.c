/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts: MSI-X and MSI messages, coalescing by vector, the level of INTx.
 * A message leaves with the CQE's event; its own 6 ns on the wire are charged, not waited for.
 * [NVMe-1.1 §7.5, §5.12.1.8, §5.12.1.9] */
#include "nvme/nvme-internal.h"

static SimIrqMode mode_of(const NvmeModel *self, unsigned *vectors)
{
    *vectors = 0;
    return self->port->ops->irq_mode(self->port->opaque, vectors);
}

static bool is_masked(const NvmeModel *self, unsigned vector)
{
    return vector < 32 && (self->regs[NVME_REG_INTMS] >> vector & 1) != 0;
}

static void fire(NvmeModel *self, unsigned number, SimIrqMode mode, unsigned vectors)
{
    NvmeVector *vector = &self->vectors[number];

    vector->entries = 0;
    if (sim_event_scheduled(&vector->timer)) {
        sim_queue_cancel(self->port->queue, &vector->timer);
    }
    if (mode != SIM_IRQ_MSI && mode != SIM_IRQ_MSIX) {
        return;
    }
    if (mode == SIM_IRQ_MSI && is_masked(self, number)) {
        vector->pending = true;
        vector->counts[NVME_VECTOR_masked]++;
        return;
    }
    if (!self->port->ops->raise(self->port->opaque,
                                mode == SIM_IRQ_MSI && number >= vectors ? 0 : number)) {
        vector->counts[NVME_VECTOR_masked]++;
        return;
    }
    pcie_message(self->function, nvme_model_now(self));
    vector->counts[NVME_VECTOR_interrupts]++;
    self->counts[NVME_DEVICE_interrupts]++;
}

static void vector_event(void *opaque)
{
    NvmeVector *vector = opaque;
    unsigned vectors;
    SimIrqMode mode = mode_of(vector->model, &vectors);

    fire(vector->model, (unsigned)(vector - vector->model->vectors), mode, vectors);
}

void nvme_model_irq_init(NvmeModel *self)
{
    self->vectors_n = (unsigned)self->profile->pci.msix_vectors;
    self->vectors = g_new0(NvmeVector, self->vectors_n);
    for (unsigned i = 0; i < self->vectors_n; i++) {
        self->vectors[i].model = self;
        sim_event_init(&self->vectors[i].timer, vector_event, &self->vectors[i]);
        sim_event_init(&self->vectors[i].delayed, vector_event, &self->vectors[i]);
    }
}

void nvme_model_irq_level(NvmeModel *self)
{
    unsigned vectors;
    bool level = false;

    if (mode_of(self, &vectors) == SIM_IRQ_INTX) {
        for (unsigned q = 0; q < self->queues && !level; q++) {
            const NvmeCq *cq = self->cqs[q];
            level = cq != NULL && cq->interrupts && cq->posted > 0 && !is_masked(self, cq->vector);
        }
    }
    if (level != self->intx) {
        self->intx = level;
        if (level) {
            self->counts[NVME_DEVICE_interrupts]++;
            self->vectors[0].counts[NVME_VECTOR_interrupts]++;
        }
        self->port->ops->set_intx(self->port->opaque, level);
    }
}

void nvme_model_irq_changed(NvmeModel *self)
{
    unsigned vectors;
    SimIrqMode mode;

    nvme_model_irq_level(self);
    mode = mode_of(self, &vectors);
    if (mode != SIM_IRQ_MSI) {
        return;
    }
    for (unsigned i = 0; i < self->vectors_n; i++) {
        if (self->vectors[i].pending && !is_masked(self, i)) {
            self->vectors[i].pending = false;
            fire(self, i, mode, vectors);
        }
    }
}

void nvme_model_irq_reset(NvmeModel *self)
{
    for (unsigned i = 0; i < self->vectors_n; i++) {
        NvmeVector *vector = &self->vectors[i];
        sim_queue_cancel(self->port->queue, &vector->timer);
        sim_queue_cancel(self->port->queue, &vector->delayed);
        vector->entries = 0;
        vector->pending = false;
    }
    nvme_model_irq_level(self);
}

/* Coalescing: never for the admin queue; a threshold without a time means no delay. */
static bool coalesce(NvmeModel *self, const NvmeCq *cq, NvmeVector *vector)
{
    uint32_t setting = self->features[NVME_FEATURE_COALESCING];
    uint32_t entries = (setting & 0xff) + 1, time = setting >> 8 & 0xff;

    if (cq->qid == 0 || vector->no_coalescing || entries == 1 || time == 0) {
        return false;
    }
    if (++vector->entries >= entries) {
        return false;
    }
    if (!sim_event_scheduled(&vector->timer)) {
        sim_queue_schedule(self->port->queue, &vector->timer,
                           nvme_model_now(self) + time * 100 * SIM_US, SIM_PRIO_NORMAL);
    }
    return true;
}

void nvme_model_irq_posted(NvmeCommand *command, NvmeCq *cq)
{
    NvmeModel *self = command->model;
    NvmeVector *vector = &self->vectors[cq->vector];
    SimTime now = nvme_model_now(self), when = now;
    unsigned vectors;
    SimIrqMode mode;

    if (!cq->interrupts) {
        return;
    }
    mode = mode_of(self, &vectors);
    if (mode == SIM_IRQ_INTX) {
        nvme_model_irq_level(self);
        return;
    }
    if (!nvme_model_stage(command, NVME_STAGE_MSIX, &when)) {
        return;
    }
    if (when > now) {
        sim_queue_schedule(self->port->queue, &vector->delayed, when, SIM_PRIO_NORMAL);
    } else if (!coalesce(self, cq, vector)) {
        fire(self, cq->vector, mode, vectors);
    }
}
