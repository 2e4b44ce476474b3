-- SPDX-License-Identifier: MIT
-- stage: figure
-- As figure.addresses, but events were lost after the last: carriers may have come and gone.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 100);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1
FROM json_each('["carrier_alloc", "carrier_free", "carrier_realloc", "carrier_moved"]');
-- The dump that begins the recording is empty: it begins before the first carrier.
INSERT INTO state_begin(ts_ns, runtime_id, dump_id, word_bytes, release) VALUES (0, 1, 1, 8, '25');
INSERT INTO state_end(ts_ns, runtime_id, dump_id, carrier_count, block_count) VALUES (0, 1, 1, 0, 0);
INSERT INTO carrier_alloc(id, ts_ns, runtime_id, address, size_bytes, allocator_id, instance, kind) VALUES
  (1, 10, 1, 65536, 1000, 4, 1, 1), (2, 20, 1, 131072, 2000, 4, 1, 1), (3, 30, 1, 262144, 400, 4, 1, 2),
  (4, 40, 1, 524288, 800, 4, 1, 1);
INSERT INTO carrier_moved(ts_ns, runtime_id, address, allocator_id, size_bytes, place) VALUES
  (50, 1, 131072, 4, 2000, 1), (60, 1, 65536, 4, 1000, 1), (70, 1, 65536, 4, 1000, 0);
INSERT INTO carrier_free(ts_ns, runtime_id, address, size_bytes, allocator_id, instance) VALUES (80, 1, 524288, 800, 4, 1);
INSERT INTO lost_interval(id, source_id, cause, begin_ns, end_ns, events) VALUES (1, 1, 'discarded_events', 85, 90, 3);
UPDATE source SET lost_events = 3;
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('carriers_bytes', 'multi_block_carriers_bytes', 'single_block_carriers_bytes', 'pool_bytes', 'blocks_bytes', 'multi_block_carriers');
