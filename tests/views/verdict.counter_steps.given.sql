-- as: verdict.counters
-- SPDX-License-Identifier: MIT
-- Counters that rise from 8 to 64 MiB in three steps, and stand still between them, as where few large blocks come, each
-- in a carrier of its own: no mark of every window is higher than the one before, and it may be a leak all the same.
DELETE FROM scope_bucket;
INSERT INTO given_bucket(source_id, scope, scope_id, bucket, last_mbc_blocks_bytes)
SELECT 1, 'allocator', 1, key, 8388608 * value FROM json_each('[1, 1, 1, 4, 4, 6, 6, 8]');
