-- as: sample_size
INSERT INTO sample_alloc_by_process (ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process)
VALUES (3, 1, 12288, 1000, 7, 4, 1, 4000000, 1 + 77), (6, 1, 16384, 1000, 7, 4, 1, 4000000, 0),
  (7, 1, 20480, 1000, 7, 4, 1, 4000000, 4611686018427387904 + 1 + 77);
