-- SPDX-License-Identifier: MIT
-- Of 100 MiB of binaries a process refers to 10; a socket received 60, while a table got 2,900 objects and a
-- queue 90 messages.  That queue has no fifth of fix_alloc; a longer one does not grow.  Literals were allocated by one process.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 1, NULL, 3, 'literal_alloc'), (3, 1, 1, NULL, 4, 'fix_alloc'), (4, 1, 1, NULL, 1, 'eheap_alloc');
INSERT INTO block_span(source_id, first_id, last_id, first_ts_ns, last_ts_ns, late_reallocs) VALUES (1, 1, 20, 0, 9000, 0);
INSERT INTO block_event(id, ts_ns, op, address, size, type_id, allocator_id, instance, process) VALUES
  (1, 10, 0, 4096, 20971520, 7, 2, 1, 4611686018427387904 + 1 + 40), (2, 11, 0, 8192, 20971520, 7, 2, 1, 4611686018427387904 + 1 + 40),
  (3, 12, 0, 12288, 20971520, 7, 2, 1, 4611686018427387904 + 1 + 40), (4, 13, 0, 16384, 10485760, 7, 2, 1, 1 + 600),
  (5, 14, 0, 20480, 10485760, 7, 2, 1, NULL), (6, 15, 0, 24576, 90000000, 7, 3, 1, 1 + 600),
  (7, 8500, 0, 28672, 90000000, 7, 2, 1, 1 + 600);
INSERT INTO live_block_keyframe VALUES (20, 7);
INSERT INTO live_block_list(at_id, part, ids) VALUES (20, 0, '[1, 2, 3, 4, 5, 6, 7]');
INSERT INTO snapshot_port(id, ts_ns, runtime_id, thread_id, snapshot_id, port, name, owner, peer, memory_bytes, queue_bytes) VALUES
  (1, 8000, 1, NULL, 2, '#Port<0.40>', 'tcp_inet', '<0.600.0>', '127.0.0.1:59964', 64, 0);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 8000, 1, NULL, '<0.543.0>', '', 'slow', 'rabbit_amqqueue_process:init/1', '', 'rabbit', ''),
  (2, 8000, 1, NULL, '<0.600.0>', '', '', 'rabbit_reader:init/4', '', 'rabbit', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 5, 1, NULL, 1, '<0.543.0>', 100, 50, 10, 1, 100, 1), (2, 5, 1, NULL, 1, '<0.600.0>', 100, 50, 7000, 1, 100, 1),
  (3, 8000, 1, NULL, 2, '<0.543.0>', 100, 50, 100, 1, 10485760, 1), (4, 8000, 1, NULL, 2, '<0.600.0>', 100, 50, 7001, 0, 0, 1);
INSERT INTO snapshot_table(id, ts_ns, runtime_id, thread_id, snapshot_id, "table", name, owner, kind, objects, memory_bytes) VALUES
  (1, 5, 1, NULL, 1, 'cache', 'cache', '<0.600.0>', 'set', 100, 500), (2, 8000, 1, NULL, 2, 'cache', 'cache', '<0.600.0>', 'set', 3000, 500);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 5, 1, NULL, 1, 2, 2, 1, 1, 500, 0, 0, 0, 0), (2, 8000, 1, NULL, 2, 2, 2, 1, 1, 500, 0, 0, 0, 0);
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 8000, 1, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 104857600, 0, 0), (2, 8000, 1, NULL, 2, 3, 1, 'mbcs', 'blocks_size', 90000000, 0, 0),
  (3, 8000, 1, NULL, 2, 4, 1, 'mbcs', 'blocks_size', 104857600, 0, 0), (4, 8000, 1, NULL, 2, 1, 1, 'mbcs', 'blocks_size', 20971520, 0, 0);
