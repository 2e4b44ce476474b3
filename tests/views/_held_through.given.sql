-- SPDX-License-Identifier: MIT
-- A queue refers to three binaries of 20 MiB: two were received through a socket, one it made itself.  Of another the
-- half was made by a connection, of a third less than that.  A fourth was not listed one by one, a fifth has binaries
-- whose blocks were not recorded, or whose address was another's after the reading.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 1, NULL, 3, 'driver_alloc');
INSERT INTO block_span(source_id, first_id, last_id, first_ts_ns, last_ts_ns, late_reallocs) VALUES (1, 1, 20, 0, 9000, 0);
INSERT INTO block_event(id, ts_ns, op, address, size, type_id, allocator_id, instance, process) VALUES
  (1, 10, 0, 4096, 20971544, 7, 2, 1, 4611686018427387904 + 1 + 40), (2, 11, 0, 8192, 20971544, 7, 2, 1, 4611686018427387904 + 1 + 40),
  (3, 12, 0, 12288, 20971544, 7, 2, 1, 1 + 543), (4, 13, 0, 16384, 1024, 7, 2, 1, 1 + 600), (5, 14, 0, 20480, 1024, 7, 2, 1, 1 + 544),
  (6, 15, 0, 24576, 1000, 7, 2, 1, 1 + 600), (7, 16, 0, 28672, 1100, 7, 2, 1, NULL), (8, 8500, 0, 32768, 5000, 7, 2, 1, 1 + 600),
  (9, 17, 0, 36864, 5000, 7, 3, 1, 1 + 600);
INSERT INTO live_block_keyframe VALUES (20, 9);
INSERT INTO live_block_list(at_id, part, ids) VALUES (20, 0, '[1, 2, 3, 4, 5, 6, 7, 8, 9]');
INSERT INTO snapshot_port(id, ts_ns, runtime_id, thread_id, snapshot_id, port, name, owner, peer, memory_bytes, queue_bytes) VALUES
  (1, 8000, 1, NULL, 2, '#Port<0.40>', 'tcp_inet', '<0.600.0>', '127.0.0.1:59964', 64, 0);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 8000, 1, NULL, '<0.543.0>', '', 'slow', 'rabbit_amqqueue_process:init/1', '', 'rabbit', ''),
  (2, 8000, 1, NULL, '<0.600.0>', '', '', 'rabbit_reader:init/4', '', 'rabbit', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 8000, 1, NULL, 2, '<0.543.0>', 100, 50, 0, 3, 62914560, 1),
  (2, 8000, 1, NULL, 2, '<0.544.0>', 100, 50, 0, 2, 2000, 1),
  (3, 8000, 1, NULL, 2, '<0.545.0>', 100, 50, 0, 2, 2100, 1),
  (4, 8000, 1, NULL, 2, '<0.546.0>', 100, 50, 0, -1, 1000, 2),
  (5, 8000, 1, NULL, 2, '<0.547.0>', 100, 50, 0, 2, 10000, 1);
INSERT INTO snapshot_binary(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, address, size_bytes, "references") VALUES
  (1, 8000, 1, NULL, 2, '<0.543.0>', 4096, 20971520, 1), (2, 8000, 1, NULL, 2, '<0.543.0>', 8192, 20971520, 1), (3, 8000, 1, NULL, 2, '<0.543.0>', 12288, 20971520, 1),
  (4, 8000, 1, NULL, 2, '<0.544.0>', 16384, 1000, 1), (5, 8000, 1, NULL, 2, '<0.544.0>', 20480, 1000, 1),
  (6, 8000, 1, NULL, 2, '<0.545.0>', 24576, 1000, 1), (7, 8000, 1, NULL, 2, '<0.545.0>', 28672, 1100, 1),
  (8, 8000, 1, NULL, 2, '<0.546.0>', 16384, 1000, 1),
  (9, 8000, 1, NULL, 2, '<0.547.0>', 32768, 5000, 1), (10, 8000, 1, NULL, 2, '<0.547.0>', 36864, 5000, 1);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 8000, 1, NULL, 2, 5, 5, 0, 0, 0, 0, 0, 10, 0);
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 8000, 1, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 70000000, 0, 0);
