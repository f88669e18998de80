-- SPDX-License-Identifier: GPL-2.0-or-later
-- Every point of the run's scenario, latest run of each: what a network port's rings do to the link.
-- value: descriptors per write of the receive queues.
SELECT p.run_id, p.point, p.device, p.rx_queues AS rings, ROUND(p.rx_pps / 1e6, 3) AS rx_mpps,
       ROUND(p.tx_pps / 1e6, 3) AS tx_mpps, p.dropped, p.interrupts,
       ROUND(w.batch_pct, 1) AS batch_pct, ROUND(w.hold_pct, 1) AS hold_pct,
       ROUND(w.interrupt_pct, 1) AS interrupt_pct,
       ROUND(1.0 * p.partial_line_writes / NULLIF(p.rx_packets + p.tx_packets, 0), 3)
           AS partial_per_packet,
       ROUND(1.0 * t.tlps / NULLIF(p.rx_packets + p.tx_packets, 0), 3) AS tlps_per_packet,
       ROUND(1.0 * t.up_bytes / NULLIF(p.rx_packets + p.tx_packets, 0), 1) AS up_bytes_per_packet,
       ROUND(p.wire_bytes_per_packet, 1) AS wire_bytes_per_packet,
       ROUND(p.descriptors_per_writeback, 3) AS value
FROM (SELECT MAX(run_id) AS run_id FROM run
      WHERE scenario = (SELECT scenario FROM run WHERE run_id = :run_id) GROUP BY point) l
JOIN port_summary p ON p.run_id = l.run_id
LEFT JOIN (SELECT run_id, device, SUM(tlps) AS tlps,
                  SUM(wire_bytes * (direction = 'upstream')) AS up_bytes
           FROM tlp_at GROUP BY run_id, device) t
    ON t.run_id = p.run_id AND t.device = p.device
LEFT JOIN (SELECT run_id, device,
                  100.0 * SUM(value * (name = 'rx_wb_batch')) / SUM(value) AS batch_pct,
                  100.0 * SUM(value * (name = 'rx_wb_hold')) / SUM(value) AS hold_pct,
                  100.0 * SUM(value * (name = 'rx_wb_interrupt')) / SUM(value) AS interrupt_pct
           FROM counter_at
           WHERE scope = 'ring'
               AND name IN ('rx_wb_batch', 'rx_wb_hold', 'rx_wb_interrupt', 'rx_wb_flush')
           GROUP BY run_id, device) w
    ON w.run_id = p.run_id AND w.device = p.device
WHERE p.rx_packets + p.tx_packets > 0
ORDER BY p.run_id, p.device;
