-- as: figure
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The recording goes on for 2 s: what came and went since is not known, so that nothing is exact and
-- nothing has an upper bound.
UPDATE source SET last_ts_ns = 2000001200;
