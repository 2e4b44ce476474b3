-- SPDX-License-Identifier: MIT
-- A crash dump: what heaps of processes take of eheap_alloc is taken out of its own row.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (7, 1, NULL, 55, 1, 'crash_dump');
INSERT INTO node_fact VALUES (7, 'word_bits', '64'), (7, 'node_name', 'it@here');
INSERT INTO given_stat VALUES
  (7, 'eheap_alloc', 'mbcs', '{"blocks": [10], "blocks_size": [20000], "carriers": [1], "carriers_size": [32768]}'),
  (7, 'binary_alloc', 'mbcs', '{"blocks": [3], "blocks_size": [5000], "carriers": [1], "carriers_size": [32768]}');
INSERT INTO process_sample(snapshot_id, line, pid, name, initial_call, heap_words, old_heap_words, heap_fragments, heap_fragment_words) VALUES
  (7, 1, '<0.1.0>', NULL, 'big:run/0', 1000, 500, 0, 0), (7, 2, '<0.2.0>', 'it', 'small:run/0', 100, 0, 1, 10);
