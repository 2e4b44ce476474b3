-- SPDX-License-Identifier: MIT
-- A queue of 3,600,000 messages, one of which is recorded, has enough of fix_alloc to be named.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 1, NULL, 3, 'literal_alloc'), (3, 1, 1, NULL, 4, 'fix_alloc'), (4, 1, 1, NULL, 1, 'eheap_alloc');
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 8000, 1, NULL, '<0.543.0>', '', 'slow', 'rabbit_amqqueue_process:init/1', '', 'rabbit', ''),
  (2, 8000, 1, NULL, '<0.600.0>', '', '', 'rabbit_reader:init/4', '', 'rabbit', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 5, 1, NULL, 1, '<0.543.0>', -1, -1, 1600000, -1, -1, 0), (2, 8000, 1, NULL, 2, '<0.543.0>', -1, -1, 3600000, -1, -1, 0);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 5, 1, NULL, 1, 2, 2, 1, 1, 500, 0, 0, 0, 0), (2, 8000, 1, NULL, 2, 2, 2, 1, 1, 500, 0, 0, 0, 0);
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 8000, 1, NULL, 2, 4, 1, 'mbcs', 'blocks_size', 150000000, 0, 0);
