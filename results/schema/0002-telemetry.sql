-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the models and the channel recorded: a table a record type of docs/telemetry.md.
-- `at` is window-start, window-end or end; values count from model time 0 to that moment.

CREATE TABLE param ( -- profile values in force
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    key TEXT NOT NULL, -- profile key
    value TEXT NOT NULL, -- as in the profile, with unit
    source TEXT NOT NULL, -- published, data sheet or estimate
    PRIMARY KEY (run_id, device, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark ( -- marks set by the plan
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order, from 0
    t_ps INTEGER NOT NULL, -- model time
    what TEXT NOT NULL, -- window-start, window-end, step-N
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter ( -- counters of the models; zero values are left out
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    scope TEXT NOT NULL, -- device, sq, cq, vector, link
    idx INTEGER NOT NULL, -- queue or vector number, 0 for the device
    name TEXT NOT NULL, -- counter; its unit is in its name or docs/telemetry.md
    at TEXT NOT NULL, -- window-start, window-end or end
    value INTEGER NOT NULL, -- since model time 0
    PRIMARY KEY (run_id, device, scope, idx, name, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE tlp ( -- PCIe transaction layer packets by purpose
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    purpose TEXT NOT NULL, -- register, doorbell, sqe, prp-list, data, admin-data, cqe, msix
    direction TEXT NOT NULL, -- upstream (from the device) or downstream
    tlp_type TEXT NOT NULL, -- MRd, MWr, CplD, Cpl
    at TEXT NOT NULL, -- window-start, window-end or end
    tlps INTEGER NOT NULL, -- packets
    payload_bytes INTEGER NOT NULL, -- data in them
    wire_bytes INTEGER NOT NULL, -- with headers, CRC and framing; without DLLPs
    PRIMARY KEY (run_id, device, purpose, direction, tlp_type, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE latency ( -- histogram of tail doorbell to CQE posted; empty buckets are left out
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    opcode TEXT NOT NULL, -- read, write, other
    low_ps INTEGER NOT NULL, -- lower bound of the bucket
    high_ps INTEGER NOT NULL, -- upper bound of the bucket
    at TEXT NOT NULL, -- window-start, window-end or end
    count INTEGER NOT NULL, -- commands
    PRIMARY KEY (run_id, device, opcode, low_ps, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE latency_sum ( -- exact sums beside the histogram
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    opcode TEXT NOT NULL, -- read, write, other
    at TEXT NOT NULL, -- window-start, window-end or end
    count INTEGER NOT NULL, -- commands
    sum_ps INTEGER NOT NULL, -- of their latencies
    max_ps INTEGER NOT NULL, -- largest since model time 0
    PRIMARY KEY (run_id, device, opcode, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE vcpu ( -- exact work of each vCPU
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    cpu INTEGER NOT NULL, -- number, from 0
    at TEXT NOT NULL, -- window-start, window-end or end
    instructions INTEGER NOT NULL, -- executed
    busy_ns INTEGER NOT NULL, -- not halted
    PRIMARY KEY (run_id, cpu, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample ( -- progress at each sampling interval inside the window
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    t_ps INTEGER NOT NULL, -- model time
    completed INTEGER NOT NULL, -- I/O commands since model time 0
    interrupts INTEGER NOT NULL, -- since model time 0
    bytes INTEGER NOT NULL, -- read and written since model time 0
    PRIMARY KEY (run_id, device, t_ps)
) STRICT, WITHOUT ROWID;

CREATE TABLE violation ( -- what the driver did against the specification
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    rule TEXT NOT NULL, -- section of the specification
    text TEXT NOT NULL, -- what was done
    first_ps INTEGER NOT NULL, -- model time of the first
    count INTEGER NOT NULL, -- in the whole run
    PRIMARY KEY (run_id, device, rule, text)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue_event ( -- queues as the driver created and deleted them
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order, from 0
    t_ps INTEGER NOT NULL, -- model time
    device TEXT NOT NULL, -- name in the scenario
    what TEXT NOT NULL, -- sq-created, cq-created, sq-deleted, cq-deleted
    qid INTEGER NOT NULL, -- queue identifier
    cqid INTEGER, -- completion queue of a submission queue
    vector INTEGER, -- interrupt vector of a completion queue
    size_entries INTEGER, -- slots in the queue
    ien INTEGER, -- 1: interrupts enabled
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE admin_command ( -- admin commands completed
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order, from 0
    t_ps INTEGER NOT NULL, -- model time
    device TEXT NOT NULL, -- name in the scenario
    opcode ANY NOT NULL, -- of the command
    status INTEGER NOT NULL, -- SCT and SC of the CQE
    nsid INTEGER, -- namespace
    cdw10 INTEGER, -- command dword 10
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE fault ( -- faults of the scenario that were acted out
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order, from 0
    t_ps INTEGER NOT NULL, -- model time
    device TEXT NOT NULL, -- name in the scenario
    stage TEXT NOT NULL, -- of the pipeline
    action TEXT NOT NULL, -- drop, hold, delay, status, corrupt
    opcode ANY, -- of the command
    qid INTEGER, -- its submission queue
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE report ( -- what the guest reported, as it came
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    seq INTEGER NOT NULL, -- order, from 0
    t_ps INTEGER NOT NULL, -- model time
    name TEXT NOT NULL, -- NAME.interrupts, NAME.stat, queue-map, load, dmesg, run-N …
    body TEXT NOT NULL, -- text
    PRIMARY KEY (run_id, seq)
) STRICT;

CREATE TABLE identity ( -- accounting identities, checked at the end
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- device or link
    name TEXT NOT NULL, -- of the identity
    left_value ANY NOT NULL, -- one side
    right_value ANY NOT NULL, -- the other
    held INTEGER NOT NULL CHECK (held IN (0, 1)), -- 1: they are equal
    PRIMARY KEY (run_id, device, name)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 2;
