/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Physical Region Pages: where in guest memory a command's data is.  [NVMe-1.1 §4.3]
 * A list may begin anywhere 8-byte aligned; its last entry in a page points to the next list if
 * more entries are needed. */
#include "nvme/nvme-internal.h"

enum { ENTRY = sizeof(uint64_t), LIST_CHUNK = 512, LISTS_MOST = 4096 };

/* Pages after the first. */
static uint64_t further_pages(const NvmeCommand *command)
{
    const NvmeModel *self = command->model;

    return (command->bytes - nvme_model_prp_first(command) + nvme_model_page(self) - 1) >>
           self->page_shift;
}

static void reserve_pages(NvmeCommand *command, uint64_t n)
{
    if (command->pages_room < n) {
        command->pages_room = (uint32_t)n;
        command->pages = g_realloc_n(command->pages, n, ENTRY);
    }
}

NvmeStatus nvme_model_prp_check(NvmeCommand *command)
{
    uint64_t page = nvme_model_page(command->model), further;

    if (command->bytes == 0) {
        return NVME_OK;
    }
    if ((command->sqe.prp1 & 3) != 0) {
        nvme_model_violation(command->model, "NVMe-1.1 §4.3", "PRP1 is not dword aligned");
        return NVME_INVALID_FIELD;
    }
    further = further_pages(command);
    if (further == 0) {
        return NVME_OK;
    }
    if (further > 1) {
        if (command->sqe.prp2 % ENTRY != 0) {
            nvme_model_violation(command->model, "NVMe-1.1 §4.3",
                                 "PRP list address is not qword aligned");
            return NVME_INVALID_FIELD;
        }
        return NVME_OK;
    }
    if ((command->sqe.prp2 & (page - 1)) != 0) {
        nvme_model_violation(command->model, "NVMe-1.1 §4.3", "PRP2 has a page offset");
        return NVME_INVALID_FIELD;
    }
    reserve_pages(command, 1);
    command->pages[0] = command->sqe.prp2;
    command->pages_n = 1;
    return NVME_OK;
}

/* Reads @n entries at @address; they lie in one memory page. */
static bool read_entries(NvmeCommand *command, uint64_t address, uint64_t *to, uint64_t n,
                         SimTime *when)
{
    NvmeModel *self = command->model;

    *when = pcie_dma_read(self->function, PCIE_FOR_PRP_LIST, address, n * ENTRY, *when);
    for (uint64_t i = 0; i < n; i += LIST_CHUNK) {
        if (!self->port->ops->dma_read(self->port->opaque, address + i * ENTRY, to + i,
                                       MIN(n - i, (uint64_t)LIST_CHUNK) * ENTRY)) {
            return false;
        }
    }
    return true;
}

NvmeStatus nvme_model_prp_read_list(NvmeCommand *command, SimTime *when)
{
    uint64_t page = nvme_model_page(command->model);
    uint64_t wanted = further_pages(command), list = command->sqe.prp2;

    reserve_pages(command, wanted);
    command->pages_n = 0;
    for (unsigned lists = 0; command->pages_n < wanted && lists < LISTS_MOST; lists++) {
        uint64_t room = (page - (list & (page - 1))) / ENTRY;
        uint64_t left = wanted - command->pages_n, next;
        bool chained = left > room;
        uint64_t n = chained ? room - 1 : left;

        if (!read_entries(command, list, command->pages + command->pages_n, n, when)) {
            return NVME_DATA_TRANSFER_ERROR;
        }
        command->pages_n += (uint32_t)n;
        if (!chained) {
            break;
        }
        if (!read_entries(command, list + n * ENTRY, &next, 1, when)) {
            return NVME_DATA_TRANSFER_ERROR;
        }
        if (next % ENTRY != 0) {
            nvme_model_violation(command->model, "NVMe-1.1 §4.3",
                                 "pointer to the next PRP list is not qword aligned");
            return NVME_INVALID_FIELD;
        }
        list = next;
    }
    if (command->pages_n < wanted) {
        nvme_model_violation(command->model, "NVMe-1.1 §4.3", "PRP lists chain without entries");
        return NVME_INVALID_FIELD;
    }
    if (command->corrupt_data) { /* the fault at this stage */
        command->pages[0] ^= 8;
        command->corrupt_data = false;
    }
    for (uint32_t i = 0; i < command->pages_n; i++) {
        if ((command->pages[i] & (page - 1)) != 0) {
            nvme_model_violation(command->model, "NVMe-1.1 §4.3",
                                 "PRP list entry has a page offset");
            return NVME_INVALID_FIELD;
        }
    }
    return NVME_OK;
}

bool nvme_model_prp_walk_pages(NvmeCommand *command, NvmeSegmentFunc func, void *data)
{
    uint64_t page = nvme_model_page(command->model), position = nvme_model_prp_first(command);

    if (command->bytes == 0) {
        return true;
    }
    if (!func(command, command->sqe.prp1, 0, position, data)) {
        return false;
    }
    for (uint32_t i = 0; i < command->pages_n && position < command->bytes; i++) {
        uint64_t n = MIN(page, command->bytes - position);
        if (!func(command, command->pages[i], position, n, data)) {
            return false;
        }
        position += n;
    }
    return true;
}
