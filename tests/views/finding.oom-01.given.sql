-- SPDX-License-Identifier: MIT
-- Requests that failed, of each kind of source.
--   runtime 1:  two of ets_alloc, 4000 and 9000 bytes: one finding with the larger; none of binary_alloc
--   snapshot 1: the dump has 10485760 bytes, 10.0 MiB; that of 2 has no allocator: nothing;
--               that of 6 of a number beyond 2^63, which is not kept
--   snapshot 3: a board's log, whose heap was read after the failure (4): 10,000 free, 3,000 at most
--   snapshot 5: another log without any reading: what was free is not known
INSERT INTO given_source(id, kind) VALUES
  (1, 'ctf'), (2, 'crash_dump'), (3, 'board_log'), (4, 'board_log');
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(runtime_id, allocator_id, name) VALUES
  (1, 4, 'ets_alloc'), (1, 3, 'binary_alloc');
INSERT INTO name_class(runtime_id, class_id, name) VALUES (1, 4, 'ets_data');
INSERT INTO name_type(runtime_id, type_id, class_id, allocator_id, name) VALUES
  (1, 7, 4, 4, 'db_term');
INSERT INTO alloc_failure(runtime_id, size_bytes, old_address, type_id, allocator_id, instance)
VALUES (1, 4000, 0, 7, 4, 1), (1, 9000, 0, 7, 4, 1);
INSERT INTO snapshot VALUES
  (1, 2, NULL, NULL, 1, 'crash_dump'), (2, 2, NULL, NULL, 1, 'crash_dump'),
  (6, 2, NULL, NULL, 1, 'crash_dump'),
  (3, 3, NULL, NULL, 10, 'failure'), (4, 3, NULL, NULL, 11, 'malloc'),
  (5, 4, NULL, NULL, 10, 'failure');
INSERT INTO crash_dump(snapshot_id, cause, failed_allocator, failed_operation, failed_bytes,
  failed_type, ended, end_offset_bytes, binaries, binary_bytes) VALUES
  (1, 'out_of_memory', 'eheap_alloc', 'allocate', 10485760, 'heap', 'end', 1, 0, 0),
  (6, 'out_of_memory', 'binary_alloc', 'allocate', NULL, 'binary', 'end', 1, 0, 0),
  (2, 'kernel_process', NULL, NULL, NULL, NULL, 'end', 1, 0, 0);
INSERT INTO logged_failure VALUES
  (3, 'eheap_alloc', 'allocate', 4000, 'heap'), (5, 'eheap_alloc', 'allocate', 4000, 'heap');
INSERT INTO heap_sample VALUES
  (4, 4, 3000, 10000, 4, 4000, 20000, 30000, 9000, 5, 4, 25000, 5000, 20, 9, 1, 5, 0);
