-- SPDX-License-Identifier: MIT
-- stage: figure
-- A node that was read twice in 3 s, see given_reading: 10 to 13 MiB are in blocks.  That is less than matters, and
-- much for 3 s: whether it goes on cannot be seen.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 3000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'binary_alloc');
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again, types, min_bytes, sample_by, hooked_uptime_ms) VALUES (0, 1, 1, 0, 0, 0, 0, 1000000);
INSERT INTO given_reading SELECT value FROM json_each('[0, 3]');
