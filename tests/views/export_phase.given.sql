-- SPDX-License-Identifier: MIT
-- A hook that ends, one that was only attached to again, and one that still records at the end of the runtime's events; a
-- reading, a state dump; and on thread 1 a process that is scheduled in and out and a collection within it.
INSERT INTO given_source(id, first_ts_ns, last_ts_ns) VALUES (1, 0, 10000);
INSERT INTO runtime VALUES (1, 1, 'host', 100, 'beam.smp');
INSERT INTO runtime_span(runtime_id, first_ts_ns, last_ts_ns) VALUES (1, 0, 9000);
INSERT INTO thread VALUES (1, 1, 101, '1_scheduler', 0, 4);
INSERT INTO runtime_fact(ts_ns, runtime_id, "key", value) VALUES (1, 1, 'node_name', 'one@here');
INSERT INTO hook_begin(ts_ns, runtime_id, hook_id, is_again) VALUES (1000, 1, 1, 0), (1500, 1, 1, 1), (4000, 1, 2, 0);
INSERT INTO hook_end(ts_ns, runtime_id, hook_id) VALUES (3000, 1, 1);
INSERT INTO snapshot_begin(ts_ns, runtime_id, snapshot_id) VALUES (5000, 1, 3);
INSERT INTO snapshot_end(ts_ns, runtime_id, snapshot_id) VALUES (5500, 1, 3);
INSERT INTO state_begin(ts_ns, runtime_id, dump_id) VALUES (6000, 1, 9);
INSERT INTO state_end(ts_ns, runtime_id, dump_id) VALUES (6100, 1, 9);
INSERT INTO otp_event(id, ts_ns, event, runtime_id, thread_id, pid, entry, type) VALUES
  (1, 7000, 'process_scheduled', 1, 1, '<0.5.0>', 'lists:map/2', 'in'),
  (2, 7100, 'gc_minor_start', 1, 1, '<0.5.0>', NULL, NULL),
  (3, 7200, 'gc_minor_end', 1, 1, '<0.5.0>', NULL, NULL),
  (4, 7900, 'process_scheduled', 1, 1, '<0.5.0>', 'lists:map/2', 'out'),
  -- Its end was lost.
  (5, 8000, 'gc_major_start', 1, 1, '<0.6.0>', NULL, NULL),
  (6, 8500, 'gc_minor_start', 1, 1, '<0.6.0>', NULL, NULL),
  (7, 8600, 'gc_minor_end', 1, 1, '<0.6.0>', NULL, NULL);
