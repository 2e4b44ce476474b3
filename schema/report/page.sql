-- SPDX-License-Identifier: MIT
--
-- Layer:   what the page draws
-- Serves:  `carrierscope report --format html`
--
-- Bounded, whatever was recorded: at most so many moments and rows, and what is beyond them is summed
-- up, not dropped.

-- page_time: one row: how the page counts and thins out time.  At most 400 moments of each allocator, fewer when
-- there are many processes, and 48 of each size.
--
-- Worked example, tests/views/page_time: two sources from 1000 to 81000 ns with two processes: slots of 80000 / 133 ns.
CREATE TABLE page_time (
  first_ns INTEGER,
  slot_ns INTEGER,
  size_slot_ns INTEGER
) STRICT;

CREATE TEMP TABLE page_time AS
SELECT first_ns, 1 + span_ns / max(40, 400 / (SELECT count(*) + 1 FROM runtime)) AS slot_ns, 1 + span_ns / 48 AS size_slot_ns
FROM (SELECT min(first_ts_ns) AS first_ns, max(last_ts_ns) - min(first_ts_ns) AS span_ns FROM source);

-- page_level: one row for each allocator and moment: bytes of its carriers and blocks, by carrier
-- events, and of nodes without these by their snapshots: there with the pool, which the verdict counts, too.
--
-- Worked example, tests/views/page_level: a snapshot with 22 MiB in carriers, 3 more in the pool.
CREATE VIEW page_level AS
SELECT source_id, runtime_id, vpid, allocator, begin_ns, end_ns, mbc_carriers_bytes, mbc_blocks_bytes,
  carriers_bytes, blocks_bytes, 'carrier events' AS basis
FROM utilisation_allocator
UNION ALL
SELECT r.source_id, t.runtime_id, r.vpid, t.allocator, t.ts_ns,
  lead(t.ts_ns, 1, max(t.ts_ns, s.last_ts_ns)) OVER (PARTITION BY t.runtime_id, t.allocator ORDER BY t.ts_ns),
  ifnull(t.mbc_bytes, 0), ifnull(t.mbc_blocks_bytes, 0),
  ifnull(t.mbc_bytes, 0) + ifnull(t.sbc_bytes, 0) + ifnull(t.pool_bytes, 0),
  ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0),
  'snapshots'
FROM _recorded_sum AS t
JOIN runtime AS r ON r.id = t.runtime_id
JOIN source AS s ON s.id = r.source_id
WHERE t.runtime_id NOT IN (SELECT runtime_id FROM utilisation_now_allocator WHERE runtime_id IS NOT NULL);

-- page_live: the same of live blocks: recorded ones, or what samples stand for.
--
-- Worked example, tests/views/page_live: two samples that stand for 4 blocks each, one of them freed.
CREATE VIEW page_live AS
SELECT source_id, runtime_id, vpid, allocator, begin_ns, end_ns, live_bytes, 'blocks' AS basis
FROM live_over_time
WHERE by_blocks
UNION ALL
SELECT r.source_id, l.runtime_id, r.vpid, l.allocator, l.ts_ns,
  lead(l.ts_ns, 1, max(l.ts_ns, s.last_ts_ns)) OVER (PARTITION BY l.runtime_id, l.allocator ORDER BY l.ts_ns),
  max(0, l.live_bytes), 'samples'
FROM _export_sample_level AS l
JOIN runtime AS r ON r.id = l.runtime_id
JOIN source AS s ON s.id = r.source_id;

-- page_holder: who holds memory now, the 20000 that hold most, and temporary garbage; what is beyond them is a row
-- for each type.
--
-- Worked example, tests/views/page_holder: the holders of one reading, with the application of a process.
CREATE VIEW page_holder AS
WITH ranked AS MATERIALIZED (
  SELECT source_id, runtime_id, iif(runtime_id IS NULL, snapshot_id, NULL) AS snapshot_id, allocator, type, kind, holder,
    name, bytes, quality, basis, row_number() OVER (ORDER BY kind = 'temporary' DESC, bytes DESC, name) AS place
  FROM holder
  WHERE bytes > 0 OR kind = 'temporary'
)
SELECT h.source_id, h.runtime_id, h.snapshot_id, h.allocator, h.type, h.kind, l.application, h.name AS process, h.bytes,
  h.quality, h.basis
