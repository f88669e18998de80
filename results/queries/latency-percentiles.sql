-- SPDX-License-Identifier: GPL-2.0-or-later
-- Latency of reads and writes, tail doorbell to CQE posted, inside the window.
-- value: ns.
SELECT run_id, device, percent, latency_ns AS value
FROM latency_percentile WHERE run_id = :run_id ORDER BY device, percent;
