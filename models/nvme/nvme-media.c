/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the drive takes: front end, flash units, data path, write buffer, quirks.
 * Every part is a resource that is reserved; a request gets the time at which it would be through.
 *
 *   read:  front end (command-interval) → its unit, one for each stripe → data path (bandwidth) →
 * link write: link → buffer (accept when there is room) → drain (write-bandwidth, write-interval)
 *
 * Left out: channels shared by units, reads that wait for programs and erases, garbage collection.
 */
#include "nvme/nvme-internal.h"
#include <string.h>

/* Payload bytes a second that the device's own link carries at best: MPS 128, 152 B on the wire. */
static uint64_t link_rate(const NvmeProfile *profile)
{
    static const uint64_t lane[] = {0, 250000000, 500000000, 984615384, 1969230769};

    return lane[profile->pci.generation] * profile->pci.lanes / 152 * 128;
}

void nvme_model_media_init(NvmeModel *self)
{
    const NvmeProfile *profile = self->profile;

    self->media.seed_hash = sim_hash64(self->port->seed);
    self->media.units = g_new0(NvmeUnit, MAX(profile->units, 1));
    /* Error correction needs the whole of a stripe. */
    self->media.sense_ps =
        profile->read_ps + nvme_profile_span(profile->stripe_bytes, profile->unit_bandwidth);
    self->media.link_bytes_per_s = link_rate(profile);
}

void nvme_model_media_clear(NvmeModel *self)
{
    g_free(self->media.units);
    g_free(self->media.path.spans);
    g_free(self->media.drain);
}

/* Nobody waits any more; the buffer goes on draining. */
void nvme_model_media_reset(NvmeModel *self)
{
    NvmeMedia *media = &self->media;

    memset(media->units, 0, MAX(self->profile->units, 1) * sizeof *media->units);
    media->front_free = media->admin_free = media->quirk_free = 0;
    media->path.first = media->path.n = 0;
}

/* A table in one row: the answers for @bytes, which seldom change. */
static const NvmeSizeTimes *times_of(NvmeModel *self, uint64_t bytes)
{
    const NvmeProfile *profile = self->profile;
    NvmeSizeTimes *size = &self->media.size;

    if (size->bytes != bytes) {
        uint64_t rate = sim_table_lookup(&profile->bandwidth_by_size, bytes, 0);

        *size = (NvmeSizeTimes){
            .bytes = bytes,
            .unit_ps = nvme_profile_span(bytes, profile->unit_bandwidth),
            .path_ps = nvme_profile_span(bytes, profile->bandwidth),
            .wire_ps = nvme_profile_span(bytes, self->media.link_bytes_per_s),
            .quirk_ps = nvme_profile_span(bytes, rate),
        };
    }
    return size;
}

static SimTime reserve(SimTime *free_at, SimTime from, SimTime time)
{
    SimTime start = MAX(from, *free_at);

    *free_at = start + time;
    return start;
}

SimTime nvme_model_media_front(NvmeModel *self, SimTime from, SimTime interval)
{
    SimTime decode = self->profile->decode_ps;

    return reserve(&self->media.front_free, from, MAX(decode, interval)) + decode;
}

SimTime nvme_model_media_admin(NvmeModel *self, SimTime from, SimTime time)
{
    return reserve(&self->media.admin_free, from, time) + time;
}

