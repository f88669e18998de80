/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a device model asks of its host (QEMU glue, native mode, or a test bench).
 * A model never blocks in a call; time passes only by events in port->queue. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sim-queue.h"

typedef struct SimTelemetry SimTelemetry;

typedef enum { SIM_IRQ_NONE, SIM_IRQ_INTX, SIM_IRQ_MSI, SIM_IRQ_MSIX } SimIrqMode;

typedef struct SimPortOps {
    /* Moves @bytes between guest memory and @buf at once.  False: bus error (nothing at that address,
     * or bus mastering is off); a model answers as hardware would. */
    bool (*dma_read)(void *opaque, uint64_t iova, void *buf, size_t bytes);
    bool (*dma_write)(void *opaque, uint64_t iova, const void *buf, size_t bytes);
    /* The interrupt mode that the guest has set up now, and how many vectors it has enabled (>= 1 unless NONE). */
    SimIrqMode (*irq_mode)(void *opaque, unsigned *vectors);
    /* Sends the message of @vector (MSI or MSI-X).  False: masked; it stays pending in the PBA. */
    bool (*raise)(void *opaque, unsigned vector);
    void (*set_intx)(void *opaque, bool level);
    /* Optional: as dma_write of payload whose bytes nobody looks at; they are accounted, not moved.
     * NULL, or false: the bytes do matter, and dma_write says the rest. */
    bool (*dma_fill)(void *opaque, uint64_t iova, size_t bytes);
} SimPortOps;

typedef struct SimPort {
    const SimPortOps *ops;
    void *opaque;
    SimQueue *queue;         /* (transfer none) */
    SimTelemetry *telemetry; /* (transfer none) (nullable): nothing is recorded without it */
    const char *device;      /* name in the scenario, e.g. "nvme0"; in every record */
    uint64_t seed;           /* of the run */
} SimPort;

static inline SimTime sim_port_now(const SimPort *port) { return sim_queue_now(port->queue); }
