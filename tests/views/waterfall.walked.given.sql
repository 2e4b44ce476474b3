-- SPDX-License-Identifier: MIT
-- stage: figure
-- A carrier of 32768 bytes at 16000 and a single-block carrier of 8192, all recorded with addresses:
-- (blocks with tags and slack are bounded by their events, so that sums of them are estimates)
-- a header of 376 bytes, blocks of 312 and 208 with 8 between them, then a hole of 31864.
INSERT INTO given_block_story VALUES (1);
UPDATE block_event SET address = 16704 WHERE id = 6;
INSERT INTO block_event(id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance)
VALUES (7, 6, 0, 1, 65576, 8000, 7, 4, 1);
UPDATE block_span SET last_id = 7;
UPDATE block_account SET live_blocks = 3, live_bytes = 8500;
INSERT INTO carrier_alloc(id, ts_ns, runtime_id, address, size_bytes, allocator_id, instance, kind) VALUES
  (1, 0, 1, 16000, 32768, 4, 1, 1), (2, 6, 1, 65536, 8192, 4, 1, 2);
INSERT INTO os_request(id, ts_ns, runtime_id, allocator_id, instance, call, result, result_bytes) VALUES
  (1, 0, 1, 4, 1, 0, 16000, 32768), (2, 6, 1, 4, 1, 0, 65536, 8192);
INSERT INTO allocator VALUES (1, 'ets_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_total(source_id, scope, scope_id, mbc_creates, mbc_create_bytes, sbc_creates,
  sbc_create_bytes, last_stat_ts_ns, last_mbc_carriers, last_mbc_carriers_bytes,
  last_mbc_blocks_bytes, last_sbc_carriers, last_sbc_carriers_bytes, last_sbc_blocks,
  last_sbc_blocks_bytes, pooled_carriers_clamped, pooled_bytes_min, pooled_bytes_max)
SELECT 1, value, 1, 1, 32768, 1, 8192, 6, 1, 32768, 520, 1, 8192, 1, 8008, 0, 0, 0
FROM json_each('["instance", "allocator", "runtime"]');
-- The recording begins before the first carrier, and ends with the last event.
UPDATE source SET first_ts_ns = 0, last_ts_ns = 6;
UPDATE state_begin SET ts_ns = 0, dump_id = 1;
INSERT INTO state_end(ts_ns, runtime_id, dump_id, carrier_count, block_count) VALUES (0, 1, 1, 0, 0);
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1
FROM json_each('["carrier_alloc", "carrier_free", "carrier_realloc", "carrier_moved", "block_alloc", "block_free", "block_realloc"]');
