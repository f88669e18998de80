/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How DragonFly's nvme driver brings a controller up: registers, admin commands, in its order. */
#include "native-maps.h"

#include <string.h>

enum { REG_CC = 0x14, REG_VS = 0x08, REG_CMBSZ = 0x3c, ENTRIES = 256 };
enum { CC_SIZES = 6 << 16 | 4 << 20, CC_ENABLE = 1 };
#define POLL (50 * SIM_MS)
enum { OACS_NAMESPACES = 8 };

static bool enable(NativeController *self, GError **error)
{
    if (native_read(self, REG_CC) & CC_ENABLE) {
        native_write(self, REG_CC, native_read(self, REG_CC) & ~(uint32_t)CC_ENABLE);
        self->ready_timeout = 5 * SIM_S;
        if (!native_wait_ready(self, false, POLL, error)) {
            return false;
        }
    }
    native_read(self, REG_VS);
    native_capabilities(self);
    native_admin_queues(self, ENTRIES);
    native_write(self, REG_CC, CC_SIZES);
    native_read(self, REG_CMBSZ);
    native_write(self, REG_CC, CC_SIZES | CC_ENABLE);
    return native_wait_ready(self, true, POLL, error);
}

static bool make_map(NativeController *self, GError **error)
{
    bool june = self->driver == &dragonfly_2016_06;
    unsigned cpus = self->host.cpus, vectors = host_device_vectors(self->device);
    unsigned sqs = MIN(june ? 4 * cpus + 2 : 2 * cpus, 1023);
    unsigned cqs = MIN(june ? cpus + 2 : cpus, 1023);

    if (self->parameters->vectors) {
        vectors = MIN(vectors, self->parameters->vectors);
    }
    if (vectors == 1) {
        cqs = MIN(cqs, 4);
    }
    if (!native_ask_queues(self, &sqs, &cqs, error)) {
        return false;
    }
    if (june) {
        dragonfly_2016_06_map(&self->map, cpus, sqs, cqs, vectors);
    } else {
        dragonfly_2016_07_map(&self->map, cpus, sqs, cqs, vectors, &self->shared->last);
    }
    host_device_enable_vectors(self->device, self->map.vectors);
    return true;
}

/* A power of two, at most 256: the driver preallocates a PRP table for each entry. */
static unsigned ring_entries(const NativeController *self)
{
    unsigned entries = ENTRIES;

    while (entries > self->queue_entries) {
        entries /= 2;
    }
    return entries;
}

bool dragonfly_attach(NativeController *self, GError **error)
{
    unsigned entries;

    if (!enable(self, error) || !native_identify(self, 1, 0, &self->id, true, error) ||
        !make_map(self, error)) {
        return false;
    }
    entries = ring_entries(self);
    for (unsigned q = 1; q <= self->map.cqs; q++) {
        if (!native_create_cq(self, q, entries, error)) {
            return false;
        }
    }
    for (unsigned q = 1; q <= self->map.sqs; q++) {
        if (!native_create_sq(self, q, entries, error)) {
            return false;
        }
    }
    if (!native_set_coalescing(self, error)) {
        return false;
    }
    if ((self->id.oacs & OACS_NAMESPACES || self->driver == &dragonfly_2016_06) &&
        !native_identify(self, 2, 0, NULL, true, error)) {
        return false;
    }
    if (!native_identify(self, 0, 1, &self->ns, false, error)) {
        return false;
    }
    self->lba_shift = self->ns.lbaf[self->ns.flbas & 15] >> 16 & 0xff;
    return true;
}

static const char *const parameters[] = {"physio", "vectors", "coalesce_entries", "coalesce_time",
                                         NULL};

const NativeDriver dragonfly_2016_07 = {
    .name = "dragonfly-2016-07",
    .parameters = parameters,
    .wide_registers = true,
    .doorbell_each_cqe = true,
    .poll_ps = SIM_S,
    .attach = dragonfly_attach,
};
