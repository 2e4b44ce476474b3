-- SPDX-License-Identifier: MIT
-- Two live blocks: at the last reading two processes referred to one of them; the other was made later.
INSERT INTO given_block_story VALUES (1);
UPDATE name_allocator SET name = 'binary_alloc';
INSERT INTO snapshot_holders(id, ts_ns, runtime_id, thread_id, snapshot_id, processes, processes_seen, tables, tables_seen, tables_bytes, ports, ports_seen, binaries, binary_bytes)
  VALUES (1, 4, 1, NULL, 2, 2, 2, 0, 0, 0, 0, 0, 2, 500);
INSERT INTO snapshot_binary(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, address, size_bytes, "references") VALUES
  (1, 4, 1, NULL, 2, '<0.7.0>', 16384, 276, 2), (2, 4, 1, NULL, 2, '<0.8.0>', 16384, 276, 2),
  -- What is there now was made after the reading.
  (3, 4, 1, NULL, 2, '<0.9.0>', 16688, 200, 1);
