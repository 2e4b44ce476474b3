-- SPDX-License-Identifier: MIT
-- 1: recorded 3 carriers of 3,000,000 bytes, then put one of 1,000,000 and fetched two.
-- 2: nothing happened since its last event.  3: never recorded its counters, put one carrier.
-- 4: put more than it had recorded, having fetched; its last event is an open attempt.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'eheap_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number, puts_since_stat,
  put_bytes_since_stat, fetched_since_stat, gets_unresolved) VALUES
  (1, 1, 1, 0, 1, 1000000, 2, 0),
  (2, 1, 1, 1, 0, 0, 0, 0),
  (3, 1, 1, 2, 1, 500000, 0, 0),
  (4, 1, 1, 3, 2, 800000, 1, 1);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns,
  last_mbc_carriers, last_mbc_carriers_bytes, last_mbc_blocks, last_mbc_blocks_bytes,
  last_sbc_carriers, last_sbc_carriers_bytes, last_sbc_blocks, last_sbc_blocks_bytes) VALUES
  (1, 'instance', 1, 8000, 3, 3000000, 10, 1500000, 0, 0, 0, 0),
  (1, 'instance', 2, 5000, 1, 1000000, 4, 250000, 1, 1000000, 1, 750000),
  (1, 'instance', 3, NULL, 0, 0, 0, 0, 0, 0, 0, 0),
  (1, 'instance', 4, 7000, 1, 400000, 1, 100000, 0, 0, 0, 0);
