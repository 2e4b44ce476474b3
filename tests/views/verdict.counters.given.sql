-- SPDX-License-Identifier: MIT
-- Counters that rise from 0 to 64 MiB, a step in each of 8 windows, and carriers that are full: what is freed inside
-- carriers is in no event of OTP, so that it may be a leak, and is not known to be one.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 7999, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_blocks_bytes)
SELECT 1, 'allocator', 1, value, 8388608 * (value + 1) FROM json_each('[0, 1, 2, 3, 4, 5, 6, 7]');
INSERT INTO event_count SELECT 1, 'org_erlang_otp', value, 1
FROM json_each('["carrier_create", "carrier_destroy", "carrier_pool_put", "carrier_pool_get"]');
INSERT INTO given_figure(subject_id, allocator, mbc, bytes, mbcs) VALUES (1, 'binary_alloc', 67108864, 67108864, 8);
