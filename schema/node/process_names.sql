-- SPDX-License-Identifier: MIT
--
-- Layer:   names of processes
-- Serves:  holder, the page, exports
--
-- What processes and ports are called: by a snapshot, the tracer, a crash dump.

-- _process_named: one row for each process or port that something names: by a snapshot, by the tracer, by a dump.
CREATE TEMP VIEW _process_named AS
WITH read AS (
  SELECT runtime_id, pid, name, label, initial_call, current_function, application, ancestors, max(id)
  FROM process_name
  GROUP BY runtime_id, pid
),
traced AS (
  SELECT runtime_id, event, pid, iif(event = 'process_spawn', entry, name) AS word, max(id)
  FROM otp_event
  WHERE event = 'process_spawn' OR (event = 'process_register' AND type = 'register')
  GROUP BY runtime_id, event, pid
),
-- Before OTP 26.2 a process with a large heap is not asked for these: they are as they were read before.
-- Of a port its driver, the other end, and the application of its owner.
port AS (
  SELECT p.runtime_id, p.port, p.name, p.peer, r.application, max(p.id)
  FROM snapshot_port AS p
  LEFT JOIN read AS r ON r.runtime_id = p.runtime_id AND r.pid = p.owner
  GROUP BY p.runtime_id, p.port
),
begun AS (
  SELECT runtime_id, pid, label, initial_call, max(id)
  FROM process_name
  WHERE initial_call NOT IN ('', 'proc_lib:init_p/3', 'proc_lib:init_p/5', 'erlang:apply/2', 'erlang:apply/3')
  GROUP BY runtime_id, pid
),
named AS (
  SELECT runtime_id, pid, name, label, initial_call, current_function, application,
    NULL AS registered, NULL AS spawned, NULL AS began, NULL AS noted, ancestors
  FROM read
  UNION ALL
  SELECT runtime_id, pid, NULL, NULL, NULL, NULL, NULL,
    iif(event = 'process_register', word, NULL), iif(event = 'process_spawn', word, NULL), NULL, NULL, NULL
  FROM traced
  UNION ALL
  SELECT runtime_id, pid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, initial_call, label, NULL
  FROM begun
  UNION ALL
  SELECT runtime_id, port, name, peer, NULL, NULL, application, NULL, NULL, NULL, NULL, NULL
  FROM port
)
SELECT runtime_id, NULL AS snapshot_id, pid,
  ifnull(nullif(max(name), ''), max(registered)) AS name,
  ifnull(nullif(max(label), ''), nullif(max(noted), '')) AS label,
  coalesce(max(began), nullif(max(initial_call), ''), max(spawned)) AS initial_call,
  nullif(max(current_function), '') AS current_function,
  nullif(max(application), '') AS application,
  nullif(substr(max(ancestors), 1, instr(max(ancestors) || ' ', ' ') - 1), '') AS parent
FROM named
GROUP BY runtime_id, pid
UNION ALL
SELECT NULL, snapshot_id, pid, name, NULL, initial_call, current_call, NULL, parent
FROM process_sample;

