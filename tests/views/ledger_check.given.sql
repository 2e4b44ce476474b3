-- SPDX-License-Identifier: MIT
-- 1: balanced: 5 creates - 1 owned destroy - 1 put (the other came after the last
-- counters) + 1 fetched = 4; single-block 3 - 1 or 2 = 1 lies within the bounds.
-- Rows of side pool (kind 4) are parts of pool_fetch and do not count again.
-- 2: the ledger says 0 or less fetched: one carrier and its bytes are missing.
-- 3: one single-block carrier too many.  4: no counters, only put.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO given_instance(id, runtime_id, allocator_id, number, puts_since_stat,
  put_bytes_since_stat) VALUES
  (1, 1, 1, 1, 1, 100), (2, 1, 1, 2, 1, 100), (3, 1, 1, 3, 0, 0), (4, 1, 1, 4, 1, 100);
INSERT INTO ledger_total VALUES
  (1, 0, 1, 1, 1, 100, 100), (1, 4, 1, 1, 1, 100, 100), (1, 1, 1, -2, -1, -600, -400),
  (2, 0, 1, -1, 0, -100, 0);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, mbc_creates,
  mbc_create_bytes, owned_destroys, owned_destroy_bytes, puts, put_bytes,
  last_mbc_carriers, last_mbc_carriers_bytes, sbc_creates, sbc_create_bytes,
  last_sbc_carriers, last_sbc_carriers_bytes) VALUES
  (1, 'instance', 1, 8000, 5, 500, 1, 100, 2, 200, 4, 400, 3, 900, 1, 400),
  (1, 'instance', 2, 8000, 5, 500, 1, 100, 2, 200, 4, 400, 0, 0, 0, 0),
  (1, 'instance', 3, 8000, 1, 100, 0, 0, 0, 0, 1, 100, 2, 900, 1, 400),
  (1, 'instance', 4, NULL, 0, 0, 0, 0, 1, 100, 0, 0, 0, 0, 0, 0);
