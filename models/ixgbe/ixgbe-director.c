/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow director.  Signature mode: a table from the signature of a flow to a queue, which Linux's
 * ATR fills while it sends.  Perfect mode: filters that are compared field by field under common
 * masks, which `ethtool -N` writes; IPv4 alone, and the filters of a bucket are not bounded. [82599
 * §7.1.2.7, §8.2.3.21] */
#include "ixgbe/ixgbe-internal.h"

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };
enum { COMMAND_ADD = 1, COMMAND_REMOVE = 2, COMMAND_QUERY = 3 };
enum { FILTERS_PER_64K = 8192, PERFECT_PER_64K = 2048 };

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The order in which the addresses of perfect filters and their masks are written. */
static uint32_t get32_le(const uint8_t *at)
{
    return GUINT32_SWAP_LE_BE(get32(at));
}

static unsigned layer_4(const IxgbeParsed *p)
{
    if (!p->ports) {
        return 0;
    }
    return p->protocol == PROTOCOL_UDP ? 1 : p->protocol == PROTOCOL_TCP ? 2 : 3;
}

/* One of the two hashes of a tuple's three words. */
static uint32_t mix(uint32_t key, uint32_t rotated, uint32_t low, uint32_t high)
{
    uint32_t hash = 0;

    for (unsigned n = 0; n < 16; n++) {
        if (key >> n & 1) {
            hash ^= (n == 0 ? rotated : low) >> n;
        }
        if (key >> (n + 16) & 1) {
            hash ^= high >> n;
        }
    }
    return hash;
}

uint32_t ixgbe_model_director_hash(const IxgbeModel *self, const uint8_t *frame,
                                   const IxgbeParsed *parsed)
{
    const uint8_t *ip = frame + parsed->l3;
    uint32_t common, flow, rotated, low, high, hkey = self->regs.FDIRHKEY[0];
    /* The flexible bytes are those of the outer type, wherever FDIRCTRL puts them: 12 and 13. */
    uint32_t flex = (uint32_t)frame[12] << 8 | frame[13];
    uint32_t ports = parsed->ports ? get32(frame + parsed->l4) : 0;

    common = ports ^ flex << 16;
    for (unsigned i = 0; i < (parsed->ipv4 ? 2u : 8u); i++) {
        common ^= get32(ip + (parsed->ipv4 ? 12 : 8) + i * 4);
    }
    flow = (layer_4(parsed) + (parsed->ipv6 ? 4 : 0)) << 16 | (parsed->tagged ? parsed->vlan : 0);
    rotated = common >> 16 | common << 16;
    high = common ^ flow ^ flow >> 16;
    low = rotated ^ flow ^ flow << 16;
    return (mix(self->regs.FDIRSKEY[0], rotated, low, high) & 0x7fff) << 16 |
           (mix(hkey, rotated, low, high) & 0x7fff);
}

static uint64_t key_of(uint32_t hash, unsigned l4, bool ipv6)
{
    return (hash & 0x7fff7fff) | (uint64_t)l4 << 32 | (uint64_t)ipv6 << 34;
}

static bool is_perfect(const IxgbeModel *self)
{
    return IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PERFECT);
}

static unsigned capacity(const IxgbeModel *self)
{
    unsigned share = IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PBALLOC);

    if (share == 0) {
        return 0;
    }
    return is_perfect(self) ? ((unsigned)PERFECT_PER_64K << (share - 1)) - 2
                            : (unsigned)FILTERS_PER_64K << (share - 1);
}

static unsigned used(const IxgbeModel *self)
{
    return is_perfect(self) ? self->perfect->len : g_hash_table_size(self->director);
}

/* --- Perfect mode --- */

/* The halves of a port mask are written mirrored. */
static uint32_t mirror_halves(uint32_t mask)
{
    uint32_t mirrored = 0;

    for (unsigned bit = 0; bit < 16; bit++) {
        mirrored |= (mask >> bit & 0x00010001) << (15 - bit);
    }
    return mirrored;
}

