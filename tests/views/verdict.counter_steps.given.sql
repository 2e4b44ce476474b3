-- SPDX-License-Identifier: MIT
-- Counters that rise from 8 to 64 MiB in three steps, and stand still between them, as where few large blocks come, each
-- in a carrier of its own: no mark of every window is higher than the one before, and it may be a leak all the same.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 7999, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_blocks_bytes)
SELECT 1, 'allocator', 1, key, 8388608 * value FROM json_each('[1, 1, 1, 4, 4, 6, 6, 8]');
INSERT INTO event_count SELECT 1, 'org_erlang_otp', value, 1
FROM json_each('["carrier_create", "carrier_destroy", "carrier_pool_put", "carrier_pool_get"]');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes, mbcs) VALUES (1, 'binary_alloc', 67108864, 67108864, 8);
