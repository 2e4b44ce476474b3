-- as: verdict.glance
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same node, read once more in between, when it held what it held at first: it does not grow all the time.
INSERT INTO given_reading VALUES (2);
UPDATE snapshot_figure SET "current" = 10485760 WHERE "key" = 'blocks_size' AND snapshot_id = 3;
