-- SPDX-License-Identifier: MIT
-- The largest hole by free memory, first and last of a run: the last must be at most half.
--   source 1: 8,000 of 10,000, then 4,000 of 10,000: 0.4 is half of 0.8: fires, 6,000 bytes are elsewhere
--   source 2: 8,000 of 10,000, then 4,004 of 10,000: does not
--   source 3: 4,000 of 5,000, then 4,000 of 10,000: half, but the hole did not fall: does not
INSERT INTO given_source(id, kind) VALUES (1, 'board_log'), (2, 'board_log'), (3, 'board_log');
CREATE TEMP VIEW recorded(id, source, largest, free) AS
VALUES (1, 1, 8000, 10000), (2, 1, 4000, 10000), (3, 2, 8000, 10000), (4, 2, 4004, 10000),
  (5, 3, 4000, 5000), (6, 3, 4000, 10000);
INSERT INTO snapshot SELECT id, source, NULL, NULL, id, 'malloc' FROM recorded;
-- One heap of 30,000 bytes; as many blocks are used as allocs less frees, more each time.
INSERT INTO heap_sample
SELECT id, 4, largest, free, 4, 4000, 30000 - free, 30000, 1000, 5, id, 25000 + id, 5000 + free,
  20 + id, 9 + id, 0, 5, 0
FROM recorded;
