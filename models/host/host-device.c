/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/host-device.h"

#define CQE_BYTES 16

struct HostDevice {
    const char *name;
    HostMemory *memory;
    SimPort port;
    PcieFunction *function;
    NvmeModel *model;
    unsigned vectors, enabled;
    const HostDeviceOps *ops;
    void *opaque;
};

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    const HostDevice *self = opaque;

    return host_memory_read(self->memory, iova, buf, bytes);
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    HostDevice *self = opaque;

    if (!host_memory_write(self->memory, iova, buf, bytes)) {
        return false;
    }
    if (bytes == CQE_BYTES && self->ops && self->ops->posted) {
        self->ops->posted(self->opaque, iova);
    }
    return true;
}

static bool dma_fill(void *opaque, uint64_t iova, size_t bytes)
{
    const HostDevice *self = opaque;

    return host_memory_is_payload(self->memory, iova, bytes);
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    const HostDevice *self = opaque;

    *vectors = self->enabled;
    return self->enabled ? SIM_IRQ_MSIX : SIM_IRQ_NONE;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    const HostDevice *self = opaque;

    if (vector >= self->enabled || !self->ops) {
        return false;
    }
    self->ops->interrupt(self->opaque, vector);
    return true;
}

static void set_intx(void *opaque, bool level) {}

static const SimPortOps ops = {
    .dma_read = dma_read,
    .dma_write = dma_write,
    .dma_fill = dma_fill,
    .irq_mode = irq_mode,
    .raise = raise_vector,
    .set_intx = set_intx,
};

HostDevice *host_device_new(SimQueue *queue, HostMemory *memory, PcieLink *link,
                            const HostDeviceOptions *options, GError **error)
{
    HostDevice *self = g_new0(HostDevice, 1);
    PcieIdentity pci;
    PcieFunctionParams params;

    nvme_profile_pci(options->profile, &pci);
    params = pcie_identity_function(&pci);
    self->name = options->name;
    self->memory = memory;
    self->vectors = (unsigned)pci.msix_vectors;
    self->port = (SimPort){.ops = &ops,
                           .opaque = self,
                           .queue = queue,
                           .telemetry = options->telemetry,
                           .device = options->name,
                           .seed = options->seed};
    self->function = pcie_function_new(link, &params);
    self->model =
        nvme_model_new(&self->port, self->function, options->profile, &options->model, error);
    if (!self->model) {
        g_clear_pointer(&self, host_device_free);
    }
    return self;
}

void host_device_free(HostDevice *self)
{
    if (self) {
        g_clear_pointer(&self->model, nvme_model_free);
        g_clear_pointer(&self->function, pcie_function_free);
        g_free(self);
    }
}

void host_device_listen(HostDevice *self, const HostDeviceOps *device_ops, void *opaque)
{
    self->ops = device_ops;
    self->opaque = opaque;
}

NvmeModel *host_device_model(const HostDevice *self)
{
    return self->model;
}

const char *host_device_name(const HostDevice *self)
{
    return self->name;
}

HostMemory *host_device_memory(const HostDevice *self)
{
    return self->memory;
}

unsigned host_device_vectors(const HostDevice *self)
{
    return self->vectors;
}

void host_device_enable_vectors(HostDevice *self, unsigned n)
{
    self->enabled = MIN(n, self->vectors);
}
