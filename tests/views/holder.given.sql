-- SPDX-License-Identifier: MIT
-- Of 1000 bytes of binaries one process refers to 700, another to 400, 200 of which are the same; a third was not
-- read, since its queue is too long.  The first list is older, that of the second runtime is not complete.
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100), (2, 1, 200);
INSERT INTO runtime_fact(id, ts_ns, runtime_id, thread_id, "key", value) VALUES (1, 5, 1, NULL, 'node_name', 'one@here');
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES
  (1, 1, 1, NULL, 1, 'eheap_alloc'), (2, 1, 1, NULL, 2, 'binary_alloc'), (3, 1, 1, NULL, 3, 'ets_alloc');
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 10, 1, NULL, 1, 2, 1, 'mbcs', 'blocks_size', 50, 0, 0),
  (2, 20, 1, NULL, 2, 1, 1, 'mbcs', 'blocks_size', 5000, 0, 0),
  (3, 20, 1, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 900, 0, 0),
  (4, 20, 1, NULL, 2, 1, 1, 'mbcs', 'blocks_size/binary_alloc', 100, 0, 0),
  (5, 20, 1, NULL, 2, 3, 1, 'sbcs', 'blocks_size', 800, 0, 0);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 20, 1, NULL, '<0.1.0>', 'one', '', '', '', '', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 10, 1, NULL, 1, '<0.1.0>', 100, 50, 0, 1, 40, 1),
  (2, 21, 1, NULL, 2, '<0.1.0>', 3000, 2800, 0, 2, 700, 1),
  (3, 21, 1, NULL, 2, '<0.2.0>', 400, 300, 0, 2, 400, 1),
  (4, 21, 1, NULL, 2, '<0.3.0>', -1, -1, 70000, -1, -1, 0),
  (5, 21, 2, NULL, 1, '<0.1.0>', 3000, 2800, 0, 2, 700, 1);
INSERT INTO snapshot_binary(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, address, size_bytes, "references") VALUES
  (1, 21, 1, NULL, 2, '<0.1.0>', 4096, 500, 1), (2, 21, 1, NULL, 2, '<0.1.0>', 8192, 200, 2),
  (3, 21, 1, NULL, 2, '<0.2.0>', 8192, 200, 2), (4, 21, 1, NULL, 2, '<0.2.0>', 12288, 200, 1);
INSERT INTO snapshot_process_group(id, ts_ns, runtime_id, thread_id, snapshot_id, initial_call, processes, heap_bytes, messages, binary_bytes) VALUES
  (1, 21, 1, NULL, 2, 'idle:run/0', 1000, 1000, 0, 0);
INSERT INTO snapshot_table(id, ts_ns, runtime_id, thread_id, snapshot_id, "table", name, owner, kind, objects, memory_bytes) VALUES
  (1, 21, 1, NULL, 2, 'cache', 'cache', '<0.1.0>', 'set', 3, 500);
INSERT INTO snapshot_port(id, ts_ns, runtime_id, thread_id, snapshot_id, port, name, owner, peer, memory_bytes, queue_bytes) VALUES
  (1, 21, 1, NULL, 2, '#Port<0.5>', 'tcp_inet', '<0.9.0>', '127.0.0.1:5672', 64, 0);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 11, 1, NULL, 1, 1, 1, 0, 0, 0, 0, 0, 1, 40),
  (2, 22, 1, NULL, 2, 2000, 1003, 3, 3, 740, 1, 1, 3, 900);
