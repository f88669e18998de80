/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An NVMe drive on QEMU's PCI bus: config space as the profile lays it out, and the wiring between
 * QEMU and NvmeModel.  What the drive does is in models/nvme. */
#include "qemu/osdep.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "pci-config.h"
#include "pci-port.h"
#include "sim-object.h"
#include "nvme/nvme-model.h"
#include "sim/sim-hash.h"
#include "sim/sim-keyfile.h"

#define TYPE_QUIRKBENCH_NVME "quirkbench-nvme"
OBJECT_DECLARE_SIMPLE_TYPE(QuirkbenchNvme, QUIRKBENCH_NVME)

struct QuirkbenchNvme {
    PCIDevice parent_obj;

    QuirkbenchSim *sim;
    char *slot, *profile_path, *serial, *fill, *faults, *store_limit;

    QuirkbenchPciBars bars;
    PcieIdentity pci;
    PcieLink *link;
    PcieFunction *function;
    NvmeModel *model;
    SimPort port;
    QuirkbenchSimClient client;
};

/* --- From the guest --- */

static uint64_t nvme_mmio_read(void *opaque, hwaddr offset, unsigned size)
{
    QuirkbenchNvme *s = opaque;

    return quirkbench_sim_enter(s->sim) ? nvme_model_mmio_read(s->model, offset, size) : UINT64_MAX;
}

static void nvme_mmio_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    QuirkbenchNvme *s = opaque;

    if (quirkbench_sim_enter(s->sim)) {
        nvme_model_mmio_write(s->model, offset, value, size);
        quirkbench_sim_leave(s->sim);
    }
}

static const MemoryRegionOps nvme_mmio_ops = {
    .read = nvme_mmio_read,
    .write = nvme_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
};

static void nvme_config_changed(QuirkbenchNvme *s)
{
    PCIDevice *pci = PCI_DEVICE(s);

    quirkbench_pci_config_control(pci, s->function);
    nvme_model_bus_master(s->model, quirkbench_pci_config_master(pci, &s->pci));
}

static void nvme_config_write(PCIDevice *pci, uint32_t address, uint32_t value, int bytes)
{
    QuirkbenchNvme *s = QUIRKBENCH_NVME(pci);
    bool running = quirkbench_sim_enter(s->sim);

    quirkbench_pci_config_write(pci, &s->pci, address, value, bytes);
    if (running) {
        nvme_config_changed(s);
        nvme_model_irq_changed(s->model);
    }
}

static void nvme_reset(DeviceState *dev)
{
    QuirkbenchNvme *s = QUIRKBENCH_NVME(dev);
    bool flr = quirkbench_pci_config_reset(PCI_DEVICE(s));

    if (quirkbench_sim_enter(s->sim)) {
        nvme_model_reset(s->model, flr ? NVME_RESET_FUNCTION : NVME_RESET_POWER_ON);
        nvme_config_changed(s);
    }
}

/* --- Life --- */

static void nvme_record(void *opaque, const char *at)
{
    nvme_model_record(((QuirkbenchNvme *)opaque)->model, at);
}

static void nvme_sample(void *opaque)
{
    nvme_model_sample(((QuirkbenchNvme *)opaque)->model);
}

static void nvme_check(void *opaque)
{
    nvme_model_check(((QuirkbenchNvme *)opaque)->model);
}

static bool nvme_read_options(QuirkbenchNvme *s, NvmeModelOptions *options, Error **errp)
{
    g_autofree char *message = NULL;

    options->serial = s->serial;
    options->fill_random = !g_strcmp0(s->fill, "random");
    if (s->fill && !options->fill_random && strcmp(s->fill, "zero")) {
        error_setg(errp, "fill=%s: zero or random", s->fill);
        return false;
    }
    if (s->store_limit &&
        !sim_value_parse(s->store_limit, SIM_UNIT_BYTES, &options->store_limit_bytes, &message)) {
        error_setg(errp, "store-limit=%s: %s", s->store_limit, message);
        return false;
    }
    return true;
}

/* @faults: `;` between them. */
static char **nvme_split_faults(const char *faults)
{
    char **list = g_strsplit(faults ? faults : "", ";", -1);
    size_t kept = 0;

    for (size_t i = 0; list[i]; i++) {
        if (*g_strstrip(list[i])) {
            list[kept++] = list[i];
        } else {
            g_free(list[i]);
        }
    }
    list[kept] = NULL;
    return list;
}

