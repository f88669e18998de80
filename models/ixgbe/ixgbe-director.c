/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow director in signature mode: a table from the signature of a flow to a queue, which Linux's
 * ATR fills while it sends.  In perfect mode filters are taken but match nothing.
 * [82599 §7.1.2.7, §8.2.3.21] */
#include "ixgbe/ixgbe-internal.h"

enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_SCTP = 132 };
enum { COMMAND_ADD = 1, COMMAND_REMOVE = 2, COMMAND_QUERY = 3 };
enum { FILTERS_PER_64K = 8192 };

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
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

static unsigned capacity(const IxgbeModel *self)
{
    unsigned share = IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PBALLOC);

    return share == 0 ? 0 : (unsigned)FILTERS_PER_64K << (share - 1);
}

bool ixgbe_model_director_find(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                               const IxgbeParsed *parsed, uint32_t *hash, uint32_t *command)
{
    uint64_t key;
    gpointer found;

    if ((!parsed->ipv4 && !parsed->ipv6) || parsed->fragment ||
        IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PERFECT)) {
        return false;
    }
    *hash = ixgbe_model_director_hash(self, frame, parsed);
    key = key_of(*hash, layer_4(parsed), parsed->ipv6);
    if (g_hash_table_size(self->director) == 0 ||
        !g_hash_table_lookup_extended(self->director, &key, NULL, &found)) {
        ixgbe_model_stat_add(&self->regs.FDIRMISS[0], 1);
        return false;
    }
    *command = GPOINTER_TO_UINT(found);
    ixgbe_model_stat_add(&self->regs.FDIRMATCH[0], 1);
    return true;
}

void ixgbe_model_director_reset(IxgbeModel *self)
{
    g_hash_table_remove_all(self->director);
}

void ixgbe_model_fdirctrl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    ixgbe_model_director_reset(self);
    self->regs.FDIRCTRL[0] |= IXGBE_MASK(FDIRCTRL_INIT_DONE);
}

uint32_t ixgbe_model_fdirfree_read(IxgbeModel *self, unsigned index)
{
    return MIN(capacity(self) - MIN(capacity(self), g_hash_table_size(self->director)), 0xffffu);
}

static void add(IxgbeModel *self, uint64_t key, uint32_t command)
{
    uint64_t *copy;

    if (!g_hash_table_contains(self->director, &key) &&
        g_hash_table_size(self->director) >= capacity(self)) {
        ixgbe_model_stat_add(&self->regs.FDIRFSTAT[0], 1);
        return;
    }
    copy = g_new(uint64_t, 1);
    *copy = key;
    g_hash_table_insert(self->director, copy, GUINT_TO_POINTER(command));
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

    if (IXGBE_GET(value, FDIRCMD_CLEARHT)) {
        ixgbe_model_director_reset(self);
    }
    if (IXGBE_GET(self->regs.FDIRCTRL[0], FDIRCTRL_PERFECT)) {
        ixgbe_model_violation(self, "82599 §7.1.2.7", "perfect match filters are not modelled");
        return;
    }
    switch (IXGBE_GET(value, FDIRCMD_CMD)) {
    case COMMAND_ADD:
        add(self, key, value);
        break;
    case COMMAND_REMOVE:
        if (g_hash_table_remove(self->director, &key)) {
            ixgbe_model_stat_add(&self->regs.FDIRUSTAT[0], 0x10000);
        } else {
            ixgbe_model_stat_add(&self->regs.FDIRFSTAT[0], 0x10000);
        }
        break;
    case COMMAND_QUERY:
        *command &= ~IXGBE_MASK(FDIRCMD_VALID);
        *command |= IXGBE_PUT(FDIRCMD_VALID, g_hash_table_contains(self->director, &key));
        break;
    default:
        break;
    }
}
