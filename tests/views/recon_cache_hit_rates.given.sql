-- as: recon_memory
-- SPDX-License-Identifier: MIT
-- Nine of ten calls are answered from the cache of instance 0, one of ten from that of instance 1.
INSERT INTO instance_stat VALUES
  (1, 'mseg_alloc', 0, 'status', 'cache_hits', 90, NULL, NULL, NULL),
  (1, 'mseg_alloc', 0, 'status', 'cached_segments', 2, NULL, NULL, NULL),
  (1, 'mseg_alloc', 0, 'calls', 'mseg_alloc', 100, NULL, NULL, NULL),
  (1, 'mseg_alloc', 1, 'status', 'cache_hits', 10, NULL, NULL, NULL),
  (1, 'mseg_alloc', 1, 'status', 'cached_segments', 0, NULL, NULL, NULL),
  (1, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 100, NULL, NULL, NULL);
