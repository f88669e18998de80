/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the transmitter does to a packet on its way out: VLAN tag, checksums, segmentation; then its
 * frames go to the wire or, in loopback, to the receiver.  [82599 §7.2.4, §7.2.5] */
#include "ixgbe/ixgbe-internal.h"

enum { IPV4_CHECK = 10, TCP_CHECK = 16, UDP_CHECK = 6, SCTP_CHECK = 8 };
enum { SEGMENT_LEAST = 64, ETHER_VLAN = 0x8100 };

/* The lengths and fields of a context. */
typedef struct Layout {
    unsigned mac, ip, l4, mss, type;
    bool ipv4, tcp;
    uint16_t vlan;
} Layout;

static Layout layout_of(const IxgbeTxContext *context)
{
    unsigned type = context->type >> 11 & 3;

    return (Layout){.mac = context->lengths >> 9 & 0x7f,
                    .ip = context->lengths & 0x1ff,
                    .l4 = context->mss >> 8 & 0xff,
                    .mss = context->mss >> 16,
                    .type = type,
                    .ipv4 = (context->type >> 10 & 1) != 0,
                    .tcp = type == IXGBE_L4T_TCP,
                    .vlan = (uint16_t)(context->lengths >> 16)};
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xffff);
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) << 16 | get16(at + 2);
}

/* Where the transport header has its checksum; false: the frame ends before it. */
static bool find_check(const Layout *layout, size_t bytes, size_t *at, size_t *check)
{
    unsigned offset = layout->tcp                      ? TCP_CHECK
                      : layout->type == IXGBE_L4T_SCTP ? SCTP_CHECK
                                                       : UDP_CHECK;

    *at = layout->mac + layout->ip;
    *check = *at + offset;
    return layout->type != IXGBE_L4T_NONE && *check + 4 <= bytes + (offset == SCTP_CHECK ? 0 : 2);
}

/* The driver has put the sum of the pseudo header where the checksum goes. */
static void insert_l4(const Layout *layout, uint8_t *frame, size_t bytes)
{
    size_t at, check;
    unsigned value;

    if (!find_check(layout, bytes, &at, &check)) {
        return;
    }
    if (layout->type == IXGBE_L4T_SCTP) {
        uint32_t crc;
        memset(frame + check, 0, 4);
        crc = ixgbe_model_crc32c(frame + at, bytes - at);
        for (unsigned i = 0; i < 4; i++) {
            frame[check + i] = (uint8_t)(crc >> i * 8);
        }
        return;
    }
    value = (uint16_t)~ixgbe_model_fold(ixgbe_model_sum(frame + at, bytes - at, 0));
    put16(frame + check, value == 0 && layout->type == IXGBE_L4T_UDP ? 0xffff : value);
}

static void insert_ip(const Layout *layout, uint8_t *frame, size_t bytes)
{
    uint8_t *ip = frame + layout->mac;

    if (layout->ip < 20 || layout->mac + layout->ip > bytes) {
        return;
    }
    put16(ip + IPV4_CHECK, 0);
    put16(ip + IPV4_CHECK, (uint16_t)~ixgbe_model_fold(ixgbe_model_sum(ip, layout->ip, 0)));
}

/* To the wire; returns when it has left. */
static SimTime send(IxgbeModel *self, unsigned queue, const uint8_t *frame, size_t bytes)
{
    IxgbeTxRing *ring = &self->tx[queue];
    SimTime now = ixgbe_model_now(self);

    bytes = MAX(bytes, IXGBE_FRAME_LEAST);
    ring->counts[IXGBE_RING_tx_frames]++;
    ring->counts[IXGBE_RING_tx_bytes] += bytes;
    self->counts[IXGBE_DEVICE_frames_sent]++;
    self->counts[IXGBE_DEVICE_bytes_sent] += bytes + IXGBE_CRC_BYTES;
    ixgbe_model_count_sent(self, queue, frame, bytes);
    if (!IXGBE_GET(self->regs.HLREG0[0], HLREG0_LPBK)) {
        return self->wire != NULL ? wire_send(self->wire, frame, bytes, now) : now;
    }
    self->loopback_free =
        MAX(self->loopback_free, now) + (bytes + WIRE_OVERHEAD_BYTES) * 800 * SIM_PS;
    ixgbe_model_rx_frame(self, frame, bytes, true);
    return self->loopback_free;
}

/* @frame has room for a tag behind @bytes. */
static SimTime tag_and_send(IxgbeModel *self, const IxgbeTxPacket *packet, uint16_t vlan,
                            uint8_t *frame, size_t bytes)
{
    if (packet->command & IXGBE_TX_VLE) {
        unsigned type = IXGBE_GET(self->regs.DMATXCTL[0], DMATXCTL_VT);
        memmove(frame + 16, frame + 12, bytes - 12);
        put16(frame + 12, type != 0 ? type : ETHER_VLAN);
        put16(frame + 14, vlan);
        bytes += IXGBE_VLAN_BYTES;
    }
    if (bytes < IXGBE_FRAME_LEAST) {
        memset(frame + bytes, 0, IXGBE_FRAME_LEAST - bytes);
    }
    return send(self, packet->queue, frame, bytes);
}

