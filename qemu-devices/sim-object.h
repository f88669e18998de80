/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulation that all Quirkbench devices of one QEMU share: event queue, slots, telemetry. */
#pragma once
#include "hw/qdev-core.h"
#include "qom/object.h"
#include "pcie/pcie-link.h"
#include "sim/sim-port.h"
#include "sim/sim-telemetry.h"

#define TYPE_QUIRKBENCH_SIM "quirkbench-sim"
OBJECT_DECLARE_SIMPLE_TYPE(QuirkbenchSim, QUIRKBENCH_SIM)

/* A device that keeps counters; it must detach before it goes away. */
typedef struct QuirkbenchSimClient {
    void *opaque;
    void (*record)(void *opaque, const char *at); /* "window-start", "window-end", "end" */
    void (*sample)(void *opaque);
    void (*check)(void *opaque); /* writes its identities */
} QuirkbenchSimClient;

void quirkbench_sim_attach(QuirkbenchSim *s, const QuirkbenchSimClient *client);
/* Records and checks @client a last time: its counters outlive a device that is unplugged. */
void quirkbench_sim_detach(QuirkbenchSim *s, const QuirkbenchSimClient *client);

/* The queue, the telemetry and the seed of a device's port; the caller fills in the rest. */
void quirkbench_sim_port(QuirkbenchSim *s, SimPort *port);
/* The link of slot @name, or NULL and @errp; no name: the first slot that is not in use. */
PcieLink *quirkbench_sim_link(QuirkbenchSim *s, const char *name, Error **errp);
/* What the machine profile says of the slot of @link. */
const PcieParams *quirkbench_sim_slot(QuirkbenchSim *s, const PcieLink *link);

/* Before a model is called for the guest: brings model time up to the vCPU's.  False: the run is
 * over, and the model must be left alone. */
bool quirkbench_sim_enter(QuirkbenchSim *s);
/* Whether time is the machine's: then things outside may have a say. */
bool quirkbench_sim_is_wall(const QuirkbenchSim *s);
/* After a write of the guest.  By the wall clock time has passed meanwhile, and what is due by now
 * need not wait until the timer's thread gets its turn; otherwise nothing happens. */
void quirkbench_sim_leave(QuirkbenchSim *s);

/* What the channel's registers say; all take effect at once. */
void quirkbench_sim_mark(QuirkbenchSim *s, uint32_t mark);
void quirkbench_sim_report(QuirkbenchSim *s, const char *text, size_t bytes);
/* Writes the last record and has QEMU exit.  Only the first call counts. */
void quirkbench_sim_finish(QuirkbenchSim *s, const char *verdict, uint32_t code);
