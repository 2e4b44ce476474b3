-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1), (2, 1, 1, 2);
INSERT INTO ledger_total VALUES
  (1, 0, 2, 3, 3, 3000, 3000),
  (1, 1, 1, -2, -1, -3145728, -1048576),
  (2, 0, 1, 1, 1, 500, 500);
