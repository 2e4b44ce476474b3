-- SPDX-License-Identifier: MIT
-- Nodes read at one moment: one instance, 2 carriers of 20 MiB (20971520 bytes) in all, of which
-- one of the mean size, 10 MiB, may be empty by chance.
--   1: 2 MiB used now, 16 MiB of 20 at the peak, 80 %: 20 - 2 - 10 = 8 MiB waste: FRAG-01
--   2: a byte more is used: 8 MiB less a byte: only what flags can save at most, 18 MiB less it
--   3: as 1, a byte less at the peak, below 80 %: FRAG-02
--   4: as 1, no maxima recorded: FRAG-02, and no peak to save of
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2, 3, 4]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT id, 'eheap_alloc', 1, 'mbcs', 'carriers', 2, 2 FROM snapshot
UNION ALL
SELECT id, 'eheap_alloc', 1, 'mbcs', 'carriers_size', 20971520, iif(id = 4, NULL, 20971520)
FROM snapshot
UNION ALL
SELECT id, 'eheap_alloc', 1, 'mbcs', 'blocks_size', 2097152 + (id = 2),
  iif(id = 4, NULL, 16777216 - (id = 3))
FROM snapshot;
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
-- stage: figure
