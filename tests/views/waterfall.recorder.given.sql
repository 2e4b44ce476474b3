-- as: waterfall.walked
-- SPDX-License-Identifier: MIT
-- stage: figure
-- The same, and its last snapshot: of 100,000 bytes in memory the recorder has 30,500.
INSERT INTO snapshot_begin(id, ts_ns, runtime_id, thread_id, snapshot_id, uptime_ms) VALUES (1, 6, 1, 1, 3, 9);
INSERT INTO snapshot_memory(id, ts_ns, runtime_id, thread_id, snapshot_id, "key", bytes) VALUES
  (1, 6, 1, 1, 3, 'own_buffers', 30000), (2, 6, 1, 1, 3, 'own_buffers_mapped', 65536), (3, 6, 1, 1, 3, 'own_tables', 500),
  (4, 6, 1, 1, 3, 'os_resident', 100000);
INSERT INTO snapshot_end(id, ts_ns, runtime_id, thread_id, snapshot_id, figures) VALUES (1, 6, 1, 1, 3, 4);
