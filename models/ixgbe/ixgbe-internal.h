/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the model, and what its files say to each other. */
#pragma once
#include "ixgbe/ixgbe-counters.h"
#include "ixgbe/ixgbe-model.h"
#include "ixgbe/ixgbe-profile-fields.h"
#include "ixgbe/ixgbe-regs.h"
#include "ixgbe/ixgbe-spec.h"
#include <string.h>

enum { IXGBE_HASH_BYTES = 36, IXGBE_TX_LEAVING = 4096, IXGBE_TX_MOST = 256 << 10 };

typedef struct IxgbeMapEntry {
    uint16_t reg; /* IxgbeRegId + 1; 0 = none */
    uint16_t index;
} IxgbeMapEntry;

/* What the parser found in a frame. */
typedef struct IxgbeParsed {
    uint32_t type; /* packet type of the descriptor */
    uint16_t vlan; /* TCI */
    bool tagged;
    uint16_t ether_type; /* behind the tag */
    unsigned l3, l4;     /* offsets; l4 = 0: none, or a fragment that is not the first */
    unsigned l3_end;     /* of the IP packet, within the frame */
    uint8_t protocol;    /* of layer 4, behind extension headers */
    bool ipv4, ipv6, extensions, fragment, ports;
    uint8_t tcp_flags;
} IxgbeParsed;

/* A frame in the receive packet buffer, or on its way from there to memory. */
typedef struct IxgbeFrame {
    struct IxgbeFrame *next, *previous; /* all that wait for a descriptor, in order of arrival */
    struct IxgbeFrame *next_of_ring;    /* those of one ring */
    IxgbeRxWriteback result;            /* length and status without DD and EOP */
    unsigned queue;
    size_t bytes, buffered; /* to write to memory; that the packet buffer holds */
    size_t allocated;
    uint8_t *data;
} IxgbeFrame;

/* Frames of one ring whose descriptors were read together, on their way to memory. */
typedef struct IxgbeRxJob {
    struct IxgbeRxJob *next;
    struct IxgbeModel *model;
    SimEvent event;
    unsigned queue, generation; /* of the ring: an older one's frames are dropped */
    unsigned frames_n, descs_n;
    size_t each; /* bytes of a buffer */
    IxgbeFrame **frames;
    IxgbeRxRead *descs;
    unsigned frames_allocated, descs_allocated;
} IxgbeRxJob;

/* A descriptor write on its way to memory, of RX or TX. */
typedef struct IxgbeWriteback {
    struct IxgbeWriteback *next;
    struct IxgbeModel *model;
    SimEvent event;
    unsigned queue, generation;
    bool tx, head;             /* head: the head pointer, not descriptors */
    unsigned first, n, frames; /* descriptors; frames that they complete */
    uint64_t address;
    unsigned bytes;
    uint8_t data[128 * 16];
} IxgbeWriteback;

typedef struct IxgbeRxRing {
    struct IxgbeModel *model;
    unsigned queue, generation;
    unsigned entries;           /* of the ring; 0 = off */
    unsigned fetch;             /* next descriptor to read */
    IxgbeFrame *first, *last;   /* frames that wait */
    IxgbeRxWriteback ready[64]; /* completed, not written back */
    unsigned ready_first, ready_n, ready_frames;
    SimEvent hold;
    SimTime last_done, last_written; /* no later one is earlier */
    bool drop_forced;                /* QDE */
    uint64_t counts[IXGBE_RING_COUNTERS];
} IxgbeRxRing;

typedef struct IxgbeTxPacket {
    struct IxgbeTxPacket *next;
    struct IxgbeModel *model;
    SimEvent event;
    unsigned queue, generation;
    unsigned first, descs;              /* descriptors used, all kinds */
    unsigned report_first, report_last; /* of those that have RS, counted from `first` */
    bool report, started, refused;
    uint32_t command, status; /* of its first data descriptor */
    IxgbeTxContext context;
    size_t reserved; /* of the packet buffer */
    unsigned reads;  /* requests for its data */
    SimTime done;
    GByteArray *data;
} IxgbeTxPacket;

typedef struct IxgbeTxRing {
    struct IxgbeModel *model;
    unsigned queue, generation;
    unsigned entries;
    unsigned fetch;         /* next descriptor to read */
    SimEvent fetched;       /* the end of the read that is under way */
    unsigned incoming;      /* its descriptors */
    IxgbeTxDesc cache[128]; /* ring */
    unsigned cache_first, cache_n;
    unsigned next;           /* number of the first cached one in the guest's ring */
    IxgbeTxPacket *building; /* packet whose EOP has not been seen */
    IxgbeTxContext contexts[2];
    unsigned held_first, held_n; /* done, not written back */
    SimTime last_done, last_written;
    uint64_t counts[IXGBE_RING_COUNTERS]; /* the TX ones */
} IxgbeTxRing;

