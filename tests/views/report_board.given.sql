-- SPDX-License-Identifier: MIT
-- The seed's two crashes, and a flag without effect.
INSERT INTO given_source(id, kind) VALUES (1, 'board_log');
INSERT INTO snapshot VALUES
  (1, 1, NULL, NULL, 1030, 'malloc'), (2, 1, NULL, NULL, 1106, 'failure'),
  (3, 1, NULL, NULL, 1111, 'malloc'), (4, 1, NULL, NULL, 1205, 'malloc'),
  (5, 1, NULL, NULL, 1242, 'failure'), (6, 1, NULL, NULL, 955, 'boot');
INSERT INTO heap_sample VALUES
  (1, 168, 2883576, 17191128, 2118, 8388616, 43339552, 60530680, 16143536, 169, 125,
   172748904, 129468712, 45213, 26930, 0, 24812, 73),
  (3, 189, 1572856, 12994288, 2149, 8388616, 47536392, 60530680, 10897488, 195, 189,
   205722832, 157197224, 77021, 52138, 4, 49989, 77),
  (4, 192, 1572856, 11431776, 2141, 8388616, 49098904, 60530680, 9334456, 195, 192,
   289351144, 239263024, 211816, 174766, 4, 172625, 75);
INSERT INTO logged_failure VALUES
  (2, 'eheap_alloc', 'allocate', 2059352, 'heap'),
  (5, 'eheap_alloc', 'allocate', 3332104, 'old_heap');
INSERT INTO boot_flag VALUES (6, '+MHas', 'aobf', 1);
