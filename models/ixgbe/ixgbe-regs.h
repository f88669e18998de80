/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Register values by name, field shifts, and the table; all from ixgbe-regs.def. */
#pragma once
#include <stdint.h>

enum { IXGBE_BAR0_DWORDS = 0x20000 / 4 };

/* self->regs.RDT[q] is a register's value. */
typedef struct IxgbeRegs {
#define REG(name, count, reset, spec, meaning) uint32_t name[count];
#define AT(name, first, offset, count, stride)
#define FIELD(reg, name, shift, bits, access, meaning)
#include "ixgbe-regs.def"
#undef REG
} IxgbeRegs;

typedef enum IxgbeRegId {
#define REG(name, count, reset, spec, meaning) IXGBE_REG_##name,
#include "ixgbe-regs.def"
#undef REG
    IXGBE_REG_COUNT
} IxgbeRegId;

#undef FIELD
#define REG(name, count, reset, spec, meaning)
#define FIELD(reg, name, shift, bits, access, meaning)                                             \
    enum { IXGBE_##reg##_##name##_SHIFT = (shift), IXGBE_##reg##_##name##_BITS = (bits) };
#include "ixgbe-regs.def"
#undef REG
#undef AT
#undef FIELD

/* Value of a field in a register's value, and a field's mask. */
#define IXGBE_MASK(field) ((UINT32_MAX >> (32 - IXGBE_##field##_BITS)) << IXGBE_##field##_SHIFT)
#define IXGBE_GET(value, field) (((uint32_t)(value)&IXGBE_MASK(field)) >> IXGBE_##field##_SHIFT)
#define IXGBE_PUT(field, value) (((uint32_t)(value) << IXGBE_##field##_SHIFT) & IXGBE_MASK(field))

typedef enum IxgbeAccess {
    IXGBE_RO,
    IXGBE_RW,
    IXGBE_RC,
    IXGBE_W1C,
    IXGBE_SC,
    IXGBE_ACCESSES
} IxgbeAccess;

typedef struct IxgbeReg {
    const char *name, *spec, *meaning;
    uint32_t reset;
    uint16_t count, first; /* first: its index 0 in IxgbeRegs, in dwords */
} IxgbeReg;
typedef struct IxgbeRegPlace {
    IxgbeRegId reg;
    uint32_t offset;
    uint16_t first, count, stride;
} IxgbeRegPlace;
typedef struct IxgbeRegField {
    IxgbeRegId reg;
    const char *name, *meaning;
    uint8_t shift, bits;
    IxgbeAccess access;
} IxgbeRegField;

extern const IxgbeReg ixgbe_model_regs[IXGBE_REG_COUNT];
extern const IxgbeRegPlace ixgbe_model_reg_places[];
extern const unsigned ixgbe_model_reg_places_n;
extern const IxgbeRegField ixgbe_model_reg_fields[];
extern const unsigned ixgbe_model_reg_fields_n;
