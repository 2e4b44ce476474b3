-- SPDX-License-Identifier: MIT
-- 20 carriers of 5 MiB (104857600 bytes) of which 40 MiB are used, 96 MiB at the peak; one
-- instance: one carrier of 5 MiB may be empty, so 100 - 40 - 5 = 55 MiB are waste.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 9000, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_figure(subject_id, allocator, moment, ts_ns, mbc, bytes, mbcs) VALUES
  (1, 'binary_alloc', 'end', 9000, 104857600, 41943040, 20),
  (1, 'binary_alloc', 'peak', 4000, 104857600, 100663296, 20);
