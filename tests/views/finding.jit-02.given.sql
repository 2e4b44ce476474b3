-- SPDX-License-Identifier: MIT
-- Nodes that read themselves, and whether their JIT shows what it keeps for debuggers:
--   1: has a JIT and shows nothing in two readings: fires, once
--   2: shows it: does not
--   3: has no JIT: does not
--   4: was not asked (no fact, as recordings before that have none): does not
--   5: has no reading: does not
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) SELECT value, 1, value FROM json_each('[1, 2, 3, 4, 5]');
INSERT INTO runtime_fact(id, ts_ns, runtime_id, thread_id, "key", value) VALUES
  (1, 5, 1, NULL, 'emu_flavor', 'jit'),
  (2, 5, 1, NULL, 'otp_release', '29'),
  (3, 15, 1, NULL, 'emu_flavor', 'jit'),
  (4, 5, 2, NULL, 'emu_flavor', 'jit'),
  (5, 5, 3, NULL, 'emu_flavor', 'emu'),
  (6, 5, 5, NULL, 'emu_flavor', 'jit');
INSERT INTO snapshot_end(id, ts_ns, runtime_id, thread_id, snapshot_id, figures) VALUES
  (1, 10, 1, NULL, 1, 1), (2, 20, 1, NULL, 2, 1), (3, 10, 2, NULL, 3, 1), (4, 10, 3, NULL, 4, 1), (5, 10, 4, NULL, 5, 1);
INSERT INTO snapshot_memory(id, ts_ns, runtime_id, thread_id, snapshot_id, "key", bytes) VALUES
  (1, 10, 1, NULL, 1, 'code', 4096),
  (2, 10, 2, NULL, 3, 'jit_debug', 4096);
