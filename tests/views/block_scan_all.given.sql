-- SPDX-License-Identifier: MIT
-- One answer that was printed, and one of a traced node.
INSERT INTO given_source(id, lost_events) VALUES (1, 0), (2, 5);
INSERT INTO runtime VALUES (7, 2, 'host', 100, 'beam.smp');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'carriers'), (2, 1, NULL, NULL, 9, 'allocations');
INSERT INTO block_scan VALUES (2, 300);
INSERT INTO snapshot_begin VALUES (1, 1000, 7, 1, 42, 10);
INSERT INTO scan_begin VALUES
  (1, 1001, 7, 1, 42, 'carriers', 'otp28', 512, 0, 4),
  (2, 1005, 7, 1, 42, 'allocations', 'otp28', 128, 64, 1);
