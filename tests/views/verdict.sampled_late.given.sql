-- as: verdict.sampled
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same node, but it ran before it was hooked, and its readings stand still: each new block replaces one that was
-- made before, which nobody sees being freed.  Samples alone would be a leak.
UPDATE hook_begin SET hooked_uptime_ms = 1000000;
UPDATE snapshot_figure SET "current" = 41943040 WHERE "key" = 'blocks_size';
UPDATE snapshot_figure SET "current" = 52428800 WHERE "key" = 'carriers_size';
DELETE FROM sample_alloc WHERE ts_ns > (SELECT max(ts_ns) FROM snapshot_end);
UPDATE source SET last_ts_ns = (SELECT max(ts_ns) FROM snapshot_end);
