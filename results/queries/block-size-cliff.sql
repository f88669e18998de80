-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bandwidth by block size; a cliff is a step far below 1.
-- Of the latest run of each point of the run's scenario.
-- value: bandwidth over that of the next smaller block size of the same profile.
WITH latest AS (
    SELECT MAX(run_id) AS run_id FROM run
    WHERE scenario = (SELECT scenario FROM run WHERE run_id = :run_id)
      AND status IN ('passed', 'failed')
    GROUP BY point
), row AS (
    SELECT s.run_id, s.device, s.profile, s.mib_per_s, s.iops,
           (s.read_bytes + s.write_bytes) / s.commands AS block_bytes
    FROM latest JOIN device_summary s USING (run_id) WHERE s.commands > 0
)
SELECT run_id, device, profile, block_bytes, iops, mib_per_s,
       mib_per_s / LAG(mib_per_s) OVER (PARTITION BY profile, device ORDER BY block_bytes) AS value
FROM row ORDER BY profile, device, block_bytes;
