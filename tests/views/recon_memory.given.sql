-- as: allocator_reading
-- SPDX-License-Identifier: MIT
-- literal_alloc and foreign blocks are left out; the pool counts now and not at the maximum.
-- Blocks of its own and of another allocator, one alone in its carrier, one in the pool.
INSERT INTO instance_stat VALUES
  (1, 'mseg_alloc', 0, 'status', 'segments_size', 10000, 0, 0, NULL),
  (1, 'mseg_alloc', 1, 'status', 'segments_size', 5000, 0, 0, NULL),
  (1, 'default_mmap', NULL, 'os', 'used', 18000, NULL, NULL, NULL);
