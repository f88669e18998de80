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
    driver_version, -- kernel release
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
WITH edge AS (
    SELECT r.run_id AS run_id, r.end_ps AS run_end_ps,
           (SELECT MIN(t_ps) FROM mark m WHERE m.run_id = r.run_id AND what = 'window-start') AS s,
           (SELECT MIN(t_ps) FROM mark m WHERE m.run_id = r.run_id AND what = 'window-end') AS e
    FROM run r
)
SELECT run_id,
       CASE WHEN s IS NULL OR e IS NULL THEN 0 ELSE s END,
       CASE WHEN s IS NULL OR e IS NULL THEN run_end_ps ELSE e END,
       CASE WHEN s IS NULL OR e IS NULL THEN run_end_ps ELSE e - s END,
       s IS NOT NULL AND e IS NOT NULL
FROM edge;

CREATE VIEW window_weight( -- SUM(value * weight) over `at` is the value inside the window
    run_id, -- the run
    at, -- window-start, window-end or end
    weight -- 1 or -1
) AS
SELECT run_id, 'window-end', 1 FROM measured_window WHERE marked
UNION ALL SELECT run_id, 'window-start', -1 FROM measured_window WHERE marked
UNION ALL SELECT run_id, 'end', 1 FROM measured_window WHERE NOT marked;

CREATE VIEW counter_window( -- counters inside the window
    run_id, -- the run
    device, -- name in the scenario
    scope, -- device, sq, cq, vector, link
    idx, -- queue or vector number
    name, -- counter
    value -- inside the window
) AS
SELECT c.run_id, c.device, c.scope, c.idx, c.name, SUM(c.value * w.weight)
FROM counter c JOIN window_weight w ON w.run_id = c.run_id AND w.at = c.at
GROUP BY c.run_id, c.device, c.scope, c.idx, c.name;

CREATE VIEW latency_window( -- latency histogram inside the window
    run_id, -- the run
    device, -- name in the scenario
    opcode, -- read, write, other
    low_ps, -- lower bound of the bucket
    high_ps, -- upper bound of the bucket
    count -- commands
) AS
SELECT l.run_id, l.device, l.opcode, l.low_ps, l.high_ps, SUM(l.count * w.weight)
FROM latency l JOIN window_weight w ON w.run_id = l.run_id AND w.at = l.at
GROUP BY l.run_id, l.device, l.opcode, l.low_ps, l.high_ps
HAVING SUM(l.count * w.weight) > 0;

CREATE VIEW latency_percentile( -- upper bound of the bucket that holds the percentile; reads and writes together
    run_id, -- the run
    device, -- name in the scenario
    percent, -- 50, 90, 95, 99, 99.9, 100
    latency_ns -- rounded up to whole ns
) AS
WITH bucket AS (
    SELECT run_id, device, high_ps, SUM(count) AS count
    FROM latency_window WHERE opcode IN ('read', 'write')
    GROUP BY run_id, device, high_ps
), cumulative AS (
    SELECT run_id, device, high_ps,
           SUM(count) OVER (PARTITION BY run_id, device ORDER BY high_ps) AS upto,
           SUM(count) OVER (PARTITION BY run_id, device) AS total
    FROM bucket
), wanted(permille) AS (VALUES (500), (900), (950), (990), (999), (1000))
SELECT run_id, device, permille / 10.0, (MIN(high_ps) + 999) / 1000
FROM cumulative JOIN wanted ON upto * 1000 >= total * permille
GROUP BY run_id, device, permille;

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
WITH total AS (
    SELECT run_id, device,
           SUM(CASE WHEN scope = 'device' AND name = 'io_completed' THEN value END) AS commands,
           SUM(CASE WHEN scope = 'device' AND name = 'read_bytes' THEN value END) AS read_bytes,
           SUM(CASE WHEN scope = 'device' AND name = 'write_bytes' THEN value END) AS write_bytes,
           SUM(CASE WHEN scope = 'device' AND name = 'interrupts' THEN value END) AS interrupts
    FROM counter_window WHERE scope = 'device'
    GROUP BY run_id, device
), mean AS (
    SELECT l.run_id AS run_id, l.device AS device,
           SUM(l.sum_ps * w.weight) AS sum_ps, SUM(l.count * w.weight) AS count
    FROM latency_sum l JOIN window_weight w ON w.run_id = l.run_id AND w.at = l.at
    WHERE l.opcode IN ('read', 'write')
    GROUP BY l.run_id, l.device
), percentile AS (
    SELECT run_id, device,
           MAX(CASE percent WHEN 50 THEN latency_ns END) AS p50,
           MAX(CASE percent WHEN 90 THEN latency_ns END) AS p90,
           MAX(CASE percent WHEN 99 THEN latency_ns END) AS p99,
           MAX(CASE percent WHEN 100 THEN latency_ns END) AS p100
    FROM latency_percentile GROUP BY run_id, device
), broken AS (
    SELECT run_id, device, SUM(count) AS count FROM violation GROUP BY run_id, device
)
SELECT d.run_id, r.scenario, d.device, d.profile, r.driver,
       CASE WHEN w.length_ps > 0 THEN IFNULL(t.commands, 0) * 1e12 / w.length_ps END,
       CASE WHEN w.length_ps > 0
            THEN (IFNULL(t.read_bytes, 0) + IFNULL(t.write_bytes, 0)) * 1e12 / 1048576 / w.length_ps END,
       p.p50, p.p99, IFNULL(t.commands, 0), IFNULL(t.interrupts, 0), IFNULL(b.count, 0),
       CASE WHEN m.count > 0 THEN m.sum_ps / 1000.0 / m.count END, p.p90, p.p100,
       IFNULL(t.read_bytes, 0), IFNULL(t.write_bytes, 0), w.length_ps / 1000, r.point, d.published_id
