-- SPDX-License-Identifier: MIT
-- Of 1 MB of heaps one process has 100 kB and 600 kB of messages outside; the messages of another are on its heap, each
-- with 88 bytes beside it; the third has much beside its heap that is no message.
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 1, 'eheap_alloc');
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 20, 1, NULL, 2, 1, 1, 'mbcs', 'blocks_size', 1000000, 0, 0);
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 20, 1, NULL, 2, '<0.1.0>', 700000, 100000, 5000, 0, 0, 1),
  (2, 20, 1, NULL, 2, '<0.2.0>', 782000, 200000, 6600, 0, 0, 1),
  (3, 20, 1, NULL, 2, '<0.3.0>', 9900000, 50000, 0, 0, 0, 1);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 20, 1, NULL, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0);
