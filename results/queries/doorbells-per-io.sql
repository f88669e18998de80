-- SPDX-License-Identifier: GPL-2.0-or-later
-- Doorbell writes per I/O command inside the window.
-- Two (SQ tail, CQ head) where nothing is batched.
-- value: doorbell writes per I/O.
SELECT s.run_id, s.device, s.commands AS ios,
       SUM(CASE WHEN c.scope = 'sq' THEN c.value ELSE 0 END) AS sq_doorbells,
       SUM(CASE WHEN c.scope = 'cq' THEN c.value ELSE 0 END) AS cq_doorbells,
       1.0 * SUM(c.value) / s.commands AS value
FROM device_summary s
JOIN counter_window c ON c.run_id = s.run_id AND c.device = s.device
     AND c.name = 'doorbell_writes' AND c.scope IN ('sq', 'cq') AND c.idx > 0
WHERE s.run_id = :run_id AND s.commands > 0
GROUP BY s.run_id, s.device ORDER BY s.device;
