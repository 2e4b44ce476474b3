-- SPDX-License-Identifier: MIT
-- Two nodes; the first recorded how it was hooked twice, and the last time holds.
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100), (2, 1, 200);
INSERT INTO runtime_fact(id, ts_ns, runtime_id, thread_id, "key", value) VALUES
  (1, 5, 1, NULL, 'node_name', 'one@here'),
  (2, 6, 1, NULL, 'table_found_by', 'searched: 12 functions, 0 sets of instances agree'),
  (3, 9, 1, NULL, 'table_found_by', 'searched: 12 functions, 9 sets of instances agree'),
  (4, 9, 2, NULL, 'node_name', 'two@here'),
  (5, 9, 2, NULL, 'table_found_by', 'exported symbols');