-- process_label: the same with the text that all reports show for it: pid, registered name or else the
-- module it began in (if that is not known, where it is, whose child, and why), label, application; of a port its driver, and the other end of a socket.  A process keeps
-- its name when it has ended.  Elixir's modules are named as Elixir does.  What RabbitMQ names in a way of its own, by the node's
-- module (carrierscope_rabbitmq), has that name alone; all processes that record have one.
--
-- Worked example, tests/views/process_label: a process of rabbit, which labelled itself, and one of its queues.
--
--   <0.544.0> rabbit_sessions "idle" (rabbit)
--   queue "slow" (vhost /)
CREATE TEMP TABLE _process_label AS
WITH named AS MATERIALIZED (SELECT * FROM _process_named),
parent AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, pid,
    coalesce(name, iif(initial_call LIKE '%:init/_' OR initial_call LIKE 'supervisor:%', substr(initial_call, 1, instr(initial_call, '/') - 1), NULL))
      AS called
  FROM named
  WHERE pid IN (SELECT parent FROM named)
),
child AS (
  SELECT n.*, iif(n.parent LIKE '<%', p.called, n.parent) AS parent_name
  FROM named AS n
  LEFT JOIN parent AS p ON p.pid = n.parent AND p.runtime_id IS n.runtime_id AND p.snapshot_id IS n.snapshot_id
),
sorted AS (
  SELECT *,
    CASE
      WHEN pid LIKE '#Port%' THEN 'port'
      WHEN name LIKE 'carrierscope\_%' ESCAPE '\' OR initial_call LIKE 'carrierscope:%' OR initial_call LIKE 'carrierscope\_%:%' ESCAPE '\'
        -- Asked for from outside, by erl_call and its like; a shell is its user's.
        OR (current_function LIKE 'carrierscope:%' AND (parent_name = 'rex' OR initial_call LIKE 'erpc:%')) THEN 'recorder'
      WHEN label LIKE 'queue "%" (vhost %)' OR label LIKE 'mirror of queue "%" (vhost %)' THEN 'queue'
      ELSE 'process' END AS kind
  FROM child
)
SELECT runtime_id, snapshot_id, pid, name, label, initial_call, current_function, application,
  CASE
    WHEN kind = 'recorder' THEN 'this recorder'
    WHEN kind = 'queue' OR label LIKE 'connection "%"' OR label LIKE 'channel % of "%"' THEN label
    -- New recordings have these names so.
    ELSE replace(pid
    || ifnull(' ' || ifnull(name, CASE
      WHEN initial_call LIKE '%:init/_' THEN substr(initial_call, 1, length(initial_call) - 7)
      -- What all of them begin with says nothing.
      WHEN ifnull(initial_call, '') IN ('', 'proc_lib:init_p/3', 'proc_lib:init_p/5', 'erlang:apply/2', 'erlang:apply/3')
        THEN ifnull('in ' || current_function, initial_call) || ifnull(', child of ' || parent_name, '')
        -- A process of proc_lib has noted what it began with.
        || iif(runtime_id IS NOT NULL AND current_function IS NOT NULL AND initial_call LIKE 'proc\_lib:%' ESCAPE '\' AND label IS NULL, ', name not read: large heap', '')
      ELSE initial_call END), '')
    || ifnull(' "' || label || '"', '')
    || ifnull(' (' || application || ')', ''), ' Elixir.', ' ') END AS text, kind
FROM sorted;

CREATE VIEW process_label AS SELECT * FROM _process_label;

INSERT INTO view_doc VALUES
  ('process_label', '', 'row', 'full scan', 'One row for each process or port that is named: the text that reports show for it, also when it has ended'),
  ('process_label', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of a crash dump'),
  ('process_label', 'snapshot_id', 'id', 'label', 'snapshot.id of a crash dump; NULL: of a runtime'),
  ('process_label', 'pid', 'text', 'label', 'The process or port, as Erlang prints it'),
  ('process_label', 'name', 'text', 'exact', 'Its registered name, as recorded last, of a port its driver; NULL: none'),
  ('process_label', 'label', 'text', 'exact', 'What it labelled itself with, of a port the other end of a socket; NULL: nothing'),
  ('process_label', 'initial_call', 'text', 'exact', 'What it began with; NULL: not recorded'),
  ('process_label', 'current_function', 'text', 'exact', 'Where it was when it was read last; NULL: not recorded'),
  ('process_label', 'application', 'text', 'exact', 'The application that it, or the owner of a port, belongs to; NULL: none, or not recorded'),
  ('process_label', 'text', 'text', 'label', 'Pid, registered name or the module it began in, label, application; of RabbitMQ the name of the queue, connection or channel'),
  ('process_label', 'kind', 'text', 'label', 'process, queue (one of RabbitMQ), port, or recorder (what records the node)');
