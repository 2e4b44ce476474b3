-- SPDX-License-Identifier: MIT
-- 20 carriers of 5 MiB (104857600 bytes) of which 40 MiB are used, 96 MiB at the peak; one
-- instance: one carrier of 5 MiB may be empty, so 100 - 40 - 5 = 55 MiB are waste.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 9000, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, last_mbc_carriers,
  last_mbc_carriers_bytes, last_mbc_blocks, last_mbc_blocks_bytes, max_carriers_bytes,
  max_carriers_ts_ns, blocks_bytes_at_max, max_blocks_bytes, mbc_creates, mbc_create_bytes,
  pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max) VALUES
  (1, 'instance', 1, 8000, 20, 104857600, 9, 41943040, 104857600, 4000, 100663296, 100663296, 20, 104857600, NULL, NULL, NULL),
  (1, 'allocator', 1, 8000, 20, 104857600, 9, 41943040, 104857600, 4000, 100663296, 100663296, 20, 104857600, NULL, NULL, NULL),
  (1, 'runtime', 1, 8000, 20, 104857600, 9, 41943040, 104857600, 4000, 100663296, 100663296, 20, 104857600, 0, 0, 0),
  (1, 'source', 1, 8000, 20, 104857600, 9, 41943040, 104857600, 4000, 100663296, 100663296, 20, 104857600, 0, 0, 0);
INSERT INTO given_figure(subject_id, allocator, moment, ts_ns, mbc, bytes, mbcs) VALUES
  (1, 'binary_alloc', 'end', 9000, 104857600, 41943040, 20),
  (1, 'binary_alloc', 'peak', 4000, 104857600, 100663296, 20);
