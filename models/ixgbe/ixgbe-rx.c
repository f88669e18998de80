/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receive engine, from the wire to the packet buffer and from there to memory.
 *
 * Descriptors are fetched on demand: only when a frame waits for one.  A job takes the oldest frame
 * and those close behind it that wait for the same ring, reads their descriptors in one go, writes
 * the data, and leaves the descriptors with their ring as ready (ixgbe-rx-ring.c writes them back).
 * As many jobs as the profile has contexts are under way at once, so frames of a ring gather while
 * all are busy.  A frame that finds no descriptor is dropped, or stops all behind it. Header split,
 * RSC and more than one packet buffer are left out.  [82599 §7.1.3 … §7.1.10] */
#include "ixgbe/ixgbe-internal.h"

static IxgbeFrame *frame_new(IxgbeModel *self, size_t bytes)
{
    IxgbeFrame *frame = self->rx_free;

    if (frame != NULL) {
        self->rx_free = frame->next;
    } else {
        frame = g_new0(IxgbeFrame, 1);
    }
    if (frame->allocated < bytes) {
        g_free(frame->data);
        frame->allocated = MAX(bytes, 256);
        frame->data = g_malloc(frame->allocated);
    }
    frame->next = frame->previous = frame->next_of_ring = NULL;
    frame->bytes = bytes;
    return frame;
}

static void frame_drop(IxgbeModel *self, IxgbeFrame *frame)
{
    self->rx_buffered -= frame->buffered;
    frame->next = self->rx_free;
    self->rx_free = frame;
}

/* --- From the wire --- */

/* What the packet buffer holds beside the flow director's table. */
static size_t buffer_limit(const IxgbeModel *self)
{
    unsigned share = IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PBALLOC);
    size_t taken = share == 0 ? 0 : (size_t)32 << 10 << share;
    size_t all = self->profile->rx_buffer_bytes, set = self->regs.RXPBSIZE[0] & 0xffc00;

    return MIN(set, all > taken ? all - taken : 0);
}

static bool too_long(const IxgbeModel *self, size_t bytes, const IxgbeParsed *parsed)
{
    size_t limit = IXGBE_GET(self->regs.HLREG0[0], HLREG0_JUMBOEN)
                       ? IXGBE_GET(self->regs.MAXFRS[0], MAXFRS_MFS)
                       : 1518;

    return bytes + IXGBE_CRC_BYTES > limit + (parsed->tagged ? IXGBE_VLAN_BYTES : 0);
}

/* The frame as it goes to memory: tag out, CRC in, as the driver wants. */
static IxgbeFrame *prepare(IxgbeModel *self, const uint8_t *data, size_t bytes,
                           const IxgbeParsed *parsed, unsigned queue, IxgbeRxWriteback result)
{
    bool strip = parsed->tagged && IXGBE_GET(self->regs.RXDCTL[queue], RXDCTL_VME);
    bool keep_crc = !IXGBE_GET(self->regs.HLREG0[0], HLREG0_RXCRCSTRP);
    size_t cut = strip ? IXGBE_VLAN_BYTES : 0;
    IxgbeFrame *frame = frame_new(self, bytes - cut + (keep_crc ? IXGBE_CRC_BYTES : 0));

    memcpy(frame->data, data, 12);
    memcpy(frame->data + 12, data + 12 + cut, bytes - 12 - cut);
    if (keep_crc) {
        uint32_t crc = ixgbe_model_crc32(data, bytes);
        for (unsigned i = 0; i < IXGBE_CRC_BYTES; i++) {
            frame->data[bytes - cut + i] = (uint8_t)(crc >> i * 8);
        }
    }
    if (parsed->tagged) {
        result.status |= IXGBE_RX_VP;
        result.vlan = strip ? parsed->vlan : 0;
    }
    frame->result = result;
    frame->queue = queue;
    frame->buffered = bytes + IXGBE_CRC_BYTES;
    self->rx_buffered += frame->buffered;
    return frame;
}

static void append(IxgbeModel *self, IxgbeFrame *frame)
{
    IxgbeRxRing *ring = &self->rx[frame->queue];

    frame->previous = self->rx_last;
    if (self->rx_last != NULL) {
        self->rx_last->next = frame;
    } else {
        self->rx_first = frame;
    }
    self->rx_last = frame;
    if (ring->last != NULL) {
        ring->last->next_of_ring = frame;
    } else {
        ring->first = frame;
    }
    ring->last = frame;
}

