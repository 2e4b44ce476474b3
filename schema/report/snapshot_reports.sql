-- SPDX-License-Identifier: MIT
--
-- Layer:   reports
-- Serves:  `carrierscope report dump`, `flags`, `recon`
--
-- What a dead node or a snapshot says, for people.  MiB are 1,048,576 bytes, rounded to 0.01.

-- dump_asker: the process that asked for the memory that was not there, as far as it shows: a
-- collection allocates a heap, writes its size into the process, and fails.
--
-- Worked example, tests/views/dump_asker: 8000 bytes were asked for a heap on 64 bits.  Of two
-- processes in a collection one has a heap of 1000 words.
CREATE TABLE dump_asker (
  source_id INTEGER,
  snapshot_id INTEGER,
  pid TEXT,
  name TEXT,
  initial_call TEXT,
  reason TEXT,
  strength INTEGER,
  source_lost_events INTEGER
) STRICT;

CREATE TEMP TABLE dump_asker AS
WITH candidate AS (
  SELECT
    s.source_id, d.snapshot_id, p.pid, p.name, p.initial_call, p.memory_bytes,
    ifnull(d.failed_type IN ('heap', 'old_heap')
      AND d.failed_bytes IN (p.heap_words * w.word_bytes, p.old_heap_words * w.word_bytes), 0)
      AS has_size,
    ifnull(p.state LIKE 'Garbing%', 0) AS is_collecting,
    src.lost_events AS source_lost_events
  FROM crash_dump AS d
  JOIN snapshot AS s ON s.id = d.snapshot_id
  JOIN source AS src ON src.id = s.source_id
  JOIN (SELECT snapshot_id, CAST(value AS INTEGER) / 8 AS word_bytes
        FROM node_fact WHERE key = 'word_bits') AS w ON w.snapshot_id = d.snapshot_id
  JOIN process_sample AS p ON p.snapshot_id = d.snapshot_id
  WHERE d.cause = 'out_of_memory' AND d.snapshot_id NOT IN (SELECT snapshot_id FROM _absurd)
)
SELECT
  source_id, snapshot_id, pid, name, initial_call,
  CASE WHEN has_size THEN 'its heap has the size that was asked for'
    ELSE 'it is the largest in a garbage collection' END AS reason,
  has_size * 2 + is_collecting AS strength,
  source_lost_events
FROM (SELECT *, row_number() OVER (PARTITION BY snapshot_id
        ORDER BY has_size DESC, is_collecting DESC, memory_bytes DESC, pid) AS n
      FROM candidate WHERE has_size OR is_collecting)
WHERE n = 1;

-- _dump_fact: the lines of report_dump.
CREATE TEMP VIEW _dump_fact AS
WITH
dump AS (
  SELECT s.source_id, d.*
  FROM crash_dump AS d JOIN snapshot AS s ON s.id = d.snapshot_id
),
memory AS (
  SELECT snapshot_id, group_concat(key || ' ' || printf('%.2f', bytes / 1048576.0), ', ') AS keys,
    max(iif(key = 'total', bytes, NULL)) AS total
  FROM (SELECT * FROM memory_sample ORDER BY snapshot_id, bytes DESC)
  WHERE key NOT IN ('total', 'processes_used', 'atom_used')
  GROUP BY snapshot_id
),
allocator AS (
  SELECT *,
    row_number() OVER (PARTITION BY snapshot_id ORDER BY allocated DESC, allocator) AS n,
    sum(allocated) OVER (PARTITION BY snapshot_id) AS all_allocated,
    sum(used) OVER (PARTITION BY snapshot_id) AS all_used
  FROM allocator_reading
),
process AS (
  SELECT p.*, f.word_bytes,
    row_number() OVER (PARTITION BY p.snapshot_id
      ORDER BY ifnull(memory_bytes, (ifnull(heap_words, 0) + ifnull(old_heap_words, 0)) * f.word_bytes) DESC, p.id) AS n,
    row_number() OVER (PARTITION BY p.snapshot_id ORDER BY messages DESC, p.id) AS by_messages,
    row_number() OVER (PARTITION BY p.snapshot_id ORDER BY
      ifnull(binary_heap_words, 0) + ifnull(old_binary_heap_words, 0) DESC, p.id) AS by_binaries
  FROM process_sample AS p
  JOIN (SELECT snapshot_id, CAST(value AS INTEGER) / 8 AS word_bytes
        FROM node_fact WHERE key = 'word_bits') AS f ON f.snapshot_id = p.snapshot_id
),
ets AS (
  SELECT e.*, f.word_bytes,
    row_number() OVER (PARTITION BY e.snapshot_id ORDER BY e.words DESC, e.line) AS n
  FROM ets_sample AS e
  JOIN (SELECT snapshot_id, CAST(value AS INTEGER) / 8 AS word_bytes
        FROM node_fact WHERE key = 'word_bits') AS f ON f.snapshot_id = e.snapshot_id
)
SELECT d.source_id, d.snapshot_id, 10 AS line, 'what ended it' AS fact,
  iif(e.word = 'out of memory', 'out of memory: ', '') || e.cause AS value
