/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native-report.h"

/* "0-2,8" of the cpus that @on says. */
static void append_cpus(GString *text, const bool *on, unsigned n)
{
    const char *comma = "";

    for (unsigned i = 0; i < n; i++) {
        unsigned first = i;

        if (!on[i]) {
            continue;
        }
        while (i + 1 < n && on[i + 1]) {
            i++;
        }
        g_string_append_printf(text, "%s%u", comma, first);
        if (i > first) {
            g_string_append_printf(text, "-%u", i);
        }
        comma = ",";
    }
    if (!*comma) {
        g_string_append_c(text, '-');
    }
}

static unsigned irq_of(unsigned controller, unsigned vector)
{
    return NATIVE_IRQ_BASE + controller * NATIVE_IRQS + vector;
}

/* Controllers are told apart by the number in their irqs: it follows their place in the run. */
void native_report_map(GString *text, const NativeController *self, const char *serial)
{
    const NativeMap *map = &self->map;
    unsigned cpus = self->host.cpus;

    for (unsigned q = 1; q <= map->sqs; q++) {
        bool on[NATIVE_CPUS];
        bool any = false;

        for (unsigned cpu = 0; cpu < cpus; cpu++) {
            on[cpu] = map->read_sq[cpu] == q || map->write_sq[cpu] == q;
            any = any || on[cpu];
        }
        if (any) {
            g_string_append_printf(text, "%s hctx %u cpus ", serial, q - 1);
            append_cpus(text, on, cpus);
            g_string_append_c(text, '\n');
        }
    }
    for (unsigned v = 0; v < map->vectors; v++) {
        bool on[NATIVE_CPUS] = {false};

        for (unsigned i = 0; i < map->vector_cpus_n[v]; i++) {
            on[map->vector_cpus_first[v] + i] = true;
        }
        g_string_append_printf(text, "%s irq %u vector %u effective %u affinity ", serial,
                               irq_of(self->index, v), v, map->vector_cpu[v]);
        append_cpus(text, on, cpus);
        g_string_append_c(text, '\n');
    }
}

void native_report_interrupts(GString *text, NativeController *const *controllers, unsigned n,
                              unsigned cpus)
{
    g_string_append(text, "    ");
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        g_string_append_printf(text, " CPU%u", cpu);
    }
    g_string_append_c(text, '\n');
    for (unsigned i = 0; i < n; i++) {
        const NativeController *self = controllers[i];

        for (unsigned v = 0; v < self->map.vectors; v++) {
            g_string_append_printf(text, "%u:", irq_of(i, v));
            for (unsigned cpu = 0; cpu < cpus; cpu++) {
                if (cpu == self->map.vector_cpu[v]) {
                    g_string_append_printf(text, " %" G_GUINT64_FORMAT,
                                           self->vectors[v].interrupts);
                } else {
                    g_string_append_len(text, " 0", 2);
                }
            }
            g_string_append_printf(text, " PCI-MSI %sq%u\n", host_device_name(self->device), v);
        }
    }
}

void native_report_load(GString *text, const NativeLoad *load, const char *const *serials,
                        unsigned n)
{
    NativeLoadResult all = {0};
    g_autoptr(GString) devices = g_string_new(NULL);

    for (unsigned i = 0; i < n; i++) {
        const NativeLoadResult *result = native_load_result(load, i);

        all.ios += result->ios;
        all.errors += result->errors;
        g_string_append_printf(devices,
                               "%s{\"serial\":\"%s\",\"ios\":%" G_GUINT64_FORMAT
                               ",\"errors\":%" G_GUINT64_FORMAT ",\"sum_ns\":%" G_GUINT64_FORMAT
                               ",\"max_ns\":%" G_GUINT64_FORMAT "}",
                               i ? "," : "", serials[i], result->ios, result->errors,
                               result->sum_ps / SIM_NS, result->max_ps / SIM_NS);
    }
    g_string_append_printf(text,
                           "{\"ios\":%" G_GUINT64_FORMAT ",\"errors\":%" G_GUINT64_FORMAT
                           ",\"guest_ns\":%" G_GUINT64_FORMAT ",\"devices\":[%s]}\n",
                           all.ios, all.errors, native_load_window_ps(load) / SIM_NS, devices->str);
}
