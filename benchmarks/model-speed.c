/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Speed of the NVMe model without QEMU: a closed loop of 4 KiB random reads on all I/O queues, with
 * ledgers, counters and histograms as in a run.  What a driver does here is the least that keeps
 * the queues full: no cpu of the guest is modelled, and none takes time.
 *
 * Three times: with data that are made and moved, with zeros that are moved, and with data that are
 * accounted only, as in a mode without a guest. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "nvme/nvme-model.h"
#include "nvme/nvme-spec.h"

enum {
    QUEUES = 31,
    DEPTH = 64,
    ENTRIES = 128, /* of a queue: DEPTH and room */
    BLOCK = 4096,
    LBA_BYTES = 512,
    SPAN_BLOCKS = 1 << 18, /* 1 GiB */
    CC_ENABLE = 0x00460001,
};
/* Memory of the guest: the queues (an SQ and a CQ each, in pages), then a buffer for each command.
 */
#define SQ_BYTES ((uint64_t)ENTRIES * sizeof(NvmeSqe))
#define CQ_BYTES ((uint64_t)4096)
#define BUFFERS ((QUEUES + 1) * (SQ_BYTES + CQ_BYTES))
#define MEMORY_BYTES (BUFFERS + (uint64_t)QUEUES * DEPTH * BLOCK)

/* One queue pair as its driver sees it. */
typedef struct Pair {
    NvmeSqe *sq;
    const NvmeCqe *cq;
    unsigned qid, tail, head;
    uint16_t phase;
} Pair;

typedef struct Loop {
    uint8_t *memory;
    SimQueue *queue;
    NvmeModel *model;
    Pair pairs[QUEUES + 1];
    uint64_t random, submitted, completed, wanted, errors;
    bool skip; /* the data of I/O commands are accounted, not moved */
} Loop;

/* slot2 of the machine profile xeon-2620v4-x2. */
static const PcieParams slot = {.generation = 3,
                                .lanes = 8,
                                .max_payload = 256,
                                .max_read_request = 512,
                                .rcb = 64,
                                .completion_max = 64,
                                .tags = 32,
                                .read_latency_ps = 700 * SIM_NS,
                                .write_latency_ps = 150 * SIM_NS,
                                .mmio_latency_ps = 150 * SIM_NS,
                                .ack_every = 4,
                                .fc_every = 4};

/* --- What the model asks of its host --- */

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    const Loop *self = opaque;

    if (iova > MEMORY_BYTES || bytes > MEMORY_BYTES - iova) {
        return false;
    }
    memcpy(buf, self->memory + iova, bytes);
    return true;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    Loop *self = opaque;

    if (iova > MEMORY_BYTES || bytes > MEMORY_BYTES - iova) {
        return false;
    }
    memcpy(self->memory + iova, buf, bytes);
    return true;
}

/* Nobody looks at the data; the rest matters. */
static bool dma_fill(void *opaque, uint64_t iova, size_t bytes)
{
    const Loop *self = opaque;

    return self->skip && iova >= BUFFERS && iova <= MEMORY_BYTES && bytes <= MEMORY_BYTES - iova;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = QUEUES + 1;
    return SIM_IRQ_MSIX;
}

/* --- The driver --- */

static void submit(Pair *pair, NvmeSqe sqe)
{
    pair->sq[pair->tail] = sqe;
    pair->tail = (pair->tail + 1) % ENTRIES;
}

static void ring(Loop *self, const Pair *pair, bool cq)
{
    nvme_model_mmio_write(self->model, 0x1000 + pair->qid * 8 + (cq ? 4 : 0),
                          cq ? pair->head : pair->tail, 4);
}

static void submit_read(Loop *self, Pair *pair, unsigned cid)
{
    uint64_t buffer = (uint64_t)(pair->qid - 1) * DEPTH + cid, block;

    self->random = self->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    block = (self->random >> 33) % SPAN_BLOCKS;
    submit(pair, (NvmeSqe){.opcode = NVME_IO_READ,
                           .cid = (uint16_t)cid,
                           .nsid = 1,
                           .prp1 = BUFFERS + buffer * BLOCK,
                           .cdw10 = (uint32_t)(block * (BLOCK / LBA_BYTES)),
                           .cdw12 = BLOCK / LBA_BYTES - 1});
    self->submitted++;
}

/* The interrupt of @vector: all that is new on its queue, and for each command the next one. */
static bool interrupt(void *opaque, unsigned vector)
{
    Loop *self = opaque;
    Pair *pair = &self->pairs[vector];
    unsigned tail = pair->tail, head = pair->head;

    while ((pair->cq[pair->head].status & 1) == pair->phase) {
        const NvmeCqe *cqe = &pair->cq[pair->head];

        self->errors += cqe->status >> 1 != 0;
        if (pair->qid > 0) {
            self->completed++;
            if (self->submitted < self->wanted) {
                submit_read(self, pair, cqe->cid);
            }
        }
        pair->head = (pair->head + 1) % ENTRIES;
        pair->phase ^= pair->head == 0;
    }
    if (pair->head != head) {
        ring(self, pair, true);
    }
    if (pair->tail != tail) {
        ring(self, pair, false);
    }
    return true;
}

static void set_intx(void *opaque, bool level) {}

static const SimPortOps ops = {
    .dma_read = dma_read,
    .dma_write = dma_write,
    .dma_fill = dma_fill,
    .irq_mode = irq_mode,
    .raise = interrupt,
    .set_intx = set_intx,
};

