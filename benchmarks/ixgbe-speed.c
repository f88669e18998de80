/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the 82599 model is by itself, with a driver that does next to nothing: frames of 64
 * bytes in at line rate over some rings, or out from one ring.
 *
 *     ixgbe-speed [FRAMES]
 *
 * Prints packets per second of this machine's time. */
#include "ixgbe/ixgbe-model.h"
#include "wire/wire-tester.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ENTRIES = 512, BUFFERS = 1 << 20, RINGS_MOST = 16, MEMORY = 32 << 20 };

typedef struct Machine {
    SimQueue *queue;
    Wire *wire;
    PcieLink *link;
    PcieFunction *function;
    SimPort port;
    IxgbeModel *model;
    uint8_t *memory;
} Machine;

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    Machine *self = opaque;

    if (iova > MEMORY - bytes) {
        return false;
    }
    memcpy(buf, self->memory + iova, bytes);
    return true;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    Machine *self = opaque;

    if (iova > MEMORY - bytes) {
        return false;
    }
    memcpy(self->memory + iova, buf, bytes);
    return true;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = 64;
    return SIM_IRQ_MSIX;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    return true;
}

static void set_intx(void *opaque, bool level) {}

static const SimPortOps ops = {dma_read, dma_write, irq_mode, raise_vector, set_intx};

static void write32(Machine *self, uint32_t offset, uint32_t value)
{
    ixgbe_model_mmio_write(self->model, offset, value, 4);
}

static void machine_start(Machine *self)
{
    static const PcieParams slot = {.generation = 2,
                                    .lanes = 8,
                                    .max_payload = 256,
                                    .max_read_request = 512,
                                    .rcb = 64,
                                    .tags = 32,
                                    .read_latency_ps = 700 * SIM_NS,
                                    .write_latency_ps = 150 * SIM_NS,
                                    .mmio_latency_ps = 150 * SIM_NS};
    PcieFunctionParams params;
    PcieIdentity pci;
    g_autoptr(GError) error = NULL;
    g_autoptr(IxgbeProfile) profile = ixgbe_profile_load(IXGBE_PROFILES "/82599es.ini", &error);

    if (profile == NULL) {
        g_error("%s", error->message);
    }
    self->memory = g_malloc0(MEMORY);
    self->queue = sim_queue_new();
    self->wire = wire_new(self->queue, &(WireParams){0});
    self->link = pcie_link_new(self->queue, "slot0", &slot);
    ixgbe_profile_pci(profile, &pci);
    params = pcie_identity_function(&pci);
    self->function = pcie_function_new(self->link, &params);
    self->port = (SimPort){.ops = &ops, .opaque = self, .queue = self->queue, .device = "ixgbe0"};
    self->model = ixgbe_model_new(&self->port, self->function, profile, wire_end(self->wire, 0),
                                  NULL, &error);
    ixgbe_model_bus_master(self->model, true);
    write32(self, 0x5080, 0x700);      /* FCTRL: promiscuous */
    write32(self, 0x4a80, 0x81000001); /* DMATXCTL.TE */
    write32(self, 0x3000, 1);          /* RXCTRL.RXEN */
}

