-- SPDX-License-Identifier: MIT
-- A node read at one moment: 1000 bytes of carriers, 300 of them in the pool.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO given_stat VALUES
  (7, 'ets_alloc', 'mbcs', '{"carriers": [2, 3], "carriers_size": [500, 800], "blocks_size": [270, 700]}'),
  (7, 'ets_alloc', 'sbcs', '{"carriers": [1, 1], "carriers_size": [200, 200], "blocks": [1, 1], "blocks_size": [180, 180]}'),
  (7, 'ets_alloc', 'mbcs_pool', '{"carriers_size": [300], "blocks_size": [90]}');
-- stage: figure
