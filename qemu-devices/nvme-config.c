/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Config space of an NVMe drive: identity, BARs and capabilities at the offsets of its profile.
 *
 * It also sets the port above to the payload size that firmware would have chosen for the pair: the
 * guest's firmware has run before the drive is plugged in, and Linux gives a new device what its
 * port has. */
#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bridge.h"
#include "hw/pci/pcie.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "nvme-config.h"
#include "sim/sim-hash.h"

enum { PAYLOAD_SHIFT = 5, PROG_IF_NVM_EXPRESS = 2 };

static uint64_t io_bar_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

static void io_bar_write(void *opaque, hwaddr offset, uint64_t value, unsigned size) {}

/* Present because the driver may look at its size; no driver is known to use it. */
static const MemoryRegionOps io_bar_ops = {
    .read = io_bar_read, .write = io_bar_write, .endianness = DEVICE_LITTLE_ENDIAN};

static void config_identity(PCIDevice *pci, const NvmePciIdentity *identity)
{
    pci_config_set_vendor_id(pci->config, identity->vendor_id);
    pci_config_set_device_id(pci->config, identity->device_id);
    pci_config_set_revision(pci->config, identity->revision);
    pci_config_set_prog_interface(pci->config, PROG_IF_NVM_EXPRESS);
    pci_config_set_interrupt_pin(pci->config, 1);
    pci_set_word(pci->config + PCI_SUBSYSTEM_VENDOR_ID, identity->subsystem_vendor_id);
    pci_set_word(pci->config + PCI_SUBSYSTEM_ID, identity->subsystem_id);
}

/* Device Control's code of a payload size. */
static unsigned payload_code(unsigned bytes)
{
    return ctz32(MAX(bytes, 128)) - ctz32(128);
}

static void config_link(PCIDevice *pci, const NvmePciIdentity *identity, const PcieParams *slot)
{
    uint8_t *cap = pci->config + pci->exp.exp_cap;

    pcie_cap_fill_link_ep_usp(pci, identity->lanes, identity->generation);
    pci_set_word(cap + PCI_EXP_LNKSTA,
                 QEMU_PCI_EXP_LNKSTA_NLW(MIN(identity->lanes, slot->lanes)) |
                     QEMU_PCI_EXP_LNKSTA_CLS(MIN(identity->generation, slot->generation)));
}

/* What the guest may set in Device Control, and what it finds there. */
static void config_control(PCIDevice *pci, const NvmePciIdentity *identity)
{
    uint8_t pos = pci->exp.exp_cap;

    pcie_cap_deverr_init(pci);
    pcie_cap_flr_init(pci);
    pci_long_test_and_set_mask(pci->config + pos + PCI_EXP_DEVCAP,
                               payload_code(identity->max_payload));
    pci_word_test_and_set_mask(pci->wmask + pos + PCI_EXP_DEVCTL,
                               PCI_EXP_DEVCTL_PAYLOAD | PCI_EXP_DEVCTL_READRQ |
                                   PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN);
}

static void set_port_payload(PCIDevice *pci, const NvmePciIdentity *identity,
                             const PcieParams *slot)
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

static bool config_interrupts(PCIDevice *pci, const NvmePciIdentity *identity, MemoryRegion *bar0,
                              Error **errp)
{
    if (identity->msi_vectors && identity->msi_offset &&
        msi_init(pci, identity->msi_offset, identity->msi_vectors, true, false, errp) < 0) {
        return false;
    }
    if (identity->msix_vectors && identity->msix_offset &&
        msix_init(pci, identity->msix_vectors, bar0, 0, identity->msix_table_offset, bar0, 0,
                  identity->msix_pba_offset, identity->msix_offset, errp) < 0) {
        return false;
    }
    for (int vector = 0; vector < pci->msix_entries_nr; vector++) {
        msix_vector_use(pci, vector);
    }
    return true;
}

bool quirkbench_nvme_config_init(PCIDevice *pci, const NvmePciIdentity *identity,
                                 MemoryRegion *bar0, MemoryRegion *io_bar, const char *serial,
                                 const PcieParams *slot, Error **errp)
{
    config_identity(pci, identity);
    if ((identity->pm_offset && !config_power(pci, identity->pm_offset, errp)) ||
        pcie_cap_init(pci, identity->pcie_offset, PCI_EXP_TYPE_ENDPOINT, 0, errp) < 0 ||
        !config_interrupts(pci, identity, bar0, errp) ||
        (identity->aer_offset &&
         pcie_aer_init(pci, PCI_ERR_VER, identity->aer_offset, PCI_ERR_SIZEOF, errp) < 0)) {
        quirkbench_nvme_config_exit(pci, identity, bar0);
        return false;
    }
    config_link(pci, identity, slot);
    config_control(pci, identity);
    set_port_payload(pci, identity, slot);
    if (identity->serial_offset) {
        pcie_dev_ser_num_init(pci, identity->serial_offset,
                              sim_hash64(g_str_hash(serial ? serial : "")));
    }
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64, bar0);
    if (identity->io_bar_bytes) {
        memory_region_init_io(io_bar, OBJECT(pci), &io_bar_ops, pci, "quirkbench-nvme-io",
                              identity->io_bar_bytes);
        pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_IO, io_bar);
    }
    return true;
}

void quirkbench_nvme_config_exit(PCIDevice *pci, const NvmePciIdentity *identity,
                                 MemoryRegion *bar0)
{
    if (identity->aer_offset && pci->exp.aer_cap) {
        pcie_aer_exit(pci);
    }
    if (msix_present(pci)) {
        msix_uninit(pci, bar0, bar0);
    }
    msi_uninit(pci);
    if (pci->exp.exp_cap) {
        pcie_cap_exit(pci);
    }
}
