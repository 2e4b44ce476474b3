-- SPDX-License-Identifier: MIT
-- A node that ran before, of which events were lost up to the end of its recording and beyond its last event: its last
-- whole snapshot had 100 MiB of ets_alloc with 10 in blocks, 60 full ones of binary_alloc, and nothing of test_alloc.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 10000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1 FROM json_each('["block_alloc", "block_free", "block_realloc"]');
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms) VALUES (0, 1, 1, 0, 0, 0, 0, 1000000);
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes)
SELECT 1, v.value ->> 0, m.value, 1048576 * (v.value ->> 1), 1048576 * (v.value ->> 2)
FROM json_each('[["binary_alloc", 60, 60], ["ets_alloc", 100, 10], ["test_alloc", 0, 0]]') AS v JOIN json_each('["end", "peak"]') AS m;
UPDATE figure SET low = 0, high = NULL, quality = 'unknown', basis = 'earlier snapshot' WHERE moment = 'end' AND quantity <> 'instances';
INSERT INTO lost_interval(source_id, cause, begin_ns, end_ns, events) VALUES (1, 'discarded_events', 5000000000, 10200000000, 3701);
