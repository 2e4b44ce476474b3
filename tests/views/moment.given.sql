-- SPDX-License-Identifier: MIT
-- 100 s: failures at 11, 11.5 and 90 s, a reading at 50 s, an alarm at 70 s.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 100000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO alarm(id, ts_ns, runtime_id, thread_id, reason, value, threshold, detail) VALUES
  (90, 70000000000, 1, NULL, 'growth', 314572800, 268435456, '');
INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES (1, 4, 'ets_alloc');
INSERT INTO alloc_failure(ts_ns, runtime_id, size_bytes, allocator_id) VALUES
  (11000000000, 1, 4096, 4), (11500000000, 1, 8192, 4), (90000000000, 1, 100, 4);
INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id) VALUES (50000000000, 1, 7);
