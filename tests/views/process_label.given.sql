-- SPDX-License-Identifier: MIT
-- Names by snapshots (the last one holds), by the tracer, and of a dump; markup stays as it is.
INSERT INTO given_source(id, kind) VALUES (1, 'ctf'), (2, 'crash_dump');
INSERT INTO runtime(id, source_id, vpid) VALUES (1, 1, 100);
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 5, 1, NULL, '<0.543.0>', '', '', 'rabbit_amqqueue_process:init/1', 'gen_server2:process_next_msg/1', 'rabbit', ''),
  (2, 9, 1, NULL, '<0.543.0>', '', 'slow', 'rabbit_amqqueue_process:init/1', 'gen_server2:process_next_msg/1', 'rabbit', ''),
  (3, 9, 1, NULL, '<0.60.0>', 'kernel_sup', '', 'supervisor:kernel/1', 'gen_server:loop/7', 'kernel', ''),
  (4, 9, 1, NULL, '<0.70.0>', '', '', 'proc_lib:init_p/5', 'big:loop/1', '', ''),
  -- Read when it was large already: a child of a supervisor, of one with a name, of one that is not known.
  (7, 9, 1, NULL, '<0.72.0>', '', '', 'proc_lib:init_p/5', 'gen_server:loop/7', '', '<0.73.0>'),
  (8, 9, 1, NULL, '<0.73.0>', '', '', 'supervisor:queue_sup/1', 'gen_server:loop/7', '', 'kernel_sup <0.10.0>'),
  (9, 9, 1, NULL, '<0.74.0>', '', '', 'proc_lib:init_p/5', 'gen_server:loop/7', '', 'kernel_sup'),
  (10, 9, 1, NULL, '<0.75.0>', '', '', 'proc_lib:init_p/5', 'gen_server:loop/7', '', '<0.99.0>'),
  (5, 9, 1, NULL, '<0.71.0>', '', '<b>ö</b>', 'erlang:apply/2', '', '', ''),
  -- Its heap is large now.
  (6, 12, 1, NULL, '<0.543.0>', '', '', 'proc_lib:init_p/5', 'erlang:hibernate/3', 'rabbit', '');
INSERT INTO otp_event(id, ts_ns, event, runtime_id, pid, entry, name, type) VALUES
  (1, 1, 'process_spawn', 1, '<0.80.0>', 'worker:run/2', NULL, NULL),
  (2, 2, 'process_register', 1, '<0.81.0>', NULL, 'boss', 'register'),
  (3, 3, 'process_register', 1, '<0.81.0>', NULL, 'boss', 'unregister'),
  (4, 4, 'process_spawn', 1, '<0.543.0>', 'proc_lib:init_p/5', NULL, NULL);
INSERT INTO snapshot_port(id, ts_ns, runtime_id, thread_id, snapshot_id, port, name, owner, peer, memory_bytes, queue_bytes) VALUES
  (1, 9, 1, NULL, 2, '#Port<0.7>', 'tcp_inet', '<0.543.0>', '127.0.0.1:5672', 0, 0),
  (2, 9, 1, NULL, 2, '#Port<0.8>', 'cat', '<0.1.0>', '', 0, 0);
INSERT INTO snapshot VALUES (7, 2, NULL, NULL, 1, 'crash_dump');
INSERT INTO process_sample(snapshot_id, line, pid, name, initial_call, current_call) VALUES
  (7, 1, '<0.9.0>', NULL, 'proc_lib:init_p/5', 'gen_server:loop/7');
