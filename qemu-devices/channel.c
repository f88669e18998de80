/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channel (docs/channel.md): how a run's inputs reach the guest, and how its reports leave it.
 *
 * It is there from boot on, so its config space is in the snapshot.  The RAM of BAR2 is not: each
 * run loads its own archive. */
#include "qemu/osdep.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "system/cpu-timers.h"
#include "system/runstate.h"
#include "quirkbench-clock.h"
#include "sim-object.h"

#define TYPE_QUIRKBENCH_CHANNEL "quirkbench-channel"
OBJECT_DECLARE_SIMPLE_TYPE(QuirkbenchChannel, QUIRKBENCH_CHANNEL)

enum {
    REG_MAGIC = 0x00,
    REG_VERSION = 0x04,
    REG_IN_BYTES = 0x08,
    REG_OUT_OFFSET = 0x0c,
    REG_OUT_BYTES = 0x10,
    REG_SNAPSHOT = 0x14,
    REG_REPORT = 0x18,
    REG_MARK = 0x1c,
    REG_END = 0x20,
};

#define MAGIC 0x48434251
#define VERSION 1
#define REGS_BYTES 4096
#define RAM_BYTES (64 * MiB)
#define OUT_BYTES (4 * MiB)
#define OUT_OFFSET (RAM_BYTES - OUT_BYTES)

struct QuirkbenchChannel {
    PCIDevice parent_obj;

    MemoryRegion regs, ram;
    QuirkbenchSim *sim; /* NULL: a cold boot that makes a snapshot; nothing is recorded */
    char *archive;
    uint32_t in_bytes;
};

static void channel_snapshot(void)
{
    if (icount_enabled()) {
        quirkbench_clock_stop_here();
    } else {
        vm_stop(RUN_STATE_PAUSED);
    }
}

static void channel_report(QuirkbenchChannel *s, uint32_t bytes)
{
    const char *out = (char *)memory_region_get_ram_ptr(&s->ram) + OUT_OFFSET;

    bytes = MIN(bytes, OUT_BYTES);
    if (s->sim) {
        /* A copy: with several threads the guest might change it meanwhile. */
        g_autofree char *text = g_memdup2(out, bytes);

        quirkbench_sim_report(s->sim, text, bytes);
    }
}

static void channel_end(QuirkbenchChannel *s, uint32_t code)
{
    static const char *const verdicts[] = {"done", "plan-failed", "plan-unreadable"};

    if (!s->sim) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_SHUTDOWN);
    } else if (quirkbench_sim_enter(s->sim)) {
        quirkbench_sim_finish(s->sim, verdicts[MIN(code, ARRAY_SIZE(verdicts) - 1)], code);
    }
}

static uint64_t channel_read(void *opaque, hwaddr offset, unsigned size)
{
    QuirkbenchChannel *s = opaque;

    if (size != 4) {
        return 0;
    }
    switch (offset) {
    case REG_MAGIC:
        return MAGIC;
    case REG_VERSION:
        return VERSION;
    case REG_IN_BYTES:
        return s->in_bytes;
    case REG_OUT_OFFSET:
        return OUT_OFFSET;
    case REG_OUT_BYTES:
        return OUT_BYTES;
    default:
        return 0;
    }
}

static void channel_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    QuirkbenchChannel *s = opaque;

    if (size != 4) {
        return;
    }
    switch (offset) {
    case REG_SNAPSHOT:
        channel_snapshot();
        break;
    case REG_REPORT:
        channel_report(s, value);
        break;
    case REG_MARK:
        if (s->sim) {
            quirkbench_sim_mark(s->sim, value);
        }
        break;
    case REG_END:
        channel_end(s, value);
        break;
    }
}

static const MemoryRegionOps channel_ops = {
    .read = channel_read,
    .write = channel_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
};

static bool channel_load_archive(QuirkbenchChannel *s, Error **errp)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *archive = NULL;
    gsize bytes;

    if (!g_file_get_contents(s->archive, &archive, &bytes, &error)) {
        error_setg(errp, "%s", error->message);
        return false;
    }
    if (bytes > OUT_OFFSET) {
        error_setg(errp,
                   "%s: %zu bytes, and the channel holds %u: leave out what the plan does not use",
                   s->archive, bytes, (unsigned)OUT_OFFSET);
        return false;
    }
    memcpy(memory_region_get_ram_ptr(&s->ram), archive, bytes);
    s->in_bytes = bytes;
    return true;
}

static void channel_realize(PCIDevice *pci, Error **errp)
{
    QuirkbenchChannel *s = QUIRKBENCH_CHANNEL(pci);

    memory_region_init_io(&s->regs, OBJECT(s), &channel_ops, s, "quirkbench-channel", REGS_BYTES);
    /* nomigrate: the RAM is not part of the snapshot. */
    if (!memory_region_init_ram_nomigrate(&s->ram, OBJECT(s), "quirkbench-channel-ram", RAM_BYTES,
                                          errp) ||
        (s->archive && !channel_load_archive(s, errp))) {
        return;
    }
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->regs);
    pci_register_bar(pci, 2,
                     PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_TYPE_64 |
                         PCI_BASE_ADDRESS_MEM_PREFETCH,
                     &s->ram);
}

static const VMStateDescription channel_vmstate = {
    .name = TYPE_QUIRKBENCH_CHANNEL,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]){VMSTATE_PCI_DEVICE(parent_obj, QuirkbenchChannel),
                                     VMSTATE_END_OF_LIST()},
};

static const Property channel_properties[] = {
    DEFINE_PROP_LINK("sim", QuirkbenchChannel, sim, TYPE_QUIRKBENCH_SIM, QuirkbenchSim *),
    DEFINE_PROP_STRING("archive", QuirkbenchChannel, archive),
};

static void channel_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = channel_realize;
    pc->vendor_id = 0x1234;
    pc->device_id = 0x5142;
    pc->class_id = PCI_CLASS_OTHERS;
    dc->desc = "Quirkbench: the plan goes in, reports come out";
    dc->vmsd = &channel_vmstate;
    dc->hotpluggable = false;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, channel_properties);
}

static const TypeInfo channel_type = {
    .name = TYPE_QUIRKBENCH_CHANNEL,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(QuirkbenchChannel),
    .class_init = channel_class_init,
    .interfaces = (InterfaceInfo[]){{INTERFACE_CONVENTIONAL_PCI_DEVICE}, {}},
};

static void channel_register(void)
{
    type_register_static(&channel_type);
}
type_init(channel_register)
