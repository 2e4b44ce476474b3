-- SPDX-License-Identifier: MIT
-- The source comes first, then its runtimes, then allocators, the largest first.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 1000000000, 9000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc'), (2, 'sl_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1), (2, 1, 2, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1), (2, 1, 2, 1);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, max_carriers_size,
  max_carriers_ts_ns, max_blocks_size, max_blocks_ts_ns, blocks_size_at_max) VALUES
  (1, 'instance', 1, 8000000000, 1048576, 2500000000, 524288, 2000000000, 262144),
  (1, 'allocator', 1, 8000000000, 1048576, 2500000000, 524288, 2000000000, 262144),
  (1, 'allocator', 2, 8000000000, 2097152, 3500000000, 524288, 2000000000, 524288),
  (1, 'runtime', 1, 8000000000, 3145728, 3500000000, 1048576, 2000000000, 786432),
  (1, 'source', 1, 8000000000, 3145728, 3500000000, 1048576, 2000000000, 786432);
