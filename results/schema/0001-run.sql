-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs: what was run, of what it was made, how it ended.
-- Columns named wall_* or *_path belong to the machine and not to the run: dumps leave them out.

PRAGMA application_id = 1363301970; -- "QBRR"

CREATE TABLE run ( -- one run of one scenario at one matrix point
    run_id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice
    scenario TEXT NOT NULL, -- file name without directory and .ini
    title TEXT NOT NULL, -- the scenario's title
    point TEXT NOT NULL, -- matrix point, empty without a matrix
    status TEXT NOT NULL -- running, passed, failed, error, interrupted, skipped, aborted
        CHECK (status IN ('running', 'passed', 'failed', 'error', 'interrupted', 'skipped', 'aborted')),
    reason TEXT, -- why it did not pass
    verdict TEXT, -- how the guest's part ended: done, plan-failed, plan-unreadable, panic, idle, limit, interrupted
    verdict_code INTEGER, -- code of the end record
    seed INTEGER NOT NULL, -- of every pseudo-random choice
    clock TEXT NOT NULL -- deterministic, wall or native
        CHECK (clock IN ('deterministic', 'wall', 'native')),
    quantum INTEGER NOT NULL, -- instructions that a vCPU may run ahead of the one furthest behind
    dilation REAL NOT NULL, -- wall time per model time; 1 unless the clock is wall
    driver TEXT NOT NULL, -- folder under drivers-under-test
    driver_version TEXT, -- kernel release, or version of the package that the driver is of
    machine TEXT NOT NULL, -- machine profile
    cpus INTEGER NOT NULL, -- of the modelled machine
    mips INTEGER NOT NULL, -- instructions a microsecond of one cpu
    version TEXT NOT NULL, -- of quirkbench
    scenario_hash TEXT NOT NULL, -- of the scenario's text with settings applied
    end_ps INTEGER, -- model time of the end record
    window_start_ps INTEGER, -- model time of mark window-start; empty unless both marks were set
    window_end_ps INTEGER, -- model time of mark window-end; likewise
    telemetry_schema INTEGER, -- schema of the telemetry file, empty before it is taken in
    scenario_path TEXT, -- as given on the command line
    wall_started TEXT NOT NULL, -- UTC, ISO 8601
    wall_seconds REAL -- from start to finish, seconds
) STRICT;
CREATE INDEX run_by_scenario ON run (scenario, run_id);

CREATE TABLE run_input ( -- everything that shaped the run, by content
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    kind TEXT NOT NULL, -- kernel, module, guest-image, snapshot, qemu, models, profile, machine, tool
    name TEXT NOT NULL, -- without directory
    hash TEXT NOT NULL, -- of the content; of a snapshot: of what it was made of
    input_path TEXT, -- where it was found
    PRIMARY KEY (run_id, kind, name, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE device ( -- devices of the run
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    model TEXT NOT NULL, -- nvme
    profile TEXT NOT NULL, -- device profile
    slot TEXT, -- slot of the machine profile
    serial TEXT, -- how the guest's reports name it
    published_id TEXT, -- SCENARIO_ID/DEVICE of published/nvme_iostat.csv that the load repeats
    PRIMARY KEY (run_id, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_by_published ON device (published_id, run_id);

CREATE TABLE expect_result ( -- outcome of each entry of [expect]
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order in the scenario, from 0
    key TEXT NOT NULL, -- as in the scenario
    wanted TEXT NOT NULL, -- as in the scenario
    got TEXT NOT NULL, -- the value measured, in the column's unit
    held INTEGER NOT NULL CHECK (held IN (0, 1)), -- 1: it held
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 1;
