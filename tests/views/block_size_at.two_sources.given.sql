-- SPDX-License-Identifier: MIT
-- Two sources with the same addresses and types do not mix.
INSERT INTO given_block_story VALUES (1);
INSERT INTO given_source(id) VALUES (2);
INSERT INTO runtime VALUES (2, 2, 'other', 200, 'beam.smp');
INSERT INTO thread VALUES (2, 2, 201, '1_scheduler', 0, 1);
INSERT INTO block_event(ts_ns, op, thread_id, address, size, type_id, allocator_id) VALUES
  (2, 0, 2, 4096, 100, 7, 4);
INSERT INTO block_span VALUES (2, 7, 7, 2, 2, 0);
-- Right before the first row of the second source are keyframes of the first.
INSERT INTO block_keyframe VALUES (1, 6, 5);
INSERT INTO block_keyframe_size VALUES (6, 1, 128, 1, 200), (6, 1, 256, 1, 300);
INSERT INTO live_block_keyframe VALUES (6, 2);
INSERT INTO live_block_list VALUES (6, 0, '[3,6]');
UPDATE question SET at_ns = 3;
