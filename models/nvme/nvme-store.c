/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the namespace holds: pages of 4 KiB that were written, found by a hash table.  Up to a limit
 * they stay in memory, then an unlinked sparse file takes them.  Blocks that were never written
 * read as zeros, or as a fixed function of seed and address. One bit a 512-byte sector says whether
 * it was written, another whether a read of it must fail. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "nvme/nvme-internal.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, SECTOR = 512, PAGE_OVERHEAD = 128 };

typedef struct StorePage {
    uint64_t index;
    uint8_t *data;        /* NULL: in the file if @slot, else all zeros */
    uint64_t slot;        /* 1 + number in the file; 0 = none */
    uint8_t written, bad; /* by sector */
} StorePage;

struct NvmeStore {
    uint64_t seed;
    bool fill_random;
    uint64_t limit_bytes, used_bytes;
    GHashTable *pages;
    GArray *free_slots; /* of uint64_t */
    int file;           /* -1: not yet, or it could not be made */
    bool file_failed;
    uint64_t slots;
    uint64_t pages_most; /* of the index itself */
};

static guint hash_index(gconstpointer key)
{
    return (guint)sim_hash64(*(const uint64_t *)key);
}

static gboolean same_index(gconstpointer a, gconstpointer b)
{
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

static void free_page(gpointer data)
{
    StorePage *page = data;

    g_free(page->data);
    g_free(page);
}

NvmeStore *nvme_model_store_new(uint64_t seed, bool fill_random, uint64_t limit_bytes)
{
    NvmeStore *self = g_new0(NvmeStore, 1);

    self->seed = seed;
    self->fill_random = fill_random;
    self->limit_bytes = limit_bytes;
    self->pages_most = UINT64_C(1) << 25; /* 128 GiB */
    self->pages = g_hash_table_new_full(hash_index, same_index, NULL, free_page);
    self->free_slots = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    self->file = -1;
    return self;
}

void nvme_model_store_free(NvmeStore *self)
{
    if (self == NULL) {
        return;
    }
    g_hash_table_unref(self->pages);
    g_array_unref(self->free_slots);
    if (self->file >= 0) {
        close(self->file);
    }
    g_free(self);
}

static bool open_file(NvmeStore *self)
{
    static const char *const folders[] = {"/var/tmp", "/tmp"};

    for (unsigned i = 0; i < G_N_ELEMENTS(folders) && self->file < 0 && !self->file_failed; i++) {
        self->file = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    self->file_failed = self->file < 0;
    return self->file >= 0;
}

static bool file_write(NvmeStore *self, uint64_t slot, const uint8_t *data)
{
    off_t at = (off_t)((slot - 1) * PAGE);

    for (size_t done = 0; done < PAGE;) {
        ssize_t n = pwrite(self->file, data + done, PAGE - done, at + (off_t)done);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void file_read(const NvmeStore *self, uint64_t slot, uint8_t *data)
{
    off_t at = (off_t)((slot - 1) * PAGE);

    memset(data, 0, PAGE);
    for (size_t done = 0; done < PAGE;) {
        ssize_t n = pread(self->file, data + done, PAGE - done, at + (off_t)done);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return;
        }
        done += n > 0 ? (size_t)n : 0;
    }
}

/* Contents of sectors that were never written: word n of a sector is a hash of (seed, sector) + n.
 */
static void fill(const NvmeStore *self, uint64_t first, uint8_t *data, size_t bytes)
{
    if (!self->fill_random) {
        memset(data, 0, bytes);
        return;
    }
    for (size_t i = 0; i < bytes;) {
        uint64_t start = sim_hash64_pair(self->seed, (first + i) / SECTOR);
        size_t offset = (first + i) % SECTOR, end = MIN(SECTOR, offset + bytes - i);
        for (; offset < end && offset % 8 == 0 && end - offset >= 8; offset += 8, i += 8) {
            uint64_t word = sim_hash64(start + offset / 8);
            memcpy(data + i, &word, 8);
        }
        for (; offset < end && (offset % 8 != 0 || end - offset < 8); offset++, i++) {
            data[i] = (uint8_t)(sim_hash64(start + offset / 8) >> (offset % 8 * 8));
        }
    }
}

static StorePage *find_page(const NvmeStore *self, uint64_t index)
{
    return g_hash_table_size(self->pages) == 0 ? NULL : g_hash_table_lookup(self->pages, &index);
}

static StorePage *need_page(NvmeStore *self, uint64_t index)
{
    StorePage *page = find_page(self, index);

    if (page == NULL) {
        if (g_hash_table_size(self->pages) >= self->pages_most) {
            return NULL;
        }
        page = g_new0(StorePage, 1);
        page->index = index;
        g_hash_table_insert(self->pages, &page->index, page);
        self->used_bytes += PAGE_OVERHEAD;
    }
    return page;
}

static void drop_data(NvmeStore *self, StorePage *page)
{
    if (page->data != NULL) {
        g_clear_pointer(&page->data, g_free);
        self->used_bytes -= PAGE;
    }
    if (page->slot != 0) {
        g_array_append_val(self->free_slots, page->slot);
        page->slot = 0;
    }
}

static void drop_page(NvmeStore *self, StorePage *page)
{
    drop_data(self, page);
    self->used_bytes -= PAGE_OVERHEAD;
    g_hash_table_remove(self->pages, &page->index);
}

static void load_page(const NvmeStore *self, const StorePage *page, uint8_t *data)
{
    if (page->data != NULL) {
        memcpy(data, page->data, PAGE);
    } else if (page->slot != 0) {
        file_read(self, page->slot, data);
    } else {
        memset(data, 0, PAGE);
    }
}

static bool save_to_file(NvmeStore *self, StorePage *page, const uint8_t *data)
{
    uint64_t slot = page->slot;

    if (!open_file(self)) {
        return false;
    }
    if (slot == 0 && self->free_slots->len > 0) {
        slot = g_array_index(self->free_slots, uint64_t, self->free_slots->len - 1);
    } else if (slot == 0) {
        slot = self->slots + 1;
    }
    if (!file_write(self, slot, data)) {
        return false;
    }
    if (page->slot == 0) {
        if (slot > self->slots) {
            self->slots = slot;
        } else {
            g_array_set_size(self->free_slots, self->free_slots->len - 1);
        }
        page->slot = slot;
    }
    return true;
}

static uint8_t sectors_of(uint64_t offset, uint64_t bytes)
{
    unsigned first = (unsigned)(offset / SECTOR), last = (unsigned)((offset + bytes - 1) / SECTOR);

    return (uint8_t)((0xffu << first) & (0xffu >> (7 - last)));
}

static bool write_page(NvmeStore *self, uint64_t index, uint64_t offset, const uint8_t *data,
                       uint64_t bytes)
{
    StorePage *page = need_page(self, index);
    uint8_t whole[PAGE];

    if (page == NULL) {
        return false;
    }
    if (page->data == NULL && page->slot == 0 && self->used_bytes + PAGE <= self->limit_bytes) {
        page->data = g_malloc0(PAGE);
        self->used_bytes += PAGE;
    }
    if (page->data != NULL) {
        memcpy(page->data + offset, data, bytes);
    } else {
        load_page(self, page, whole);
        memcpy(whole + offset, data, bytes);
        if (!save_to_file(self, page, whole)) {
            if (page->written == 0 && page->bad == 0) {
                drop_page(self, page);
            }
            return false;
        }
    }
    page->written |= sectors_of(offset, bytes);
    page->bad &= (uint8_t)~sectors_of(offset, bytes);
    return true;
}

/* Calls for each page of a range: index, offset in it, bytes. */
#define FOR_EACH_PIECE(first, bytes)                                                               \
    for (uint64_t at = 0, offset = (first) % PAGE, n = MIN((bytes), PAGE - offset); at < (bytes);  \
         at += n, offset = 0, n = MIN((bytes)-at, (uint64_t)PAGE))

bool nvme_model_store_write(NvmeStore *self, uint64_t first, const void *data, uint64_t bytes)
{
    FOR_EACH_PIECE(first, bytes)
    {
        if (!write_page(self, (first + at) / PAGE, offset, (const uint8_t *)data + at, n)) {
            return false;
        }
    }
    return true;
}

static void read_page(const NvmeStore *self, const StorePage *page, uint64_t offset, uint8_t *data,
                      uint64_t bytes)
{
    uint8_t whole[PAGE];
    const uint8_t *from = page->data;

    if (from == NULL) {
        load_page(self, page, whole);
        from = whole;
    }
    for (uint64_t at = 0; at < bytes;) {
        uint64_t sector = (offset + at) / SECTOR;
        uint64_t n = MIN(bytes - at, (sector + 1) * SECTOR - (offset + at));
        if ((page->written >> sector & 1) != 0) {
            memcpy(data + at, from + offset + at, n);
        } else {
            fill(self, page->index * PAGE + offset + at, data + at, n);
        }
        at += n;
    }
}

void nvme_model_store_read(const NvmeStore *self, uint64_t first, void *data, uint64_t bytes)
{
    FOR_EACH_PIECE(first, bytes)
    {
        const StorePage *page = find_page(self, (first + at) / PAGE);
        if (page != NULL) {
            read_page(self, page, offset, (uint8_t *)data + at, n);
        } else {
            fill(self, first + at, (uint8_t *)data + at, n);
        }
    }
}

/* Forgets what was written to some sectors of a page. */
static void clear_sectors(NvmeStore *self, StorePage *page, uint8_t sectors)
{
    page->written &= (uint8_t)~sectors;
    page->bad &= (uint8_t)~sectors;
    if (page->written == 0 && page->bad == 0) {
        drop_page(self, page);
    }
}

bool nvme_model_store_zero(NvmeStore *self, uint64_t first, uint64_t bytes)
{
    static const uint8_t zeros[PAGE];

    if (!self->fill_random) {
        nvme_model_store_deallocate(self, first, bytes);
        return true;
    }
    FOR_EACH_PIECE(first, bytes)
    {
        StorePage *page;
        if (n < PAGE) {
            if (!write_page(self, (first + at) / PAGE, offset, zeros, n)) {
                return false;
            }
            continue;
        }
        page = need_page(self, (first + at) / PAGE);
        if (page == NULL) {
            return false;
        }
        drop_data(self, page);
        page->written = 0xff;
        page->bad = 0;
    }
    return true;
}

static void deallocate_page(NvmeStore *self, StorePage *page, uint64_t first, uint64_t end)
{
    uint64_t start = page->index * PAGE;
    uint64_t from = MAX(first, start), to = MIN(end, start + PAGE);

    if (from < to) {
        clear_sectors(self, page, sectors_of(from - start, to - from));
    }
}

/* Random contents stay: "the last data written" is an allowed answer.  [NVMe-1.1 §6.7.1.1] */
void nvme_model_store_deallocate(NvmeStore *self, uint64_t first, uint64_t bytes)
{
    uint64_t end = first + bytes;

    if (self->fill_random || bytes == 0) {
        return;
    }
    if (bytes / PAGE <= g_hash_table_size(self->pages)) {
        for (uint64_t i = first / PAGE; i <= (end - 1) / PAGE; i++) {
            StorePage *page = find_page(self, i);
            if (page != NULL) {
                deallocate_page(self, page, first, end);
            }
        }
        return;
    }
    g_autoptr(GList) pages = g_hash_table_get_values(self->pages);
    for (GList *l = pages; l != NULL; l = l->next) {
        deallocate_page(self, l->data, first, end);
    }
}

bool nvme_model_store_mark_bad(NvmeStore *self, uint64_t first, uint64_t bytes)
{
    FOR_EACH_PIECE(first, bytes)
    {
        StorePage *page = need_page(self, (first + at) / PAGE);
        if (page == NULL) {
            return false;
        }
        page->bad |= sectors_of(offset, n);
    }
    return true;
}

bool nvme_model_store_is_bad(const NvmeStore *self, uint64_t first, uint64_t bytes)
{
    if (g_hash_table_size(self->pages) == 0) {
        return false;
    }
    FOR_EACH_PIECE(first, bytes)
    {
        const StorePage *page = find_page(self, (first + at) / PAGE);
        if (page != NULL && (page->bad & sectors_of(offset, n)) != 0) {
            return true;
        }
    }
    return false;
}

bool nvme_model_store_is_mapped(const NvmeStore *self, uint64_t first, uint64_t bytes)
{
    if (self->fill_random) {
        return true;
    }
    if (g_hash_table_size(self->pages) == 0) {
        return false;
    }
    FOR_EACH_PIECE(first, bytes)
    {
        const StorePage *page = find_page(self, (first + at) / PAGE);
        if (page != NULL && (page->written & sectors_of(offset, n)) != 0) {
            return true;
        }
    }
    return false;
}

uint64_t nvme_model_store_mapped_bytes(const NvmeStore *self)
{
    return (uint64_t)g_hash_table_size(self->pages) * PAGE;
}

void nvme_model_store_erase(NvmeStore *self)
{
    g_hash_table_remove_all(self->pages);
    g_array_set_size(self->free_slots, 0);
    self->used_bytes = 0;
    self->slots = 0;
    if (self->file >= 0 && ftruncate(self->file, 0) != 0) {
        close(self->file); /* a new one is made when needed */
        self->file = -1;
    }
}