FROM ranked AS h
LEFT JOIN (SELECT runtime_id, snapshot_id, pid, application FROM _process_label WHERE application IS NOT NULL) AS l
  -- Not by the index of runtimes: one has all of them.
  ON h.kind = 'process' AND l.pid = h.holder AND +l.runtime_id IS h.runtime_id
    AND (h.runtime_id IS NOT NULL OR l.snapshot_id = h.snapshot_id)
WHERE h.place <= 20000
UNION ALL
SELECT source_id, runtime_id, snapshot_id, allocator, type, 'others', NULL, format('%,d others', count(*)), sum(bytes),
  'estimate', basis
FROM ranked
WHERE place > 20000
GROUP BY source_id, runtime_id, snapshot_id, allocator, type, basis;

-- _page_list: the lists of holders of each runtime that the page shows: at most 25, the first and the
-- last among them.
CREATE TEMP TABLE _page_list AS
WITH numbered AS (
  SELECT runtime_id, snapshot_id, ts_ns, row_number() OVER (PARTITION BY runtime_id ORDER BY ts_ns) AS place,
    count(*) OVER (PARTITION BY runtime_id) AS lists
  FROM snapshot_holders
)
SELECT runtime_id, snapshot_id, ts_ns
FROM numbered
WHERE lists > 1 AND (place = 1 OR place * 24 / lists <> (place - 1) * 24 / lists);

-- _page_read: what processes and tables held at these.  holder NULL: processes without a row of their own.
CREATE TEMP VIEW _page_read AS
WITH list AS MATERIALIZED (SELECT * FROM _page_list)
SELECT p.runtime_id, l.ts_ns, l.snapshot_id, t.allocator, t.type, p.pid AS holder, p.pid AS owner, NULL AS name,
  iif(t.type = 'heap', p.heap_bytes, p.binary_bytes) AS bytes
FROM snapshot_process AS p
CROSS JOIN list AS l ON p.runtime_id = l.runtime_id AND p.snapshot_id = l.snapshot_id
JOIN _held_type AS t
UNION ALL
SELECT g.runtime_id, l.ts_ns, l.snapshot_id, t.allocator, t.type, NULL, NULL, NULL,
  iif(t.type = 'heap', g.heap_bytes, g.binary_bytes)
FROM snapshot_process_group AS g
CROSS JOIN list AS l ON g.runtime_id = l.runtime_id AND g.snapshot_id = l.snapshot_id
JOIN _held_type AS t
UNION ALL
SELECT p.runtime_id, l.ts_ns, l.snapshot_id, 'ets_alloc', 'ets', p."table", p.owner,
  p.called, p.memory_bytes
FROM _table_called AS p
CROSS JOIN list AS l ON p.runtime_id = l.runtime_id AND p.snapshot_id = l.snapshot_id;

-- page_held: the same by name: the 100 that held most at a time, all others as one, and what
-- none of them had.
--
-- Worked example, tests/views/page_held: a process whose binaries grew from 40 to 700 bytes.
CREATE VIEW page_held AS
WITH part AS MATERIALIZED (SELECT * FROM _page_read WHERE bytes > 0),
ranked AS MATERIALIZED (
  SELECT runtime_id, type, holder, row_number() OVER (ORDER BY max(bytes) DESC, runtime_id, holder, type) AS place
  FROM part
  WHERE holder IS NOT NULL
  GROUP BY runtime_id, type, holder
),
whole AS MATERIALIZED (
  SELECT l.runtime_id, l.snapshot_id, l.ts_ns, t.allocator,
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0) AS bytes
  FROM _page_list AS l
  JOIN _recorded_sum AS t ON t.snapshot_id = -(l.runtime_id * 4294967296 + l.snapshot_id)
  WHERE t.allocator IN ('eheap_alloc', 'binary_alloc', 'ets_alloc')
),
label AS MATERIALIZED (SELECT runtime_id, pid, application, text FROM _process_label WHERE runtime_id IS NOT NULL)
SELECT p.runtime_id, p.ts_ns, p.allocator, p.type, l.application, ifnull(p.name, '') || coalesce(l.text, p.owner) AS process,
  -- What is counted for each reference is at most all there is.
  min(p.bytes, ifnull(w.bytes, p.bytes)) AS bytes
