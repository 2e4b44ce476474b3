-- SPDX-License-Identifier: MIT
-- Nodes read at one moment: one instance, 5 carriers of 40 MiB in all, 8 MiB on the mean; at the
-- peak 40 MiB were in blocks.
--   1: 24 MiB used, 60 %; 40 - 24 - 8 = 8 MiB wait for the next peak: fires; flags can save
--      40 - 24 = 16 MiB now, 40 - 40 = 0 MiB of the peak
--   2: a byte more is used, so that 8 MiB less a byte wait: does not
--   3: as 1, at the peak 32 MiB less a byte, below 80 % of 40: does not
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, value, 'recon' FROM json_each('[1, 2, 3]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever)
SELECT id, 'ets_alloc', 1, 'mbcs', 'carriers', 5, 5 FROM snapshot
UNION ALL
SELECT id, 'ets_alloc', 1, 'mbcs', 'carriers_size', 41943040, 41943040 FROM snapshot
UNION ALL
SELECT id, 'ets_alloc', 1, 'mbcs', 'blocks_size', 25165824 + (id = 2),
  iif(id = 3, 33554431, 41943040)
FROM snapshot;
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
-- stage: figure
