-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bytes of a network port's received packets as they are written to memory.
-- value: bytes per packet received.
SELECT run_id, device, SUM(rx_bytes) AS rx_bytes, SUM(rx_packets) AS rx_packets,
       1.0 * SUM(rx_bytes) / SUM(rx_packets) AS value
FROM packet_summary WHERE run_id = :run_id GROUP BY run_id, device HAVING SUM(rx_packets) > 0
ORDER BY device;
