-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES
  (1, 0, 4000, 0, 1024);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, puts, put_bytes, gets, fetches,
  misses, pooled_destroys, pooled_carriers_clamped, pooled_bytes_min) VALUES
  (1, 'runtime', 1, 0, 2, 200, 0, 0, 0, 0, 2, 200),
  (1, 'runtime', 1, 2, 0, 0, 5, 1, 3, 1, 0, 0),
  (1, 'source', 1, 0, 2, 200, 0, 0, 0, 0, 2, 200),
  (1, 'source', 1, 2, 0, 0, 5, 1, 3, 1, 0, 0);
