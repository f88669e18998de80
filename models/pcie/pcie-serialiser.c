/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcie/pcie-serialiser.h"
#include <glib.h>
#include <string.h>

void pcie_serialiser_init(PcieSerialiser *self)
{
    *self = (PcieSerialiser){.allocated = 16};
    self->calendar = g_new(PcieInterval, self->allocated);
}

void pcie_serialiser_clear(PcieSerialiser *self)
{
    g_clear_pointer(&self->calendar, g_free);
}

/* [PCIe-3.0 §4.2.1, §4.2.2]: 10 bits a byte at 2.5 and 5 GT/s; 8 x 130/128 at 8 and 16 GT/s. */
uint64_t pcie_byte_units(uint64_t generation, uint64_t lanes)
{
    static const uint64_t one_lane[] = {4000 << PCIE_FINE_BITS, 2000 << PCIE_FINE_BITS, 260000,
                                        130000};

    return one_lane[generation - 1] / lanes;
}

/* --- The calendar --- */

/* Nobody can ask for time before @now: forget what is over. */
static void forget(PcieSerialiser *s, SimTime now)
{
    while (s->first < s->n && s->calendar[s->first].end < pcie_fine(now)) {
        s->first++;
    }
    if (s->first == s->n) {
        s->first = s->n = 0;
    }
}

static void insert(PcieSerialiser *s, size_t index, PcieInterval interval)
{
    if (s->n == s->allocated) {
        size_t used = s->n - s->first;

        if (s->first < used || s->first < 8) {
            s->allocated *= 2;
            s->calendar = g_renew(PcieInterval, s->calendar, s->allocated);
        } else { /* at least half is over: make room by forgetting it */
            memmove(s->calendar, s->calendar + s->first, used * sizeof *s->calendar);
            s->n = used;
            index -= s->first;
            s->first = 0;
        }
    }
    if (index < s->n) {
        memmove(s->calendar + index + 1, s->calendar + index, (s->n - index) * sizeof *s->calendar);
    }
    s->calendar[index] = interval;
    s->n++;
}

/* Makes one interval of [begin, next), of which @start … @end is the part that is known to be busy.
 */
static void join(PcieSerialiser *s, size_t begin, size_t next, PcieFine start, PcieFine end)
{
    if (next == begin) {
        insert(s, begin, (PcieInterval){start, end});
        return;
    }
    s->calendar[begin].start = MIN(s->calendar[begin].start, start);
    s->calendar[begin].end = end;
    memmove(s->calendar + begin + 1, s->calendar + next, (s->n - next) * sizeof *s->calendar);
    s->n -= next - begin - 1;
}

/* Index of the first interval that ends at @start or after. */
static size_t find(const PcieSerialiser *s, PcieFine start)
{
    size_t low = s->first, high = s->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->calendar[middle].end < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Takes idle time from @start on until @length is used up, and makes one interval of all that is
 * busy from there to the end, which it returns. */
static PcieFine fill(PcieSerialiser *s, PcieFine start, PcieFine length)
{
    size_t begin = find(s, start), next;
    PcieFine at = start;

    for (next = begin; next < s->n; next++) {
        const PcieInterval *busy = &s->calendar[next];

        if (at < busy->start) {
            PcieFine gap = busy->start - at;

            if (length < gap) {
                break;
            }
            length -= gap;
            if (length == 0) { /* to the last bit: both sides join */
                PcieFine end = busy->start;

                join(s, begin, next + 1, start, busy->end);
                return end;
            }
        }
        at = busy->end;
    }
    at += length;
    join(s, begin, next, start, at);
    return at;
}

void pcie_serialiser_keep(PcieSerialiser *self, SimTime now)
{
    forget(self, now);
    if (self->last.end > 0) {
        insert(self, self->n, self->last);
    }
}

PcieFine pcie_serialiser_fill(PcieSerialiser *self, PcieFine start, PcieFine length, SimTime now)
{
    PcieFine end = start + length;

    forget(self, now);
    if (end < self->last.start &&
        (self->n == self->first || self->calendar[self->n - 1].end < start)) {
        insert(self, self->n, (PcieInterval){start, end});
        return end;
    }
    insert(self, self->n, self->last);
    end = fill(self, start, length);
    self->last = self->calendar[--self->n];
    return end;
}

/* --- DLLPs --- */

/* What is owed goes out in the idle time before @start; of the rest no more is sent before a
 * request than its own weight and two DLLPs. */
PcieFine pcie_serialiser_pay(PcieSerialiser *self, uint64_t byte_units, uint64_t wire_bytes,
                             PcieFine start)
{
    uint64_t bytes;

    if (start > self->last.end) {
        PcieFine idle = start - self->last.end;

        if (idle >= pcie_fine(SIM_MS) || (PcieFine)self->dllp_owed * byte_units <= idle) {
            self->dllp_owed = 0;
            return 0;
        }
        self->dllp_owed -= (uint64_t)idle / byte_units;
    }
    bytes = MIN(self->dllp_owed, wire_bytes + 2 * PCIE_DLLP_BYTES);
    self->dllp_owed -= bytes;
    return (PcieFine)bytes * byte_units;
}

SimTime pcie_serialiser_busy_until(const PcieSerialiser *self, SimTime when)
{
    size_t i = find(self, pcie_fine(when));
    const PcieInterval *busy = i < self->n ? &self->calendar[i] : &self->last;

    return busy->start >> PCIE_FINE_BITS <= when ? pcie_fine_ceil(busy->end) : when;
}

size_t pcie_serialiser_intervals(const PcieSerialiser *self)
{
    return self->n - self->first + (self->last.end > 0);
}

SimTime pcie_serialiser_busy(const PcieSerialiser *self)
{
    return pcie_fine_ceil(self->busy);
}
