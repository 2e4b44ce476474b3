-- SPDX-License-Identifier: MIT
-- stage: figure
-- As figure, and the recording goes on for 2 s: what came and went since is not known, so that nothing
-- is exact and nothing has an upper bound.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 2000001200);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id, uptime_ms) VALUES (1000, 1, 1, 5);
INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
VALUES (1100, 1, 1, 4, 1, 'mbcs', 'carriers', 2, 2, 2), (1101, 1, 1, 4, 1, 'mbcs', 'carriers_size', 500, 500, 500),
  (1102, 1, 1, 4, 1, 'mbcs', 'blocks', 3, 3, 3), (1103, 1, 1, 4, 1, 'mbcs', 'blocks_size', 270, 270, 270),
  (1104, 1, 1, 4, 1, 'mbcs_pool', 'carriers_size', 300, 300, 300), (1105, 1, 1, 4, 1, 'mbcs_pool', 'blocks_size', 90, 90, 90);
INSERT INTO snapshot_end(ts_ns, runtime_id, snapshot_id, figures) VALUES (1200, 1, 1, 6);
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('carriers_bytes', 'multi_block_carriers_bytes', 'pool_bytes', 'blocks_bytes', 'unused_bytes');
