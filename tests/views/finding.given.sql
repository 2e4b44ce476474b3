-- SPDX-License-Identifier: MIT
-- A node read at one moment: 100 MiB of binaries in 60 single-block carriers, 1.6 MiB each.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO given_stat VALUES
  (7, 'binary_alloc', 'mbcs', '{"carriers": [1, 1], "carriers_size": [1048576, 1048576], "blocks_size": [524288, 524288]}'),
  (7, 'binary_alloc', 'sbcs', '{"carriers": [60, 300], "carriers_size": [104857600, 104857600], "blocks": [60, 300],
    "blocks_size": [103809024, 103809024]}');
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
-- stage: figure
