-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 9000, 0);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 101, 'beam.smp');
INSERT INTO sweep_advice VALUES (1, 'peak', 'a', NULL, 'B', 0.9, 500, 0.9, 0.9, 1000, 1000, 9, 0),
  (2, 'peak', NULL, 'none saves', 'B', NULL, 500, 1, 1, 1000, 1000, 9, 0);
INSERT INTO sweep_result VALUES
  (1, 1, '', 0, 0, 'all', 1500, 1200, 1300, 1490, 1510, 1180, 1230, 1290, 1310, 40, 0, 12, 5),
  (2, 1, 'a', 0, 1, 'all', 1000, 800, 900, 960, 1060, 790, 850, 880, 940, 40, 0, 12, 5),
  -- replayed once: as far to both sides as what is advised
  (3, 1, 'b', 0, 0, 'all', 1100, 5, 6, NULL, NULL, NULL, NULL, NULL, NULL, 40, 0, 12, 1),
  -- of a quarter, and of an allocator whose range nobody knows
  (4, 1, 'c', 1, 0, 'all', 100, 100, 100, NULL, NULL, NULL, NULL, NULL, NULL, 4, 0, 2, 1),
  (5, 1, '', 0, 0, 'binary_alloc', 700, 600, 650, 690, 710, 590, 610, 640, 660, 9, 0, 2, 5),
  (6, 1, 'b', 0, 0, 'binary_alloc', 500, 400, 450, NULL, NULL, NULL, NULL, NULL, NULL, 9, 0, 2, 1),
  -- nothing is advised: no range at all
  (7, 2, '', 0, 0, 'all', 1500, 1200, 1300, 1490, 1510, 1180, 1230, 1290, 1310, 40, 0, 12, 5),
  (8, 2, 'b', 0, 0, 'all', 1100, 900, 950, NULL, NULL, NULL, NULL, NULL, NULL, 40, 0, 12, 1);