/* Bits that filters do not look at. */
static IxgbePerfect ignored_bits(const IxgbeModel *self, unsigned l4)
{
    uint32_t other = self->regs.FDIRM[0];
    uint32_t ports = l4 == 2 ? self->regs.FDIRTCPM[0] : self->regs.FDIRUDPM[0];

    return (IxgbePerfect){
        .source = self->regs.FDIRSIP4M[0],
        .destination = self->regs.FDIRDIP4M[0],
        .ports = l4 == 0 || (other & 8) != 0 ? UINT32_MAX : mirror_halves(ports),
        .vlan_flex = (other & 1 ? 0x0fff : 0) | (other & 2 ? 0xf000 : 0) |
                     (other & 16 ? 0xffff0000 : 0) | 0x1000, /* CFI is never compared */
    };
}

static const IxgbePerfect *find_perfect(const IxgbeModel *self, const uint8_t *frame, size_t bytes,
                                        const IxgbeParsed *parsed)
{
    unsigned l4 = layer_4(parsed);
    unsigned flex_at = IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_FLEX) * 2;
    IxgbePerfect ignored = ignored_bits(self, l4);
    uint32_t source = get32_le(frame + parsed->l3 + 12);
    uint32_t destination = get32_le(frame + parsed->l3 + 16);
    uint32_t ports = parsed->ports ? get32(frame + parsed->l4) : 0;
    uint32_t flex = flex_at + 2 <= bytes ? (uint32_t)frame[flex_at + 1] << 8 | frame[flex_at] : 0;

    ports = ports << 16 | ports >> 16; /* destination in the high half */
    for (guint i = 0; i < self->perfect->len; i++) {
        const IxgbePerfect *filter = &g_array_index(self->perfect, IxgbePerfect, i);
        unsigned kind = IXGBE_GET(filter->command, FDIRCMD_L4);
        if (((filter->source ^ source) & ~ignored.source) == 0 &&
            ((filter->destination ^ destination) & ~ignored.destination) == 0 &&
            ((filter->ports ^ ports) & ~ignored.ports) == 0 &&
            ((filter->vlan_flex ^ (flex << 16 | parsed->vlan)) & ~ignored.vlan_flex) == 0 &&
            !IXGBE_GET(filter->command, FDIRCMD_IPV6) &&
            (kind == l4 || (self->regs.FDIRM[0] & 8) != 0)) {
            return filter;
        }
    }
    return NULL;
}

/* Filters are told apart by the software index. */
static int index_of(const IxgbeModel *self, uint32_t hash)
{
    for (guint i = 0; i < self->perfect->len; i++) {
        if (g_array_index(self->perfect, IxgbePerfect, i).hash >> 16 == hash >> 16) {
            return (int)i;
        }
    }
    return -1;
}

static bool add_perfect(IxgbeModel *self, uint32_t command)
{
    const IxgbeRegs *regs = &self->regs;
    IxgbePerfect filter = {regs->FDIRIPSA[0], regs->FDIRIPDA[0], regs->FDIRPORT[0],
                           regs->FDIRVLAN[0], regs->FDIRHASH[0], command};
    int at = index_of(self, filter.hash);

    if (at >= 0) {
        g_array_index(self->perfect, IxgbePerfect, at) = filter;
        return true;
    }
    if (self->perfect->len >= capacity(self)) {
        return false;
    }
    g_array_append_val(self->perfect, filter);
    return true;
}

static void remove_perfect(IxgbeModel *self)
{
    int at = index_of(self, self->regs.FDIRHASH[0]);

    if (at >= 0) {
        g_array_remove_index(self->perfect, (guint)at);
    }
}

/* --- Both --- */

