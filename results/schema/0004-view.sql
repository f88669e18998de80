-- SPDX-License-Identifier: GPL-2.0-or-later
-- The views that people query.  Figures are in model time; definitions: docs/results.md.
-- "Inside the window" is window-end minus window-start, or the whole run where the plan set no window.

CREATE VIEW runs( -- runs and how they ended
    run_id, -- RUN of show and dump
    scenario, -- file name without directory and .ini
    status, -- running, passed, failed, error, interrupted, skipped, aborted
    seed, -- of every pseudo-random choice
    clock, -- deterministic, wall or native
    dilation, -- wall time per model time
    point, -- matrix point
    title, -- the scenario's title
    reason, -- why it did not pass
    verdict, -- how the guest's part ended
    driver, -- folder under drivers-under-test
    driver_version, -- kernel release, or version of the package that the driver is of
    machine, -- machine profile
    cpus, -- of the modelled machine
    mips, -- instructions a microsecond of one cpu
    quantum, -- instructions
    version, -- of quirkbench
    model_s, -- length of the run in model time, seconds
    repeatable, -- 1: the same inputs give the same rows
    wall_started, -- UTC
    wall_seconds -- from start to finish
) AS
SELECT run_id, scenario, status, seed, clock, dilation, point, title, reason, verdict, driver,
       driver_version, machine, cpus, mips, quantum, version, end_ps / 1e12, clock <> 'wall',
       wall_started, wall_seconds
FROM run;

CREATE VIEW measured_window( -- the measured window of each run
    run_id, -- the run
    start_ps, -- window-start, or 0
    end_ps, -- window-end, or the end of the run
    length_ps, -- their difference
    marked -- 1: the plan set both marks
) AS
SELECT run_id, IFNULL(window_start_ps, 0), IFNULL(window_end_ps, end_ps),
       IFNULL(window_end_ps - window_start_ps, end_ps), window_end_ps IS NOT NULL
FROM run;

-- The five views below hold no aggregates, so that SQLite folds them into what asks them and finds
-- the rows by key.  The sum of a key's values is the value inside the window.

CREATE VIEW counter_at( -- counters, weighted: their sum over `at` is the value inside the window
    run_id, -- the run
    device, -- name in the scenario
    scope, -- device, sq, cq, vector, link
    idx, -- queue or vector number
    name, -- counter
    at, -- window-start, window-end or end
    value -- value, its negative or 0
) AS
SELECT c.run_id, c.device, c.scope, c.idx, c.name, c.at,
       c.value * CASE WHEN r.window_end_ps IS NULL THEN c.at = 'end'
                      ELSE (c.at = 'window-end') - (c.at = 'window-start') END
FROM counter c JOIN run r ON r.run_id = c.run_id;

CREATE VIEW tlp_at( -- packets, weighted likewise
    run_id, -- the run
    device, -- name in the scenario
    purpose, -- why they were sent
    direction, -- upstream or downstream
    tlp_type, -- MRd, MWr, CplD, Cpl
    at, -- window-start, window-end or end
    weight, -- 1, -1 or 0
    tlps, -- weighted
    payload_bytes, -- weighted
    wire_bytes -- weighted
) AS
SELECT run_id, device, purpose, direction, tlp_type, at, weight, tlps * weight,
       payload_bytes * weight, wire_bytes * weight
FROM (SELECT t.*, CASE WHEN r.window_end_ps IS NULL THEN t.at = 'end'
                       ELSE (t.at = 'window-end') - (t.at = 'window-start') END AS weight
      FROM tlp t JOIN run r ON r.run_id = t.run_id);

CREATE VIEW latency_at( -- histogram, weighted likewise
    run_id, -- the run
    device, -- name in the scenario
    opcode, -- read, write, other
    low_ps, -- lower bound of the bucket
    high_ps, -- upper bound of the bucket
    at, -- window-start, window-end or end
    count -- weighted
) AS
SELECT l.run_id, l.device, l.opcode, l.low_ps, l.high_ps, l.at,
       l.count * CASE WHEN r.window_end_ps IS NULL THEN l.at = 'end'
                      ELSE (l.at = 'window-end') - (l.at = 'window-start') END
FROM latency l JOIN run r ON r.run_id = l.run_id;

