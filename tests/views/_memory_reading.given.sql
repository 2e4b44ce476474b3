-- SPDX-License-Identifier: MIT
-- A result of erlang:memory() that is mostly tables, and one of a single key.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'system_info'), (2, 1, NULL, NULL, 9, 'system_info');
INSERT INTO memory_sample VALUES
  (1, 'total', 1000), (1, 'processes', 50), (1, 'system', 950), (1, 'ets', 870), (1, 'binary', 10), (1, 'atom_used', 9),
  (2, 'binary', 2000000000);
