-- SPDX-License-Identifier: MIT
-- Nodes that ran before they were hooked, and every block recorded for 10 s (1 to 4) or 3 s (5 and 6).  From 20 MiB on
-- binary_alloc
--   1  grows by half a MiB a second: 5 MiB are much for 10 s
--   2  grows by a tenth of that
--   3  stands still
--   4  has 20 MiB more for 3 s, and gives them back
--   5  stands still
--   6  has 4 MiB only
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 10000000000), (2, 0, 3000000000);
INSERT INTO event_count SELECT s.id, 'carrierscope', value, 1 FROM given_source AS s, json_each('["block_alloc", "block_free", "block_realloc"]');
CREATE TEMP TABLE tenth(runtime_id, s, mib);
WITH RECURSIVE number(s) AS (SELECT 0.0 UNION ALL SELECT s + 0.25 FROM number WHERE s < 10)
INSERT INTO tenth
SELECT r.value, s, CASE r.value
    WHEN 1 THEN 20 + s / 2
    WHEN 2 THEN 20 + s / 20
    WHEN 4 THEN 20 + 20 * (s BETWEEN 3 AND 6)
    WHEN 6 THEN 4
    ELSE 20 END
FROM json_each('[1, 2, 3, 4, 5, 6]') AS r, number
WHERE s <= iif(r.value < 5, 10, 3);
INSERT INTO runtime SELECT DISTINCT runtime_id, iif(runtime_id < 5, 1, 2), 'host', 100 + runtime_id, 'beam.smp' FROM tenth;
INSERT INTO name_allocator(runtime_id, allocator_id, name) SELECT id, 4, 'binary_alloc' FROM runtime;
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms)
SELECT 0, id, 1, 0, 0, 0, 0, 1000000 FROM runtime;
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks, live_bytes)
SELECT 2 * runtime_id + (o.value = 'type'), iif(runtime_id < 5, 1, 2), runtime_id, o.value, 4, iif(o.value = 'type', 7, NULL), CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER)
FROM tenth JOIN json_each('["allocator", "type"]') AS o WHERE s = iif(runtime_id < 5, 10, 3);
INSERT INTO block_keyframe SELECT DISTINCT iif(runtime_id < 5, 1, 2), CAST(4 * s + 1 AS INTEGER) + 100 * (runtime_id >= 5), CAST(1000000000 * s AS INTEGER) FROM tenth;
INSERT INTO block_keyframe_account
SELECT CAST(4 * s + 1 AS INTEGER) + 100 * (runtime_id >= 5), a.id, CAST(10 * s AS INTEGER), CAST(10485760 * s AS INTEGER), 0, 0, CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER), CAST(mib AS INTEGER), CAST(mib * 1048576 AS INTEGER), 0, 0
FROM tenth AS t JOIN block_account AS a USING (runtime_id);
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes)
SELECT runtime_id, 'binary_alloc', m.value, CAST(max(mib) FILTER (WHERE m.value = 'peak' OR s = iif(runtime_id < 5, 10, 3)) * 1048576 AS INTEGER),
  CAST(max(mib) FILTER (WHERE m.value = 'peak' OR s = iif(runtime_id < 5, 10, 3)) * 1048576 AS INTEGER)
FROM tenth JOIN json_each('["end", "peak"]') AS m GROUP BY runtime_id, m.value;
