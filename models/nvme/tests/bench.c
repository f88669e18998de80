/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"
#include <stdarg.h>
#include <string.h>
#include <glib/gstdio.h>
#include <unistd.h>

static uint8_t *window(Bench *self, uint64_t address, uint64_t bytes)
{
    if (address < BENCH_WINDOW && bytes <= BENCH_WINDOW - address) {
        return self->low + address;
    }
    if (address >= BENCH_HIGH && address - BENCH_HIGH < BENCH_WINDOW &&
        bytes <= BENCH_WINDOW - (address - BENCH_HIGH)) {
        return self->high + (address - BENCH_HIGH);
    }
    return NULL;
}

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    Bench *self = opaque;
    const uint8_t *from = window(self, iova, bytes);

    self->dma_reads++;
    if (from == NULL || self->bus_off) {
        return false;
    }
    memcpy(buf, from, bytes);
    return true;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    Bench *self = opaque;
    uint8_t *to = window(self, iova, bytes);

    self->dma_writes++;
    if (to == NULL || self->bus_off) {
        return false;
    }
    memcpy(to, buf, bytes);
    return true;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    const Bench *self = opaque;

    *vectors = self->vectors;
    return self->mode;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    Bench *self = opaque;

    if (self->masked) {
        return false;
    }
    self->raised[self->raised_n++ % BENCH_RAISED] = vector;
    return true;
}

static void set_intx(void *opaque, bool level)
{
    Bench *self = opaque;

    self->intx = level;
    self->intx_changes++;
}

static const SimPortOps ops = {dma_read, dma_write, irq_mode, raise_vector, set_intx};

/* Gen3 x4, MPS 128, MRRS 512, RCB 64, no DLLPs: what the ledger tests count by hand. */
static const PcieParams slot = {.generation = 3,
                                .lanes = 4,
                                .max_payload = 128,
                                .max_read_request = 512,
                                .rcb = 64,
                                .tags = 32,
                                .read_latency_ps = 700 * SIM_NS,
                                .write_latency_ps = 150 * SIM_NS,
                                .mmio_latency_ps = 150 * SIM_NS};

static void change(SimKeyfile *file, const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    size_t n;
    const SimParam *params = nvme_profile_params(&n);

    for (size_t i = 0; i < n; i++) {
        if (g_str_equal(params[i].key, parts[0])) {
            sim_keyfile_set(file, params[i].group, parts[0], parts[1]);
            return;
        }
    }
    cr_fatal("no key %s", parts[0]);
}

Bench *bench_new_with(const char *name, const NvmeModelOptions *options, ...)
{
    Bench *self = g_new0(Bench, 1);
    g_autofree char *path = g_strdup_printf("%s/%s.ini", NVME_PROFILES, name);
    g_autoptr(GError) error = NULL;
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, &error);
    va_list changes;
    const char *text;
    int handle;

    cr_assert(file != NULL, "%s", error != NULL ? error->message : "");
    va_start(changes, options);
    while ((text = va_arg(changes, const char *)) != NULL) {
        change(file, text);
    }
    va_end(changes);
    self->profile = nvme_profile_read(file, &error);
    cr_assert(self->profile != NULL, "%s", error != NULL ? error->message : "");
    handle = g_file_open_tmp("bench-XXXXXX", &self->telemetry_path, NULL);
    close(handle);
    g_unlink(self->telemetry_path);
    self->telemetry = sim_telemetry_new(self->telemetry_path, &error);
    cr_assert(self->telemetry != NULL, "%s", error != NULL ? error->message : "");
    self->queue = sim_queue_new();
    self->link = pcie_link_new(self->queue, "slot1", &slot);
    self->function = pcie_function_new(self->link, &(PcieFunctionParams){0});
    self->low = g_malloc0(BENCH_WINDOW);
    self->high = g_malloc0(BENCH_WINDOW);
    self->mode = SIM_IRQ_MSIX;
    self->vectors = (unsigned)self->profile->pci.msix_vectors;
    self->next_queue = 0x10000;
    self->port = (SimPort){.ops = &ops,
                           .opaque = self,
                           .queue = self->queue,
                           .telemetry = self->telemetry,
                           .device = "nvme0",
                           .seed = 7};
    self->model = nvme_model_new(&self->port, self->function, self->profile, options, &error);
    cr_assert(self->model != NULL, "%s", error != NULL ? error->message : "");
    return self;
}

