/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a guest that may do anything.  The input is a program of small steps: register
 * and doorbell accesses, writes to guest memory, well-formed and random commands, time, resets,
 * interrupt modes, bus mastery, a bus that fails.  Run by ./fuzz under ASan and UBSan.  Identities
 * must hold at the end, and no memory is touched without bus mastery. */
#include "nvme/nvme-internal.h"
#include <string.h>

enum { MEMORY = 1 << 18, PROFILES = 3 };

typedef struct Fuzz {
    const uint8_t *data;
    size_t left;
    uint8_t *memory;
    SimIrqMode mode;
    unsigned vectors;
    bool masked;
    bool bus_off;       /* no bus mastery */
    uint8_t fail_every; /* 0 = the bus never fails */
    unsigned accesses;
    uint64_t rubbish;
} Fuzz;

static NvmeProfile *profiles[PROFILES];
static const PcieParams slot = {.generation = 3,
                                .lanes = 4,
                                .max_payload = 128,
                                .max_read_request = 512,
                                .rcb = 64,
                                .tags = 32,
                                .read_latency_ps = 700 * SIM_NS,
                                .write_latency_ps = 150 * SIM_NS,
                                .mmio_latency_ps = 150 * SIM_NS,
                                .ack_every = 4,
                                .fc_every = 4};

static uint64_t take(Fuzz *f, unsigned bytes)
{
    uint64_t value = 0;

    bytes = MIN(bytes, f->left);
    memcpy(&value, f->data, bytes);
    f->data += bytes;
    f->left -= bytes;
    return value;
}

static bool bus_fails(Fuzz *f)
{
    g_assert(!f->bus_off);
    f->accesses++;
    return f->fail_every != 0 && f->accesses % f->fail_every == 0;
}

/* Memory wraps: every address below 2^40 has something. */
static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    Fuzz *f = opaque;

    if (bus_fails(f) || iova >> 40 != 0) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)buf)[i] = f->memory[(iova + i) % MEMORY];
    }
    return true;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    Fuzz *f = opaque;

    if (bus_fails(f) || iova >> 40 != 0) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        f->memory[(iova + i) % MEMORY] = ((const uint8_t *)buf)[i];
    }
    return true;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    const Fuzz *f = opaque;

    *vectors = f->vectors;
    return f->mode;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    const Fuzz *f = opaque;

    g_assert(vector < 2048);
    return !f->masked;
}

static void set_intx(void *opaque, bool level) {}

static const SimPortOps ops = {dma_read, dma_write, irq_mode, raise_vector, set_intx};

static void enable(NvmeModel *model, SimQueue *queue)
{
    nvme_model_mmio_write(model, 0x14, 0, 4);
    sim_queue_run(queue, sim_queue_now(queue) + SIM_S);
    nvme_model_mmio_write(model, 0x24, 0x001f001f, 4);
    nvme_model_mmio_write(model, 0x28, 0x1000, 8);
    nvme_model_mmio_write(model, 0x30, 0x2000, 8);
    nvme_model_mmio_write(model, 0x14, 0x00460001, 4);
    sim_queue_run(queue, sim_queue_now(queue) + 3 * SIM_S);
}

/* A command in slot @slot_number of the ring at (1 + 2 qid) pages. */
static void put_command(Fuzz *f, unsigned qid, unsigned number)
{
    NvmeSqe sqe = {0};
    static const uint8_t opcodes[] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 0x10, 0x11, 0x80, 0x81, 0x82};
    uint8_t kind = (uint8_t)take(f, 1);

    if (kind & 0x80) {
        uint8_t raw[64];
        for (unsigned i = 0; i < 64; i += 8) {
            uint64_t word = take(f, 8);
            memcpy(raw + i, &word, 8);
        }
        memcpy(&sqe, raw, 64);
    } else {
        sqe.opcode = opcodes[kind % G_N_ELEMENTS(opcodes)];
        sqe.cid = (uint16_t)take(f, 1);
        sqe.nsid = kind & 0x40 ? (uint32_t)take(f, 4) : 1;
        sqe.prp1 = take(f, 3);
        sqe.prp2 = take(f, 3) & ~UINT64_C(3);
        sqe.cdw10 = (uint32_t)take(f, 4);
        sqe.cdw11 = (uint32_t)take(f, 4);
        sqe.cdw12 = (uint32_t)take(f, 2);
    }
    memcpy(f->memory + ((1 + 2 * qid) * 4096 + number % 64 * 64) % MEMORY, &sqe, sizeof sqe);
}

static void put_queue(Fuzz *f, unsigned number)
{
    unsigned qid = (unsigned)take(f, 1) % 5, size = 1 + (unsigned)take(f, 1) % 63;
    NvmeSqe cq = {.opcode = 5,
                  .cid = 1000,
                  .prp1 = (2 + 2 * qid) * 4096,
                  .cdw10 = qid | size << 16,
                  .cdw11 = 3 | (uint32_t)(take(f, 1) % 4) << 16};
    NvmeSqe sq = {.opcode = 1,
                  .cid = 1001,
                  .prp1 = (1 + 2 * qid) * 4096,
                  .cdw10 = qid | size << 16,
                  .cdw11 = 1 | (uint32_t)(1 + take(f, 1) % 3) << 16};

    memcpy(f->memory + 4096 + number % 32 * 64, &cq, sizeof cq);
    memcpy(f->memory + 4096 + (number + 1) % 32 * 64, &sq, sizeof sq);
}

