-- SPDX-License-Identifier: MIT
-- Of 10 multi-block carriers 3 were destroyed and 4 are owned: 3 lie in the pool.
-- Owned: 6 as last recorded - 3 puts since + 1 fetch since.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp'), (2, 1, 'host', 200, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number, puts_since_stat,
  fetched_since_stat, base_known) VALUES
  (1, 1, 1, 1, 3, 1, 1), (2, 2, 1, 1, 0, 0, 0);
INSERT INTO ledger_total VALUES (2, 5, 1, 2, 2, 2000, 2000);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, last_mbc_carriers,
  mbc_creates, owned_destroys, pooled_destroys, puts, put_bytes, gets, fetches, misses,
  pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max) VALUES
  (1, 'instance', 1, 8000, 6, 10, 2, 1, 7, 7000, 4, 3, 1, NULL, NULL, NULL),
  (1, 'instance', 2, 8000, 1, 0, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL),
  (1, 'runtime', 1, 8000, 6, 10, 2, 1, 7, 7000, 4, 3, 1, 3, 1000, 4000),
  (1, 'runtime', 2, 8000, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  (1, 'source', 1, 8000, 7, 10, 3, 1, 7, 7000, 4, 3, 1, 3, 1000, 4000);
