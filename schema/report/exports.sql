-- SPDX-License-Identifier: MIT
--
-- Layer:   exports
-- Serves:  `carrierscope export`
--
-- What other programs' formats are made of: stacks (who holds memory: allocator, block type,
-- process) at the moment of `question`, and levels of each allocator over time.

-- _export_node: one row for each runtime, and for each reading of a node, with its name.  place_id: of a
-- runtime its id, of a reading its id, negative.
CREATE TEMP VIEW _export_node AS
WITH named AS (
  SELECT runtime_id, value AS name, max(id) FROM runtime_fact WHERE key = 'node_name' GROUP BY runtime_id
),
place AS (
  SELECT
    r.id AS place_id, r.source_id, r.id AS runtime_id, NULL AS snapshot_id, r.vpid, t.name,
    coalesce(r.procname || ifnull(' (OS pid ' || r.vpid || ')', ''), 'OS process ' || r.vpid,
      'runtime ' || r.id) AS instead
  FROM runtime AS r
  LEFT JOIN named AS t ON t.runtime_id = r.id
  UNION ALL
  SELECT -s.id, s.source_id, s.runtime_id, s.id, NULL,
    (SELECT max(f.value) FROM node_fact AS f WHERE f.snapshot_id = s.id AND f.key = 'node_name'),
    'reading ' || s.id
  FROM snapshot AS s
)
SELECT place_id, source_id, runtime_id, snapshot_id, vpid,
  coalesce(nullif(name, 'nonode@nohost'), instead) AS node
FROM place;

-- _export_made: recorded blocks that were allocated by the moment, reallocations included.
CREATE TEMP VIEW _export_made AS
SELECT
  m.source_id, coalesce(t.runtime_id, o.runtime_id) AS runtime_id, b.allocator_id, b.instance,
  b.type_id,
  CASE
    WHEN b.process > 4611686018427387904 THEN '#Port<0.' || (b.process - 4611686018427387905) || '>'
    WHEN b.process > 0 THEN '<0.' || ((b.process - 1) & 268435455) || '.' || ((b.process - 1) >> 28) || '>'
    WHEN b.process IS NULL THEN
      (SELECT p.pid FROM block_process AS p
        WHERE p.thread_id = b.thread_id AND p.from_id <= b.id
        ORDER BY p.from_id DESC LIMIT 1)
  END AS pid,
  count(*) AS blocks, sum(b.size) AS bytes
FROM _block_moment AS m
CROSS JOIN _block_event AS b
LEFT JOIN thread AS t ON t.id = b.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = m.source_id
WHERE m.moment = 'question' AND b.id >= m.first_id AND b.id <= m.at_id
  AND b.op <> 1 AND b.address <> 0
GROUP BY 1, 2, 3, 4, 5, 6;

-- _export_block: the same with words, and what of them is live at the moment.
CREATE TEMP VIEW _export_block AS
WITH part AS (
  SELECT
    d.source_id, d.runtime_id,
    iif(d.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || d.allocator_id))
      AS allocator,
    d.instance, coalesce(t.name, 'type ' || d.type_id) AS type, d.pid,
    d.blocks AS alloc_blocks, d.bytes AS alloc_bytes, 0 AS live_blocks, 0 AS live_bytes
  FROM _export_made AS d
  LEFT JOIN allocator_name AS n
    ON n.runtime_id = d.runtime_id AND n.allocator_id = d.allocator_id
  LEFT JOIN _type_name AS t ON t.runtime_id = d.runtime_id AND t.type_id = d.type_id
  UNION ALL
  SELECT source_id, runtime_id, allocator, instance, type, pid, 0, 0, count(*), sum(size)
  FROM block_at
  GROUP BY source_id, runtime_id, allocator, instance, type, pid
)
SELECT
  source_id, runtime_id, allocator, instance, type, pid,
  sum(alloc_blocks) AS alloc_blocks, sum(alloc_bytes) AS alloc_bytes,
  sum(live_blocks) AS live_blocks, sum(live_bytes) AS live_bytes
