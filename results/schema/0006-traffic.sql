-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the guest's traffic command sent and checked (docs/channel.md).

CREATE TABLE traffic_result ( -- streams whose every byte was checked, from the traffic reports
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, -- the run
    traffic INTEGER NOT NULL, -- order, from 0
    name TEXT NOT NULL, -- of the [traffic NAME]
    protocol TEXT NOT NULL, -- tcp or udp
    streams INTEGER NOT NULL, -- one-way streams, of all rounds
    sent_bytes INTEGER NOT NULL, -- payload given to the sockets
    verified_bytes INTEGER NOT NULL, -- payload that arrived and is what was sent
    mismatched_bytes INTEGER NOT NULL, -- payload that arrived and is not
    datagrams_sent INTEGER NOT NULL, -- of udp
    datagrams_received INTEGER NOT NULL, -- of them arrived, each counted once
    datagrams_repeated INTEGER NOT NULL, -- that arrived again
    guest_ns INTEGER NOT NULL, -- from the first socket to the last byte, by the guest's clock
    PRIMARY KEY (run_id, traffic)
) STRICT, WITHOUT ROWID;

CREATE VIEW traffic_summary( -- a row a run with traffic
    run_id, -- the run
    scenario, -- file name without directory and .ini
    point, -- matrix point
    streams, -- one-way streams
    sent_bytes, -- payload given to the sockets
    verified_bytes, -- payload that arrived and is what was sent
    mismatched_bytes, -- payload that arrived and is not
    missing_bytes, -- payload that was sent and did not arrive right
    datagrams_sent, -- of udp
    datagrams_lost, -- of them never arrived
    datagrams_repeated, -- that arrived again
    guest_ns -- time of all of them, by the guest's clock
) AS
SELECT t.run_id, r.scenario, r.point, SUM(t.streams), SUM(t.sent_bytes), SUM(t.verified_bytes),
       SUM(t.mismatched_bytes), SUM(t.sent_bytes - t.verified_bytes), SUM(t.datagrams_sent),
       SUM(t.datagrams_sent - t.datagrams_received), SUM(t.datagrams_repeated), SUM(t.guest_ns)
FROM traffic_result t JOIN run r ON r.run_id = t.run_id
GROUP BY t.run_id;

PRAGMA user_version = 6;
