-- SPDX-License-Identifier: MIT
-- One answer that was printed, and one of a traced node.
INSERT INTO given_source(id, lost_events) VALUES (1, 0), (2, 5);
INSERT INTO runtime VALUES (7, 2, 'host', 100, 'beam.smp');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'carriers'), (2, 1, NULL, NULL, 9, 'allocations');
INSERT INTO histogram_bucket VALUES
  (1, 'free', 1, NULL, NULL, 0, 0, 512, 3, 'otp21'),
  (2, 'blocks', NULL, 'system', 'driver', 1, 128, NULL, 4, 'otp21');
INSERT INTO snapshot_begin VALUES (1, 1000, 7, 1, 42, 10);
INSERT INTO scan_begin VALUES
  (1, 1001, 7, 1, 42, 'carriers', 'otp28', 512, 0, 4),
  (2, 1005, 7, 1, 42, 'allocations', 'otp28', 128, 64, 1);
INSERT INTO scan_carrier VALUES
  (1, 1002, 7, 1, 42, 1, 'eheap_alloc', 0, 131072, 0),
  (2, 1003, 7, 1, 42, 2, 'eheap_alloc', 1, 262144, 8);
INSERT INTO scan_bucket VALUES
  (1, 1004, 7, 1, 42, 2, '', '', 3, 2048, 0, 6),
  (2, 1006, 7, 1, 42, 0, 'prim_file', 'binary', 0, 0, 128, 9);