FROM part
GROUP BY source_id, runtime_id, allocator, instance, type, pid;

-- _export_sample: what sampled blocks stand for, rounded to whole blocks and bytes.
CREATE TEMP VIEW _export_sample AS
WITH drawn AS (
  SELECT b.*, b.freed_ns IS NULL OR b.freed_ns > q.at_ns AS is_live
  FROM sample_block AS b
  JOIN question AS q
  WHERE q.at_ns IS NULL OR b.since_ns <= q.at_ns
)
SELECT
  r.source_id, d.runtime_id, d.allocator, d.instance, d.type, d.pid,
  CAST(round(total(d.weight)) AS INTEGER) AS alloc_blocks,
  CAST(round(total(d.weight * d.size)) AS INTEGER) AS alloc_bytes,
  CAST(round(total(iif(d.is_live, d.weight, 0))) AS INTEGER) AS live_blocks,
  CAST(round(total(iif(d.is_live, d.weight * d.size, 0))) AS INTEGER) AS live_bytes,
  c.functions, c.source_lines
FROM drawn AS d
LEFT JOIN runtime AS r ON r.id = d.runtime_id
LEFT JOIN (SELECT runtime_id, stack, group_concat(function, char(31)) AS functions,
    group_concat(ifnull(source_line, '?'), char(31)) AS source_lines
  FROM (SELECT * FROM stack_function ORDER BY runtime_id, stack, place DESC) GROUP BY runtime_id, stack) AS c
  ON c.runtime_id = d.runtime_id AND c.stack = d.stack
GROUP BY 1, 2, 3, 4, 5, 6, 11, 12;

-- _export_reading: the last reading of each node by the moment: readings of one node at several
-- times must not be added.
CREATE TEMP VIEW _export_reading AS
WITH reading AS (
  SELECT s.id AS snapshot_id, s.source_id, s.runtime_id, s.ts_ns,
    coalesce('n' || n.node, 's' || s.id) AS node
  FROM snapshot AS s
  LEFT JOIN _node_reading AS n ON n.snapshot_id = s.id
  WHERE EXISTS (SELECT 1 FROM instance_stat AS f WHERE f.snapshot_id = s.id)
    OR EXISTS (SELECT 1 FROM process_sample AS p WHERE p.snapshot_id = s.id)
  UNION ALL
  SELECT id, source_id, runtime_id, ts_ns, 'r' || runtime_id FROM _recorded_snapshot
),
numbered AS (
  SELECT r.*, row_number() OVER (PARTITION BY r.node ORDER BY r.ts_ns DESC, abs(r.snapshot_id) DESC)
    AS place
  FROM reading AS r
  JOIN question AS q
  WHERE q.at_ns IS NULL OR r.ts_ns IS NULL OR r.ts_ns <= q.at_ns
)
SELECT snapshot_id, source_id, runtime_id, ts_ns
FROM numbered
WHERE place = 1;

-- _export_heap: heaps of processes of a crash dump, where the size of a word is known.
--
-- Worked example: on 64 bits a process of 100 words of heap and one fragment of 10 words has
-- 1 block of 800 bytes of type heap, and 1 of 80 bytes of type heap_frag.
CREATE TEMP VIEW _export_heap AS
WITH process AS (
  SELECT p.*, coalesce(p.name, p.initial_call, p.pid) AS process, w.word_bytes
  FROM _export_reading AS r
  JOIN process_sample AS p ON p.snapshot_id = r.snapshot_id
  JOIN (SELECT snapshot_id, CAST(value AS INTEGER) / 8 AS word_bytes
        FROM node_fact WHERE key = 'word_bits') AS w ON w.snapshot_id = r.snapshot_id
)
SELECT snapshot_id, 'heap' AS type, pid, process, 1 AS blocks, heap_words * word_bytes AS bytes
FROM process WHERE heap_words > 0
UNION ALL
SELECT snapshot_id, 'old_heap', pid, process, 1, old_heap_words * word_bytes
FROM process WHERE old_heap_words > 0
UNION ALL
SELECT snapshot_id, 'heap_frag', pid, process, heap_fragments, heap_fragment_words * word_bytes
FROM process WHERE heap_fragments > 0;

