-- as: holder
-- SPDX-License-Identifier: MIT
--
-- More rows of a reading than eight, and one runtime: live blocks of allocators that a reading lists, however many, are in its rows.
DELETE FROM snapshot_process WHERE runtime_id = 2;
DELETE FROM snapshot_holders WHERE runtime_id = 2;
DELETE FROM runtime WHERE id = 2;
INSERT INTO block_account(id, source_id, runtime_id, scope, allocator_id, made, made_bytes, ended, ended_bytes, resized, live_blocks, live_bytes, most_blocks, most_bytes, unknown_frees, unknown_bytes, lost_frees, lost_bytes, temporary, temporary_bytes) VALUES
  (1, 1, 1, 'allocator', 2, 9, 9000, 0, 0, 0, 9, 9000, 9, 9000, 0, 0, 0, 0, 0, 0), (2, 1, 1, 'allocator', 4, 1, 9, 0, 0, 0, 1, 9, 1, 9, 0, 0, 0, 0, 0, 0);
