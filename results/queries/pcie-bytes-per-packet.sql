-- SPDX-License-Identifier: GPL-2.0-or-later
-- PCIe bytes of a network port by purpose and direction, a packet received or sent.
-- value: bytes per packet.
SELECT t.run_id, t.device, t.purpose, t.direction, SUM(t.tlps) AS tlps,
       SUM(t.wire_bytes) AS wire_bytes,
       1.0 * SUM(t.wire_bytes) / (p.rx_packets + p.tx_packets) AS value
FROM pcie_by_purpose t JOIN port_summary p ON p.run_id = t.run_id AND p.device = t.device
WHERE t.run_id = :run_id AND p.rx_packets + p.tx_packets > 0
GROUP BY t.run_id, t.device, t.purpose, t.direction ORDER BY t.device, value DESC;
