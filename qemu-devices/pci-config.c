/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space of a device: identity, BARs and capabilities at the offsets of its profile.
 *
 * It also sets the port above to the payload size that firmware would have chosen for the pair: the
 * guest's firmware has run before the device is plugged in, and Linux gives a new device what its
 * port has. */
#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pcie.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "pci-config.h"

enum { PAYLOAD_SHIFT = 5, PAYLOAD_BITS = 3, READ_REQUEST_SHIFT = 12, READ_REQUEST_BITS = 3 };
enum { BAR_REGISTERS = 0, BAR_IO = 2, BAR_MSIX = 4 };
#define BAR_TYPE (PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64)

static uint64_t io_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

static void io_write(void *opaque, hwaddr offset, uint64_t value, unsigned size) {}

/* Present because real devices have it, and a driver may look at its size; none is known to use it.
 */
static const MemoryRegionOps io_ops = {
    .read = io_read, .write = io_write, .endianness = DEVICE_LITTLE_ENDIAN};

static void config_identity(PCIDevice *pci, const PcieIdentity *identity)
{
    pci_config_set_vendor_id(pci->config, identity->vendor_id);
    pci_config_set_device_id(pci->config, identity->device_id);
    pci_config_set_revision(pci->config, identity->revision);
    pci_config_set_prog_interface(pci->config, identity->prog_if);
    pci_config_set_interrupt_pin(pci->config, 1);
    pci_set_word(pci->config + PCI_SUBSYSTEM_VENDOR_ID, identity->subsystem_vendor_id);
    pci_set_word(pci->config + PCI_SUBSYSTEM_ID, identity->subsystem_id);
}

/* Device Control's code of a payload size. */
static unsigned payload_code(unsigned bytes)
{
    return ctz32(MAX(bytes, 128)) - ctz32(128);
}

/* The link, and what the guest may set in Device Control and Device Control 2. */
static void config_express(PCIDevice *pci, const PcieIdentity *identity, const PcieParams *slot)
{
    uint8_t pos = pci->exp.exp_cap;

    pcie_cap_fill_link_ep_usp(pci, identity->lanes, identity->generation);
    pci_set_word(pci->config + pos + PCI_EXP_LNKSTA,
                 QEMU_PCI_EXP_LNKSTA_NLW(MIN(identity->lanes, slot->lanes)) |
                     QEMU_PCI_EXP_LNKSTA_CLS(MIN(identity->generation, slot->generation)));
    pcie_cap_deverr_init(pci);
    pcie_cap_flr_init(pci);
    pci_long_test_and_set_mask(pci->config + pos + PCI_EXP_DEVCAP,
                               payload_code(identity->max_payload));
    pci_word_test_and_set_mask(pci->wmask + pos + PCI_EXP_DEVCTL,
                               PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_READRQ |
                                   PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN);
    if (identity->completion_timeout) {
        pci_word_test_and_set_mask(pci->wmask + pos + PCI_EXP_DEVCTL2,
                                   PCI_EXP_DEVCTL2_COMP_TIMEOUT);
    }
}

static void set_port_payload(PCIDevice *pci, const PcieIdentity *identity, const PcieParams *slot)
{
    PCIDevice *port = pci_bridge_get_device(pci_get_bus(pci));
    unsigned code = payload_code(MIN(identity->max_payload, slot->max_payload));

    if (port && pci_is_express(port)) {
        uint8_t *cap = port->config + port->exp.exp_cap;

        pci_long_test_and_set_mask(cap + PCI_EXP_DEVCAP, payload_code(slot->max_payload));
        pci_word_test_and_clear_mask(cap + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_PAYLOAD);
        pci_word_test_and_set_mask(cap + PCI_EXP_DEVCTL, code << PAYLOAD_SHIFT);
    }
}