static SimTime refuse(IxgbeModel *self, const char *text)
{
    ixgbe_model_violation(self, "82599 §7.2.4", text);
    return ixgbe_model_now(self);
}

/* The flags that a segment keeps: FIN and PSH on the last, CWR on the first. */
static unsigned flag_mask(const IxgbeModel *self, bool first, bool last)
{
    uint32_t low = self->regs.DTXTCPFLGL[0];

    return last ? self->regs.DTXTCPFLGH[0] & 0xfff : first ? low & 0xfff : low >> 16 & 0xfff;
}

/* One segment's headers, in @frame in front of @payload bytes. */
static void put_segment(IxgbeModel *self, const Layout *layout, uint8_t *frame, size_t payload,
                        size_t offset, unsigned number, bool last)
{
    uint8_t *ip = frame + layout->mac, *l4 = ip + layout->ip;
    unsigned l4_bytes = (unsigned)(layout->l4 + payload);
    unsigned check = layout->tcp ? TCP_CHECK : UDP_CHECK;

    if (layout->ipv4) {
        put16(ip + 2, layout->ip + l4_bytes);
        put16(ip + 4, get16(ip + 4) + number);
    } else {
        put16(ip + 4, layout->ip - 40 + l4_bytes);
    }
    if (layout->tcp) {
        unsigned mask = flag_mask(self, offset == 0, last);
        put32(l4 + 4, get32(l4 + 4) + (uint32_t)offset);
        put16(l4 + 12, get16(l4 + 12) & (0xf000 | mask));
    } else {
        put16(l4 + 4, l4_bytes);
    }
    /* The driver's pseudo header leaves the length out. */
    put16(l4 + check, ixgbe_model_fold(get16(l4 + check) + l4_bytes));
    insert_l4(layout, frame, layout->mac + layout->ip + l4_bytes);
    if (layout->ipv4) {
        insert_ip(layout, frame, layout->mac + layout->ip);
    }
}

static SimTime segment(IxgbeModel *self, IxgbeTxPacket *packet, const Layout *layout)
{
    const uint8_t *data = packet->data->data;
    size_t headers = layout->mac + layout->ip + layout->l4, all = packet->data->len;
    unsigned l4_least = layout->tcp ? 20 : 8, ip_least = layout->ipv4 ? 20 : 40, number = 0;
    SimTime end = ixgbe_model_now(self);

    if (layout->mss < SEGMENT_LEAST || headers >= all || layout->l4 < l4_least ||
        layout->ip < ip_least || layout->mac < 14 || layout->type > IXGBE_L4T_TCP ||
        headers + layout->mss > IXGBE_FRAME_MOST - 64) {
        return refuse(self, "segmentation with lengths that do not fit the packet");
    }
    for (size_t at = headers; at < all; at += layout->mss, number++) {
        size_t part = MIN(layout->mss, all - at);
        memcpy(self->scratch, data, headers);
        memcpy(self->scratch + headers, data + at, part);
        put_segment(self, layout, self->scratch, part, at - headers, number, at + part == all);
        end = tag_and_send(self, packet, layout->vlan, self->scratch, headers + part);
    }
    return end;
}

static void insert_legacy(const IxgbeTxPacket *packet, uint8_t *frame, size_t bytes)
{
    size_t offset = packet->command >> 16 & 0xff, start = packet->status >> 8 & 0xff;

    if (offset + 2 <= bytes && start < bytes) {
        put16(frame + offset,
              (uint16_t)~ixgbe_model_fold(ixgbe_model_sum(frame + start, bytes - start, 0)));
    }
}

SimTime ixgbe_model_offload(IxgbeModel *self, IxgbeTxPacket *packet)
{
    bool advanced = (packet->command & IXGBE_TX_DEXT) != 0;
    Layout layout = layout_of(&packet->context);
    size_t bytes = packet->data->len;
    uint8_t *frame = self->scratch;

    if (bytes < 14) {
        return refuse(self, "packet without an Ethernet header");
    }
    if (advanced && (packet->command & IXGBE_TX_TSE)) {
        return segment(self, packet, &layout);
    }
    if (bytes > IXGBE_FRAME_MOST - 64) {
        return refuse(self, "frame of more than 16 KiB");
    }
    memcpy(frame, packet->data->data, bytes);
    if (!advanced) {
        if (packet->command & IXGBE_TX_IC) {
            insert_legacy(packet, frame, bytes);
        }
        return tag_and_send(self, packet, (uint16_t)(packet->status >> 16), frame, bytes);
    }
    if (packet->status & IXGBE_TX_TXSM) {
        insert_l4(&layout, frame, bytes);
    }
    if (packet->status & IXGBE_TX_IXSM) {
        insert_ip(&layout, frame, bytes);
    }
    return tag_and_send(self, packet, layout.vlan, frame, bytes);
}
