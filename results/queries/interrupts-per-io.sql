-- SPDX-License-Identifier: GPL-2.0-or-later
-- Interrupt messages per I/O command inside the window.
-- One without coalescing (published: 0.97 to 1.01).
-- value: messages per I/O.
SELECT run_id, device, commands AS ios, interrupts, 1.0 * interrupts / commands AS value
FROM device_summary WHERE run_id = :run_id AND commands > 0 ORDER BY device;
