-- SPDX-License-Identifier: MIT
-- 8000 bytes were asked for a heap, on 64 bits: the process with a heap of 1000 words is
-- it, though another in a collection is larger.  In the second dump no size fits.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump'), (2, 1, NULL, NULL, 90, 'crash_dump');
INSERT INTO node_fact VALUES (1, 'word_bits', '64'), (2, 'word_bits', '64');
INSERT INTO crash_dump VALUES
  (1, '0.5', NULL, 'x', 'out_of_memory', 'eheap_alloc', 'allocate', 8000, 'heap', NULL, 1, '', 'end', 99, 0, 0),
  (2, '0.5', NULL, 'x', 'out_of_memory', 'binary_alloc', 'allocate', 8000, 'binary', NULL, 1, '', 'end', 99, 0, 0);
INSERT INTO process_sample(snapshot_id, line, pid, name, initial_call, state, heap_words, old_heap_words, memory_bytes) VALUES
  (1, 1, '<0.1.0>', NULL, 'big:run/0', 'Garbing', 5000, 0, 40000),
  (1, 2, '<0.2.0>', 'it', 'small:run/0', 'Garbing', 1000, 20, 8200),
  (1, 3, '<0.3.0>', NULL, 'idle:run/0', 'Waiting', 9000, 0, 72000),
  (2, 91, '<0.4.0>', NULL, 'big:run/0', 'Garbing', 1000, 0, 8000),
  (2, 92, '<0.5.0>', NULL, 'bigger:run/0', 'Garbing (limited info)', 2000, 0, 16000);
