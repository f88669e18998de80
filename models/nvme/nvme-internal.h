/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model's state and what its files offer each other.
 *
 *   nvme-regs.c → nvme-model.c (life) → nvme-queue.c (doorbell, fetch, post) → nvme-admin.c |
 * nvme-io.c → nvme-prp.c, nvme-store.c, nvme-media.c → nvme-queue.c (CQE) → nvme-irq.c
 *
 * When an SQE is fetched, everything up to the end of the media's work is reserved in one go: link,
 * front end, media.  Then an event starts the transfer, and one more makes the CQE visible. */
#pragma once
#include "nvme/nvme-counters.h"
#include "nvme/nvme-model.h"
#include "nvme/nvme-profile-fields.h"
#include "nvme/nvme-regs.h"
#include "nvme/nvme-spec.h"
#include "sim/sim-fault.h"
#include "sim/sim-hash.h"
#include "sim/sim-telemetry.h"

__extension__ typedef unsigned __int128 NvmeWide;

/* Fault points, in the order in which a command meets them. */
typedef enum NvmeStage {
    NVME_STAGE_DOORBELL,
    NVME_STAGE_SQE_FETCH,
    NVME_STAGE_DECODE,
    NVME_STAGE_PRP_LIST,
    NVME_STAGE_MEDIA,
    NVME_STAGE_DATA,
    NVME_STAGE_CQE,
    NVME_STAGE_MSIX,
    NVME_STAGES
} NvmeStage;

typedef enum {
    NVME_LATENCY_READ,
    NVME_LATENCY_WRITE,
    NVME_LATENCY_OTHER,
    NVME_LATENCIES
} NvmeLatency;

/* Where a command is; tells Abort, Delete SQ and reset what can be done with it. */
typedef enum NvmeState {
    NVME_AT_DECODE,   /* event: decoded, and to be completed or parked */
    NVME_AT_MEDIA,    /* event: the media is done */
    NVME_AT_DATA_OUT, /* event: a delayed transfer starts */
    NVME_AT_CQE,      /* event: a delayed CQE may go */
    NVME_AT_WAIT_CQ,  /* in its CQ's list of completions that found no free entry */
    NVME_AT_POST,     /* event: the CQE is visible; none: it waits for bus mastery */
    NVME_AT_HELD,     /* a fault holds it; Abort can end it */
    NVME_AT_LOST,     /* a fault dropped it; only reset and Delete SQ end it */
    NVME_AT_PARKED,   /* an Async Event Request, or Delete SQ that waits for its queue */
} NvmeState;

typedef struct NvmeSq NvmeSq;
typedef struct NvmeCq NvmeCq;
typedef struct NvmeCommand NvmeCommand;

struct NvmeCommand {
    /* kept when the command is used again */
    SimEvent event;
    NvmeModel *model;
    uint64_t *pages; /* PRP entries beyond the first, pages_n of them, room for pages_room */
    uint32_t pages_room;
    /* set anew */
    uint32_t slot; /* of the CQ, once reserved */
    NvmeSqe sqe;
    SimTime start; /* arrival of the tail doorbell that covered it */
    NvmeSq *sq;
    NvmeCommand *next, *previous; /* of sq->live */
    NvmeCommand *next_waiting;    /* of cq->waiting; or of the free list */
    /* zero at first, from here to the end */
    uint32_t pages_n;
    NvmeState state;
    NvmeStatus status;
    uint32_t dw0;
    bool phase;
    bool to_guest; /* direction of the data */
    bool corrupt_data, corrupt_cqe;
    bool data_stage_passed; /* the fault point has been asked */
    bool move_data;         /* at the CQE's event: its transfer has been charged */
    bool is_aer;
    bool counts_as_abort; /* one of model->aborts_inside */
    bool mapped;
    uint64_t bytes;      /* of data */
    uint64_t first_byte; /* on the media */
    uint8_t *buffer;     /* payload of admin commands and DSM; owned */
};

struct NvmeSq {
    uint16_t qid;
    NvmeCq *cq;
    uint64_t base;
    uint32_t size, head, tail;
    uint32_t reported;   /* the head as the last CQE gave it: what the host may count on */
    SimTime *stamps;     /* by slot: arrival of the doorbell */
    uint64_t *live_cids; /* bitmap of 65536 */
    NvmeCommand *live;
    uint32_t live_n;
    NvmeCommand *deleter; /* the Delete SQ that waits */
};

struct NvmeCq {
    uint16_t qid, vector;
    bool interrupts;
    uint64_t base;
    uint32_t size;
    uint32_t tail;   /* next slot to reserve */
    uint32_t head;   /* as the guest last said */
    uint32_t posted; /* entries in memory and not yet released */
    uint32_t used;   /* entries reserved or posted, not yet released */
    bool phase;
    bool blocked; /* full, or completions wait: one of model->cqs_blocked */
    uint16_t sqs;
    NvmeCommand *waiting, **waiting_end;
};