/* Index of the first span that ends after @when. */
static uint32_t find_span(const NvmeCalendar *calendar, SimTime when)
{
    uint32_t low = calendar->first, high = calendar->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (calendar->spans[middle].end <= when) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Room for one more at the end: the place of what is over, or new. */
static void make_span_room(NvmeCalendar *calendar)
{
    uint32_t used = calendar->n - calendar->first;

    if (calendar->first >= MAX(used, 32)) {
        memmove(calendar->spans, calendar->spans + calendar->first, used * sizeof(NvmeSpan));
        calendar->first = 0;
        calendar->n = used;
    } else if (calendar->n == calendar->room) {
        calendar->room = MAX(64, calendar->room * 2);
        calendar->spans = g_renew(NvmeSpan, calendar->spans, calendar->room);
    }
}

static void insert_span(NvmeCalendar *calendar, uint32_t at, SimTime start, SimTime end)
{
    NvmeSpan *spans = calendar->spans;
    bool joins_left = at > calendar->first && spans[at - 1].end == start;
    bool joins_right = at < calendar->n && spans[at].start == end;

    if (joins_left && joins_right) {
        spans[at - 1].end = spans[at].end;
        calendar->n--;
        memmove(spans + at, spans + at + 1, (calendar->n - at) * sizeof *spans);
    } else if (joins_left) {
        spans[at - 1].end = end;
    } else if (joins_right) {
        spans[at].start = start;
    } else {
        if (at < calendar->n) {
            memmove(spans + at + 1, spans + at, (calendar->n - at) * sizeof *spans);
        }
        spans[at] = (NvmeSpan){start, end};
        calendar->n++;
    }
}

/* Start of the first gap of @time at or after @from.  Those that ask do so in the order of
 * decoding, not in the order in which the flash answers: so gaps are filled. */
static SimTime reserve_path(NvmeModel *self, SimTime from, SimTime time)
{
    NvmeCalendar *calendar = &self->media.path;
    SimTime start = from, now = nvme_model_now(self);
    uint32_t at;

    while (calendar->first < calendar->n && calendar->spans[calendar->first].end <= now) {
        calendar->first++;
    }
    make_span_room(calendar);
    for (at = find_span(calendar, from); at < calendar->n; at++) {
        if (calendar->spans[at].start >= start + time) {
            break;
        }
        start = MAX(start, calendar->spans[at].end);
    }
    insert_span(calendar, at, start, start + time);
    return start;
}

/* When a unit has put @bytes of @stripe out, which take it @transfer.  Its page register keeps the
 * stripe that it sensed last: the next read of the same one only transfers. */
static SimTime read_unit(NvmeModel *self, SimTime from, uint64_t stripe, SimTime transfer)
{
    const NvmeProfile *profile = self->profile;
    NvmeUnit *unit =
        &self->media.units[sim_hash64(self->media.seed_hash ^ stripe) % profile->units];
    SimTime time = transfer;

    if (!profile->page_register || unit->page != stripe + 1) {
        unit->page = stripe + 1;
        time = self->media.sense_ps;
    }
    return reserve(&unit->free, from, time) + time;
}

/* The units that hold the blocks, each in parallel with the others. */
static SimTime read_units(NvmeModel *self, SimTime from, uint64_t first, uint64_t bytes,
                          const NvmeSizeTimes *size)
{
    const NvmeProfile *profile = self->profile;
    SimTime done = from;
    uint64_t end = first + bytes, stripe;

    if (profile->units == 0) {
        return from + profile->read_ps + size->unit_ps;
    }
    stripe = first / profile->stripe_bytes;
    if (end <= (stripe + 1) * profile->stripe_bytes) {
        return read_unit(self, from, stripe, size->unit_ps);
    }
    for (; first < end; stripe++) {
        uint64_t n = MIN(end, (stripe + 1) * profile->stripe_bytes) - first;
        SimTime through =
            read_unit(self, from, stripe, nvme_profile_span(n, profile->unit_bandwidth));
        done = MAX(done, through);
        first += n;
    }
    return done;
}

static SimTime crossing_penalty(const NvmeModel *self, uint64_t first, uint64_t bytes)
{
    uint64_t stripe = self->profile->quirk_stripe_bytes;

    return stripe != 0 && first / stripe != (first + bytes - 1) / stripe
               ? self->profile->quirk_crossing_ps
               : 0;
}

/* When the transfer over the link can begin: so late that it never waits for the data path. */
SimTime nvme_model_media_read(NvmeModel *self, SimTime from, uint64_t first_byte, uint64_t bytes,
                              bool mapped)
{
    const NvmeSizeTimes *size;
    SimTime done, start;

    if (!mapped) {
        return from + self->profile->unmapped_read_ps;
    }
    size = times_of(self, bytes);
    done = read_units(self, from, first_byte, bytes, size);
    if (size->quirk_ps != 0) {
        start = reserve(&self->media.quirk_free, from, size->quirk_ps);
        done = MAX(done, start + size->quirk_ps);
    }
    done += crossing_penalty(self, first_byte, bytes);
    if (size->path_ps == 0) {
        return done;
    }
    start = reserve_path(self, done, size->path_ps);
    return start + size->path_ps - MIN(size->path_ps, size->wire_ps);
}

static void push_drain(NvmeMedia *media, SimTime done, uint64_t bytes)
{
    if (media->drain_n == media->drain_room) {
        uint32_t room = MAX(64, media->drain_room * 2);
        NvmeDrain *drain = g_new(NvmeDrain, room);
        for (uint32_t i = 0; i < media->drain_n; i++) {
            drain[i] = media->drain[(media->drain_first + i) % media->drain_room];
        }
        g_free(media->drain);
        media->drain = drain;
        media->drain_room = room;
        media->drain_first = 0;
    }
    media->drain[(media->drain_first + media->drain_n++) % media->drain_room] =
        (NvmeDrain){done, bytes};
    media->buffered_bytes += bytes;
}

/* Writes that have left by @when, and then more until @bytes fit in @room; returns the time of
 * that. */
static SimTime make_room(NvmeMedia *media, SimTime when, uint64_t bytes, uint64_t room)
{
    while (media->drain_n > 0) {
        const NvmeDrain *oldest = &media->drain[media->drain_first];
        if (oldest->done > when && media->buffered_bytes + bytes <= room) {
            break;
        }
        when = MAX(when, oldest->done);
        media->buffered_bytes -= oldest->bytes;
        media->drain_first = (media->drain_first + 1) % media->drain_room;
        media->drain_n--;
    }
    return when;
}

/* @through: the write is done when it has left the buffer. */
SimTime nvme_model_media_write(NvmeModel *self, SimTime from, uint64_t first_byte, uint64_t bytes,
                               bool through)
{
    const NvmeProfile *profile = self->profile;
    NvmeMedia *media = &self->media;
    SimTime time =
        MAX(nvme_profile_span(bytes, profile->write_bandwidth), profile->write_interval_ps);
    SimTime accepted = from, drained;

    if (profile->write_buffer_bytes != 0) {
        accepted = make_room(media, from, bytes, profile->write_buffer_bytes);
    }
    drained = reserve(&media->drain_free, accepted, time) + time;
    if (profile->write_buffer_bytes == 0) {
        through = true;
    } else if (time != 0) {
        push_drain(media, drained, bytes);
    }
    return (through ? drained : accepted) + profile->write_accept_ps +
           crossing_penalty(self, first_byte, bytes);
}

SimTime nvme_model_media_flush(NvmeModel *self, SimTime from)
{
    if (self->profile->vwc) {
        from = MAX(from, self->media.drain_free);
    }
    return from + self->profile->flush_ps;
}
