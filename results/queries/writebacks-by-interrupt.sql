-- SPDX-License-Identifier: GPL-2.0-or-later
-- Descriptor writes of a port's receive queues that an interrupt set off.
-- value: share of all descriptor writes.
SELECT c.run_id, c.device, SUM(c.value * (c.name = 'rx_wb_interrupt')) AS by_interrupt,
       SUM(c.value * (c.name = 'rx_writebacks')) AS writebacks,
       1.0 * SUM(c.value * (c.name = 'rx_wb_interrupt'))
           / SUM(c.value * (c.name = 'rx_writebacks')) AS value
FROM counter_at c
WHERE c.run_id = :run_id AND c.scope = 'ring' AND c.name IN ('rx_wb_interrupt', 'rx_writebacks')
GROUP BY c.run_id, c.device HAVING SUM(c.value * (c.name = 'rx_writebacks')) > 0
ORDER BY c.device;
