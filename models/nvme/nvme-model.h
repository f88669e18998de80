/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NVMe controller model: public API.
 * Implements [NVMe-1.0e] and [NVMe-1.1b] controllers: admin and NVM command sets, PRPs, MSI-X, MSI and INTx.
 * Left out: SGL, CMB, reservations, metadata formats (docs/nvme.md).
 * Not thread-safe: one thread makes every call. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "pcie/pcie-link.h"
#include "sim/sim-port.h"
#include "nvme/nvme-profile.h"

typedef struct NvmeModel NvmeModel;

/* What a device instance may override of its profile; NULL / 0 / false = as in the profile. */
typedef struct NvmeModelOptions {
    const char *serial;       /* 1 … 20 ASCII characters */
    bool fill_random;         /* unwritten blocks read as mapped pseudo-random data (seed, LBA), not as unmapped zeros */
    uint64_t store_limit_bytes; /* written blocks kept in memory before an unlinked file takes the rest; 0 = 256 MiB */
    const char *const *faults;  /* NULL-ended, sim-fault.h */
} NvmeModelOptions;

/* @port: (transfer none), must outlive the model. @function: (transfer none): the device's side of its link, must outlive it.
 * @profile: copied.  Returns the state after a power-on reset (CSTS.RDY=0), or NULL and @error. */
NvmeModel *nvme_model_new(const SimPort *port, PcieFunction *function, const NvmeProfile *profile, const NvmeModelOptions *options, GError **error);
void nvme_model_free(NvmeModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NvmeModel, nvme_model_free)

/* A guest access to BAR0; @offset and @size in bytes (1, 2, 4, 8).  Cannot fail: a bad access gets the answer that hardware
 * would give, and is recorded as a violation.  The MSI-X table and PBA are the glue's.  [NVMe-1.1 §3.1] */
uint64_t nvme_model_mmio_read(NvmeModel *self, uint64_t offset, unsigned size);
void nvme_model_mmio_write(NvmeModel *self, uint64_t offset, uint64_t value, unsigned size);

typedef enum { NVME_RESET_POWER_ON, NVME_RESET_FUNCTION } NvmeReset; /* both: conventional or function level; AQA/ASQ/ACQ = 0 */
void nvme_model_reset(NvmeModel *self, NvmeReset kind);
/* The guest changed the interrupt mode or unmasked a vector: pending INTx level is worked out anew. */
void nvme_model_irq_changed(NvmeModel *self);

/* The guest set or cleared Bus Master Enable; it is set at first.  While it is clear no memory is read or written: commands
 * wait, and go on when it is set again, or a reset discards them.  [NVMe-1.1 §2.1.2] */
void nvme_model_bus_master(NvmeModel *self, bool on);

/* Writes counters, latency histograms and the link's ledger.  @at: "window-start", "window-end", "end". */
void nvme_model_record(NvmeModel *self, const char *at);
/* One `sample` record. */
void nvme_model_sample(NvmeModel *self);
/* Writes `identity` records of design §8; returns whether all held. */
bool nvme_model_check(NvmeModel *self);
