/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How Linux 6.1's nvme driver brings a controller up: registers, admin commands, in its order. */
#include "native-maps.h"

enum { REG_VS = 0x08, REG_CC = 0x14, REG_CSTS = 0x1c, ADMIN_ENTRIES = 32, DEPTH = 1024 };
enum { CC_SIZES = 6 << 16 | 4 << 20, CC_ENABLE = 1, VS_1_1 = 0x10100 };
#define POLL (1 * SIM_MS)

static bool enable(NativeController *self, GError **error)
{
    native_read(self, REG_CSTS);
    native_capabilities(self);
    native_read(self, REG_VS);
    native_write(self, REG_CC, 0);
    self->ready_timeout += 500 * SIM_MS;
    if (!native_wait_ready(self, false, POLL, error)) {
        return false;
    }
    native_admin_queues(self, ADMIN_ENTRIES);
    native_capabilities(self);
    self->ready_timeout += 500 * SIM_MS;
    native_write(self, REG_CC, CC_SIZES);
    native_read(self, REG_CC);
    native_read64(self, 0);
    native_write(self, REG_CC, CC_SIZES | CC_ENABLE);
    return native_wait_ready(self, true, POLL, error);
}

static bool get_log(NativeController *self, unsigned log, unsigned bytes, GError **error)
{
    NvmeSqe sqe = {.opcode = NVME_ADMIN_GET_LOG,
                   .nsid = log == NVME_LOG_SMART ? UINT32_MAX : 0,
                   .cdw10 = (bytes / 4 - 1) << 16 | log};
    NvmeCqe cqe;

    sqe.prp1 = host_memory_allocate(host_device_memory(self->device), bytes, NULL);
    return native_admin_any(self, &sqe, &cqe, error);
}

/* Between Identify and the queues; what fails is only logged. */
static bool set_features(NativeController *self, GError **error)
{
    HostMemory *memory = host_device_memory(self->device);
    NvmeCqe cqe;

    if (self->id.lpa & 2 && !get_log(self, NVME_LOG_EFFECTS, 4096, error)) {
        return false;
    }
    if (self->id.apsta) {
        NvmeSqe apst = {.opcode = NVME_ADMIN_SET_FEATURES,
                        .cdw10 = NVME_FEATURE_APST,
                        .cdw11 = 1,
                        .prp1 = host_memory_allocate(memory, 256, NULL)};

        if (!native_admin_any(self, &apst, &cqe, error)) {
            return false;
        }
    }
    if (!get_log(self, NVME_LOG_SMART, 512, error)) {
        return false;
    }
    if (self->id.oacs & NVME_OACS_SECURITY) {
        NvmeSqe opal = {.opcode = NVME_ADMIN_SECURITY_RECEIVE,
                        .cdw10 = 0x01000100,
                        .cdw11 = 2048,
                        .prp1 = host_memory_allocate(memory, 2048, NULL)};

        return native_admin_any(self, &opal, &cqe, error);
    }
    return true;
}

static bool create_queues(NativeController *self, GError **error)
{
    unsigned depth = self->parameters->io_queue_depth ? self->parameters->io_queue_depth : DEPTH;
    unsigned entries = MIN(self->queue_entries, depth);

    for (unsigned q = 1; q <= self->map.sqs; q++) {
        if (!native_create_cq(self, q, entries, error) ||
            !native_create_sq(self, q, entries, error)) {
            return false;
        }
    }
    return true;
}

static bool scan(NativeController *self, GError **error)
{
    if (native_read(self, REG_VS) >= VS_1_1) {
        if (!native_identify(self, 6, 0, NULL, true, error) ||
            !native_identify(self, 2, 0, NULL, true, error)) {
            return false;
        }
    } else if (!native_identify(self, 1, 0, NULL, true, error)) {
        return false;
    }
    for (int twice = 0; twice < 2; twice++) {
        if (!native_identify(self, 0, 1, &self->ns, false, error)) {
            return false;
        }
    }
    self->lba_shift = self->ns.lbaf[self->ns.flbas & 15] >> 16 & 0xff;
    return true;
}

bool linux_attach_with(NativeController *self,
                       void (*map)(NativeController *self, unsigned granted), GError **error)
{
    const NativeParameters *p = self->parameters;
    unsigned sqs = MIN(self->host.cpus + p->write_queues + p->poll_queues, NATIVE_QUEUES);
    unsigned cqs = sqs;

    if (!enable(self, error) || !native_identify(self, 1, 0, &self->id, false, error) ||
        !set_features(self, error) || !native_ask_queues(self, &sqs, &cqs, error)) {
        return false;
    }
    map(self, MIN(sqs, cqs));
    host_device_enable_vectors(self->device, self->map.vectors);
    if (!create_queues(self, error) || !scan(self, error)) {
        return false;
    }
    return !p->coalesce_entries || native_set_coalescing(self, error);
}

static void make_map(NativeController *self, unsigned granted)
{
    const NativeParameters *p = self->parameters;

    linux_6_1_map(&self->map, self->host.cpus, p->numa ? self->host.sockets : 1, granted,
                  host_device_vectors(self->device), p->write_queues, p->poll_queues,
                  self->shared->allocated);
}

static bool attach(NativeController *self, GError **error)
{
    return linux_attach_with(self, make_map, error);
}

static const char *const parameters[] = {
    "write_queues", "poll_queues", "io_queue_depth", "coalesce_entries", "coalesce_time",
    "numa",         NULL};

const NativeDriver linux_6_1 = {
    .name = "linux-6.1",
    .parameters = parameters,
    .generation_in_cid = true,
    .attach = attach,
};
