-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bytes on the wire per I/O command by purpose: what it costs the link.
-- Inside the window.
-- value: wire bytes per I/O.
SELECT p.run_id, p.device, p.purpose, p.direction, 1.0 * SUM(p.tlps) / s.commands AS tlps_per_io,
       1.0 * SUM(p.wire_bytes) / s.commands AS value
FROM pcie_by_purpose p JOIN device_summary s ON s.run_id = p.run_id AND s.device = p.device
WHERE p.run_id = :run_id AND s.commands > 0
GROUP BY p.device, p.purpose, p.direction ORDER BY p.device, value DESC;
