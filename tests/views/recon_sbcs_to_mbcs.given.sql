-- SPDX-License-Identifier: MIT
-- Half as many single blocks; only single blocks, which comes first; none at all.
INSERT INTO given_source(id) VALUES (1);
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat VALUES
  (1, 'ets_alloc', 0, 'mbcs', 'blocks', 4, 4, 4, 'ets_alloc'),
  (1, 'ets_alloc', 0, 'mbcs_pool', 'blocks', 4, NULL, NULL, 'ets_alloc'),
  (1, 'ets_alloc', 0, 'sbcs', 'blocks', 4, 4, 4, 'ets_alloc'),
  (1, 'eheap_alloc', 1, 'sbcs', 'blocks', 2, 2, 2, 'eheap_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks', 0, 0, 0, NULL);
