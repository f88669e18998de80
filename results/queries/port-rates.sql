-- SPDX-License-Identifier: GPL-2.0-or-later
-- What each network port received, sent and dropped inside the window, and how its descriptors were written back.
-- value: packets received and sent, a second of model time.
SELECT p.run_id, p.device, p.rx_pps, p.tx_pps, p.rx_packets, p.tx_packets,
       IFNULL(q.rx_bytes, 0) AS rx_bytes, IFNULL(q.tx_bytes, 0) AS tx_bytes, p.received, p.dropped,
       p.descriptors_per_writeback, p.tx_descriptors_per_writeback, p.wire_bytes_per_packet,
       s.interrupts, s.violations, p.rx_pps + p.tx_pps AS value
FROM port_summary p
JOIN device_summary s USING (run_id, device)
LEFT JOIN (SELECT run_id, device, SUM(rx_bytes) AS rx_bytes, SUM(tx_bytes) AS tx_bytes
           FROM packet_summary GROUP BY run_id, device) q USING (run_id, device)
WHERE p.run_id = :run_id ORDER BY p.device;