FROM dump AS d JOIN _ending AS e ON e.subject_id = -d.snapshot_id
UNION ALL SELECT source_id, snapshot_id, 11, 'slogan', slogan FROM dump
UNION ALL SELECT source_id, snapshot_id, 12, 'when (its local time)', time_text FROM dump
UNION ALL SELECT d.source_id, d.snapshot_id, 13, 'node', f.value
  FROM dump AS d JOIN node_fact AS f ON f.snapshot_id = d.snapshot_id AND f.key = 'system_version'
UNION ALL SELECT d.source_id, d.snapshot_id, 13, 'node''s name', f.value
  FROM dump AS d JOIN node_fact AS f ON f.snapshot_id = d.snapshot_id AND f.key = 'node_name'
UNION ALL SELECT source_id, snapshot_id, 14, 'native libraries', taints
  FROM dump WHERE taints <> ''
UNION ALL SELECT source_id, snapshot_id, 15, 'the dump',
  CASE ended WHEN 'end' THEN 'is whole'
    WHEN 'size_limit' THEN 'stops at the limit that was set, after ' || end_offset_bytes || ' bytes'
    ELSE 'breaks off after ' || end_offset_bytes || ' bytes' END FROM dump
UNION ALL SELECT source_id, snapshot_id, 20, 'who asked (estimate)',
  pid || ifnull(' ' || name, '') || ifnull(', spawned as ' || initial_call, '') || ': ' || reason
  FROM dump_asker
UNION ALL SELECT d.source_id, d.snapshot_id, 30, 'blocks, MiB (erlang:memory)',
  printf('%.2f', t.bytes / 1048576.0) || ': ' || ifnull(m.keys, '')
  FROM dump AS d
  JOIN memory_sample AS t ON t.snapshot_id = d.snapshot_id AND t.key = 'total'
  LEFT JOIN memory AS m ON m.snapshot_id = d.snapshot_id
UNION ALL SELECT a.source_id, a.snapshot_id, 31, 'carriers, MiB',
  printf('%.2f, %.1f %% of it in blocks', a.all_allocated / 1048576.0, 100.0 * a.all_used / a.all_allocated)
  FROM allocator AS a JOIN dump AS d ON d.snapshot_id = a.snapshot_id WHERE a.n = 1 AND a.all_allocated > 0
UNION ALL SELECT a.source_id, a.snapshot_id, 31 + a.n, 'allocator ' || a.n || ', MiB',
  printf('%s: %.2f in carriers, %.1f %% of them in blocks, %.1f %% of all carriers', a.allocator,
    a.allocated / 1048576.0, 100.0 * a.utilisation, 100.0 * a.allocated / a.all_allocated)
  FROM allocator AS a JOIN dump AS d ON d.snapshot_id = a.snapshot_id
  WHERE a.n <= 3 AND a.allocated > 0
