-- SPDX-License-Identifier: MIT
-- stage: figure
-- As figure.addresses, but the flight recorder overwrote what was before 45: of the carriers made
-- before only those are known that moved since.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 100);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'ets_alloc');
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1
FROM json_each('["carrier_alloc", "carrier_free", "carrier_realloc", "carrier_moved"]');
INSERT INTO carrier_alloc(id, ts_ns, runtime_id, address, size_bytes, allocator_id, instance, kind) VALUES
  (5, 90, 1, 1048576, 600, 4, 1, 1);
INSERT INTO carrier_moved(ts_ns, runtime_id, address, allocator_id, size_bytes, place) VALUES
  (50, 1, 131072, 4, 2000, 1), (60, 1, 65536, 4, 1000, 1), (70, 1, 65536, 4, 1000, 0);
INSERT INTO carrier_free(ts_ns, runtime_id, address, size_bytes, allocator_id, instance) VALUES (80, 1, 524288, 800, 4, 1);
INSERT INTO lost_interval(id, source_id, cause, begin_ns, end_ns) VALUES (1, 1, 'not_recorded_before', NULL, 45);
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('carriers_bytes', 'multi_block_carriers_bytes', 'single_block_carriers_bytes', 'pool_bytes', 'blocks_bytes', 'multi_block_carriers');
