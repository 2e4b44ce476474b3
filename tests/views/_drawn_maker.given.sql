-- SPDX-License-Identifier: MIT
--
-- A list of 148 parts, as it is of 606,208 live blocks, with three blocks in each part here: two of 1000 bytes of a process, and one
-- of a port, of 2 MiB in one part that is read, else of 10 bytes.  Parts 1, 3, 5 and so on are read.  The large block may
-- as well be the only one: at least nothing is known of the port.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 0, 9000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO thread(id, runtime_id, vtid, carrier_events, events) VALUES (1, 1, 100, 0, 444);
INSERT INTO name_allocator(id, ts_ns, runtime_id, thread_id, allocator_id, name) VALUES (1, 1, 1, NULL, 2, 'binary_alloc');
INSERT INTO block_event(id, ts_ns, op, thread_id, address, size, type_id, allocator_id, instance, process)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 443)
SELECT i + 1, i + 1, 0, 1, 4096 * (i + 1), CASE WHEN i % 3 < 2 THEN 1000 WHEN i / 3 = 51 THEN 2097152 ELSE 10 END, 7, 2, 1,
  iif(i % 3 < 2, 543 + 1, 4611686018427387905 + 9) FROM n;
INSERT INTO block_span(source_id, first_id, last_id, first_ts_ns, last_ts_ns, late_reallocs) VALUES (1, 1, 444, 1, 444, 0);
INSERT INTO live_block_keyframe(at_id, blocks) VALUES (444, 606208);
INSERT INTO live_block_list(at_id, part, ids)
SELECT 444, (id - 1) / 3, json_group_array(id) FROM block_event GROUP BY 2;
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes) VALUES
  (1, 8000, 1, NULL, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0);
