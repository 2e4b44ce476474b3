-- as: live_over_time
-- SPDX-License-Identifier: MIT
-- A second runtime, whose blocks were sampled: of two that stand for 4 each one is freed at 4000 ns.
INSERT INTO runtime VALUES (2, 1, 'host', 200, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 2, 5, 'binary_alloc');
INSERT INTO sample_alloc(ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro) VALUES
  (1000, 2, 4096, 1000, 7, 5, 1, 4000000), (2000, 2, 8192, 500, 7, 5, 1, 4000000);
INSERT INTO sample_free(ts_ns, runtime_id, address, type_id, allocator_id, instance) VALUES (4000, 2, 4096, 7, 5, 1);
