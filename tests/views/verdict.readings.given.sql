-- SPDX-License-Identifier: MIT
-- stage: figure
-- A node that emitted 40 readings of its own, one a second, and no carrier events.  See given_reading.
--
-- The recording ends 1 s after the last reading: nothing is exact at the end, and the readings show the growth
-- all the same.  Window 3 of 8 begins at 40 / 8 * 2 = 10 s; the low-water marks of windows 3 to 8 are those of
-- readings 10, 15, ... 35: 20 to 45 MiB, which rose by 25 MiB.  The last reading has 49 MiB in
-- 59 MiB: a leak, not fragmentation.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 40000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'binary_alloc');
INSERT INTO given_reading
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39) SELECT i FROM n;
