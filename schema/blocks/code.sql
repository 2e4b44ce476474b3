-- SPDX-License-Identifier: MIT
--
-- Layer:   code
-- Serves:  report code
--
-- Which Erlang code made sampled blocks, by the stacks of samples (table stack_frame).  Estimates are those of samples: the sum
-- of weight * size, with the sum of weight * (weight - 1) * size^2 as the estimate of its variance.  A site with few
-- samples has wide bounds: from estimate and variance, n blocks of one mean weight are computed that would have both, and of n
-- events that come by chance (Poisson) the bounds of 95 % are n + 1.92 -+ 1.96 * sqrt(n + 0.96).
--
-- Worked example (the test of code_memory): of 4 live samples of 1000 bytes and weight 5 the estimate is 20000 bytes, the variance
-- 80000000, the mean weight 4000 bytes, n is 5: 10.1 to 48.3 KB.

-- One row for each function on each stack, as people write it.
CREATE VIEW stack_function AS
WITH frame AS (
  SELECT runtime_id, stack, place, max(frames) AS frames, max(address) AS address, max(module) AS module,
    max(function) AS function, max(arity) AS arity, max(application) AS application, nullif(max(source_line), '') AS source_line
  FROM stack_frame
  GROUP BY runtime_id, stack, place
),
-- Of a fun or a comprehension, which the compiler names -put/2-fun-0-, the function around it.
around AS (
  SELECT *, function GLOB '-*/*-*' AS is_inner, substr(function, 2, instr(function, '/') - 1) AS begin,
    substr(function, instr(function, '/') + 1) AS rest,
    iif(module GLOB 'Elixir.*', substr(module, 8) || '.', module || ':') AS prefix
  FROM frame
)
SELECT
  runtime_id, stack, place, frames,
  CASE
    WHEN module = '' THEN format('0x%x', address)
    WHEN is_inner THEN iif(function GLOB '*-fun-*' OR function GLOB '*-anonymous-*', iif(module GLOB 'Elixir.*', 'fn in ', 'fun in '), '')
      || prefix || begin || substr(rest, 1, instr(rest, '-') - 1)
    ELSE prefix || function || '/' || arity
  END AS function,
  application, source_line,
  application IN ('asn1', 'common_test', 'compiler', 'crypto', 'debugger', 'dialyzer', 'diameter', 'eldap', 'erl_interface', 'erts', 'et',
    'eunit', 'ftp', 'inets', 'jinterface', 'kernel', 'megaco', 'mnesia', 'observer', 'odbc', 'os_mon', 'parsetools', 'public_key',
    'reltool', 'runtime_tools', 'sasl', 'snmp', 'ssh', 'ssl', 'stdlib', 'syntax_tools', 'tftp', 'tools', 'wx', 'xmerl',
    'elixir', 'eex', 'ex_unit', 'iex', 'logger', 'mix', 'carrierscope')
    OR module GLOB 'carrierscope*' OR module IN ('', 'erlang', 'erts_internal', 'erts_code_purger', 'erts_dirty_process_signal_handler', 'erts_literal_area_collector',
      'erts_trace_cleaner', 'atomics', 'counters', 'erl_init', 'erl_tracer', 'init', 'persistent_term', 'prim_buffer', 'prim_eval',
      'prim_file', 'prim_inet', 'prim_net', 'prim_socket', 'prim_zip', 'socket_registry', 'zlib') AS is_library,
  (SELECT sum(lost_events) FROM source) AS source_lost_events
FROM around;

