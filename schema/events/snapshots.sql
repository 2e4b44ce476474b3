-- SPDX-License-Identifier: MIT
--
-- Layer 12: readings of a node or a board at one moment, and what a dead node left.
--
-- Filled by the readers of what is no trace (analyzer/readers): crash dumps, terms
-- as recon, system_info and instrument print them, arguments, logs of boards.
-- Figures are as the node reported them; `max_since_last` is reset by every reading of
-- anyone, so it is recorded and never used.

-- One row for each reading.
CREATE TABLE snapshot (
  id         INTEGER PRIMARY KEY,
  source_id  INTEGER NOT NULL REFERENCES source(id),
  runtime_id INTEGER REFERENCES runtime(id), -- NULL: of no traced process
  ts_ns      INTEGER,            -- NULL: not recorded.  Crash dumps have local time without its zone, taken for UTC
  line       INTEGER,            -- of the input, where it begins, from 1; NULL: it has no lines
  kind       TEXT NOT NULL       -- 'crash_dump', 'recon', 'system_info', 'allocator_sizes', 'carriers', 'allocations', 'args', ...
) STRICT;
CREATE INDEX snapshot_source ON snapshot(source_id);

-- One row for each key of erlang:memory() or of =memory.
CREATE TABLE memory_sample (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  key         TEXT NOT NULL,     -- 'total', 'processes', ...
  bytes       INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_sample_snapshot ON memory_sample(snapshot_id);

-- One row for each figure of an allocator instance.
CREATE TABLE instance_stat (
  snapshot_id    INTEGER NOT NULL REFERENCES snapshot(id),
  allocator      TEXT NOT NULL,
  instance       INTEGER,        -- NULL: the allocator has no instances
  section        TEXT NOT NULL,  -- 'mbcs', 'sbcs', 'mbcs_pool', 'calls', 'fix_types', 'status', ...
  key            TEXT NOT NULL,  -- 'blocks', 'blocks_size', 'carriers', 'carriers_size', ...
  current        INTEGER,        -- NULL: not recorded, or 2^63 and more
  max_since_last INTEGER,        -- NULL: not recorded
  max_ever       INTEGER,        -- NULL: not recorded
  of             TEXT            -- key 'blocks', 'blocks_size': whose blocks (OTP 23 and later); NULL: not split
) STRICT;
CREATE INDEX instance_stat_snapshot ON instance_stat(snapshot_id);

-- One row for each setting of an allocator in force, in the runtime's own units.
CREATE TABLE allocator_option (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  allocator   TEXT NOT NULL,
  instance    INTEGER,           -- NULL: the allocator has no instances, or the setting is not of one
  name        TEXT NOT NULL,     -- 'sbct', 'as', ...
  value       TEXT NOT NULL      -- as it was printed
) STRICT;
CREATE INDEX allocator_option_snapshot ON allocator_option(snapshot_id);

-- One row for each flag of the emulator in a file of arguments.
CREATE TABLE emulator_flag (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  line        INTEGER NOT NULL,
  flag        TEXT NOT NULL,     -- '+MBas'
  value       TEXT,              -- NULL: none follows
  "column"    INTEGER            -- of the flag in its line, from 1; NULL: not recorded
) STRICT;

-- One row for each figure that a shell or a program printed and that is none of an allocator
-- instance: results of recon, classes of memory of RabbitMQ, requests that failed, ...
CREATE TABLE pasted_figure (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  line        INTEGER NOT NULL,  -- of the input, from 1
  function    TEXT NOT NULL,     -- what printed it: 'recon_alloc:cache_hit_rates', 'rabbitmqctl status', ...
  subject     TEXT,              -- allocator, instance, class, process; NULL: of all
  key         TEXT NOT NULL,     -- 'allocated', 'hits', 'class', ...
  value       REAL,              -- NULL: a text, or no finite number
  words       TEXT,              -- NULL: a number
  unit        TEXT               -- 'bytes', 'count', 'ratio', '?' where it is not known; NULL: none
) STRICT;
CREATE INDEX pasted_figure_snapshot ON pasted_figure(snapshot_id);

-- One row for each fact about the node: 'system_version', 'otp_release', ...
CREATE TABLE node_fact (
  snapshot_id INTEGER NOT NULL REFERENCES snapshot(id),
  key         TEXT NOT NULL,
  value       TEXT NOT NULL
) STRICT;
CREATE INDEX node_fact_snapshot ON node_fact(snapshot_id);

INSERT INTO view_doc VALUES
  ('snapshot', '', 'row', 'fast', 'One row for each reading of a node or a board at one moment'),
  ('snapshot', 'id', 'id', 'label', 'Number of the reading'),
  ('snapshot', 'source_id', 'id', 'label', 'source.id'),
  ('snapshot', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of no traced process'),
  ('snapshot', 'ts_ns', 'ns', 'estimate', 'When it was taken; a crash dump has local time without its zone, which is taken for UTC; NULL: not recorded'),
  ('snapshot', 'line', 'count', 'label', 'Line of the input where it begins, from 1; NULL: it has no lines'),
  ('snapshot', 'kind', 'text', 'label', 'What was read: crash_dump, recon, system_info (terms that belong together), allocator_sizes, carriers, allocations, args or a board''s log'),

  ('memory_sample', '', 'row', 'fast', 'One row for each key of erlang:memory(), or of =memory of a crash dump'),
  ('memory_sample', 'key', 'text', 'label', 'Name of the amount: total, processes, binary, ...'),
  ('memory_sample', 'bytes', 'bytes', 'exact', 'The amount, in blocks, not in carriers; os_resident: of the process in memory; jit_debug: kept by the JIT for debuggers; own_...: taken by recording, see snapshot_memory'),

  ('instance_stat', '', 'row', 'fast', 'One row for each figure of an allocator instance in a snapshot'),
  ('instance_stat', 'allocator', 'text', 'label', 'Name of the allocator as the runtime spells it'),
  ('instance_stat', 'instance', 'count', 'label', 'Number of the instance, 0 the global one; NULL: the allocator has no instances'),
  ('instance_stat', 'section', 'text', 'label', 'Part of the instance: mbcs, sbcs, mbcs_pool, calls, fix_types, fix_types_used, status, supercarrier, ...'),
  ('instance_stat', 'key', 'text', 'label', 'Name of the figure as the runtime spells it in terms: blocks, blocks_bytes, carriers, carriers_bytes, ...'),
  ('instance_stat', 'current', 'count', 'exact', 'At that moment; sizes are bytes; NULL: not recorded, or 2^63 and more'),
  ('instance_stat', 'max_since_last', 'count', 'exact', 'Greatest since anyone read it last; NULL: not recorded'),
  ('instance_stat', 'max_ever', 'count', 'exact', 'Greatest ever; those of different rows were reached at different times; NULL: not recorded'),
  ('instance_stat', 'of', 'text', 'label', 'Allocator whose blocks are counted, for key blocks and blocks_bytes since OTP 23; NULL: not split'),

  ('allocator_option', '', 'row', 'fast', 'One row for each setting of an allocator that was in force'),
  ('allocator_option', 'allocator', 'text', 'label', 'Name of the allocator as the runtime spells it'),
  ('allocator_option', 'instance', 'count', 'label', 'Number of the instance; NULL: the setting is not of one'),
  ('allocator_option', 'name', 'text', 'label', 'Name of the setting as the runtime spells it'),
  ('allocator_option', 'value', 'text', 'exact', 'Its value as printed; sizes are bytes, other than on the command line'),

  ('emulator_flag', '', 'row', 'fast', 'One row for each flag of the emulator in a file of arguments, in their order'),
  ('emulator_flag', 'line', 'count', 'label', 'Line of the file, from 1'),
  ('emulator_flag', 'flag', 'text', 'exact', 'The flag with its +'),
  ('emulator_flag', 'value', 'text', 'exact', 'The word behind it; NULL: none'),
  ('emulator_flag', 'column', 'count', 'label', 'Where the flag begins in its line, from 1; NULL: not recorded'),
  ('pasted_figure', '', 'row', 'fast', 'One row for each figure that a shell or a program printed and that is none of an allocator instance'),
  ('pasted_figure', 'line', 'count', 'label', 'Line of the input, from 1'),
  ('pasted_figure', 'function', 'text', 'label', 'What printed it: a function, a program, or failed allocation'),
  ('pasted_figure', 'subject', 'text', 'label', 'Allocator, instance, class or process; NULL: of all'),
  ('pasted_figure', 'key', 'text', 'label', 'Name of the figure'),
  ('pasted_figure', 'value', 'number', 'exact', 'The figure; NULL: a text, or infinity'),
  ('pasted_figure', 'words', 'text', 'label', 'A text instead of a number; NULL: a number'),
  ('pasted_figure', 'unit', 'text', 'label', 'bytes, count, ratio or words; ?: not known; NULL: none'),

  ('node_fact', '', 'row', 'fast', 'One row for each fact about a node'),
  ('node_fact', 'key', 'text', 'label', 'Name of the fact: system_version, otp_release, erts_version, word_bits, node_name (of crash dumps: =node), ...'),
  ('node_fact', 'value', 'text', 'exact', 'as the node reported it');
