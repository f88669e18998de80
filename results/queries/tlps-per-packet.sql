-- SPDX-License-Identifier: GPL-2.0-or-later
-- TLPs of a network port, both ways, a packet received or sent.
-- value: TLPs per packet.
SELECT t.run_id, t.device, SUM(t.tlps) AS tlps, p.rx_packets + p.tx_packets AS packets,
       1.0 * SUM(t.tlps) / (p.rx_packets + p.tx_packets) AS value
FROM tlp_at t JOIN port_summary p ON p.run_id = t.run_id AND p.device = t.device
WHERE t.run_id = :run_id AND p.rx_packets + p.tx_packets > 0
GROUP BY t.run_id, t.device ORDER BY t.device;
