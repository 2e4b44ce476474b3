-- SPDX-License-Identifier: MIT
-- stage: figure
-- Block events from the start: 4 blocks were made, 2 ended, 500 bytes asked for are live in 2 blocks.  Headers of
-- 8 bytes are sure; tags, rounding and slack may add up to 120 to each of the 2.
INSERT INTO given_block_story VALUES (1);
-- The recording begins before the first block; the hundred milliseconds in which frees of others may wait
-- are over: all threads have worked.
UPDATE source SET first_ts_ns = 0, last_ts_ns = 10;
UPDATE state_begin SET ts_ns = 0, dump_id = 1;
INSERT INTO state_end(ts_ns, runtime_id, dump_id, carrier_count, block_count) VALUES (0, 1, 1, 0, 0);
INSERT INTO runtime_work(ts_ns, runtime_id, kind) VALUES (10, 1, 0);
INSERT INTO event_count SELECT 1, 'carrierscope', value, 1
FROM json_each('["block_alloc", "block_free", "block_realloc"]');
-- Only what the example is about.
DELETE FROM quantity WHERE name NOT IN ('blocks', 'asked_bytes', 'blocks_bytes', 'carriers_bytes');