-- _export_held: blocks of readings.  What heaps of processes take of eheap_alloc is taken out of
-- its own row, unless it is more than that has: then the dump contradicts itself, and processes
-- are left out.  Blocks are NULL where a reading has their bytes alone.
CREATE TEMP VIEW _export_held AS
WITH allocator AS (
  SELECT i.snapshot_id, i.allocator, iif(i.allocator = 'eheap_alloc', NULL, i.instance) AS instance,
    sum(i.mbc_blocks + i.sbc_blocks + i.pool_blocks) AS blocks, sum(i.used) AS bytes
  FROM _export_reading AS r
  JOIN instance_reading AS i ON i.snapshot_id = r.snapshot_id
  GROUP BY 1, 2, 3
),
heap AS (
  SELECT snapshot_id, sum(blocks) AS blocks, sum(bytes) AS bytes FROM _export_heap GROUP BY 1
),
split AS (
  SELECT h.snapshot_id, h.blocks, h.bytes
  FROM heap AS h
  LEFT JOIN allocator AS a ON a.snapshot_id = h.snapshot_id AND a.allocator = 'eheap_alloc'
  WHERE ifnull(a.blocks >= h.blocks AND a.bytes >= h.bytes, 1)
),
part AS (
  SELECT a.snapshot_id, a.allocator, a.instance, NULL AS type, NULL AS pid, NULL AS process,
    a.blocks - iif(a.allocator = 'eheap_alloc', ifnull(s.blocks, 0), 0) AS blocks,
    a.bytes - iif(a.allocator = 'eheap_alloc', ifnull(s.bytes, 0), 0) AS bytes
  FROM allocator AS a
  LEFT JOIN split AS s ON s.snapshot_id = a.snapshot_id
  UNION ALL
  SELECT h.snapshot_id, 'eheap_alloc', NULL, h.type, h.pid, h.process, h.blocks, h.bytes
  FROM _export_heap AS h
  JOIN split AS s ON s.snapshot_id = h.snapshot_id
)
SELECT snapshot_id, allocator, instance, type, pid, process,
  iif(blocks = 0, NULL, blocks) AS blocks, bytes
FROM part
WHERE bytes > 0;

-- _export_listed: what lists of holders say of heaps, binaries and tables.  A shared binary counts once, in equal parts.
-- Where only upper bounds are known, these share what there is in their proportion.  Heaps of a dump are in _export_heap.
CREATE TEMP VIEW _export_listed AS
WITH part AS (
  SELECT *, total(part_bytes) FILTER (WHERE quality = 'bound') OVER place AS bound_bytes,
    max(0, whole_bytes - total(part_bytes) FILTER (WHERE quality <> 'bound') OVER place) AS room_bytes
  FROM _holder_read
  WHERE whole_bytes > 0 AND (runtime_id IS NOT NULL OR allocator <> 'eheap_alloc')
  WINDOW place AS (PARTITION BY snapshot_id, allocator)
)
SELECT source_id, runtime_id, snapshot_id, allocator, type, iif(kind IN ('process', 'port'), holder, NULL) AS pid, name AS process,
  CAST(iif(quality = 'bound' AND bound_bytes > room_bytes, part_bytes * room_bytes / bound_bytes, part_bytes) AS INTEGER) AS bytes,
  as_of_ns
FROM part;

