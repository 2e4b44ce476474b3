-- SPDX-License-Identifier: MIT
-- Nodes at the boundaries of the rules, each with eight allocators that have 1 MiB in one full carrier
-- where nothing else is said.  What they must be follows from how they were made:
--   1 to 5    u@host: ets_alloc grows by 10 MiB from reading to reading but the last, which has 64 KiB
--             more than the fourth: it stopped growing: normal
--   6 to 10   v@host: ll_alloc grows from 1 to 13 MiB beside 500 MiB of full binary_alloc: growth of
--             9 MiB from the second on is under a tenth of the node, and a leak all the same
--   11 to 15  w@host: binary_alloc grows by 10 blocks of 1 MiB, each in a carrier of its own: a leak
--   16 to 20  x@host: ets_alloc grows by 10 MiB a reading, and binary_alloc uses 8 of 40 MiB in 10
--             carriers: the leak is the node's, fragmentation stays the allocator's
--   21        y@host: 20 MiB of pool of 200 MiB in all: exactly a tenth: pooled
--   22        z@host: the same with 1 KiB more in use beside it: less than a tenth: normal
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
CREATE TEMP TABLE reading(id, n, name);
INSERT INTO reading SELECT g.key * 5 + v.value, v.value, g.value
FROM json_each('["u@host", "v@host", "w@host", "x@host"]') AS g, json_each('[1,2,3,4,5]') AS v;
INSERT INTO reading VALUES (21, 1, 'y@host'), (22, 1, 'z@host');
CREATE TEMP TABLE held(name, allocator, section, carriers, base, step, carrier_base, carrier_step);
-- Bytes in blocks and in carriers: base + step * n.
INSERT INTO held VALUES
  ('u@host', 'ets_alloc', 'mbcs', 1, 0, 10485760, 0, 10485760),
  ('v@host', 'll_alloc', 'mbcs', 1, -2097152, 3145728, -2097152, 3145728),
  ('v@host', 'binary_alloc', 'mbcs', 100, 524288000, 0, 524288000, 0),
  ('w@host', 'binary_alloc', 'sbcs', NULL, 0, 10485760, 0, 10485760),
  ('x@host', 'ets_alloc', 'mbcs', 1, 0, 10485760, 0, 10485760),
  ('x@host', 'binary_alloc', 'mbcs', 10, 8388608, 0, 41943040, 0),
  ('y@host', 'ets_alloc', 'mbcs_pool', 20, 2097152, 0, 20971520, 0),
  ('y@host', 'binary_alloc', 'mbcs', 100, 181403648, 0, 181403648, 0),
  ('z@host', 'ets_alloc', 'mbcs_pool', 20, 2097152, 0, 20971520, 0),
  ('z@host', 'binary_alloc', 'mbcs', 100, 181404672, 0, 181404672, 0);
INSERT INTO snapshot SELECT id, 1, NULL, id, 1, 'crash_dump' FROM reading;
INSERT INTO crash_dump(snapshot_id, cause, ended, end_offset_bytes, binaries, binary_bytes)
SELECT id, 'user_signal', 'end', 1, 0, 0 FROM reading;
INSERT INTO node_fact SELECT id, 'system_version', 'V' FROM reading;
INSERT INTO node_fact SELECT id, 'node_name', name FROM reading;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, "key", "current")
SELECT r.id, h.allocator, 1, h.section, k.value, CASE k.value
  WHEN 'carriers' THEN ifnull(h.carriers, 10 * r.n)
  WHEN 'blocks' THEN ifnull(h.carriers, 10 * r.n)
  WHEN 'carriers_size' THEN h.carrier_base + h.carrier_step * r.n
  ELSE h.base + h.step * r.n END - iif(r.id = 5 AND k.value LIKE '%size', 10420224, 0)
FROM reading AS r
JOIN held AS h ON h.name = r.name
JOIN json_each('["carriers", "blocks", "carriers_size", "blocks_size"]') AS k;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, "key", "current")
SELECT r.id, a.value, 1, 'mbcs', k.value, iif(k.value IN ('carriers', 'blocks'), 1, 1048576)
FROM reading AS r
JOIN json_each('["eheap_alloc", "binary_alloc", "ets_alloc", "sl_alloc", "std_alloc", "ll_alloc",
  "fix_alloc", "driver_alloc"]') AS a
JOIN json_each('["carriers", "blocks", "carriers_size", "blocks_size"]') AS k
WHERE NOT EXISTS (SELECT 1 FROM held AS h WHERE h.name = r.name AND h.allocator = a.value
  AND h.section = 'mbcs');
-- stage: figure
