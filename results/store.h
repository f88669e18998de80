/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result store: one SQLite file that holds runs, what they were made of and what came out.
 * One writer at a time (SQLite's own lock, waited for up to 30 s); any number of readers.  Rollback
 * journal, so the file can be copied and read from a read-only directory.  Tables, views and
 * definitions: docs/results.md. Not thread-safe: one thread makes every call on one store; several
 * stores may be open on one file. */
#pragma once
#include <gio/gio.h>
#include <glib.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define RESULTS_ERROR (results_error_quark())
GQuark results_error_quark(void);
typedef enum {
    RESULTS_ERROR_OPEN,    /* no such file, not a database, directory not writable */
    RESULTS_ERROR_VERSION, /* the database (or telemetry) is of a newer version than this program;
                              both are named */
    RESULTS_ERROR_WRITE,   /* disk full, read-only, busy for too long: nothing of the transaction is
                              kept */
    RESULTS_ERROR_TELEMETRY, /* a line of the telemetry file is not what docs/telemetry.md says; the
                                line is named */
    RESULTS_ERROR_RUN,       /* no such run */
    RESULTS_ERROR_SQL,       /* a statement is wrong (`quirkbench sql`) */
    RESULTS_ERROR_NAME,      /* no such named query or published row; the nearest word is named */
} ResultsError;

typedef struct ResultsStore ResultsStore;
typedef enum {
    RESULTS_OPEN_READ,  /* must exist; nothing is changed; runs that died are presented as `aborted`
                           by view `runs` */
    RESULTS_OPEN_WRITE, /* created and migrated as needed; runs that died are marked `aborted` */
} ResultsOpen;

/* @path: e.g. "./quirkbench.db"; beside it stands PATH.lock (empty; one locked byte for each run in
 * progress). Returns: (transfer full): the store, or NULL and @error, one line that names @path and
 * says what to do. */
ResultsStore *results_open(const char *path, ResultsOpen mode, GError **error);
void results_close(ResultsStore *self); /* NULL is fine; runs still held become `aborted` */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ResultsStore, results_close)
const char *results_path(const ResultsStore *self);
/* The connection, for statements that read.  (transfer none) */
sqlite3 *results_db(ResultsStore *self);
/* Newest schema version that this program knows. */
int results_schema_version(void);

/* One thing that shaped a run.  @hash is of its content; @name holds no directory.  A snapshot's
 * hash is that of its key (what it was made of), so that two snapshots made apart are one input. */
typedef struct ResultsInput {
    const char *kind; /* "kernel", "module", "guest-image", "snapshot", "qemu", "models", "profile",
                         "machine", "tool" … */
    const char *name; /* e.g. "nvme.ko", "samsung-sm951.ini" */
    const char *hash; /* lower-case hex */
    const char *path; /* (nullable): where it was found on this machine; never part of a dump */
} ResultsInput;

typedef struct ResultsDevice {
    const char *device;       /* name in the scenario, "nvme0" */
    const char *model;        /* "nvme" */
    const char *profile;      /* "samsung-sm951" */
    const char *slot;         /* (nullable) */
    const char *serial;       /* (nullable): how the guest's reports name it */
    const char *published_id; /* (nullable): `published = SCENARIO_ID/DEVICE` of the scenario's
                                 [device] group */
} ResultsDevice;

typedef struct ResultsRun {
    const char *scenario;      /* file name without directory and `.ini` */
    const char *title;         /* [scenario] title */
    const char *scenario_path; /* (nullable): as given; never part of a dump */
    const char
        *scenario_hash; /* of the scenario's text with this run's --set and matrix values applied */
    const char *point;  /* matrix point, "profile=intel-750 block=4KiB"; "" without a matrix */
    uint64_t seed;      /* <= INT64_MAX */
    const char *clock;  /* "deterministic", "wall" or "native" */
    uint64_t quantum;   /* instructions */
    double dilation;    /* 1.0 unless clock = wall */
    const char *driver; /* "linux-nvme" */
    const char *driver_version; /* (nullable): kernel release, e.g. "6.1.0-18-amd64" */
    const char *machine;        /* machine profile, "xeon-2620v4-x2" */
    uint64_t cpus;
    uint64_t mips;
    const char *version; /* of quirkbench */
    const ResultsDevice *devices;
    size_t devices_n;
    const ResultsInput *inputs;
    size_t inputs_n;
} ResultsRun;