/* Takes the first frame of a ring out of both lists. */
static IxgbeFrame *take(IxgbeModel *self, IxgbeRxRing *ring)
{
    IxgbeFrame *frame = ring->first;

    ring->first = frame->next_of_ring;
    if (ring->first == NULL) {
        ring->last = NULL;
    }
    if (frame->previous != NULL) {
        frame->previous->next = frame->next;
    } else {
        self->rx_first = frame->next;
    }
    if (frame->next != NULL) {
        frame->next->previous = frame->previous;
    } else {
        self->rx_last = frame->previous;
    }
    return frame;
}

/* Counts the frame; NULL: it has a place in the packet buffer, otherwise the counter of why not. */
static uint64_t *refuse(IxgbeModel *self, const uint8_t *data, size_t bytes,
                        const IxgbeParsed *parsed)
{
    if (too_long(self, bytes, parsed)) {
        ixgbe_model_count_received(self, data, bytes, false);
        ixgbe_model_stat_add(&self->regs.ROC[0], 1);
        return &self->counts[IXGBE_DEVICE_dropped_length];
    }
    if (!ixgbe_model_accepts(self, data, parsed)) {
        ixgbe_model_count_received(self, data, bytes, false);
        return &self->counts[IXGBE_DEVICE_dropped_filtered];
    }
    ixgbe_model_count_received(self, data, bytes, true);
    if (self->rx_buffered + bytes + IXGBE_CRC_BYTES > buffer_limit(self)) {
        ixgbe_model_stat_add(&self->regs.MPC[0], 1);
        ixgbe_model_cause_other(self, IXGBE_CAUSE_RX_MISS);
        return &self->counts[IXGBE_DEVICE_dropped_missed];
    }
    return NULL;
}

void ixgbe_model_rx_frame(IxgbeModel *self, const uint8_t *data, size_t bytes, bool loopback)
{
    bool on = IXGBE_GET(self->regs.RXCTRL[0], RXCTRL_RXEN) && ixgbe_model_link_is_up(self) &&
              !IXGBE_GET(self->regs.SECRXCTRL[0], SECRXCTRL_RX_DIS) &&
              loopback == (IXGBE_GET(self->regs.HLREG0[0], HLREG0_LPBK) != 0);
    IxgbeRxWriteback result = {0};
    IxgbeParsed parsed;
    uint64_t *refused;
    int queue;

    self->counts[IXGBE_DEVICE_frames_received]++;
    self->counts[IXGBE_DEVICE_bytes_received] += bytes + IXGBE_CRC_BYTES;
    if (!on || bytes < IXGBE_FRAME_LEAST) {
        self->counts[IXGBE_DEVICE_dropped_disabled]++;
        return;
    }
    ixgbe_model_parse(self, data, bytes, &parsed);
    refused = refuse(self, data, bytes, &parsed);
    if (refused != NULL) {
        ++*refused;
        return;
    }
    queue = ixgbe_model_select_queue(self, data, bytes, &parsed, &result);
    if (queue < 0 || self->rx[queue].entries == 0) {
        self->counts[queue < 0 ? IXGBE_DEVICE_dropped_director : IXGBE_DEVICE_dropped_queue]++;
        return;
    }
    ixgbe_model_check_received(self, data, &parsed, &result);
    if (loopback) {
        result.status |= IXGBE_RX_LB;
    }
    append(self, prepare(self, data, bytes, &parsed, (unsigned)queue, result));
    ixgbe_model_rx_run(self, ixgbe_model_now(self) + self->profile->rx_decide_ps);
}

/* --- From the packet buffer to memory --- */

static size_t buffer_bytes(const IxgbeModel *self, unsigned queue)
{
    size_t kib = IXGBE_GET(self->regs.SRRCTL[queue], SRRCTL_BSIZEPACKET);

    return (kib == 0 ? 2 : kib) << 10;
}

static unsigned descs_for(const IxgbeModel *self, const IxgbeFrame *frame)
{
    size_t each = buffer_bytes(self, frame->queue);

    return (unsigned)((frame->bytes + each - 1) / each);
}

static bool may_drop(const IxgbeModel *self, const IxgbeRxRing *ring)
{
    return ring->drop_forced || IXGBE_GET(self->regs.SRRCTL[ring->queue], SRRCTL_DROP_EN);
}

