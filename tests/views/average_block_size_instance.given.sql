-- SPDX-License-Identifier: MIT
-- recon divides sums of bytes by sums of counts over the instances of an allocator.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc'), (2, 'std_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES
  (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 2, 0);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns,
  last_mbc_blocks, last_mbc_blocks_bytes, last_sbc_blocks, last_sbc_blocks_bytes) VALUES
  (1, 'instance', 1, 8000, 1, 100, 0, 0),
  (1, 'instance', 2, 8000, 3, 900, 2, 2400080),
  (1, 'instance', 3, NULL, 0, 0, 0, 0);