typedef struct IxgbeVector {
    struct IxgbeModel *model;
    SimEvent timer, flush;
    SimTime next;       /* no interrupt before */
    SimTime flush_next; /* what is held goes out at */
    uint64_t counts[IXGBE_VECTOR_COUNTERS];
} IxgbeVector;

/* A flow director filter of perfect mode, as its registers had it. */
typedef struct IxgbePerfect {
    uint32_t source, destination, ports, vlan_flex, hash, command;
} IxgbePerfect;

/* The module's two-wire bus, seen by its slave. */
typedef struct IxgbeI2c {
    bool scl, sda;  /* lines as driven by the port */
    bool drive_low; /* the slave pulls SDA */
    unsigned state, bits;
    uint8_t shift, offset;
} IxgbeI2c;

struct IxgbeModel {
    const SimPort *port;
    PcieFunction *function;
    IxgbeProfile *profile;
    WireEnd *wire;
    uint8_t mac[6];
    unsigned lan_id, sfp;

    union {
        IxgbeRegs regs;
        uint32_t values[sizeof(IxgbeRegs) / 4];
    };
    uint32_t *unknown;
    IxgbeMapEntry *map;
    uint32_t masks[IXGBE_REG_COUNT][IXGBE_ACCESSES];
    SimTime arrival; /* of the write that is being served */
    uint16_t *eeprom;
    IxgbeI2c i2c;
    bool bus_master, light, link_up;
    SimEvent link_event;

    /* Interrupts: bit v of `causes` is vector v's, or RTxQ bit v; `other` has EICR's bits 30:16. */
    uint64_t causes, masks_v;
    uint32_t other, other_mask;
    IxgbeVector vectors[IXGBE_VECTORS];
    bool intx;

    /* Receive. */
    IxgbeRxRing *rx;
    uint64_t rx_ready[2]; /* rings with descriptors to write back */
    IxgbeFrame *rx_first, *rx_last, *rx_free;
    size_t rx_buffered;
    unsigned rx_jobs;
    IxgbeRxJob *rx_jobs_free;
    GPtrArray *job_list, *writeback_list, *packet_list; /* all that were ever made */
    IxgbeWriteback *writebacks_free;
    unsigned dma_pending;                       /* what is under way */
    uint32_t hash_table[IXGBE_HASH_BYTES][256]; /* Toeplitz of one byte at one place */
    bool hash_table_valid;
    GHashTable *director; /* signature → FDIRCMD */
    GArray *perfect;      /* IxgbePerfect */

    /* Transmit. */
    IxgbeTxRing *tx;
    SimEvent tx_event;
    uint64_t tx_ready[2]; /* rings with descriptors in the cache */
    uint64_t tx_held[2];  /* rings with descriptors to write back */
    unsigned tx_next;     /* whose turn it is */
    uint64_t tx_wanting[2]; /* rings whose descriptors wait for a read to end */
    unsigned tx_want_next;  /* whose turn it is */
    unsigned tx_fetches;    /* descriptor reads under way */
    unsigned tx_packets;  /* whose data are being read */
    unsigned tx_reads;    /* their requests */
    size_t tx_buffered;
    SimTime loopback_free;
    IxgbeTxPacket *packets_free;
    struct {
        SimTime when;
        size_t bytes;
    } tx_leaving[IXGBE_TX_LEAVING]; /* ring: when parts of the packet buffer become free */
    unsigned tx_leaving_first, tx_leaving_n;
    uint8_t *scratch;    /* one frame */

    uint64_t counts[IXGBE_DEVICE_COUNTERS];
};

static inline SimTime ixgbe_model_now(const IxgbeModel *self)
{
    return sim_port_now(self->port);
}
void ixgbe_model_violation(IxgbeModel *self, const char *rule, const char *text);
/* May the device start DMA? */
static inline bool ixgbe_model_may_dma(const IxgbeModel *self)
{
    return self->bus_master && !IXGBE_GET(self->regs.CTRL[0], CTRL_GIO_DIS);
}
static inline uint64_t ixgbe_model_address(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}
/* Moves the bytes; a bus error is counted and recorded. */
bool ixgbe_model_read_memory(IxgbeModel *self, uint64_t address, void *buf, size_t bytes);
bool ixgbe_model_write_memory(IxgbeModel *self, uint64_t address, const void *buf, size_t bytes);
/* Charges a write to link and memory; returns when it is visible. */
SimTime ixgbe_model_charge_write(IxgbeModel *self, PciePurpose purpose, uint64_t address,
                                 size_t bytes, SimTime from);
