INSERT INTO name_allocator (ts_ns, allocator_id, name) VALUES (1, 4, 'ets_alloc'), (9, 4, 'ets_alloc');
INSERT INTO name_type (ts_ns, type_id, class_id, allocator_id, name) VALUES (1, 7, 1, 4, 'db_term');
INSERT INTO block_event (ts_ns, op, address, size, type_id, allocator_id, instance) VALUES
  (1, 0, 4096, 100, 7, 4, 1),
  (2, 0, 8192, 120, 7, 4, 1),
  (3, 0, 16384, 300, 7, 4, 1),
  (4, 1, 4096, 100, 7, 4, 1);
