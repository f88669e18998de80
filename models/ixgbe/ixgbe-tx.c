/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The transmit engine: rings take turns, a packet each; its data are read into the packet buffer,
 * and when they are all there it goes to the wire (ixgbe-offload.c) and its descriptors are done.
 * The buffer may be overshot by the packets that have been begun.  Priorities, rate limits and more
 * than one packet buffer are left out.  [82599 §7.2.1, §7.2.2] */
#include "ixgbe/ixgbe-internal.h"

static void packet_free(IxgbeModel *self, IxgbeTxPacket *packet)
{
    packet->next = self->packets_free;
    self->packets_free = packet;
}

/* --- The packet buffer: what has left makes room --- */

static void make_room(IxgbeModel *self)
{
    SimTime now = ixgbe_model_now(self);

    while (self->tx_leaving_n > 0 && self->tx_leaving[self->tx_leaving_first].when <= now) {
        self->tx_buffered -= self->tx_leaving[self->tx_leaving_first].bytes;
        self->tx_leaving_first = (self->tx_leaving_first + 1) % IXGBE_TX_LEAVING;
        self->tx_leaving_n--;
    }
}

/* False: wait until something has left; packets that have been begun may go on. */
static bool has_room(IxgbeModel *self)
{
    make_room(self);
    if (self->tx_buffered < self->profile->tx_buffer_bytes &&
        self->tx_leaving_n + self->tx_packets < IXGBE_TX_LEAVING) {
        return true;
    }
    if (self->tx_leaving_n > 0) {
        sim_queue_schedule(self->port->queue, &self->tx_event,
                           self->tx_leaving[self->tx_leaving_first].when, SIM_PRIO_NORMAL);
    }
    return false;
}

/* @when rises from call to call. */
static void leave(IxgbeModel *self, SimTime when, size_t bytes)
{
    unsigned at = (self->tx_leaving_first + self->tx_leaving_n++) % IXGBE_TX_LEAVING;

    self->tx_leaving[at].when = when;
    self->tx_leaving[at].bytes = bytes;
}

static void packet_event(void *opaque)
{
    IxgbeTxPacket *packet = opaque;
    IxgbeModel *self = packet->model;
    IxgbeTxRing *ring = &self->tx[packet->queue];

    self->dma_pending--;
    self->tx_packets--;
    self->tx_reads -= packet->reads;
    if (packet->generation != ring->generation || packet->refused) {
        leave(self, ixgbe_model_now(self), packet->reserved);
    } else {
        leave(self, ixgbe_model_offload(self, packet), packet->reserved);
    }
    if (packet->generation == ring->generation) {
        ixgbe_model_tx_done(ring, packet);
    }
    packet_free(self, packet);
    ixgbe_model_tx_run(self);
}

static IxgbeTxPacket *packet_new(IxgbeTxRing *ring)
{
    IxgbeModel *self = ring->model;
    IxgbeTxPacket *packet = self->packets_free;

    if (packet != NULL) {
        self->packets_free = packet->next;
    } else {
        packet = g_new0(IxgbeTxPacket, 1);
        packet->model = self;
        packet->data = g_byte_array_new();
        sim_event_init(&packet->event, packet_event, packet);
        g_ptr_array_add(self->packet_list, packet);
    }
    packet->queue = ring->queue;
    packet->generation = ring->generation;
    packet->first = ring->next;
    packet->descs = 0;
    packet->report = packet->started = packet->refused = false;
    packet->reserved = 0;
    packet->reads = 0;
    packet->done = ixgbe_model_now(self);
    g_byte_array_set_size(packet->data, 0);
    return packet;
}

/* --- Descriptors --- */

static void refuse(IxgbeTxPacket *packet, const char *text)
{
    packet->refused = true;
    ixgbe_model_violation(packet->model, "82599 §7.2.3.2", text);
}

static void read_data(IxgbeTxPacket *packet, uint64_t address, unsigned bytes)
{
    IxgbeModel *self = packet->model;
    guint at = packet->data->len;
    SimTime done;

    if (bytes == 0) {
        refuse(packet, "transmit descriptor of no length");
        return;
    }
    if (at + bytes > IXGBE_TX_MOST) {
        refuse(packet, "packet of more than 256 KiB");
        return;
    }
    packet->reserved += bytes;
    packet->reads += (bytes - 1) / pcie_function_max_read_request(self->function) + 1;
    self->tx_buffered += bytes;
    done = pcie_dma_read(self->function, PCIE_FOR_TX_DATA, address, bytes, ixgbe_model_now(self));
    packet->done = MAX(packet->done, done);
    g_byte_array_set_size(packet->data, at + bytes);
    if (!ixgbe_model_read_memory(self, address, packet->data->data + at, bytes)) {
        refuse(packet, "transmit buffer lies where there is no memory");
    }
}

