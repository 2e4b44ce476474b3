-- SPDX-License-Identifier: MIT
-- stage: figure
-- A node that emitted 20 readings of its own, one in two seconds, and one sample a second of 1 MiB in
-- binary_alloc that lives: both its samples and its readings show that it grows, and it is one verdict, of its readings.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 40000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'binary_alloc');
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, sample_by, sample_every) VALUES (0, 1, 1, 1, 65536);
INSERT INTO given_reading
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 2 FROM n WHERE i < 38) SELECT i FROM n;
INSERT INTO sample_alloc(ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro)
SELECT (i + j) * 1000000000, 1, 4096 * (i + j + 1), 1048576, 7, 4, 1, 1000000 FROM given_reading, (SELECT 0 AS j UNION ALL SELECT 1);
