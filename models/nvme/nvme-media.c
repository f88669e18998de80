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
    self->media.seed = self->port->seed;
    self->media.unit_free = g_new0(SimTime, MAX(self->profile->units, 1));
    self->media.unit_register = g_new0(uint64_t, MAX(self->profile->units, 1));
    self->media.link_bytes_per_s = link_rate(self->profile);
}

void nvme_model_media_clear(NvmeModel *self)
{
    g_free(self->media.unit_free);
    g_free(self->media.unit_register);
    g_free(self->media.path.spans);
    g_free(self->media.drain);
}

/* Nobody waits any more; the buffer goes on draining. */
void nvme_model_media_reset(NvmeModel *self)
{
    NvmeMedia *media = &self->media;

    memset(media->unit_free, 0, MAX(self->profile->units, 1) * sizeof(SimTime));
    memset(media->unit_register, 0, MAX(self->profile->units, 1) * sizeof(uint64_t));
    media->front_free = media->admin_free = media->quirk_free = 0;
    media->path.n = 0;
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
    uint32_t low = 0, high = calendar->n;

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

static void insert_span(NvmeCalendar *calendar, uint32_t at, SimTime start, SimTime end)
{
    NvmeSpan *spans = calendar->spans;
    bool joins_left = at > 0 && spans[at - 1].end == start;
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
        if (calendar->n == calendar->room) {
            calendar->room = MAX(64, calendar->room * 2);
            spans = calendar->spans = g_renew(NvmeSpan, spans, calendar->room);
        }
        memmove(spans + at + 1, spans + at, (calendar->n - at) * sizeof *spans);
        spans[at] = (NvmeSpan){start, end};
        calendar->n++;
    }
}

/* Start of the first gap of @time at or after @from.  Those that ask do so in the order of
 * decoding, not in the order in which the flash answers: so gaps are filled. */
static SimTime reserve_path(NvmeModel *self, SimTime from, SimTime time)
{
    NvmeCalendar *calendar = &self->media.path;
    uint32_t past = find_span(calendar, nvme_model_now(self)), at;
    SimTime start = from;

    if (past > 0) {
        calendar->n -= past;
        memmove(calendar->spans, calendar->spans + past, calendar->n * sizeof *calendar->spans);
    }
    for (at = find_span(calendar, from); at < calendar->n; at++) {
        if (calendar->spans[at].start >= start + time) {
            break;
        }
        start = MAX(start, calendar->spans[at].end);
    }
    insert_span(calendar, at, start, start + time);
    return start;
}

/* When a unit has put @bytes of @stripe out.  Its page register keeps the stripe that it sensed
 * last: the next read of the same one only transfers. */
static SimTime read_unit(NvmeModel *self, SimTime from, uint64_t stripe, uint64_t bytes)
{
    const NvmeProfile *profile = self->profile;
    uint64_t unit = sim_hash64_pair(self->media.seed, stripe) % profile->units;
    SimTime time = nvme_profile_span(bytes, profile->unit_bandwidth);

    if (!profile->page_register || self->media.unit_register[unit] != stripe + 1) {
        self->media.unit_register[unit] = stripe + 1;
        /* Its error correction needs the whole of it. */
        time = profile->read_ps +
               nvme_profile_span(profile->stripe_bytes, profile->unit_bandwidth);
    }
    return reserve(&self->media.unit_free[unit], from, time) + time;
}

/* The units that hold the blocks, each in parallel with the others. */
static SimTime read_units(NvmeModel *self, SimTime from, uint64_t first, uint64_t bytes)
{
    const NvmeProfile *profile = self->profile;
    SimTime done = from;
    uint64_t end = first + bytes;

    if (profile->units == 0) {
        return from + profile->read_ps + nvme_profile_span(bytes, profile->unit_bandwidth);
    }
    while (first < end) {
        uint64_t stripe = first / profile->stripe_bytes;
        uint64_t n = MIN(end, (stripe + 1) * profile->stripe_bytes) - first;
        SimTime through = read_unit(self, from, stripe, n);
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
    const NvmeProfile *profile = self->profile;
    uint64_t rate;
    SimTime done, time, start, wire;

    if (!mapped) {
        return from + profile->unmapped_read_ps;
    }
    done = read_units(self, from, first_byte, bytes);
    rate = sim_table_lookup(&profile->bandwidth_by_size, bytes, 0);
    if (rate != 0) {
        time = nvme_profile_span(bytes, rate);
        start = reserve(&self->media.quirk_free, from, time);
        done = MAX(done, start + time);
    }
    done += crossing_penalty(self, first_byte, bytes);
    time = nvme_profile_span(bytes, profile->bandwidth);
    if (time == 0) {
        return done;
    }
    start = reserve_path(self, done, time);
    wire = nvme_profile_span(bytes, self->media.link_bytes_per_s);
    return start + time - MIN(time, wire);
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
