-- as: waterfall.node
-- SPDX-License-Identifier: MIT
-- The same node with 100 MiB in segments and 200 beside them in the segment cache; and one with 30 beside them, less than a quarter.
INSERT INTO snapshot VALUES (8, 1, NULL, NULL, 2, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, of)
SELECT 8, allocator, instance, section, key, current, of FROM instance_stat;
UPDATE instance_stat SET current = 104857600 WHERE key = 'segments_size';
UPDATE instance_stat SET current = iif(snapshot_id = 7, 314572800, 136314880) WHERE allocator = 'default_mmap' AND key = 'used';
