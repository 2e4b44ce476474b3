-- SPDX-License-Identifier: MIT
-- A reading of one of a node's allocators, which shows no problem: what the others hold is not known, and
-- neither is the verdict on the node.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever) VALUES
  (1, 'binary_alloc', 1, 'mbcs', 'carriers', 2, 2),
  (1, 'binary_alloc', 1, 'mbcs', 'carriers_size', 20971520, 20971520),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks', 100, 100),
  (1, 'binary_alloc', 1, 'mbcs', 'blocks_size', 18874368, 18874368);
INSERT INTO figure SELECT * FROM _read_figure;
