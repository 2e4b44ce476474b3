-- as: verdict
-- SPDX-License-Identifier: MIT
-- A process refers to 32 of the 40 MiB.
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 1, NULL, 1, 'eheap_alloc');
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 9000, 1, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 41943040, 0, 0), (2, 9000, 1, NULL, 2, 1, 1, 'mbcs', 'blocks_size', 90000000, 0, 0);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 9000, 1, NULL, '<0.543.0>', '', 'slow', 'rabbit_amqqueue_process:init/1', '', 'rabbit', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 9000, 1, NULL, 2, '<0.543.0>', 100, 50, 0, 1, 33554432, 1),
  (2, 9000, 1, NULL, 2, '<0.9.0>', 60000000, 60000000, 0, 0, 0, 1);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 9000, 1, NULL, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0);
