/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which frames the receiver takes, and which queue each goes to: addresses, VLANs, ethertype, SYN
 * and 5-tuple filters, RSS.  The order of the filters: ethertype, SYN of high priority, 5-tuple,
 * SYN of low priority, flow director, RSS.  Pools are left out.  [82599 §7.1.1, §7.1.2] */
#include "ixgbe/ixgbe-internal.h"

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };

static uint32_t get32_le(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* --- Addresses and VLANs --- */

static bool exact_match(const IxgbeModel *self, const uint8_t *frame)
{
    uint32_t low = get32_le(frame);
    uint32_t high = frame[4] | (uint32_t)frame[5] << 8 | IXGBE_MASK(RAH_AV);

    for (unsigned i = 0; i < G_N_ELEMENTS(self->regs.RAL); i++) {
        if (self->regs.RAL[i] == low && self->regs.RAH[i] == high) {
            return true;
        }
    }
    return false;
}

static bool multicast_match(const IxgbeModel *self, const uint8_t *frame)
{
    static const uint8_t shifts[4] = {4, 3, 2, 0}; /* bits 47:36, 46:35, 45:34, 43:32 */
    unsigned offset = IXGBE_GET(self->regs.MCSTCTRL[0], MCSTCTRL_MO);
    unsigned vector = ((unsigned)frame[4] | (unsigned)frame[5] << 8) >> shifts[offset] & 0xfff;

    return IXGBE_GET(self->regs.MCSTCTRL[0], MCSTCTRL_MFE) &&
           (self->regs.MTA[vector / 32] >> vector % 32 & 1) != 0;
}

static bool accepts_address(const IxgbeModel *self, const uint8_t *frame)
{
    static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint32_t fctrl = self->regs.FCTRL[0];

    if ((frame[0] & 1) == 0) {
        return IXGBE_GET(fctrl, FCTRL_UPE) || exact_match(self, frame);
    }
    if (memcmp(frame, all, sizeof all) == 0) {
        return IXGBE_GET(fctrl, FCTRL_BAM) || IXGBE_GET(fctrl, FCTRL_MPE);
    }
    return IXGBE_GET(fctrl, FCTRL_MPE) || multicast_match(self, frame) || exact_match(self, frame);
}

bool ixgbe_model_accepts(const IxgbeModel *self, const uint8_t *frame, const IxgbeParsed *parsed)
{
    uint32_t control = self->regs.VLNCTRL[0];
    unsigned id = parsed->vlan & 0xfff;

    if (!accepts_address(self, frame)) {
        return false;
    }
    if (!parsed->tagged || !IXGBE_GET(control, VLNCTRL_VFE)) {
        return true;
    }
    if (IXGBE_GET(control, VLNCTRL_CFIEN) &&
        (parsed->vlan >> 12 & 1u) != IXGBE_GET(control, VLNCTRL_CFI)) {
        return false;
    }
    return (self->regs.VFTA[id / 32] >> id % 32 & 1) != 0;
}

/* --- RSS [82599 §7.1.2.8] --- */

/* For each place of a byte and each value: what it adds to the hash. */
static void build_hash_table(IxgbeModel *self)
{
    uint8_t key[44] = {0};

    for (unsigned i = 0; i < 40; i++) {
        key[i] = (uint8_t)(self->regs.RSSRK[i / 4] >> i % 4 * 8);
    }
    for (unsigned place = 0; place < IXGBE_HASH_BYTES; place++) {
        uint64_t window = 0;
        for (unsigned i = 0; i < 5; i++) {
            window = window << 8 | key[place + i];
        }
        for (unsigned value = 0; value < 256; value++) {
            uint32_t hash = 0;
            for (unsigned bit = 0; bit < 8; bit++) {
                if (value & 0x80u >> bit) {
                    hash ^= (uint32_t)(window >> (8 - bit));
                }
            }
            self->hash_table[place][value] = hash;
        }
    }
    self->hash_table_valid = true;
}

void ixgbe_model_rssrk_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    self->hash_table_valid = false;
}

uint32_t ixgbe_model_toeplitz(IxgbeModel *self, const uint8_t *input, size_t bytes)
{
    uint32_t hash = 0;

    if (!self->hash_table_valid) {
        build_hash_table(self);
    }
    for (size_t i = 0; i < bytes; i++) {
        hash ^= self->hash_table[i][input[i]];
    }
    return hash;
}

/* The most specific kind of header that MRQC enables. */
static IxgbeRssType rss_type(uint32_t mrqc, const IxgbeParsed *p)
{
    static const struct {
        uint8_t bit, type, protocol; /* 0 = addresses alone */
        bool ipv6, extensions;
    } kinds[] = {
        {16, IXGBE_RSS_TCPV4, PROTOCOL_TCP, false, false},
        {22, IXGBE_RSS_UDPV4, PROTOCOL_UDP, false, false},
        {17, IXGBE_RSS_IPV4, 0, false, false},
        {18, IXGBE_RSS_TCPV6_EX, PROTOCOL_TCP, true, true},
        {24, IXGBE_RSS_UDPV6_EX, PROTOCOL_UDP, true, true},
        {21, IXGBE_RSS_TCPV6, PROTOCOL_TCP, true, false},
        {23, IXGBE_RSS_UDPV6, PROTOCOL_UDP, true, false},
        {19, IXGBE_RSS_IPV6_EX, 0, true, true},
        {20, IXGBE_RSS_IPV6, 0, true, false},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if ((mrqc >> kinds[i].bit & 1) == 0 || (kinds[i].ipv6 ? !p->ipv6 : !p->ipv4) ||
            (kinds[i].extensions && !p->extensions)) {
            continue;
        }
        if (kinds[i].protocol == 0 || (p->ports && p->protocol == kinds[i].protocol)) {
            return (IxgbeRssType)kinds[i].type;
        }
    }
    return IXGBE_RSS_NONE;
}

