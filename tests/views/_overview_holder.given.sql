-- as: holder
-- SPDX-License-Identifier: MIT
--
-- More rows of a reading than eight, and no runtime before it: live blocks, however many, come behind them.
UPDATE runtime SET vpid = 101 WHERE id = 1;
