-- SPDX-License-Identifier: MIT
-- The same as verdict, and a process refers to 32 of the 40 MiB.
-- 20 carriers of 5 MiB (104857600 bytes) of which 40 MiB are used, 96 MiB at the peak; one
-- instance: one carrier of 5 MiB may be empty, so 100 - 40 - 5 = 55 MiB are waste.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns, bucket_origin_ns, bucket_ns) VALUES (1, 0, 9000, 0, 1000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO allocator VALUES (1, 'binary_alloc');
INSERT INTO allocator_use VALUES (1, 1, 1, 1);
INSERT INTO given_instance(id, runtime_id, allocator_id, number) VALUES (1, 1, 1, 1);
INSERT INTO given_figure(subject_id, allocator, moment, ts_ns, mbc, bytes, mbcs) VALUES
  (1, 'binary_alloc', 'end', 9000, 104857600, 41943040, 20),
  (1, 'binary_alloc', 'peak', 4000, 104857600, 100663296, 20);
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
