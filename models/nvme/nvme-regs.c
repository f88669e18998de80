/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers: the table, and guest accesses of any width.  Behaviour is in nvme-model.c (CC) and
 * nvme-queue.c (doorbells).  [NVMe-1.1 §3.1] */
#include "nvme/nvme-internal.h"


const NvmeReg nvme_model_regs[NVME_REG_COUNT] = {
#define REG(name, offset, bytes, reset, spec, meaning)                                             \
    [NVME_REG_##name] = {#name, spec, meaning, offset, bytes, reset},
#define FIELD(reg, name, shift, bits, access, meaning)
#include "nvme-regs.def"
#undef REG
#undef FIELD
};

const NvmeRegField nvme_model_reg_fields[] = {
#define REG(name, offset, bytes, reset, spec, meaning)
#define FIELD(reg, name, shift, bits, access, meaning)                                             \
    {NVME_REG_##reg, #name, meaning, shift, bits, NVME_##access},
#include "nvme-regs.def"
#undef REG
#undef FIELD
};
const unsigned nvme_model_reg_fields_n = G_N_ELEMENTS(nvme_model_reg_fields);

uint64_t nvme_model_reg_mask(NvmeRegId reg, NvmeAccess access)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < nvme_model_reg_fields_n; i++) {
        const NvmeRegField *field = &nvme_model_reg_fields[i];
        if (field->reg == reg && field->access == access) {
            mask |= (UINT64_MAX >> (64 - field->bits)) << field->shift;
        }
    }
    return mask;
}

static unsigned log2_of(uint64_t value)
{
    return 63 - (unsigned)__builtin_clzll(value);
}

void nvme_model_regs_reset(NvmeModel *self, bool admin_queues_too)
{
    const NvmeProfile *profile = self->profile;

    for (unsigned i = 0; i < NVME_REG_COUNT; i++) {
        bool kept = i == NVME_REG_AQA || i == NVME_REG_ASQ || i == NVME_REG_ACQ;
        if (!kept || admin_queues_too) {
            self->regs[i] = nvme_model_regs[i].reset;
        }
    }
    self->regs[NVME_REG_CAP] = NVME_PUT(CAP_MQES, profile->queue_entries - 1) |
                               NVME_PUT(CAP_CQR, profile->queues_contiguous) |
                               NVME_PUT(CAP_TO, profile->timeout_ps / (500 * SIM_MS)) |
                               NVME_PUT(CAP_CSS, 1) |
                               NVME_PUT(CAP_MPSMIN, log2_of(profile->page_min_bytes) - 12) |
                               NVME_PUT(CAP_MPSMAX, log2_of(profile->page_max_bytes) - 12);
    self->regs[NVME_REG_VS] =
        NVME_PUT(VS_MJR, 1) | NVME_PUT(VS_MNR, profile->version == NVME_VERSION_1_1 ? 1 : 0);
}

/* The register that holds the dword at @offset, or NULL: reserved. */
static const NvmeReg *find(uint64_t offset, NvmeRegId *id)
{
    for (unsigned i = 0; i < NVME_REG_COUNT; i++) {
        const NvmeReg *reg = &nvme_model_regs[i];
        if (offset >= reg->offset && offset < (uint64_t)reg->offset + reg->bytes) {
            *id = (NvmeRegId)i;
            return reg;
        }
    }
    return NULL;
}

static uint32_t read_dword(const NvmeModel *self, uint64_t offset)
{
    NvmeRegId id;
    const NvmeReg *reg = offset < NVME_DOORBELLS ? find(offset, &id) : NULL;

    if (reg == NULL) {
        return 0; /* reserved registers and doorbells */
    }
    if (id == NVME_REG_INTMC) {
        id = NVME_REG_INTMS; /* both show the mask */
    }
    return (uint32_t)(self->regs[id] >> ((offset - reg->offset) * 8));
}

/* Is this a width and place that [NVMe-1.1 §3] lets a host use? */
static bool proper_access(uint64_t offset, unsigned size)
{
    NvmeRegId id;
    const NvmeReg *reg;

    if (offset >= NVME_DOORBELLS || size != 8) {
        return size == 4 && offset % 4 == 0;
    }
    reg = find(offset, &id);
    return reg != NULL && reg->bytes == 8 && reg->offset == offset;
}

