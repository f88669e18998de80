/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"
#include <glib/gstdio.h>
#include <stdarg.h>
#include <unistd.h>

static uint8_t *window(Bench *self, uint64_t address, size_t bytes)
{
    bool inside = address >= BENCH_BASE && address - BENCH_BASE < BENCH_MEMORY &&
                  bytes <= BENCH_MEMORY - (address - BENCH_BASE);

    return inside ? self->memory + (address - BENCH_BASE) : NULL;
}

static bool dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    const uint8_t *from = window(opaque, iova, bytes);

    if (from != NULL) {
        memcpy(buf, from, bytes);
    }
    return from != NULL;
}

static bool dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    uint8_t *to = window(opaque, iova, bytes);

    if (to != NULL) {
        memcpy(to, buf, bytes);
    }
    return to != NULL;
}

static SimIrqMode irq_mode(void *opaque, unsigned *vectors)
{
    *vectors = IXGBE_VECTORS;
    return ((Bench *)opaque)->mode;
}

static bool raise_vector(void *opaque, unsigned vector)
{
    Bench *self = opaque;

    self->raised[self->raised_n++ % BENCH_RAISED] = vector;
    return true;
}

static void set_intx(void *opaque, bool level)
{
    ((Bench *)opaque)->intx = level;
}

static const SimPortOps ops = {dma_read, dma_write, irq_mode, raise_vector, set_intx};

/* Gen2 x8, MPS 128, MRRS 512, completions of 64, no DLLPs: facts of the byte table. */
static const PcieParams slot = {.generation = 2,
                                .lanes = 8,
                                .max_payload = 128,
                                .max_read_request = 512,
                                .rcb = 64,
                                .completion_max = 64,
                                .tags = 32,
                                .posted_credits = 32,
                                .read_latency_ps = 700 * SIM_NS,
                                .write_latency_ps = 150 * SIM_NS,
                                .mmio_latency_ps = 150 * SIM_NS};

static void hear(void *opaque, const uint8_t *frame, size_t bytes)
{
    Bench *self = opaque;

    memcpy(self->heard, frame, bytes);
    self->heard_bytes = bytes;
    self->heard_n++;
}

static void change(SimKeyfile *file, const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    size_t n;
    const SimParam *params = ixgbe_profile_params(&n);

    for (size_t i = 0; i < n; i++) {
        if (g_str_equal(params[i].key, parts[0])) {
            sim_keyfile_set(file, params[i].group, parts[0], parts[1]);
            return;
        }
    }
    cr_fatal("no key %s", parts[0]);
}

static void open_telemetry(Bench *self)
{
    g_autoptr(GError) error = NULL;

    close(g_file_open_tmp("bench-XXXXXX", &self->telemetry_path, NULL));
    g_unlink(self->telemetry_path);
    self->telemetry = sim_telemetry_new(self->telemetry_path, &error);
    cr_assert(self->telemetry != NULL, "%s", error != NULL ? error->message : "");
}

Bench *bench_new_with(const char *name, ...)
{
    Bench *self = g_new0(Bench, 1);
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup_printf("%s/%s.ini", IXGBE_PROFILES, name);
    g_autoptr(SimKeyfile) file = sim_keyfile_load(path, &error);
    PcieFunctionParams params;
    PcieIdentity identity;
    va_list changes;
    const char *text;

    cr_assert(file != NULL, "%s", error != NULL ? error->message : "");
    change(file, "link-up=0s");
    va_start(changes, name);
    while ((text = va_arg(changes, const char *)) != NULL) {
        change(file, text);
    }
    va_end(changes);
    self->profile = ixgbe_profile_read(file, &error);
    cr_assert(self->profile != NULL, "%s", error != NULL ? error->message : "");
    open_telemetry(self);
    self->queue = sim_queue_new();
    self->link = pcie_link_new(self->queue, "slot1", &slot);
    ixgbe_profile_pci(self->profile, &identity);
    params = pcie_identity_function(&identity);
    self->function = pcie_function_new(self->link, &params);
    self->wire = wire_new(self->queue, &(WireParams){0});
    self->memory = g_malloc0(BENCH_MEMORY);
    self->mode = SIM_IRQ_MSIX;
    self->port = (SimPort){.ops = &ops,
                           .opaque = self,
                           .queue = self->queue,
                           .telemetry = self->telemetry,
                           .device = "ixgbe0",
                           .seed = 7};
    self->model = ixgbe_model_new(&self->port, self->function, self->profile,
                                  wire_end(self->wire, 0), NULL, &error);
    cr_assert(self->model != NULL, "%s", error != NULL ? error->message : "");
    wire_end_attach(wire_end(self->wire, 1), &(WireClient){self, hear, NULL});
    wire_end_set_light(wire_end(self->wire, 1), true);
    ixgbe_model_bus_master(self->model, true);
    bench_run(self, SIM_US);
    return self;
}

