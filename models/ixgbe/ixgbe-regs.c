/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers: the table, and guest accesses of any width.  Behaviour is in `hooks`, sparse, by
 * register: each is in the file of its subject.
 *
 * An offset that the table does not have is storage: what was written is read back, and the first
 * accesses are counted.  Nothing ever reads all ones: a driver would take the card for gone. */
#include "ixgbe/ixgbe-internal.h"
#include <stddef.h>

const IxgbeReg ixgbe_model_regs[IXGBE_REG_COUNT] = {
#define REG(name, count, reset, spec, meaning)                                                     \
    [IXGBE_REG_##name] = {#name, spec, meaning, reset, count, offsetof(IxgbeRegs, name) / 4},
#define AT(name, first, offset, count, stride)
#define FIELD(reg, name, shift, bits, access, meaning)
#include "ixgbe-regs.def"
#undef REG
#undef AT
#undef FIELD
};

const IxgbeRegPlace ixgbe_model_reg_places[] = {
#define REG(name, count, reset, spec, meaning)
#define AT(name, first, offset, count, stride) {IXGBE_REG_##name, offset, first, count, stride},
#define FIELD(reg, name, shift, bits, access, meaning)
#include "ixgbe-regs.def"
#undef AT
#undef FIELD
};
const unsigned ixgbe_model_reg_places_n = G_N_ELEMENTS(ixgbe_model_reg_places);

const IxgbeRegField ixgbe_model_reg_fields[] = {
#define AT(name, first, offset, count, stride)
#define FIELD(reg, name, shift, bits, access, meaning)                                             \
    {IXGBE_REG_##reg, #name, meaning, shift, bits, IXGBE_##access},
#include "ixgbe-regs.def"
#undef REG
#undef AT
#undef FIELD
};
const unsigned ixgbe_model_reg_fields_n = G_N_ELEMENTS(ixgbe_model_reg_fields);

/* A write's hook sees the value before it and the value as written; a read's hook gives the
 * answer. */
typedef struct IxgbeHook {
    void (*wrote)(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value);
    uint32_t (*read)(IxgbeModel *self, unsigned index);
} IxgbeHook;

/* clang-format off */
static const IxgbeHook hooks[IXGBE_REG_COUNT] = {
    [IXGBE_REG_CTRL] = {.wrote = ixgbe_model_ctrl_written},
    [IXGBE_REG_STATUS] = {.read = ixgbe_model_status_read},
    [IXGBE_REG_ESDP] = {.wrote = ixgbe_model_esdp_written},
    [IXGBE_REG_I2CCTL] = {.wrote = ixgbe_model_i2cctl_written},
    [IXGBE_REG_EEC] = {.read = ixgbe_model_eec_read},
    [IXGBE_REG_EERD] = {.wrote = ixgbe_model_eerd_written},
    [IXGBE_REG_SWSM] = {.read = ixgbe_model_swsm_read},
    [IXGBE_REG_LINKS] = {.read = ixgbe_model_links_read},
    [IXGBE_REG_EICR] = {.wrote = ixgbe_model_eicr_written, .read = ixgbe_model_eicr_read},
    [IXGBE_REG_EICS] = {.wrote = ixgbe_model_eics_written, .read = ixgbe_model_eics_read},
    [IXGBE_REG_EIMS] = {.wrote = ixgbe_model_eims_written, .read = ixgbe_model_eims_read},
    [IXGBE_REG_EIMC] = {.wrote = ixgbe_model_eimc_written, .read = ixgbe_model_eims_read},
    [IXGBE_REG_EIAM] = {.wrote = ixgbe_model_eiam_written},
    [IXGBE_REG_EICS_EX] = {.wrote = ixgbe_model_eics_ex_written, .read = ixgbe_model_eics_ex_read},
    [IXGBE_REG_EIMS_EX] = {.wrote = ixgbe_model_eims_ex_written, .read = ixgbe_model_eims_ex_read},
    [IXGBE_REG_EIMC_EX] = {.wrote = ixgbe_model_eimc_ex_written, .read = ixgbe_model_eims_ex_read},
    [IXGBE_REG_EIAM_EX] = {.wrote = ixgbe_model_eiam_ex_written},
    [IXGBE_REG_EITR] = {.wrote = ixgbe_model_eitr_written},
    [IXGBE_REG_RXCTRL] = {.wrote = ixgbe_model_rxctrl_written},
    [IXGBE_REG_RDH] = {.wrote = ixgbe_model_rdh_written},
    [IXGBE_REG_RDT] = {.wrote = ixgbe_model_rdt_written},
    [IXGBE_REG_RXDCTL] = {.wrote = ixgbe_model_rxdctl_written},
    [IXGBE_REG_QDE] = {.wrote = ixgbe_model_qde_written},
    [IXGBE_REG_RSSRK] = {.wrote = ixgbe_model_rssrk_written},
    [IXGBE_REG_FDIRCTRL] = {.wrote = ixgbe_model_fdirctrl_written},
    [IXGBE_REG_FDIRCMD] = {.wrote = ixgbe_model_fdircmd_written},
    [IXGBE_REG_FDIRFREE] = {.read = ixgbe_model_fdirfree_read},
    [IXGBE_REG_TDH] = {.wrote = ixgbe_model_tdh_written},
    [IXGBE_REG_TDT] = {.wrote = ixgbe_model_tdt_written},
    [IXGBE_REG_TXDCTL] = {.wrote = ixgbe_model_txdctl_written},
    [IXGBE_REG_DMATXCTL] = {.wrote = ixgbe_model_dmatxctl_written},
    [IXGBE_REG_GORC] = {.read = ixgbe_model_gorc_read},
    [IXGBE_REG_GOTC] = {.read = ixgbe_model_gotc_read},
    [IXGBE_REG_TOR] = {.read = ixgbe_model_tor_read},
    [IXGBE_REG_QBRC] = {.read = ixgbe_model_qbrc_read},
    [IXGBE_REG_QBRC_H] = {.read = ixgbe_model_qbrc_high_read},
    [IXGBE_REG_QBTC] = {.read = ixgbe_model_qbtc_read},
};
/* clang-format on */

void ixgbe_model_regs_init(IxgbeModel *self)
{
    self->map = g_new0(IxgbeMapEntry, IXGBE_BAR0_DWORDS);
    for (unsigned i = 0; i < ixgbe_model_reg_places_n; i++) {
        const IxgbeRegPlace *place = &ixgbe_model_reg_places[i];
        for (unsigned n = 0; n < place->count; n++) {
            self->map[(place->offset + n * place->stride) / 4] = (IxgbeMapEntry){
                .reg = (uint16_t)(place->reg + 1), .index = (uint16_t)(place->first + n)};
        }
    }
    for (unsigned i = 0; i < ixgbe_model_reg_fields_n; i++) {
        const IxgbeRegField *field = &ixgbe_model_reg_fields[i];
        self->masks[field->reg][field->access] |= (UINT32_MAX >> (32 - field->bits))
                                                  << field->shift;
    }
}

void ixgbe_model_regs_reset(IxgbeModel *self)
{
    for (unsigned i = 0; i < IXGBE_REG_COUNT; i++) {
        const IxgbeReg *reg = &ixgbe_model_regs[i];
        if (i == IXGBE_REG_SWSM || i == IXGBE_REG_GSSR) {
            continue; /* whoever holds them goes on holding them */
        }
        for (unsigned n = 0; n < reg->count; n++) {
            self->values[reg->first + n] = reg->reset;
        }
    }
    self->regs.TXPBSIZE[0] = (uint32_t)self->profile->tx_buffer_bytes;
    memset(self->unknown, 0, sizeof *self->unknown * IXGBE_BAR0_DWORDS);
}

static uint32_t read_dword(IxgbeModel *self, uint64_t offset)
{
    uint32_t dword = (uint32_t)(offset / 4), value;
    IxgbeMapEntry entry;
    unsigned reg;

    if (dword >= IXGBE_BAR0_DWORDS) {
        return 0; /* flash */
    }
    entry = self->map[dword];
    if (entry.reg == 0) {
        self->counts[IXGBE_DEVICE_unknown_registers]++;
        return self->unknown[dword] == UINT32_MAX ? 0 : self->unknown[dword];
    }
    reg = entry.reg - 1u;
    if (hooks[reg].read != NULL) {
        return hooks[reg].read(self, entry.index);
    }
    value = self->values[ixgbe_model_regs[reg].first + entry.index];
    self->values[ixgbe_model_regs[reg].first + entry.index] &= ~self->masks[reg][IXGBE_RC];
    return value;
}

static void write_dword(IxgbeModel *self, uint64_t offset, uint32_t value)
{
    uint32_t dword = (uint32_t)(offset / 4), old, *at;
    IxgbeMapEntry entry;
    unsigned reg;

    if (dword >= IXGBE_BAR0_DWORDS) {
        return;
    }
    entry = self->map[dword];
    if (entry.reg == 0) {
        self->counts[IXGBE_DEVICE_unknown_registers]++;
        self->unknown[dword] = value;
        return;
    }
    reg = entry.reg - 1u;
    at = &self->values[ixgbe_model_regs[reg].first + entry.index];
    old = *at;
    *at = (old & ~self->masks[reg][IXGBE_RW]) | (value & self->masks[reg][IXGBE_RW]);
    *at &= ~(value & self->masks[reg][IXGBE_W1C]);
    if (hooks[reg].wrote != NULL) {
        hooks[reg].wrote(self, entry.index, old, value);
    }
}

uint64_t ixgbe_model_mmio_read(IxgbeModel *self, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    if (size == 0 || size > 8) {
        return 0;
    }
    pcie_mmio_read(self->function, PCIE_FOR_REGISTER, size, ixgbe_model_now(self));
    if (offset % 4 != 0 || size % 4 != 0) {
        ixgbe_model_violation(self, "82599 §8.2.1", "register read that is not an aligned dword");
    }
    for (uint64_t dword = offset / 4; dword <= (offset + size - 1) / 4; dword++) {
        uint64_t part = read_dword(self, dword * 4);
        int shift = (int)(dword * 4 - offset) * 8;
        value |= shift < 0 ? part >> -shift : part << shift;
    }
    return size == 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

static bool is_doorbell(const IxgbeModel *self, uint64_t offset)
{
    unsigned reg = offset / 4 < IXGBE_BAR0_DWORDS ? self->map[offset / 4].reg : 0;

    return reg == IXGBE_REG_RDT + 1 || reg == IXGBE_REG_TDT + 1;
}

void ixgbe_model_mmio_write(IxgbeModel *self, uint64_t offset, uint64_t value, unsigned size)
{
    if (size == 0 || size > 8) {
        return;
    }
    self->arrival = pcie_mmio_write(
        self->function, is_doorbell(self, offset) ? PCIE_FOR_DOORBELL : PCIE_FOR_REGISTER, size,
        ixgbe_model_now(self));
    if (offset % 4 != 0 || size % 4 != 0) {
        ixgbe_model_violation(self, "82599 §8.2.1", "register write that is not an aligned dword");
        return;
    }
    for (unsigned i = 0; i < size; i += 4) {
        write_dword(self, offset + i, (uint32_t)(value >> i * 8));
    }
}