static void run_admin(Loop *self, uint8_t opcode, uint64_t address, uint32_t cdw10, uint32_t cdw11)
{
    Pair *admin = &self->pairs[0];
    unsigned head = admin->head;

    submit(admin, (NvmeSqe){.opcode = opcode, .prp1 = address, .cdw10 = cdw10, .cdw11 = cdw11});
    ring(self, admin, false);
    while (admin->head == head) {
        g_assert(sim_queue_deadline(self->queue) != SIM_TIME_NEVER);
        sim_queue_run(self->queue, sim_queue_deadline(self->queue));
    }
    g_assert(self->errors == 0);
}

static void start(Loop *self)
{
    for (unsigned q = 0; q <= QUEUES; q++) {
        uint64_t sq = q * (SQ_BYTES + CQ_BYTES), cq = sq + SQ_BYTES;

        self->pairs[q] = (Pair){.sq = (NvmeSqe *)(self->memory + sq),
                                .cq = (const NvmeCqe *)(self->memory + cq),
                                .qid = q,
                                .phase = 1};
        if (q == 0) {
            nvme_model_mmio_write(self->model, 0x24, (ENTRIES - 1) * UINT64_C(0x10001), 4);
            nvme_model_mmio_write(self->model, 0x28, sq, 8);
            nvme_model_mmio_write(self->model, 0x30, cq, 8);
            nvme_model_mmio_write(self->model, 0x14, CC_ENABLE, 4);
            sim_queue_run(self->queue, sim_queue_now(self->queue) + 60 * SIM_S);
            continue;
        }
        run_admin(self, NVME_ADMIN_CREATE_CQ, cq, q | (ENTRIES - 1) << 16, 3 | q << 16);
        run_admin(self, NVME_ADMIN_CREATE_SQ, sq, q | (ENTRIES - 1) << 16, 1 | q << 16);
    }
}

/* Keeps DEPTH reads outstanding on each queue until @ios more have completed. */
static void run_reads(Loop *self, uint64_t ios)
{
    self->wanted = self->submitted + ios;
    for (unsigned q = 1; q <= QUEUES; q++) {
        for (unsigned cid = 0; cid < DEPTH && self->submitted < self->wanted; cid++) {
            submit_read(self, &self->pairs[q], cid);
        }
        ring(self, &self->pairs[q], false);
    }
    while (self->completed < self->wanted) {
        g_assert(sim_queue_deadline(self->queue) != SIM_TIME_NEVER);
        sim_queue_run(self->queue, sim_queue_deadline(self->queue));
    }
}

/* --- Figures --- */

static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

typedef struct Case {
    const char *name;
    bool random, skip;
} Case;

static bool measure(const NvmeProfile *profile, const Case *payload, uint64_t ios, GError **error)
{
    g_autofree uint8_t *memory = g_malloc0(MEMORY_BYTES);
    uint64_t before = allocated_bytes();
    g_autoptr(SimQueue) queue = sim_queue_new();
    g_autoptr(PcieLink) link = pcie_link_new(queue, "slot", &slot);
    g_autoptr(PcieFunction) function = pcie_function_new(link, &(PcieFunctionParams){0});
    Loop loop = {.memory = memory, .queue = queue, .random = 1, .skip = payload->skip};
    const SimPort port = {
        .ops = &ops, .opaque = &loop, .queue = queue, .device = "nvme0", .seed = 1};
    const NvmeModelOptions options = {.fill_random = payload->random};
    g_autoptr(NvmeModel) model = nvme_model_new(&port, function, profile, &options, error);
    double wall, cpu;
    SimTime model_ps;

    if (!model) {
        return false;
    }
    loop.model = model;
    start(&loop);
    run_reads(&loop, ios / 10 + 1);
    wall = seconds(CLOCK_MONOTONIC);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    model_ps = sim_queue_now(queue);
    run_reads(&loop, ios);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    model_ps = sim_queue_now(queue) - model_ps;
    printf("%-17s %8.0f I/O a host second  %8.0f a second of its cpu  %8.0f a model second  "
           "%6.0f KiB\n",
           payload->name, (double)ios / wall, (double)ios / cpu,
           (double)ios * SIM_S / (double)model_ps, (double)(allocated_bytes() - before) / 1024);
    if (loop.errors > 0 || !nvme_model_check(model) || !pcie_link_check(link, NULL)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                    "an error status, or an identity that does not hold");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static const Case cases[] = {{"random, moved", true, false},
                                 {"zeros, moved", false, false},
                                 {"random, not moved", true, true}};
    uint64_t ios = argc > 1 ? g_ascii_strtoull(argv[1], NULL, 10) : 2000000;
    g_autoptr(GError) error = NULL;
    g_autoptr(NvmeProfile) profile = NULL;

    if (ios == 0) {
        fputs("Usage: model-speed [IOS [PROFILE.ini]]\n", stderr);
        return 2;
    }
    profile = nvme_profile_load(argc > 2 ? argv[2] : NVME_PROFILES "/intel-750.ini", &error);
    printf("%d queues, %d deep, 4 KiB random reads, %" G_GUINT64_FORMAT " of them; memory: the "
           "model's, its queue's and link's\n",
           QUEUES, DEPTH, ios);
    for (size_t i = 0; profile && !error && i < G_N_ELEMENTS(cases); i++) {
        measure(profile, &cases[i], ios, &error);
    }
    if (error) {
        fprintf(stderr, "model-speed: %s\n", error->message);
        return 1;
    }
    return 0;
}
