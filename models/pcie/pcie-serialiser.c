/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcie/pcie-serialiser.h"
#include <glib.h>
#include <string.h>

#define FRACTION_BITS 8 /* of a picosecond */

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
    static const uint64_t one_lane[] = {4000 << FRACTION_BITS, 2000 << FRACTION_BITS, 260000,
                                        130000};

    return one_lane[generation - 1] / lanes;
}

static inline PcieFine fine_add(PcieFine a, PcieFine b)
{
    uint32_t part = a.part + b.part;

    return (PcieFine){a.ps + b.ps + (part >> FRACTION_BITS), part & ((1u << FRACTION_BITS) - 1)};
}

static inline bool fine_before(PcieFine a, PcieFine b)
{
    return a.ps < b.ps || (a.ps == b.ps && a.part < b.part);
}

static inline PcieFine fine_sub(PcieFine a, PcieFine b) /* a >= b */
{
    uint32_t borrow = a.part < b.part;

    return (PcieFine){a.ps - b.ps - borrow, a.part + (borrow << FRACTION_BITS) - b.part};
}

static inline PcieFine fine_bytes(uint64_t bytes, uint64_t byte_units)
{
    uint64_t units = bytes * byte_units;

    return (PcieFine){units >> FRACTION_BITS, (uint32_t)units & ((1u << FRACTION_BITS) - 1)};
}

static inline SimTime fine_ceil(PcieFine a)
{
    return a.ps + (a.part > 0);
}

static void calendar_insert(PcieSerialiser *s, size_t index, PcieInterval interval)
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
    memmove(s->calendar + index + 1, s->calendar + index, (s->n - index) * sizeof *s->calendar);
    s->calendar[index] = interval;
    s->n++;
}

/* Makes one interval of [begin, next), of which @start … @end is the part that is known to be busy.
 */
static void calendar_join(PcieSerialiser *s, size_t begin, size_t next, PcieFine start,
                          PcieFine end)
{
    if (next == begin) {
        calendar_insert(s, begin, (PcieInterval){start, end});
        return;
    }
    if (fine_before(start, s->calendar[begin].start)) {
        s->calendar[begin].start = start;
    }
    s->calendar[begin].end = end;
    memmove(s->calendar + begin + 1, s->calendar + next, (s->n - next) * sizeof *s->calendar);
    s->n -= next - begin - 1;
}

/* The first interval that ends at @when or after. */
static size_t calendar_find(const PcieSerialiser *s, PcieFine when)
{
    size_t low = s->first, high = s->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (fine_before(s->calendar[middle].end, when)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The slow way: @start lies before the end of the calendar.  Takes idle time from @start on until
 * @length is used up, and makes one interval of all that is busy from there to the end.  Returns
 * that end. */
static PcieFine calendar_fill(PcieSerialiser *s, PcieFine start, PcieFine length)
{
    size_t begin = calendar_find(s, start), next;
    PcieFine at = start;

    for (next = begin; next < s->n; next++) {
        const PcieInterval *busy = &s->calendar[next];

        if (fine_before(at, busy->start)) {
            PcieFine gap = fine_sub(busy->start, at);

            if (fine_before(length, gap)) {
                break;
            }
            length = fine_sub(length, gap);
            if (length.ps == 0 && length.part == 0) { /* to the last bit: both sides join */
                PcieFine end = busy->start;

                calendar_join(s, begin, next + 1, start, busy->end);
                return end;
            }
        }
        at = busy->end;
    }
    at = fine_add(at, length);
    calendar_join(s, begin, next, start, at);
    return at;
}

/* DLLPs that are owed go out in the idle time before @start; of the rest no more is sent before a
 * request than its own weight and two DLLPs.  Returns the time that those take. */
static PcieFine pay_dllps(PcieSerialiser *s, uint64_t byte_units, uint64_t wire_bytes,
                          PcieFine start)
{
    PcieFine last = s->n > s->first ? s->calendar[s->n - 1].end : (PcieFine){0, 0};
    uint64_t bytes;

    if (s->dllp_owed == 0) {
        return (PcieFine){0, 0};
    }
    if (fine_before(last, start)) {
        PcieFine idle = fine_sub(start, last);

        bytes = idle.ps >= SIM_MS ? s->dllp_owed
                                  : ((idle.ps << FRACTION_BITS) + idle.part) / byte_units;
        s->dllp_owed -= MIN(s->dllp_owed, bytes);
    }
    bytes = MIN(s->dllp_owed, wire_bytes + 2 * PCIE_DLLP_BYTES);
    s->dllp_owed -= bytes;
    return fine_bytes(bytes, byte_units);
}

static PcieFine reserve(PcieSerialiser *s, PcieFine start, PcieFine length, SimTime now)
{
    PcieInterval *last = s->n > s->first ? &s->calendar[s->n - 1] : NULL;
    PcieFine end = fine_add(start, length);

    if (last && !fine_before(last->end, start)) {
        if (fine_before(start, last->start)) {
            return calendar_fill(s, start, length);
        }
        return last->end = fine_add(last->end, length);
    }
    if (last && last->end.ps < now) { /* over: its place is free */
        *last = (PcieInterval){start, end};
    } else {
        calendar_insert(s, s->n, (PcieInterval){start, end});
    }
    return end;
}

SimTime pcie_serialiser_send(PcieSerialiser *self, uint64_t byte_units, uint64_t wire_bytes,
                             SimTime from, SimTime now)
{
    PcieFine start = {MAX(from, now), 0};
    PcieFine length = fine_bytes(wire_bytes, byte_units);

    self->tlps_bytes += wire_bytes;
    self->busy = fine_add(self->busy, length);
    /* Nobody can ask for time before now: forget what is over, but keep the last interval. */
    while (self->first + 1 < self->n && self->calendar[self->first].end.ps < now) {
        self->first++;
    }
    length = fine_add(length, pay_dllps(self, byte_units, wire_bytes, start));
    return fine_ceil(reserve(self, start, length, now));
}

void pcie_serialiser_owe(PcieSerialiser *self, uint64_t byte_units, uint64_t dllps)
{
    uint64_t bytes = dllps * PCIE_DLLP_BYTES;

    self->dllp_bytes += bytes;
    self->dllp_owed += bytes;
    self->busy = fine_add(self->busy, fine_bytes(bytes, byte_units));
}

SimTime pcie_serialiser_free_at(const PcieSerialiser *self, SimTime when)
{
    size_t i = calendar_find(self, (PcieFine){when, 0});

    return i < self->n && self->calendar[i].start.ps <= when ? fine_ceil(self->calendar[i].end)
                                                             : when;
}

SimTime pcie_serialiser_busy(const PcieSerialiser *self)
{
    return fine_ceil(self->busy);
}
