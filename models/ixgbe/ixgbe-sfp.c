/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SFP+ module in the cage: its memory, and the two-wire bus that the driver clocks by hand
 * through I2CCTL.  [SFF-8472 §4, §5], [82599 §8.2.3.1] */
#include "ixgbe/ixgbe-internal.h"

enum { ADDRESS_ID = 0x50 }; /* no diagnostics: byte 92 says so */
enum { IDLE, ADDRESS, OFFSET, DATA, ACK_ADDRESS, ACK, SEND, SENT, NACKED };

typedef struct Text {
    unsigned offset, bytes;
    const char *cable, *optic;
} Text;
static const Text texts[] = {
    {20, 16, "Quirkbench", "Quirkbench"}, {40, 16, "QB-DA-1M", "QB-SR"}, {56, 4, "A", "A"},
    {68, 16, "QBDA0001", "QBSR0001"},     {84, 8, "260101", "260101"},
};

static uint8_t id_byte(const IxgbeModel *self, unsigned offset)
{
    bool optic = self->sfp == IXGBE_SFP_SR;

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *text = optic ? texts[i].optic : texts[i].cable;
        unsigned n = offset - texts[i].offset;
        if (n < texts[i].bytes) {
            return n < strlen(text) ? (uint8_t)text[n] : ' ';
        }
    }
    switch (offset) {
    case 0: /* SFP or SFP+ */
        return 0x03;
    case 1: /* defined by its two-wire interface alone */
        return 0x04;
    case 2: /* connector: LC, or a copper pigtail */
        return optic ? 0x07 : 0x21;
    case 3: /* 10GBASE-SR */
        return optic ? 0x10 : 0x00;
    case 8: /* passive cable */
        return optic ? 0x00 : 0x04;
    case 11: /* 64B/66B */
        return 0x06;
    case 12: /* 100 MBd */
        return 103;
    case 16: /* metres on OM2, or of the cable */
        return optic ? 8 : 0;
    case 18:
        return optic ? 0 : 1;
    case 37: /* the vendor's OUI that drivers know */
        return 0x00;
    case 38:
        return 0x1b;
    case 39:
        return 0x21;
    case 60: /* 850 nm; or the cable's kind */
        return optic ? 0x03 : 0x01;
    case 61:
        return optic ? 0x52 : 0x00;
    default:
        return 0;
    }
}

/* Check codes are sums of what lies before them. */
static uint8_t module_byte(const IxgbeModel *self, unsigned offset)
{
    unsigned from = offset == 63 ? 0 : 64;
    uint8_t sum = 0;

    if (offset != 63 && offset != 95) {
        return id_byte(self, offset);
    }
    for (unsigned i = from; i < offset; i++) {
        sum = (uint8_t)(sum + id_byte(self, i));
    }
    return sum;
}

static void falling(IxgbeModel *self, IxgbeI2c *i2c)
{
    switch (i2c->state) {
    case ADDRESS:
        if (i2c->bits == 8) {
            bool there = self->sfp != IXGBE_SFP_NONE && i2c->shift >> 1 == ADDRESS_ID;
            i2c->drive_low = there;
            i2c->state = there ? ACK_ADDRESS : IDLE;
        }
        break;
    case OFFSET:
    case DATA: /* the module cannot be written */
        if (i2c->bits == 8) {
            if (i2c->state == OFFSET) {
                i2c->offset = i2c->shift;
            }
            i2c->drive_low = true;
            i2c->state = ACK;
        }
        break;
    case ACK_ADDRESS:
        i2c->drive_low = false;
        i2c->bits = 0;
        i2c->state = OFFSET;
        if ((i2c->shift & 1) == 0) {
            break;
        }
        i2c->shift = module_byte(self, i2c->offset++);
        i2c->state = SEND;
        i2c->drive_low = (i2c->shift & 0x80) == 0;
        break;
    case ACK:
        i2c->drive_low = false;
        i2c->bits = 0;
        i2c->state = DATA;
        break;
    case SEND:
        i2c->shift = (uint8_t)(i2c->shift << 1);
        if (++i2c->bits == 8) {
            i2c->state = NACKED;
            i2c->drive_low = false;
        } else {
            i2c->drive_low = (i2c->shift & 0x80) == 0;
        }
        break;
    case SENT: /* the driver has acknowledged: one more */
        i2c->bits = 0;
        i2c->shift = module_byte(self, i2c->offset++);
        i2c->state = SEND;
        i2c->drive_low = (i2c->shift & 0x80) == 0;
        break;
    case NACKED:
        i2c->state = IDLE;
        break;
    default:
        break;
    }
}

static void rising(IxgbeI2c *i2c, bool sda)
{
    if (i2c->state == ADDRESS || i2c->state == OFFSET || i2c->state == DATA) {
        i2c->shift = (uint8_t)(i2c->shift << 1 | sda);
        i2c->bits++;
    } else if (i2c->state == NACKED && !sda) {
        i2c->state = SENT;
    }
}

void ixgbe_model_i2c_reset(IxgbeModel *self)
{
    self->i2c = (IxgbeI2c){.scl = true, .sda = true};
}

void ixgbe_model_i2cctl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    IxgbeI2c *i2c = &self->i2c;
    bool scl = IXGBE_GET(value, I2CCTL_CLK_OUT), sda = IXGBE_GET(value, I2CCTL_DATA_OUT);
    bool line;

    if (i2c->scl && scl && sda != i2c->sda) { /* start, or stop */
        i2c->state = sda ? IDLE : ADDRESS;
        i2c->bits = 0;
        i2c->drive_low = false;
    } else if (!i2c->scl && scl) {
        rising(i2c, sda);
    } else if (i2c->scl && !scl) {
        falling(self, i2c);
    }
    i2c->scl = scl;
    i2c->sda = sda;
    line = sda && !i2c->drive_low;
    self->regs.I2CCTL[0] =
        (self->regs.I2CCTL[0] & ~(IXGBE_MASK(I2CCTL_CLK_IN) | IXGBE_MASK(I2CCTL_DATA_IN))) |
        IXGBE_PUT(I2CCTL_CLK_IN, scl) | IXGBE_PUT(I2CCTL_DATA_IN, line);
}
