-- SPDX-License-Identifier: MIT
-- 0 to 8000 ns in 8 windows; recorded 100 at 0, 300 at 2500, 200 at 6500 (buckets of 500 ns).
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 7999, 0, 500);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_blocks_bytes, last_sbc_blocks_bytes) VALUES
  (1, 'allocator', 1, 0, 60, 40), (1, 'allocator', 1, 5, 300, 0), (1, 'allocator', 1, 13, 200, 0);
