-- SPDX-License-Identifier: MIT
-- Heaps of two nodes grow by 2 MiB a second for 26 s, then nothing is made.
--   1  has 60 MiB more for a second three times: a heap is copied while its garbage is collected; whether it grows on is open
--   2  has them once, for 4 s: as much as grew was given back
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 39000000000);
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1 FROM json_each('["block_alloc", "block_free", "block_realloc"]');
CREATE TEMP TABLE second(runtime_id, s, mib, made);
WITH RECURSIVE number(s) AS (SELECT 0 UNION ALL SELECT s + 1 FROM number WHERE s < 39)
INSERT INTO second
SELECT r.value, s, 20 + 2 * min(s, 26) + 60 * iif(r.value = 1, s IN (10, 20, 30), s BETWEEN 10 AND 13), 10 * min(s, 26)
FROM json_each('[1, 2]') AS r, number;
INSERT INTO runtime SELECT DISTINCT runtime_id, 1, 'host', 100 + runtime_id, 'beam.smp' FROM second;
INSERT INTO name_allocator(runtime_id, allocator_id, name) SELECT id, 4, 'eheap_alloc' FROM runtime;
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms)
SELECT 0, id, 1, 0, 0, 0, 0, 1000000 FROM runtime;
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, live_blocks, live_bytes)
SELECT 2 * runtime_id + (o.value = 'type'), 1, runtime_id, o.value, 4, iif(o.value = 'type', 7, NULL), mib, mib * 1048576
FROM second JOIN json_each('["allocator", "type"]') AS o WHERE s = 39;
INSERT INTO block_keyframe SELECT DISTINCT 1, s + 1, 1000000000 * s FROM second;
INSERT INTO block_keyframe_account
SELECT s + 1, a.id, t.made, t.made * 1048576, 0, 0, mib, mib * 1048576, mib, mib * 1048576, 0, 0
FROM second AS t JOIN block_account AS a USING (runtime_id);
