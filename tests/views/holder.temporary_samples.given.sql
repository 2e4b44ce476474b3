-- SPDX-License-Identifier: MIT
-- The same of samples: one type of which all frees were at once, and one of which half were: of that a block that is as
-- young at the end does not count.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 10000000000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc');
INSERT INTO name_type(id, ts_ns, runtime_id, thread_id, type_id, allocator_id, class_id, name) VALUES (1, 1, 1, NULL, 7, 2, 1, 'drv_binary'), (2, 1, 1, NULL, 8, 2, 1, 'binary');
INSERT INTO sample_alloc_by_process(id, ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process) VALUES
  (1, 1000000000, 1, 4096, 10000000, 7, 2, 1, 1000000, 78),
  (2, 2000000000, 1, 4096, 10000000, 7, 2, 1, 2000000, 78),
  (3, 9999000000, 1, 4096, 1000, 7, 2, 1, 2000000, 78),
  (4, 9000000000, 1, 8192, 10000000, 8, 2, 1, 3000000, 78),
  (5, 9000000000, 1, 12288, 5000, 8, 2, 1, 3000000, 78),
  (6, 9999000000, 1, 16384, 1000, 8, 2, 1, 1000000, 78);
INSERT INTO sample_free(id, ts_ns, runtime_id, address) VALUES
  (1, 1001000000, 1, 4096), (2, 2001000000, 1, 4096), (3, 9001000000, 1, 8192), (4, 9900000000, 1, 12288);
