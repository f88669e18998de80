/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics registers that a driver reads: they stay at their highest value, a read clears
 * them.  Byte counts have 36 bits: the low half is read first, then the high.  [82599 §8.2.3.23] */
#include "ixgbe/ixgbe-internal.h"

void ixgbe_model_stat_add(uint32_t *counter, uint32_t n)
{
    *counter = *counter > UINT32_MAX - n ? UINT32_MAX : *counter + n;
}

static void add_wide(uint32_t *low, uint32_t *high, size_t n)
{
    uint64_t value = ((uint64_t)*high << 32 | *low) + n;

    value = MIN(value, (UINT64_C(1) << 36) - 1);
    *low = (uint32_t)value;
    *high = (uint32_t)(value >> 32);
}

static uint32_t take(uint32_t *counter)
{
    uint32_t value = *counter;

    *counter = 0;
    return value;
}

uint32_t ixgbe_model_gorc_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.GORC[index]);
}

uint32_t ixgbe_model_gotc_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.GOTC[index]);
}

uint32_t ixgbe_model_tor_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.TOR[index]);
}

uint32_t ixgbe_model_qbrc_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.QBRC[index]);
}

uint32_t ixgbe_model_qbrc_high_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.QBRC_H[index]);
}

uint32_t ixgbe_model_qbtc_read(IxgbeModel *self, unsigned index)
{
    return take(&self->regs.QBTC[index]);
}

/* The counter set of a queue, as RQSMR and TQSM map it. */
static unsigned set_of(const uint32_t *map, unsigned queue)
{
    return map[queue / 4] >> queue % 4 * 8 & 0xf;
}

/* Row of PRC and PTC for a frame of @bytes with CRC. */
static unsigned size_class(size_t bytes)
{
    static const uint16_t most[] = {64, 127, 255, 511, 1023};
    unsigned i = 0;

    while (i < G_N_ELEMENTS(most) && bytes > most[i]) {
        i++;
    }
    return i;
}

static bool is_broadcast(const uint8_t *frame)
{
    static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

    return memcmp(frame, all, sizeof all) == 0;
}

void ixgbe_model_count_received(IxgbeModel *self, const uint8_t *frame, size_t bytes, bool good)
{
    IxgbeRegs *regs = &self->regs;

    ixgbe_model_stat_add(&regs->TPR[0], 1);
    add_wide(&regs->TOR[0], &regs->TOR[1], bytes + IXGBE_CRC_BYTES);
    if (!good) {
        return;
    }
    ixgbe_model_stat_add(&regs->PRC[size_class(bytes + IXGBE_CRC_BYTES)], 1);
    ixgbe_model_stat_add(&regs->GPRC[0], 1);
    add_wide(&regs->GORC[0], &regs->GORC[1], bytes + IXGBE_CRC_BYTES);
    if (is_broadcast(frame)) {
        ixgbe_model_stat_add(&regs->BPRC[0], 1);
    } else if (frame[0] & 1) {
        ixgbe_model_stat_add(&regs->MPRC[0], 1);
    }
}

void ixgbe_model_count_sent(IxgbeModel *self, unsigned queue, const uint8_t *frame, size_t bytes)
{
    IxgbeRegs *regs = &self->regs;
    unsigned set = set_of(regs->TQSM, queue);

    ixgbe_model_stat_add(&regs->TPT[0], 1);
    ixgbe_model_stat_add(&regs->GPTC[0], 1);
    ixgbe_model_stat_add(&regs->PTC[size_class(bytes + IXGBE_CRC_BYTES)], 1);
    add_wide(&regs->GOTC[0], &regs->GOTC[1], bytes + IXGBE_CRC_BYTES);
    ixgbe_model_stat_add(&regs->QPTC[set], 1);
    add_wide(&regs->QBTC[2 * set], &regs->QBTC[2 * set + 1], bytes + IXGBE_CRC_BYTES);
    if (is_broadcast(frame)) {
        ixgbe_model_stat_add(&regs->BPTC[0], 1);
    } else if (frame[0] & 1) {
        ixgbe_model_stat_add(&regs->MPTC[0], 1);
    }
}

void ixgbe_model_count_delivered(IxgbeModel *self, unsigned queue, size_t bytes)
{
    unsigned set = set_of(self->regs.RQSMR, queue);

    ixgbe_model_stat_add(&self->regs.QPRC[set], 1);
    add_wide(&self->regs.QBRC[set], &self->regs.QBRC_H[set], bytes);
}

void ixgbe_model_count_dropped(IxgbeModel *self, unsigned queue)
{
    ixgbe_model_stat_add(&self->regs.QPRDC[set_of(self->regs.RQSMR, queue)], 1);
}
