-- SPDX-License-Identifier: MIT
-- One instance with holes, one that is full, one without a carrier; literals do not count.
INSERT INTO given_source(id) VALUES (1);
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat VALUES
  (1, 'ets_alloc', 0, 'mbcs', 'blocks_size', 500, 500, 500, 'ets_alloc'),
  (1, 'ets_alloc', 0, 'mbcs', 'carriers_size', 500, 500, 500, NULL),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks_size', 1000, 1000, 4000, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'mbcs', 'carriers_size', 4000, 4000, 4000, NULL),
  (1, 'binary_alloc', 1, 'sbcs', 'blocks_size', 900, 900, 900, 'binary_alloc'),
  (1, 'binary_alloc', 1, 'sbcs', 'carriers_size', 1000, 1000, 1000, NULL),
  (1, 'driver_alloc', 2, 'mbcs', 'carriers_size', 0, 0, 0, NULL),
  (1, 'literal_alloc', NULL, 'mbcs', 'carriers_size', 100000, 0, 0, NULL);
