-- SPDX-License-Identifier: MIT
-- Two allocators, one with two instances one of which never recorded its counters.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 9000, 7);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'eheap_alloc'), (2, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number, puts_since_stat,
  put_bytes_since_stat, base_known) VALUES
  (1, 1, 1, 1, 1, 1000, 1),
  (2, 1, 1, 2, 0, 0, 0),
  (3, 1, 1, 3, 5, 5000, 1),
  (4, 1, 2, 1, 0, 0, 1);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns,
  last_mbc_carriers, last_mbc_carriers_bytes, last_mbc_blocks_bytes,
  last_sbc_carriers, last_sbc_carriers_bytes, last_sbc_blocks_bytes) VALUES
  (1, 'instance', 1, 8000, 3, 3000, 1000, 0, 0, 0),
  (1, 'instance', 2, 5000, 1, 1000, 1000, 0, 0, 0),
  (1, 'instance', 3, NULL, 0, 0, 0, 0, 0, 0),
  (1, 'instance', 4, 6000, 0, 0, 0, 2, 4000, 3000);
