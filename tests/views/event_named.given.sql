-- SPDX-License-Identifier: MIT
DELETE FROM carrier_event_kind;
INSERT INTO carrier_event_kind VALUES (0, 'carrier_create'), (3, 'carrier_pool_get');
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO thread VALUES (1, 1, 101, '1_scheduler', 2, 2);
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 4);
INSERT INTO carrier_event VALUES
  (1, 100, 3, 1, 1, 3208, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0),
  (2, 200, 0, 1, NULL, 262144, 1, 262144, 0, 0, 0, 0, 0, 0, 0, 1, 262144);