FROM part AS p
JOIN ranked AS r ON r.runtime_id = p.runtime_id AND r.type = p.type AND r.holder = p.holder AND r.place <= 100
LEFT JOIN label AS l ON l.runtime_id = p.runtime_id AND l.pid = p.owner
LEFT JOIN whole AS w ON w.runtime_id = p.runtime_id AND w.snapshot_id = p.snapshot_id AND w.allocator = p.allocator
UNION ALL
SELECT p.runtime_id, p.ts_ns, p.allocator, p.type, NULL, iif(p.type = 'ets', 'other tables', 'other processes'), sum(p.bytes)
FROM part AS p
LEFT JOIN ranked AS r ON r.runtime_id = p.runtime_id AND r.type = p.type AND r.holder = p.holder AND r.place <= 100
WHERE r.place IS NULL
GROUP BY p.runtime_id, p.ts_ns, p.allocator, p.type
UNION ALL
SELECT w.runtime_id, w.ts_ns, w.allocator, max(p.type), NULL, 'nobody', w.bytes - sum(p.bytes)
FROM whole AS w
JOIN part AS p ON p.runtime_id = w.runtime_id AND p.snapshot_id = w.snapshot_id AND p.allocator = w.allocator
GROUP BY w.runtime_id, w.ts_ns, w.allocator, w.bytes
HAVING sum(p.bytes) < w.bytes;

-- _page_slot: each source whose blocks or samples the page counts by time: the first moment and the width of
-- 48 slots.  Sources with more than a million block events are left out: that would take seconds.
CREATE TEMP VIEW _page_slot AS
SELECT s.id AS source_id, s.first_ts_ns, (s.last_ts_ns - s.first_ts_ns) / 48 + 1 AS slot_ns, b.first_id, b.last_id
FROM source AS s
LEFT JOIN block_span AS b ON b.source_id = s.id
WHERE ifnull(b.last_id - b.first_id, 0) <= 1000000;

-- _page_block_sum: recorded blocks that were made and that ended, by slot and what their events say of their maker, in parts
-- that are to be summed.  since_id: without a process, the row of block_process that may have it.  `carrierscope report` makes a
-- table of it in one pass (maker_sums.c).
CREATE TEMP VIEW _page_block_sum AS
WITH event AS (
  SELECT p.source_id, b.id, b.thread_id, b.allocator_id, b.type_id, b.process, (b.ts_ns - p.first_ts_ns) / p.slot_ns AS slot,
    b.size AS made_bytes, NULL AS ended_bytes
  FROM _page_slot AS p
  CROSS JOIN _block_event AS b
  WHERE b.id BETWEEN p.first_id AND p.last_id AND b.op <> 1 AND b.address <> 0
  UNION ALL
  SELECT p.source_id, a.id, a.thread_id, a.allocator_id, a.type_id, a.process, (b.ts_ns - p.first_ts_ns) / p.slot_ns,
    NULL, a.size
  FROM _page_slot AS p
  CROSS JOIN _block_event AS b
  JOIN _block_event AS a ON a.id = b.ended_id
  WHERE b.id BETWEEN p.first_id AND p.last_id
)
SELECT source_id, thread_id, allocator_id, type_id, process,
  iif(process IS NULL, (SELECT max(p.from_id) FROM block_process AS p
    WHERE p.thread_id = event.thread_id AND p.from_id <= event.id), NULL) AS since_id,
  slot, count(made_bytes) AS made_blocks, total(made_bytes) AS made_bytes, count(ended_bytes) AS ended_blocks,
  total(ended_bytes) AS ended_bytes
FROM event
GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- _page_block_change: the same, summed.  maker: a pid, or the number of a process.
CREATE TEMP VIEW _page_block_change AS
SELECT e.source_id, coalesce(t.runtime_id, o.runtime_id) AS runtime_id, e.allocator_id, e.type_id,
  ifnull(e.process, p.pid) AS maker, e.slot, sum(e.made_blocks) AS made_blocks, total(e.made_bytes) AS made_bytes,
  sum(e.ended_blocks) AS ended_blocks, total(e.ended_bytes) AS ended_bytes
FROM _page_block_sum AS e
LEFT JOIN thread AS t ON t.id = e.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = e.source_id
LEFT JOIN block_process AS p ON p.thread_id = e.thread_id AND p.from_id = e.since_id
GROUP BY 1, 2, 3, 4, 5, 6;

