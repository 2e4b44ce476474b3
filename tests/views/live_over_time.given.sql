-- SPDX-License-Identifier: MIT
-- Two block types of one allocator: 100 + 50 bytes, then 100 more, then the 50 go.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'twin');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO name_type(ts_ns, runtime_id, type_id, class_id, allocator_id, name) VALUES (0, 1, 9, 1, 4, 'row'), (0, 1, 10, 1, 4, 'seg');
INSERT INTO block_total VALUES (1, 4, 9, 6, 4, 400, 0, 2, 200, 200, 3000), (1, 4, 10, 5, 1, 50, 0, 0, 0, 50, 0);
INSERT INTO block_level VALUES
  (1, 4, 9, 6, 1000, 1, 100), (1, 4, 9, 6, 3000, 2, 200),
  (1, 4, 10, 5, 1000, 1, 50), (1, 4, 10, 5, 6000, 0, 0);
