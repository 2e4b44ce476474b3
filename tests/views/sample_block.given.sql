INSERT INTO name_allocator (ts_ns, runtime_id, allocator_id, name) VALUES (1, 1, 4, 'ets_alloc');
INSERT INTO name_type (ts_ns, runtime_id, type_id, class_id, allocator_id, name) VALUES (1, 1, 7, 1, 4, 'db_term');
INSERT INTO sample_alloc (ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro) VALUES
  (1, 1, 4096, 1000, 7, 4, 1, 4000000),
  (2, 1, 8192, 1000, 7, 4, 1, 4000000),
  (5, 1, 4096, 1000, 7, 4, 1, 4000000);
INSERT INTO sample_free (ts_ns, runtime_id, address, type_id, allocator_id, instance) VALUES (4, 1, 4096, 7, 4, 1);
