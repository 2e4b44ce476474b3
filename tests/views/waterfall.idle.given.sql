-- SPDX-License-Identifier: MIT
-- A node read at one moment: what was asked for is not known of ets_alloc, and 0 of test_alloc, which has no
-- blocks: of both together it is not known.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever) VALUES
  (7, 'ets_alloc', 1, 'mbcs', 'carriers', 1, 1),
  (7, 'ets_alloc', 1, 'mbcs', 'carriers_size', 500, 500),
  (7, 'ets_alloc', 1, 'mbcs', 'blocks', 3, 3),
  (7, 'ets_alloc', 1, 'mbcs', 'blocks_size', 270, 270),
  (7, 'test_alloc', 0, 'mbcs', 'carriers', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'carriers_size', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'blocks', 0, 0),
  (7, 'test_alloc', 0, 'mbcs', 'blocks_size', 0, 0);
INSERT INTO figure SELECT * FROM _read_figure;
INSERT OR REPLACE INTO figure(subject_id, source_id, snapshot_id, allocator, moment, quantity, low, likely, high, quality)
VALUES (-7, 1, 7, 'test_alloc', 'end', 'asked_bytes', 0, 0, 0, 'exact');
