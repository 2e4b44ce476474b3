-- SPDX-License-Identifier: MIT
-- A mailbox of 5,010,932 messages, an absurd request, a dump that someone asked for, one that says nothing by itself.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump'), (2, 1, NULL, NULL, 1, 'crash_dump'), (3, 1, NULL, NULL, 1, 'crash_dump'),
  (4, 1, NULL, NULL, 1, 'crash_dump');
INSERT INTO node_fact VALUES (1, 'word_bits', '64'), (2, 'word_bits', '64'), (2, 'otp_release', '24');
INSERT INTO crash_dump(snapshot_id, slogan, cause, failed_allocator, failed_bytes, failed_type, ended, end_offset_bytes, binaries, binary_bytes) VALUES
  (1, 'x', 'out_of_memory', 'eheap_alloc', 2733560184, 'old_heap', 'end', 9, 0, 0),
  (2, 'x', 'out_of_memory', 'temp_alloc', 34359738368, 'estack', 'end', 9, 0, 0),
  (3, 'Crash dump requested by user', 'user_request', NULL, NULL, NULL, 'end', 9, 0, 0),
  (4, 'done', 'other', NULL, NULL, NULL, 'end', 9, 0, 0);
INSERT INTO memory_sample VALUES (1, 'total', 11617173504), (2, 'total', 127926272);
INSERT INTO process_sample(snapshot_id, line, pid, name, messages, heap_words, old_heap_words) VALUES
  (1, 9, '<0.1.0>', 'quiet', 0, 100, 0), (1, 19, '<0.1234.5>', 'log_sink', 5010932, 284745853, 318187);
