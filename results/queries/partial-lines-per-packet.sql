-- SPDX-License-Identifier: GPL-2.0-or-later
-- DMA writes of a network port whose first or last cache line is not whole, a packet received or sent.
-- value: such writes per packet.
SELECT run_id, device, partial_line_writes, rx_packets + tx_packets AS packets,
       1.0 * partial_line_writes / (rx_packets + tx_packets) AS value
FROM port_summary WHERE run_id = :run_id AND rx_packets + tx_packets > 0 ORDER BY device;