CREATE VIEW latency_sum_at( -- exact sums, weighted likewise
    run_id, -- the run
    device, -- name in the scenario
    opcode, -- read, write, other
    at, -- window-start, window-end or end
    weight, -- 1, -1 or 0
    count, -- weighted
    sum_ps -- weighted
) AS
SELECT run_id, device, opcode, at, weight, count * weight, sum_ps * weight
FROM (SELECT l.*, CASE WHEN r.window_end_ps IS NULL THEN l.at = 'end'
                       ELSE (l.at = 'window-end') - (l.at = 'window-start') END AS weight
      FROM latency_sum l JOIN run r ON r.run_id = l.run_id);

CREATE VIEW vcpu_at( -- work of the vCPUs, weighted likewise
    run_id, -- the run
    cpu, -- number, from 0
    at, -- window-start, window-end or end
    weight, -- 1, -1 or 0
    instructions, -- weighted
    busy_ns -- weighted
) AS
SELECT run_id, cpu, at, weight, instructions * weight, busy_ns * weight
FROM (SELECT v.*, CASE WHEN r.window_end_ps IS NULL THEN v.at = 'end'
                       ELSE (v.at = 'window-end') - (v.at = 'window-start') END AS weight
      FROM vcpu v JOIN run r ON r.run_id = v.run_id);

CREATE VIEW counter_window( -- counters inside the window
    run_id, -- the run
    device, -- name in the scenario
    scope, -- device, sq, cq, vector, link
    idx, -- queue or vector number
    name, -- counter
    value -- inside the window
) AS
SELECT run_id, device, scope, idx, name, SUM(value)
FROM counter_at GROUP BY run_id, device, scope, idx, name;

CREATE VIEW latency_window( -- latency histogram inside the window
    run_id, -- the run
    device, -- name in the scenario
    opcode, -- read, write, other
    low_ps, -- lower bound of the bucket
    high_ps, -- upper bound of the bucket
    count -- commands
) AS
SELECT run_id, device, opcode, low_ps, high_ps, SUM(count)
FROM latency_at GROUP BY run_id, device, opcode, low_ps, high_ps HAVING SUM(count) > 0;

CREATE VIEW latency_percentile( -- upper bound of the bucket that holds the percentile; reads and writes together
    run_id, -- the run
    device, -- name in the scenario
    percent, -- 50, 90, 95, 99, 99.9, 100
    latency_ns -- rounded up to whole ns
) AS
SELECT run_id, device, permille / 10.0, latency_ns
FROM (
    SELECT d.run_id, d.device, p.permille,
           (SELECT (MIN(b.high_ps) + 999) / 1000 FROM (
                SELECT l.high_ps, SUM(SUM(l.count)) OVER (ORDER BY l.high_ps) AS upto,
                       SUM(SUM(l.count)) OVER () AS total
                FROM latency_at l
                WHERE l.run_id = d.run_id AND l.device = d.device AND l.opcode IN ('read', 'write')
                GROUP BY l.high_ps) b
            WHERE b.upto * 1000 >= b.total * p.permille AND b.total > 0) AS latency_ns
    FROM device d
    JOIN (SELECT 500 AS permille UNION ALL SELECT 900 UNION ALL SELECT 950 UNION ALL SELECT 990
          UNION ALL SELECT 999 UNION ALL SELECT 1000) p
)
WHERE latency_ns IS NOT NULL;

CREATE VIEW device_summary( -- a row a device
    run_id, -- the run
    scenario, -- file name without directory and .ini
    device, -- name in the scenario
    profile, -- device profile
    driver, -- folder under drivers-under-test
    iops, -- I/O commands completed inside the window per second of model time
    mib_per_s, -- bytes read and written inside the window, MiB per second of model time
    latency_p50_ns, -- half of the reads and writes took at most this
    latency_p99_ns, -- 99 percent of them did
    commands, -- I/O commands completed inside the window
    interrupts, -- messages sent inside the window, all vectors
    violations, -- of the whole run
    latency_mean_ns, -- exact mean of reads and writes inside the window
    latency_p90_ns, -- 90 percent of them took at most this
    latency_max_ns, -- bucket of the slowest inside the window
    read_bytes, -- inside the window
    write_bytes, -- inside the window
    window_ns, -- length of the window
    point, -- matrix point
    published_id -- SCENARIO_ID/DEVICE of published/nvme_iostat.csv
) AS
SELECT run_id, scenario, device, profile, driver,
       CASE WHEN length_ps > 0 THEN commands * 1e12 / length_ps END,
       CASE WHEN length_ps > 0 THEN (read_bytes + write_bytes) * 1e12 / 1048576 / length_ps END,
       p50, p99, commands, interrupts, violations, mean_ns, p90, p100, read_bytes, write_bytes,
       length_ps / 1000, point, published_id
