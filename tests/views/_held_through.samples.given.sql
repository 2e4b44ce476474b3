-- SPDX-License-Identifier: MIT
-- Two processes refer to 100 binaries of 1000 bytes each.  Of the first 40 were drawn with weight 2, of the second
-- one with weight 100: that may stand for much less.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc');
CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100) SELECT n FROM c;
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 8000, 1, NULL, 2, '<0.543.0>', 100, 50, 0, 100, 100000, 1),
  (2, 8000, 1, NULL, 2, '<0.544.0>', 100, 50, 0, 100, 100000, 1);
INSERT INTO snapshot_binary(ts_ns, runtime_id, thread_id, snapshot_id, pid, address, size_bytes, "references")
SELECT 8000, 1, NULL, 2, '<0.543.0>', 4096 * n, 1000, 1 FROM n UNION ALL SELECT 8000, 1, NULL, 2, '<0.544.0>', 4096000 * n, 1000, 1 FROM n;
INSERT INTO sample_alloc_by_process(ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process)
SELECT n, 1, 4096 * n, 1024, 7, 2, 1, 2000000, 4611686018427387904 + 1 + 40 FROM n WHERE n <= 40
UNION ALL SELECT 500, 1, 4096000, 1024, 7, 2, 1, 100000000, 1 + 600;
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 8000, 1, NULL, 2, 2, 2, 0, 0, 0, 0, 0, 200, 200000);
