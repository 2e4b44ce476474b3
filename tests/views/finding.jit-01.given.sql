-- SPDX-License-Identifier: MIT
-- Nodes that read themselves, and what their JIT keeps for debuggers:
--   1: 20 MiB, then 28 MiB: fires; the reading between does not count
--   2: 20 MiB, then a byte less than 28 MiB: does not
--   3: 28 MiB, then 20 MiB: does not
--   4: one reading of 100 MiB: does not
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) SELECT value, 1, value FROM json_each('[1, 2, 3, 4]');
INSERT INTO snapshot_memory(id, ts_ns, runtime_id, thread_id, snapshot_id, "key", bytes) VALUES
  (1, 10, 1, NULL, 1, 'jit_debug', 20971520),
  (2, 20, 1, NULL, 2, 'jit_debug', 90000000),
  (3, 30, 1, NULL, 3, 'jit_debug', 29360128),
  (4, 30, 1, NULL, 3, 'code', 99360128),
  (5, 10, 2, NULL, 1, 'jit_debug', 20971520),
  (6, 20, 2, NULL, 2, 'jit_debug', 29360127),
  (7, 10, 3, NULL, 1, 'jit_debug', 29360128),
  (8, 20, 3, NULL, 2, 'jit_debug', 20971520),
  (9, 20, 4, NULL, 1, 'jit_debug', 104857600);
