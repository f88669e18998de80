/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controller as a driver brings it up: registers, admin commands, queues. */
#include <string.h>

#include "native-io.h"

enum {
    REG_CAP = 0x00,
    REG_AQA = 0x24,
    REG_ASQ = 0x28,
    REG_ACQ = 0x30,
    REG_CSTS = 0x1c,
};

GQuark native_error_quark(void)
{
    return g_quark_from_static_string("native-error");
}

/* --- Registers --- */

uint32_t native_read(NativeController *self, unsigned offset)
{
    return (uint32_t)nvme_model_mmio_read(host_device_model(self->device), offset, 4);
}

void native_write(NativeController *self, unsigned offset, uint32_t value)
{
    nvme_model_mmio_write(host_device_model(self->device), offset, value, 4);
}

uint64_t native_read64(NativeController *self, unsigned offset)
{
    uint64_t low;

    if (self->driver->wide_registers) {
        return nvme_model_mmio_read(host_device_model(self->device), offset, 8);
    }
    low = native_read(self, offset);
    return low | (uint64_t)native_read(self, offset + 4) << 32;
}

void native_write64(NativeController *self, unsigned offset, uint64_t value)
{
    if (self->driver->wide_registers) {
        nvme_model_mmio_write(host_device_model(self->device), offset, value, 8);
    } else {
        native_write(self, offset, (uint32_t)value);
        native_write(self, offset + 4, (uint32_t)(value >> 32));
    }
}

void native_capabilities(NativeController *self)
{
    uint64_t cap = native_read64(self, REG_CAP);

    self->queue_entries = (unsigned)(cap & 0xffff) + 1;
    self->ready_timeout = (cap >> 24 & 0xff) * 500 * SIM_MS;
}

bool native_wait_ready(NativeController *self, bool ready, SimTime step, GError **error)
{
    SimTime begin = sim_queue_now(self->queue);

    while ((native_read(self, REG_CSTS) & 1) != ready) {
        SimTime now = sim_queue_now(self->queue);

        if (now - begin > self->ready_timeout || now > self->give_up) {
            g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_ATTACH,
                        "%s: the controller does not become %s", host_device_name(self->device),
                        ready ? "ready" : "disabled");
            return false;
        }
        sim_queue_run(self->queue, now + step);
    }
    return true;
}

/* --- Admin queue --- */

void native_admin_queues(NativeController *self, unsigned entries)
{
    native_sq_init(self, 0, entries, entries);
    native_cq_init(self, 0, entries);
    native_write(self, REG_AQA, (entries - 1) << 16 | (entries - 1));
    native_write64(self, REG_ASQ, self->sqs[0].address);
    native_write64(self, REG_ACQ, self->cqs[0].address);
}

bool native_admin_any(NativeController *self, NvmeSqe *sqe, NvmeCqe *cqe, GError **error)
{
    NativeSq *sq = &self->sqs[0];
    NativeCq *cq = &self->cqs[0];
    SimTime end = sim_queue_now(self->queue) + 60 * SIM_S;

    sqe->cid = (uint16_t)(sq->tail & 0xff);
    native_sq_put(self, sq, sqe);
    while (!native_cq_peek(cq)) {
        SimTime next = sim_queue_deadline(self->queue);

        if (next > end || next > self->give_up) {
            g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_ATTACH,
                        "%s: admin command %02xh is not answered", host_device_name(self->device),
                        sqe->opcode);
            return false;
        }
        sim_queue_run(self->queue, next);
    }
    *cqe = *native_cq_peek(cq);
    native_cq_advance(cq);
    native_cq_ring(self, cq);
    return true;
}

bool native_admin(NativeController *self, NvmeSqe *sqe, NvmeCqe *cqe, const char *what,
                  GError **error)
{
    if (!native_admin_any(self, sqe, cqe, error)) {
        return false;
    }
    if (cqe->status >> 1) {
        g_set_error(error, NATIVE_ERROR, NATIVE_ERROR_ATTACH, "%s: %s: status %03xh",
                    host_device_name(self->device), what, cqe->status >> 1);
        return false;
    }
    return true;
}

bool native_identify(NativeController *self, unsigned cns, unsigned nsid, void *to, bool any,
                     GError **error)
{
    HostMemory *memory = host_device_memory(self->device);
    void *page = NULL;
    uint64_t address = host_memory_allocate(memory, HOST_PAGE_BYTES, &page);
    NvmeSqe sqe = {.opcode = NVME_ADMIN_IDENTIFY, .nsid = nsid, .prp1 = address, .cdw10 = cns};
    NvmeCqe cqe;

    if (any ? !native_admin_any(self, &sqe, &cqe, error)
            : !native_admin(self, &sqe, &cqe, "Identify", error)) {
        return false;
    }
    if (to) {
        memcpy(to, page, HOST_PAGE_BYTES);
    }
    return true;
}

bool native_ask_queues(NativeController *self, unsigned *sqs, unsigned *cqs, GError **error)
{
    NvmeSqe sqe = {.opcode = NVME_ADMIN_SET_FEATURES,
                   .cdw10 = NVME_FEATURE_QUEUES,
                   .cdw11 = (*cqs - 1) << 16 | (*sqs - 1)};
    NvmeCqe cqe;

    if (!native_admin(self, &sqe, &cqe, "Set Features 07h", error)) {
        return false;
    }
    *sqs = MIN((cqe.dw0 & 0xffff) + 1, *sqs);
    *cqs = MIN((cqe.dw0 >> 16) + 1, *cqs);
    return true;
}

bool native_set_coalescing(NativeController *self, GError **error)
{
    NvmeSqe sqe = {.opcode = NVME_ADMIN_SET_FEATURES,
                   .cdw10 = NVME_FEATURE_COALESCING,
                   .cdw11 =
                       self->parameters->coalesce_time << 8 | self->parameters->coalesce_entries};
    NvmeCqe cqe;

    return native_admin(self, &sqe, &cqe, "Set Features 08h", error);
}

bool native_create_cq(NativeController *self, unsigned qid, unsigned entries, GError **error)
{
    NvmeSqe sqe = {.opcode = NVME_ADMIN_CREATE_CQ, .cdw10 = (entries - 1) << 16 | qid};
    bool polled = self->map.polled[qid];
    NvmeCqe cqe;

    native_cq_init(self, qid, entries);
    sqe.prp1 = self->cqs[qid].address;
    sqe.cdw11 = 1 | (polled ? 0 : 2) | (polled ? 0u : (unsigned)self->map.vector_of[qid] << 16);
    return native_admin(self, &sqe, &cqe, "Create I/O Completion Queue", error);
}

bool native_create_sq(NativeController *self, unsigned qid, unsigned entries, GError **error)
{
    NvmeSqe sqe = {.opcode = NVME_ADMIN_CREATE_SQ, .cdw10 = (entries - 1) << 16 | qid};
    NvmeCqe cqe;

    native_sq_init(self, qid, entries, entries - 1);
    sqe.prp1 = self->sqs[qid].address;
    sqe.cdw11 = 1 | (unsigned)self->map.cq_of[qid] << 16;
    return native_admin(self, &sqe, &cqe, "Create I/O Submission Queue", error);
}
