-- SPDX-License-Identifier: MIT
-- A result of erlang:memory() that is mostly tables, one that is small, a log, and flags.
INSERT INTO given_source(id, kind) VALUES (1, 'terms'), (2, 'terms'), (3, 'pasted'), (4, 'args');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'system_info'), (2, 2, NULL, NULL, 1, 'system_info'), (3, 3, NULL, NULL, 1, 'pasted'),
  (4, 4, NULL, NULL, 1, 'args');
INSERT INTO memory_sample VALUES (1, 'total', 10000000000), (1, 'ets', 8700000000), (1, 'binary', 1000000000),
  (2, 'total', 1000), (2, 'ets', 100), (2, 'binary', 300);
INSERT INTO pasted_figure VALUES
  (3, 1, 'failed allocation', 'eheap_alloc', 'bytes', 4000, NULL, 'bytes'),
  (3, 1, 'failed allocation', 'eheap_alloc', 'type', NULL, 'old_heap', NULL);
INSERT INTO emulator_flag VALUES (4, 1, '+MBas', 'bestfit', 1);