static bool find(const IxgbeModel *self, const uint8_t *frame, size_t bytes,
                 const IxgbeParsed *parsed, uint32_t *hash, uint32_t *command)
{
    const IxgbePerfect *filter;
    gpointer found;
    uint64_t key;

    if (is_perfect(self)) {
        filter = parsed->ipv4 ? find_perfect(self, frame, bytes, parsed) : NULL;
        if (filter != NULL) {
            *hash = filter->hash;
            *command = filter->command;
        }
        return filter != NULL;
    }
    *hash = ixgbe_model_director_hash(self, frame, parsed);
    key = key_of(*hash, layer_4(parsed), parsed->ipv6);
    if (!g_hash_table_lookup_extended(self->director, &key, NULL, &found)) {
        return false;
    }
    *command = GPOINTER_TO_UINT(found);
    return true;
}

bool ixgbe_model_director_find(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                               const IxgbeParsed *parsed, uint32_t *hash, uint32_t *command)
{
    if ((!parsed->ipv4 && !parsed->ipv6) || parsed->fragment) {
        return false;
    }
    if (used(self) > 0 && find(self, frame, bytes, parsed, hash, command)) {
        ixgbe_model_stat_add(&self->regs.FDIRMATCH[0], 1);
        return true;
    }
    ixgbe_model_stat_add(&self->regs.FDIRMISS[0], 1);
    return false;
}

void ixgbe_model_director_reset(IxgbeModel *self)
{
    g_hash_table_remove_all(self->director);
    g_array_set_size(self->perfect, 0);
}

void ixgbe_model_fdirctrl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    ixgbe_model_director_reset(self);
    self->regs.FDIRCTRL[0] |= IXGBE_MASK(FDIRCTRL_INIT_DONE);
}

uint32_t ixgbe_model_fdirfree_read(IxgbeModel *self, unsigned index)
{
    return MIN(capacity(self) - MIN(capacity(self), used(self)), 0xffffu);
}

static bool add_signature(IxgbeModel *self, uint64_t key, uint32_t command)
{
    uint64_t *copy;

    if (!g_hash_table_contains(self->director, &key) && used(self) >= capacity(self)) {
        return false;
    }
    copy = g_new(uint64_t, 1);
    *copy = key;
    g_hash_table_insert(self->director, copy, GUINT_TO_POINTER(command));
    return true;
}

static void add(IxgbeModel *self, uint64_t key, uint32_t command)
{
    if (is_perfect(self) ? !add_perfect(self, command) : !add_signature(self, key, command)) {
        ixgbe_model_stat_add(&self->regs.FDIRFSTAT[0], 1);
        return;
    }
    ixgbe_model_stat_add(&self->regs.FDIRUSTAT[0], 1);
    if (ixgbe_model_fdirfree_read(self, 0) <
        IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_FULL) * 16) {
        ixgbe_model_cause_other(self, IXGBE_CAUSE_FDIR);
    }
}

void ixgbe_model_fdircmd_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    uint64_t key = key_of(self->regs.FDIRHASH[0], IXGBE_GET(value, FDIRCMD_L4),
                          IXGBE_GET(value, FDIRCMD_IPV6));
    uint32_t *command = &self->regs.FDIRCMD[0];
    bool there;

    if (IXGBE_GET(value, FDIRCMD_CLEARHT)) {
        ixgbe_model_director_reset(self);
    }
    there = is_perfect(self) ? index_of(self, self->regs.FDIRHASH[0]) >= 0
                             : g_hash_table_contains(self->director, &key);
    switch (IXGBE_GET(value, FDIRCMD_CMD)) {
    case COMMAND_ADD:
        add(self, key, value);
        break;
    case COMMAND_REMOVE:
        ixgbe_model_stat_add(there ? &self->regs.FDIRUSTAT[0] : &self->regs.FDIRFSTAT[0], 0x10000);
        if (is_perfect(self)) {
            remove_perfect(self);
        } else {
            g_hash_table_remove(self->director, &key);
        }
        break;
    case COMMAND_QUERY:
        *command &= ~IXGBE_MASK(FDIRCMD_VALID);
        *command |= IXGBE_PUT(FDIRCMD_VALID, there);
        break;
    default:
        break;
    }
}
