/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A transmit ring: its registers, the descriptors on the chip, and the write-back of done ones.
 *
 * Fetch: at once when none is on the chip; ahead when fewer than PTHRESH are and at least HTHRESH
 * wait in memory.  A read takes what fits, ends at a cache line if it can, and does not go out for
 * a few descriptors when more wait.  A ring has one read under way, a port as many as the profile
 * says; the other rings wait their turn.  Write-back: without WTHRESH each descriptor with RS; with
 * it, counted from the first with RS on, WTHRESH at a time, or when the timer of the queue's vector
 * ends, or when the driver asks. [82599 §7.2.3.4, §7.2.3.5] */
#include "ixgbe/ixgbe-internal.h"

enum { HELD_MOST = 64 }; /* descriptors of one write */

static const IxgbeRingCounter reason_counters[] = {[IXGBE_TX_WB_RS] = IXGBE_RING_tx_wb_rs,
                                                   [IXGBE_TX_WB_WTHRESH] = IXGBE_RING_tx_wb_wthresh,
                                                   [IXGBE_TX_WB_EITR] = IXGBE_RING_tx_wb_eitr,
                                                   [IXGBE_TX_WB_FLUSH] = IXGBE_RING_tx_wb_flush};

static uint64_t base_of(const IxgbeTxRing *ring)
{
    return ixgbe_model_address(ring->model->regs.TDBAL[ring->queue],
                               ring->model->regs.TDBAH[ring->queue]);
}

/* --- Fetch --- */

/* Descriptors that a read would take now; 0: no read. */
static unsigned fetch_size(const IxgbeTxRing *ring)
{
    const IxgbeModel *self = ring->model;
    uint32_t control = self->regs.TXDCTL[ring->queue], tail = self->regs.TDT[ring->queue];
    unsigned available, most = (unsigned)self->profile->tx_cache - ring->cache_n, n;
    unsigned request = pcie_function_max_read_request(self->function);
    uint64_t address;

    if (ring->entries == 0 || tail >= ring->entries ||
        !IXGBE_GET(self->regs.DMATXCTL[0], DMATXCTL_TE) || !ixgbe_model_may_dma(self) ||
        !ixgbe_model_link_is_up(self)) {
        return 0;
    }
    available = (tail + ring->entries - ring->fetch) % ring->entries;
    if (ring->cache_n > 0 && (ring->cache_n >= IXGBE_GET(control, TXDCTL_PTHRESH) ||
                              available < IXGBE_GET(control, TXDCTL_HTHRESH))) {
        return 0;
    }
    if (ring->cache_n > 0 && most < MIN(available, self->profile->tx_fetch_least)) {
        return 0; /* there will be room for more */
    }
    n = MIN(MIN(available, most), ring->entries - ring->fetch);
    address = base_of(ring) + (uint64_t)ring->fetch * sizeof(IxgbeTxDesc);
    return MIN(n, (request - (unsigned)address % request) / (unsigned)sizeof(IxgbeTxDesc));
}

void ixgbe_model_tx_fetch(IxgbeTxRing *ring, SimTime from)
{
    IxgbeModel *self = ring->model;
    unsigned cache = (unsigned)self->profile->tx_cache, n;
    IxgbeTxDesc read[G_N_ELEMENTS(ring->cache)];
    uint64_t address;

    if (sim_event_scheduled(&ring->fetched) || (n = fetch_size(ring)) == 0) {
        return;
    }
    if (self->tx_fetches >= self->profile->tx_fetches) {
        ixgbe_model_tx_mark(self->tx_wanting, ring->queue, true);
        return;
    }
    address = base_of(ring) + (uint64_t)ring->fetch * sizeof(IxgbeTxDesc);
    if (!ixgbe_model_read_memory(self, address, read, n * sizeof *read)) {
        ixgbe_model_violation(self, "82599 §7.2.3",
                              "transmit descriptors lie where there is no memory");
        ixgbe_model_tx_ring_off(ring);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        ring->cache[(ring->cache_first + ring->cache_n + i) % cache] = read[i];
    }
    ring->incoming = n;
    self->tx_fetches++;
    ring->fetch = (ring->fetch + n) % ring->entries;
    ring->counts[IXGBE_RING_tx_fetches]++;
    ring->counts[IXGBE_RING_tx_fetched] += n;
    self->dma_pending++;
    sim_queue_schedule(
        self->port->queue, &ring->fetched,
        pcie_dma_read(self->function, PCIE_FOR_TX_DESC_FETCH, address, n * sizeof *read, from),
        SIM_PRIO_NORMAL);
}