typedef struct NvmeVector {
    NvmeModel *model;
    SimEvent timer;     /* coalescing */
    SimEvent delayed;   /* a message that a fault delays */
    uint32_t entries;   /* posted and not yet reported */
    bool pending;       /* MSI, masked by INTMS */
    bool no_coalescing; /* feature 09h */
    uint64_t counts[NVME_VECTOR_COUNTERS];
} NvmeVector;

typedef struct NvmeDoorbell {
    SimTime arrival;
    uint16_t qid;
    bool is_cq;
    uint32_t value;
} NvmeDoorbell;

typedef enum { NVME_LIFE_NONE, NVME_LIFE_READY, NVME_LIFE_NOT_READY, NVME_LIFE_SHUT_DOWN } NvmeLife;

/* A serial resource that also takes reservations out of order: busy spans, ascending, none
 * touching. */
typedef struct NvmeSpan {
    SimTime start, end;
} NvmeSpan;
typedef struct NvmeCalendar {
    NvmeSpan *spans;
    uint32_t first, n, room; /* the spans in use are [first, n) */
} NvmeCalendar;
typedef struct NvmeDrain {
    SimTime done;
    uint64_t bytes;
} NvmeDrain;

/* A flash unit. */
typedef struct NvmeUnit {
    SimTime free;
    uint64_t page; /* 1 + the stripe in its page register; 0 = nothing */
} NvmeUnit;

/* How long transfers of one size take: most reads have the size of the one before. */
typedef struct NvmeSizeTimes {
    uint64_t bytes; /* 0: not worked out yet */
    SimTime unit_ps, path_ps, wire_ps;
    SimTime quirk_ps; /* by quirk.bandwidth-by-size; 0 = no limit */
} NvmeSizeTimes;

typedef struct NvmeMedia {
    uint64_t seed_hash; /* of the run's seed */
    SimTime front_free; /* the front end: decode and command ceilings */
    NvmeUnit *units;
    SimTime sense_ps; /* a unit reads a stripe and puts it out */
    NvmeSizeTimes size;
    SimTime admin_free, quirk_free, drain_free;
    NvmeCalendar path;
    uint64_t link_bytes_per_s; /* what the device's own link carries at best */
    NvmeDrain *drain;          /* ring of writes in the buffer */
    uint32_t drain_first, drain_n, drain_room;
    uint64_t buffered_bytes;
} NvmeMedia;

typedef struct NvmeStore NvmeStore;
enum { NVME_ERROR_LOG_MOST = 256, NVME_DOORBELLS_MOST = 4096 };

struct NvmeModel {
    const SimPort *port;
    PcieFunction *function;
    NvmeProfile *profile;
    SimFaults *faults;
    uint64_t regs[NVME_REG_COUNT];

    /* life */
    SimEvent life;
    NvmeLife next_life;
    bool enabled_before; /* since power-on */
    bool enable_again;   /* CC.EN=1 was written before CSTS.RDY fell */
    bool running;        /* CC.EN and CSTS.RDY: commands are taken */
    bool shut_down;      /* CC.SHN was written */
    bool bus_master;     /* memory can be read and written */
    unsigned page_shift;

    /* queues */
    unsigned queues, granted;
    NvmeSq **sqs;
    NvmeCq **cqs;
    uint64_t *pending;      /* bitmap of SQs with entries to fetch */
    uint64_t pending_words; /* bit n: pending[n] is not 0; 1024 queues have 16 words */
    unsigned last_sq;       /* round robin: whose turn it was */
    unsigned cqs_blocked;
    SimEvent fetch;
    NvmeDoorbell *doorbells; /* ring of those under way */
    unsigned doorbells_first, doorbells_n;
    uint32_t io_inside, admin_inside;
    NvmeCommand *free_commands;
    unsigned io_queues_created;

    /* interrupts */
    NvmeVector *vectors;
    unsigned vectors_n;
    bool intx;

    /* admin */
    uint32_t features[NVME_FEATURES], saved[NVME_FEATURES];
    uint8_t apst[256], apst_saved[256], lba_range[64];
    unsigned aborts_inside, aers_n;
    NvmeCommand *aers[256];
    bool event_masked[NVME_EVENT_TYPES], event_pending[NVME_EVENT_TYPES];
    uint32_t event_dw0[NVME_EVENT_TYPES];
    NvmeErrorEntry error_log[NVME_ERROR_LOG_MOST];
    unsigned error_next;
    uint64_t errors_logged;
    uint64_t unsafe_shutdowns, media_errors;
    char *serial;

