-- SPDX-License-Identifier: MIT
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump');
INSERT INTO node_fact VALUES (1, 'word_bits', '32'), (1, 'system_version', 'Erlang/OTP 22');
INSERT INTO crash_dump VALUES (1, '0.5', 'Mon', 'eheap_alloc: Cannot', 'out_of_memory', 'eheap_alloc',
  'allocate', 4194304, 'heap', NULL, 1, '', 'cut', 5000, 0, 0);
INSERT INTO memory_sample VALUES (1, 'total', 3145728), (1, 'processes', 2097152), (1, 'system', 1048576);
INSERT INTO instance_stat VALUES
  (1, 'eheap_alloc', 0, 'mbcs', 'blocks_size', 1048576, 0, 0, NULL),
  (1, 'eheap_alloc', 0, 'mbcs', 'carriers_size', 2097152, 0, 0, NULL);
INSERT INTO process_sample(snapshot_id, line, pid, name, initial_call, state, messages, heap_words, old_heap_words) VALUES
  (1, 1, '<0.1.0>', 'hog', 'm:f/1', 'Garbing', 12, 1048576, 262144);