/* Gives the reads that are free to the rings that wait, in turn. */
static void fetch_waiting(IxgbeModel *self)
{
    int queue;

    while (self->tx_fetches < self->profile->tx_fetches &&
           (queue = ixgbe_model_tx_next(self->tx_wanting, self->tx_want_next)) >= 0) {
        ixgbe_model_tx_mark(self->tx_wanting, (unsigned)queue, false);
        self->tx_want_next = ((unsigned)queue + 1) % IXGBE_QUEUES;
        ixgbe_model_tx_fetch(&self->tx[queue], ixgbe_model_now(self));
    }
}

static void fetched_event(void *opaque)
{
    IxgbeTxRing *ring = opaque;
    IxgbeModel *self = ring->model;

    self->dma_pending--;
    self->tx_fetches--;
    ring->cache_n += ring->incoming;
    ring->incoming = 0;
    ixgbe_model_tx_mark(self->tx_ready, ring->queue, true);
    fetch_waiting(self);
    ixgbe_model_tx_run(self);
    ixgbe_model_tx_fetch(ring, ixgbe_model_now(self));
}

/* --- Write-back --- */

static void send(IxgbeTxRing *ring, IxgbeWriteback *writeback, PciePurpose purpose)
{
    IxgbeModel *self = ring->model;
    SimTime done = ixgbe_model_charge_write(self, purpose, writeback->address, writeback->bytes,
                                            ixgbe_model_now(self));

    writeback->tx = true;
    writeback->queue = ring->queue;
    writeback->generation = ring->generation;
    ring->last_written = MAX(ring->last_written, done);
    ixgbe_model_writeback_send(self, writeback, ring->last_written);
}

static void write_descs(IxgbeTxRing *ring, unsigned first, unsigned n, IxgbeTxReason reason)
{
    IxgbeWriteback *writeback = ixgbe_model_writeback_new(ring->model);
    const IxgbeTxDesc done = {.status = GUINT32_TO_LE(IXGBE_TX_DD)};

    for (unsigned i = 0; i < n; i++) {
        memcpy(writeback->data + i * sizeof done, &done, sizeof done);
    }
    writeback->head = false;
    writeback->first = first;
    writeback->n = n;
    writeback->address = base_of(ring) + (uint64_t)first * sizeof done;
    writeback->bytes = n * (unsigned)sizeof done;
    ring->counts[IXGBE_RING_tx_writebacks]++;
    ring->counts[IXGBE_RING_tx_written] += n;
    ring->counts[reason_counters[reason]]++;
    send(ring, writeback, PCIE_FOR_TX_DESC_WRITEBACK);
}

static void write_head(IxgbeTxRing *ring, unsigned head)
{
    IxgbeWriteback *writeback = ixgbe_model_writeback_new(ring->model);
    uint32_t value = GUINT32_TO_LE(head);

    memcpy(writeback->data, &value, sizeof value);
    writeback->head = true;
    writeback->n = 0;
    writeback->address =
        ixgbe_model_address(ring->model->regs.TDWBAL[ring->queue] & IXGBE_MASK(TDWBAL_ADDRESS),
                            ring->model->regs.TDWBAH[ring->queue]);
    writeback->bytes = sizeof value;
    send(ring, writeback, PCIE_FOR_TX_HEAD_WRITEBACK);
}

void ixgbe_model_tx_writeback(IxgbeModel *self, unsigned queue, IxgbeTxReason reason)
{
    IxgbeTxRing *ring = &self->tx[queue];
    unsigned n = ring->held_n;

    ixgbe_model_tx_mark(self->tx_held, queue, false);
    if (n > 0) {
        ring->held_n = 0;
        write_descs(ring, ring->held_first, n, reason);
    }
}

void ixgbe_model_tx_written(IxgbeWriteback *writeback)
{
    IxgbeModel *self = writeback->model;
    IxgbeTxRing *ring = &self->tx[writeback->queue];

    if (writeback->generation == ring->generation) {
        ixgbe_model_write_memory(self, writeback->address, writeback->data, writeback->bytes);
        ixgbe_model_cause_queue(self, ring->queue, true);
    }
}

/* Adds done descriptors to those that are held; the ring's end and a full burst write them. */
static void hold(IxgbeTxRing *ring, unsigned first, unsigned n, unsigned threshold)
{
    IxgbeModel *self = ring->model;

    for (; n > 0; n--, first = (first + 1) % ring->entries) {
        if (ring->held_n == 0) {
            ring->held_first = first;
        }
        ring->held_n++;
        if (first + 1 == ring->entries || ring->held_n == HELD_MOST) {
            ixgbe_model_tx_writeback(self, ring->queue, IXGBE_TX_WB_WTHRESH);
        }
    }
    if (ring->held_n >= threshold) {
        ixgbe_model_tx_writeback(self, ring->queue, IXGBE_TX_WB_WTHRESH);
    }
    if (ring->held_n == 0) {
        return;
    }
    switch (ixgbe_model_hold(self, ring->queue, true)) {
    case IXGBE_HOLD_NOT:
        ixgbe_model_tx_writeback(self, ring->queue, IXGBE_TX_WB_EITR);
        break;
    case IXGBE_HOLD_TIMER:
        ixgbe_model_tx_mark(self->tx_held, ring->queue, true);
        break;
    case IXGBE_HOLD_NO_VECTOR:
        break; /* until the burst is full */
    }
}

