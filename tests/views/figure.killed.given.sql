-- as: figure
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The node was killed in the midst of a second snapshot: its recording ends with the first, and every figure is what that says.
INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id, uptime_ms) VALUES (1300, 1, 2, 6);
INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
VALUES (1310, 1, 2, 4, 1, 'mbcs', 'carriers_size', 900, 900, 900);
UPDATE source SET last_ts_ns = 1320;
