/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine profile: the box that a run models; serves real and native runs alike.
 * File: [machine] name, source, cpus, sockets, threads-per-core, mips, quantum, memory; [slots] what
 * the PCIe slots have in common (pcie_params); one `[slot NAME]` a slot with what differs, perhaps
 * nothing, in the order in which devices that name no slot take them; [costs] what software costs
 * in native mode (host-costs.h).
 * A clock that falls as more cores are busy is `turbo`: pairs CORES:MHZ, cores rising, MHz not rising,
 * each the clock of up to so many busy cores; mips is that of one busy core. */
#pragma once
#include <glib.h>
#include "host/host-costs.h"
#include "pcie/pcie-link.h"

typedef struct HostSlot { char *name; PcieParams params; } HostSlot;
typedef struct HostTurbo { uint64_t cores, mhz; } HostTurbo;
typedef struct HostMachine {
    char *name, *source;
    char *turbo_text;
    HostTurbo *turbo; /* turbo_n of them; none: one clock */
    size_t turbo_n;
    uint64_t cpus, sockets, threads_per_core;
    uint64_t mips;         /* guest instructions per microsecond of model time, of one cpu */
    uint64_t quantum;      /* instructions that one vCPU may run ahead of the one furthest behind */
    uint64_t memory_bytes; /* of the guest */
    HostCosts costs;
    HostSlot *slots;
    size_t slots_n;
} HostMachine;

HostMachine *host_machine_load(const char *path, GError **error);
/* The same from a file in memory, e.g. one whose values a scenario has replaced (sim_keyfile_set). */
HostMachine *host_machine_read(SimKeyfile *file, GError **error);
void host_machine_free(HostMachine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HostMachine, host_machine_free)
/* mips of a cpu while @busy_cores (>= 1) are busy: by the ratio of the clocks, rounded down; more cores than `turbo` tells of
 * have the last clock. */
uint64_t host_machine_mips(const HostMachine *self, uint64_t busy_cores);
const HostSlot *host_machine_slot(const HostMachine *self, const char *name); /* NULL: no such slot */
/* `KEY.source` beside the value that holds for a slot, in its own group or in [slots]; NULL: none, or a default.
 * (transfer none): owned by @file */
const char *host_machine_slot_source(SimKeyfile *file, const char *slot, const char *key);

/* Rows of [machine]; those of [slots] and [slot NAME] are pcie_params. */
extern const SimParam host_machine_params[];
extern const size_t host_machine_params_n;