static bool nvme_make_model(QuirkbenchNvme *s, const NvmeProfile *profile, Error **errp)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) faults = nvme_split_faults(s->faults);
    NvmeModelOptions options = {.faults = (const char *const *)faults};
    PcieFunctionParams params = pcie_identity_function(&s->pci);

    if (!nvme_read_options(s, &options, errp)) {
        return false;
    }
    s->port = (SimPort){
        .ops = &quirkbench_pci_port_ops, .opaque = PCI_DEVICE(s), .device = DEVICE(s)->id};
    quirkbench_sim_port(s->sim, &s->port);
    s->function = pcie_function_new(s->link, &params);
    s->model = nvme_model_new(&s->port, s->function, profile, &options, &error);
    if (!s->model) {
        error_setg(errp, "%s", error->message);
        return false;
    }
    return true;
}

static void nvme_drop_model(QuirkbenchNvme *s)
{
    g_clear_pointer(&s->model, nvme_model_free);
    g_clear_pointer(&s->function, pcie_function_free);
}

static void nvme_realize(PCIDevice *pci, Error **errp)
{
    QuirkbenchNvme *s = QUIRKBENCH_NVME(pci);
    g_autoptr(GError) error = NULL;
    g_autoptr(NvmeProfile) profile = NULL;

    if (!s->sim || !s->profile_path || !DEVICE(s)->id) {
        error_setg(errp, "%s= is missing", !s->sim ? "sim" : !s->profile_path ? "profile" : "id");
        return;
    }
    profile = nvme_profile_load(s->profile_path, &error);
    if (!profile) {
        error_setg(errp, "%s", error->message);
        return;
    }
    nvme_profile_pci(profile, &s->pci);
    s->link = quirkbench_sim_link(s->sim, s->slot, errp);
    if (!s->link || !nvme_make_model(s, profile, errp)) {
        nvme_drop_model(s);
        return;
    }
    memory_region_init_io(&s->bars.registers, OBJECT(s), &nvme_mmio_ops, s, "quirkbench-nvme",
                          s->pci.bar0_bytes);
    if (!quirkbench_pci_config_init(pci, &s->pci, &s->bars,
                                    sim_hash64(g_str_hash(s->serial ? s->serial : "")),
                                    quirkbench_sim_slot(s->sim, s->link), errp)) {
        nvme_drop_model(s);
        return;
    }
    nvme_config_changed(s);
    s->client = (QuirkbenchSimClient){s, nvme_record, nvme_sample, nvme_check};
    quirkbench_sim_attach(s->sim, &s->client);
}

static void nvme_exit(PCIDevice *pci)
{
    QuirkbenchNvme *s = QUIRKBENCH_NVME(pci);

    quirkbench_sim_detach(s->sim, &s->client);
    quirkbench_pci_config_exit(pci, &s->pci, &s->bars);
    nvme_drop_model(s);
}

/* Drives are plugged in after a restore, never saved. */
static const VMStateDescription nvme_vmstate = {.name = TYPE_QUIRKBENCH_NVME, .unmigratable = 1};

static const Property nvme_properties[] = {
    DEFINE_PROP_LINK("sim", QuirkbenchNvme, sim, TYPE_QUIRKBENCH_SIM, QuirkbenchSim *),
    DEFINE_PROP_STRING("slot", QuirkbenchNvme, slot),
    DEFINE_PROP_STRING("profile", QuirkbenchNvme, profile_path),
    DEFINE_PROP_STRING("serial", QuirkbenchNvme, serial),
    DEFINE_PROP_STRING("fill", QuirkbenchNvme, fill),
    DEFINE_PROP_STRING("faults", QuirkbenchNvme, faults),
    DEFINE_PROP_STRING("store-limit", QuirkbenchNvme, store_limit),
};

static void nvme_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = nvme_realize;
    pc->exit = nvme_exit;
    pc->config_write = nvme_config_write;
    pc->class_id = PCI_CLASS_STORAGE_EXPRESS;
    dc->desc = "Quirkbench: an NVMe drive";
    dc->vmsd = &nvme_vmstate;
    set_bit(DEVICE_CATEGORY_STORAGE, dc->categories);
    device_class_set_legacy_reset(dc, nvme_reset);
    device_class_set_props(dc, nvme_properties);
}

static const TypeInfo nvme_type = {
    .name = TYPE_QUIRKBENCH_NVME,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(QuirkbenchNvme),
    .class_init = nvme_class_init,
    .interfaces = (InterfaceInfo[]){{INTERFACE_PCIE_DEVICE}, {}},
};

static void nvme_register(void)
{
    type_register_static(&nvme_type);
}
type_init(nvme_register)
