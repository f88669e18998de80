/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's end of the channel device: docs/channel.md. */
#pragma once
#include "text.h"

typedef struct Channel {
    volatile uint32_t *registers; /* NULL: no device, reports go to standard output */
    uint8_t *memory;              /* BAR2 */
    size_t memory_bytes;
    uint32_t out_offset, out_bytes;
} Channel;

typedef enum {
    CHANNEL_VERDICT_DONE = 0,
    CHANNEL_VERDICT_FAILED = 1,
    CHANNEL_VERDICT_UNREADABLE = 2,
} ChannelVerdict;

#define CHANNEL_MARK_START 1u
#define CHANNEL_MARK_END 2u

/* Finds the device below @sysfs ("/sys") and maps it.  false: there is none, or not one we know. */
bool channel_open(Channel *self, const char *sysfs, Reason *reason);
/* Stops the machine at this instruction; a restored one goes on from here, with new input. */
void channel_snapshot(Channel *self);
/* The input archive; its length is 0 when there is none. */
const void *channel_input(Channel *self, size_t *length);
/* One report; a body that does not fit the out area is cut, and says so in its last line. */
void channel_report(Channel *self, const char *name, const void *body, size_t length);
void channel_mark(Channel *self, uint32_t value);
void channel_end(Channel *self, ChannelVerdict verdict);

/* Lays out name, newline and body in @out; returns the bytes used, at most @out_bytes. */
size_t channel_layout(uint8_t *out, size_t out_bytes, const char *name, const void *body,
                      size_t length);