static void step(Fuzz *f, NvmeModel *model, SimQueue *queue, unsigned *number)
{
    static const SimTime units[] = {SIM_NS, SIM_US, 20 * SIM_US, SIM_MS, 100 * SIM_MS, 3 * SIM_S};
    uint64_t address;
    uint8_t what;

    switch (take(f, 1) % 16) {
    case 0:
        nvme_model_mmio_read(model, take(f, 2), 1u << take(f, 1) % 4);
        break;
    case 1:
        address = take(f, 2);
        nvme_model_mmio_write(model, address, take(f, 8), 1u << take(f, 1) % 4);
        break;
    case 2:
        address = take(f, 1) % 0x40;
        nvme_model_mmio_write(model, address, take(f, 4), 4);
        break;
    case 3:
    case 4:
        address = take(f, 1) % 16;
        nvme_model_mmio_write(model, 0x1000 + address * 4, take(f, 1) % 80, 4);
        break;
    case 5:
    case 6:
        put_command(f, (unsigned)take(f, 1) % 5, (*number)++);
        break;
    case 7:
        put_queue(f, *number);
        *number += 2;
        nvme_model_mmio_write(model, 0x1000, *number % 32, 4);
        break;
    case 8:
        nvme_model_mmio_write(model, 0x1000 + take(f, 1) % 5 * 8, *number % 32, 4);
        break;
    case 9:
    case 10: {
        SimTime span = units[take(f, 1) % G_N_ELEMENTS(units)];
        sim_queue_run(queue, sim_queue_now(queue) + span * (1 + take(f, 1)));
        break;
    }
    case 11:
        address = take(f, 3);
        for (unsigned n = (unsigned)take(f, 1) % 32; n > 0; n--) {
            f->memory[address++ % MEMORY] = (uint8_t)take(f, 1);
        }
        break;
    case 12:
        f->mode = (SimIrqMode)(take(f, 1) % 4);
        f->vectors = 1 + (unsigned)take(f, 1) % 9;
        what = (uint8_t)take(f, 1);
        f->masked = what & 1;
        f->bus_off = what & 2;
        nvme_model_bus_master(model, !f->bus_off);
        nvme_model_irq_changed(model);
        break;
    case 13:
        f->fail_every = (uint8_t)take(f, 1);
        break;
    case 14:
        if (take(f, 1) % 8 == 0) {
            nvme_model_reset(model, take(f, 1) & 1 ? NVME_RESET_POWER_ON : NVME_RESET_FUNCTION);
        } else {
            enable(model, queue);
            *number = 0;
        }
        break;
    case 15:
        nvme_model_record(model, "end");
        nvme_model_sample(model);
        break;
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const names[PROFILES] = {"ideal", "samsung-sm951", "intel-750"};

    for (unsigned i = 0; i < PROFILES; i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.ini", NVME_PROFILES, names[i]);
        profiles[i] = nvme_profile_load(path, NULL);
        g_assert(profiles[i] != NULL);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const faults[] = {
        "media hold count=2 after=3",      "cqe delay time=5us count=3",
        "sqe-fetch corrupt after=4",       "data drop after=9",
        "doorbell delay time=2us after=5", "msix delay time=3us",
        "prp-list corrupt after=1",        NULL};
    Fuzz f = {.data = data, .left = size, .mode = SIM_IRQ_MSIX, .vectors = 9};
    SimQueue *queue = sim_queue_new();
    PcieLink *link = pcie_link_new(queue, "slot", &slot);
    PcieFunction *function = pcie_function_new(link, &(PcieFunctionParams){0});
    SimTelemetry *telemetry = sim_telemetry_new(NULL, NULL);
    SimPort port = {&ops, &f, queue, NULL, "nvme0", 1};
    uint8_t setup = (uint8_t)take(&f, 1);
    NvmeModelOptions options = {.fill_random = setup & 4,
                                .store_limit_bytes = setup & 8 ? 65536 : 0,
                                .faults = setup & 16 ? faults : NULL};
    NvmeModel *model;
    unsigned number = 0;

    if (setup & 64) {
        port.telemetry = telemetry;
    }
    f.memory = g_malloc0(MEMORY);
    model = nvme_model_new(&port, function, profiles[setup % 4 % PROFILES], &options, NULL);
    g_assert(model != NULL);
    if (setup & 32) {
        enable(model, queue);
    }
    while (f.left > 0) {
        step(&f, model, queue, &number);
    }
    g_assert(nvme_model_check(model));
    sim_queue_run(queue, sim_queue_now(queue) + 10 * SIM_S);
    g_assert(nvme_model_check(model));
    g_assert(pcie_link_check(link, telemetry));
    nvme_model_free(model);
    pcie_function_free(function);
    pcie_link_free(link);
    sim_queue_free(queue);
    sim_telemetry_free(telemetry);
    g_free(f.memory);
    return 0;
}