-- export_stack: one row for each stack: who holds memory at the moment, and who asked for it until
-- then.  evidence: blocks (exact), samples (estimates) or a reading, which has no alloc_* figures.
-- What a list of holders has at the moment is held by these; all else is held by its maker.
--
-- Worked example, tests/views/export_stack: 720 bytes that were asked for, 500 of which live; at 3 ns, samples, a dump; a
-- queue that holds what another process made.
CREATE VIEW export_stack AS
WITH label AS MATERIALIZED (SELECT runtime_id, pid, text FROM _process_label WHERE runtime_id IS NOT NULL),
listed AS MATERIALIZED (SELECT * FROM _export_listed WHERE bytes > 0),
made AS MATERIALIZED (SELECT 'blocks' AS evidence, *, NULL AS functions, NULL AS source_lines FROM _export_block UNION ALL SELECT 'samples', * FROM _export_sample),
recorded AS MATERIALIZED (SELECT runtime_id, max(evidence) AS evidence FROM made GROUP BY runtime_id)
SELECT
  b.evidence, n.node, b.source_id, b.runtime_id, NULL AS snapshot_id, b.allocator,
  b.instance, b.type, b.pid, coalesce(l.text, b.pid) AS process, b.functions AS function,
  b.alloc_blocks, b.alloc_bytes, iif(h.is_listed, NULL, b.live_blocks) AS live_blocks, iif(h.is_listed, 0, b.live_bytes) AS live_bytes,
  NULL AS reading_ns, b.live_blocks AS made_live_blocks, b.live_bytes AS made_live_bytes, b.source_lines
FROM made AS b
LEFT JOIN _export_node AS n ON n.place_id = b.runtime_id
LEFT JOIN label AS l ON l.runtime_id = b.runtime_id AND l.pid = b.pid
LEFT JOIN (SELECT DISTINCT runtime_id, allocator, 1 AS is_listed FROM listed) AS h ON h.runtime_id = b.runtime_id AND h.allocator = b.allocator
UNION ALL
SELECT
  ifnull(r.evidence, 'reading'), n.node, h.source_id, h.runtime_id, iif(r.evidence IS NULL, h.snapshot_id, NULL), h.allocator,
  NULL, h.type, h.pid, h.process, NULL,
  iif(r.evidence IS NULL, NULL, 0), iif(r.evidence IS NULL, NULL, 0), NULL, h.bytes, iif(r.evidence IS NULL, h.as_of_ns, NULL), NULL, NULL, NULL
FROM listed AS h
LEFT JOIN recorded AS r ON r.runtime_id = h.runtime_id
LEFT JOIN _export_node AS n ON n.place_id = iif(h.snapshot_id > 0, -h.snapshot_id, h.runtime_id)
UNION ALL
SELECT
  'reading', n.node, r.source_id, r.runtime_id, h.snapshot_id, h.allocator,
  h.instance, h.type, h.pid, h.process, NULL,
  NULL, NULL, h.blocks, h.bytes, r.ts_ns, NULL, NULL, NULL
FROM _export_held AS h
JOIN _export_reading AS r ON r.snapshot_id = h.snapshot_id
LEFT JOIN _export_node AS n
  ON n.place_id = iif(h.snapshot_id > 0, -h.snapshot_id, r.runtime_id)
WHERE NOT EXISTS (SELECT 1 FROM listed AS l WHERE l.allocator = h.allocator
  AND (l.snapshot_id = h.snapshot_id OR l.runtime_id = r.runtime_id));

