-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 4);
INSERT INTO carrier_event(id, ts_ns, kind, instance_id) VALUES (9, 700, 0, 1);
INSERT INTO ledger VALUES (1, 9, 1, 1, -1, -1, -4096, -4096);
