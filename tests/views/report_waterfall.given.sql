-- as: waterfall
-- SPDX-License-Identifier: MIT
-- The same with MiB in the place of bytes.
UPDATE instance_stat SET current = current * 1048576, max_ever = max_ever * 1048576 WHERE key LIKE '%size';
DELETE FROM figure;
-- stage: figure
