-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the driver did against the specification.
-- value: how often, in the whole run.
SELECT run_id, device, rule, text, first_ps / 1000 AS first_ns, count AS value
FROM violation WHERE run_id = :run_id ORDER BY device, count DESC, rule, text;
