/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A port of an 82599 on QEMU's PCI bus: the wiring between QEMU and IxgbeModel.  What the port does
 * is in models/ixgbe. */
#include "qemu/osdep.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "net/net.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/module.h"
#include "pci-config.h"
#include "pci-port.h"
#include "quirkbench-wire.h"
#include "sim-object.h"
#include "ixgbe/ixgbe-model.h"

#define TYPE_QUIRKBENCH_IXGBE "quirkbench-ixgbe"
OBJECT_DECLARE_SIMPLE_TYPE(QuirkbenchIxgbe, QUIRKBENCH_IXGBE)

struct QuirkbenchIxgbe {
    PCIDevice parent_obj;

    QuirkbenchSim *sim;
    QuirkbenchWire *wire;
    char *slot, *profile_path, *sfp;
    MACAddr mac;

    QuirkbenchPciBars bars;
    PcieIdentity pci;
    PcieLink *link;
    PcieFunction *function;
    WireEnd *end;
    IxgbeModel *model;
    SimPort port;
    QuirkbenchSimClient client;
};

/* --- From the guest --- */

static uint64_t ixgbe_mmio_read(void *opaque, hwaddr offset, unsigned size)
{
    QuirkbenchIxgbe *s = opaque;

    return quirkbench_sim_enter(s->sim) ? ixgbe_model_mmio_read(s->model, offset, size)
                                        : UINT64_MAX;
}

static void ixgbe_mmio_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    QuirkbenchIxgbe *s = opaque;

    if (quirkbench_sim_enter(s->sim)) {
        ixgbe_model_mmio_write(s->model, offset, value, size);
        quirkbench_sim_leave(s->sim);
    }
}

static const MemoryRegionOps ixgbe_mmio_ops = {
    .read = ixgbe_mmio_read,
    .write = ixgbe_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
};

static void ixgbe_config_changed(QuirkbenchIxgbe *s)
{
    PCIDevice *pci = PCI_DEVICE(s);

    quirkbench_pci_config_control(pci, s->function);
    ixgbe_model_bus_master(s->model, quirkbench_pci_config_master(pci, &s->pci));
}

static void ixgbe_config_write(PCIDevice *pci, uint32_t address, uint32_t value, int bytes)
{
    QuirkbenchIxgbe *s = QUIRKBENCH_IXGBE(pci);
    bool running = quirkbench_sim_enter(s->sim);

    quirkbench_pci_config_write(pci, &s->pci, address, value, bytes);
    if (running) {
        ixgbe_config_changed(s);
        ixgbe_model_irq_changed(s->model);
    }
}

static void ixgbe_reset(DeviceState *dev)
{
    QuirkbenchIxgbe *s = QUIRKBENCH_IXGBE(dev);

    quirkbench_pci_config_reset(PCI_DEVICE(s));
    if (quirkbench_sim_enter(s->sim)) {
        ixgbe_model_reset(s->model);
        ixgbe_config_changed(s);
    }
}

/* --- Life --- */

static void ixgbe_record(void *opaque, const char *at)
{
    ixgbe_model_record(((QuirkbenchIxgbe *)opaque)->model, at);
}

static void ixgbe_sample(void *opaque)
{
    ixgbe_model_sample(((QuirkbenchIxgbe *)opaque)->model);
}

static void ixgbe_check(void *opaque)
{
    ixgbe_model_check(((QuirkbenchIxgbe *)opaque)->model);
}

static bool ixgbe_make_model(QuirkbenchIxgbe *s, const IxgbeProfile *profile, Error **errp)
{
    static const MACAddr none;
    g_autoptr(GError) error = NULL;
    IxgbeModelOptions options = {
        .mac = memcmp(&s->mac, &none, sizeof(none)) ? s->mac.a : NULL,
        .sfp = s->sfp,
        .lan_id = PCI_FUNC(PCI_DEVICE(s)->devfn),
    };
    PcieFunctionParams params = pcie_identity_function(&s->pci);

    s->port = (SimPort){
        .ops = &quirkbench_pci_port_ops, .opaque = PCI_DEVICE(s), .device = DEVICE(s)->id};
    quirkbench_sim_port(s->sim, &s->port);
    params.card = pci_get_bus(PCI_DEVICE(s)); /* its slot: both ports are functions of one card */
    if (s->wire && !(s->end = quirkbench_wire_take(s->wire, errp))) {
        return false;
    }
    s->function = pcie_function_new(s->link, &params);
    s->model = ixgbe_model_new(&s->port, s->function, profile, s->end, &options, &error);
    if (!s->model) {
        error_setg(errp, "%s", error->message);
        return false;
    }
    return true;
}

