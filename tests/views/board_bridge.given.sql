-- SPDX-License-Identifier: MIT
-- The seed's last report, a list of erlang:memory() before it, and a table of tasks.
INSERT INTO given_source(id, kind) VALUES (1, 'board_log');
INSERT INTO snapshot VALUES
  (1, 1, NULL, NULL, 412, 'cpu'), (2, 1, NULL, NULL, 1188, 'memory'),
  (3, 1, NULL, NULL, 1205, 'malloc');
INSERT INTO cpu_sample VALUES (1, 29204887188000, 3373991000, 38, 33.858, 42.113, 57.886,
  28311552, 31457280, 4194304);
INSERT INTO memory_sample VALUES (2, 'total', 22627896), (2, 'processes', 6686824);
INSERT INTO heap_sample VALUES
  (3, 192, 1572856, 11431776, 2141, 8388616, 49098904, 60530680, 9334456, 195, 192,
   289351144, 239263024, 211816, 174766, 4, 172625, 75);