IxgbeWriteback *ixgbe_model_writeback_new(IxgbeModel *self);
void ixgbe_model_writeback_send(IxgbeModel *self, IxgbeWriteback *writeback, SimTime when);
void ixgbe_model_writeback_drop(IxgbeModel *self, IxgbeWriteback *writeback);

/* ixgbe-regs.c */
void ixgbe_model_regs_init(IxgbeModel *self);
void ixgbe_model_regs_reset(IxgbeModel *self);

/* Hooks: (index, value before, value as written), and answers to reads. */
typedef IxgbeModel M;
void ixgbe_model_ctrl_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_status_read(M *self, unsigned index);
void ixgbe_model_esdp_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_i2cctl_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eec_read(M *self, unsigned index);
void ixgbe_model_eerd_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_swsm_read(M *self, unsigned index);
uint32_t ixgbe_model_links_read(M *self, unsigned index);
void ixgbe_model_eicr_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eicr_read(M *self, unsigned index);
void ixgbe_model_eics_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eics_read(M *self, unsigned index);
void ixgbe_model_eims_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eims_read(M *self, unsigned index);
void ixgbe_model_eimc_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_eiam_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_eics_ex_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eics_ex_read(M *self, unsigned index);
void ixgbe_model_eims_ex_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_eims_ex_read(M *self, unsigned index);
void ixgbe_model_eimc_ex_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_eiam_ex_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_eitr_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_rxctrl_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_rdh_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_rdt_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_rxdctl_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_qde_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_rssrk_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_fdirctrl_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_fdircmd_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_fdirfree_read(M *self, unsigned index);
void ixgbe_model_tdh_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_tdt_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_txdctl_written(M *self, unsigned index, uint32_t old, uint32_t value);
void ixgbe_model_dmatxctl_written(M *self, unsigned index, uint32_t old, uint32_t value);
uint32_t ixgbe_model_gorc_read(M *self, unsigned index);
uint32_t ixgbe_model_gotc_read(M *self, unsigned index);
uint32_t ixgbe_model_tor_read(M *self, unsigned index);
uint32_t ixgbe_model_qbrc_read(M *self, unsigned index);
uint32_t ixgbe_model_qbrc_high_read(M *self, unsigned index);
uint32_t ixgbe_model_qbtc_read(M *self, unsigned index);

/* ixgbe-eeprom.c, ixgbe-sfp.c, ixgbe-link.c */
void ixgbe_model_eeprom_init(IxgbeModel *self);
void ixgbe_model_i2c_reset(IxgbeModel *self);
void ixgbe_model_link_init(IxgbeModel *self);
void ixgbe_model_link_reset(IxgbeModel *self);
bool ixgbe_model_link_is_up(const IxgbeModel *self);

/* ixgbe-irq.c */
void ixgbe_model_irq_init(IxgbeModel *self);
void ixgbe_model_irq_reset(IxgbeModel *self);
void ixgbe_model_cause_queue(IxgbeModel *self, unsigned queue, bool tx);
void ixgbe_model_cause_other(IxgbeModel *self, uint32_t cause);
/* A completed descriptor is held: true if the queue's vector has a timer that will flush it, and
 * false if it must not be held, because the timer has run out. */
typedef enum { IXGBE_HOLD_NO_VECTOR, IXGBE_HOLD_TIMER, IXGBE_HOLD_NOT } IxgbeHold;
IxgbeHold ixgbe_model_hold(IxgbeModel *self, unsigned queue, bool tx);

/* ixgbe-stats.c */
void ixgbe_model_count_received(IxgbeModel *self, const uint8_t *frame, size_t bytes, bool good);
void ixgbe_model_count_sent(IxgbeModel *self, unsigned queue, const uint8_t *frame, size_t bytes);
void ixgbe_model_count_delivered(IxgbeModel *self, unsigned queue, size_t bytes);
void ixgbe_model_count_dropped(IxgbeModel *self, unsigned queue);
void ixgbe_model_stat_add(uint32_t *counter, uint32_t n);

/* ixgbe-filter.c, ixgbe-parse.c, ixgbe-director.c */
void ixgbe_model_parse(const IxgbeModel *self, const uint8_t *frame, size_t bytes,
                       IxgbeParsed *parsed);
bool ixgbe_model_accepts(const IxgbeModel *self, const uint8_t *frame, const IxgbeParsed *parsed);
/* Fills in type, hash and status of the result; the queue, or -1: drop. */
int ixgbe_model_select_queue(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                             const IxgbeParsed *parsed, IxgbeRxWriteback *result);
uint32_t ixgbe_model_toeplitz(IxgbeModel *self, const uint8_t *input, size_t bytes);
uint32_t ixgbe_model_director_hash(const IxgbeModel *self, const uint8_t *frame,
                                   const IxgbeParsed *parsed);
