-- SPDX-License-Identifier: MIT
-- Dumps of nodes that ran out of memory or were halted:
--   1  breaks off at offset 300, before its allocators
--   2  breaks off at offset 9000, among them: 1 MiB of ets_alloc, all of it in blocks, is no problem
--   3  stops at offset 9000, among them: 40 MiB of binary_alloc, a tenth of it in blocks, is one
--   4  is whole and has no allocators
--   5  breaks off at offset 99000, behind its allocators: nothing is missing
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot SELECT value, 1, NULL, NULL, 1, 'crash_dump' FROM json_each('[1,2,3,4,5]');
INSERT INTO crash_dump(snapshot_id, slogan, cause, failed_allocator, failed_operation, failed_bytes,
  failed_type, ended, end_offset_bytes, binaries, binary_bytes) VALUES
  (1, 's', 'out_of_memory', 'eheap_alloc', 'allocate', 10485760, 'heap', 'cut', 300, 0, 0),
  (2, 's', 'out_of_memory', 'eheap_alloc', 'allocate', 10485760, 'heap', 'cut', 9000, 0, 0),
  (3, 's', 'kernel_process', NULL, NULL, NULL, NULL, 'size_limit', 9000, 0, 0),
  (4, 's', 'other', NULL, NULL, NULL, NULL, 'end', 400, 0, 0),
  (5, 's', 'other', NULL, NULL, NULL, NULL, 'cut', 99000, 0, 0);
INSERT INTO process_sample(snapshot_id, line, pid) VALUES (5, 900, '<0.0.0>');
INSERT INTO given_stat VALUES
  (2, 'ets_alloc', 'mbcs', '{"carriers": [1, 1], "carriers_size": [1048576, 1048576], "blocks_size": [1048576, 1048576]}'),
  (3, 'binary_alloc', 'mbcs', '{"carriers": [10, 10], "carriers_size": [41943040, 41943040], "blocks_size": [4194304, 4194304]}'),
  (5, 'ets_alloc', 'mbcs', '{"carriers": [1, 1], "carriers_size": [1048576, 1048576], "blocks_size": [1048576, 1048576]}');
-- stage: figure
