-- SPDX-License-Identifier: MIT
-- An instance with all extremes, its runtime, and an instance without events.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1), (2, 1, 1, 2);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, max_carriers_bytes,
  max_carriers_ts_ns, max_blocks_bytes, max_blocks_ts_ns, blocks_bytes_at_max,
  min_util_blocks_bytes, min_util_carriers_bytes, min_util_ts_ns,
  min_util2_blocks_bytes, min_util2_carriers_bytes, min_util2_ts_ns) VALUES
  (1, 'instance', 1, 8000, 1000, 3000, 750, 2000, 600, 0, 500, 1000, 200, 800, 4000),
  (1, 'instance', 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (1, 'runtime', 1, 8000, 1000, 3000, 750, 2000, 750, NULL, NULL, NULL, NULL, NULL, NULL);
