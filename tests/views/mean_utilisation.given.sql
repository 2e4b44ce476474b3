-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_packets) VALUES (1, 0, 9000, 2);
INSERT INTO runtime VALUES (1, 1, 'host', NULL, NULL);
INSERT INTO allocator VALUES (1, 'ets_alloc'), (2, 'sys_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 2), (2, 1, 2, 1);
INSERT INTO given_total(source_id, scope, scope_id, weighted_time_ns, mean_utilisation,
  ratio_of_integrals) VALUES
  (1, 'allocator', 1, 8000, 0.5, 0.25),
  (1, 'allocator', 2, 0, NULL, NULL);
