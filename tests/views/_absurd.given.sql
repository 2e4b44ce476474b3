-- SPDX-License-Identifier: MIT
-- 32 GiB for a stack of a node of 128 MB; a binary of that size, which code may ask for; a heap that is possible; 1.1 PB.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump'), (2, 1, NULL, NULL, 1, 'crash_dump'), (3, 1, NULL, NULL, 1, 'crash_dump'),
  (4, 1, NULL, NULL, 1, 'crash_dump');
INSERT INTO crash_dump(snapshot_id, slogan, cause, failed_allocator, failed_operation, failed_bytes, failed_type, ended, end_offset_bytes, binaries, binary_bytes) VALUES
  (1, 'x', 'out_of_memory', 'temp_alloc', 'reallocate', 34359738368, 'estack', 'end', 9, 0, 0),
  (2, 'x', 'out_of_memory', 'binary_alloc', 'allocate', 34359738368, 'binary', 'end', 9, 0, 0),
  (3, 'x', 'out_of_memory', 'eheap_alloc', 'allocate', 8000000000, 'heap', 'end', 9, 0, 0),
  (4, 'x', 'out_of_memory', 'binary_alloc', 'allocate', 1100000000000000, 'binary', 'end', 9, 0, 0);
INSERT INTO memory_sample VALUES (1, 'total', 127926272), (2, 'total', 127926272), (3, 'total', 14000000000), (4, 'total', 127926272);
