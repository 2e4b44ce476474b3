-- as: finding.leak-01
-- SPDX-License-Identifier: MIT
-- Runtime 1 grows by 8 MiB, in carriers of 40 MiB: what is empty is more than what grew, and its verdict has both.
UPDATE figure SET low = low + 33554432, likely = likely + 33554432, high = high + 33554432
WHERE subject_id = 1 AND moment = 'end' AND quantity IN ('carriers_bytes', 'multi_block_carriers_bytes', 'unused_bytes');
UPDATE figure SET low = 10, likely = 10, high = 10 WHERE subject_id = 1 AND moment = 'end' AND quantity = 'multi_block_carriers';