/* Descriptors from @first on, cut at the ring's end. */
static void write_now(IxgbeTxRing *ring, unsigned first, unsigned n)
{
    while (n > 0) {
        unsigned part = MIN(MIN(n, ring->entries - first), HELD_MOST);
        write_descs(ring, first, part, IXGBE_TX_WB_RS);
        first = (first + part) % ring->entries;
        n -= part;
    }
}

void ixgbe_model_tx_done(IxgbeTxRing *ring, const IxgbeTxPacket *packet)
{
    const IxgbeRegs *regs = &ring->model->regs;
    unsigned threshold = IXGBE_GET(regs->TXDCTL[ring->queue], TXDCTL_WTHRESH);
    unsigned end = (packet->first + packet->descs) % ring->entries, skip;

    ring->model->regs.TDH[ring->queue] = end;
    if (regs->TDWBAL[ring->queue] & 1) {
        if (packet->report) {
            write_head(ring, end);
        }
        return;
    }
    if (threshold == 0) {
        if (packet->report) {
            write_now(ring, (packet->first + packet->report_first) % ring->entries,
                      packet->report_last - packet->report_first + 1);
        }
        return;
    }
    if (ring->held_n == 0 && !packet->report) {
        return; /* nothing to count from */
    }
    skip = ring->held_n == 0 ? packet->report_first : 0;
    hold(ring, (packet->first + skip) % ring->entries, packet->descs - skip,
         MIN(threshold, HELD_MOST));
}

/* --- Registers --- */

void ixgbe_model_tx_ring_off(IxgbeTxRing *ring)
{
    IxgbeModel *self = ring->model;

    if (sim_event_scheduled(&ring->fetched)) {
        sim_queue_cancel(self->port->queue, &ring->fetched);
        self->dma_pending--;
        self->tx_fetches--;
    }
    ring->generation++;
    ring->entries = 0;
    ring->incoming = ring->cache_n = ring->held_n = 0;
    ixgbe_model_tx_forget(ring);
    ixgbe_model_tx_mark(self->tx_ready, ring->queue, false);
    ixgbe_model_tx_mark(self->tx_held, ring->queue, false);
    ixgbe_model_tx_mark(self->tx_wanting, ring->queue, false);
    fetch_waiting(self);
}

static void ring_on(IxgbeTxRing *ring)
{
    const IxgbeRegs *regs = &ring->model->regs;
    unsigned entries = regs->TDLEN[ring->queue] / sizeof(IxgbeTxDesc);

    ring->generation++;
    ring->entries = entries;
    ring->fetch = ring->next = entries == 0 ? 0 : regs->TDH[ring->queue] % entries;
}

void ixgbe_model_txdctl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeTxRing *ring = &self->tx[index];
    bool was_on = IXGBE_GET(old, TXDCTL_ENABLE), on = IXGBE_GET(value, TXDCTL_ENABLE);

    if (IXGBE_GET(value, TXDCTL_SWFLSH)) {
        ixgbe_model_tx_writeback(self, index, IXGBE_TX_WB_FLUSH);
    }
    if (!was_on && on) {
        ring_on(ring);
        ixgbe_model_tx_fetch(ring, self->arrival);
    } else if (was_on && !on) {
        ixgbe_model_tx_ring_off(ring);
    }
}

void ixgbe_model_tdh_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeTxRing *ring = &self->tx[index];

    if (ring->entries > 0) { /* it starts anew from there */
        ixgbe_model_tx_ring_off(ring);
        ring_on(ring);
    }
}

void ixgbe_model_tdt_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeTxRing *ring = &self->tx[index];

    ring->counts[IXGBE_RING_tx_doorbells]++;
    if (ring->entries > 0 && self->regs.TDT[index] >= ring->entries) {
        ixgbe_model_violation(self, "82599 §7.2.3", "TDT beyond the end of its ring");
    }
    ixgbe_model_tx_fetch(ring, self->arrival + self->profile->tx_decide_ps);
}

void ixgbe_model_dmatxctl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    ixgbe_model_tx_kick_all(self);
}

void ixgbe_model_tx_ring_init(IxgbeTxRing *ring)
{
    sim_event_init(&ring->fetched, fetched_event, ring);
}
