-- SPDX-License-Identifier: MIT
-- Two instances of two runtimes with the same names; the first spoke twice.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES
  (1, 1030, 4000, 1024, 1024);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 3), (2, 2, 1, 3);
INSERT INTO allocator_use VALUES (5, 1, 1, 1), (6, 2, 1, 1);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_carriers,
  last_mbc_carriers_bytes, last_mbc_blocks_bytes, last_sbc_carriers, last_sbc_carriers_bytes) VALUES
  (1, 'instance', 1, 0, 1, 400, 100, 0, 0),
  (1, 'instance', 1, 1, 2, 800, 600, 1, 800),
  (1, 'instance', 2, 1, 1, 400, 300, 0, 0),
  (1, 'allocator', 5, 0, 1, 400, 100, 0, 0),
  (1, 'allocator', 5, 1, 2, 800, 600, 1, 800),
  (1, 'allocator', 6, 1, 1, 400, 300, 0, 0),
  (1, 'runtime', 1, 0, 1, 400, 100, 0, 0),
  (1, 'runtime', 1, 1, 2, 800, 600, 1, 800),
  (1, 'runtime', 2, 1, 1, 400, 300, 0, 0),
  (1, 'source', 1, 0, 1, 400, 100, 0, 0),
  (1, 'source', 1, 1, 3, 1200, 900, 1, 800);
