-- SPDX-License-Identifier: MIT
-- Rows of two nodes grow by 4 MiB a second.  At 30 s a third of them is dropped at once; what comes then is a quarter
-- as much.
--   1  drops a third: what is left had been there at 19 s, and is there again after 30 s: for so long nothing came
--   2  drops nothing: it goes on
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 39000000000);
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1 FROM json_each('["block_alloc", "block_free", "block_realloc"]');
CREATE TEMP TABLE second(runtime_id, s, mib, made);
WITH RECURSIVE number(s) AS (SELECT 0 UNION ALL SELECT s + 1 FROM number WHERE s < 39)
INSERT INTO second
SELECT r.value, s, iif(r.value = 1, 20 + 4 * min(s, 30) - 45 * (s >= 30) + max(0, s - 30), 20 + 4 * s),
  iif(r.value = 1, 4 * min(s, 30) + max(0, s - 30), 4 * s)
FROM json_each('[1, 2]') AS r, number;
INSERT INTO runtime SELECT DISTINCT runtime_id, 1, 'host', 100 + runtime_id, 'beam.smp' FROM second;
INSERT INTO name_allocator(runtime_id, allocator_id, name) SELECT id, 4, 'ets_alloc' FROM runtime;
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms)
SELECT 0, id, 1, 0, 0, 0, 0, 1000000 FROM runtime;
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks, live_bytes)
SELECT 2 * runtime_id + (o.value = 'type'), 1, runtime_id, o.value, 4, iif(o.value = 'type', 7, NULL), CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER)
FROM second JOIN json_each('["allocator", "type"]') AS o WHERE s = 39;
INSERT INTO block_keyframe SELECT DISTINCT 1, s + 1, 1000000000 * s FROM second;
INSERT INTO block_keyframe_account
SELECT s + 1, a.id, t.made, t.made * 1048576, 0, 0, CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER), CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER), 0, 0
FROM second AS t JOIN block_account AS a USING (runtime_id);