static bool config_power(PCIDevice *pci, unsigned offset, Error **errp)
{
    if (pci_pm_init(pci, offset, errp) < 0) {
        return false;
    }
    pci_set_word(pci->config + offset + PCI_PM_PMC, 3); /* version 1.2 */
    pci_set_word(pci->config + offset + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(pci->wmask + offset + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
    return true;
}

static MemoryRegion *msix_bar(const PcieIdentity *identity, QuirkbenchPciBars *bars)
{
    return identity->msix_bar_bytes ? &bars->msix : &bars->registers;
}

static bool config_interrupts(PCIDevice *pci, const PcieIdentity *identity, QuirkbenchPciBars *bars,
                              Error **errp)
{
    MemoryRegion *bar = msix_bar(identity, bars);
    unsigned number = identity->msix_bar_bytes ? BAR_MSIX : BAR_REGISTERS;

    if (identity->msi_vectors && identity->msi_offset &&
        msi_init(pci, identity->msi_offset, identity->msi_vectors, true, identity->msi_masks,
                 errp) < 0) {
        return false;
    }
    if (msix_init(pci, identity->msix_vectors, bar, number, identity->msix_table, bar, number,
                  identity->msix_pba, identity->msix_offset, errp) < 0) {
        return false;
    }
    for (unsigned vector = 0; vector < identity->msix_vectors; vector++) {
        msix_vector_use(pci, vector);
    }
    return true;
}

static void register_bars(PCIDevice *pci, const PcieIdentity *identity, QuirkbenchPciBars *bars)
{
    pci_register_bar(pci, BAR_REGISTERS, BAR_TYPE, &bars->registers);
    if (identity->io_bar_bytes) {
        memory_region_init_io(&bars->io, OBJECT(pci), &io_ops, pci, "quirkbench-io",
                              identity->io_bar_bytes);
        pci_register_bar(pci, BAR_IO, PCI_BASE_ADDRESS_SPACE_IO, &bars->io);
    }
    if (identity->msix_bar_bytes) {
        pci_register_bar(pci, BAR_MSIX, BAR_TYPE, &bars->msix);
    }
}

bool quirkbench_pci_config_init(PCIDevice *pci, const PcieIdentity *identity,
                                QuirkbenchPciBars *bars, uint64_t serial, const PcieParams *slot,
                                Error **errp)
{
    config_identity(pci, identity);
    if (identity->msix_bar_bytes) {
        memory_region_init(&bars->msix, OBJECT(pci), "quirkbench-msix", identity->msix_bar_bytes);
    }
    if ((identity->pm_offset && !config_power(pci, identity->pm_offset, errp)) ||
        pcie_cap_init(pci, identity->pcie_offset, PCI_EXP_TYPE_ENDPOINT, 0, errp) < 0 ||
        !config_interrupts(pci, identity, bars, errp) ||
        (identity->aer_offset &&
         pcie_aer_init(pci, PCI_ERR_VER, identity->aer_offset, PCI_ERR_SIZEOF, errp) < 0)) {
        quirkbench_pci_config_exit(pci, identity, bars);
        return false;
    }
    config_express(pci, identity, slot);
    set_port_payload(pci, identity, slot);
    if (identity->serial_offset) {
        pcie_dev_ser_num_init(pci, identity->serial_offset, serial);
    }
    register_bars(pci, identity, bars);
    return true;
}

void quirkbench_pci_config_exit(PCIDevice *pci, const PcieIdentity *identity,
                                QuirkbenchPciBars *bars)
{
    MemoryRegion *bar = msix_bar(identity, bars);

    if (identity->aer_offset && pci->exp.aer_cap) {
        pcie_aer_exit(pci);
    }
    if (msix_present(pci)) {
        msix_uninit(pci, bar, bar);
    }
    msi_uninit(pci);
    if (pci->exp.exp_cap) {
        pcie_cap_exit(pci);
    }
}

void quirkbench_pci_config_write(PCIDevice *pci, const PcieIdentity *identity, uint32_t address,
                                 uint32_t value, int bytes)
{
    pci_default_write_config(pci, address, value, bytes);
    pcie_cap_flr_write_config(pci, address, value, bytes);
    if (identity->aer_offset) {
        pcie_aer_write_config(pci, address, value, bytes);
    }
}

void quirkbench_pci_config_control(PCIDevice *pci, PcieFunction *function)
{
    uint16_t control = pci_get_word(pci->config + pci->exp.exp_cap + PCI_EXP_DEVCTL);

    pcie_function_set_control(function, 128 << extract32(control, PAYLOAD_SHIFT, PAYLOAD_BITS),
                              128 << extract32(control, READ_REQUEST_SHIFT, READ_REQUEST_BITS));
}

bool quirkbench_pci_config_master(PCIDevice *pci, const PcieIdentity *identity)
{
    uint16_t command = pci_get_word(pci->config + PCI_COMMAND), state = 0;

    if (identity->pm_offset) {
        state =
            pci_get_word(pci->config + identity->pm_offset + PCI_PM_CTRL) & PCI_PM_CTRL_STATE_MASK;
    }
    return command & PCI_COMMAND_MASTER && state == 0;
}

bool quirkbench_pci_config_reset(PCIDevice *pci)
{
    uint8_t *control = pci->config + pci->exp.exp_cap + PCI_EXP_DEVCTL;
    bool flr = pci_get_word(control) & PCI_EXP_DEVCTL_BCR_FLR; /* still set when it is the cause */

    pci_set_word(control, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
                              PCI_EXP_DEVCTL_READRQ_512B | (flr ? PCI_EXP_DEVCTL_BCR_FLR : 0));
    return flr;
}