void bench_free(Bench *self)
{
    if (self == NULL) {
        return;
    }
    wire_tester_free(self->tester);
    ixgbe_model_free(self->model);
    wire_free(self->wire);
    pcie_function_free(self->function);
    pcie_link_free(self->link);
    sim_queue_free(self->queue);
    sim_telemetry_free(self->telemetry);
    g_unlink(self->telemetry_path);
    g_free(self->telemetry_path);
    ixgbe_profile_free(self->profile);
    g_free(self->memory);
    g_free(self);
}

uint32_t bench_read(Bench *self, uint32_t offset)
{
    return (uint32_t)ixgbe_model_mmio_read(self->model, offset, 4);
}

void bench_write(Bench *self, uint32_t offset, uint32_t value)
{
    ixgbe_model_mmio_write(self->model, offset, value, 4);
}

void bench_run(Bench *self, SimTime span)
{
    sim_queue_run(self->queue, sim_queue_now(self->queue) + span);
}

uint64_t bench_allocate(Bench *self, size_t bytes)
{
    uint64_t address = BENCH_BASE + self->used;

    self->used += (bytes + 127) & ~(size_t)127;
    cr_assert(self->used <= BENCH_MEMORY);
    return address;
}

void *bench_memory(Bench *self, uint64_t address, size_t bytes)
{
    uint8_t *at = window(self, address, bytes);

    cr_assert(at != NULL, "no memory at %#" G_GINT64_MODIFIER "x", address);
    return at;
}

unsigned bench_violations(Bench *self)
{
    return (unsigned)sim_telemetry_violations(self->telemetry, "ixgbe0");
}

/* --- The driver --- */

void bench_start(Bench *self)
{
    for (unsigned q = 0; q < 64; q++) { /* RX q: vector q % 32; TX q: vector 32 + q % 32 */
        uint32_t even = 0x80 | (q & ~1u) % 32, odd = 0x80 | (q | 1u) % 32;
        bench_write(self, 0x900 + q / 2 * 4,
                    even | (even + 32) << 8 | odd << 16 | (odd + 32) << 24);
    }
    bench_write(self, 0x898, 0x80000010); /* GPIE: MSI-X, PBA support */
    bench_write(self, 0x810, 0xffff);     /* EIAC */
    bench_write(self, 0xaa0, UINT32_MAX);
    bench_write(self, 0xaa4, UINT32_MAX);
    bench_write(self, 0x5080, 0x700);      /* FCTRL: promiscuous */
    bench_write(self, 0x4a80, 0x81000001); /* DMATXCTL.TE */
    bench_write(self, 0x3000, 1);          /* RXCTRL.RXEN */
}

static uint32_t rx_block(unsigned queue)
{
    return queue < 64 ? 0x1000 + 0x40 * queue : 0xd000 + 0x40 * (queue - 64);
}

void bench_rx_ring(Bench *self, unsigned queue, unsigned entries)
{
    uint32_t block = rx_block(queue);
    BenchRing *ring = &self->rx[queue];

    *ring = (BenchRing){.base = bench_allocate(self, entries * 16), .entries = entries};
    ring->buffers = bench_allocate(self, entries * 2048);
    for (unsigned i = 0; i < entries; i++) {
        uint64_t *desc = bench_memory(self, ring->base + i * 16, 16);
        desc[0] = ring->buffers + i * 2048;
    }
    bench_write(self, block, (uint32_t)ring->base);
    bench_write(self, block + 4, (uint32_t)(ring->base >> 32));
    bench_write(self, block + 8, entries * 16);
    bench_write(self, block + 0x14, 0x02000002);
    bench_write(self, block + 0x28, bench_read(self, block + 0x28) | 1u << 25);
    ring->tail = entries - 1;
    bench_write(self, block + 0x18, ring->tail);
}

void bench_tx_ring(Bench *self, unsigned queue, unsigned entries, uint32_t txdctl)
{
    uint32_t block = 0x6000 + 0x40 * queue;
    BenchRing *ring = &self->tx[queue];

    *ring = (BenchRing){.base = bench_allocate(self, entries * 16), .entries = entries};
    ring->buffers = bench_allocate(self, entries * 2048);
    bench_write(self, block, (uint32_t)ring->base);
    bench_write(self, block + 4, (uint32_t)(ring->base >> 32));
    bench_write(self, block + 8, entries * 16);
    bench_write(self, block + 0x28, txdctl | 1u << 25);
}

