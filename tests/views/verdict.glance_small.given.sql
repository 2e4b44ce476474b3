-- as: verdict.glance
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same node with 1 to 4 MiB in blocks.
UPDATE snapshot_figure SET "current" = "current" - 9437184 WHERE "key" = 'blocks_size';
