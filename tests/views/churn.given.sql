-- SPDX-License-Identifier: MIT
-- Buckets of 0.5 s; the source begins in the middle of the first and ends in the last.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES
  (1, 250000000, 1250000000, 0, 500000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO lost_interval VALUES
  (1, 1, NULL, 'discarded_events', 600000000, 700000000, 5, NULL, NULL, NULL, NULL);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, mbc_creates, sbc_creates,
  owned_destroys, pooled_destroys) VALUES
  (1, 'allocator', 1, 0, 2, 0, 0, 0),
  (1, 'allocator', 1, 1, 1, 2, 1, 1),
  (1, 'allocator', 1, 2, 0, 0, 1, 0),
  (1, 'source', 1, 0, 2, 0, 0, 0),
  (1, 'source', 1, 1, 1, 2, 1, 1),
  (1, 'source', 1, 2, 0, 0, 1, 0);