    /* namespace */
    NvmeMedia media;
    NvmeStore *store;
    bool store_was_full; /* recorded once */
    unsigned format, lba_shift;
    uint64_t lbas;

    /* accounts */
    uint64_t counts[NVME_DEVICE_COUNTERS];
    uint64_t (*sq_counts)[NVME_SQ_COUNTERS];
    uint64_t (*cq_counts)[NVME_CQ_COUNTERS];
    SimHistogram *latency[NVME_LATENCIES];
    uint64_t outstanding;
    NvmeWide integral, time_sum;
    SimTime integral_at;
};

/* nvme-counters.c */
void nvme_model_outstanding(NvmeModel *self, SimTime when, int64_t delta);

/* nvme-model.c */
void nvme_model_fatal(NvmeModel *self, const char *rule, const char *text); /* CSTS.CFS */
void nvme_model_violation(NvmeModel *self, const char *rule, const char *text);
void nvme_model_cc_written(NvmeModel *self, uint32_t old, uint32_t now);
static inline SimTime nvme_model_now(const NvmeModel *self)
{
    return sim_port_now(self->port);
}
static inline uint64_t nvme_model_page(const NvmeModel *self)
{
    return UINT64_C(1) << self->page_shift;
}

/* nvme-regs.c: reset values of a profile's CAP and VS included */
void nvme_model_regs_reset(NvmeModel *self, bool admin_queues_too);

/* nvme-queue.c */
void nvme_model_take_doorbells(NvmeModel *self);
static inline void nvme_model_settle(NvmeModel *self) /* doorbells that have arrived take effect */
{
    if (self->doorbells_n > 0 &&
        self->doorbells[self->doorbells_first].arrival <= nvme_model_now(self)) {
        nvme_model_take_doorbells(self);
    }
}
void nvme_model_doorbell(NvmeModel *self, uint64_t offset, uint32_t value);
void nvme_model_fetch_event(void *opaque);
NvmeSq *nvme_model_sq_new(NvmeModel *self, uint16_t qid, NvmeCq *cq, uint64_t base, uint32_t size);
NvmeCq *nvme_model_cq_new(NvmeModel *self, uint16_t qid, uint64_t base, uint32_t size,
                          uint16_t vector, bool interrupts);
void nvme_model_sq_delete(NvmeModel *self, NvmeSq *sq); /* what is left in it is discarded */
void nvme_model_cq_delete(NvmeModel *self, NvmeCq *cq);
static inline void nvme_model_cq_changed(NvmeModel *self, NvmeCq *cq) /* its used or waiting */
{
    bool blocked = cq->waiting != NULL || cq->used == cq->size - 1;

    if (blocked != cq->blocked) {
        cq->blocked = blocked;
        self->cqs_blocked += blocked ? 1 : -1;
    }
}
void nvme_model_queues_drop(NvmeModel *self); /* controller reset: nothing of them remains */
void nvme_model_kick(NvmeModel *self, SimTime when);

/* nvme-command.c: what all commands share */
void nvme_model_command_event(void *opaque);
void nvme_model_command_start(NvmeCommand *command,
                              SimTime fetched); /* its SQE arrives at @fetched */
NvmeCommand *nvme_model_command_new(NvmeModel *self, NvmeSq *sq, const NvmeSqe *sqe, SimTime start);
void nvme_model_commands_free(NvmeModel *self); /* the list of unused ones */
void nvme_model_complete(NvmeCommand *command,
                         NvmeStatus status);           /* the CQE goes, now or when there is room */
void nvme_model_send_data(NvmeCommand *command);       /* to the guest, then the CQE */
void nvme_model_transmit(NvmeCommand *command);        /* reserve a CQ entry, or wait */
void nvme_model_command_discard(NvmeCommand *command); /* no CQE */
void nvme_model_schedule(NvmeCommand *command, NvmeState state, SimTime when);
/* Acts out a fault due at @stage: adds a delay to *@when; false: the command's way has ended here.
 */
bool nvme_model_act_fault(NvmeCommand *command, NvmeStage stage, SimTime *when);
static inline bool nvme_model_stage(NvmeCommand *command, NvmeStage stage, SimTime *when)
{
    return G_LIKELY(!sim_faults_wait(command->model->faults, stage)) ||
           nvme_model_act_fault(command, stage, when);
}
bool nvme_model_abort(NvmeCommand *command,
                      NvmeStatus status); /* false: too late, or not to be found by an Abort */