static void ixgbe_drop_model(QuirkbenchIxgbe *s)
{
    g_clear_pointer(&s->model, ixgbe_model_free);
    g_clear_pointer(&s->function, pcie_function_free);
    if (s->end) {
        quirkbench_wire_release(s->wire, g_steal_pointer(&s->end));
    }
}

/* Serial number in config space: the address with ff-ff in its middle. */
static uint64_t ixgbe_serial(const IxgbeModel *model)
{
    const uint8_t *mac = ixgbe_model_mac(model);
    uint64_t high = ldl_be_p(mac) >> 8, low = ldl_be_p(mac + 2) & 0xffffff;

    return high << 40 | 0xffffULL << 24 | low;
}

static void ixgbe_realize(PCIDevice *pci, Error **errp)
{
    QuirkbenchIxgbe *s = QUIRKBENCH_IXGBE(pci);
    g_autoptr(GError) error = NULL;
    g_autoptr(IxgbeProfile) profile = NULL;

    if (!s->sim || !s->profile_path || !DEVICE(s)->id) {
        error_setg(errp, "%s= is missing", !s->sim ? "sim" : !s->profile_path ? "profile" : "id");
        return;
    }
    profile = ixgbe_profile_load(s->profile_path, &error);
    if (!profile) {
        error_setg(errp, "%s", error->message);
        return;
    }
    ixgbe_profile_pci(profile, &s->pci);
    s->link = quirkbench_sim_link(s->sim, s->slot, errp);
    if (!s->link || !ixgbe_make_model(s, profile, errp)) {
        ixgbe_drop_model(s);
        return;
    }
    memory_region_init_io(&s->bars.registers, OBJECT(s), &ixgbe_mmio_ops, s, "quirkbench-ixgbe",
                          s->pci.bar0_bytes);
    if (!quirkbench_pci_config_init(pci, &s->pci, &s->bars, ixgbe_serial(s->model),
                                    quirkbench_sim_slot(s->sim, s->link), errp)) {
        ixgbe_drop_model(s);
        return;
    }
    ixgbe_config_changed(s);
    s->client = (QuirkbenchSimClient){s, ixgbe_record, ixgbe_sample, ixgbe_check};
    quirkbench_sim_attach(s->sim, &s->client);
}

static void ixgbe_exit(PCIDevice *pci)
{
    QuirkbenchIxgbe *s = QUIRKBENCH_IXGBE(pci);

    quirkbench_sim_detach(s->sim, &s->client);
    quirkbench_pci_config_exit(pci, &s->pci, &s->bars);
    ixgbe_drop_model(s);
}

/* Cards are plugged in after a restore, never saved. */
static const VMStateDescription ixgbe_vmstate = {.name = TYPE_QUIRKBENCH_IXGBE, .unmigratable = 1};

static const Property ixgbe_properties[] = {
    DEFINE_PROP_LINK("sim", QuirkbenchIxgbe, sim, TYPE_QUIRKBENCH_SIM, QuirkbenchSim *),
    DEFINE_PROP_LINK("wire", QuirkbenchIxgbe, wire, TYPE_QUIRKBENCH_WIRE, QuirkbenchWire *),
    DEFINE_PROP_STRING("slot", QuirkbenchIxgbe, slot),
    DEFINE_PROP_STRING("profile", QuirkbenchIxgbe, profile_path),
    DEFINE_PROP_STRING("sfp", QuirkbenchIxgbe, sfp),
    DEFINE_PROP_MACADDR("mac", QuirkbenchIxgbe, mac),
};

static void ixgbe_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = ixgbe_realize;
    pc->exit = ixgbe_exit;
    pc->config_write = ixgbe_config_write;
    pc->class_id = PCI_CLASS_NETWORK_ETHERNET;
    dc->desc = "Quirkbench: a port of an 82599";
    dc->vmsd = &ixgbe_vmstate;
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
    device_class_set_legacy_reset(dc, ixgbe_reset);
    device_class_set_props(dc, ixgbe_properties);
}

static const TypeInfo ixgbe_type = {
    .name = TYPE_QUIRKBENCH_IXGBE,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(QuirkbenchIxgbe),
    .class_init = ixgbe_class_init,
    .interfaces = (InterfaceInfo[]){{INTERFACE_PCIE_DEVICE}, {}},
};

static void ixgbe_register(void)
{
    type_register_static(&ixgbe_type);
}
type_init(ixgbe_register)
