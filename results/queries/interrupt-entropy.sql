-- SPDX-License-Identifier: GPL-2.0-or-later
-- How evenly a device's interrupts are spread over the machine's cpus.
-- value: entropy over its largest possible value: 1 = even over all cpus, 0 = one cpu takes all.
WITH share AS (
    SELECT i.run_id, i.device, i.cpu, SUM(i.interrupts) AS interrupts,
           1.0 * SUM(i.interrupts) / SUM(SUM(i.interrupts)) OVER (PARTITION BY i.device) AS p
    FROM interrupt_spread i WHERE i.run_id = :run_id GROUP BY i.device, i.cpu
)
SELECT s.run_id, s.device, COUNT(*) AS cpus_hit, r.cpus, SUM(s.interrupts) AS interrupts,
       MAX(s.p) AS largest_share,
       CASE WHEN r.cpus > 1 THEN -SUM(s.p * LN(s.p)) / LN(r.cpus) ELSE 1.0 END AS value
FROM share s JOIN run r USING (run_id)
GROUP BY s.device ORDER BY s.device;
