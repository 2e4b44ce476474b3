-- SPDX-License-Identifier: MIT
--
-- Layer:   mechanisms
-- Serves:  growth, answer
--
-- By what memory grows or is kept, and what is done about it.

-- _mechanism: one row for each mechanism: its remedy, and what would prove it wrong; $W stands for who it is about, P for its pid
-- and T for the table.  Flags are in none: they stand in findings, where a replay proved them.
CREATE TEMP VIEW _mechanism AS
SELECT column1 AS mechanism, column2 AS remedy, column3 AS disproof
FROM (VALUES
  ('pieces', 'Copy what $W keeps of large binaries (binary:copy/1), or drop those that it keeps whole',
    'binary:referenced_byte_size/1 of what is kept is about its byte_size/1'),
  ('uncollected', 'Call erlang:garbage_collect/1 for $W: if that frees them, let it hibernate or set its fullsweep_after; if not, find what its state keeps',
    'erlang:garbage_collect(P) frees little'),
  ('mailbox', 'See what $W waits in, by process_info(P, current_stacktrace), and bound what is sent to it',
    'process_info(P, message_queue_len) is small, or falls'),
  ('state', 'Find what the state of $W keeps (of a gen_server sys:get_state/1 shows it, and copies it), and drop or move it',
    'erlang:garbage_collect(P) frees most of it'),
  -- Of RabbitMQ.
  ('queue', 'See whether consumers keep up (rabbitmqctl list_queues -p VHOST name messages consumers), and let them take more, or bound $W by a policy: max-length, message-ttl',
    'rabbitmqctl list_queues -p VHOST name messages shows no more messages than before'),
  ('table', 'Find who inserts into $W (ets:info/1 names its owner), and delete rows that are no longer needed',
    'ets:info(T, size) no longer rises'),
  ('table_of_binaries', 'Find who inserts binaries into $W (ets:info/1 names its owner), delete rows that are no longer needed, and insert binary:copy/1 of parts',
    'ets:info(T, size) no longer rises, or erlang:garbage_collect/1 of its owner frees the binaries'),
  ('timers', 'Cancel timers that are no longer needed, by erlang:cancel_timer/1; start fewer, or with shorter messages',
    'It falls by itself when the timers have run out'),
  ('monitors', 'End monitors and links of $W that are no longer needed (erlang:demonitor/2, unlink/1), or find who made them: process_info(P, monitors), process_info(P, monitored_by)',
    'process_info(P, memory) no longer rises'),
  ('processes', 'Find who starts $W and does not end them (process_info(P, parent) of one), and what they wait in: process_info(P, current_stacktrace)',
    'erlang:system_info(process_count) no longer rises'),
  ('tables', 'Find who makes $W (ets:info/1 names the owner), and delete those that are no longer needed: ets:delete/1',
    'length(ets:all()) no longer rises'),
  ('ports', 'Find who opens $W and does not close them: erlang:port_info(P, connected), port_close/1',
    'erlang:system_info(port_count) no longer rises'),
  ('port', 'See why the other end of $W does not read, and bound what is sent: inet:setopts/2 with high_watermark and send_timeout',
    'erlang:port_info(P, queue_size) falls'),
  ('atoms', 'Find who makes atoms of input, and call binary_to_existing_atom/2 there',
    'erlang:system_info(atom_count) no longer rises'),
  ('modules', 'Find what loads generated code or puts persistent terms again and again (code:all_loaded/0, persistent_term:info/0), and purge what is replaced: code:purge/1',
    'length(code:all_loaded()) and persistent_term:info() no longer rise'),
  ('outside', 'Find the native library (a NIF or driver) that takes it: in /proc/PID/smaps of two moments its mapping, or [heap], has grown',
    'In /proc/PID/smaps of two moments nothing but what the allocators map has grown'),
  ('fragmentation', 'Find the code that keeps the few blocks that are left in these carriers (carrierscope report holders FILE), and free them, or copy them in one go',
    'The peak returns soon and fills the empty space'),
  ('pool', 'Nothing, if the load returns: other schedulers fetch these carriers',
    'The load has returned, and what waits in the pool is as much'),
  ('segment_cache', 'Nothing, if there is room for it: it goes by itself when no large block comes or goes for some 10 s',
    'A reading some 10 s later, in which no large block came or went, has as much of it'),
  ('temporary', 'Make fewer or smaller large blocks that are freed at once (of sockets: a smaller read buffer)',
    'They are few in a longer recording'),
  ('recorder', 'Nothing: it goes when the recording ends; smaller buffers: carrierscope record --memory 8MiB',
    'It stays when the recording has ended'));
