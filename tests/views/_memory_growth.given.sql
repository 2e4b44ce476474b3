-- SPDX-License-Identifier: MIT
-- Binaries rise twice by 100 bytes, all else stays; in the second source processes rise once and fall once.
INSERT INTO given_source(id, kind) VALUES (1, 'terms'), (2, 'terms');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'system_info'), (2, 1, NULL, NULL, 2, 'system_info'), (3, 1, NULL, NULL, 3, 'system_info'),
  (4, 2, NULL, NULL, 1, 'system_info'), (5, 2, NULL, NULL, 2, 'system_info'), (6, 2, NULL, NULL, 3, 'system_info');
INSERT INTO memory_sample VALUES
  (1, 'total', 1000), (1, 'binary', 100), (1, 'ets', 60), (2, 'total', 1100), (2, 'binary', 200), (2, 'ets', 60),
  (3, 'total', 1200), (3, 'binary', 300), (3, 'ets', 60),
  (4, 'total', 1000), (4, 'processes', 100), (5, 'total', 1100), (5, 'processes', 300), (6, 'total', 1200), (6, 'processes', 200);
