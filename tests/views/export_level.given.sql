-- as: page_live
-- SPDX-License-Identifier: MIT
-- Levels of recorded blocks and of samples, and a reading at 7000 ns, of which each instance has a row, and all of them one.
INSERT INTO runtime_fact(ts_ns, runtime_id, "key", value) VALUES (1, 1, 'node_name', 'one@here');
INSERT INTO snapshot(id, source_id, ts_ns, kind) VALUES (9, 1, 7000, 'system_info');
INSERT INTO node_fact VALUES (9, 'node_name', 'two@here');
INSERT INTO given_stat VALUES
  (9, 'ets_alloc', 'mbcs', '{"blocks_size": [300], "carriers_size": [4096]}'),
  (9, 'ets_alloc', 'sbcs', '{"blocks_size": [5000], "carriers_size": [8192]}');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, "key", "current") VALUES
  (9, 'ets_alloc', 2, 'mbcs', 'blocks_size', 100), (9, 'ets_alloc', 2, 'mbcs', 'carriers_size', 1024);