static unsigned rss_queue(IxgbeModel *self, const uint8_t *frame, const IxgbeParsed *p,
                          IxgbeRxWriteback *result)
{
    static const uint16_t modes = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 0xa | 1 << 0xb;
    uint32_t mrqc = self->regs.MRQC[0], hash = 0;
    uint8_t input[IXGBE_HASH_BYTES];
    unsigned addresses = p->ipv4 ? 8 : 32, entry;
    IxgbeRssType type = IXGBE_RSS_NONE;

    if ((modes >> IXGBE_GET(mrqc, MRQC_MODE) & 1) == 0) {
        return 0;
    }
    type = rss_type(mrqc, p);
    if (type != IXGBE_RSS_NONE) {
        bool ports = type != IXGBE_RSS_IPV4 && type != IXGBE_RSS_IPV6 && type != IXGBE_RSS_IPV6_EX;
        memcpy(input, frame + p->l3 + (p->ipv4 ? 12 : 8), addresses);
        if (ports) {
            memcpy(input + addresses, frame + p->l4, 4);
        }
        hash = ixgbe_model_toeplitz(self, input, addresses + (ports ? 4 : 0));
    }
    result->type |= (uint32_t)type;
    if (IXGBE_GET(self->regs.RXCSUM[0], RXCSUM_PCSD)) {
        result->hash = hash;
    }
    entry = hash & 127;
    return type == IXGBE_RSS_NONE ? 0 : self->regs.RETA[entry / 4] >> entry % 4 * 8 & 0xf;
}

/* --- Filters of the driver --- */

static int ethertype_queue(const IxgbeModel *self, const IxgbeParsed *p, IxgbeRxWriteback *result)
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t filter = self->regs.ETQF[i], select = self->regs.ETQS[i];
        if ((filter >> 31) == 0 || (filter & 0xffff) != p->ether_type) {
            continue;
        }
        result->type = IXGBE_TYPE_ETQF | i << 4;
        return select >> 31 ? (int)(select >> 16 & 0x7f) : -1;
    }
    return -1;
}

static int syn_queue(const IxgbeModel *self, const IxgbeParsed *p, bool high)
{
    uint32_t filter = self->regs.SYNQF[0];

    if ((filter & 1) == 0 || (filter >> 31 != 0) != high || !p->ports ||
        p->protocol != PROTOCOL_TCP || (p->tcp_flags & 0x12) != 0x02) {
        return -1;
    }
    return (int)(filter >> 1 & 0x7f);
}

static int tuple_queue(const IxgbeModel *self, const uint8_t *frame, const IxgbeParsed *p)
{
    static const uint8_t protocols[4] = {PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP, 0};
    int best = -1, queue = -1;
    uint32_t ports;

    if (!p->ipv4 || p->fragment) {
        return -1;
    }
    ports = p->ports ? get32_le(frame + p->l4) : 0;
    for (unsigned i = 0; i < 128; i++) {
        uint32_t filter = self->regs.FTQF[i], ignored = filter >> 25, port = self->regs.SDPQF[i];
        int priority = (int)(filter >> 2 & 7);
        if ((filter >> 31) == 0 || priority <= best) {
            continue;
        }
        if (((ignored & 1) || get32_le(frame + p->l3 + 12) == self->regs.SAQF[i]) &&
            ((ignored & 2) || get32_le(frame + p->l3 + 16) == self->regs.DAQF[i]) &&
            ((ignored & 4) || (p->ports && (ports & 0xffff) == (port & 0xffff))) &&
            ((ignored & 8) || (p->ports && ports >> 16 == port >> 16)) &&
            ((ignored & 16) || p->protocol == protocols[filter & 3])) {
            best = priority;
            queue = (int)(self->regs.L34TIMIR[i] >> 21 & 0x7f);
        }
    }
    return queue;
}

static int director_queue(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                          const IxgbeParsed *p, IxgbeRxWriteback *result, bool *drop)
{
    uint32_t hash, command;

    if (IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PBALLOC) == 0 ||
        !ixgbe_model_director_find(self, frame, bytes, p, &hash, &command)) {
        return -1;
    }
    if (IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_REPORT)) {
        result->status |= IXGBE_RX_FLM;
        result->hash = hash;
    }
    *drop = IXGBE_GET(command, FDIRCMD_DROP);
    return IXGBE_GET(command, FDIRCMD_QUEUE_EN) ? (int)IXGBE_GET(command, FDIRCMD_QUEUE) : -1;
}

int ixgbe_model_select_queue(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                             const IxgbeParsed *parsed, IxgbeRxWriteback *result)
{
    int queue, fallback;
    bool drop = false;

    result->type = parsed->type;
    if (parsed->ipv4 && !IXGBE_GET(self->regs.RXCSUM[0], RXCSUM_PCSD)) {
        result->hash = (uint32_t)frame[parsed->l3 + 4] << 8 | frame[parsed->l3 + 5];
    }
    queue = ethertype_queue(self, parsed, result);
    if (queue >= 0) {
        return queue;
    }
    fallback = (int)rss_queue(self, frame, parsed, result);
    queue = syn_queue(self, parsed, true);
    queue = queue < 0 ? tuple_queue(self, frame, parsed) : queue;
    queue = queue < 0 ? syn_queue(self, parsed, false) : queue;
    queue = queue < 0 ? director_queue(self, frame, bytes, parsed, result, &drop) : queue;
    return drop ? -1 : queue < 0 ? fallback : queue;
}
