-- SPDX-License-Identifier: MIT
-- Two block types of one allocator: 100 + 50 bytes, then 100 more, then the 50 go.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'twin');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO name_type(ts_ns, runtime_id, type_id, class_id, allocator_id, name) VALUES (0, 1, 9, 1, 4, 'row'), (0, 1, 10, 1, 4, 'seg');
INSERT INTO block_account(id, source_id, runtime_id, scope, allocator_id, type_id, made, made_bytes,
  ended, ended_bytes, resized, live_blocks, live_bytes, most_blocks, most_bytes, unknown_frees,
  unknown_bytes, lost_frees, lost_bytes, temporary, temporary_bytes) VALUES
  (1, 1, 1, 'type', 4, 9, 2, 200, 0, 0, 0, 2, 200, 2, 200, 0, 0, 0, 0, 0, 0),
  (2, 1, 1, 'type', 4, 10, 1, 50, 1, 50, 0, 0, 0, 1, 50, 0, 0, 0, 0, 0, 0),
  (3, 1, 1, 'allocator', 4, NULL, 3, 250, 1, 50, 0, 2, 200, 3, 250, 0, 0, 0, 0, 0, 0);
INSERT INTO block_made_size VALUES (1, 64, 2, 200), (2, 32, 1, 50);
INSERT INTO block_keyframe VALUES (1, 2, 1000), (1, 3, 3000), (1, 4, 6000);
INSERT INTO block_keyframe_account VALUES
  (2, 1, 1, 100, 0, 0, 1, 100, 1, 100, 0, 0), (2, 2, 1, 50, 0, 0, 1, 50, 1, 50, 0, 0),
  (2, 3, 2, 150, 0, 0, 2, 150, 2, 150, 0, 0),
  (3, 1, 2, 200, 0, 0, 2, 200, 2, 200, 0, 0), (3, 2, 1, 50, 0, 0, 1, 50, 1, 50, 0, 0),
  (3, 3, 3, 250, 0, 0, 3, 250, 3, 250, 0, 0),
  (4, 1, 2, 200, 0, 0, 2, 200, 2, 200, 0, 0), (4, 2, 1, 50, 1, 50, 0, 0, 1, 50, 0, 0),
  (4, 3, 3, 250, 1, 50, 2, 200, 3, 250, 0, 0);
INSERT INTO block_keyframe_size VALUES
  (2, 1, 64, 1, 100), (2, 2, 32, 1, 50), (3, 1, 64, 2, 200), (3, 2, 32, 1, 50), (4, 1, 64, 2, 200);
