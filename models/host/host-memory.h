/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a machine in native mode: pages that exist once they are handed out (queues, PRP
 * lists, admin buffers), and a window for payloads that accepts and gives any bytes but keeps none.
 * Every address lies below 4 GiB, as in a small guest: requests have 3-DW headers. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PAGE_BYTES UINT64_C(4096)

typedef struct HostMemory HostMemory;

HostMemory *host_memory_new(void);
void host_memory_free(HostMemory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HostMemory, host_memory_free)

/* Whole pages of zeros, never given back: their address, and by @pointer where they are here. */
uint64_t host_memory_allocate(HostMemory *self, uint64_t bytes, void **pointer);
/* An address in the payload window for @bytes, page aligned.  What is used up is handed out again:
 * nothing is kept there, so two buffers at one address disturb nobody. */
uint64_t host_memory_payload(HostMemory *self, uint64_t bytes);

/* False: part of the range is neither handed out nor payload. */
bool host_memory_read(const HostMemory *self, uint64_t address, void *to, size_t bytes);
bool host_memory_write(HostMemory *self, uint64_t address, const void *from, size_t bytes);
bool host_memory_is_payload(const HostMemory *self, uint64_t address, size_t bytes);
uint64_t host_memory_bytes(const HostMemory *self); /* handed out */
