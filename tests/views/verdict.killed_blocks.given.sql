-- as: verdict.short
-- SPDX-License-Identifier: MIT
-- The node that stands still, with a last whole snapshot at 9 of 10 s: then it was killed.
DELETE FROM figure WHERE subject_id <> 3;
INSERT INTO given_reading SELECT value FROM json_each('[0, 9]');
UPDATE snapshot_begin SET runtime_id = 3;
UPDATE snapshot_figure SET runtime_id = 3, "current" = iif("key" LIKE '%size', 20971520, "current");
UPDATE snapshot_end SET runtime_id = 3;
UPDATE figure SET low = 0, high = NULL, quality = 'unknown', basis = 'earlier snapshot'
WHERE moment = 'end' AND quantity NOT IN ('instances', 'blocks_bytes');
