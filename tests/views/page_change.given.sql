-- as: block_process_at
-- SPDX-License-Identifier: MIT
-- Slots of 2 ns.
UPDATE source SET first_ts_ns = 0, last_ts_ns = 49;
