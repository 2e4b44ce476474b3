-- as: verdict.kin
-- SPDX-License-Identifier: MIT
-- The same of a reading that looked at 50,000 of 100,000 processes: there may be as many more of them.
UPDATE snapshot_holders SET processes = 100000, processes_seen = 50000;