/* nvme-admin.c, nvme-features.c, nvme-identify.c, nvme-log.c */
void nvme_model_sq_emptied(NvmeModel *self, NvmeSq *sq); /* Delete SQ may go on */
NvmeStatus nvme_model_admin_check(NvmeCommand *command); /* sets bytes and direction */
SimTime nvme_model_admin_time(const NvmeCommand *command);
void nvme_model_admin_execute(NvmeCommand *command);
void nvme_model_async_event(NvmeModel *self, unsigned type, unsigned info, unsigned log);
void nvme_model_async_event_unmask(NvmeModel *self, unsigned type);
NvmeStatus nvme_model_identify(NvmeCommand *command);
void nvme_model_features_reset(NvmeModel *self, bool power_on);
NvmeStatus nvme_model_feature_check(NvmeCommand *command);
NvmeStatus nvme_model_set_feature(NvmeCommand *command);
NvmeStatus nvme_model_get_feature(NvmeCommand *command);
NvmeStatus nvme_model_get_log(NvmeCommand *command);
void nvme_model_log_error(NvmeCommand *command);

/* nvme-io.c */
NvmeStatus
nvme_model_io_check(NvmeCommand *command); /* sets bytes, direction, place on the media */
SimTime nvme_model_io_media(NvmeCommand *command,
                            SimTime from);       /* when the media is done with it */
void nvme_model_io_finish(NvmeCommand *command); /* the media is done */
SimTime nvme_model_io_interval(const NvmeCommand *command);

/* nvme-prp.c */
typedef bool (*NvmeSegmentFunc)(NvmeCommand *command, uint64_t address, uint64_t position,
                                uint64_t bytes, void *data);
NvmeStatus nvme_model_prp_check(NvmeCommand *command); /* of PRP1 and PRP2 themselves */
/* Of the data, those in the first page. */
static inline uint64_t nvme_model_prp_first(const NvmeCommand *command)
{
    uint64_t page = nvme_model_page(command->model);

    return MIN(command->bytes, page - (command->sqe.prp1 & (page - 1)));
}
static inline bool nvme_model_prp_needs_list(const NvmeCommand *command)
{
    return command->bytes > nvme_model_prp_first(command) + nvme_model_page(command->model);
}
NvmeStatus nvme_model_prp_read_list(NvmeCommand *command,
                                    SimTime *when); /* from *@when on; charges the link */
/* Calls @func for each piece of guest memory in turn; false: @func said so. */
bool nvme_model_prp_walk_pages(NvmeCommand *command, NvmeSegmentFunc func, void *data);
static inline bool nvme_model_prp_walk(NvmeCommand *command, NvmeSegmentFunc func, void *data)
{
    if (command->pages_n == 0 && command->bytes > 0 &&
        command->bytes == nvme_model_prp_first(command)) {
        return func(command, command->sqe.prp1, 0, command->bytes, data);
    }
    return nvme_model_prp_walk_pages(command, func, data);
}

/* nvme-media.c */
void nvme_model_media_init(NvmeModel *self);
void nvme_model_media_clear(NvmeModel *self);
void nvme_model_media_reset(NvmeModel *self); /* reservations dropped */
SimTime nvme_model_media_front(NvmeModel *self, SimTime from, SimTime interval);
SimTime nvme_model_media_admin(NvmeModel *self, SimTime from, SimTime time);
SimTime nvme_model_media_read(NvmeModel *self, SimTime from, uint64_t first_byte, uint64_t bytes,
                              bool mapped);
SimTime nvme_model_media_write(NvmeModel *self, SimTime from, uint64_t first_byte, uint64_t bytes,
                               bool through);
SimTime nvme_model_media_flush(NvmeModel *self, SimTime from);

/* nvme-store.c */
NvmeStore *nvme_model_store_new(uint64_t seed, bool fill_random, uint64_t limit_bytes);
void nvme_model_store_free(NvmeStore *self);
bool nvme_model_store_write(NvmeStore *self, uint64_t first, const void *data,
                            uint64_t bytes); /* false: full */
void nvme_model_store_read(const NvmeStore *self, uint64_t first, void *data, uint64_t bytes);
/* Blocks read as zeros; @first and @bytes multiples of 512. False: full. */
bool nvme_model_store_zero(NvmeStore *self, uint64_t first, uint64_t bytes);
void nvme_model_store_deallocate(NvmeStore *self, uint64_t first, uint64_t bytes);
bool nvme_model_store_mark_bad(NvmeStore *self, uint64_t first, uint64_t bytes);
bool nvme_model_store_is_bad(const NvmeStore *self, uint64_t first, uint64_t bytes);
bool nvme_model_store_is_mapped(const NvmeStore *self, uint64_t first, uint64_t bytes);
uint64_t nvme_model_store_mapped_bytes(const NvmeStore *self);
void nvme_model_store_erase(NvmeStore *self);

/* nvme-irq.c */
void nvme_model_irq_posted(NvmeCommand *command, NvmeCq *cq);
void nvme_model_irq_reset(NvmeModel *self);
void nvme_model_irq_level(NvmeModel *self); /* INTx */
void nvme_model_irq_init(NvmeModel *self);