-- _export_sample_level: what samples stand for that were live, at about 1000 moments.
CREATE TEMP VIEW _export_sample_level AS
WITH change AS (
  SELECT runtime_id, allocator, since_ns AS ts_ns, weight AS blocks, weight * size AS bytes
  FROM sample_block
  UNION ALL
  SELECT runtime_id, allocator, freed_ns, -weight, -weight * size
  FROM sample_block
  WHERE freed_ns IS NOT NULL
),
bucket AS (
  SELECT c.runtime_id, c.allocator, max(c.ts_ns) AS ts_ns, total(c.blocks) AS blocks,
    total(c.bytes) AS bytes
  FROM change AS c
  LEFT JOIN runtime AS r ON r.id = c.runtime_id
  LEFT JOIN source AS s ON s.id = r.source_id
  GROUP BY c.runtime_id, c.allocator,
    (c.ts_ns - s.first_ts_ns) / ((s.last_ts_ns - s.first_ts_ns) / 1000 + 1)
)
SELECT runtime_id, allocator, ts_ns,
  CAST(round(total(blocks) OVER history) AS INTEGER) AS live_blocks,
  CAST(round(total(bytes) OVER history) AS INTEGER) AS live_bytes
FROM bucket
WINDOW history AS (PARTITION BY runtime_id, allocator ORDER BY ts_ns);

-- export_level: one row for each allocator and moment at which something was recorded, and for
-- each of its instances (instance NULL: all).  Figures hold until the next row; NULL: not recorded.
--
-- Worked example, tests/views/export_level: blocks, samples, and a reading with two instances.
CREATE VIEW export_level AS
WITH level AS (
  SELECT 'carrier events' AS evidence, runtime_id, NULL AS snapshot_id, allocator, NULL AS instance,
    begin_ns AS ts_ns, carriers_bytes, blocks_bytes, mbc_carriers_bytes, mbc_blocks_bytes,
    sbc_carriers_bytes, sbc_blocks_bytes, NULL AS live_blocks, NULL AS live_bytes
  FROM utilisation_allocator
  UNION ALL
  SELECT 'carrier events', runtime_id, NULL, allocator, instance, begin_ns, carriers_bytes,
    blocks_bytes, mbc_carriers_bytes, mbc_blocks_bytes, sbc_carriers_bytes, sbc_blocks_bytes,
    NULL, NULL
  FROM utilisation_instance
  UNION ALL
  SELECT 'blocks', a.runtime_id, NULL, a.allocator, NULL, k.ts_ns, NULL, NULL, NULL, NULL, NULL, NULL,
    n.live_blocks, n.live_bytes
  FROM _block_account AS a
  JOIN block_keyframe AS k ON k.source_id = a.source_id
  JOIN block_keyframe_account AS n ON n.at_id = k.at_id AND n.account_id = a.id
  WHERE a.scope = 'allocator'
  UNION ALL
  SELECT 'samples', runtime_id, NULL, allocator, NULL, ts_ns, NULL, NULL, NULL, NULL, NULL, NULL,
    live_blocks, live_bytes
  FROM _export_sample_level
  UNION ALL
  SELECT 'reading', NULL, snapshot_id, allocator, instance, NULL, allocated, used,
    mbc_carriers_bytes, mbc_blocks_bytes, sbc_carriers_bytes, sbc_blocks_bytes, NULL, NULL
  FROM instance_reading
  UNION ALL
  SELECT 'reading', NULL, snapshot_id, allocator, NULL, NULL, sum(allocated), sum(used),
    sum(mbc_carriers_bytes), sum(mbc_blocks_bytes), sum(sbc_carriers_bytes), sum(sbc_blocks_bytes),
    NULL, NULL
  FROM instance_reading
  GROUP BY snapshot_id, allocator
),
reading AS (
  SELECT id AS snapshot_id, runtime_id, ts_ns FROM snapshot
  UNION ALL
  SELECT id, runtime_id, ts_ns FROM _recorded_snapshot
)
SELECT
  l.evidence, n.node, coalesce(l.runtime_id, g.runtime_id) AS runtime_id, l.snapshot_id, n.vpid,
  l.allocator, l.instance, coalesce(l.ts_ns, g.ts_ns) AS ts_ns,
  l.carriers_bytes, l.blocks_bytes, l.mbc_carriers_bytes, l.mbc_blocks_bytes,
  l.sbc_carriers_bytes, l.sbc_blocks_bytes, l.live_blocks, l.live_bytes
