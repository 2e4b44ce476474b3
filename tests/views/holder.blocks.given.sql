-- SPDX-License-Identifier: MIT
-- No snapshot has holders: live blocks by the process that made them, with its name by the tracer.
INSERT INTO given_block_story VALUES (1);
INSERT INTO otp_event(id, ts_ns, event, runtime_id, pid, entry) VALUES (1, 1, 'process_spawn', 1, '<0.6.0>', 'worker:run/2');