-- _page_made: the same with words, and of what samples stand for.
CREATE TEMP VIEW _page_made AS
SELECT c.source_id, c.runtime_id, iif(c.allocator_id IS NULL, 'libc', ifnull(n.name, 'allocator ' || c.allocator_id)) AS allocator,
  t.name AS type,
  CASE WHEN typeof(c.maker) <> 'integer' THEN c.maker
    WHEN c.maker > 4611686018427387904 THEN '#Port<0.' || (c.maker - 4611686018427387905) || '>'
    WHEN c.maker > 0 THEN '<0.' || ((c.maker - 1) & 268435455) || '.' || ((c.maker - 1) >> 28) || '>' END AS pid,
  c.slot, c.made_blocks, c.made_bytes, c.ended_blocks, c.ended_bytes, 0 AS kept_blocks, 0 AS kept_bytes
FROM _page_block_change AS c
LEFT JOIN allocator_name AS n ON n.runtime_id = c.runtime_id AND n.allocator_id = c.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = c.runtime_id AND t.type_id = c.type_id
UNION ALL
SELECT p.source_id, b.runtime_id, b.allocator, b.type, b.pid, (b.since_ns - p.first_ts_ns) / p.slot_ns,
  total(b.weight), total(b.weight * b.size), 0, 0, total(iif(b.freed_ns IS NULL, b.weight, 0)),
  total(iif(b.freed_ns IS NULL, b.weight * b.size, 0))
FROM sample_block AS b
JOIN runtime AS r ON r.id = b.runtime_id
JOIN _page_slot AS p ON p.source_id = r.source_id
GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL
SELECT p.source_id, b.runtime_id, b.allocator, b.type, b.pid, (b.freed_ns - p.first_ts_ns) / p.slot_ns,
  0, 0, total(b.weight), total(b.weight * b.size), 0, 0
FROM sample_block AS b
JOIN runtime AS r ON r.id = b.runtime_id
JOIN _page_slot AS p ON p.source_id = r.source_id
WHERE b.freed_ns IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6
UNION ALL
SELECT b.source_id, b.runtime_id, b.allocator, b.type, b.pid, (b.since_ns - p.first_ts_ns) / p.slot_ns,
  0, 0, 0, 0, count(*), sum(b.size)
FROM _page_slot AS p
CROSS JOIN block_at AS b ON b.source_id = p.source_id
WHERE b.since_ns >= p.first_ts_ns
GROUP BY 1, 2, 3, 4, 5, 6;

-- page_change: blocks that were made and that ended in each slot: the 200 stacks that made most, all
-- others as one.  What lives at the end of a slot was made in it or before, and has not ended; kept: made in it, and live at the
-- end of the recording.
--
-- Worked example, tests/views/page_change: of two blocks of 220 bytes that a process made both have ended.
CREATE VIEW page_change AS
WITH made AS MATERIALIZED (SELECT * FROM _page_made),
ranked AS MATERIALIZED (
  SELECT runtime_id, allocator, type, pid,
    row_number() OVER (ORDER BY sum(made_bytes) DESC, source_id, allocator, type, pid) AS place
  FROM made
  GROUP BY source_id, runtime_id, allocator, type, pid
),
label AS MATERIALIZED (SELECT runtime_id, pid, application, text FROM _process_label WHERE runtime_id IS NOT NULL),
named AS (
  SELECT m.source_id, m.runtime_id, m.allocator, m.type, iif(r.place <= 200, l.application, NULL) AS application,
    iif(r.place <= 200, coalesce(l.text, m.pid), 'others') AS process,
    m.slot, m.made_blocks, m.made_bytes, m.ended_blocks, m.ended_bytes, m.kept_blocks, m.kept_bytes
  FROM made AS m
  JOIN ranked AS r ON r.runtime_id IS m.runtime_id AND r.allocator IS m.allocator AND r.type IS m.type AND r.pid IS m.pid
  LEFT JOIN label AS l ON l.runtime_id = m.runtime_id AND l.pid = m.pid
)
SELECT n.source_id, n.runtime_id, n.allocator, n.type, n.application, n.process, n.slot,
  p.first_ts_ns + (n.slot + 1) * p.slot_ns AS end_ns,
  CAST(round(sum(n.made_blocks)) AS INTEGER) AS made_blocks, CAST(round(sum(n.made_bytes)) AS INTEGER) AS made_bytes,
  CAST(round(sum(n.ended_blocks)) AS INTEGER) AS ended_blocks, CAST(round(sum(n.ended_bytes)) AS INTEGER) AS ended_bytes,
  CAST(round(sum(n.kept_blocks)) AS INTEGER) AS kept_blocks, CAST(round(sum(n.kept_bytes)) AS INTEGER) AS kept_bytes
