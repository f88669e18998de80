-- SPDX-License-Identifier: GPL-2.0-or-later
-- Views of network ports.  "Inside the window" is as in 0004-view.sql.

CREATE VIEW packet_summary( -- a row a queue of a network port that was used inside the window
    run_id, -- the run
    device, -- name in the scenario
    queue, -- number of the receive and of the transmit queue
    rx_packets, -- frames delivered to memory inside the window
    tx_packets, -- frames sent
    dropped, -- frames dropped since the queue had no descriptor
    descriptors_per_writeback, -- mean of the receive queue's descriptor writes
    tx_descriptors_per_writeback, -- mean of the transmit queue's
    rx_bytes, -- of rx_packets, as written to memory
    tx_bytes, -- of tx_packets, without CRC
    rx_writebacks, -- descriptor writes of the receive queue
    tx_writebacks -- of the transmit queue
) AS
SELECT run_id, device, queue, rx_packets, tx_packets, dropped,
       1.0 * rx_descriptors / NULLIF(rx_writebacks, 0), 1.0 * tx_written / NULLIF(tx_writebacks, 0),
       rx_bytes, tx_bytes, rx_writebacks, tx_writebacks
FROM (
    SELECT c.run_id, c.device, c.idx AS queue,
           SUM(c.value * (c.name = 'rx_frames')) AS rx_packets,
           SUM(c.value * (c.name = 'tx_frames')) AS tx_packets,
           SUM(c.value * (c.name = 'rx_dropped')) AS dropped,
           SUM(c.value * (c.name = 'rx_descriptors')) AS rx_descriptors,
           SUM(c.value * (c.name = 'rx_writebacks')) AS rx_writebacks,
           SUM(c.value * (c.name = 'tx_written')) AS tx_written,
           SUM(c.value * (c.name = 'tx_writebacks')) AS tx_writebacks,
           SUM(c.value * (c.name = 'rx_bytes')) AS rx_bytes,
           SUM(c.value * (c.name = 'tx_bytes')) AS tx_bytes
    FROM counter_at c WHERE c.scope = 'ring' GROUP BY c.run_id, c.device, c.idx
)
WHERE rx_packets <> 0 OR tx_packets <> 0 OR dropped <> 0;

CREATE VIEW port_summary( -- a row a network port
    run_id, -- the run
    scenario, -- file name without directory and .ini
    point, -- matrix point
    device, -- name in the scenario
    profile, -- device profile
    rx_packets, -- frames delivered to memory inside the window, all queues
    tx_packets, -- frames sent
    dropped, -- frames that arrived and were not delivered, for any reason
    rx_pps, -- rx_packets per second of model time
    tx_pps, -- tx_packets per second of model time
    received, -- frames that arrived whole
    dropped_missed, -- of dropped: the packet buffer had no room
    dropped_no_descriptor, -- of dropped: the queue had no descriptor
    rx_queues, -- queues with rx_packets
    tx_queues, -- queues with tx_packets
    descriptors_per_writeback, -- mean of the receive queues' descriptor writes
    tx_descriptors_per_writeback, -- mean of the transmit queues'
    wire_bytes_per_packet, -- PCIe bytes of the port, both ways, a packet received or sent
    partial_line_writes, -- DMA writes whose first or last cache line is not whole
    interrupts, -- messages sent
    window_ns -- length of the window
) AS
SELECT k.run_id, r.scenario, r.point, k.device, d.profile, IFNULL(q.rx_packets, 0),
       IFNULL(q.tx_packets, 0), k.dropped, IFNULL(q.rx_packets, 0) * 1e12 / NULLIF(w.length_ps, 0),
       IFNULL(q.tx_packets, 0) * 1e12 / NULLIF(w.length_ps, 0),
       k.received, k.dropped_missed, k.dropped_no_descriptor, IFNULL(q.rx_queues, 0),
       IFNULL(q.tx_queues, 0),
       1.0 * q.rx_descriptors / NULLIF(q.rx_writebacks, 0),
       1.0 * q.tx_written / NULLIF(q.tx_writebacks, 0),
       1.0 * (SELECT SUM(t.wire_bytes) FROM tlp_at t
              WHERE t.run_id = k.run_id AND t.device = k.device)
           / NULLIF(q.rx_packets + q.tx_packets, 0),
       k.partial_line_writes, k.interrupts, w.length_ps / 1000
FROM (
    SELECT c.run_id, c.device,
           SUM(c.value * (c.name = 'frames_received')) AS received,
           SUM(c.value * (c.name GLOB 'dropped_*')) AS dropped,
           SUM(c.value * (c.name = 'dropped_missed')) AS dropped_missed,
           SUM(c.value * (c.name = 'dropped_no_descriptor')) AS dropped_no_descriptor,
           SUM(c.value * (c.name = 'partial_line_writes')) AS partial_line_writes,
           SUM(c.value * (c.name = 'interrupts')) AS interrupts
    FROM counter_at c WHERE c.scope = 'device' GROUP BY c.run_id, c.device
) k
JOIN device d ON d.run_id = k.run_id AND d.device = k.device AND d.model = 'ixgbe'
JOIN run r ON r.run_id = k.run_id
JOIN measured_window w ON w.run_id = k.run_id
LEFT JOIN (
    SELECT s.run_id, s.device, SUM(s.rx_packets) AS rx_packets, SUM(s.tx_packets) AS tx_packets,
           SUM(s.rx_packets > 0) AS rx_queues, SUM(s.tx_packets > 0) AS tx_queues,
           SUM(s.rx_writebacks * s.descriptors_per_writeback) AS rx_descriptors,
           SUM(s.rx_writebacks) AS rx_writebacks,
           SUM(s.tx_writebacks * s.tx_descriptors_per_writeback) AS tx_written,
           SUM(s.tx_writebacks) AS tx_writebacks
    FROM packet_summary s GROUP BY s.run_id, s.device
) q ON q.run_id = k.run_id AND q.device = k.device;

PRAGMA user_version = 5;
