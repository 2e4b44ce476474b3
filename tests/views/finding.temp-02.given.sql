-- SPDX-License-Identifier: MIT
-- 2000 binaries of 3 MiB in 10 s: of runtime 1 all lived less than 17 ms, of runtime 2 half of them longer.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 10000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO name_allocator(id, ts_ns, runtime_id, allocator_id, name) VALUES (1, 0, 1, 10, 'binary_alloc'), (2, 0, 2, 10, 'binary_alloc');
INSERT INTO name_type(id, ts_ns, runtime_id, type_id, class_id, allocator_id, name) VALUES
  (1, 0, 1, 5, 2, 10, 'binary'), (2, 0, 2, 5, 2, 10, 'binary');
INSERT INTO block_account SELECT r.id, 1, r.id, 'type', 10, 5, 2, 2000, 6291456000, 2000, 6291456000, 0, 0, 0,
  1, 1000, 1, 3145728, 1000, 1, 0, 0, 0, 0, 0, 0 FROM runtime AS r;
INSERT INTO block_made_size VALUES (1, 2097152, 2000, 6291456000), (2, 2097152, 2000, 6291456000);
INSERT INTO block_life VALUES (1, 1048576, 2000, 6291456000), (2, 1048576, 1000, 3145728000), (2, 33554432, 1000, 3145728000);
