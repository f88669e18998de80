/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A port by which the clock's own tests stop the machine at an instruction and read its counts,
 * without models or channel: -device quirkbench-clock-port.
 * A 32-bit write of 1 to 0x5b0 stops the machine; one of 2 notes the writer's counts.  QOM
 * properties: "counts", a line for each vCPU; "marks", a line for each note; "idle", whether all
 * vCPUs were halted with no timer armed. */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "hw/core/cpu.h"
#include "hw/isa/isa.h"
#include "qapi/error.h"
#include "qom/object.h"
#include "quirkbench-clock.h"

#define TYPE_CLOCK_PORT "quirkbench-clock-port"
#define CLOCK_PORT_BASE 0x5b0
OBJECT_DECLARE_SIMPLE_TYPE(ClockPort, CLOCK_PORT)

struct ClockPort {
    ISADevice parent_obj;
    MemoryRegion io;
    GString *marks;
    bool idle;
};

enum { WRITE_STOP = 1, WRITE_MARK = 2 };

static void append_counts(GString *text, int i)
{
    g_string_append_printf(text, "cpu %d instructions %" PRIu64 " ns %" PRId64 " busy %" PRId64
                           "\n", i, quirkbench_clock_vcpu_instructions(i),
                           quirkbench_clock_vcpu_ns(i), quirkbench_clock_vcpu_busy_ns(i));
}

static uint64_t port_read(void *opaque, hwaddr offset, unsigned size)
{
    return 0;
}

static void port_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    ClockPort *port = opaque;

    if (value == WRITE_STOP) {
        quirkbench_clock_stop_here();
    } else if (value == WRITE_MARK && port->marks->len < 64 * KiB) {
        append_counts(port->marks, current_cpu->cpu_index);
    }
}

static const MemoryRegionOps port_ops = {
    .read = port_read,
    .write = port_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
};

static void note_idle(void *opaque)
{
    ClockPort *port = opaque;

    port->idle = true;
}

static void port_realize(DeviceState *dev, Error **errp)
{
    ClockPort *port = CLOCK_PORT(dev);

    if (!quirkbench_clock_active()) {
        error_setg(errp, "quirkbench-clock-port needs -icount …,parallel=on");
        return;
    }
    memory_region_init_io(&port->io, OBJECT(port), &port_ops, port, "quirkbench-clock-port", 4);
    isa_register_ioport(ISA_DEVICE(dev), &port->io, CLOCK_PORT_BASE);
    quirkbench_clock_idle_notify(note_idle, port);
}

static char *get_counts(Object *obj, Error **errp)
{
    GString *text = g_string_new(NULL);
    CPUState *cpu;

    g_string_append_printf(text, "published %" PRId64 "\n", quirkbench_clock_published_ns());
    CPU_FOREACH(cpu) {
        append_counts(text, cpu->cpu_index);
    }
    return g_string_free(text, FALSE);
}

static char *get_marks(Object *obj, Error **errp)
{
    return g_strdup(CLOCK_PORT(obj)->marks->str);
}

static bool get_idle(Object *obj, Error **errp)
{
    return CLOCK_PORT(obj)->idle;
}

static void port_init(Object *obj)
{
    CLOCK_PORT(obj)->marks = g_string_new(NULL);
}

static void port_finalize(Object *obj)
{
    g_string_free(CLOCK_PORT(obj)->marks, TRUE);
}

static void port_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = port_realize;
    dc->desc = "stops the machine for the clock's tests";
    object_class_property_add_str(klass, "counts", get_counts, NULL);
    object_class_property_add_str(klass, "marks", get_marks, NULL);
    object_class_property_add_bool(klass, "idle", get_idle, NULL);
}

static const TypeInfo port_info = {
    .name = TYPE_CLOCK_PORT,
    .parent = TYPE_ISA_DEVICE,
    .instance_size = sizeof(ClockPort),
    .instance_init = port_init,
    .instance_finalize = port_finalize,
    .class_init = port_class_init,
};

static void port_register(void)
{
    type_register_static(&port_info);
}
type_init(port_register)
