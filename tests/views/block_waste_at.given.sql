-- SPDX-License-Identifier: MIT
INSERT INTO given_block_story VALUES (1);
DELETE FROM block_event;
DELETE FROM live_block_keyframe;
UPDATE block_span SET last_id = 4;
-- Sizes as asked for; their blocks are 64, 64, 72 and 112 bytes.
INSERT INTO block_event(id, ts_ns, op, thread_id, address, size, type_id, allocator_id) VALUES
  (1, 1, 0, 1, 4096, 1, 7, 4), (2, 2, 0, 1, 8192, 56, 7, 4),
  (3, 3, 0, 1, 12288, 57, 7, 4), (4, 4, 0, 1, 16384, 100, 7, 4);
