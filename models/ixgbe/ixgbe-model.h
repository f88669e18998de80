/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intel 82599 model: public API.
 * One port: registers, EEPROM, SFP+ module, receive and transmit engines, filters, MSI-X, MSI and
 * INTx, statistics.  Left out: header split, RSC, VMDq, SR-IOV, DCB, FCoE, IPsec, 1588, pause
 * frames (docs/ixgbe.md).
 * Not thread-safe: one thread makes every call. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "ixgbe/ixgbe-profile.h"
#include "pcie/pcie-link.h"
#include "sim/sim-port.h"
#include "wire/wire.h"

typedef struct IxgbeModel IxgbeModel;

/* What a device instance may override of its profile; NULL / 0 = as in the profile. */
typedef struct IxgbeModelOptions {
    const uint8_t *mac; /* 6 bytes; NULL: made from the device's name */
    const char *sfp;    /* "da", "sr" or "none" */
    unsigned lan_id;    /* number of the port on its card, 0 or 1 */
} IxgbeModelOptions;

/* @port: (transfer none), must outlive the model.  @function: (transfer none): the device's side of
 * its link.  @profile: copied.  @wire: (transfer none) (nullable): the port's end of a cable.
 * Returns the state after a power-on reset, or NULL and @error. */
IxgbeModel *ixgbe_model_new(const SimPort *port, PcieFunction *function,
                            const IxgbeProfile *profile, WireEnd *wire,
                            const IxgbeModelOptions *options, GError **error);
void ixgbe_model_free(IxgbeModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IxgbeModel, ixgbe_model_free)
const uint8_t *ixgbe_model_mac(const IxgbeModel *self); /* 6 bytes, as in the EEPROM */

/* A guest access to BAR0; @offset and @size in bytes (1, 2, 4, 8).  Cannot fail: a bad access gets
 * the answer that hardware would give.  A 64-bit write is two, low half first.  The MSI-X table and
 * PBA are the glue's.  [82599 §8.1] */
uint64_t ixgbe_model_mmio_read(IxgbeModel *self, uint64_t offset, unsigned size);
void ixgbe_model_mmio_write(IxgbeModel *self, uint64_t offset, uint64_t value, unsigned size);

/* Reset of the bus or the function. */
void ixgbe_model_reset(IxgbeModel *self);
/* The guest changed the interrupt mode or unmasked a vector. */
void ixgbe_model_irq_changed(IxgbeModel *self);
/* Bus mastering of the function was turned on or off: DMA that waited for it may start. */
void ixgbe_model_bus_master(IxgbeModel *self, bool on);

/* Writes counters and the link's ledger.  @at: "window-start", "window-end", "end". */
void ixgbe_model_record(IxgbeModel *self, const char *at);
/* One `sample` record. */
void ixgbe_model_sample(IxgbeModel *self);
/* Writes `identity` records: received = delivered + dropped by reason + waiting; returns held. */
bool ixgbe_model_check(IxgbeModel *self);
