-- SPDX-License-Identifier: GPL-2.0-or-later
-- Every point of the run's scenario, latest run of each.
-- value: I/O per second.
SELECT s.run_id, r.point, r.status, s.device, s.profile, s.mib_per_s, s.latency_p50_ns,
       s.latency_p99_ns, s.iops AS value
FROM (SELECT MAX(run_id) AS run_id FROM run
      WHERE scenario = (SELECT scenario FROM run WHERE run_id = :run_id) GROUP BY point) l
JOIN runs r USING (run_id) JOIN device_summary s USING (run_id)
ORDER BY s.run_id, s.device;