FROM device d
JOIN run r ON r.run_id = d.run_id
JOIN measured_window w ON w.run_id = d.run_id
LEFT JOIN total t ON t.run_id = d.run_id AND t.device = d.device
LEFT JOIN mean m ON m.run_id = d.run_id AND m.device = d.device
LEFT JOIN percentile p ON p.run_id = d.run_id AND p.device = d.device
LEFT JOIN broken b ON b.run_id = d.run_id AND b.device = d.device;

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
SELECT t.run_id, t.device, t.purpose, t.direction, t.tlp_type, SUM(t.tlps * w.weight),
       SUM(t.payload_bytes * w.weight), SUM(t.wire_bytes * w.weight)
FROM tlp t JOIN window_weight w ON w.run_id = t.run_id AND w.at = t.at
GROUP BY t.run_id, t.device, t.purpose, t.direction, t.tlp_type
HAVING SUM(t.tlps * w.weight) <> 0;

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
WITH exact AS (
    SELECT v.run_id AS run_id, v.cpu AS cpu, SUM(v.busy_ns * w.weight) AS busy_ns,
           SUM(v.instructions * w.weight) AS instructions
    FROM vcpu v JOIN window_weight w ON w.run_id = v.run_id AND w.at = v.at
    GROUP BY v.run_id, v.cpu
), coarse AS (
    SELECT run_id, cpu, user_ticks, system_ticks, irq_ticks + softirq_ticks AS irq_ticks, idle_ticks,
           NULLIF(user_ticks + system_ticks + irq_ticks + softirq_ticks + idle_ticks, 0) AS ticks
    FROM cpu_stat
), cpus AS (SELECT run_id, cpu FROM exact UNION SELECT run_id, cpu FROM coarse)
SELECT k.run_id, k.cpu,
       CASE WHEN w.length_ps > 0 THEN e.busy_ns * 100000.0 / w.length_ps END, e.instructions,
       100.0 * c.user_ticks / c.ticks, 100.0 * c.system_ticks / c.ticks,
       100.0 * c.irq_ticks / c.ticks, 100.0 * c.idle_ticks / c.ticks
FROM cpus k
JOIN measured_window w ON w.run_id = k.run_id
LEFT JOIN exact e ON e.run_id = k.run_id AND e.cpu = k.cpu
LEFT JOIN coarse c ON c.run_id = k.run_id AND c.cpu = k.cpu;

CREATE VIEW cpu_summary( -- all cpus of a run together
    run_id, -- the run
    cpus, -- counted
    busy_pct, -- mean of cpu_time: exact
    idle_pct, -- 100 minus that: exact
    instructions, -- inside the window: exact
    instructions_per_io, -- over I/O commands completed inside the window, all devices
    user_pct, -- mean of cpu_time: coarse
    system_pct, -- likewise
    irq_pct -- likewise
) AS
WITH io AS (
    SELECT run_id, SUM(value) AS commands FROM counter_window
    WHERE scope = 'device' AND name = 'io_completed' GROUP BY run_id
), every AS (
    SELECT run_id, COUNT(*) AS cpus, AVG(busy_pct) AS busy_pct, SUM(instructions) AS instructions,
           AVG(user_pct) AS user_pct, AVG(system_pct) AS system_pct, AVG(irq_pct) AS irq_pct
    FROM cpu_time GROUP BY run_id
)
SELECT e.run_id, e.cpus, e.busy_pct, 100 - e.busy_pct, e.instructions,
       CASE WHEN i.commands > 0 THEN 1.0 * e.instructions / i.commands END,
       e.user_pct, e.system_pct, e.irq_pct
FROM every e LEFT JOIN io i ON i.run_id = e.run_id;

PRAGMA user_version = 4;