FROM level AS l
LEFT JOIN reading AS g ON g.snapshot_id = l.snapshot_id
LEFT JOIN _export_node AS n
  ON n.place_id = iif(l.snapshot_id > 0, -l.snapshot_id, coalesce(l.runtime_id, g.runtime_id));

-- export_phase: one row for each stretch of time that has a name: hooks, readings and dumps of the state
-- of a node, and what its threads did, as far as the events of the runtime say.
--
-- Worked example, tests/views/export_phase: hooks, a reading, a dump of the state, a process, collections.
CREATE VIEW export_phase AS
WITH scheduling AS (
  SELECT runtime_id, thread_id, ts_ns, pid, entry, type = 'in' AS is_begin,
    lead(ts_ns) OVER (PARTITION BY thread_id ORDER BY id) AS end_ns
  FROM otp_event
  WHERE event = 'process_scheduled' AND thread_id IS NOT NULL
),
collection AS (
  SELECT runtime_id, thread_id, ts_ns, pid, event,
    lead(ts_ns) OVER (PARTITION BY thread_id ORDER BY id) AS end_ns,
    lead(event) OVER (PARTITION BY thread_id ORDER BY id) AS end_event
  FROM otp_event
  WHERE event IN ('gc_minor_start', 'gc_minor_end', 'gc_major_start', 'gc_major_end')
    AND thread_id IS NOT NULL
),
phase AS (
  SELECT b.runtime_id, NULL AS thread_id, 'hook' AS track, 'blocks are recorded' AS name,
    NULL AS note, b.ts_ns AS begin_ns, min(e.ts_ns) AS end_ns
  FROM hook_begin AS b
  LEFT JOIN hook_end AS e ON e.runtime_id = b.runtime_id AND e.hook_id = b.hook_id
  WHERE NOT b.is_again
  GROUP BY b.id
  UNION ALL
  SELECT b.runtime_id, NULL, 'readings', 'reading ' || b.snapshot_id, NULL, min(b.ts_ns),
    ifnull((SELECT max(e.ts_ns) FROM snapshot_end AS e
      WHERE e.runtime_id = b.runtime_id AND e.snapshot_id = b.snapshot_id), min(b.ts_ns))
  FROM snapshot_begin AS b
  GROUP BY b.runtime_id, b.snapshot_id
  UNION ALL
  SELECT b.runtime_id, NULL, 'state', 'state dump', NULL, b.ts_ns, ifnull(min(e.ts_ns), b.ts_ns)
  FROM state_begin AS b
  LEFT JOIN state_end AS e ON e.runtime_id = b.runtime_id AND e.dump_id = b.dump_id
    AND e.ts_ns >= b.ts_ns
  GROUP BY b.id
  UNION ALL
  SELECT runtime_id, thread_id, NULL, pid, entry, ts_ns, end_ns FROM scheduling WHERE is_begin
  UNION ALL
  SELECT runtime_id, thread_id, NULL, replace(event, '_start', ''), pid, ts_ns,
    iif(end_event LIKE '%_end', end_ns, ts_ns)
  FROM collection
  WHERE event LIKE '%_start'
)
SELECT
  p.runtime_id, n.node, n.vpid, t.vtid, t.procname AS thread, p.track, p.name, p.note, p.begin_ns,
  max(p.begin_ns, coalesce(p.end_ns, g.last_ts_ns, s.last_ts_ns)) AS end_ns
FROM phase AS p
JOIN _export_node AS n ON n.place_id = p.runtime_id
JOIN source AS s ON s.id = n.source_id
LEFT JOIN runtime_span AS g ON g.runtime_id = p.runtime_id
LEFT JOIN thread AS t ON t.id = p.thread_id;

