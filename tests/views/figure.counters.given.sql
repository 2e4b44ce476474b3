-- SPDX-License-Identifier: MIT
-- stage: figure
-- OTP's carrier events from the first carrier on: counters of 2 multi-block carriers of 2000 bytes and a
-- single-block carrier of 400, last recorded 1 s before the end.  Multi-block carriers cannot come or go without
-- an event; the single-block carrier may have ended or grown in silence: it has no upper bound, nor has
-- the sum.  Of blocks nothing is sure.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 1000008000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_total(source_id, scope, scope_id, last_stat_ts_ns, last_mbc_carriers, last_mbc_carriers_bytes,
  last_mbc_blocks, last_mbc_blocks_bytes, last_sbc_carriers, last_sbc_carriers_bytes, last_sbc_blocks, last_sbc_blocks_bytes,
  mbc_creates, mbc_create_bytes, sbc_creates, sbc_create_bytes, pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max)
SELECT 1, value, 1, 8000, 2, 2000, 3, 900, 1, 400, 1, 380, 2, 2000, 1, 400, 0, 0, 0
FROM json_each('["instance", "allocator", "runtime"]');
INSERT INTO event_count SELECT 1, 'org_erlang_otp', value, 1
FROM json_each('["carrier_create", "carrier_destroy", "carrier_pool_put", "carrier_pool_get"]');
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('carriers_bytes', 'multi_block_carriers_bytes', 'single_block_carriers_bytes', 'pool_bytes', 'blocks_bytes', 'multi_block_carriers');
