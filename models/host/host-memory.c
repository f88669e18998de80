/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/host-memory.h"
#include <string.h>

/* From 0 to PAYLOAD: pages in chunks, found by a table; from there to the end: payload. */
#define CHUNK_SHIFT 20
#define CHUNK_BYTES (UINT64_C(1) << CHUNK_SHIFT)
#define PAYLOAD (UINT64_C(1) << 30)
#define PAYLOAD_END (UINT64_C(3) << 30)
#define CHUNKS (PAYLOAD >> CHUNK_SHIFT)

struct HostMemory {
    uint8_t *chunks[CHUNKS]; /* one allocation may span several: they are pieces of @blocks */
    GPtrArray *blocks;
    uint64_t next, end; /* free part of the last block */
    uint64_t top;       /* first chunk address never used */
    uint64_t bytes;
    uint64_t payload_next;
};

HostMemory *host_memory_new(void)
{
    HostMemory *self = g_new0(HostMemory, 1);

    self->blocks = g_ptr_array_new_with_free_func(g_free);
    self->next = self->end = self->top = CHUNK_BYTES; /* address 0 is nobody's */
    self->payload_next = PAYLOAD;
    return self;
}

void host_memory_free(HostMemory *self)
{
    if (self) {
        g_ptr_array_unref(self->blocks);
        g_free(self);
    }
}

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + HOST_PAGE_BYTES - 1) / HOST_PAGE_BYTES * HOST_PAGE_BYTES;
}

static uint8_t *at(const HostMemory *self, uint64_t address)
{
    return self->chunks[address >> CHUNK_SHIFT] + (address & (CHUNK_BYTES - 1));
}

static void add_block(HostMemory *self, uint64_t bytes)
{
    uint64_t chunks = (bytes + CHUNK_BYTES - 1) >> CHUNK_SHIFT;
    uint8_t *block = g_malloc0(chunks << CHUNK_SHIFT);

    g_assert(chunks <= (PAYLOAD - self->top) >> CHUNK_SHIFT);
    g_ptr_array_add(self->blocks, block);
    for (uint64_t i = 0; i < chunks; i++) {
        self->chunks[(self->top >> CHUNK_SHIFT) + i] = block + (i << CHUNK_SHIFT);
    }
    self->next = self->top;
    self->top = self->end = self->top + (chunks << CHUNK_SHIFT);
}

uint64_t host_memory_allocate(HostMemory *self, uint64_t bytes, void **pointer)
{
    uint64_t address;

    bytes = whole_pages(bytes);
    if (bytes > self->end - self->next) {
        add_block(self, bytes);
    }
    address = self->next;
    self->next += bytes;
    self->bytes += bytes;
    if (pointer) {
        *pointer = at(self, address);
    }
    return address;
}

uint64_t host_memory_payload(HostMemory *self, uint64_t bytes)
{
    uint64_t address;

    bytes = whole_pages(bytes);
    g_assert(bytes <= PAYLOAD_END - PAYLOAD);
    if (bytes > PAYLOAD_END - self->payload_next) {
        self->payload_next = PAYLOAD;
    }
    address = self->payload_next;
    self->payload_next += bytes;
    return address;
}

bool host_memory_is_payload(const HostMemory *self, uint64_t address, size_t bytes)
{
    return address >= PAYLOAD && address <= PAYLOAD_END && bytes <= PAYLOAD_END - address;
}

/* Handed out: everything below @next, except the first chunk; a block's unused end counts too. */
static bool is_memory(const HostMemory *self, uint64_t address, size_t bytes)
{
    return address >= CHUNK_BYTES && address < self->top && bytes <= self->top - address;
}

/* Bytes from @address to the end of its chunk; chunks of different blocks are not adjacent here. */
static size_t piece(uint64_t address, size_t bytes)
{
    return MIN(bytes, CHUNK_BYTES - (address & (CHUNK_BYTES - 1)));
}

/* Entries of queues are most of what is moved. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 16) {
        memcpy(to, from, 16);
    } else if (bytes == 64) {
        memcpy(to, from, 64);
    } else {
        memcpy(to, from, bytes);
    }
}

bool host_memory_read(const HostMemory *self, uint64_t address, void *to, size_t bytes)
{
    uint8_t *out = to;

    if (!is_memory(self, address, bytes)) {
        if (!host_memory_is_payload(self, address, bytes)) {
            return false;
        }
        memset(to, 0, bytes);
        return true;
    }
    while (bytes > 0) {
        size_t n = piece(address, bytes);

        copy(out, at(self, address), n);
        address += n;
        out += n;
        bytes -= n;
    }
    return true;
}

bool host_memory_write(HostMemory *self, uint64_t address, const void *from, size_t bytes)
{
    const uint8_t *in = from;

    if (!is_memory(self, address, bytes)) {
        return host_memory_is_payload(self, address, bytes);
    }
    while (bytes > 0) {
        size_t n = piece(address, bytes);

        copy(at(self, address), in, n);
        address += n;
        in += n;
        bytes -= n;
    }
    return true;
}

uint64_t host_memory_bytes(const HostMemory *self)
{
    return self->bytes;
}