/* Inserts a run of status `running` with its devices and inputs, and takes the run's lock: held
 * until results_run_finish(), results_close() or the death of this process, whichever is first.
 * After fork() without exec the child holds it too. Returns: the run's id, or 0 and @error. */
int64_t results_run_begin(ResultsStore *self, const ResultsRun *run, GError **error);

/* Reads a telemetry file (docs/telemetry.md) into the run, and derives interrupt, cpu and queue
 * tables from the guest's reports: one transaction, all or nothing.  A file without an `end` record
 * is taken in too (the run was cut short); a last line that is not whole is dropped then.
 * @ended: (out) (optional): whether there was an `end` record.  FALSE: @error names file and line.
 */
bool results_run_ingest(ResultsStore *self, int64_t run_id, const char *telemetry_path, bool *ended,
                        GError **error);

/* Verdict of the `end` record ("done", "panic" …), or NULL: none.  (transfer full) */
char *results_run_verdict(ResultsStore *self, int64_t run_id);
/* Whether every accounting identity of the run held; a breach fails the run.  @breach: (out)
 * (optional) (transfer full): the first that did not, as text. */
bool results_run_identities_held(ResultsStore *self, int64_t run_id, char **breach);
/* Body of the last report named @name, or NULL.  (transfer full) */
char *results_run_report(ResultsStore *self, int64_t run_id, const char *name);

/* One outcome of [expect]; kept in the order of the calls.  runner/expect.h makes these. */
bool results_run_expect(ResultsStore *self, int64_t run_id, const char *key, const char *wanted,
                        const char *got, bool held, GError **error);

typedef enum {
    RESULTS_PASSED,      /* it ran and all checks held */
    RESULTS_FAILED,      /* a check, an identity or the plan failed */
    RESULTS_RUN_ERROR,   /* it could not run */
    RESULTS_INTERRUPTED, /* Ctrl-C */
    RESULTS_SKIPPED,     /* with its reason; never a pass */
    RESULTS_ABORTED,     /* QEMU was killed; also derived, when the runner itself was */
} ResultsStatus;
const char *results_status_name(
    ResultsStatus status); /* "passed", "failed", "error", "interrupted", "skipped", "aborted" */
/* Ends the run and drops its lock.  @reason: (nullable): one line, without machine paths; part of
 * the dump.
 * @verdict: (nullable): NULL keeps the one of the telemetry's `end` record. */
bool results_run_finish(ResultsStore *self, int64_t run_id, ResultsStatus status,
                        const char *reason, const char *verdict, double wall_seconds,
                        GError **error);

/* RUN of a command line: a run_id, or "last".  0: @error. */
int64_t results_run_parse(ResultsStore *self, const char *text, GError **error);
/* Status as `runs` shows it, `aborted` derived; NULL and @error: no such run.  (transfer full) */
char *results_run_status(ResultsStore *self, int64_t run_id, GError **error);

/* Canonical text of a run: one row a line, `table|column=value|…`, inputs first, without run ids,
 * `wall_` columns and
 * `_path` columns.  Two runs of one scenario, seed and inputs give the same bytes. */
bool results_dump(ResultsStore *self, int64_t run_id, GString *text, GError **error);
/* Compares two dumps.  TRUE: equal.  FALSE: @difference (transfer full) names the input that
 * differs, else the first row that does; or is NULL and @error is set. */
bool results_dump_compare(ResultsStore *self, int64_t run_a, int64_t run_b, char **difference,
                          GError **error);

/* Named queries of results/queries, built in.  Each may use :run_id. */
char **results_query_names(void); /* sorted, NULL-ended; (transfer full) */
const char *results_query_sql(const char *name,
                              GError **error); /* (transfer none); NULL: @error names the nearest */