FROM named AS n
JOIN _page_slot AS p ON p.source_id = n.source_id
GROUP BY n.source_id, n.runtime_id, n.allocator, n.type, n.application, n.process, n.slot;

-- page_stack: one row for each stack of recorded blocks at some moments: 'end' and 'peak' (of sources of one process),
-- blocks that are live then, by who made them; 'made', all that were made, samples as what they stand for; 'by function', what tags
-- of blocks say at a snapshot.
CREATE VIEW page_stack AS
WITH part AS (
  SELECT source_id, runtime_id, 'by function' AS moment, allocator, type, application,
    iif(kind IN ('process', 'port'), origin, NULL) AS pid, iif(kind IN ('process', 'port', 'function'), NULL, origin) AS process,
    iif(kind = 'function', origin, NULL) AS function, blocks, bytes
  FROM holder_function
  UNION ALL
  SELECT source_id, runtime_id, 'end', allocator, type, NULL, pid, NULL, NULL, sum(blocks), sum(bytes)
  FROM _block_maker
  GROUP BY source_id, runtime_id, allocator, type, pid
  UNION ALL
  -- A peak is one of a process: each would list the blocks of all.
  SELECT source_id, runtime_id, 'peak', allocator, type, NULL, pid, NULL, NULL, sum(blocks), sum(bytes)
  FROM _peak_maker
  WHERE source_id IN (SELECT source_id FROM _block_runtime)
  GROUP BY source_id, runtime_id, allocator, type, pid
  UNION ALL
  SELECT source_id, runtime_id, 'end', allocator, type, NULL, pid, NULL, functions, sum(live_blocks), sum(live_bytes)
  FROM _export_sample
  GROUP BY source_id, runtime_id, allocator, type, pid, functions
  UNION ALL
  SELECT source_id, runtime_id, 'made', allocator, type, NULL, pid, NULL, functions, sum(alloc_blocks), sum(alloc_bytes)
  FROM _export_sample
  GROUP BY source_id, runtime_id, allocator, type, pid, functions
  UNION ALL
  SELECT source_id, runtime_id, 'made', allocator, type, NULL, NULL, NULL, NULL, made, made_bytes
  FROM _block_account
  WHERE scope = 'type'
),
ranked AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY moment ORDER BY bytes DESC, allocator, type, pid, process, function) AS place
  FROM part
  WHERE bytes > 0
)
SELECT p.source_id, p.runtime_id, NULL AS snapshot_id, p.moment, p.allocator, p.type,
  ifnull(p.application, l.application) AS application, coalesce(l.text, p.process, p.pid) AS process, p.function, p.blocks, p.bytes
FROM ranked AS p
LEFT JOIN (SELECT runtime_id, pid, application, text FROM _process_label WHERE runtime_id IS NOT NULL) AS l
  ON l.pid = p.pid AND +l.runtime_id = p.runtime_id
WHERE p.place <= 2000
UNION ALL
SELECT source_id, runtime_id, NULL, moment, allocator, type, NULL, 'others', NULL, sum(blocks), sum(bytes)
FROM ranked
WHERE place > 2000
GROUP BY source_id, runtime_id, moment, allocator, type;

-- page_sweep: one row for each set of flags that was replayed in full, with the figure that was to be small.
CREATE VIEW page_sweep AS
WITH tried AS MATERIALIZED (
  SELECT r.source_id, w.runtime_id, r.vpid, w.flags, w.is_advised, ifnull(a.objective, 'peak') AS objective,
    CASE ifnull(a.objective, 'peak') WHEN 'end' THEN w.end_bytes WHEN 'average' THEN w.average_bytes ELSE w.peak_bytes END AS objective_bytes,
    w.calls, w.copied_bytes, w.mappings
  FROM sweep_result AS w
  JOIN runtime AS r ON r.id = w.runtime_id
  LEFT JOIN sweep_advice AS a ON a.runtime_id = w.runtime_id
  WHERE w.allocator = 'all' AND w.is_part = 0
)
SELECT t.*, NOT EXISTS (
  SELECT 1 FROM tried AS o
  WHERE o.runtime_id = t.runtime_id AND o.objective_bytes <= t.objective_bytes AND o.calls <= t.calls
    AND o.copied_bytes <= t.copied_bytes
    AND (o.objective_bytes < t.objective_bytes OR o.calls < t.calls OR o.copied_bytes < t.copied_bytes)) AS is_on_frontier
FROM tried AS t;