void bench_free(Bench *self)
{
    if (self == NULL) {
        return;
    }
    nvme_model_free(self->model);
    pcie_function_free(self->function);
    pcie_link_free(self->link);
    sim_queue_free(self->queue);
    sim_telemetry_free(self->telemetry);
    g_unlink(self->telemetry_path);
    g_free(self->telemetry_path);
    nvme_profile_free(self->profile);
    g_free(self->low);
    g_free(self->high);
    g_free(self);
}

void *bench_memory(Bench *self, uint64_t address, uint64_t bytes)
{
    uint8_t *at = window(self, address, bytes);

    cr_assert(at != NULL, "no memory at %#" G_GINT64_MODIFIER "x", address);
    return at;
}

uint64_t bench_read(Bench *self, uint64_t offset, unsigned size)
{
    return nvme_model_mmio_read(self->model, offset, size);
}

void bench_write(Bench *self, uint64_t offset, uint64_t value, unsigned size)
{
    nvme_model_mmio_write(self->model, offset, value, size);
}

void bench_run(Bench *self, SimTime span)
{
    sim_queue_run(self->queue, sim_queue_now(self->queue) + span);
}

void bench_bus_master(Bench *self, bool on)
{
    self->bus_off = !on;
    nvme_model_bus_master(self->model, on);
}

uint32_t bench_csts(Bench *self)
{
    return (uint32_t)bench_read(self, 0x1c, 4);
}

unsigned bench_violations(Bench *self)
{
    return (unsigned)sim_telemetry_violations(self->telemetry, "nvme0");
}

static BenchQueue new_queue(Bench *self, uint64_t entry_bytes, uint32_t size)
{
    BenchQueue queue = {.base = self->next_queue, .size = size, .phase = true};
    uint64_t bytes = (size * entry_bytes + 4095) & ~UINT64_C(4095);

    memset(bench_memory(self, queue.base, bytes), 0, bytes);
    self->next_queue += bytes;
    cr_assert(self->next_queue <= BENCH_DATA);
    return queue;
}

void bench_enable_with(Bench *self, unsigned sqs, unsigned cqs)
{
    self->next_queue = 0x10000;
    self->sq[0] = new_queue(self, 64, sqs);
    self->cq[0] = new_queue(self, 16, cqs);
    bench_write(self, 0x24, (sqs - 1) | (cqs - 1) << 16, 4);
    bench_write(self, 0x28, self->sq[0].base, 8);
    bench_write(self, 0x30, self->cq[0].base, 8);
    bench_write(self, 0x14, 0x00460001, 4);
    bench_run(self, 30 * SIM_S);
    cr_assert(eq(uint, bench_csts(self) & 3, 1));
}

void bench_disable(Bench *self)
{
    bench_write(self, 0x14, 0x00460000, 4);
    bench_run(self, 30 * SIM_S);
    cr_assert(eq(uint, bench_csts(self) & 1, 0));
}

uint16_t bench_put(Bench *self, unsigned qid, NvmeSqe sqe)
{
    BenchQueue *sq = &self->sq[qid];

    if (sqe.cid == 0) {
        sqe.cid = ++self->next_cid;
    }
    memcpy(bench_memory(self, sq->base + sq->tail * 64, 64), &sqe, 64);
    sq->tail = (sq->tail + 1) % sq->size;
    return sqe.cid;
}

void bench_ring(Bench *self, unsigned qid)
{
    bench_write(self, 0x1000 + qid * 8, self->sq[qid].tail, 4);
}

