-- SPDX-License-Identifier: GPL-2.0-or-later
-- How evenly the packets of a network port spread over its queues.
-- value: share of the port's packets, received and sent.
SELECT p.run_id, p.device, p.queue, p.rx_packets, p.tx_packets, p.dropped,
       p.descriptors_per_writeback, p.tx_descriptors_per_writeback,
       1.0 * (p.rx_packets + p.tx_packets)
           / NULLIF(SUM(p.rx_packets + p.tx_packets) OVER (PARTITION BY p.device), 0) AS value
FROM packet_summary p WHERE p.run_id = :run_id ORDER BY p.device, p.queue;