INSERT INTO view_doc VALUES
  ('page_time', '', 'row', 'fast', 'How the page counts time: from the first event, in slots of which it draws the last moment'),
  ('page_time', 'first_ns', 'ns', 'exact', 'The first event of all sources, since the Unix epoch'),
  ('page_time', 'slot_ns', 'ns', 'label', 'Width of a slot of curves'),
  ('page_time', 'size_slot_ns', 'ns', 'label', 'Width of a slot of sizes over time'),
  ('page_level', '', 'row', 'full scan', 'One row for each allocator and moment: its carriers and blocks, by events or snapshots'),
  ('page_live', '', 'row', 'full scan', 'The same of live blocks, or of what samples stand for'),
  ('page_holder', '', 'row', 'fast', 'One row for each holder and type at the end; the smallest of very many as one'),
  ('page_held', '', 'row', 'full scan', 'The same at up to 25 lists of holders, by name; the smallest as one'),
  ('page_change', '', 'row', 'full scan', 'Blocks that were made and that ended, by maker and slot of time, samples included; the smallest as one'),
  ('page_stack', '', 'row', 'full scan', 'One row for each allocator, block type and maker, at some moments: the flame graph of the page'),
  ('page_sweep', '', 'row', 'fast', 'One row for each set of flags that was replayed in full: memory, requests, copies'),
  ('page_level export_level', 'carriers_bytes', 'bytes', 'estimate', 'Bytes of all its carriers'),
  ('page_level export_level', 'blocks_bytes', 'bytes', 'estimate', 'Bytes of its blocks'),
  ('page_level export_level', 'mbc_carriers_bytes', 'bytes', 'estimate', 'Bytes of its multi-block carriers'),
  ('page_level export_level', 'mbc_blocks_bytes', 'bytes', 'estimate', 'Bytes of blocks in these'),
  ('page_level page_live page_holder', 'basis', 'text', 'label', 'What it is known by'),
  ('page_live', 'live_bytes', 'bytes', 'estimate', 'Bytes of live blocks'),
  ('page_holder page_held page_change page_stack export_stack', 'type', 'text', 'label', 'Type of the blocks'),
  ('page_holder', 'kind', 'text', 'label', 'As holder.kind, or others: several holders'),
  ('page_holder page_held page_change page_stack', 'application', 'text', 'label', 'The application of the process; NULL: not known'),
  ('page_holder page_held page_change page_stack export_stack', 'process', 'text', 'label', 'The process, table or port as text, or what stands for several'),
  ('page_holder page_held page_stack', 'bytes', 'bytes', 'estimate', 'Bytes that it holds'),
  ('page_holder', 'quality', 'text', 'label', 'Of bytes, as holder.quality'),
  ('page_held', 'ts_ns', 'ns', 'exact', 'When the list was made'),
  ('page_change', 'slot', 'count', 'label', 'Number of the slot, from 0'),
  ('page_change', 'made_blocks', 'count', 'estimate', 'Blocks that were made in it'),
  ('page_change', 'made_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('page_change', 'ended_blocks', 'count', 'estimate', 'Blocks that ended in it'),
  ('page_change', 'ended_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('page_change', 'kept_blocks', 'count', 'estimate', 'Blocks that were made in it and live at the end of the recording'),
  ('page_change', 'kept_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('page_stack', 'moment', 'text', 'label', 'end, peak, made (all of the recording) or by function'),
  ('page_stack export_stack', 'function', 'text', 'label', 'The function that made them; of a sample all on its stack, the outermost first, with char(31) between; NULL: not known'),
  ('export_stack', 'source_lines', 'text', 'label', 'File and line of each of these functions, with char(31) between, ? where not known; NULL: of no stack'),
  ('page_stack', 'blocks', 'count', 'estimate', 'Blocks'),
  ('page_sweep', 'flags', 'text', 'label', 'The flags'),
  ('page_sweep', 'is_advised', 'flag', 'label', '1: they are the advice'),
  ('page_sweep', 'objective', 'text', 'label', 'What was to be small: peak, end or average'),
  ('page_sweep', 'objective_bytes', 'bytes', 'estimate', 'How much that was'),
  ('page_sweep', 'calls', 'count', 'estimate', 'Requests to the operating system'),
  ('page_sweep', 'copied_bytes', 'bytes', 'estimate', 'Bytes that reallocations copied'),
  ('page_sweep', 'mappings', 'count', 'estimate', 'Mappings at most'),
  ('page_sweep', 'is_on_frontier', 'flag', 'label', '1: no other set of flags is better in all of these');
