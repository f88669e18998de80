/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulated driver states and what it may call.
 *
 * A driver is a NativeDriver: how many queues it asks for, which map it makes of what it gets,
 * where its vectors go, its doorbell habits, and the sequence of registers and admin commands by
 * which it brings a controller up.  Everything goes through the controller's registers and queues.
 * Not thread-safe. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "host/host-cpu.h"
#include "host/host-device.h"
#include "nvme/nvme-spec.h"

#define NATIVE_ERROR (native_error_quark())
GQuark native_error_quark(void);
typedef enum {
    NATIVE_ERROR_PARAMETER, /* unknown, or a value that the driver does not take */
    NATIVE_ERROR_ATTACH,    /* the driver gives the controller up */
} NativeError;

enum { NATIVE_CPUS = 1024, NATIVE_QUEUES = 1024 };

/* What of a machine a driver's map looks at. */
typedef struct NativeHost {
    unsigned cpus, sockets;
} NativeHost;

/* A queue map: which SQ a cpu submits to, where an SQ completes, which vector a CQ raises, and
 * which cpu takes a vector.  Queues count from 1. */
typedef struct NativeMap {
    char name[48]; /* as the driver prints it */
    unsigned sqs, cqs, vectors;
    uint16_t read_sq[NATIVE_CPUS], write_sq[NATIVE_CPUS];
    uint16_t cq_of[NATIVE_QUEUES + 1], vector_of[NATIVE_QUEUES + 1];
    bool polled[NATIVE_QUEUES + 1]; /* by CQ: created without interrupts */
    uint16_t vector_cpu[NATIVE_QUEUES + 1];
    uint16_t vector_cpus_first[NATIVE_QUEUES + 1], vector_cpus_n[NATIVE_QUEUES + 1]; /* affinity */
} NativeMap;

/* What the controllers of a run have in common, in their order. */
typedef struct NativeShared {
    unsigned last;                   /* DragonFly: where the next controller's vectors begin */
    uint16_t allocated[NATIVE_CPUS]; /* Linux: managed vectors on each cpu */
    HostLock buffer_locks[2];
} NativeShared;

/* Parameters that drivers know; a driver names those that it takes. */
typedef struct NativeParameters {
    unsigned write_queues, poll_queues;
    unsigned queues, vectors; /* 0: as many as there are */
    unsigned io_queue_depth;
    unsigned coalesce_entries, coalesce_time; /* 0's based threshold; time in units of 100 us */
    unsigned map;                             /* index into native_map_words */
    unsigned numa;                            /* 1: the sockets of the machine are nodes */
    unsigned physio;                          /* 1: before the change of July 2016 */
} NativeParameters;
enum {
    NATIVE_MAP_ONE,
    NATIVE_MAP_PER_CPU,
    NATIVE_MAP_BLOCKS,
    NATIVE_MAP_STRIDE,
    NATIVE_MAP_APART,
    NATIVE_MAP_POLLED
};
extern const char *const native_map_words[];

typedef struct NativeController NativeController;

typedef struct NativeDriver {
    const char *name;              /* folder under drivers-under-test */
    const char *const *parameters; /* NULL-ended names that it takes */
    bool wide_registers;           /* 64-bit registers in one access */
    bool doorbell_each_cqe;        /* else one for each run of CQEs */
    bool generation_in_cid;        /* CIDs change with each use */
    SimTime poll_ps;               /* it looks at all CQs this often; 0: never */
    bool (*attach)(NativeController *self, GError **error);
} NativeDriver;

/* --- native-drivers.c --- */
const NativeDriver *native_driver_find(const char *name); /* NULL: none of that name */
/* Defaults, then "MODULE.NAME=VALUE" of @words (NULL-ended, nullable). */
bool native_parameters_read(NativeParameters *self, const NativeDriver *driver,
                            const char *const *words, GError **error);

/* --- native-controller.c: for attach functions --- */
struct NativeController {
    const NativeDriver *driver;
    const NativeParameters *parameters;
    NativeShared *shared;
    NativeHost host;
    unsigned index; /* among the run's controllers */
    HostDevice *device;
    HostCpus *cpus;
    SimQueue *queue;
    SimTime give_up; /* model time at which the run ends, whatever the driver does */
    /* set by native_capabilities() */
    unsigned queue_entries; /* CAP.MQES + 1 */
    SimTime ready_timeout;
    /* set by native_identify() */
    NvmeIdController id;
    NvmeIdNamespace ns;
    unsigned lba_shift;
    NativeMap map;
    bool polls; /* some CQs have no interrupts */
    struct NativeSq *sqs; /* by qid; 0 is the admin queue */
    struct NativeCq *cqs;
    struct NativeVector *vectors;
    SimEvent poll;
};

uint32_t native_read(NativeController *self, unsigned offset);
void native_write(NativeController *self, unsigned offset, uint32_t value);
uint64_t native_read64(NativeController *self, unsigned offset); /* as wide_registers says */
void native_write64(NativeController *self, unsigned offset, uint64_t value);
/* Reads CAP and fills in what it says. */
void native_capabilities(NativeController *self);
/* Polls CSTS.RDY each @step until it is @ready. */
bool native_wait_ready(NativeController *self, bool ready, SimTime step, GError **error);
/* Rings for the admin queue, AQA, ASQ, ACQ. */
void native_admin_queues(NativeController *self, unsigned entries);
/* Submits, waits for the CQE as the driver's interrupt handler would; @what names it in errors.
 * FALSE: no answer, or a status that is not success (then @cqe is filled in). */
bool native_admin(NativeController *self, NvmeSqe *sqe, NvmeCqe *cqe, const char *what,
                  GError **error);
/* An admin command whose status the driver ignores. */
bool native_admin_any(NativeController *self, NvmeSqe *sqe, NvmeCqe *cqe, GError **error);
/* Identify into a page; @to (nullable) gets 4096 bytes of it.  Status ignored if @any. */
bool native_identify(NativeController *self, unsigned cns, unsigned nsid, void *to, bool any,
                     GError **error);
/* Set Features 07h: what was granted, at most what was asked.  FALSE: the command failed. */
bool native_ask_queues(NativeController *self, unsigned *sqs, unsigned *cqs, GError **error);
/* Set Features 08h, as parameters say, or off. */
bool native_set_coalescing(NativeController *self, GError **error);
/* Creates CQ / SQ @qid of the map. */
bool native_create_cq(NativeController *self, unsigned qid, unsigned entries, GError **error);
bool native_create_sq(NativeController *self, unsigned qid, unsigned entries, GError **error);
