-- SPDX-License-Identifier: MIT
-- A crash dump: heaps and tables exactly, binaries at most (a shared one counts in each), or exactly where the heap
-- lists as many words of references as were counted.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (7, 1, NULL, 55, 1, 'crash_dump');
INSERT INTO node_fact VALUES (7, 'word_bits', '64'), (7, 'node_name', 'it@here');
INSERT INTO crash_dump VALUES
  (7, '0.5', NULL, 'x', 'out_of_memory', 'eheap_alloc', 'allocate', 8000, 'heap', NULL, 1, '', 'end', 99, 0, 0);
INSERT INTO instance_stat VALUES
  (7, 'eheap_alloc', 0, 'mbcs', 'blocks_size', 20000, NULL, NULL, NULL),
  (7, 'binary_alloc', 0, 'mbcs', 'blocks_size', 5000, NULL, NULL, NULL),
  (7, 'ets_alloc', 0, 'mbcs', 'blocks_size', 1000, NULL, NULL, NULL);
INSERT INTO process_sample(snapshot_id, line, pid, name, initial_call, heap_words, old_heap_words, binary_heap_words, old_binary_heap_words) VALUES
  (7, 1, '<0.1.0>', NULL, 'big:run/0', 1000, 500, 10, 90),
  (7, 2, '<0.2.0>', 'it', 'small:run/0', 100, 0, 1000, 0),
  (7, 3, '<0.3.0>', NULL, 'parts:run/0', 0, 0, 500, 0),
  (7, 4, '<0.4.0>', NULL, 'cut:run/0', 0, 0, 10, 0);
INSERT INTO node_fact VALUES (7, 'otp_release', '27');
INSERT INTO process_binaries VALUES
  (7, '<0.1.0>', 1, 400, 1, 50, 50, 1), (7, '<0.3.0>', 1, 800, 5, 10, 500, 1), (7, '<0.4.0>', 1, 80, 1, 10, 10, 0);
INSERT INTO ets_sample VALUES (7, 9, '<0.2.0>', 'cache', 3, 100);