uint64_t nvme_model_mmio_read(NvmeModel *self, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    if (size == 0 || size > 8) {
        return 0;
    }
    nvme_model_settle(self);
    pcie_mmio_read(self->function, PCIE_FOR_REGISTER, size, nvme_model_now(self));
    if (!proper_access(offset, size)) {
        nvme_model_violation(self, "NVMe-1.1 §3.1",
                             "register read neither aligned dword nor 64-bit register");
    }
    if (offset >= NVME_DOORBELLS) {
        nvme_model_violation(self, "NVMe-1.1 §3.1.11", "doorbell read");
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        uint64_t at = offset + i;
        uint64_t byte = read_dword(self, at & ~UINT64_C(3)) >> (at % 4 * 8) & 0xff;
        value |= byte << (i * 8);
    }
    return value;
}

static void check_write(NvmeModel *self, NvmeRegId id)
{
    unsigned vectors;

    switch (id) {
    case NVME_REG_AQA:
    case NVME_REG_ASQ:
    case NVME_REG_ACQ:
        if (NVME_GET(self->regs[NVME_REG_CC], CC_EN)) {
            nvme_model_violation(self, nvme_model_regs[id].spec,
                                 "admin queue registers written while CC.EN=1");
        }
        break;
    case NVME_REG_INTMS:
    case NVME_REG_INTMC:
        if (self->port->ops->irq_mode(self->port->opaque, &vectors) == SIM_IRQ_MSIX) {
            nvme_model_violation(self, nvme_model_regs[id].spec,
                                 "INTMS or INTMC written while MSI-X is enabled");
        }
        break;
    default:
        break;
    }
}

static void write_dword(NvmeModel *self, uint64_t offset, uint32_t value)
{
    NvmeRegId id;
    const NvmeReg *reg = find(offset, &id);
    unsigned shift;
    uint64_t bits, old, lane;

    if (reg == NULL) {
        nvme_model_violation(self, "NVMe-1.1 §3.1", "write to a reserved register");
        return;
    }
    check_write(self, id);
    shift = (unsigned)(offset - reg->offset) * 8;
    lane = UINT64_C(0xffffffff) << shift;
    bits = (uint64_t)value << shift;
    self->regs[NVME_REG_INTMS] |= bits & lane & nvme_model_reg_mask(id, NVME_W1S);
    self->regs[NVME_REG_INTMS] &= ~(bits & lane & nvme_model_reg_mask(id, NVME_W1C));
    lane &= nvme_model_reg_mask(id, NVME_RW);
    old = self->regs[id];
    self->regs[id] = (old & ~lane) | (bits & lane);
    if (id == NVME_REG_CC) {
        nvme_model_cc_written(self, (uint32_t)old, (uint32_t)self->regs[id]);
    } else if (id == NVME_REG_INTMS || id == NVME_REG_INTMC) {
        nvme_model_irq_changed(self);
    }
}

void nvme_model_mmio_write(NvmeModel *self, uint64_t offset, uint64_t value, unsigned size)
{
    bool proper = proper_access(offset, size);

    if (G_LIKELY(proper && offset >= NVME_DOORBELLS)) {
        nvme_model_settle(self);
        nvme_model_doorbell(self, offset - NVME_DOORBELLS, (uint32_t)value);
        return;
    }
    if (size == 0 || size > 8) {
        return;
    }
    nvme_model_settle(self);
    if (!proper) {
        nvme_model_violation(self, offset < NVME_DOORBELLS ? "NVMe-1.1 §3.1" : "NVMe-1.1 §3.1.11",
                             "register write neither aligned dword nor 64-bit register");
    }
    if (size < 4 || offset % 4 != 0) {
        pcie_mmio_write(self->function, PCIE_FOR_REGISTER, size, nvme_model_now(self));
        return; /* byte enables are not honoured */
    }
    if (offset >= NVME_DOORBELLS) {
        for (unsigned i = 0; i + 4 <= size; i += 4) {
            nvme_model_doorbell(self, offset - NVME_DOORBELLS + i, (uint32_t)(value >> (i * 8)));
        }
        return;
    }
    pcie_mmio_write(self->function, PCIE_FOR_REGISTER, size, nvme_model_now(self));
    for (unsigned i = 0; i + 4 <= size; i += 4) {
        write_dword(self, offset + i, (uint32_t)(value >> (i * 8)));
    }
}
