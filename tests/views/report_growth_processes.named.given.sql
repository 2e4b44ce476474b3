-- SPDX-License-Identifier: MIT
-- A process that ended keeps its name, of the tracer and of a snapshot.
INSERT INTO given_block_story VALUES (1);
INSERT INTO otp_event(id, ts_ns, event, runtime_id, pid, entry) VALUES (1, 1, 'process_spawn', 1, '<0.6.0>', 'worker:init/1');
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 5, 1, NULL, '<0.6.0>', '', 'slow', '', '', 'rabbit', '');
