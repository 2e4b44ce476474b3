-- as: figure
-- SPDX-License-Identifier: MIT
-- stage: figure
-- Its end says 7 figures and 6 arrived: nothing is known.
UPDATE snapshot_end SET figures = 7;
