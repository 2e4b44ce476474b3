-- SPDX-License-Identifier: MIT
-- Two ends; one life was 0 to 7 ns, the other 4 to 7 ns.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO carrier_life VALUES
  (1, 1, 'multi_block', -1, 1, 0),
  (1, 1, 'multi_block', 2, 1, 2),
  (1, 1, 'single_block', 0, 1, 1);
