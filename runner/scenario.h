/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scenario file, checked as a whole before anything starts, and its expansion into points.
 * Everything a file can get wrong is a SIM_KEYFILE_ERROR with file, line and the nearest valid
 * word. Keys: scenario_keys, one table for parser, help, docs and tests. */
#pragma once
#include <glib.h>

#include "device-type.h"
#include "host/host-machine.h"
#include "sim/sim-keyfile.h"

/* One key of a scenario file. */
typedef struct ScenarioKey {
    /* "scenario", "machine", "device", "wire", "driver", "load", "traffic", "step" */
    const char *group;
    const char *key;
    const char *fallback; /* shown in help; NULL: required or none */
    const char *meaning;
} ScenarioKey;
extern const ScenarioKey scenario_keys[];
extern const size_t scenario_keys_n;

#define SCENARIO_ROOT_PORTS 8
/* Group that --set of an axis goes to; no group of a file can have that name. */
#define SCENARIO_NARROWED "]"

typedef struct ScenarioDevice {
    char *name; /* as in the file: "nvme0" */
    char *profile_path;
    const DeviceType *type;
    void *profile;      /* of the type */
    GPtrArray *changes; /* "KEY=VALUE" for each `profile.KEY = VALUE`, in file order */
    char *slot;
    char *serial; /* what the guest finds it by; a port's is its MAC */
    char *fill;
    char *sfp;                 /* of a port; NULL: as the profile */
    char *card;                /* the device that is this port's card's first; NULL: it is that */
    char *wire;                /* the wire that the port is plugged into; NULL: none */
    unsigned root_port;        /* of the machine */
    GPtrArray *faults;         /* texts for sim-fault.h */
    guint64 store_limit_bytes; /* 0 = the model's own */
    char *published;           /* SCENARIO_ID/DEVICE or NULL */
    unsigned line;
} ScenarioDevice;

typedef struct ScenarioLoad {
    char *name;     /* "" for the plain [load] */
    char **devices; /* names, NULL-ended, at least one */
    char *pattern, *pin;
    guint64 readers, depth, block_bytes, ios, time_ms, warmup, span_bytes, offset_bytes;
    gboolean window; /* its marks are the measured window: one load of a run */
    unsigned line;
} ScenarioLoad;

/* Ports or addresses that follow one another. */
typedef struct ScenarioRange {
    guint32 first, n; /* n: at least 1 */
} ScenarioRange;

/* A cable, and who else than a port has one of its ends. */
typedef struct ScenarioWire {
    char *name;
    char **ends;  /* two: names of ports, or one and "tester" or "netdev" */
    char *netdev; /* as QEMU's -netdev takes it, without id; NULL: none */
    gboolean tester, sends;
    guint64 rate; /* frames a second; 0: line rate */
    guint64 frames, frame_bytes; /* bytes: on the wire, with CRC and tag */
    ScenarioRange source_ports, destination_ports, source_addresses, destination_addresses;
    gboolean random; /* order of the flows; else they take turns */
    guint64 start_ps;  /* 0: with the window */
    gint vlan;         /* -1: none */
    char *destination; /* MAC */
    gboolean capture;
    unsigned line;
} ScenarioWire;

/* Streams between two addresses of the guest. */
typedef struct ScenarioTraffic {
    char *name;
    char *from, *to; /* ADDRESS or ADDRESS@NAMESPACE */
    char *protocol;  /* "tcp", "udp" */
    guint64 streams; /* each way */
    guint64 bytes;   /* of a round, all streams */
    guint64 rounds, datagram_bytes;
    gboolean both, segment;
    unsigned line;
} ScenarioTraffic;

typedef enum {
    STEP_GUEST,
    STEP_LOAD,
    STEP_VERIFY,
    STEP_PLAN,
    STEP_WINDOW,
    STEP_TRAFFIC,
} ScenarioActionKind;
extern const char *const scenario_step_keys[]; /* by kind, NULL-ended */
typedef struct ScenarioAction {
    ScenarioActionKind kind;
    char *text; /* command, name of load or traffic, verify's words, plan line; of a
                 * window milliseconds, "start" or "end" */
    unsigned line;
} ScenarioAction;

typedef struct ScenarioStep {
    unsigned number;
    char *title;
    GPtrArray *actions; /* in file order */
} ScenarioStep;

/* One point of a scenario: what one run does. */
typedef struct Scenario {
    SimKeyfile *file; /* values of this point; [expect] holds all that applies to it */
    char *name;       /* file name without folder and ".ini" */
    char *path;
    char *point; /* "device nvme0.profile=intel-750 load.block=4KiB"; "" without a matrix */
    char *title, *why, *spec, *driver, *clock;
    gboolean simulated; /* the driver is: native mode, clock "native" */
    guint64 seed, limit_ps, wall_limit_ms, sample_ps;
    char **tools;      /* NULL-ended */
    char **modules;    /* beside the driver's, NULL-ended */
    char **parameters; /* NULL-ended: "nvme.poll_queues=2" */
    char *machine_path;
    HostMachine *machine;
    guint64 cpus, memory_bytes, mips, quantum;
    GPtrArray *devices, *wires, *loads, *traffics, *steps;
} Scenario;

/**
 * scenario_load:
 * @path: the file
 * @sets: (nullable): NULL-ended "GROUP.KEY=VALUE" (or "seed=N"), as of --set: stand in for the
 * file's values Returns: (transfer full): GPtrArray of Scenario *, one for each point in file
 * order, or NULL and @error */
GPtrArray *scenario_load(const char *path, const char *const *sets, GError **error);
/* The same from text; @name stands in messages for the path. */
GPtrArray *scenario_parse(const char *name, const char *text, const char *const *sets,
                          GError **error);
void scenario_free(Scenario *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scenario, scenario_free)

ScenarioDevice *scenario_device(const Scenario *self, const char *name); /* NULL: none */
ScenarioWire *scenario_wire(const Scenario *self, const char *name);     /* NULL: none */
ScenarioLoad *scenario_find_load(const Scenario *self, const char *name);
ScenarioTraffic *scenario_find_traffic(const Scenario *self, const char *name); /* NULL: none */
/* Names of the devices, NULL-ended.  (transfer container): free with g_free */
const char **scenario_device_names(const Scenario *self);
