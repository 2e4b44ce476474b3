-- SPDX-License-Identifier: MIT
-- Runtime 1 hides nothing; in runtime 2 a destroyed carrier came back (kind 4);
-- the base of runtime 3 is unknown.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES
  (1, 1, 'host', 100, 'a'), (2, 1, 'host', 200, 'b'), (3, 1, 'host', 300, 'c');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number, base_known) VALUES
  (1, 1, 1, 1, 1), (2, 2, 1, 1, 1), (3, 3, 1, 1, 0);
INSERT INTO ledger_total VALUES (2, 4, 1, 1, 1, 262144, 262144);
INSERT INTO carrier_life_size VALUES
  (1, 262144, 4, 4, 0, 0, 1000),
  (1, 524288, 4, 3, 0, 1, 2000),
  (1, 1048576, 0, 0, 1, 0, 0),
  (2, 262144, 4, 4, 0, 0, 1000),
  (3, 262144, 4, 4, 0, 0, 1000);
