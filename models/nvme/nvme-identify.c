/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identify: the data structures from the profile, and which CNS values a drive of its version
 * knows. Bytes that 1.0 or 1.1 reserve stay 0: drivers act on them.  [NVMe-1.1 §5.11] */
#include "nvme/nvme-internal.h"
#include <string.h>

enum {
    CNS_NAMESPACE = 0,
    CNS_CONTROLLER = 1,
    CNS_NAMESPACES = 2,
    ENTRY_SIZES_SQ = 0x66,
    ENTRY_SIZES_CQ = 0x44
};

/* ASCII, padded with blanks, without a NUL. */
static void put_text(char *to, size_t bytes, const char *text)
{
    size_t length = MIN(strlen(text), bytes);

    memset(to, ' ', bytes);
    memcpy(to, text, length);
}

static void put_power(NvmePowerState *state, const NvmePowerRow *row)
{
    bool fine = row->power % 100 != 0 || row->power / 100 == 0 || !row->operational;

    fine = fine && row->power <= UINT16_MAX; /* in units of 0.1 mW, else of 10 mW */
    state->mp = (uint16_t)(fine ? row->power : row->power / 100);
    state->flags = (uint8_t)((fine ? 1 : 0) | (row->operational ? 0 : 2));
    state->enlat = row->enlat_us;
    state->exlat = row->exlat_us;
    state->rrt = state->rrl = state->rwt = state->rwl = row->relative;
}

static void identify_controller(const NvmeModel *self, NvmeIdController *id)
{
    const NvmeProfile *p = self->profile;

    id->vid = p->pci.vendor_id;
    id->ssvid = p->pci.subsystem_vendor_id;
    put_text(id->sn, sizeof id->sn, self->serial);
    put_text(id->mn, sizeof id->mn, p->model);
    put_text(id->fr, sizeof id->fr, p->firmware);
    id->rab = (uint8_t)p->rab;
    id->ieee[0] = p->ieee_bytes[2];
    id->ieee[1] = p->ieee_bytes[1];
    id->ieee[2] = p->ieee_bytes[0];
    id->cmic = (uint8_t)p->cmic;
    id->mdts = (uint8_t)p->mdts;
    id->cntlid = (uint16_t)p->cntlid;
    id->oacs = (uint16_t)p->oacs;
    id->acl = (uint8_t)p->acl;
    id->aerl = (uint8_t)p->aerl;
    id->frmw = (uint8_t)p->frmw;
    id->lpa = (uint8_t)p->lpa;
    id->elpe = (uint8_t)p->elpe;
    id->npss = (uint8_t)(p->power_n - 1);
    id->avscc = (uint8_t)p->avscc;
    id->apsta = (uint8_t)p->apsta;
    id->wctemp = (uint16_t)p->wctemp;
    id->cctemp = (uint16_t)p->cctemp;
    id->sqes = ENTRY_SIZES_SQ;
    id->cqes = ENTRY_SIZES_CQ;
    id->nn = 1;
    id->oncs = (uint16_t)p->oncs;
    id->fuses = (uint16_t)p->fuses;
    id->fna = (uint8_t)p->fna;
    id->vwc = (uint8_t)p->vwc;
    id->awun = (uint16_t)p->awun;
    id->awupf = (uint16_t)p->awupf;
    id->nvscc = (uint8_t)p->nvscc;
    id->acwu = (uint16_t)p->acwu;
    for (unsigned i = 0; i < p->power_n; i++) {
        put_power(&id->psd[i], &p->power_rows[i]);
    }
    id->vendor[3] = (uint8_t)p->vs3;
}

static void identify_namespace(const NvmeModel *self, NvmeIdNamespace *id)
{
    const NvmeProfile *p = self->profile;

    id->nsze = id->ncap = id->nuse = self->lbas;
    id->nsfeat = (uint8_t)p->nsfeat;
    id->nlbaf = (uint8_t)(p->formats_n - 1);
    id->flbas = (uint8_t)self->format;
    id->mc = (uint8_t)p->mc;
    id->dpc = (uint8_t)p->dpc;
    id->dps = (uint8_t)p->dps;
    memcpy(id->eui64, p->eui64_bytes, sizeof id->eui64);
    for (unsigned i = 0; i < p->formats_n; i++) {
        const NvmeFormatRow *row = &p->format_rows[i];
        id->lbaf[i] = row->metadata_bytes | (uint32_t)row->lba_shift << 16 |
                      (uint32_t)row->relative_performance << 24;
    }
}

NvmeStatus nvme_model_identify(NvmeCommand *command)
{
    NvmeModel *self = command->model;
    uint32_t nsid = command->sqe.nsid;

    switch (command->sqe.cdw10 & 0xff & self->profile->cns_mask) {
    case CNS_NAMESPACE:
        if (nsid != 1) {
            return NVME_INVALID_NAMESPACE;
        }
        identify_namespace(self, (NvmeIdNamespace *)command->buffer);
        return NVME_OK;
    case CNS_CONTROLLER:
        identify_controller(self, (NvmeIdController *)command->buffer);
        return NVME_OK;
    case CNS_NAMESPACES:
        if (self->profile->cns2 == NVME_ANSWER_REFUSE) {
            return NVME_INVALID_FIELD;
        }
        if (nsid >= 0xfffffffe) {
            return NVME_INVALID_NAMESPACE;
        }
        command->buffer[0] = nsid == 0; /* the ids above @nsid: 1, or none */
        return NVME_OK;
    default:
        return NVME_INVALID_FIELD;
    }
}
