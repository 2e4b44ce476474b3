-- SPDX-License-Identifier: MIT
-- Causes that are not memory.
INSERT INTO given_source(id, kind) VALUES (1, 'crash_dump');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'crash_dump'), (2, 1, NULL, NULL, 1, 'crash_dump'), (3, 1, NULL, NULL, 1, 'crash_dump'),
  (4, 1, NULL, NULL, 1, 'crash_dump'), (5, 1, NULL, NULL, 1, 'crash_dump'), (6, 1, NULL, NULL, 1, 'crash_dump');
INSERT INTO crash_dump(snapshot_id, slogan, cause, ended, end_offset_bytes, binaries, binary_bytes) VALUES
  (1, 'Kernel pid terminated (application_controller) ({application_start_failure,web,{{shutdown,{failed_to_start_child,l,{listen_error,l,eaddrinuse}}},{web,start,[]}}})', 'kernel_process', 'end', 9, 0, 0),
  (2, 'Error when reading /home/x/.erlang.cookie: eacces', 'other', 'end', 9, 0, 0),
  (3, 'init terminating in do_boot ({undef,[{shop,start,[],[]},{init,start_em,1,[]}]})', 'boot', 'end', 9, 0, 0),
  (4, 'Kernel pid terminated (application_controller) ({application_start_failure,shop,{bad_return,{}}})', 'kernel_process', 'end', 9, 0, 0),
  (5, 'done', 'other', 'end', 9, 0, 0),
  (6, 'init terminating in do_boot ({load_failed,[shop]})', 'boot', 'end', 9, 0, 0);
