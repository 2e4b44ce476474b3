-- SPDX-License-Identifier: MIT
-- A whole node that was read: ten allocators, each with 1000 bytes of carriers from the segment
-- allocator and 100 from malloc, 900 of them blocks; 30 blocks' bytes of sl_alloc lie in
-- carriers of ets_alloc.  512 bytes of segments are kept for reuse, 20,000 are in memory.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, of)
SELECT 7, a.value, 0, 'mbcs', json_extract(k.value, '$[0]'), json_extract(k.value, '$[1]'),
  iif(json_extract(k.value, '$[0]') = 'blocks_size', a.value, NULL)
FROM json_each('["eheap_alloc", "binary_alloc", "ets_alloc", "sl_alloc", "std_alloc", "ll_alloc",
  "fix_alloc", "driver_alloc", "temp_alloc", "literal_alloc"]') AS a
CROSS JOIN json_each('[["carriers", 2], ["carriers_size", 1100], ["blocks_size", 900],
  ["mseg_alloc_carriers_size", 1000], ["sys_alloc_carriers_size", 100]]') AS k;
UPDATE instance_stat SET current = 870 WHERE allocator = 'sl_alloc' AND key = 'blocks_size';
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, of) VALUES
  (7, 'ets_alloc', 0, 'mbcs', 'blocks_size', 30, 'sl_alloc'),
  (7, 'mseg_alloc', 0, 'status', 'segments_size', 9000, NULL),
  (7, 'default_mmap', NULL, 'os', 'used', 9512, NULL),
  (7, 'literal_mmap', NULL, 'supercarrier', 'used_sa', 1000, NULL),
  (7, 'literal_mmap', NULL, 'supercarrier', 'used_sua', 0, NULL);
INSERT INTO memory_sample VALUES (7, 'os_resident', 20000);
-- stage: figure
