-- SPDX-License-Identifier: MIT
-- stage: figure
-- Between 30 and 100 events were lost: the frees of three blocks of 5000000, 1000 and 9000000 bytes among them, and a block of
-- 2000000 in the place of the second.  A snapshot says 3 blocks of 7000000 bytes.  After it a block of 300000 bytes is made in
-- the place of the first (which ended before the snapshot, and not now), and what lies in the place of the second is freed: not
-- 1000 bytes but its room of 2000008 at most.  True at the end: 3 blocks of about 5300000 bytes.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 2000, 4);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO thread VALUES (1, 1, 101, '1_scheduler', 0, 6);
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1
FROM json_each('["block_alloc", "block_free", "block_realloc"]');
INSERT INTO lost_interval(id, source_id, cause, begin_ns, end_ns, events) VALUES (1, 1, 'discarded_events', 30, 100, 4);
INSERT INTO block_event(id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance, ended_id) VALUES
  (1, 10, 0, 1, 4096, 5000000, 7, 4, 1, NULL), (2, 20, 0, 1, 16777216, 1000, 7, 4, 1, NULL),
  (3, 25, 0, 1, 33554432, 9000000, 7, 4, 1, NULL), (4, 1500, 0, 1, 4096, 300000, 7, 4, 1, 1),
  (5, 1600, 1, 1, 16777216, 2000008, 7, 4, 1, 2);
INSERT INTO block_span VALUES (1, 1, 5, 10, 1600, 0);
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, made, made_bytes, ended, ended_bytes, live_blocks,
  live_bytes, lost_frees, lost_bytes)
SELECT iif(s.value = 'allocator', 1, 2), 1, 1, s.value, iif(s.value = 'allocator', 4, NULL), 4, 14301000, 2, 5001000, 2, 9300000,
  1, 5000000
FROM json_each('["allocator", "runtime"]') AS s;
INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id, uptime_ms) VALUES (1000, 1, 1, 5);
INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
VALUES (1100, 1, 1, 4, 1, 'mbcs', 'carriers', 1, 1, 1), (1101, 1, 1, 4, 1, 'mbcs', 'carriers_size', 33554432, 33554432, 33554432),
  (1102, 1, 1, 4, 1, 'mbcs', 'blocks', 3, 3, 3), (1103, 1, 1, 4, 1, 'mbcs', 'blocks_size', 7000000, 7000000, 7000000);
INSERT INTO snapshot_end(ts_ns, runtime_id, snapshot_id, figures) VALUES (1200, 1, 1, 4);
INSERT INTO runtime_work(ts_ns, runtime_id, kind) VALUES (2000, 1, 0);
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('blocks', 'asked_bytes', 'blocks_bytes', 'carriers_bytes');
