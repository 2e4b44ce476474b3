-- as: heap_reading
-- SPDX-License-Identifier: MIT
-- The seed's two crashes: one with its report behind it, one with it before.
INSERT INTO snapshot VALUES
  (4, 1, NULL, NULL, 1106, 'failure'), (5, 1, NULL, NULL, 1242, 'failure'), (6, 1, NULL, NULL, 955, 'boot');
INSERT INTO logged_failure VALUES
  (4, 'eheap_alloc', 'allocate', 2059352, 'heap'),
  (5, 'eheap_alloc', 'allocate', 3332104, 'old_heap');