FROM (
    SELECT d.run_id, r.scenario, d.device, d.profile, r.driver, r.point, d.published_id,
           IFNULL(r.window_end_ps - r.window_start_ps, r.end_ps) AS length_ps,
           (SELECT IFNULL(SUM(c.value), 0) FROM counter_at c
            WHERE c.run_id = d.run_id AND c.device = d.device AND c.scope = 'device'
              AND c.idx = 0 AND c.name = 'io_completed') AS commands,
           (SELECT IFNULL(SUM(c.value), 0) FROM counter_at c
            WHERE c.run_id = d.run_id AND c.device = d.device AND c.scope = 'device'
              AND c.idx = 0 AND c.name = 'interrupts') AS interrupts,
           (SELECT IFNULL(SUM(c.value), 0) FROM counter_at c
            WHERE c.run_id = d.run_id AND c.device = d.device AND c.scope = 'device'
              AND c.idx = 0 AND c.name = 'read_bytes') AS read_bytes,
           (SELECT IFNULL(SUM(c.value), 0) FROM counter_at c
            WHERE c.run_id = d.run_id AND c.device = d.device AND c.scope = 'device'
              AND c.idx = 0 AND c.name = 'write_bytes') AS write_bytes,
           (SELECT IFNULL(SUM(v.count), 0) FROM violation v
            WHERE v.run_id = d.run_id AND v.device = d.device) AS violations,
           (SELECT SUM(l.sum_ps) / 1000.0 / NULLIF(SUM(l.count), 0) FROM latency_sum_at l
            WHERE l.run_id = d.run_id AND l.device = d.device
              AND l.opcode IN ('read', 'write')) AS mean_ns,
           (SELECT (MIN(b.high_ps) + 999) / 1000 FROM (
                SELECT l.high_ps, SUM(SUM(l.count)) OVER (ORDER BY l.high_ps) AS upto,
                       SUM(SUM(l.count)) OVER () AS total
                FROM latency_at l
                WHERE l.run_id = d.run_id AND l.device = d.device AND l.opcode IN ('read', 'write')
                GROUP BY l.high_ps) b
            WHERE b.upto * 100 >= b.total * 50 AND b.total > 0) AS p50,
           (SELECT (MIN(b.high_ps) + 999) / 1000 FROM (
                SELECT l.high_ps, SUM(SUM(l.count)) OVER (ORDER BY l.high_ps) AS upto,
                       SUM(SUM(l.count)) OVER () AS total
                FROM latency_at l
                WHERE l.run_id = d.run_id AND l.device = d.device AND l.opcode IN ('read', 'write')
                GROUP BY l.high_ps) b
            WHERE b.upto * 100 >= b.total * 90 AND b.total > 0) AS p90,
           (SELECT (MIN(b.high_ps) + 999) / 1000 FROM (
                SELECT l.high_ps, SUM(SUM(l.count)) OVER (ORDER BY l.high_ps) AS upto,
                       SUM(SUM(l.count)) OVER () AS total
                FROM latency_at l
                WHERE l.run_id = d.run_id AND l.device = d.device AND l.opcode IN ('read', 'write')
                GROUP BY l.high_ps) b
            WHERE b.upto * 100 >= b.total * 99 AND b.total > 0) AS p99,
           (SELECT (MIN(b.high_ps) + 999) / 1000 FROM (
                SELECT l.high_ps, SUM(SUM(l.count)) OVER (ORDER BY l.high_ps) AS upto,
                       SUM(SUM(l.count)) OVER () AS total
                FROM latency_at l
                WHERE l.run_id = d.run_id AND l.device = d.device AND l.opcode IN ('read', 'write')
                GROUP BY l.high_ps) b
            WHERE b.upto * 100 >= b.total * 100 AND b.total > 0) AS p100
    FROM device d JOIN run r ON r.run_id = d.run_id
);

CREATE VIEW interrupt_spread( -- who took a device's interrupts, by the guest's own count
    run_id, -- the run
    device, -- name in the scenario
    vector, -- of the device
    cpu, -- that took them
    interrupts -- between the two reports
) AS
SELECT run_id, device, vector, cpu, interrupts FROM interrupt WHERE device IS NOT NULL;

