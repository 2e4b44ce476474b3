-- SPDX-License-Identifier: MIT
-- A node read at one moment: 1000 bytes of carriers, 300 of them in the pool.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever) VALUES
  (7, 'ets_alloc', 1, 'mbcs', 'carriers', 2, 3),
  (7, 'ets_alloc', 1, 'mbcs', 'carriers_size', 500, 800),
  (7, 'ets_alloc', 1, 'mbcs', 'blocks_size', 270, 700),
  (7, 'ets_alloc', 1, 'sbcs', 'carriers', 1, 1),
  (7, 'ets_alloc', 1, 'sbcs', 'carriers_size', 200, 200),
  (7, 'ets_alloc', 1, 'sbcs', 'blocks', 1, 1),
  (7, 'ets_alloc', 1, 'sbcs', 'blocks_size', 180, 180),
  (7, 'ets_alloc', 1, 'mbcs_pool', 'carriers_size', 300, NULL),
  (7, 'ets_alloc', 1, 'mbcs_pool', 'blocks_size', 90, NULL);
INSERT INTO figure SELECT * FROM _read_figure;
