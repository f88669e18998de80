/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network backend of QEMU at one end of a cable.
 *
 * A frame that arrives at our end does so inside the SimQueue, and the backend may answer at once
 * (a hub whose other port is a wire too), so it waits for a bottom half.  The other way, a frame
 * goes onto the cable at the time it comes; while more than a millisecond of frames wait for the
 * cable, QEMU keeps them. */
#include "qemu/osdep.h"
#include "hw/qdev-core.h"
#include "qemu/main-loop.h"
#include "wire-netdev.h"

#define BACKLOG_PS (SIM_S / 1000)

struct WireNetdev {
    QuirkbenchSim *sim;
    SimQueue *queue;
    WireEnd *end;
    NICState *nic;
    QEMUBH *bh;
    GQueue frames; /* GBytes *, to the backend */
    SimEvent flush;
    WireNetdevCount count;
};

/* --- To the backend --- */

static void netdev_arrived(void *opaque, const uint8_t *frame, size_t bytes)
{
    WireNetdev *self = opaque;

    g_queue_push_tail(&self->frames, g_bytes_new(frame, bytes));
    qemu_bh_schedule(self->bh);
}

static void netdev_send(void *opaque)
{
    WireNetdev *self = opaque;
    GBytes *frame;

    while ((frame = g_queue_pop_head(&self->frames))) {
        gsize bytes;
        const uint8_t *data = g_bytes_get_data(frame, &bytes);

        self->count.to++;
        qemu_send_packet(qemu_get_queue(self->nic), data, bytes);
        g_bytes_unref(frame);
    }
}

/* --- From the backend --- */

static bool netdev_can_receive(NetClientState *client)
{
    WireNetdev *self = qemu_get_nic_opaque(client);
    SimTime now = sim_queue_now(self->queue);

    if (wire_free_at(self->end) <= now + BACKLOG_PS) {
        return true;
    }
    if (!sim_event_scheduled(&self->flush)) {
        sim_queue_schedule(self->queue, &self->flush, wire_free_at(self->end), SIM_PRIO_NORMAL);
    }
    return false;
}

/* What QEMU has kept comes now, by netdev_receive: not inside the queue either. */
static void netdev_flush(void *opaque)
{
    WireNetdev *self = opaque;

    qemu_bh_schedule(self->bh);
}

static ssize_t netdev_receive(NetClientState *client, const uint8_t *frame, size_t bytes)
{
    WireNetdev *self = qemu_get_nic_opaque(client);

    if (bytes <= WIRE_FRAME_MOST && quirkbench_sim_enter(self->sim)) {
        self->count.from++;
        wire_send(self->end, frame, bytes, sim_queue_now(self->queue));
    }
    return (ssize_t)bytes;
}

static void netdev_link_changed(NetClientState *client)
{
    WireNetdev *self = qemu_get_nic_opaque(client);

    if (quirkbench_sim_enter(self->sim)) {
        wire_end_set_light(self->end, !client->link_down);
    }
}

static void netdev_work(void *opaque)
{
    WireNetdev *self = opaque;

    netdev_send(self);
    qemu_flush_queued_packets(qemu_get_queue(self->nic));
}

static NetClientInfo netdev_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .can_receive = netdev_can_receive,
    .receive = netdev_receive,
    .link_status_changed = netdev_link_changed,
};

WireNetdev *wire_netdev_new(QuirkbenchSim *sim, SimQueue *queue, DeviceState *dev, NICConf *conf,
                            WireEnd *end)
{
    WireNetdev *self = g_new0(WireNetdev, 1);
    WireClient client = {.opaque = self, .receive = netdev_arrived};

    self->sim = sim;
    self->queue = queue;
    self->end = end;
    self->bh = qemu_bh_new_guarded(netdev_work, self, &dev->mem_reentrancy_guard);
    g_queue_init(&self->frames);
    sim_event_init(&self->flush, netdev_flush, self);
    self->nic = qemu_new_nic(&netdev_info, conf, object_get_typename(OBJECT(dev)), dev->id,
                             &dev->mem_reentrancy_guard, self);
    wire_end_attach(end, &client);
    wire_end_set_light(end, true);
    return self;
}

WireNetdevCount wire_netdev_count(const WireNetdev *self)
{
    return self->count;
}