UNION ALL SELECT d.source_id, d.snapshot_id, 40, 'processes',
  (SELECT count(*) || printf(', %.2f MiB', sum(ifnull(memory_bytes,
     (ifnull(heap_words, 0) + ifnull(old_heap_words, 0)) * p.word_bytes)) / 1048576.0)
   FROM process AS p WHERE p.snapshot_id = d.snapshot_id) FROM dump AS d
  -- Of a dump that breaks off before them none is known.
  WHERE d.ended = 'end' OR EXISTS (SELECT 1 FROM process AS p WHERE p.snapshot_id = d.snapshot_id)
UNION ALL SELECT d.source_id, d.snapshot_id, 40 + p.n, 'process ' || p.n || ', MiB',
  p.pid || ifnull(' ' || p.name, '') || ifnull(', spawned as ' || p.initial_call, '')
    || printf(': %.2f', ifnull(p.memory_bytes, (ifnull(p.heap_words, 0) + ifnull(p.old_heap_words, 0)) * p.word_bytes) / 1048576.0)
    || printf(', heap %.2f, old heap %.2f', ifnull(p.heap_words, 0) * p.word_bytes / 1048576.0, ifnull(p.old_heap_words, 0) * p.word_bytes / 1048576.0)
    || iif(p.messages > 0, ', messages ' || p.messages, '') || ifnull(', ' || lower(p.state), '')
    || ifnull(' in ' || p.current_call, '')
  FROM dump AS d JOIN process AS p ON p.snapshot_id = d.snapshot_id WHERE p.n <= 3
UNION ALL SELECT d.source_id, d.snapshot_id, 45, 'longest message queue',
  p.messages || ' messages, ' || p.pid || ifnull(' ' || p.name, '') || ifnull(', spawned as ' || p.initial_call, '')
    || ifnull(', in ' || p.current_call, '')
  FROM dump AS d JOIN process AS p ON p.snapshot_id = d.snapshot_id WHERE p.by_messages = 1 AND p.messages > 0
UNION ALL SELECT d.source_id, d.snapshot_id, 46, 'most binaries, MiB',
  printf('%.2f, ', (ifnull(p.binary_heap_words, 0) + ifnull(p.old_binary_heap_words, 0)) * p.word_bytes / 1048576.0)
    || p.pid || ifnull(' ' || p.name, '') || ifnull(', spawned as ' || p.initial_call, '')
  FROM dump AS d JOIN process AS p ON p.snapshot_id = d.snapshot_id
  WHERE p.by_binaries = 1 AND ifnull(p.binary_heap_words, 0) + ifnull(p.old_binary_heap_words, 0) > 0
UNION ALL SELECT d.source_id, d.snapshot_id, 50 + e.n, 'table ' || e.n || ', MiB',
  ifnull(e.name, '?') || printf(': %.2f, objects %d, owner ', e.words * e.word_bytes / 1048576.0, e.objects) || e.owner
  FROM dump AS d JOIN ets AS e ON e.snapshot_id = d.snapshot_id WHERE e.n <= 3
UNION ALL SELECT f.source_id, f.snapshot_id, 60, 'flags that are not defaults',
  iif(f.flags = '', 'none', f.flags)
  FROM flags_in_force AS f JOIN dump AS d ON d.snapshot_id = f.snapshot_id;

-- report_dump: one row for each thing that a crash dump shows of why its node ended.
CREATE VIEW report_dump AS
SELECT source_id AS source, snapshot_id AS snapshot, fact, value
FROM _dump_fact
ORDER BY source_id, snapshot_id, line;

