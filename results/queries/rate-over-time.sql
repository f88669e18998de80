-- SPDX-License-Identifier: GPL-2.0-or-later
-- I/O rate of each sampling interval inside the window.
-- value: I/O per second.
SELECT run_id, device, t_ps / 1000 AS t_ns,
       (completed - LAG(completed) OVER w) * 1e12 / (t_ps - LAG(t_ps) OVER w) AS value
FROM sample WHERE run_id = :run_id
WINDOW w AS (PARTITION BY device ORDER BY t_ps) ORDER BY device, t_ps;
