-- SPDX-License-Identifier: MIT
-- Hooked nodes that are 1000 s old, but 6; every block was recorded for 39 s.  From 20 MiB on binary_alloc
--   1  grows by 1 MiB a second for 30 s, then nothing is made: a pause
--   2  the same for 20 s, then as much is made as before, and nothing stays: a plateau
--   3  the same, but nothing is made then
--   4  holds 40 MiB more for 10 s, of which it gives 30 back
--   5  grows for 8 s, stands still for 10, grows for 8, stands still for 13, though blocks are made: it came back once
--   6  grows for 5 s while the node boots, then nothing is made
--   7  the same, but the node is old
--   8  grows to the end, but for 6 s in the middle: no mark of every window is higher, and it is a leak
--   9  has 400 MiB, and grows by a twelfth of that, to the end
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 39000000000);
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1 FROM json_each('["block_alloc", "block_free", "block_realloc"]');
CREATE TEMP TABLE second(runtime_id, s, mib, made);
WITH RECURSIVE number(s) AS (SELECT 0 UNION ALL SELECT s + 1 FROM number WHERE s < 39)
INSERT INTO second
SELECT r.value, s, CASE r.value
    WHEN 1 THEN 20 + min(s, 30)
    WHEN 4 THEN 20 + 40 * (s >= 10) - 30 * (s >= 20)
    WHEN 5 THEN 20 + 2 * min(s, 8) + 2 * max(0, min(s, 26) - 18)
    WHEN 6 THEN 20 + 4 * min(s, 5)
    WHEN 7 THEN 20 + 4 * min(s, 5)
    WHEN 8 THEN 20 + 2 * min(s, 14) + 2 * max(0, s - 20)
    WHEN 9 THEN 400 + s
    ELSE 20 + min(s, 20) END,
  10 * CASE r.value WHEN 1 THEN min(s, 30) WHEN 3 THEN min(s, 20) WHEN 6 THEN min(s, 5) WHEN 7 THEN min(s, 5) ELSE s END
FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9]') AS r, number;
INSERT INTO runtime SELECT DISTINCT runtime_id, 1, 'host', 100 + runtime_id, 'beam.smp' FROM second;
INSERT INTO name_allocator(runtime_id, allocator_id, name) SELECT id, 4, 'binary_alloc' FROM runtime;
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms)
SELECT 0, id, 1, 0, 0, 0, 0, iif(id = 6, 0, 1000000) FROM runtime;
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks, live_bytes)
SELECT 2 * runtime_id + (o.value = 'type'), 1, runtime_id, o.value, 4, iif(o.value = 'type', 7, NULL), mib, mib * 1048576
FROM second JOIN json_each('["allocator", "type"]') AS o WHERE s = 39;
INSERT INTO block_keyframe SELECT DISTINCT 1, s + 1, 1000000000 * s FROM second;
INSERT INTO block_keyframe_account
SELECT s + 1, a.id, t.made, t.made * 1048576, 0, 0, mib, mib * 1048576, mib, mib * 1048576, 0, 0
FROM second AS t JOIN block_account AS a USING (runtime_id);
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes)
SELECT runtime_id, 'binary_alloc', m.value, max(mib) FILTER (WHERE s = 39 OR m.value = 'peak') * 1048576,
  max(mib) FILTER (WHERE s = 39 OR m.value = 'peak') * 1048576
FROM second JOIN json_each('["end", "peak"]') AS m GROUP BY runtime_id, m.value;
