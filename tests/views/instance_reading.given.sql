-- SPDX-License-Identifier: MIT
-- Blocks of its own and of another allocator, one alone in its carrier, one in the pool.
INSERT INTO given_source(id) VALUES (1);
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat VALUES
  (1, 'binary_alloc', 1, 'mbcs', 'blocks', 4, 4, 9, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks_size', 1000, 1000, 5000, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks', 1, 1, 1, 'ets_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks_size', 500, 500, 500, 'ets_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'carriers', 1, 1, 2, NULL),
  (1, 'binary_alloc', 1, 'mbcs', 'carriers_size', 8000, 8000, 16000, NULL),
  (1, 'binary_alloc', 1, 'sbcs', 'blocks', 1, 1, 1, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'sbcs', 'blocks_size', 6000, 6000, 6000, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'sbcs', 'carriers', 1, 1, 1, NULL),
  (1, 'binary_alloc', 1, 'sbcs', 'carriers_size', 6144, 6144, 6144, NULL),
  (1, 'binary_alloc', 1, 'mbcs_pool', 'blocks', 1, NULL, NULL, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'mbcs_pool', 'blocks_size', 100, NULL, NULL, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'mbcs_pool', 'carriers', 1, NULL, NULL, NULL),
  (1, 'binary_alloc', 1, 'mbcs_pool', 'carriers_size', 4096, NULL, NULL, NULL),
  (1, 'binary_alloc', 1, 'calls', 'binary_alloc', 7, NULL, NULL, NULL),
  -- No instances: number 0.
  (1, 'literal_alloc', NULL, 'mbcs', 'blocks', 3, 3, 3, NULL),
  (1, 'literal_alloc', NULL, 'mbcs', 'blocks_size', 300, 300, 300, NULL),
  (1, 'literal_alloc', NULL, 'mbcs', 'carriers_size', 1024, 1024, 1024, NULL);
