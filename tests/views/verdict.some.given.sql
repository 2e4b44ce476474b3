-- SPDX-License-Identifier: MIT
-- A reading of one of a node's allocators, which shows no problem: what the others hold is not known, and
-- neither is the verdict on the node.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO given_stat VALUES
  (1, 'binary_alloc', 'mbcs', '{"carriers": [2, 2], "carriers_size": [20971520, 20971520], "blocks": [100, 100],
    "blocks_size": [18874368, 18874368]}');
-- stage: figure
