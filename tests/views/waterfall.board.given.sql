-- SPDX-License-Identifier: MIT
-- The seed's report after its crash.
INSERT INTO given_source(id, kind) VALUES (1, 'board_log');
INSERT INTO snapshot VALUES (2, 1, NULL, NULL, 1111, 'malloc');
INSERT INTO heap_sample VALUES
  (2, 189, 1572856, 12994288, 2149, 8388616, 47536392, 60530680, 10897488, 195, 189,
   205722832, 157197224, 77021, 52138, 4, 49989, 77);
