-- SPDX-License-Identifier: MIT
-- A node read at one moment: 100 MiB of binaries in 60 single-block carriers, 1.6 MiB each.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot VALUES (7, 1, NULL, NULL, 1, 'recon');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current, max_ever) VALUES
  (7, 'binary_alloc', 1, 'mbcs', 'carriers', 1, 1),
  (7, 'binary_alloc', 1, 'mbcs', 'carriers_size', 1048576, 1048576),
  (7, 'binary_alloc', 1, 'mbcs', 'blocks_size', 524288, 524288),
  (7, 'binary_alloc', 1, 'sbcs', 'carriers', 60, 300),
  (7, 'binary_alloc', 1, 'sbcs', 'carriers_size', 104857600, 104857600),
  (7, 'binary_alloc', 1, 'sbcs', 'blocks', 60, 300),
  (7, 'binary_alloc', 1, 'sbcs', 'blocks_size', 103809024, 103809024);
-- Of a part of the allocators nothing follows for the node: its figures have a lower bound only.
INSERT INTO figure SELECT * FROM _read_figure;
