-- SPDX-License-Identifier: MIT
-- Of two nodes with 100,000 bytes of binaries: 40 samples of a socket that stand for 80,000 of the first, one
-- of a process that stands for as much of the second, which may be much less.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100), (2, 1, 101);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc'), (2, 1, 2, NULL, 2, 'binary_alloc');
CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 40) SELECT n FROM c;
INSERT INTO sample_alloc_by_process(ts_ns, runtime_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process)
SELECT n, 1, 4096 * n, 1000, 7, 2, 1, 2000000, 4611686018427387904 + 1 + 40 FROM n
UNION ALL SELECT 500, 2, 4096000, 1000, 7, 2, 1, 80000000, 1 + 600;
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 8000, 1, NULL, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0), (2, 8000, 2, NULL, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO snapshot_figure(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, "key", current, max_since_last, max_ever) VALUES
  (1, 8000, 1, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 100000, 0, 0), (2, 8000, 2, NULL, 2, 2, 1, 'mbcs', 'blocks_size', 100000, 0, 0);
-- as: _made_most
