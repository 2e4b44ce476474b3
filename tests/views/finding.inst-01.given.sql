-- SPDX-License-Identifier: MIT
-- Instance 1 has 4 carriers of 20 MiB in all, 2 and 3 one of 1 MiB each, half used.  What it
-- does not use counts from 8 MiB and one of its carriers on: 8 + 5 = 13 MiB.
--   runtime 1: 7 MiB used (7340032), 13 unused: fires; instances 2 and 3 made carriers.
--              Used in all: 7 + 0.5 + 0.5 = 8 of 22 MiB; a carrier of the mean size for each
--              of 3 instances may be empty: 22 - 8 - 11 = 3 MiB, no fragmentation.  Flags
--              could save 22 - 8 = 14 MiB at most
--   runtime 2: one byte more is used: does not
--   runtime 3: as 1, one put into the pool: does not
--   runtime 4: as 1, of temp_alloc, which never takes part in the pool: does not
--   runtime 5: as 1, of instance 0, which all threads share and has no pool: does not
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime
SELECT value, 1, 'host', 100 * value, 'beam.smp' FROM json_each('[1, 2, 3, 4, 5]');
INSERT INTO allocator VALUES (1, 'ets_alloc'), (2, 'temp_alloc');
INSERT INTO allocator_use SELECT id, id, iif(id = 4, 2, 1), 3 FROM runtime;
CREATE TEMP VIEW recorded AS
SELECT r.id AS runtime_id, 10 * r.id + i.value AS id, i.value - (r.id = 5) AS number,
  iif(i.value = 1, 4, 1) AS carriers, iif(i.value = 1, 20971520, 1048576) AS size,
  iif(i.value = 1, 7340032 + (r.id = 2), 524288) AS used
FROM runtime AS r JOIN json_each('[1, 2, 3]') AS i;
INSERT INTO given_instance(id, runtime_id, allocator_id, number)
SELECT id, runtime_id, iif(runtime_id = 4, 2, 1), number FROM recorded;
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, last_mbc_carriers,
  last_mbc_carriers_bytes, last_mbc_blocks_bytes, mbc_creates, mbc_create_bytes)
SELECT 1, 'instance', id, 8000, carriers, size, used, carriers, size FROM recorded;
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, mbc_creates,
  mbc_create_bytes, puts, pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max,
  max_carriers_bytes, blocks_bytes_at_max, max_blocks_bytes)
SELECT 1, scope, t.runtime_id, 8000, sum(carriers), sum(size), t.runtime_id = 3, 0, 0, 0,
  sum(size), sum(used), sum(used)
FROM recorded AS t JOIN (SELECT 'allocator' AS scope UNION ALL SELECT 'runtime')
GROUP BY scope, t.runtime_id;
INSERT INTO given_figure(subject_id, allocator, moment, mbc, bytes, mbcs, instances)
SELECT runtime_id, iif(runtime_id = 4, 'temp_alloc', 'ets_alloc'), m.value, sum(size), sum(used), sum(carriers), 3
FROM recorded JOIN json_each('["end", "peak"]') AS m
GROUP BY runtime_id, m.value;
