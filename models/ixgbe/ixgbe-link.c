/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The link: light on the wire, LINKS, link status change.  10 Gb/s or nothing: an auto-negotiation
 * restart ends at once and changes nothing.  [82599 §3.7, §8.2.3.22] */
#include "ixgbe/ixgbe-internal.h"

bool ixgbe_model_link_is_up(const IxgbeModel *self)
{
    return self->link_up || IXGBE_GET(self->regs.AUTOC[0], AUTOC_FLU);
}

uint32_t ixgbe_model_links_read(IxgbeModel *self, unsigned index)
{
    return ixgbe_model_link_is_up(self) ? IXGBE_PUT(LINKS_SPEED, 3) | IXGBE_PUT(LINKS_UP, 1) : 0;
}

static void set_link(IxgbeModel *self, bool up)
{
    if (up == self->link_up) {
        return;
    }
    self->link_up = up;
    self->counts[IXGBE_DEVICE_link_changes]++;
    ixgbe_model_cause_other(self, IXGBE_CAUSE_LSC);
    ixgbe_model_tx_kick_all(self);
}

static void link_event(void *opaque)
{
    set_link(opaque, true);
}

static void light_changed(void *opaque, bool on)
{
    IxgbeModel *self = opaque;

    self->light = on;
    if (on) {
        sim_queue_schedule(self->port->queue, &self->link_event,
                           ixgbe_model_now(self) + self->profile->link_up_ps, SIM_PRIO_NORMAL);
    } else {
        sim_queue_cancel(self->port->queue, &self->link_event);
        set_link(self, false);
    }
}

static void receive(void *opaque, const uint8_t *frame, size_t bytes)
{
    ixgbe_model_rx_frame(opaque, frame, bytes, false);
}

/* A cable of copper has no laser to turn off. */
static void update_light(IxgbeModel *self)
{
    bool off = self->sfp == IXGBE_SFP_SR && IXGBE_GET(self->regs.ESDP[0], ESDP_SDP3);

    if (self->wire != NULL) {
        wire_end_set_light(self->wire, !off);
    }
}

void ixgbe_model_esdp_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    update_light(self);
}

/* The link itself outlives a reset of the port. */
void ixgbe_model_link_reset(IxgbeModel *self)
{
    if (self->sfp != IXGBE_SFP_NONE) {
        self->regs.ESDP[0] |= IXGBE_MASK(ESDP_SDP2);
    }
    update_light(self);
}

void ixgbe_model_link_init(IxgbeModel *self)
{
    const WireClient client = {self, receive, light_changed};

    sim_event_init(&self->link_event, link_event, self);
    if (self->wire == NULL) {
        return;
    }
    wire_end_attach(self->wire, &client);
    if (wire_end_sees_light(self->wire)) {
        light_changed(self, true);
    }
}