/* Drops the frames of a job that the ring's end has overtaken. */
static void job_drop(IxgbeRxJob *job)
{
    IxgbeModel *self = job->model;

    for (unsigned i = 0; i < job->frames_n; i++) {
        self->counts[IXGBE_DEVICE_dropped_queue]++;
        frame_drop(self, job->frames[i]);
    }
}

/* Writes one frame's data and notes its descriptors as ready; returns how many it took. */
static unsigned deliver(IxgbeRxJob *job, const IxgbeRxRead *descs, const IxgbeFrame *frame)
{
    IxgbeModel *self = job->model;
    size_t at = 0;
    unsigned n = 0;

    do {
        size_t part = MIN(job->each, frame->bytes - at);
        IxgbeRxWriteback done = frame->result;
        ixgbe_model_write_memory(self, GUINT64_FROM_LE(descs[n].packet), frame->data + at, part);
        at += part;
        done.length = (uint16_t)part;
        done.status |= IXGBE_RX_DD | (at == frame->bytes ? IXGBE_RX_EOP : 0);
        ixgbe_model_rx_ready(&self->rx[job->queue], &done);
        n++;
    } while (at < frame->bytes);
    return n;
}

static void job_event(void *opaque)
{
    IxgbeRxJob *job = opaque;
    IxgbeModel *self = job->model;
    IxgbeRxRing *ring = &self->rx[job->queue];
    unsigned at = 0;

    self->dma_pending--;
    self->rx_jobs--;
    if (job->generation != ring->generation) {
        job_drop(job);
    } else {
        for (unsigned i = 0; i < job->frames_n; i++) {
            IxgbeFrame *frame = job->frames[i];
            at += deliver(job, job->descs + at, frame);
            ring->counts[IXGBE_RING_rx_frames]++;
            ring->counts[IXGBE_RING_rx_bytes] += frame->bytes;
            ixgbe_model_count_delivered(self, job->queue, frame->bytes);
            frame_drop(self, frame);
        }
        ixgbe_model_rx_settle(ring);
    }
    job->next = self->rx_jobs_free;
    self->rx_jobs_free = job;
    ixgbe_model_rx_run(self, ixgbe_model_now(self));
}

static IxgbeRxJob *job_new(IxgbeModel *self, const IxgbeRxRing *ring)
{
    IxgbeRxJob *job = self->rx_jobs_free;

    if (job != NULL) {
        self->rx_jobs_free = job->next;
    } else {
        job = g_new0(IxgbeRxJob, 1);
        job->model = self;
        sim_event_init(&job->event, job_event, job);
        g_ptr_array_add(self->job_list, job);
    }
    job->queue = ring->queue;
    job->generation = ring->generation;
    job->frames_n = job->descs_n = 0;
    job->each = buffer_bytes(self, ring->queue);
    return job;
}

/* Reads the job's descriptors; returns when they are there, or NEVER: they are not. */
static SimTime fetch(IxgbeRxJob *job, IxgbeRxRing *ring, SimTime from)
{
    IxgbeModel *self = job->model;
    uint64_t base =
        ixgbe_model_address(self->regs.RDBAL[ring->queue], self->regs.RDBAH[ring->queue]);
    SimTime when = from;

    for (unsigned done = 0; done < job->descs_n;) {
        unsigned n = MIN(job->descs_n - done, ring->entries - ring->fetch);
        uint64_t address = base + (uint64_t)ring->fetch * sizeof(IxgbeRxRead);
        if (!ixgbe_model_read_memory(self, address, &job->descs[done], n * sizeof(IxgbeRxRead))) {
            return SIM_TIME_NEVER;
        }
        when = pcie_dma_read(self->function, PCIE_FOR_RX_DESC_FETCH, address,
                             n * sizeof(IxgbeRxRead), from);
        ring->counts[IXGBE_RING_rx_fetches]++;
        done += n;
        ring->fetch = (ring->fetch + n) % ring->entries;
    }
    ring->counts[IXGBE_RING_rx_fetched] += job->descs_n;
    return when;
}

