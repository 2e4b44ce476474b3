-- SPDX-License-Identifier: MIT
-- Each block of a process: 720 bytes were asked for, 500 of which live; the process of the first two is named.
INSERT INTO given_block_story VALUES (1);
INSERT INTO runtime_fact(ts_ns, runtime_id, "key", value) VALUES (1, 1, 'node_name', 'one@here');
INSERT INTO process_name(ts_ns, runtime_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 1, '<0.5.0>', 'keeper', '', '', '', 'store', '');