/* One descriptor of the packet that is being built; true: it was the last. */
static bool take_desc(IxgbeTxRing *ring, IxgbeTxPacket *packet, const IxgbeTxDesc *raw)
{
    uint32_t command = GUINT32_FROM_LE(raw->command), status = GUINT32_FROM_LE(raw->status);
    bool advanced = (command & IXGBE_TX_DEXT) != 0;

    if (command & IXGBE_TX_RS) {
        packet->report_first = packet->report ? packet->report_first : packet->descs;
        packet->report_last = packet->descs;
        packet->report = true;
    }
    packet->descs++;
    ring->counts[IXGBE_RING_tx_descriptors]++;
    if (advanced && (command & IXGBE_TX_DTYP) == IXGBE_TX_DTYP_CONTEXT) {
        IxgbeTxContext context;
        memcpy(&context, raw, sizeof context);
        ring->contexts[status >> 4 & 1] =
            (IxgbeTxContext){GUINT32_FROM_LE(context.lengths), 0, command, status};
        return false;
    }
    if (advanced && (command & IXGBE_TX_DTYP) != IXGBE_TX_DTYP_DATA) {
        refuse(packet, "descriptor type that is neither context nor data");
    }
    if (!packet->started) {
        packet->started = true;
        packet->command = command;
        packet->status = status;
        packet->context = ring->contexts[advanced ? status >> 4 & 1 : 0];
    }
    read_data(packet, GUINT64_FROM_LE(raw->address), command & IXGBE_TX_LENGTH);
    return (command & IXGBE_TX_EOP) != 0;
}

/* A ring's turn: up to the end of a packet, or of what is on the chip. */
static void serve(IxgbeModel *self, IxgbeTxRing *ring)
{
    IxgbeTxPacket *packet = ring->building != NULL ? ring->building : packet_new(ring);
    bool whole = false;

    while (ring->cache_n > 0 && !whole) {
        whole = take_desc(ring, packet, &ring->cache[ring->cache_first]);
        ring->cache_first = (ring->cache_first + 1) % (unsigned)self->profile->tx_cache;
        ring->cache_n--;
        ring->next = (ring->next + 1) % ring->entries;
    }
    ring->building = whole ? NULL : packet;
    if (packet->descs > ring->entries) { /* a ring full of descriptors, and none ends a packet */
        ixgbe_model_violation(self, "82599 §7.2.3.2", "packet of more descriptors than the ring");
        ixgbe_model_tx_ring_off(ring);
        if (whole) {
            leave(self, ixgbe_model_now(self), packet->reserved);
            packet_free(self, packet);
        }
        return;
    }
    ixgbe_model_tx_mark(self->tx_ready, ring->queue, ring->cache_n > 0);
    if (whole) {
        packet->reads = MAX(packet->reads, 1);
        self->tx_packets++;
        self->tx_reads += packet->reads;
        self->dma_pending++;
        ring->last_done = MAX(ring->last_done, packet->done);
        sim_queue_schedule(self->port->queue, &packet->event, ring->last_done, SIM_PRIO_NORMAL);
    }
    ixgbe_model_tx_fetch(ring, ixgbe_model_now(self));
}

/* The ring that is next in turn, of those that are in the middle of a packet or of all; or -1. */
static int next_ring(const IxgbeModel *self, bool begun)
{
    uint64_t ready[2] = {self->tx_ready[0], self->tx_ready[1]};
    int queue = ixgbe_model_tx_next(ready, self->tx_next);

    while (begun && queue >= 0 && self->tx[queue].building == NULL) {
        ixgbe_model_tx_mark(ready, (unsigned)queue, false);
        queue = ixgbe_model_tx_next(ready, self->tx_next);
    }
    return queue;
}

void ixgbe_model_tx_run(IxgbeModel *self)
{
    while (self->tx_reads < self->profile->tx_contexts && ixgbe_model_may_dma(self)) {
        int queue = next_ring(self, false);
        if (queue >= 0 && !has_room(self)) {
            queue = next_ring(self, true);
        }
        if (queue < 0) {
            break;
        }
        self->tx_next = ((unsigned)queue + 1) % IXGBE_QUEUES;
        serve(self, &self->tx[queue]);
    }
}

static void run_event(void *opaque)
{
    ixgbe_model_tx_run(opaque);
}

void ixgbe_model_tx_kick_all(IxgbeModel *self)
{
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        ixgbe_model_tx_fetch(&self->tx[q], ixgbe_model_now(self));
    }
    ixgbe_model_tx_run(self);
}

/* The packet of which only a part has been read. */
void ixgbe_model_tx_forget(IxgbeTxRing *ring)
{
    IxgbeTxPacket *packet = g_steal_pointer(&ring->building);

    if (packet != NULL) {
        ring->model->tx_buffered -= packet->reserved;
        packet_free(ring->model, packet);
    }
}

void ixgbe_model_tx_init(IxgbeModel *self)
{
    self->packet_list = g_ptr_array_new();
    self->tx = g_new0(IxgbeTxRing, IXGBE_QUEUES);
    self->scratch = g_malloc(IXGBE_TX_MOST + 64);
    sim_event_init(&self->tx_event, run_event, self);
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        self->tx[q].model = self;
        self->tx[q].queue = q;
        ixgbe_model_tx_ring_init(&self->tx[q]);
    }
}

void ixgbe_model_tx_reset(IxgbeModel *self)
{
    memset(self->tx_wanting, 0, sizeof self->tx_wanting);
    for (unsigned q = 0; q < IXGBE_QUEUES; q++) {
        ixgbe_model_tx_ring_off(&self->tx[q]);
        memset(self->tx[q].contexts, 0, sizeof self->tx[q].contexts);
    }
}

void ixgbe_model_tx_clear(IxgbeModel *self)
{
    sim_queue_cancel(self->port->queue, &self->tx_event);
    for (guint i = 0; i < self->packet_list->len; i++) {
        IxgbeTxPacket *packet = g_ptr_array_index(self->packet_list, i);
        sim_queue_cancel(self->port->queue, &packet->event);
        g_byte_array_free(packet->data, TRUE);
        g_free(packet);
    }
    g_ptr_array_free(self->packet_list, TRUE);
    g_free(self->scratch);
}
