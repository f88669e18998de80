-- SPDX-License-Identifier: GPL-2.0-or-later
-- Derived from the guest's reports when a run is taken in (docs/channel.md).

CREATE TABLE interrupt ( -- /proc/interrupts, from report before.interrupts (else the first) to after.interrupts (else the last)
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    irq TEXT NOT NULL, -- number, or LOC, RES …
    cpu INTEGER NOT NULL, -- that took them
    name TEXT NOT NULL, -- last word of the line, nvme0q3
    device TEXT, -- name in the scenario, empty for what is not a device of ours
    vector INTEGER, -- of the device
    interrupts INTEGER NOT NULL, -- difference of the two reports; zeros are left out
    PRIMARY KEY (run_id, irq, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE irq_vector ( -- interrupt vectors that the driver has, from the last queue-map report
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    vector INTEGER NOT NULL, -- position in msi_irqs
    irq INTEGER NOT NULL, -- Linux number
    effective_cpus TEXT NOT NULL, -- list of cpus that take it
    affinity_cpus TEXT NOT NULL, -- list of cpus allowed
    PRIMARY KEY (run_id, device, vector)
) STRICT, WITHOUT ROWID;

CREATE TABLE hctx ( -- hardware contexts of blk-mq and their cpus, from the last queue-map report
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    device TEXT NOT NULL, -- name in the scenario
    hctx INTEGER NOT NULL, -- number, from 0; submission queue hctx + 1
    cpu INTEGER NOT NULL, -- that submits to it
    t_ps INTEGER NOT NULL, -- model time of the report
    PRIMARY KEY (run_id, device, hctx, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE cpu_stat ( -- /proc/stat, between the same two reports; coarse: 4 ms ticks
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    cpu INTEGER NOT NULL, -- number, from 0
    user_ticks INTEGER NOT NULL, -- user and nice
    system_ticks INTEGER NOT NULL, -- kernel
    irq_ticks INTEGER NOT NULL, -- hard interrupts
    softirq_ticks INTEGER NOT NULL, -- soft interrupts
    idle_ticks INTEGER NOT NULL, -- idle and iowait
    PRIMARY KEY (run_id, cpu)
) STRICT, WITHOUT ROWID;

CREATE TABLE load_result ( -- what the load generator itself counted, from the load reports
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    load INTEGER NOT NULL, -- order, from 0
    device TEXT NOT NULL, -- name in the scenario
    ios INTEGER NOT NULL, -- requests inside the window
    errors INTEGER NOT NULL, -- of them failed
    sum_ns INTEGER NOT NULL, -- of their times as the reader saw them
    max_ns INTEGER NOT NULL, -- largest
    guest_ns INTEGER NOT NULL, -- length of the window by the guest's clock, all devices
    PRIMARY KEY (run_id, load, device)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 3;
