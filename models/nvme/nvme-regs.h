/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Register numbers, field shifts and masks, and the table; all from nvme-regs.def. */
#pragma once
#include <stdint.h>

/* The first pair of doorbells, behind all other registers, and a pair's bytes [NVMe-1.1 §3.1.11]. */
enum { NVME_DOORBELLS = 0x1000, NVME_DOORBELL_PAIR_BYTES = 8 };

typedef enum NvmeRegId {
#define REG(name, offset, bytes, reset, spec, meaning) NVME_REG_##name,
#define FIELD(reg, name, shift, bits, access, meaning)
#include "nvme-regs.def"
#undef REG
#undef FIELD
    NVME_REG_COUNT
} NvmeRegId;

#define REG(name, offset, bytes, reset, spec, meaning)
#define FIELD(reg, name, shift, bits, access, meaning)                                             \
    enum { NVME_##reg##_##name##_SHIFT = (shift), NVME_##reg##_##name##_BITS = (bits) };
#include "nvme-regs.def"
#undef REG
#undef FIELD

/* Value of a field in a register's value, and a field's mask. */
#define NVME_FIELD_MASK(field) ((UINT64_MAX >> (64 - NVME_##field##_BITS)) << NVME_##field##_SHIFT)
#define NVME_GET(value, field) (((uint64_t)(value)&NVME_FIELD_MASK(field)) >> NVME_##field##_SHIFT)
#define NVME_PUT(field, value)                                                                     \
    (((uint64_t)(value) << NVME_##field##_SHIFT) & NVME_FIELD_MASK(field))

typedef enum NvmeAccess { NVME_RO, NVME_RW, NVME_W1S, NVME_W1C } NvmeAccess;

typedef struct NvmeReg {
    const char *name, *spec, *meaning;
    uint16_t offset, bytes;
    uint64_t reset;
} NvmeReg;
typedef struct NvmeRegField {
    NvmeRegId reg;
    const char *name, *meaning;
    uint8_t shift, bits;
    NvmeAccess access;
} NvmeRegField;

extern const NvmeReg nvme_model_regs[NVME_REG_COUNT];
extern const NvmeRegField nvme_model_reg_fields[];
extern const unsigned nvme_model_reg_fields_n;

/* Bits of a register that a write can change in the way of @access. */
uint64_t nvme_model_reg_mask(NvmeRegId reg, NvmeAccess access);