-- report_flags: first the line of flags, then one row for each setting that is not a default.
CREATE VIEW report_flags AS
SELECT source, snapshot, setting, value, default_value, flag, basis, line, "column", checked, meaning
FROM (
  SELECT
    NULL AS line, NULL AS "column", NULL AS checked,
    (SELECT 'known set: ' || max(k.name) FROM _flag_set AS k WHERE k.snapshot_id = f.snapshot_id) AS meaning,
    source_id AS source, snapshot_id AS snapshot, 0 AS place, 'all that differ' AS setting,
    differing || ' differ' AS value, at_default || ' at their default' AS default_value,
    iif(flags = '', 'none', flags) AS flag,
    (SELECT max(o.default_basis) FROM option_in_force AS o
     WHERE o.snapshot_id = f.snapshot_id) AS basis
  FROM flags_in_force AS f
  UNION ALL
  -- Flags of a file or a paste, in their order.
  SELECT line, "column", iif(is_refused, 'refused: ' || problem || '; erl: ' || erl_says, ifnull(problem, 'taken')), meaning,
    source_id, snapshot_id, 1, flag, ifnull(value, ''), default_value, flag || ifnull(' ' || value, ''), NULL
  FROM flag_check
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, source_id, snapshot_id, place, allocator || ' ' || name, value, default_value, flag,
    default_basis
  FROM option_in_force
  WHERE differs
)
ORDER BY source, snapshot, place, line, "column", setting;

