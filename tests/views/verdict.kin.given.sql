-- as: verdict.holder
-- SPDX-License-Identifier: MIT
-- Three processes of a kind refer to 6 MiB each, two more of it that are not listed to 8 MiB together.
DELETE FROM snapshot_process;
DELETE FROM process_name;
INSERT INTO process_name(id, ts_ns, runtime_id, thread_id, pid, name, label, initial_call, current_function, application, ancestors) VALUES
  (1, 9000, 1, NULL, '<0.1.0>', '', '', 'xmpp_stream_in:init/1', '', 'ejabberd', ''),
  (2, 9000, 1, NULL, '<0.2.0>', '', '', 'xmpp_stream_in:init/1', '', 'ejabberd', ''),
  (3, 9000, 1, NULL, '<0.3.0>', '', '', 'xmpp_stream_in:init/1', '', 'ejabberd', '');
INSERT INTO snapshot_process(id, ts_ns, runtime_id, thread_id, snapshot_id, pid, memory_bytes, heap_bytes, messages, binaries, binary_bytes, binaries_by) VALUES
  (1, 9000, 1, NULL, 2, '<0.1.0>', 100, 50, 0, 1, 6291456, 1),
  (2, 9000, 1, NULL, 2, '<0.2.0>', 100, 50, 0, 1, 6291456, 1),
  (3, 9000, 1, NULL, 2, '<0.3.0>', 100, 50, 0, 1, 6291456, 1);
INSERT INTO snapshot_process_group(id, ts_ns, runtime_id, thread_id, snapshot_id, initial_call, processes, heap_bytes, messages, binary_bytes) VALUES
  (1, 9000, 1, NULL, 2, 'xmpp_stream_in:init/1', 2, 100, 0, 8388608);