-- export_instant: one row for each finding, at the end of what it judges, and each moment that stands
-- out.
--
-- Worked example, tests/views/export_instant: four moments, a finding of the node, one of a reading.
CREATE VIEW export_instant AS
WITH reading AS (
  SELECT id AS snapshot_id, ts_ns FROM snapshot
  UNION ALL
  SELECT id, ts_ns FROM _recorded_snapshot
),
instant AS (
  SELECT f.runtime_id, f.snapshot_id, 'findings' AS track, f.title AS name, f.rule, f.severity,
    f.allocator, f.sentence,
    iif(f.snapshot_id IS NULL, coalesce(g.last_ts_ns, s.last_ts_ns), r.ts_ns) AS ts_ns
  FROM finding AS f
  JOIN source AS s ON s.id = f.source_id
  LEFT JOIN runtime_span AS g ON g.runtime_id = f.runtime_id
  LEFT JOIN reading AS r ON r.snapshot_id = f.snapshot_id
  UNION ALL
  SELECT runtime_id, NULL, 'moments', kind, NULL, NULL, NULL, label, ts_ns
  FROM moment
)
SELECT i.*, n.node, n.vpid
FROM instant AS i
LEFT JOIN _export_node AS n
  ON n.place_id = iif(i.snapshot_id > 0, -i.snapshot_id, i.runtime_id)
WHERE i.ts_ns IS NOT NULL;

INSERT INTO view_doc VALUES
  ('export_stack', '', 'row', 'full scan', 'One row for each stack: who holds memory at the moment of question, and who asked for it until then'),
  ('export_level', '', 'row', 'full scan', 'One row for each allocator (instance NULL) or instance and moment at which something was recorded'),
  ('export_phase', '', 'row', 'full scan', 'One row for each stretch of time on a thread: collections, compactions, snapshots, hooks'),
  ('export_instant', '', 'row', 'full scan', 'One row for each moment and finding'),
  ('export_*', 'node', 'text', 'label', 'Name of the node, or of its program; NULL: not known'),
  ('export_stack export_level', 'evidence', 'text', 'label', 'carrier events, blocks, samples or reading'),
  ('export_stack', 'pid', 'text', 'label', 'The process, as Erlang prints it; NULL: not known'),
  ('export_stack', 'alloc_blocks', 'count', 'estimate', 'Blocks that it asked for; NULL: not recorded'),
  ('export_stack', 'alloc_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('export_stack export_level', 'live_blocks', 'count', 'estimate', 'Live blocks; NULL: not recorded'),
  ('export_stack export_level', 'live_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('export_stack', 'made_live_blocks', 'count', 'estimate', 'Live blocks that it made, also where others hold them; NULL: not recorded'),
  ('export_stack', 'made_live_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('export_stack', 'reading_ns', 'ns', 'exact', 'When the node was read; NULL: no reading'),
  ('export_level export_instant', 'ts_ns', 'ns', 'exact', 'When, since the Unix epoch; NULL: not recorded'),
  ('export_level', 'sbc_carriers_bytes', 'bytes', 'estimate', 'Bytes of its single-block carriers'),
  ('export_level', 'sbc_blocks_bytes', 'bytes', 'estimate', 'Bytes of blocks in these'),
  ('export_phase', 'vtid', 'id', 'label', 'OS thread id'),
  ('export_phase', 'thread', 'text', 'label', 'Name of the thread'),
  ('export_phase export_instant', 'track', 'text', 'label', 'Name of the line that it is drawn on'),
  ('export_phase export_instant', 'name', 'text', 'label', 'What it was'),
  ('export_phase', 'note', 'text', 'label', 'Details'),
  ('export_instant', 'rule', 'text', 'label', 'Of a finding its rule; NULL: none'),
  ('export_instant', 'severity', 'text', 'label', 'Of a finding'),
  ('export_instant', 'sentence', 'text', 'estimate', 'What was found, or happened');
