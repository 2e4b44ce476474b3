-- SPDX-License-Identifier: MIT
-- What is in the pool, of all and of the allocator that put it there.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, lost_events) VALUES (1, 0, 9000000000, 7);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO given_figure(subject_id, allocator, mbc, sbc, pool, bytes, sbc_bytes, pool_bytes, mbcs, sbcs, instances) VALUES
  (1, 'ets_alloc', 8388608, 0, 2097152, 5242880, 0, 1048576, 4, 0, 3),
  (1, 'eheap_alloc', 1048576, 3145728, 0, 3145728, 3145728, 0, 1, 2, 2);
INSERT INTO given_figure(subject_id, allocator, moment, ts_ns, mbc, bytes) VALUES
  (1, 'ets_alloc', 'peak', 4500000000, 12582912, 9437184);
-- What may have grown since it was last recorded has no upper bound.
UPDATE figure SET high = NULL, quality = 'bound'
WHERE allocator IN ('eheap_alloc', 'all') AND moment = 'end'
  AND quantity IN ('carriers_bytes', 'single_block_carriers_bytes');
