-- SPDX-License-Identifier: MIT
-- One answer that was printed, and one of a traced node.
INSERT INTO given_source(id, lost_events) VALUES (1, 0), (2, 5);
INSERT INTO runtime VALUES (7, 2, 'host', 100, 'beam.smp');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'carriers'), (2, 1, NULL, NULL, 9, 'allocations');
INSERT INTO carrier_scan VALUES (1, 1, 'ets_alloc', 0, 65536, 0), (2, 1, 'ets_alloc', 1, 32768, 100);
INSERT INTO carrier_scan_blocks VALUES (1, 'ets_alloc', 10, 4000), (1, 'binary_alloc', 2, 500);
INSERT INTO snapshot_begin VALUES (1, 1000, 7, 1, 42, 10);
INSERT INTO scan_carrier VALUES
  (1, 1002, 7, 1, 42, 1, 'eheap_alloc', 0, 131072, 0),
  (2, 1003, 7, 1, 42, 2, 'eheap_alloc', 1, 262144, 8);
INSERT INTO scan_blocks VALUES
  (1, 1002, 7, 1, 42, 1, 'eheap_alloc', 5, 900),
  (2, 1002, 7, 1, 42, 1, 'ets_alloc', 1, 100);
