-- SPDX-License-Identifier: MIT
-- stage: figure
-- A node with three readings and no carrier events: reading 3 has 12 MiB of blocks in 22 MiB of carriers, and in the
-- pool 1 MiB of blocks in 3 MiB of carriers, which the verdict counts as well.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 3000000000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO name_allocator(ts_ns, runtime_id, allocator_id, name) VALUES (0, 1, 4, 'binary_alloc');
INSERT INTO given_reading VALUES (0), (1), (2);
INSERT INTO snapshot_figure(ts_ns, runtime_id, snapshot_id, allocator_id, instance, section, "key", "current", max_since_last, max_ever)
VALUES (2000000000, 1, 3, 4, 1, 'mbcs_pool', 'carriers_size', 3145728, NULL, NULL),
  (2000000000, 1, 3, 4, 1, 'mbcs_pool', 'blocks_size', 1048576, NULL, NULL);
UPDATE snapshot_end SET figures = 6 WHERE snapshot_id = 3;
