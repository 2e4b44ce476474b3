-- SPDX-License-Identifier: MIT
-- Five readings of a node: ets_alloc has 10, 20, 30, 40 and 50 MiB in blocks, seven others 1 MiB each:
-- the last reading tells of 30 MiB of growth, the first does not count.
INSERT INTO given_source(id, kind) SELECT value, 'terms' FROM json_each('[1, 2, 3, 4, 5]');
INSERT INTO snapshot SELECT id, id, NULL, NULL, 1, 'recon' FROM source;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT s.id, a.value, 1, 'mbcs', k.value, b.bytes, b.bytes
FROM snapshot AS s
JOIN json_each('["eheap_alloc", "binary_alloc", "ets_alloc", "sl_alloc", "std_alloc", "ll_alloc",
  "fix_alloc", "driver_alloc"]') AS a
JOIN json_each('["carriers_size", "blocks_size"]') AS k
JOIN (SELECT id, id * 10485760 AS bytes, 1 AS is_ets FROM snapshot UNION ALL SELECT id, 1048576, 0 FROM snapshot) AS b
  ON b.id = s.id AND b.is_ets = (a.value = 'ets_alloc');
INSERT INTO figure SELECT * FROM _read_figure;
