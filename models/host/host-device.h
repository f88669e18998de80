/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device model in native mode: its SimPort on HostMemory, and its MSI-X messages as calls. */
#pragma once
#include "host/host-memory.h"
#include "nvme/nvme-model.h"

typedef struct HostDevice HostDevice;

/* What the driver of the device hears. */
typedef struct HostDeviceOps {
    void (*interrupt)(void *opaque, unsigned vector);
    /* (nullable) A CQE (16 bytes at @address) is in memory; before its interrupt. */
    void (*posted)(void *opaque, uint64_t address);
} HostDeviceOps;

typedef struct HostDeviceOptions {
    const char *name; /* in the scenario; must outlive the device */
    const NvmeProfile *profile;
    NvmeModelOptions model;
    SimTelemetry *telemetry;
    uint64_t seed;
} HostDeviceOptions;

/* @memory, @link and what @options holds for the telemetry must outlive it. */
HostDevice *host_device_new(SimQueue *queue, HostMemory *memory, PcieLink *link,
                            const HostDeviceOptions *options, GError **error);
void host_device_free(HostDevice *self);
void host_device_listen(HostDevice *self, const HostDeviceOps *ops, void *opaque);
NvmeModel *host_device_model(const HostDevice *self);
const char *host_device_name(const HostDevice *self);
HostMemory *host_device_memory(const HostDevice *self);
unsigned host_device_vectors(const HostDevice *self); /* of the MSI-X table */
void host_device_enable_vectors(HostDevice *self, unsigned n);
