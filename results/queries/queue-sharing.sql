-- SPDX-License-Identifier: GPL-2.0-or-later
-- The cpus that share each submission queue, in the map that the driver made.
-- value: cpus on the queue.
SELECT q.run_id, q.device, q.sq, q.cq, q.vector, GROUP_CONCAT(q.cpu) AS cpus, COUNT(*) AS value
FROM (SELECT * FROM queue_map WHERE run_id = :run_id ORDER BY device, sq, cpu) q
GROUP BY q.device, q.sq ORDER BY q.device, q.sq;
