-- SPDX-License-Identifier: MIT
-- Of at least 1000 attempts fewer than 20 % fetched, and at least 8 MiB wait in the pool.
-- One carrier of 1 MiB is owned and filled; 9 MiB were made, so that 8 MiB are pooled.
--   runtime 1: 199 of 1000 fetched, 801 failed, 8 MiB wait at least: fires, and POOL-01
--   runtime 2: 200 of 1000 are 20 %: only POOL-01
--   runtime 3: 999 attempts: only POOL-01
--   runtime 4: 8 MiB less a byte wait: neither
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime
SELECT value, 1, 'host', 100 * value, 'beam.smp' FROM json_each('[1, 2, 3, 4]');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use SELECT id, id, 1, 1 FROM runtime;
INSERT INTO given_instance(id, runtime_id, allocator_id, number) SELECT id, id, 1, 1 FROM runtime;
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, last_mbc_carriers,
  last_mbc_carriers_bytes, last_mbc_blocks_bytes, mbc_creates, mbc_create_bytes, gets, fetches,
  misses, pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max, max_carriers_bytes,
  blocks_bytes_at_max, max_blocks_bytes)
SELECT 1, scope, r.id, 8000, 1, 1048576, 1048576, 9, 9437184, 1000 - (r.id = 3),
  199 + (r.id = 2), 801 - (r.id IN (2, 3)), 8,
  8388608 - (r.id = 4), 8388608 - (r.id = 4), 1048576, 1048576, 1048576
FROM runtime AS r
JOIN (SELECT 'instance' AS scope UNION ALL SELECT 'allocator' UNION ALL SELECT 'runtime');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes, pool)
SELECT id, 'ets_alloc', 1048576, 1048576, 8388608 - (id = 4) FROM runtime;
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes)
SELECT id, 'ets_alloc', 'peak', 1048576, 1048576 FROM runtime;
