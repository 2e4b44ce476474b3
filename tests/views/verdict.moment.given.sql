-- SPDX-License-Identifier: MIT
-- A node of which one snapshot was taken, for 10 ms: all of it full.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 10000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms) VALUES (0, 1, 1, 0, 0, 0, 0, 1000000);
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes) SELECT 1, 'ets_alloc', value, 1048576, 1048576 FROM json_each('["end", "peak"]');
