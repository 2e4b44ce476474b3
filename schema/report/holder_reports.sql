-- SPDX-License-Identifier: MIT
--
-- Layer:   reports on holders
-- Serves:  `carrierscope report holders`

-- report_holders: who holds the memory, the most first; then temporary garbage, and what nobody has.
--
-- Worked example, tests/views/report_holders.
CREATE VIEW report_holders AS
SELECT
  ifnull(n.name, (SELECT max(f.value) FROM node_fact AS f WHERE f.snapshot_id = h.snapshot_id AND f.key = 'node_name')) AS node,
  h.allocator,
  h.type,
  h.kind,
  h.name AS holder,
  h.bytes,
  round(h.bytes / 1048576.0, 2) AS mib,
  round(100 * h.share, 1) AS percent,
  h.quality,
  h.basis,
  h.source_lost_events AS lost_events,
  round(h.temporary_bytes / 1048576.0, 2) AS temporary_mib,
  h.made_by,
  iif(h.who_kind = 'group', round(h.largest_bytes / 1048576.0, 2), NULL) AS largest_mib,
  h.shared_by
FROM holder AS h
LEFT JOIN node_name AS n ON n.runtime_id = h.runtime_id
ORDER BY h.source_id, h.runtime_id, iif(h.runtime_id IS NULL, h.snapshot_id, 0), h.kind = 'temporary', h.bytes DESC, h.allocator, h.name;

-- report_growth_holders: whose memory grew between the first list of holders and the last.
CREATE VIEW report_growth_holders AS
SELECT n.name AS node, g.type, g.name AS holder, round(g.bytes / 1048576.0, 2) AS mib,
  round(g.grown_bytes / 1048576.0, 2) AS grown_mib, round((g.as_of_ns - g.since_ns) / 1e9, 1) AS seconds, g.quality,
  g.source_lost_events AS lost_events
FROM holder_growth AS g
LEFT JOIN node_name AS n ON n.runtime_id = g.runtime_id
ORDER BY g.source_id, g.runtime_id, g.grown_bytes DESC, g.bytes DESC, g.name;

-- report_functions: which functions made the live blocks, the most first.
CREATE VIEW report_functions AS
SELECT n.name AS node, f.allocator, f.type, f.kind, coalesce(l.text, f.origin) AS origin, f.application, f.blocks,
  round(f.bytes / 1048576.0, 2) AS mib, round(f.least_bytes / 1048576.0, 2) AS least_mib,
  round(f.most_bytes / 1048576.0, 2) AS most_mib, round(100 * f.share, 1) AS percent,
  round(f.unscanned_bytes / 1048576.0, 2) AS unscanned_mib, f.source_lost_events AS lost_events
FROM holder_function AS f
LEFT JOIN node_name AS n ON n.runtime_id = f.runtime_id
LEFT JOIN process_label AS l ON +l.runtime_id = f.runtime_id AND l.pid = f.origin
ORDER BY f.source_id, f.runtime_id, f.kind = 'others', f.bytes DESC, f.allocator, f.type, f.origin;

INSERT INTO view_doc VALUES
  ('report_functions', '', 'row', 'full scan', 'Which functions made the live blocks, the most first, of a node that was booted with +M<S>atags code (OTP 27 and later); else processes and libraries'),
  ('report_functions', 'node', 'text', 'label', 'Name of the node, or of its program'),
  ('report_functions', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_functions', 'type', 'text', 'label', 'Type of the blocks'),
  ('report_functions', 'kind', 'text', 'label', 'function, process, port, library (a driver, a library of NIFs, or system: the runtime itself), others'),
  ('report_functions', 'origin', 'text', 'label', 'What made them, with its name'),
  ('report_functions', 'application', 'text', 'exact', 'The application of the function''s module'),
  ('report_functions', 'blocks', 'count', 'exact', 'Live blocks of those that were looked at'),
  ('report_functions', 'mib', 'MiB', 'estimate', 'Their bytes, which are known by powers of two'),
  ('report_functions', 'least_mib', 'MiB', 'bound', 'At least'),
  ('report_functions', 'most_mib', 'MiB', 'bound', 'At most'),
  ('report_functions', 'percent', 'percent', 'estimate', 'Of all bytes of this allocator that were looked at'),
  ('report_functions', 'unscanned_mib', 'MiB', 'bound', 'Of the node: blocks and carriers with tags that were not looked at'),
  ('report_holders', '', 'row', 'full scan', 'Who holds the memory: processes, tables and ports with their names, and what nobody has, the most first; then temporary garbage'),
  ('report_holders', 'node', 'text', 'label', 'Name of the node, or of its program'),
  ('report_holders', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_holders', 'type', 'text', 'label', 'heap, message (those outside the heap), binary, ets, port, port queue; by blocks the type of the block'),
  ('report_holders', 'kind', 'text', 'label', 'process, processes, recorder, table, tables, port, nobody, temporary (freed less than 16.8 ms after they were made)'),
  ('report_holders report_growth_holders', 'holder', 'text', 'label', 'Its name, and its owner''s'),
  ('report_holders', 'bytes', 'bytes', 'estimate', 'What it holds; a binary that several processes refer to counts in each; of temporary garbage what is live and counts with no holder'),
  ('report_holders', 'mib', 'MiB', 'estimate', 'The same'),
  ('report_holders', 'percent', 'percent', 'estimate', 'Of all bytes in blocks of this allocator'),
  ('report_holders', 'quality', 'text', 'label', 'exact, estimate, bound (at most so many), unknown (whose they are)'),
  ('report_holders', 'basis', 'text', 'label', 'snapshot, crash dump, blocks it made, or samples of what it made; of temporary garbage lives of blocks, or of samples; empty: nothing was recorded that shows it'),
  ('report_holders', 'temporary_mib', 'MiB', 'estimate', 'Of temporary garbage: how much was made and freed in the whole recording; empty: other holders'),
  ('report_holders', 'shared_by', 'count', 'exact', 'Of binaries that are shared for the most part: how many processes refer to the largest of them; empty: they are not'),
  ('report_holders', 'made_by', 'text', 'estimate', 'Of binaries: the port that they were received through, or the process that allocated at least half of their bytes; empty: not so, or not known'),
  ('report_holders', 'largest_mib', 'MiB', 'bound', 'Of processes of one kind: the largest of those that were listed one by one; empty: none was, or it is no such row'),
  ('report_growth_holders', '', 'row', 'full scan', 'Whose memory grew, the most first: processes, tables and ports between the first and the last snapshot with holders'),
  ('report_growth_holders', 'node', 'text', 'label', 'Name of the node, or of its program'),
  ('report_growth_holders', 'type', 'text', 'label', 'heap, message, binary, ets or port queue'),
  ('report_growth_holders', 'mib', 'MiB', 'estimate', 'What it holds at the last'),
  ('report_growth_holders', 'grown_mib', 'MiB', 'estimate', 'More than at the first'),
  ('report_growth_holders', 'seconds', 's', 'exact', 'Between them'),
  ('report_growth_holders', 'quality', 'text', 'label', 'exact, estimate, or bound (it is not in the first list: at most so much)');
