-- SPDX-License-Identifier: MIT
-- A node read at one moment: what was asked for is not known of ets_alloc, and 0 of test_alloc, which has no
-- blocks: of both together it is not known.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever) VALUES
  (7, 'ets_alloc', 1, 'mbcs', 'carriers', 1, 1),
  (7, 'ets_alloc', 1, 'mbcs', 'carriers_size', 500, 500),
  (7, 'ets_alloc', 1, 'mbcs', 'blocks', 3, 3),
  (7, 'ets_alloc', 1, 'mbcs', 'blocks_size', 270, 270),
  (7, 'test_alloc', 0, 'mbcs', 'carriers', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'carriers_size', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'blocks', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'blocks_size', 0, 0);
INSERT INTO figure(subject_id, source_id, snapshot_id, allocator, moment, quantity, low, likely, high, quality) VALUES
  (-7, 1, 7, 'ets_alloc', 'end', 'blocks', 3, 3, 3, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'blocks_bytes', 270, 270, 270, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'carriers_bytes', 500, 500, 500, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'instances', 1, 1, 1, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'multi_block_carriers', 1, 1, 1, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'multi_block_carriers_bytes', 500, 500, 500, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'pool_blocks_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'pool_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'single_block_blocks_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'single_block_carriers', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'single_block_carriers_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'ets_alloc', 'end', 'unused_bytes', 230, 230, 230, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'blocks', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'blocks_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'carriers_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'instances', 1, 1, 1, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'multi_block_carriers', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'multi_block_carriers_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'pool_blocks_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'pool_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'single_block_blocks_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'single_block_carriers', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'single_block_carriers_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'test_alloc', 'end', 'unused_bytes', 0, 0, 0, 'exact'),
  (-7, 1, 7, 'all', 'end', 'blocks', 3, 3, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'blocks_bytes', 270, 270, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'carriers_bytes', 500, 500, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'instances', 1, 1, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'multi_block_carriers', 1, 1, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'multi_block_carriers_bytes', 500, 500, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'pool_blocks_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'pool_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'single_block_blocks_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'single_block_carriers', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'single_block_carriers_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'end', 'unused_bytes', 230, 230, NULL, 'bound'),
  (-7, 1, 7, 'ets_alloc', 'peak', 'blocks_bytes', 0, 270, NULL, 'bound'),
  (-7, 1, 7, 'ets_alloc', 'peak', 'carriers_bytes', 500, 500, NULL, 'bound'),
  (-7, 1, 7, 'test_alloc', 'peak', 'blocks_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'test_alloc', 'peak', 'carriers_bytes', 0, 0, NULL, 'bound'),
  (-7, 1, 7, 'all', 'peak', 'blocks_bytes', 0, 270, NULL, 'bound'),
  (-7, 1, 7, 'all', 'peak', 'carriers_bytes', 500, 500, NULL, 'bound');
INSERT OR REPLACE INTO figure(subject_id, source_id, snapshot_id, allocator, moment, quantity, low, likely, high, quality)
VALUES (-7, 1, 7, 'test_alloc', 'end', 'asked_bytes', 0, 0, 0, 'exact');