CREATE VIEW pcie_by_purpose( -- PCIe packets inside the window
    run_id, -- the run
    device, -- name in the scenario
    purpose, -- why they were sent
    direction, -- upstream or downstream
    tlp_type, -- MRd, MWr, CplD, Cpl
    tlps, -- packets
    payload_bytes, -- data in them
    wire_bytes -- with headers, CRC and framing; without DLLPs
) AS
SELECT run_id, device, purpose, direction, tlp_type, SUM(tlps), SUM(payload_bytes), SUM(wire_bytes)
FROM tlp_at GROUP BY run_id, device, purpose, direction, tlp_type HAVING SUM(tlps) <> 0;

CREATE VIEW queue_map( -- the map that the driver made: cpus of each hardware context, its queues and vector
    run_id, -- the run
    device, -- name in the scenario
    cpu, -- that submits
    sq, -- submission queue
    cq, -- completion queue of it
    vector -- interrupt vector of that
) AS
SELECT h.run_id, h.device, h.cpu, h.hctx + 1, s.cqid, c.vector
FROM hctx h
LEFT JOIN queue_event s ON s.run_id = h.run_id AND s.seq = (
    SELECT MAX(e.seq) FROM queue_event e
    WHERE e.run_id = h.run_id AND e.device = h.device AND e.what = 'sq-created'
      AND e.qid = h.hctx + 1 AND e.t_ps <= h.t_ps)
LEFT JOIN queue_event c ON c.run_id = h.run_id AND c.seq = (
    SELECT MAX(e.seq) FROM queue_event e
    WHERE e.run_id = h.run_id AND e.device = h.device AND e.what = 'cq-created'
      AND e.qid = s.cqid AND e.t_ps <= h.t_ps);

CREATE VIEW cpu_time( -- a row a cpu
    run_id, -- the run
    cpu, -- number, from 0
    busy_pct, -- not halted, of the window: exact
    instructions, -- inside the window: exact
    user_pct, -- of the ticks between the two reports: coarse
    system_pct, -- likewise
    irq_pct, -- hard and soft interrupts, likewise
    idle_pct -- likewise
) AS
WITH part AS (
    SELECT run_id, cpu, busy_ns, instructions, NULL AS user_ticks, NULL AS system_ticks,
           NULL AS irq_ticks, NULL AS idle_ticks
    FROM vcpu_at WHERE weight <> 0
    UNION ALL
    SELECT run_id, cpu, NULL, NULL, user_ticks, system_ticks, irq_ticks + softirq_ticks, idle_ticks
    FROM cpu_stat
), whole AS (
    SELECT run_id, cpu, SUM(busy_ns) AS busy_ns, SUM(instructions) AS instructions,
           SUM(user_ticks) AS user_ticks, SUM(system_ticks) AS system_ticks,
           SUM(irq_ticks) AS irq_ticks, SUM(idle_ticks) AS idle_ticks,
           NULLIF(SUM(user_ticks + system_ticks + irq_ticks + idle_ticks), 0) AS ticks
    FROM part GROUP BY run_id, cpu
)
SELECT k.run_id, k.cpu, k.busy_ns * 100000.0 / NULLIF(w.length_ps, 0), k.instructions,
       100.0 * k.user_ticks / k.ticks, 100.0 * k.system_ticks / k.ticks,
       100.0 * k.irq_ticks / k.ticks, 100.0 * k.idle_ticks / k.ticks
FROM whole k JOIN measured_window w ON w.run_id = k.run_id;

CREATE VIEW cpu_summary( -- all cpus of a run together
    run_id, -- the run
    cpus, -- counted
    busy_pct, -- mean of cpu_time: exact
    idle_pct, -- 100 minus that: exact
    instructions, -- inside the window: exact
    instructions_per_io, -- over I/O commands completed inside the window, all devices; NULL in native mode, which executes none
    user_pct, -- mean of cpu_time: coarse
    system_pct, -- likewise
    irq_pct -- likewise
) AS
SELECT e.run_id, e.cpus, e.busy_pct, 100 - e.busy_pct, e.instructions,
       CASE WHEN r.clock <> 'native' THEN 1.0 * e.instructions
           / NULLIF((SELECT SUM(c.value) FROM counter_at c WHERE c.run_id = e.run_id
                       AND c.scope = 'device' AND c.name = 'io_completed'), 0) END,
       e.user_pct, e.system_pct, e.irq_pct
FROM (SELECT run_id, COUNT(*) AS cpus, AVG(busy_pct) AS busy_pct, SUM(instructions) AS instructions,
             AVG(user_pct) AS user_pct, AVG(system_pct) AS system_pct, AVG(irq_pct) AS irq_pct
      FROM cpu_time GROUP BY run_id) e
JOIN run r ON r.run_id = e.run_id;

PRAGMA user_version = 4;
