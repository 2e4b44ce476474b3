-- SPDX-License-Identifier: MIT
-- A reading whose super carrier has 254 of 260 MiB in use, and one with 200 of 260.
INSERT INTO given_source(id, kind) VALUES (1, 'terms');
INSERT INTO snapshot(id, source_id, kind) VALUES (1, 1, 'system_info'), (2, 1, 'system_info');
INSERT INTO instance_stat(snapshot_id, allocator, instance, section, key, current) VALUES
  (1, 'default_mmap', NULL, 'supercarrier', 'total', 272629760),
  (1, 'default_mmap', NULL, 'supercarrier', 'used', 266338304),
  (2, 'default_mmap', NULL, 'supercarrier', 'total', 272629760),
  (2, 'default_mmap', NULL, 'supercarrier', 'used', 209715200);
