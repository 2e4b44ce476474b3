-- SPDX-License-Identifier: MIT
-- The keyframe after the moment is nearer: what ended between them is live again.
INSERT INTO given_block_story VALUES (1);
UPDATE question SET at_ns = 4;
DELETE FROM block_keyframe_size;
UPDATE block_keyframe SET at_id = 5, ts_ns = 5;
INSERT INTO block_keyframe_size VALUES (5, 1, 256, 1, 300);