-- report_recon: one row for each figure of recon_alloc, now and at its greatest.
CREATE VIEW report_recon AS
WITH memory AS MATERIALIZED (SELECT * FROM recon_memory),
size AS MATERIALIZED (SELECT * FROM recon_average_block_sizes),
place AS MATERIALIZED (SELECT * FROM recon_fragmentation WHERE rank <= 10),
figure(source_id, snapshot_id, line, figure, subject, keyword, value) AS (
  SELECT source_id, snapshot_id, 1, 'memory(used), MiB', NULL, keyword, round(used / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 2, 'memory(allocated), MiB', NULL, keyword, round(allocated / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 3, 'memory(unused), MiB', NULL, keyword, round(unused / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 4, 'memory(usage)', NULL, keyword, round(usage, 4) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 5, 'left out by recon: other allocators, MiB', NULL, keyword, round(left_out_allocated / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 6, 'left out by recon: mseg cache, MiB', NULL, keyword, round(left_out_mseg_cache / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 7, 'not separated by recon: pool, MiB', NULL, keyword, round(of_it_pool / 1048576.0, 2) FROM memory
  UNION ALL SELECT source_id, snapshot_id, 10, 'memory(allocated_types), MiB', allocator, keyword, round(allocated / 1048576.0, 2) FROM recon_allocated_types
  UNION ALL SELECT source_id, snapshot_id, 11, 'memory(allocated_instances), MiB', CAST(instance AS TEXT), keyword, round(allocated / 1048576.0, 2) FROM recon_allocated_instances
  UNION ALL SELECT source_id, snapshot_id, 12, 'average_block_sizes, mbcs, bytes', allocator, keyword, round(mbcs, 1) FROM size
  UNION ALL SELECT source_id, snapshot_id, 13, 'average_block_sizes, sbcs, bytes', allocator, keyword, round(sbcs, 1) FROM size
  UNION ALL SELECT source_id, snapshot_id, 14, 'cache_hit_rates', CAST(instance AS TEXT), 'current', round(hit_rate, 4) FROM recon_cache_hit_rates
  UNION ALL SELECT source_id, snapshot_id, 15, 'fragmentation, mbcs_usage', allocator || ' ' || instance, keyword, round(mbcs_usage, 4) FROM place
  UNION ALL SELECT source_id, snapshot_id, 16, 'fragmentation, sbcs_usage', allocator || ' ' || instance, keyword, round(sbcs_usage, 4) FROM place
  UNION ALL SELECT source_id, snapshot_id, 17, 'sbcs_to_mbcs', allocator || ' ' || instance, keyword, round(ratio, 4) FROM recon_sbcs_to_mbcs WHERE ratio > 0
)
SELECT
  source_id AS source, snapshot_id AS snapshot, figure, subject,
  max(value) FILTER (WHERE keyword = 'current') AS current,
  max(value) FILTER (WHERE keyword = 'max') AS max
FROM figure
GROUP BY source_id, snapshot_id, line, figure, subject
ORDER BY source_id, snapshot_id, line, subject;

-- report_node: the last recorded facts about each node, and how it was hooked.
--
-- Worked example, tests/views/report_node: of a fact that was recorded twice, the later one.
CREATE VIEW report_node AS
SELECT n.name AS node, f."key" AS fact, f.value
FROM (
  SELECT runtime_id, "key", value, max(id) AS id FROM runtime_fact GROUP BY runtime_id, "key"
) AS f
JOIN node_name AS n ON n.runtime_id = f.runtime_id
ORDER BY f.runtime_id, f."key";

INSERT INTO view_doc VALUES
  ('dump_asker', '', 'row', 'fast', 'One row for each crash dump of cause out_of_memory: the process that asked, as far as it shows'),
  ('dump_asker', 'pid', 'text', 'estimate', 'The process'),
  ('dump_asker', 'name', 'text', 'estimate', 'Its registered name; NULL: none'),
  ('dump_asker', 'initial_call', 'text', 'estimate', 'Function it was spawned with'),
  ('dump_asker', 'reason', 'text', 'label', 'Why it is this one'),
  ('dump_asker', 'strength', 'count', 'estimate', '3: size and state fit; 2: the size; 1: the state'),
  ('report_dump', '', 'row', 'fast', 'One row for each thing that a crash dump shows of why its node ended, the gravest first'),
  ('report_dump', 'snapshot', 'id', 'label', 'snapshot.id'),
  ('report_dump', 'fact', 'text', 'label', 'What it is about, with its unit'),
  ('report_dump', 'value', 'text', 'exact', 'What the dump reports; estimates are marked'),
  ('report_flags', '', 'row', 'fast', 'One row for the line of flags of a node, then one for each setting that is not a default; from flags_in_force and option_in_force'),
  ('report_flags', 'snapshot', 'id', 'label', 'snapshot.id'),
  ('report_flags', 'setting', 'text', 'label', 'Allocator and setting'),
  ('report_flags', 'value', 'text', 'exact', 'Value in force; sizes are bytes'),
  ('report_flags', 'default_value', 'text', 'estimate', 'What it is without a flag; exact where basis is that it was read'),
  ('report_flags', 'basis', 'text', 'label', 'How defaults are known: read from a running node of that release, or an estimate'),
  ('report_flags', 'flag', 'text', 'exact', 'The flag that sets it'),
  ('report_flags', 'line', 'count', 'label', 'Of a file of flags: the line, from 1'),
  ('report_flags', 'column', 'count', 'label', 'and where the flag begins in it, from 1'),
  ('report_flags', 'checked', 'text', 'estimate', 'Of a file of flags: taken, or why erl refuses it and what it prints, or what is of doubt'),
  ('report_flags', 'meaning', 'text', 'label', 'What the flag does; of the first row: whose set these flags are'),
  ('report_recon', '', 'row', 'fast', 'One row for each figure of recon_alloc; from the views recon_*'),
  ('report_recon', 'snapshot', 'id', 'label', 'snapshot.id'),
  ('report_recon', 'figure', 'text', 'label', 'Name of the function and figure in recon_alloc, with its unit'),
  ('report_recon', 'subject', 'text', 'label', 'Allocator, instance, or both; NULL: all'),
  ('report_recon', 'current', 'number', 'exact', 'At that moment'),
  ('report_recon', 'max', 'number', 'exact', 'Of greatest amounts ever, reached at different times; NULL: not recorded'),
  ('report_node', '', 'row', 'fast', 'One row for each fact about a recorded node: its names and releases, its machine, and how its allocators were hooked'),
  ('report_node', 'node', 'text', 'label', 'Name of the node'),
  ('report_node', 'fact', 'text', 'label', 'runtime_fact.key; table_found_by: by what the table of allocators was found in the emulator; memory_warning: of LTTng''s ring buffers; snapshot_figures: what snapshots of a keeper leave out; snapshot_moving: snapshot, how many carriers moved between instances while it was read, in the last of four tries, and their allocator; snapshot_failed: snapshot, and why it has no holders or functions'),
  ('report_node', 'value', 'text', 'exact', 'As it was recorded last');
