/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SimPort's operations on QEMU's PCI bus.
 *
 * DMA and messages reach RAM and the interrupt controller, nothing else: an address that belongs to
 * a device (a BAR of ours, config space) is a bus error, because the access would re-enter a model
 * that is in the middle of its work.  That holds in a timer as in an MMIO access. */
#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "pci-port.h"

#define MESSAGE_WINDOW 0xfee00000 /* of the interrupt controllers, 1 MiB */

static bool port_dma(PCIDevice *pci, uint64_t iova, void *buf, size_t bytes, DMADirection direction)
{
    MemTxAttrs only_ram = {.memory = 1, .requester_id = pci_requester_id(pci)};

    return pci_dma_rw(pci, iova, buf, bytes, direction, only_ram) == MEMTX_OK;
}

static bool port_dma_read(void *opaque, uint64_t iova, void *buf, size_t bytes)
{
    return port_dma(opaque, iova, buf, bytes, DMA_DIRECTION_TO_DEVICE);
}

static bool port_dma_write(void *opaque, uint64_t iova, const void *buf, size_t bytes)
{
    return port_dma(opaque, iova, (void *)buf, bytes, DMA_DIRECTION_FROM_DEVICE);
}

static SimIrqMode port_irq_mode(void *opaque, unsigned *vectors)
{
    PCIDevice *pci = opaque;

    if (msix_enabled(pci)) {
        *vectors = msix_nr_vectors_allocated(pci);
        return SIM_IRQ_MSIX;
    }
    *vectors = msi_enabled(pci) ? msi_nr_vectors_allocated(pci) : 1;
    if (msi_enabled(pci)) {
        return SIM_IRQ_MSI;
    }
    return pci_get_word(pci->config + PCI_COMMAND) & PCI_COMMAND_INTX_DISABLE ? SIM_IRQ_NONE
                                                                              : SIM_IRQ_INTX;
}

static void port_send(PCIDevice *pci, MSIMessage message)
{
    if (message.address >> 20 == MESSAGE_WINDOW >> 20) {
        msi_send_message(pci, message);
    } else {
        uint32_t data = cpu_to_le32(message.data);

        port_dma_write(pci, message.address, &data, sizeof(data));
    }
}

static bool port_raise(void *opaque, unsigned vector)
{
    PCIDevice *pci = opaque;

    if (msix_enabled(pci)) {
        if (vector >= msix_nr_vectors_allocated(pci)) {
            return false;
        }
        if (msix_is_masked(pci, vector)) {
            msix_set_pending(pci, vector);
            return false;
        }
        port_send(pci, msix_get_message(pci, vector));
        return true;
    }
    if (!msi_enabled(pci) || vector >= msi_nr_vectors_allocated(pci)) {
        return false;
    }
    port_send(pci, msi_get_message(pci, vector));
    return true;
}

static void port_set_intx(void *opaque, bool level)
{
    pci_set_irq(opaque, level);
}

const SimPortOps quirkbench_pci_port_ops = {
    .dma_read = port_dma_read,
    .dma_write = port_dma_write,
    .irq_mode = port_irq_mode,
    .raise = port_raise,
    .set_intx = port_set_intx,
};