static void machine_end(Machine *self)
{
    ixgbe_model_free(self->model);
    pcie_function_free(self->function);
    pcie_link_free(self->link);
    wire_free(self->wire);
    sim_queue_free(self->queue);
    g_free(self->memory);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Ring @ring of 16-byte descriptors that all use one buffer of their own ring. */
static uint64_t *ring_of(Machine *self, unsigned ring)
{
    return (uint64_t *)(self->memory + ring * ENTRIES * 16);
}

static void receive(unsigned rings, unsigned frames)
{
    Machine self = {0};
    unsigned next[RINGS_MOST] = {0}, received = 0;
    double start;

    machine_start(&self);
    for (unsigned q = 0; q < rings; q++) {
        for (unsigned i = 0; i < ENTRIES; i++) {
            ring_of(&self, q)[i * 2] = BUFFERS + q * 2048;
        }
        write32(&self, 0x1000 + q * 0x40, q * ENTRIES * 16);
        write32(&self, 0x1008 + q * 0x40, ENTRIES * 16);
        write32(&self, 0x1014 + q * 0x40, 0x12000002);
        write32(&self, 0x1028 + q * 0x40, 1u << 25);
        write32(&self, 0x1018 + q * 0x40, ENTRIES - 1);
        write32(&self, 0x5c00 + q * 4, q * 0x01010101u);
        write32(&self, 0x5c00 + (q + rings) % 32 * 4, q * 0x01010101u);
    }
    write32(&self, 0x5c80, 0x5a6d5a6d);
    write32(&self, 0x5818, 1u << 22 | 1);
    g_autoptr(WireTester) tester = wire_tester_new(
        self.queue, wire_end(self.wire, 1),
        &(WireTesterParams){.frames = frames, .source_ports = 1000, .source_port = 1});
    sim_queue_run(self.queue, 20 * SIM_MS); /* the link comes up */
    wire_tester_start(tester, 0);
    start = seconds();
    for (unsigned idle = 0; received < frames && idle < 1000; idle++) {
        sim_queue_run(self.queue, sim_queue_now(self.queue) + 2 * SIM_US);
        for (unsigned q = 0; q < rings; q++) {
            uint64_t *ring = ring_of(&self, q);
            unsigned before = next[q];
            for (; ring[next[q] * 2 + 1] & 1; next[q] = (next[q] + 1) % ENTRIES, received++) {
                ring[next[q] * 2] = BUFFERS + q * 2048;
                ring[next[q] * 2 + 1] = 0;
            }
            if (next[q] != before) {
                idle = 0;
                write32(&self, 0x1018 + q * 0x40, (next[q] + ENTRIES - 1) % ENTRIES);
            }
        }
    }
    printf("receive over %u rings: %.2f million packets a second (%u of %u)\n", rings,
           received / (seconds() - start) / 1e6, received, frames);
    wire_tester_free(g_steal_pointer(&tester));
    machine_end(&self);
}

static void transmit(unsigned frames)
{
    Machine self = {0};
    unsigned tail = 0, done = 0, sent = 0;
    const uint64_t *ring;
    double start;

    machine_start(&self);
    ring = ring_of(&self, 0);
    g_autoptr(WireTester) sink =
        wire_tester_new(self.queue, wire_end(self.wire, 1), &(WireTesterParams){0});
    write32(&self, 0x6008, ENTRIES * 16);
    write32(&self, 0x6028, 1u << 25 | 8 << 16 | 1 << 8 | 32);
    sim_queue_run(self.queue, 20 * SIM_MS);
    start = seconds();
    while (sent < frames) {
        for (; done != tail && (ring[done * 2 + 1] >> 32 & 1) != 0; done = (done + 1) % ENTRIES) {
        }
        for (; (tail + 1) % ENTRIES != done && sent < frames; sent++) {
            uint64_t *desc = ring_of(&self, 0) + tail * 2;
            desc[0] = BUFFERS;
            desc[1] = UINT64_C(60) << 46 | 0x2b30003c; /* 60 bytes; EOP, IFCS, RS, DEXT, data */
            tail = (tail + 1) % ENTRIES;
        }
        write32(&self, 0x6018, tail);
        sim_queue_run(self.queue, sim_queue_now(self.queue) + 5 * SIM_US);
    }
    sim_queue_run(self.queue, sim_queue_now(self.queue) + SIM_MS);
    printf("transmit from 1 ring: %.2f million packets a second (%u arrived)\n",
           sent / (seconds() - start) / 1e6, (unsigned)wire_tester_count(sink).frames_received);
    wire_tester_free(g_steal_pointer(&sink));
    machine_end(&self);
}

int main(int argc, char **argv)
{
    unsigned frames = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000000;

    receive(1, frames);
    receive(8, frames);
    transmit(frames);
    return 0;
}
