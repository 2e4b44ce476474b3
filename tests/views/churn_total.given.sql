-- SPDX-License-Identifier: MIT
-- 2 seconds; 6 creates and 2 destroys recorded, 2 single-block carriers ended without an event.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 1000000000, 3000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc'), (2, 'sys_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 2), (2, 1, 2, 0);
INSERT INTO given_instance(id, runtime_id, allocator_id, number, sbc_silent_frees) VALUES
  (1, 1, 1, 1, 2), (2, 1, 1, 2, 0);
INSERT INTO given_total(source_id, scope, scope_id, mbc_creates, mbc_create_bytes,
  sbc_creates, sbc_create_bytes, owned_destroys, owned_destroy_bytes,
  pooled_destroys, pooled_destroy_bytes) VALUES
  (1, 'allocator', 1, 3, 300, 3, 900, 1, 100, 1, 50),
  (1, 'allocator', 2, 0, 0, 0, 0, 0, 0, 0, 0);
