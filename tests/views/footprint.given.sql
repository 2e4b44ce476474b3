-- SPDX-License-Identifier: MIT
-- Buckets of 1024 ns from 0 on; recorded in 0, 2 and 7; lost: 2100 to 3100 ns.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES
  (1, 10, 8000, 0, 1024);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO lost_interval VALUES
  (1, 1, NULL, 'discarded_events', 2100, 3100, 5, NULL, NULL, NULL, NULL);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_carriers,
  last_mbc_carriers_bytes, last_mbc_blocks, last_mbc_blocks_bytes, last_sbc_carriers,
  last_sbc_carriers_bytes, last_sbc_blocks, last_sbc_blocks_bytes, max_carriers_bytes) VALUES
  (1, 'runtime', 1, 0, 1, 1000, 0, 0, 0, 0, 0, 0, 1000),
  (1, 'runtime', 1, 2, 2, 2000, 9, 1000, 1, 2000, 1, 1500, 5000),
  (1, 'runtime', 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 4000),
  (1, 'source', 1, 0, 1, 1000, 0, 0, 0, 0, 0, 0, 1000),
  (1, 'source', 1, 2, 2, 2000, 9, 1000, 1, 2000, 1, 1500, 5000),
  (1, 'source', 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 4000);
