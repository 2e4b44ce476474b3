-- SPDX-License-Identifier: MIT
-- Nodes read at one moment; hits below 80 % of at least 1000 calls are few.
--   1: 500 + 299 = 799 hits of 600 + 400 = 1000 calls, 79.9 %: fires
--   2: 800 of 1000, 80 %: does not
--   3: 0 of 999 calls: too few to say
--   4: as 1, but mcs is 30 already, and the runtime takes no more: nothing to try
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot
SELECT value, 1, NULL, NULL, value, 'system_info' FROM json_each('[1, 2, 3, 4]');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current) VALUES
  (1, 'mseg_alloc', 1, 'status', 'cache_hits', 500),
  (1, 'mseg_alloc', 2, 'status', 'cache_hits', 299),
  (1, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 600),
  (1, 'mseg_alloc', 2, 'calls', 'mseg_alloc', 400),
  -- What allocators asked is counted a second time there: not added.
  (1, 'binary_alloc', 1, 'calls', 'mseg_alloc', 1000),
  (2, 'mseg_alloc', 1, 'status', 'cache_hits', 800),
  (2, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 1000),
  (3, 'mseg_alloc', 1, 'status', 'cache_hits', 0),
  (3, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 999),
  (4, 'mseg_alloc', 1, 'status', 'cache_hits', 799),
  (4, 'mseg_alloc', 1, 'calls', 'mseg_alloc', 1000);
INSERT INTO allocator_option VALUES
  (1, 'mseg_alloc', 1, 'mcs', '10'), (4, 'mseg_alloc', 1, 'mcs', '30');
