-- SPDX-License-Identifier: GPL-2.0-or-later
-- Data of I/O commands over all bytes on the wire, by direction.
-- Inside the window; DLLPs are not counted.
-- value: share of the direction's wire bytes that is data.
SELECT run_id, device, direction,
       SUM(CASE WHEN purpose = 'data' THEN payload_bytes ELSE 0 END) AS data_bytes,
       SUM(wire_bytes) AS wire_bytes,
       1.0 * SUM(CASE WHEN purpose = 'data' THEN payload_bytes ELSE 0 END) / SUM(wire_bytes) AS value
FROM pcie_by_purpose WHERE run_id = :run_id
GROUP BY device, direction ORDER BY device, direction;
