INSERT INTO given_source(id) VALUES (1);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator (ts_ns, runtime_id, allocator_id, name) VALUES
  (1, 1, 4, 'ets_alloc'), (9, 1, 4, 'ets_alloc');
INSERT INTO name_type (ts_ns, runtime_id, type_id, class_id, allocator_id, name) VALUES
  (1, 1, 7, 1, 4, 'db_term');
INSERT INTO block_event (ts_ns, op, address, size, type_id, allocator_id, instance, ended_id) VALUES
  (1, 0, 4096, 100, 7, 4, 1, NULL),
  (2, 0, 8192, 120, 7, 4, 1, NULL),
  (3, 0, 16384, 300, 7, 4, 1, NULL),
  (4, 1, 4096, 100, 7, 4, 1, 1);
INSERT INTO block_span VALUES (1, 1, 4, 1, 4, 0);
INSERT INTO given_account(id, source_id, runtime_id, scope, allocator_id, type_id, class_id) VALUES
  (1, 1, 1, 'type', 4, 7, 1), (2, 1, 1, 'runtime', NULL, NULL, NULL);
INSERT INTO block_made_size VALUES (1, 64, 2, 220), (1, 256, 1, 300);
