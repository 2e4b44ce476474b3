-- SPDX-License-Identifier: MIT
-- Socket reads: of 2000 blocks of type drv_binary nine of ten and more lived less than 17 ms.  At the reading three are
-- live: one that no process refers to and that is freed soon, one that a process has, and one that stays.  Of
-- driver_alloc no reading says who holds it: at the end one block is too young to know, another is not.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 10000000000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO thread VALUES (5, 1, 100, NULL, 0, 14);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 1, NULL, 3, 'driver_alloc');
INSERT INTO name_type(id, ts_ns, runtime_id, thread_id, type_id, allocator_id, class_id, name) VALUES (1, 1, 1, NULL, 7, 2, 1, 'drv_binary'), (2, 1, 1, NULL, 8, 3, 1, 'drv_data');
INSERT INTO block_span(source_id, first_id, last_id, first_ts_ns, last_ts_ns, late_reallocs) VALUES (1, 1, 20, 0, 10000000000, 0);
INSERT INTO block_account(id, source_id, runtime_id, scope, allocator_id, type_id, class_id, made, made_bytes, ended, ended_bytes, resized, live_blocks,
    live_bytes, most_blocks, most_bytes, unknown_frees, unknown_bytes, lost_frees, lost_bytes, temporary, temporary_bytes) VALUES
  (1, 1, 1, 'type', 2, 7, 1, 2000, 4194304000, 1999, 4192206848, 0, 1, 2097152, 3, 6291456, 0, 0, 0, 0, 0, 0),
  (2, 1, 1, 'type', 3, 8, 1, 9, 99999999, 9, 99999999, 0, 0, 0, 3, 6291456, 0, 0, 0, 0, 0, 0),
  (3, 1, 1, 'runtime', NULL, NULL, NULL, 2009, 4294303999, 2008, 4292206847, 0, 1, 2097152, 3, 6291456, 0, 0, 0, 0, 0, 0);
INSERT INTO block_life(account_id, life_from_ns, ends, end_bytes) VALUES
  (1, 4194304, 1000, 2097152000), (1, 8388608, 990, 2076180480), (1, 16777216, 9, 18874368), (2, 8388608, 9, 99999999);
INSERT INTO block_event(id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance, ended_id, process) VALUES
  (1, 1000000000, 0, 5, 4096, 2000, 7, 2, 1, NULL, 0),     -- made long before
  (2, 4999000000, 0, 5, 8192, 2000, 7, 2, 1, NULL, 0),     -- temporary, nobody's
  (3, 4999000001, 0, 5, 12288, 2000, 7, 2, 1, NULL, 0),    -- temporary, a process refers to it
  (4, 4999000002, 0, 5, 16384, 2000, 7, 2, 1, NULL, 0),    -- resized, not freed
  (5, 4999000003, 0, 5, 20480, 2000, 7, 2, 1, NULL, 0),    -- freed late
  (6, 4999000004, 0, 5, 24576, 2000, 7, 2, 1, NULL, 0),    -- freed before the reading
  (7, 4999000005, 1, 5, 24576, 2000, 7, 2, 1, 6, NULL),
  (8, 5001000000, 1, 5, 8192, 2000, 7, 2, 1, 2, NULL),
  (9, 5001000001, 1, 5, 12288, 2000, 7, 2, 1, 3, NULL),
  (10, 5001000002, 1, 5, 16384, 2000, 7, 2, 1, 4, NULL),
  (11, 5001000002, 2, 5, 28672, 100, 7, 2, 1, NULL, 0),
  (12, 6000000000, 1, 5, 20480, 2000, 7, 2, 1, 5, NULL),
  (13, 9000000000, 0, 5, 32768, 300, 8, 3, 1, NULL, 78),   -- old at the end
  (14, 9999000000, 0, 5, 36864, 500, 8, 3, 1, NULL, 78);   -- young at the end
INSERT INTO live_block_keyframe VALUES (20, 2);
INSERT INTO live_block_list(at_id, part, ids) VALUES (20, 0, '[13, 14]');
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 5000000000, 1, NULL, 1, 2, 1, 'mbcs', 'blocks_size', 20000, 0, 0);
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 5000000000, 1, NULL, 1, '<0.77.0>', 100, 0, 0, 1, 2000, 1);
INSERT INTO snapshot_binary(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, address, size_bytes, "references") VALUES
  (1, 5000000000, 1, NULL, 1, '<0.77.0>', 12288, 2000, 1);
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 5000000000, 1, NULL, 1, 1, 1, 0, 0, 0, 0, 0, 1, 2000);
