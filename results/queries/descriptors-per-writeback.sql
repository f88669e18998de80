-- SPDX-License-Identifier: GPL-2.0-or-later
-- Descriptor writes of each receive queue, by their number of descriptors and by what set them off.
-- value: descriptors per write.
SELECT p.run_id, p.device, p.queue, p.rx_packets,
       SUM(c.value * (c.name = 'rx_wb_of_1')) AS of_1, SUM(c.value * (c.name = 'rx_wb_of_2')) AS of_2,
       SUM(c.value * (c.name = 'rx_wb_of_3')) AS of_3, SUM(c.value * (c.name = 'rx_wb_of_4')) AS of_4,
       SUM(c.value * (c.name IN ('rx_wb_of_8', 'rx_wb_of_16', 'rx_wb_of_more'))) AS of_more,
       SUM(c.value * (c.name = 'rx_wb_batch')) AS batch_full,
       SUM(c.value * (c.name = 'rx_wb_hold')) AS held_long,
       SUM(c.value * (c.name = 'rx_wb_interrupt')) AS interrupt,
       SUM(c.value * (c.name = 'rx_wb_flush')) AS flush, p.descriptors_per_writeback AS value
FROM packet_summary p
JOIN counter_at c ON c.run_id = p.run_id AND c.device = p.device AND c.scope = 'ring'
    AND c.idx = p.queue
WHERE p.run_id = :run_id AND p.rx_packets > 0
GROUP BY p.run_id, p.device, p.queue ORDER BY p.device, p.queue;
