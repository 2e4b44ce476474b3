-- as: verdict.glance_late
-- SPDX-License-Identifier: MIT
-- stage: figure
-- It grew by 20 MiB at first, which was over: 18 times as much was made since.  At its end it has 44 MiB more than ever before.
UPDATE snapshot_figure SET "current" = 20971520 WHERE "key" = 'blocks_size'
  AND snapshot_id = (SELECT min(snapshot_id) FROM snapshot_figure);
UPDATE snapshot_figure SET "current" = 88080384 WHERE "key" IN ('blocks_size', 'carriers_size')
  AND snapshot_id = (SELECT max(snapshot_id) FROM snapshot_figure);
