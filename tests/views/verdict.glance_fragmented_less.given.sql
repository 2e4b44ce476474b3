-- as: verdict.glance_fragmented
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same, but ets_alloc uses 10 of 40 MiB: growth may become more than that, and the fragmentation is a fact all the same.
UPDATE snapshot_figure SET "current" = "current" / 4 WHERE allocator_id = 5 AND "key" = 'blocks_size';
UPDATE snapshot_figure SET "current" = "current" / 10 WHERE allocator_id = 5 AND "key" = 'carriers_size';
