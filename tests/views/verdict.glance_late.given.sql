-- as: verdict.sampled_late
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same node, but its last reading has 20 MiB more.
UPDATE snapshot_figure SET "current" = 62914560 WHERE "key" IN ('blocks_size', 'carriers_size')
  AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_figure);
