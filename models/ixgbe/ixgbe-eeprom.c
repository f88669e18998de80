/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The EEPROM's image and the two registers that read it: EERD answers at once.  Writes, and the bus
 * that EEC drives pin by pin, are left out: the image cannot be changed.  [82599 §6, §8.2.3.2] */
#include "ixgbe/ixgbe-internal.h"

enum {
    WORD_CONTROL_1 = 0x00,
    WORD_POINTER_FIRST = 0x03, /* sections that the checksum covers too */
    WORD_POINTER_LAST = 0x0e,
    WORD_FIRMWARE = 0x0f,
    WORD_PBA = 0x15,
    WORD_SFP_LIST = 0x2b,
    WORD_CAPS = 0x2c,
    WORD_ETRACK = 0x2d,
    WORD_CHECKSUM = 0x3f,
    CHECKSUM = 0xbaba, /* of all words together */
    FIRMWARE = 0x100,
    FIRMWARE_PATCH = 0x120,
    SFP_LIST = 0x180,
    SFP_DATA = 0x1a0,
};

static uint16_t checksum(const uint16_t *words)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < WORD_CHECKSUM; i++) {
        sum += words[i];
    }
    for (unsigned i = WORD_POINTER_FIRST; i <= WORD_POINTER_LAST; i++) {
        unsigned at = words[i];
        if (at == 0 || at >= IXGBE_EEPROM_WORDS || words[at] == 0 || words[at] == 0xffff) {
            continue;
        }
        for (unsigned n = 1; n <= words[at] && at + n < IXGBE_EEPROM_WORDS; n++) {
            sum += words[at + n];
        }
    }
    return (uint16_t)(CHECKSUM - sum);
}

/* Initialisation of the analog part by kind of module: 3 and 4 a passive cable in port 0 or 1, 5
 * and 6 an optic.  None has anything to write. */
static void put_sfp_list(uint16_t *words)
{
    unsigned at = SFP_LIST + 1;

    words[SFP_LIST] = 0;
    for (uint16_t kind = 3; kind <= 6; kind++) {
        words[at++] = kind;
        words[at++] = SFP_DATA;
    }
    words[at] = 0xffff;
    words[SFP_DATA] = 0;
    words[SFP_DATA + 1] = 0xffff;
}

void ixgbe_model_eeprom_init(IxgbeModel *self)
{
    const IxgbeProfile *profile = self->profile;
    uint16_t *words = g_new(uint16_t, IXGBE_EEPROM_WORDS);

    memset(words, 0xff, IXGBE_EEPROM_WORDS * sizeof *words);
    words[WORD_CONTROL_1] = 0x0040;
    words[1] = 0; /* the link stays up in D3 */
    words[2] = 0;
    words[WORD_FIRMWARE] = FIRMWARE;
    words[WORD_PBA] = (uint16_t)(profile->eeprom_pba >> 16);
    words[WORD_PBA + 1] = (uint16_t)profile->eeprom_pba;
    words[WORD_SFP_LIST] = SFP_LIST;
    words[WORD_CAPS] = (uint16_t)profile->eeprom_caps;
    words[WORD_ETRACK] = 0x0001;
    words[WORD_ETRACK + 1] = 0x8000;
    words[FIRMWARE] = 8; /* its length; +2, link management, stays at none */
    words[FIRMWARE + 4] = FIRMWARE_PATCH;
    words[FIRMWARE_PATCH + 7] = (uint16_t)profile->eeprom_firmware;
    put_sfp_list(words);
    words[WORD_CHECKSUM] = checksum(words);
    self->eeprom = words;
}

uint32_t ixgbe_model_eec_read(IxgbeModel *self, unsigned index)
{
    uint32_t value = self->regs.EEC[0];

    return IXGBE_GET(value, EEC_REQ) ? value | IXGBE_MASK(EEC_GNT) : value;
}

void ixgbe_model_eerd_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    uint32_t word = IXGBE_GET(value, EERD_ADDR);

    if (IXGBE_GET(value, EERD_START)) {
        self->regs.EERD[0] = IXGBE_PUT(EERD_ADDR, word) | IXGBE_PUT(EERD_DONE, 1) |
                             IXGBE_PUT(EERD_DATA, self->eeprom[word]);
    }
}