-- One row for each stack, 0 for all that were not read: what it has made, what of that is live at the moment of `question`, and what of that was made in the
-- range that is asked about, the second half of the recording if none is.
CREATE VIEW code_memory AS
WITH asked AS (
  SELECT
    coalesce(q.at_ns, max(s.last_ts_ns)) AS at_ns,
    coalesce(q.since_ns, (min(s.first_ts_ns) + coalesce(q.at_ns, max(s.last_ts_ns))) / 2) AS since_ns
  FROM question AS q LEFT JOIN source AS s
),
site AS MATERIALIZED (
  SELECT runtime_id, stack, min(place) FILTER (WHERE NOT is_library) AS own_place, min(place) AS first_place,
    max(function GLOB 'carrierscope*' OR function GLOB 'fun in carrierscope*') AS is_recorder
  FROM stack_function
  GROUP BY runtime_id, stack
),
named AS MATERIALIZED (
  SELECT s.runtime_id, s.stack, iif(s.own_place IS NULL AND s.is_recorder, 'this recorder', o.function) AS own, o.application, o.source_line,
    i.function AS innermost
  FROM site AS s
  JOIN stack_function AS o ON o.runtime_id = s.runtime_id AND o.stack = s.stack AND o.place = coalesce(s.own_place, s.first_place)
  JOIN stack_function AS i ON i.runtime_id = s.runtime_id AND i.stack = s.stack AND i.place = s.first_place
),
drawn AS (
  SELECT b.*, b.weight * b.size AS bytes, b.weight * (b.weight - 1) * b.size * b.size AS variance,
    b.freed_ns IS NULL OR b.freed_ns > a.at_ns AS is_live,
    b.since_ns > a.since_ns AS is_late
  FROM sample_block AS b JOIN asked AS a
  WHERE b.stack IS NOT NULL AND b.since_ns <= a.at_ns AND EXISTS (SELECT 1 FROM stack_frame)
)
SELECT
  d.runtime_id, d.stack, d.allocator, d.type, d.pid, n.own, n.application, n.source_line, n.innermost,
  count(*) AS samples, sum(d.bytes) AS made_bytes, sum(d.variance) AS made_variance,
  total(iif(d.is_live, d.bytes, 0)) AS live_bytes, total(iif(d.is_live, d.variance, 0)) AS live_variance,
  total(iif(d.is_live AND d.is_late, d.bytes, 0)) AS grown_bytes,
  total(iif(d.is_live AND d.is_late, d.variance, 0)) AS grown_variance,
  sum(d.is_live AND d.is_late) AS grown_samples,
  max(d.source_lost_events) AS source_lost_events
FROM drawn AS d
LEFT JOIN named AS n ON n.runtime_id = d.runtime_id AND n.stack = d.stack
GROUP BY d.runtime_id, d.stack, d.allocator, d.type, d.pid;

INSERT INTO view_doc VALUES
  ('stack_function', '', 'row', 'full scan', 'One row for each function on the stack of a process at a sample, named as people write it'),
  ('stack_function', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('stack_function', 'stack', 'id', 'label', 'stack_frame.stack'),
  ('stack_function', 'place', 'count', 'exact', '0: the innermost function'),
  ('stack_function', 'frames', 'count', 'exact', 'Functions on the stack in all, also those in its middle that were left out'),
  ('stack_function', 'function', 'text', 'exact', 'Function, of a fun and of a comprehension the one around it; an address where nobody knows whose code it is'),
  ('stack_function', 'application', 'text', 'exact', 'Application that it is part of; empty: none'),
  ('stack_function', 'source_line', 'text', 'exact', 'File and line of its call, such as shop.erl:41; NULL: not known'),
  ('stack_function', 'is_library', 'flag', 'label', '1: of OTP, of Elixir, of Carrierscope itself, or not named'),
  ('stack_function', 'source_lost_events', 'count', 'exact', 'Events that the sources are known to lack'),
  ('code_memory', '', 'row', 'full scan', 'One row for each stack, type and process: what it made while samples were drawn, what of that is live, and what of that is new'),
  ('code_memory', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('code_memory', 'stack', 'id', 'label', 'stack_frame.stack; 0: no stack was read'),
  ('code_memory', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('code_memory', 'type', 'text', 'label', 'Name of the block type'),
  ('code_memory', 'pid', 'text', 'exact', 'Erlang process that allocated'),
  ('code_memory', 'own', 'text', 'exact', 'Innermost function that is not of a library; where there is none, this recorder or the innermost; NULL: no stack was read'),
  ('code_memory', 'application', 'text', 'exact', 'Application that this function is part of; empty: none'),
  ('code_memory', 'source_line', 'text', 'exact', 'File and line at which it called; NULL: not known'),
  ('code_memory', 'innermost', 'text', 'exact', 'Innermost function of the stack; NULL: no stack was read'),
  ('code_memory', 'samples', 'count', 'exact', 'Blocks that were drawn'),
  ('code_memory', 'made_bytes', 'bytes', 'estimate', 'Bytes that were allocated'),
  ('code_memory', 'made_variance', 'ratio', 'estimate', 'Variance of made_bytes, bytes squared'),
  ('code_memory', 'live_bytes', 'bytes', 'estimate', 'Bytes of them that are live at the moment'),
  ('code_memory', 'live_variance', 'ratio', 'estimate', 'Variance of live_bytes, bytes squared'),
  ('code_memory', 'grown_bytes', 'bytes', 'estimate', 'Bytes of the live ones that were made since the moment of --since, or in the second half of the recording'),
  ('code_memory', 'grown_variance', 'ratio', 'estimate', 'Variance of grown_bytes, bytes squared'),
  ('code_memory', 'grown_samples', 'count', 'exact', 'Samples that grown_bytes is of'),
  ('code_memory', 'source_lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, estimates are off by more');
