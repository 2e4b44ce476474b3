-- SPDX-License-Identifier: MIT
-- Functions, a process and a library of the last list by the moment; an earlier list does not count, nor one for which nothing was looked at.
INSERT INTO given_source(id, kind) VALUES (1, 'ctf');
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO snapshot_functions(id, ts_ns, runtime_id, thread_id, snapshot_id, instances, instances_seen, origins, unscanned_bytes) VALUES
  (1, 5, 1, NULL, 2, 3, 3, 1, 0), (2, 9, 1, NULL, 4, 3, 2, 4, 4096), (3, 11, 1, NULL, 6, 3, 0, 0, 99999);
INSERT INTO snapshot_function(id, ts_ns, runtime_id, thread_id, snapshot_id, allocator, type, origin, kind, application, blocks, least_bytes, most_bytes) VALUES
  (1, 5, 1, NULL, 2, 'ets_alloc', 'db_term', 'old:one/1', 1, 'old', 1, 64, 127),
  (2, 9, 1, NULL, 4, 'ets_alloc', 'db_term', 'cache:put/2', 1, 'cache', 10, 640, 1270),
  (3, 9, 1, NULL, 4, 'ets_alloc', 'db_term', '', 0, '', 1, 64, 126),
  (4, 9, 1, NULL, 4, 'binary_alloc', 'binary', '<0.90.0>', 2, '', 2, 131072, 262142),
  (5, 9, 1, NULL, 4, 'binary_alloc', 'drv_binary', 'tcp_inet', 0, '', 1, 1024, 2047);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 9, 1, NULL, '<0.90.0>', 'keeper', '', 'keeper:init/1', 'gen_server:loop/7', 'store', '');