static void start(IxgbeRxJob *job, IxgbeRxRing *ring, SimTime from)
{
    IxgbeModel *self = job->model;
    SimTime fetched = fetch(job, ring, from), done = fetched;
    const IxgbeRxRead *desc = job->descs;

    if (fetched == SIM_TIME_NEVER) {
        ixgbe_model_rx_stop(ring, "82599 §7.1.9",
                            "receive descriptors lie where there is no memory");
        job_drop(job);
        job->next = self->rx_jobs_free;
        self->rx_jobs_free = job;
        return;
    }
    for (unsigned i = 0; i < job->frames_n; i++) {
        size_t left = job->frames[i]->bytes;
        while (left > 0) {
            size_t part = MIN(job->each, left);
            done = ixgbe_model_charge_write(self, PCIE_FOR_RX_DATA, GUINT64_FROM_LE(desc->packet),
                                            part, fetched);
            left -= part;
            desc++;
        }
    }
    ring->last_done = MAX(ring->last_done, done);
    self->rx_jobs++;
    self->dma_pending++;
    sim_queue_schedule(self->port->queue, &job->event, ring->last_done, SIM_PRIO_NORMAL);
}

static void add_frame(IxgbeRxJob *job, IxgbeFrame *frame, unsigned descs)
{
    if (job->frames_n == job->frames_allocated) {
        job->frames_allocated += 8;
        job->frames = g_renew(IxgbeFrame *, job->frames, job->frames_allocated);
    }
    job->frames[job->frames_n++] = frame;
    job->descs_n += descs;
}

/* Takes frames of @ring for one job out of the oldest in the buffer, at most what @available
 * descriptors hold; the first fits. */
static void gather(IxgbeRxJob *job, IxgbeRxRing *ring, unsigned available)
{
    IxgbeModel *self = job->model;
    bool alone = IXGBE_GET(self->regs.RDRXCTL[0], RDRXCTL_AGGDIS);
    unsigned group = alone ? 1 : (unsigned)self->profile->rx_fetch_group;
    unsigned most = MIN(MIN(available, ring->entries - ring->fetch), group);
    const IxgbeFrame *frame = self->rx_first;

    for (uint64_t i = 0; frame != NULL && i < self->profile->rx_lookahead; i++) {
        const IxgbeFrame *next = frame->next;
        if (frame == ring->first) {
            unsigned needed = descs_for(self, frame);
            if (job->frames_n > 0 && job->descs_n + needed > most) {
                break;
            }
            add_frame(job, take(self, ring), needed);
            if (ring->first == NULL || job->descs_n >= most) {
                break;
            }
        }
        frame = next;
    }
    if (job->descs_n > job->descs_allocated) {
        job->descs_allocated = job->descs_n + 8;
        job->descs = g_renew(IxgbeRxRead, job->descs, job->descs_allocated);
    }
}

void ixgbe_model_rx_run(IxgbeModel *self, SimTime from)
{
    while (self->rx_first != NULL && self->rx_jobs < self->profile->rx_contexts &&
           ixgbe_model_may_dma(self)) {
        IxgbeRxRing *ring = &self->rx[self->rx_first->queue];
        unsigned tail = self->regs.RDT[ring->queue], available;
        IxgbeRxJob *job;

        available = tail < ring->entries ? (tail + ring->entries - ring->fetch) % ring->entries : 0;
        if (descs_for(self, self->rx_first) > available) {
            if (!may_drop(self, ring)) {
                return; /* and all behind it wait too */
            }
            frame_drop(self, take(self, ring));
            ring->counts[IXGBE_RING_rx_dropped]++;
            self->counts[IXGBE_DEVICE_dropped_no_descriptor]++;
            ixgbe_model_count_dropped(self, ring->queue);
            continue;
        }
        job = job_new(self, ring);
        gather(job, ring, available);
        start(job, ring, from);
    }
}

/* Frames that wait for a ring which is no more. */
void ixgbe_model_rx_forget(IxgbeRxRing *ring)
{
    while (ring->first != NULL) {
        ring->model->counts[IXGBE_DEVICE_dropped_queue]++;
        frame_drop(ring->model, take(ring->model, ring));
    }
}

void ixgbe_model_rx_clear(IxgbeModel *self)
{
    for (guint i = 0; i < self->job_list->len; i++) {
        IxgbeRxJob *job = g_ptr_array_index(self->job_list, i);
        if (sim_event_scheduled(&job->event)) {
            sim_queue_cancel(self->port->queue, &job->event);
            job_drop(job);
        }
        g_free(job->frames);
        g_free(job->descs);
        g_free(job);
    }
    g_ptr_array_free(self->job_list, TRUE);
    while (self->rx_free != NULL) {
        IxgbeFrame *frame = self->rx_free;
        self->rx_free = frame->next;
        g_free(frame->data);
        g_free(frame);
    }
}
