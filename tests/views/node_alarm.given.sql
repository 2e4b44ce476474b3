-- SPDX-License-Identifier: MIT
-- 100 s; at 60 s the node grew by 300 MiB in a minute, at 90 s a process had a large heap; snapshots at 10, 50 and 95 s.
INSERT INTO given_source(id, kind, first_ts_ns, last_ts_ns) VALUES (1, 'ctf', 1000000000, 101000000000);
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO runtime_fact(id, ts_ns, runtime_id, thread_id, "key", value) VALUES (1, 1000000000, 1, NULL, 'node_name', 'shop@here');
INSERT INTO alarm(id, ts_ns, runtime_id, thread_id, reason, value, threshold, detail) VALUES
  (5, 61000000000, 1, NULL, 'growth', 314572800, 268435456, ''),
  (9, 91000000000, 1, NULL, 'large_heap', 536870912, 268435456, '<0.99.0> cart');
INSERT INTO snapshot_end(id, ts_ns, runtime_id, thread_id, snapshot_id, figures) VALUES
  (2, 11000000000, 1, NULL, 1, 0), (4, 51000000000, 1, NULL, 2, 0), (10, 96000000000, 1, NULL, 3, 0);
