-- SPDX-License-Identifier: MIT
-- Nodes read at one moment: a heap in a carrier of its own counts from 8 MiB and a tenth of all
-- carriers on; the next size is 1.2 times the mean.
--   1: 2 heaps of 16 MiB in all, 8 MiB on the mean, in 17 of 80 MiB: just a tenth: fires; 9.6 MiB
--   2: a byte less on the mean: does not
--   3: as 1, in 80 MiB and a byte: does not
--   4: as 1, of ets_alloc, which has no heaps: does not
-- All carriers but the heaps' are full: flags can save 1 MiB.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2, 3, 4]');
CREATE TEMP VIEW stat AS
SELECT s.id AS snapshot_id, iif(s.id = 4, 'ets_alloc', 'eheap_alloc') AS allocator
FROM snapshot AS s;
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT snapshot_id, allocator, 1, 'mbcs', key, value, value
FROM (
  SELECT *, 66060288 + (snapshot_id = 3) AS value
  FROM stat JOIN (SELECT 'carriers_size' AS key UNION ALL SELECT 'blocks_size')
)
UNION ALL
SELECT snapshot_id, allocator, 1, 'sbcs', 'carriers', 2, 2 FROM stat
UNION ALL
SELECT snapshot_id, allocator, 1, 'sbcs', 'carriers_size', 17825792, 17825792 FROM stat
UNION ALL
SELECT snapshot_id, allocator, 1, 'sbcs', 'blocks', 2, 2 FROM stat
UNION ALL
SELECT snapshot_id, allocator, 1, 'sbcs', 'blocks_size', 16777216 - (snapshot_id = 2),
  16777216 - (snapshot_id = 2)
FROM stat;
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
-- stage: figure
