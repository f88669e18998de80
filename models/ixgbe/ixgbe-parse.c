/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the receiver makes of a frame: VLAN tag, IP and transport headers.  Tunnels, NFS, IPsec and
 * double tags are left out: such a frame counts as what lies outside.  [82599 §7.1.6.2] */
#include "ixgbe/ixgbe-internal.h"

enum {
    ETHER_IPV4 = 0x0800,
    ETHER_IPV6 = 0x86dd,
    PROTOCOL_HOP = 0,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_OPTIONS = 60,
    PROTOCOL_SCTP = 132,
};

static unsigned get16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static void parse_ports(const uint8_t *frame, IxgbeParsed *p)
{
    static const struct {
        uint8_t protocol, bytes;
        uint16_t type;
    } known[] = {{PROTOCOL_TCP, 20, IXGBE_TYPE_TCP},
                 {PROTOCOL_UDP, 8, IXGBE_TYPE_UDP},
                 {PROTOCOL_SCTP, 12, IXGBE_TYPE_SCTP}};

    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        if (p->protocol == known[i].protocol && p->l4 + known[i].bytes <= p->l3_end) {
            p->type |= known[i].type;
            p->ports = true;
        }
    }
    if (p->ports && p->protocol == PROTOCOL_TCP) {
        p->tcp_flags = frame[p->l4 + 13];
    }
}

static void parse_ipv4(const uint8_t *frame, size_t bytes, IxgbeParsed *p)
{
    const uint8_t *ip = frame + p->l3;
    unsigned header, total;

    if (p->l3 + 20 > bytes || ip[0] >> 4 != 4) {
        return;
    }
    header = (ip[0] & 0xfu) * 4;
    total = get16(ip + 2);
    if (header < 20 || total < header || p->l3 + total > bytes) {
        return;
    }
    p->ipv4 = true;
    p->type |= header > 20 ? IXGBE_TYPE_IPV4_OPTIONS : IXGBE_TYPE_IPV4;
    p->l3_end = p->l3 + total;
    p->protocol = ip[9];
    p->fragment = (get16(ip + 6) & 0x3fff) != 0;
    if (!p->fragment) {
        p->l4 = p->l3 + header;
        parse_ports(frame, p);
    }
}

static void parse_ipv6(const uint8_t *frame, size_t bytes, IxgbeParsed *p)
{
    const uint8_t *ip = frame + p->l3;
    unsigned at = p->l3 + 40;
    uint8_t next;

    if (at > bytes || ip[0] >> 4 != 6 || at + get16(ip + 4) > bytes) {
        return;
    }
    p->ipv6 = true;
    p->l3_end = at + get16(ip + 4);
    next = ip[6];
    while (at + 8 <= p->l3_end && (next == PROTOCOL_HOP || next == PROTOCOL_ROUTING ||
                                   next == PROTOCOL_OPTIONS || next == PROTOCOL_FRAGMENT)) {
        bool fragment = next == PROTOCOL_FRAGMENT;
        p->extensions = true;
        p->fragment |= fragment;
        next = frame[at];
        at += fragment ? 8 : (frame[at + 1] + 1u) * 8;
    }
    p->type |= p->extensions ? IXGBE_TYPE_IPV6_EXTENSION : IXGBE_TYPE_IPV6;
    p->protocol = next;
    if (!p->fragment && at <= p->l3_end) {
        p->l4 = at;
        parse_ports(frame, p);
    }
}

void ixgbe_model_parse(const IxgbeModel *self, const uint8_t *frame, size_t bytes,
                       IxgbeParsed *parsed)
{
    unsigned at = 12;

    *parsed = (IxgbeParsed){0};
    parsed->ether_type = (uint16_t)get16(frame + at);
    if (parsed->ether_type == IXGBE_GET(self->regs.VLNCTRL[0], VLNCTRL_VET) && bytes >= 18) {
        parsed->tagged = true;
        parsed->vlan = (uint16_t)get16(frame + 14);
        at = 16;
        parsed->ether_type = (uint16_t)get16(frame + at);
    }
    parsed->l3 = at + 2;
    if (parsed->ether_type == ETHER_IPV4) {
        parse_ipv4(frame, bytes, parsed);
    } else if (parsed->ether_type == ETHER_IPV6) {
        parse_ipv6(frame, bytes, parsed);
    }
}