/* The matching FDIRCMD; false: none. */
bool ixgbe_model_director_find(IxgbeModel *self, const uint8_t *frame, size_t bytes,
                               const IxgbeParsed *parsed, uint32_t *hash, uint32_t *command);
void ixgbe_model_director_reset(IxgbeModel *self);

/* ixgbe-checksum.c */
uint32_t ixgbe_model_sum(const uint8_t *data, size_t bytes, uint32_t sum);
uint16_t ixgbe_model_fold(uint32_t sum);                        /* not inverted */
uint32_t ixgbe_model_crc32(const uint8_t *data, size_t bytes);  /* of Ethernet */
uint32_t ixgbe_model_crc32c(const uint8_t *data, size_t bytes); /* of SCTP */
void ixgbe_model_check_received(const IxgbeModel *self, const uint8_t *frame,
                                const IxgbeParsed *parsed, IxgbeRxWriteback *result);

/* ixgbe-rx.c */
void ixgbe_model_rx_init(IxgbeModel *self);
void ixgbe_model_rx_clear(IxgbeModel *self);
void ixgbe_model_rx_reset(IxgbeModel *self);
void ixgbe_model_rx_frame(IxgbeModel *self, const uint8_t *frame, size_t bytes, bool loopback);
void ixgbe_model_rx_run(IxgbeModel *self, SimTime from);
void ixgbe_model_rx_forget(IxgbeRxRing *ring);

/* ixgbe-rx-ring.c */
void ixgbe_model_rx_ready(IxgbeRxRing *ring, const IxgbeRxWriteback *done); /* in ring order */
void ixgbe_model_rx_settle(IxgbeRxRing *ring); /* writes back what must not wait */
void ixgbe_model_rx_stop(IxgbeRxRing *ring, const char *rule, const char *text);
typedef enum { IXGBE_WB_BATCH, IXGBE_WB_HOLD, IXGBE_WB_INTERRUPT, IXGBE_WB_FLUSH } IxgbeRxReason;
void ixgbe_model_rx_writeback(IxgbeModel *self, unsigned queue, IxgbeRxReason reason);
void ixgbe_model_rx_written(IxgbeWriteback *writeback);

/* ixgbe-tx.c */
void ixgbe_model_tx_init(IxgbeModel *self);
void ixgbe_model_tx_clear(IxgbeModel *self);
void ixgbe_model_tx_reset(IxgbeModel *self);
void ixgbe_model_tx_kick_all(IxgbeModel *self);
void ixgbe_model_tx_run(IxgbeModel *self);
void ixgbe_model_tx_forget(IxgbeTxRing *ring);

/* ixgbe-tx-ring.c */
typedef enum {
    IXGBE_TX_WB_RS,
    IXGBE_TX_WB_WTHRESH,
    IXGBE_TX_WB_EITR,
    IXGBE_TX_WB_FLUSH
} IxgbeTxReason;
void ixgbe_model_tx_ring_init(IxgbeTxRing *ring);
void ixgbe_model_tx_ring_off(IxgbeTxRing *ring);
void ixgbe_model_tx_fetch(IxgbeTxRing *ring, SimTime from);
void ixgbe_model_tx_done(IxgbeTxRing *ring, const IxgbeTxPacket *packet);
void ixgbe_model_tx_writeback(IxgbeModel *self, unsigned queue, IxgbeTxReason reason);
void ixgbe_model_tx_written(IxgbeWriteback *writeback);
static inline void ixgbe_model_tx_mark(uint64_t *map, unsigned queue, bool on)
{
    uint64_t bit = UINT64_C(1) << queue % 64;

    map[queue / 64] = on ? map[queue / 64] | bit : map[queue / 64] & ~bit;
}

/* The first marked queue from @from on, round and round; -1: none is. */
static inline int ixgbe_model_tx_next(const uint64_t *map, unsigned from)
{
    for (unsigned i = 0; i <= 2; i++) { /* the first word twice: from @from on, and below */
        unsigned word = (from / 64 + i) % 2;
        uint64_t marked = map[word];

        if (i == 0) {
            marked &= UINT64_MAX << from % 64;
        }
        if (marked != 0) {
            return (int)(word * 64) + __builtin_ctzll(marked);
        }
    }
    return -1;
}

/* ixgbe-offload.c: the packet's frames to the wire or to loopback; returns when the last has left.
 */
SimTime ixgbe_model_offload(IxgbeModel *self, IxgbeTxPacket *packet);
