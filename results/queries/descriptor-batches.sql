-- SPDX-License-Identifier: GPL-2.0-or-later
-- Batches in which a driver and its port share descriptors: a doorbell, a read of descriptors, a write that the driver sees.
-- value: packets sent per descriptor write.
SELECT p.run_id, p.device, p.queue, p.rx_packets,
       1.0 * c.rx_fetched / NULLIF(c.rx_fetches, 0) AS rx_per_read,
       1.0 * p.rx_packets / NULLIF(p.rx_writebacks, 0) AS rx_per_write, p.tx_packets,
       1.0 * p.tx_packets / NULLIF(c.tx_doorbells, 0) AS tx_per_doorbell,
       1.0 * c.tx_fetched / NULLIF(c.tx_fetches, 0) AS tx_per_read,
       1.0 * p.tx_packets / NULLIF(p.tx_writebacks, 0) AS tx_per_write,
       p.tx_descriptors_per_writeback AS tx_written_at_once,
       1.0 * p.tx_packets / NULLIF(p.tx_writebacks, 0) AS value
FROM packet_summary p
JOIN (
    SELECT run_id, device, idx, SUM(value * (name = 'rx_fetched')) AS rx_fetched,
           SUM(value * (name = 'rx_fetches')) AS rx_fetches,
           SUM(value * (name = 'tx_doorbells')) AS tx_doorbells,
           SUM(value * (name = 'tx_fetched')) AS tx_fetched,
           SUM(value * (name = 'tx_fetches')) AS tx_fetches
    FROM counter_at WHERE run_id = :run_id AND scope = 'ring' GROUP BY run_id, device, idx
) c ON c.run_id = p.run_id AND c.device = p.device AND c.idx = p.queue
WHERE p.run_id = :run_id ORDER BY p.device, p.queue;