uint16_t bench_submit(Bench *self, unsigned qid, NvmeSqe sqe)
{
    uint16_t cid = bench_put(self, qid, sqe);

    bench_ring(self, qid);
    return cid;
}

bool bench_peek(Bench *self, unsigned cqid, NvmeCqe *cqe)
{
    BenchQueue *cq = &self->cq[cqid];

    memcpy(cqe, bench_memory(self, cq->base + cq->head * 16, 16), 16);
    if ((cqe->status & 1) != cq->phase) {
        return false;
    }
    if (++cq->head == cq->size) {
        cq->head = 0;
        cq->phase = !cq->phase;
    }
    return true;
}

void bench_release(Bench *self, unsigned cqid)
{
    bench_write(self, 0x1004 + cqid * 8, self->cq[cqid].head, 4);
}

bool bench_reap(Bench *self, unsigned cqid, NvmeCqe *cqe)
{
    if (!bench_peek(self, cqid, cqe)) {
        return false;
    }
    bench_release(self, cqid);
    return true;
}

NvmeCqe bench_command(Bench *self, unsigned qid, unsigned cqid, NvmeSqe sqe)
{
    SimTime end = sim_queue_now(self->queue) + 10 * SIM_S;
    uint16_t cid = bench_submit(self, qid, sqe);
    NvmeCqe cqe;

    for (;;) {
        if (bench_reap(self, cqid, &cqe)) {
            cr_assert(eq(u16, cqe.cid, cid));
            cr_assert(eq(u16, cqe.sqid, (uint16_t)qid));
            return cqe;
        }
        cr_assert(sim_queue_deadline(self->queue) <= end, "no CQE for opcode %#x", sqe.opcode);
        sim_queue_run(self->queue, sim_queue_deadline(self->queue));
    }
}

unsigned bench_create_cq(Bench *self, unsigned qid, unsigned size, unsigned vector)
{
    self->cq[qid] = new_queue(self, 16, size);
    return bench_code(bench_admin(self, .opcode = 0x05, .prp1 = self->cq[qid].base,
                                  .cdw10 = qid | (size - 1) << 16, .cdw11 = 3 | vector << 16));
}

unsigned bench_create_sq(Bench *self, unsigned qid, unsigned size, unsigned cqid)
{
    self->sq[qid] = new_queue(self, 64, size);
    return bench_code(bench_admin(self, .opcode = 0x01, .prp1 = self->sq[qid].base,
                                  .cdw10 = qid | (size - 1) << 16, .cdw11 = 1 | cqid << 16));
}

void bench_start(Bench *self, unsigned size)
{
    bench_enable(self);
    cr_assert(eq(uint, bench_create_cq(self, 1, size, 1), 0));
    cr_assert(eq(uint, bench_create_sq(self, 1, size, 1), 0));
}

NvmeSqe bench_io(unsigned opcode, uint64_t slba, unsigned blocks, uint64_t prp1, uint64_t prp2)
{
    return (NvmeSqe){.opcode = (uint8_t)opcode,
                     .nsid = 1,
                     .prp1 = prp1,
                     .prp2 = prp2,
                     .cdw10 = (uint32_t)slba,
                     .cdw11 = (uint32_t)(slba >> 32),
                     .cdw12 = blocks - 1};
}

unsigned bench_rw(Bench *self, unsigned opcode, uint64_t slba, unsigned blocks, uint64_t prp1,
                  uint64_t prp2)
{
    return bench_code(bench_command(self, 1, 1, bench_io(opcode, slba, blocks, prp1, prp2)));
}

PcieCount bench_count(Bench *self, PciePurpose purpose, PcieDirection direction, PcieTlpType type)
{
    return pcie_function_count(self->function, purpose, direction, type);
}

void bench_check(Bench *self)
{
    cr_expect(nvme_model_check(self->model), "identities of the model");
    cr_expect(pcie_link_check(self->link, self->telemetry), "identities of the link");
}
