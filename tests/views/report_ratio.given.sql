-- SPDX-License-Identifier: MIT
-- Both, only multi-block, only single-block (recon: infinity), none (recon: 0).
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES
  (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, 3), (4, 1, 1, 4);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns,
  last_mbc_blocks, last_sbc_blocks, last_mbc_carriers, last_sbc_carriers) VALUES
  (1, 'instance', 1, 8000, 8, 2, 1, 2),
  (1, 'instance', 2, 8000, 8, 0, 1, 0),
  (1, 'instance', 3, 8000, 0, 2, 1, 2),
  (1, 'instance', 4, 8000, 0, 0, 0, 0);
