/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of the simulation object: for sim-object.c (time and life) and sim-records.c (telemetry)
 * alone. */
#pragma once
#include "qemu/notify.h"
#include "qemu/timer.h"
#include "sim-object.h"
#include "host/host-machine.h"

struct QuirkbenchSim {
    DeviceState parent_obj;

    char *telemetry_path, *machine_path, *clock, *sample_text, *limit_text;
    uint64_t seed;
    uint64_t mips; /* in place of the machine profile's; 0: that */

    HostMachine *machine;
    PcieLink **links; /* of machine->slots; NULL: no device there yet */
    SimQueue *queue;
    SimTelemetry *telemetry;
    GPtrArray *clients; /* QuirkbenchSimClient, not owned */

    QEMUTimer *timer;
    int64_t epoch_ns; /* virtual clock at model time 0 */
    bool wall;        /* the clock is the machine's */
    bool started, finished, window_started, window_ended, limit_reached;
    SimTime sample_ps, limit_ps; /* 0: none */
    SimEvent sample_event, limit_event;
    Notifier shutdown_notifier;
};

void quirkbench_sim_write_begin(QuirkbenchSim *s, const char *clock);
/* The last records of the run, and the file to disk. */
void quirkbench_sim_write_end(QuirkbenchSim *s, const char *verdict, uint32_t code);
void quirkbench_sim_sample(void *opaque); /* a SimEventFunc */