bool bench_receive(Bench *self, unsigned queue, IxgbeRxWriteback *done, uint8_t *data)
{
    BenchRing *ring = &self->rx[queue];
    uint64_t address = ring->base + ring->next * 16;
    uint64_t *desc = bench_memory(self, address, 16);

    memcpy(done, desc, sizeof *done);
    if ((done->status & IXGBE_RX_DD) == 0) {
        return false;
    }
    if (data != NULL) {
        memcpy(data, bench_memory(self, ring->buffers + ring->next * 2048, 2048), done->length);
    }
    desc[0] = ring->buffers + ring->next * 2048;
    desc[1] = 0;
    ring->next = (ring->next + 1) % ring->entries;
    return true;
}

void bench_refill(Bench *self, unsigned queue)
{
    BenchRing *ring = &self->rx[queue];

    ring->tail = (ring->next + ring->entries - 1) % ring->entries;
    bench_write(self, rx_block(queue) + 0x18, ring->tail);
}

void bench_put(Bench *self, unsigned queue, IxgbeTxDesc desc)
{
    BenchRing *ring = &self->tx[queue];

    memcpy(bench_memory(self, ring->base + ring->tail * 16, 16), &desc, sizeof desc);
    ring->tail = (ring->tail + 1) % ring->entries;
}

void bench_ring(Bench *self, unsigned queue)
{
    bench_write(self, 0x6018 + 0x40 * queue, self->tx[queue].tail);
}

void bench_send(Bench *self, unsigned queue, const uint8_t *frame, size_t bytes)
{
    BenchRing *ring = &self->tx[queue];
    uint64_t buffer = ring->buffers + ring->tail * 2048;

    memcpy(bench_memory(self, buffer, bytes), frame, bytes);
    bench_put(self, queue,
              (IxgbeTxDesc){buffer,
                            (uint32_t)bytes | IXGBE_TX_DTYP_DATA | IXGBE_TX_EOP | IXGBE_TX_IFCS |
                                IXGBE_TX_RS | IXGBE_TX_DEXT,
                            (uint32_t)bytes << 14});
    bench_ring(self, queue);
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

size_t bench_udp(uint8_t *frame, size_t bytes, unsigned source, unsigned destination, int vlan)
{
    static const uint8_t addresses[14] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,
                                          0,    0,    0,    0,    1,    8,    0};
    static const uint8_t hosts[8] = {10, 0, 0, 1, 10, 0, 0, 2};
    size_t at = vlan < 0 ? 14 : 18, ip_bytes = bytes - at;
    uint8_t *ip = frame + at;
    uint32_t sum;

    memset(frame, 0, bytes);
    memcpy(frame, addresses, 14);
    if (vlan >= 0) {
        put16(frame + 12, 0x8100);
        put16(frame + 14, (unsigned)vlan);
        put16(frame + 16, 0x0800);
    }
    ip[0] = 0x45;
    put16(ip + 2, (unsigned)ip_bytes);
    ip[8] = 64;
    ip[9] = 17;
    memcpy(ip + 12, hosts, 8);
    put16(ip + 10, (uint16_t)~ixgbe_model_fold(ixgbe_model_sum(ip, 20, 0)));
    put16(ip + 20, source);
    put16(ip + 22, destination);
    put16(ip + 24, (unsigned)ip_bytes - 20);
    for (size_t i = 28; i < ip_bytes; i++) {
        ip[i] = (uint8_t)i;
    }
    sum = ixgbe_model_sum(ip + 12, 8, 17 + (uint32_t)ip_bytes - 20);
    put16(ip + 26, (uint16_t)~ixgbe_model_fold(ixgbe_model_sum(ip + 20, ip_bytes - 20, sum)));
    return bytes;
}

void bench_arrive(Bench *self, const uint8_t *frame, size_t bytes)
{
    wire_send(wire_end(self->wire, 1), frame, bytes, sim_queue_now(self->queue));
}

void bench_tester(Bench *self, const WireTesterParams *params)
{
    self->tester = wire_tester_new(self->queue, wire_end(self->wire, 1), params);
    wire_tester_start(self->tester, 0);
}

PcieCount bench_count(Bench *self, PciePurpose purpose, PcieDirection direction, PcieTlpType type)
{
    return pcie_function_count(self->function, purpose, direction, type);
}

uint64_t bench_bytes(Bench *self, PcieDirection direction)
{
    uint64_t bytes = 0;

    for (unsigned p = PCIE_FOR_DOORBELL; p < PCIE_PURPOSES; p++) {
        for (unsigned t = 0; t < PCIE_TLP_TYPES; t++) {
            bytes += bench_count(self, (PciePurpose)p, direction, (PcieTlpType)t).wire_bytes;
        }
    }
    return bytes;
}

void bench_check(Bench *self)
{
    cr_expect(ixgbe_model_check(self->model), "received = delivered + dropped + waiting");
    cr_expect(pcie_link_check(self->link, self->telemetry), "link bytes = ledger");
}
