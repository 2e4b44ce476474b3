-- SPDX-License-Identifier: MIT
--
-- Layer:   holders
-- Serves:  report holders, verdict, the page
--
-- Who holds the memory of a node: which process, table or port.  From a list of holders of a snapshot
-- (carrierscope:snapshot()), from a crash dump, else from the blocks that a process made.

-- _holder_total: one row for each allocator of them: bytes in its blocks, in whose carriers ever.
CREATE TEMP VIEW _holder_total AS
WITH part AS (
  SELECT r.source_id, r.runtime_id, r.snapshot_id, r.ts_ns,
    iif(f.key = 'blocks_size', a.name, substr(f.key, 13)) AS allocator, f.current
  FROM _holder_reading AS r
  CROSS JOIN snapshot_figure AS f ON f.runtime_id = r.runtime_id AND f.snapshot_id = r.recorded_id
  JOIN allocator_name AS a ON a.runtime_id = f.runtime_id AND a.allocator_id = f.allocator_id
  WHERE f.section IN ('mbcs', 'sbcs', 'mbcs_pool') AND (f.key = 'blocks_size' OR f.key LIKE 'blocks\_size/%' ESCAPE '\')
)
SELECT source_id, runtime_id, snapshot_id, ts_ns, allocator, sum(current) AS bytes
FROM part
GROUP BY source_id, runtime_id, snapshot_id, ts_ns, allocator
UNION ALL
-- As allocator_reading has it, which would read the snapshots of nodes as well.
SELECT s.source_id, NULL, s.id, s.ts_ns, t.allocator,
  CAST(total(t.current) FILTER (WHERE t.key = 'blocks_size' AND ifnull(t.of, t.allocator) = t.allocator) AS INTEGER)
FROM crash_dump AS d
JOIN snapshot AS s ON s.id = d.snapshot_id
JOIN instance_stat AS t ON t.snapshot_id = d.snapshot_id
WHERE t.section IN ('mbcs', 'sbcs', 'mbcs_pool')
GROUP BY s.source_id, s.id, s.ts_ns, t.allocator;

-- _held_type: heaps and binaries of processes, and their allocators.
CREATE TEMP VIEW _held_type AS
SELECT 'heap' AS type, 'eheap_alloc' AS allocator
UNION ALL SELECT 'binary', 'binary_alloc';

-- _dump_word: one row for each crash dump: the size of its words.
CREATE TEMP VIEW _dump_word AS
SELECT s.source_id, d.snapshot_id, CAST(f.value AS INTEGER) / 8 AS word_bytes
FROM crash_dump AS d
JOIN snapshot AS s ON s.id = d.snapshot_id
JOIN node_fact AS f ON f.snapshot_id = d.snapshot_id AND f.key = 'word_bits';

-- _dump_binary: one row for each process of a crash dump: bytes of the binaries that it refers to.  Exact where its heap
-- lists as many words of references as the garbage collector counted (from OTP 27 on each reference
-- counts the whole binary, before the part that it is to); else at most what that counted.
CREATE TEMP VIEW _dump_binary AS
WITH release AS MATERIALIZED (
  SELECT snapshot_id, CAST(max(value) AS INTEGER) AS release FROM node_fact WHERE key = 'otp_release' GROUP BY snapshot_id
),
counted AS (
  SELECT w.source_id, p.snapshot_id, p.pid, w.word_bytes,
    ifnull(p.binary_heap_words, 0) + ifnull(p.old_binary_heap_words, 0) AS words,
    b.binary_bytes, ifnull(b.is_complete AND w.word_bytes = 8 AND r.release IS NOT NULL
      AND iif(r.release >= 27, b.whole_words, b.view_words)
        >= ifnull(p.binary_heap_words, 0) + ifnull(p.old_binary_heap_words, 0), 0) AS is_exact
  FROM process_sample AS p
  JOIN _dump_word AS w ON w.snapshot_id = p.snapshot_id
  LEFT JOIN release AS r ON r.snapshot_id = p.snapshot_id
  LEFT JOIN process_binaries AS b ON b.snapshot_id = p.snapshot_id AND b.pid = p.pid
)
SELECT source_id, snapshot_id, pid, iif(is_exact, binary_bytes, words * word_bytes) AS bytes,
  iif(is_exact, 'exact', 'bound') AS quality
FROM counted;

-- _message_held: one row for each process of a reading whose messages have much outside its heap: at most so many bytes.
--
-- Where messages are on the heap, each has 88 bytes beside it (OTP 25, words of 8 bytes), which are in fix_alloc.
-- Worked example, tests/views/holder.messages.
CREATE TEMP VIEW _message_held AS
SELECT runtime_id, snapshot_id, pid, memory_bytes - heap_bytes AS bytes
FROM snapshot_process
WHERE messages > 0 AND heap_bytes >= 0 AND memory_bytes - heap_bytes >= 65536 + 100 * messages;

-- _looked_at: one row for each reading that looked at some of the processes or tables alone: of how many, in words, which is put to
-- what is summed.  A few come and go while the others are counted.
CREATE TEMP VIEW _looked_at AS
SELECT snapshot_id, iif(processes_seen < 0.99 * processes - 10, format(' (%,d of %,d looked at)', processes_seen, processes), '') AS processes,
  iif(tables_seen < 0.99 * tables - 10, format(' (%,d of %,d looked at)', tables_seen, tables), '') AS tables
FROM _holder_reading;

-- _held_process: what each process or group of them holds at a reading, by allocator; of how many.  Bytes NULL: not read.
--
-- Here and below the many rows come first in joins: their reading is then found by an index.
CREATE TEMP VIEW _held_process AS
WITH reading AS MATERIALIZED (SELECT * FROM _holder_reading),
read AS (
  SELECT r.source_id, r.runtime_id, r.snapshot_id, t.allocator, t.type, 'process' AS kind, p.pid AS holder, NULL AS name,
    iif(t.type = 'heap', p.heap_bytes, p.binary_bytes) AS bytes,
    CASE WHEN t.type = 'heap' OR p.binaries_by = 1 THEN 'exact' WHEN p.binaries_by = 3 THEN 'estimate' ELSE 'bound' END AS quality,
    1 AS members
  FROM snapshot_process AS p
  CROSS JOIN reading AS r ON p.runtime_id = r.runtime_id AND p.snapshot_id = r.recorded_id
  JOIN _held_type AS t
  UNION ALL
  SELECT r.source_id, r.runtime_id, r.snapshot_id, 'eheap_alloc', 'message', 'process', m.pid, NULL, m.bytes, 'bound', 1
  FROM _message_held AS m
  CROSS JOIN reading AS r ON m.runtime_id = r.runtime_id AND m.snapshot_id = r.recorded_id
  UNION ALL
  SELECT r.source_id, r.runtime_id, r.snapshot_id, t.allocator, t.type, 'processes', g.initial_call,
    NULL,
    iif(t.type = 'heap', g.heap_bytes, g.binary_bytes), iif(t.type = 'heap', 'exact', 'bound'), g.processes
  FROM snapshot_process_group AS g
  CROSS JOIN reading AS r ON g.runtime_id = r.runtime_id AND g.snapshot_id = r.recorded_id
  JOIN _held_type AS t
  UNION ALL
  SELECT w.source_id, NULL, p.snapshot_id, 'eheap_alloc', 'heap', 'process', p.pid, NULL,
    w.word_bytes * (ifnull(p.heap_words, 0) + ifnull(p.old_heap_words, 0) + ifnull(p.heap_fragment_words, 0)), 'exact', 1
  FROM process_sample AS p
  JOIN _dump_word AS w ON w.snapshot_id = p.snapshot_id
  UNION ALL
  SELECT source_id, NULL, snapshot_id, 'binary_alloc', 'binary', 'process', pid, NULL, bytes, quality, 1
  FROM _dump_binary
)
SELECT source_id, runtime_id, snapshot_id, allocator, type, kind, holder, name,
  iif(bytes < 0, NULL, bytes) AS bytes, iif(bytes < 0, 'unknown', quality) AS quality, members
FROM read
WHERE bytes <> 0;

-- _table_called: what each table of a reading is called, before its owner.
CREATE TEMP VIEW _table_called AS
SELECT runtime_id, snapshot_id, "table", owner, memory_bytes,
  'table "' || CASE WHEN name = '' THEN "table" WHEN name LIKE 'Elixir.%' THEN substr(name, 8) ELSE name END || '" of ' AS called
FROM snapshot_table;

-- _held_other: the same of tables and ports, with the pid of their owner.
CREATE TEMP VIEW _held_other AS
WITH reading AS MATERIALIZED (SELECT * FROM _holder_reading)
SELECT r.source_id, r.runtime_id, r.snapshot_id, 'ets_alloc' AS allocator, 'ets' AS type, 'table' AS kind,
  t."table" AS holder, t.called AS name, t.owner, t.memory_bytes AS bytes
FROM _table_called AS t
CROSS JOIN reading AS r ON t.runtime_id = r.runtime_id AND t.snapshot_id = r.recorded_id
UNION ALL
SELECT r.source_id, r.runtime_id, r.snapshot_id, 'ets_alloc', 'ets', 'tables', '',
  format('%,d other tables', r.tables_seen - t.tables) || l.tables, NULL, r.tables_bytes - t.bytes
FROM reading AS r
JOIN _looked_at AS l ON l.snapshot_id = r.snapshot_id
JOIN (SELECT runtime_id, snapshot_id, count(*) AS tables, sum(memory_bytes) AS bytes FROM snapshot_table
    GROUP BY runtime_id, snapshot_id) AS t ON t.runtime_id = r.runtime_id AND t.snapshot_id = r.recorded_id
WHERE r.tables_seen > t.tables
UNION ALL
SELECT r.source_id, r.runtime_id, r.snapshot_id, q.allocator, q.type, 'port', p.port,
  p.port || ' ' || p.name || iif(p.peer = '', '', ' to ' || p.peer) || ' of ', p.owner,
  iif(q.type = 'port', p.memory_bytes, p.queue_bytes)
FROM snapshot_port AS p
CROSS JOIN reading AS r ON p.runtime_id = r.runtime_id AND p.snapshot_id = r.recorded_id
JOIN (SELECT 'port' AS type, 'driver_alloc' AS allocator UNION ALL SELECT 'port queue', 'binary_alloc') AS q
UNION ALL
SELECT w.source_id, NULL, e.snapshot_id, 'ets_alloc', 'ets', 'table', ifnull(e.name, '?'),
  'table "' || ifnull(iif(e.name LIKE 'Elixir.%', substr(e.name, 8), e.name), '?') || '" of ', e.owner, e.words * w.word_bytes
FROM ets_sample AS e
JOIN _dump_word AS w ON w.snapshot_id = e.snapshot_id;

-- _held_named: both, with names, and kinds as table growth has them.  What records is one row.  Of ten and more processes
-- that have no name of their own and began with one call those are one row that have at most a quarter of what all have.
--
-- Worked example, tests/views/holder.kin: of 12 workers one has much, the others are one row with the largest of them.
CREATE TEMP VIEW _held_named AS
WITH label AS MATERIALIZED (SELECT runtime_id, snapshot_id, pid, text, kind, initial_call, name IS NULL AND label IS NULL AND kind = 'process' AS is_nameless
  FROM _process_label),
each AS MATERIALIZED (
  SELECT h.*, l.text,
    CASE
      WHEN h.kind = 'process' THEN ifnull(l.kind, 'process')
      WHEN h.holder LIKE 'carrierscope:%' OR h.holder LIKE 'carrierscope\_%:%' ESCAPE '\' THEN 'recorder'
      ELSE 'group' END AS who_kind,
    iif(h.kind = 'processes', h.holder, iif(l.is_nameless AND h.bytes IS NOT NULL, l.initial_call, NULL)) AS call,
    sum(h.bytes) OVER kin AS kin_bytes, sum(h.members) OVER kin AS kin_members
  FROM _held_process AS h
  LEFT JOIN label AS l ON h.kind = 'process' AND l.pid = h.holder
    AND l.runtime_id IS h.runtime_id AND (h.runtime_id IS NOT NULL OR l.snapshot_id = h.snapshot_id)
  WINDOW kin AS (PARTITION BY h.snapshot_id, h.allocator, h.type, iif(h.kind = 'processes', h.holder, iif(l.is_nameless AND h.bytes IS NOT NULL, l.initial_call, NULL)))
),
-- one: of which row it is a part; NULL: it has one of its own.
placed AS (
  SELECT *, who_kind = 'recorder' AS is_own, CASE
      WHEN who_kind = 'recorder' THEN ''
      WHEN kind = 'processes' OR call <> '' AND kin_members >= 10 AND 4 * bytes <= kin_bytes THEN call END AS one
  FROM each
)
SELECT source_id, runtime_id, snapshot_id, allocator, type, kind, holder, ifnull(text, holder) AS name, bytes, quality, who_kind,
  members, bytes AS largest_bytes
FROM placed
WHERE one IS NULL
UNION ALL
SELECT p.source_id, p.runtime_id, p.snapshot_id, p.allocator, p.type, iif(p.is_own, 'recorder', 'processes'), p.one,
  CASE
    WHEN p.is_own THEN 'this recorder'
    ELSE format('%,d process%s%s', sum(p.members), iif(sum(p.members) = 1, '', 'es'), iif(p.one = '', ' of other kinds', ' ' || iif(p.one LIKE 'Elixir.%', substr(p.one, 8), p.one))) || ifnull(l.processes, '') END,
  sum(p.bytes),
  -- A binary that several refer to counts in each.
  CASE WHEN max(p.quality = 'unknown') THEN 'unknown' WHEN max(p.quality = 'bound') OR p.type = 'binary' AND count(*) > 1 THEN 'bound'
    WHEN max(p.quality = 'estimate') THEN 'estimate' ELSE 'exact' END,
  iif(p.is_own, 'recorder', 'group'), sum(p.members), max(p.bytes) FILTER (WHERE p.kind = 'process')
FROM placed AS p
LEFT JOIN _looked_at AS l ON l.snapshot_id = p.snapshot_id
WHERE p.one IS NOT NULL
GROUP BY p.source_id, p.runtime_id, p.snapshot_id, p.allocator, p.type, p.is_own, p.one
UNION ALL
SELECT h.source_id, h.runtime_id, h.snapshot_id, h.allocator, h.type, h.kind, h.holder,
  iif(h.owner IS NULL, h.name, h.name || coalesce(l.text, nullif(h.owner, ''), 'nobody')), h.bytes, iif(h.type = 'ets', 'exact', 'estimate'),
  CASE h.kind WHEN 'tables' THEN 'table' ELSE h.kind END, NULL, NULL
FROM _held_other AS h
LEFT JOIN label AS l ON l.pid = h.owner
  AND l.runtime_id IS h.runtime_id AND (h.runtime_id IS NOT NULL OR l.snapshot_id = h.snapshot_id);

-- _held_shared: of the binaries that are recorded one by one, bytes that count in more than one process.
CREATE TEMP VIEW _held_shared AS
SELECT r.runtime_id, r.snapshot_id, sum(b.size_bytes) - r.binary_bytes AS bytes
FROM snapshot_binary AS b
CROSS JOIN _holder_reading AS r ON b.runtime_id = r.runtime_id AND b.snapshot_id = r.recorded_id
GROUP BY r.runtime_id, r.snapshot_id;

-- _binary_shared: one row for each process at the last reading that refers to binaries to which others refer as well: how much of them
-- is theirs, in equal parts, and by how many the largest is shared; NULL: less than half of what it refers to is.
--
-- Worked example, tests/views/holder: of 400 bytes of one process 200 are shared by two: 100 are the other's.
CREATE TEMP TABLE _binary_shared AS
WITH refers AS (
  SELECT DISTINCT r.snapshot_id, b.pid, b.address, b.size_bytes
  FROM snapshot_binary AS b
  CROSS JOIN _holder_reading AS r ON b.runtime_id = r.runtime_id AND b.snapshot_id = r.recorded_id
),
counted AS (
  SELECT *, count(*) OVER (PARTITION BY snapshot_id, address) AS sharers FROM refers
)
SELECT snapshot_id, pid, CAST(sum(size_bytes - size_bytes / sharers) AS INTEGER) AS others_bytes,
  iif(2 * total(iif(sharers > 1, size_bytes, 0)) >= total(size_bytes), sharers, NULL) AS shared_by, max(iif(sharers > 1, size_bytes, 0)) AS largest_bytes
FROM counted
GROUP BY snapshot_id, pid
HAVING total(sharers > 1) > 0;

-- _held_sum: one row for each allocator of a reading: what its holders have together, at most.
CREATE TEMP VIEW _held_sum AS
SELECT h.source_id, h.runtime_id, h.snapshot_id, h.allocator,
  total(h.bytes) - iif(h.allocator = 'binary_alloc', ifnull(max(s.bytes), 0), 0) AS bytes,
  total(h.bytes IS NULL) AS unread, max(h.holder) FILTER (WHERE h.bytes IS NULL) AS unread_holder,
  total(h.quality <> 'exact') AS not_exact
FROM _held_process AS h
LEFT JOIN _held_shared AS s ON s.snapshot_id = h.snapshot_id
GROUP BY h.source_id, h.runtime_id, h.snapshot_id, h.allocator
UNION ALL
SELECT source_id, runtime_id, snapshot_id, allocator, total(bytes), 0, NULL, 0
FROM _held_other
WHERE allocator <> 'binary_alloc'
GROUP BY source_id, runtime_id, snapshot_id, allocator;

-- _held: who holds what at the last reading before the moment of `question`, and in each crash dump.
-- What nobody has that was looked at is a row of kind 'nobody'.
CREATE TEMP TABLE _held AS
WITH reading AS MATERIALIZED (SELECT * FROM _holder_reading),
whole AS MATERIALIZED (SELECT * FROM _holder_total),
sums AS MATERIALIZED (SELECT * FROM _held_sum),
-- What a dump says of a class by itself: where its holders have more than the blocks of its allocator, these are not all.
said AS MATERIALIZED (
  SELECT m.snapshot_id, CASE m.key WHEN 'ets' THEN 'ets_alloc' WHEN 'binary' THEN 'binary_alloc' ELSE 'eheap_alloc' END AS allocator, m.bytes
  FROM crash_dump AS d
  JOIN memory_sample AS m ON m.snapshot_id = d.snapshot_id AND m.key IN ('ets', 'binary', 'processes')
),
part AS (
  SELECT h.*, iif(u.bytes > w.bytes, iif(h.allocator = 'binary_alloc' OR u.bytes <= m.bytes, max(w.bytes, ifnull(m.bytes, 0)), NULL), w.bytes) AS total_bytes,
    ifnull(r.ts_ns, s.ts_ns) AS ts_ns, u.bytes AS sum_bytes
  FROM _held_named AS h
  LEFT JOIN said AS m ON m.snapshot_id = h.snapshot_id AND m.allocator = h.allocator
  LEFT JOIN whole AS w ON w.snapshot_id = h.snapshot_id AND w.allocator = h.allocator
  LEFT JOIN reading AS r ON r.snapshot_id = h.snapshot_id
  LEFT JOIN snapshot AS s ON s.id = h.snapshot_id
  LEFT JOIN sums AS u ON u.snapshot_id = h.snapshot_id AND u.allocator = h.allocator
)
SELECT source_id, runtime_id, snapshot_id, allocator, type, kind, holder, name,
  iif(quality = 'bound', CAST(min(bytes, ifnull(total_bytes, bytes)) AS INTEGER), bytes) AS bytes,
  total_bytes, quality, ts_ns, who_kind, members, largest_bytes
FROM part
-- What was not read may have all the rest, or nothing of it: that names nobody.
WHERE bytes IS NOT NULL
UNION ALL
SELECT w.source_id, w.runtime_id, w.snapshot_id, w.allocator,
  CASE w.allocator WHEN 'eheap_alloc' THEN 'heap' WHEN 'binary_alloc' THEN 'binary' ELSE 'ets' END,
  'nobody', '',
  CASE w.allocator
    WHEN 'eheap_alloc' THEN 'in the heap of no process' || ifnull(l.processes, '')
    WHEN 'binary_alloc' THEN 'held by no process' || ifnull(l.processes, '')
    ELSE 'in no table' || ifnull(l.tables, '') END
    || CASE WHEN u.unread = 1 THEN format('; %s could not be read, and may have it', u.unread_holder)
      WHEN u.unread > 1 THEN format('; %d of them could not be read, and may have it', u.unread) ELSE '' END,
  CAST(max(0, w.bytes - ifnull(u.bytes, 0)) AS INTEGER), w.bytes,
  -- A node that runs is read in turn, its allocators and then its processes: a heap that is collected meanwhile is there
  -- twice, or changes.
  CASE WHEN u.unread > 0 THEN 'bound' WHEN ifnull(u.not_exact, 0) = 0 AND w.runtime_id IS NULL THEN 'exact' ELSE 'estimate' END, w.ts_ns, 'nobody', NULL, NULL
FROM whole AS w
LEFT JOIN sums AS u ON u.snapshot_id = w.snapshot_id AND u.allocator = w.allocator
LEFT JOIN _looked_at AS l ON l.snapshot_id = w.snapshot_id
WHERE w.allocator IN ('eheap_alloc', 'binary_alloc', 'ets_alloc')
  AND (w.runtime_id IS NOT NULL OR u.snapshot_id IS NOT NULL);

-- _held_block: live blocks at the moment of `question` by the process that made them, or samples of blocks, of
-- allocators of which no reading says who holds them.  Temporary garbage is not in it.
CREATE TEMP VIEW _held_block AS
WITH read AS MATERIALIZED (SELECT runtime_id FROM _holder_reading),
moment AS MATERIALIZED (
  SELECT s.id AS source_id, min(ifnull(q.at_ns, ifnull(b.last_ts_ns, s.last_ts_ns)), ifnull(b.last_ts_ns, s.last_ts_ns)) AS ts_ns
  FROM source AS s
  JOIN question AS q
  LEFT JOIN block_span AS b ON b.source_id = s.id
),
garbage AS MATERIALIZED (SELECT block_event_id FROM _temporary_block WHERE reading_id IS NULL),
live AS (
  SELECT source_id, runtime_id, allocator, type, pid, blocks, bytes
  FROM _block_maker
  UNION ALL
  SELECT source_id, runtime_id, allocator, type, pid, -1, -size
  FROM _block_owned
  -- Without any the list of live blocks is not read again.
  WHERE (SELECT count(*) FROM garbage) > 0 AND moment = 'question' AND block_event_id IN (SELECT block_event_id FROM garbage)
),
made AS MATERIALIZED (
  SELECT b.source_id, b.runtime_id, b.allocator, b.type, b.pid, sum(b.bytes) AS bytes, 'blocks it made' AS basis
  FROM live AS b
  WHERE (b.allocator NOT IN ('eheap_alloc', 'binary_alloc', 'ets_alloc') OR b.runtime_id NOT IN (SELECT runtime_id FROM read))
  GROUP BY b.source_id, b.runtime_id, b.allocator, b.type, b.pid
  HAVING sum(b.blocks) > 0
  UNION ALL
  SELECT r.source_id, s.runtime_id, s.allocator, s.type, s.pid, CAST(sum(s.weight * s.size) AS INTEGER), 'samples of what it made'
  FROM _sample AS s
  JOIN runtime AS r ON r.id = s.runtime_id
  JOIN question AS q
  LEFT JOIN _temporary_sample AS g ON g.reading_id IS NULL AND g.runtime_id = s.runtime_id AND g.address = s.address AND g.since_ns = s.since_ns
  WHERE g.address IS NULL AND s.since_ns <= ifnull(q.at_ns, s.since_ns) AND (s.freed_ns IS NULL OR s.freed_ns > q.at_ns)
    AND (s.allocator NOT IN ('eheap_alloc', 'binary_alloc', 'ets_alloc') OR s.runtime_id NOT IN (SELECT runtime_id FROM read))
  GROUP BY r.source_id, s.runtime_id, s.allocator, s.type, s.pid
),
label AS MATERIALIZED (SELECT runtime_id, pid, text, kind FROM _process_label WHERE runtime_id IS NOT NULL)
SELECT b.source_id, b.runtime_id, b.allocator, b.type,
  CASE WHEN b.pid IS NULL THEN 'nobody' WHEN b.pid LIKE '#Port%' THEN 'port' ELSE 'process' END AS kind,
  ifnull(b.pid, '') AS holder,
  iif(b.pid IS NULL, 'no process, or not recorded which', ifnull(l.text, b.pid)) AS name,
  b.bytes, sum(b.bytes) OVER (PARTITION BY b.source_id, b.runtime_id, b.allocator, b.basis) AS total_bytes,
  m.ts_ns, b.basis, iif(b.pid IS NULL, 'nobody', ifnull(l.kind, iif(b.pid LIKE '#Port%', 'port', 'process'))) AS who_kind
FROM made AS b
JOIN moment AS m ON m.source_id = b.source_id
LEFT JOIN label AS l ON l.runtime_id = b.runtime_id AND l.pid = b.pid;

-- block_holder_at: one row for each live block at the moment of `question` and each process that has it: a binary that
-- the last reading lists belongs to the processes that refer to it, another block to the process that made it.
--
-- A binary's id is the address of its block (seen on OTP 25, 27 and 29).  Worked example, tests/views/block_holder_at.
CREATE VIEW block_holder_at AS
WITH refers AS MATERIALIZED (
  SELECT DISTINCT r.runtime_id, r.ts_ns, b.address, b.pid
  FROM snapshot_binary AS b
  CROSS JOIN _holder_reading AS r ON b.runtime_id = r.runtime_id AND b.snapshot_id = r.recorded_id
)
SELECT b.source_id, b.runtime_id, b.address, b.allocator, b.type, b.size, b.block_event_id,
  ifnull(r.pid, b.pid) AS pid,
  CASE WHEN r.pid IS NOT NULL THEN 'refers to it' WHEN b.pid IS NOT NULL THEN 'made it' ELSE 'not known' END AS how,
  b.source_lost_events
FROM block_at AS b
LEFT JOIN refers AS r ON b.allocator = 'binary_alloc' AND r.runtime_id = b.runtime_id AND r.address = b.address
  AND r.ts_ns >= b.since_ns;

-- _holder_read: the rows of `holder` that are of readings, without made_by: no list of live blocks is read for them.
CREATE TEMP VIEW _holder_read AS
WITH part AS (
  SELECT source_id, runtime_id, snapshot_id, allocator, type, kind, holder, name, bytes, total_bytes, quality,
    iif(runtime_id IS NULL, 'crash dump', 'snapshot') AS basis, ts_ns, NULL AS temporary_blocks, NULL AS temporary_bytes,
    who_kind, members, largest_bytes
  FROM _held
  UNION ALL
  SELECT source_id, runtime_id, snapshot_id, allocator, type, 'temporary', '', name, bytes, NULL, quality,
    iif(evidence = 'blocks', 'lives of blocks', 'lives of samples'), ts_ns, made_blocks, made_bytes, 'temporary', NULL, NULL
  FROM _temporary
),
-- What nobody has is less what is garbage of it.
held AS (
  SELECT *, max(total_bytes) OVER place AS whole_bytes,
    kind = 'nobody' AND total(bytes) FILTER (WHERE kind = 'temporary') OVER place > 0 AS is_less,
    iif(kind <> 'nobody', bytes, CAST(max(0, bytes - total(bytes) FILTER (WHERE kind = 'temporary') OVER place) AS INTEGER)) AS kept_bytes
  FROM part
  WINDOW place AS (PARTITION BY snapshot_id, allocator)
)
SELECT h.source_id, h.runtime_id, h.snapshot_id, h.allocator, h.type, h.kind, h.holder, h.name, h.kept_bytes AS bytes,
  -- What is shared counts once.
  min(1.0, 1.0 * (h.kept_bytes - ifnull(b.others_bytes, 0)) / nullif(h.whole_bytes, 0)) AS share, iif(h.is_less, 'estimate', h.quality) AS quality, h.basis,
  h.ts_ns AS as_of_ns, s.lost_events AS source_lost_events, h.temporary_blocks, h.temporary_bytes,
  h.who_kind, h.members, h.largest_bytes, b.shared_by, h.kept_bytes - ifnull(b.others_bytes, 0) AS part_bytes, h.whole_bytes
FROM held AS h
JOIN source AS s ON s.id = h.source_id
LEFT JOIN _binary_shared AS b ON b.snapshot_id = h.snapshot_id AND b.pid = h.holder AND h.kind = 'process' AND h.type = 'binary'
WHERE h.kept_bytes > 0 OR h.kind = 'temporary';

-- holder: one row for each process, table or port, and each allocator and type of which it holds something.
--
-- A binary that several processes refer to counts in the bytes of each, and once in their shares.  Worked example,
-- tests/views/holder: of 1000 bytes of binaries one process refers to 700, another to 400, 200 of which are the same; the
-- others are nobody's, or those of a third, which was not read.
CREATE TABLE holder (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  allocator TEXT,
  type TEXT,
  kind TEXT,
  holder TEXT,
  name TEXT,
  bytes INTEGER,
  share REAL,
  quality TEXT,
  basis TEXT,
  as_of_ns INTEGER,
  source_lost_events INTEGER,
  temporary_blocks INTEGER,
  temporary_bytes INTEGER,
  made_by TEXT,
  who_kind TEXT,
  members INTEGER,
  largest_bytes INTEGER,
  shared_by INTEGER
) STRICT;

CREATE TEMP TABLE holder AS
WITH through AS MATERIALIZED (SELECT runtime_id, holder, text FROM _held_through)
SELECT h.source_id, h.runtime_id, h.snapshot_id, h.allocator, h.type, h.kind, h.holder, h.name, h.bytes, h.share, h.quality,
  h.basis, h.as_of_ns, h.source_lost_events, h.temporary_blocks, h.temporary_bytes, t.text AS made_by,
  h.who_kind, h.members, h.largest_bytes, h.shared_by
FROM _holder_read AS h
LEFT JOIN through AS t ON h.kind = 'process' AND h.type = 'binary' AND t.runtime_id = h.runtime_id AND t.holder = h.holder
UNION ALL
SELECT h.source_id, h.runtime_id, NULL, h.allocator, h.type, h.kind, h.holder, h.name, h.bytes,
  min(1.0, 1.0 * h.bytes / nullif(h.total_bytes, 0)), CASE WHEN h.kind = 'nobody' THEN 'unknown'
    -- What was lost may have ended some of them, or made others.
    WHEN h.basis = 'blocks it made' AND s.lost_events = 0 AND s.lost_packets = 0 THEN 'exact' ELSE 'estimate' END, h.basis, h.ts_ns, s.lost_events, NULL, NULL, NULL,
  h.who_kind, NULL, NULL, NULL
FROM _held_block AS h
JOIN source AS s ON s.id = h.source_id
WHERE h.bytes > 0
UNION ALL
SELECT r.source_id, r.id, NULL, NULL, NULL, 'nobody', '',
  'not known: take a snapshot (carrierscope:snapshot()), or record carrierscope:* with carrierscope:start()',
  NULL, NULL, 'unknown', NULL, NULL, s.lost_events, NULL, NULL, NULL, 'nobody', NULL, NULL, NULL
FROM runtime AS r
JOIN source AS s ON s.id = r.source_id
WHERE r.id NOT IN (SELECT runtime_id FROM _holder_reading)
  AND r.id NOT IN (SELECT runtime_id FROM block_account WHERE scope = 'runtime' AND runtime_id IS NOT NULL)
  AND r.id NOT IN (SELECT runtime_id FROM _sample_alloc WHERE runtime_id IS NOT NULL);

-- holder_function: one row for each allocator, type and function (process, port, library) that made live blocks of a node
-- with tags, as the last snapshot by the moment of `question` found them.  Sizes are known by powers of two.
--
-- Worked example, tests/views/holder_function: 10 blocks of 64 to 127 bytes are about 955 bytes.
CREATE TABLE holder_function (
  source_id INTEGER,
  runtime_id INTEGER,
  allocator TEXT,
  type TEXT,
  kind TEXT,
  origin TEXT,
  application TEXT,
  blocks INTEGER,
  bytes INTEGER,
  least_bytes INTEGER,
  most_bytes INTEGER,
  share REAL,
  unscanned_bytes INTEGER,
  as_of_ns INTEGER,
  source_lost_events INTEGER
) STRICT;

CREATE TEMP TABLE holder_function AS
WITH reading AS MATERIALIZED (
  SELECT r.source_id, f.runtime_id, f.snapshot_id, max(f.ts_ns) AS ts_ns, f.unscanned_bytes, s.lost_events
  FROM snapshot_functions AS f
  JOIN runtime AS r ON r.id = f.runtime_id
  JOIN source AS s ON s.id = r.source_id
  JOIN question AS q
  -- One for which there was too much to look at has nothing.
  WHERE f.ts_ns <= ifnull(q.at_ns, 9223372036854775807) AND f.instances_seen > 0
  GROUP BY f.runtime_id
)
SELECT r.source_id, f.runtime_id, f.allocator, f.type,
  CASE WHEN f.origin = '' THEN 'others'
    ELSE CASE f.kind WHEN 1 THEN 'function' WHEN 2 THEN 'process' WHEN 3 THEN 'port' ELSE 'library' END END AS kind,
  CASE WHEN f.origin = '' THEN 'all others' WHEN f.origin LIKE 'Elixir.%' THEN substr(f.origin, 8) ELSE f.origin END AS origin, nullif(f.application, '') AS application, f.blocks,
  (f.least_bytes + f.most_bytes) / 2 AS bytes, f.least_bytes, f.most_bytes,
  1.0 * (f.least_bytes + f.most_bytes) / nullif(sum(f.least_bytes + f.most_bytes) OVER (PARTITION BY f.runtime_id, f.allocator), 0) AS share,
  r.unscanned_bytes, r.ts_ns AS as_of_ns, r.lost_events AS source_lost_events
FROM snapshot_function AS f
JOIN reading AS r ON f.runtime_id = r.runtime_id AND f.snapshot_id = r.snapshot_id;

-- holder_growth: one row for each process, table or port in the last list of holders of a runtime: what it holds
-- more than in the first list.  What is not in the first had less than the least in it, or was not there.
--
-- Worked example, tests/views/holder_growth: binaries of a process rose from 40 to 700 bytes.
CREATE TABLE holder_growth (
  source_id INTEGER,
  runtime_id INTEGER,
  type TEXT,
  kind TEXT,
  holder TEXT,
  name TEXT,
  bytes INTEGER,
  grown_bytes INTEGER,
  quality TEXT,
  since_ns INTEGER,
  as_of_ns INTEGER,
  source_lost_events INTEGER
) STRICT;

CREATE TEMP TABLE holder_growth AS
WITH list AS (
  SELECT runtime_id, min(snapshot_id) AS first_id, max(snapshot_id) AS last_id, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns
  FROM snapshot_holders
  GROUP BY runtime_id
  HAVING count(*) > 1
),
had AS MATERIALIZED (
  SELECT l.runtime_id, p.snapshot_id = l.last_id AS is_last, t.type, 'process' AS kind, p.pid AS holder, p.pid AS owner, NULL AS name,
    iif(t.type = 'heap', p.heap_bytes, p.binary_bytes) AS bytes, CASE WHEN t.type = 'heap' OR p.binaries_by = 1 THEN 'exact' WHEN p.binaries_by = 3 THEN 'estimate' ELSE 'bound' END AS quality
  FROM list AS l
  JOIN snapshot_process AS p ON p.runtime_id = l.runtime_id AND p.snapshot_id IN (l.first_id, l.last_id)
  JOIN _held_type AS t
  UNION ALL
  SELECT l.runtime_id, m.snapshot_id = l.last_id, 'message', 'process', m.pid, m.pid, NULL, m.bytes, 'bound'
  FROM list AS l
  JOIN _message_held AS m ON m.runtime_id = l.runtime_id AND m.snapshot_id IN (l.first_id, l.last_id)
  UNION ALL
  SELECT l.runtime_id, p.snapshot_id = l.last_id, 'ets', 'table', p."table", p.owner, p.called, p.memory_bytes, 'exact'
  FROM list AS l
  JOIN _table_called AS p ON p.runtime_id = l.runtime_id AND p.snapshot_id IN (l.first_id, l.last_id)
  UNION ALL
  SELECT l.runtime_id, p.snapshot_id = l.last_id, 'port queue', 'port', p.port, p.owner, p.name || iif(p.peer = '', '', ' to ' || p.peer),
    p.queue_bytes, 'exact'
  FROM list AS l
  JOIN snapshot_port AS p ON p.runtime_id = l.runtime_id AND p.snapshot_id IN (l.first_id, l.last_id)
),
label AS MATERIALIZED (SELECT runtime_id, pid, text, kind = 'recorder' AS is_own FROM process_label WHERE runtime_id IS NOT NULL),
each AS (
  SELECT r.source_id, n.runtime_id, n.type, iif(t.is_own AND n.kind = 'process', 'recorder', n.kind) AS kind, iif(t.is_own AND n.kind = 'process', '', n.holder) AS holder,
    CASE n.kind WHEN 'table' THEN n.name WHEN 'port' THEN n.holder || ' ' || n.name || ' of ' ELSE '' END
      || coalesce(t.text, nullif(n.owner, ''), 'nobody') AS name,
    n.bytes, n.bytes - ifnull(b.bytes, 0) AS grown_bytes,
    CASE WHEN b.bytes IS NULL THEN 'bound' WHEN n.quality = 'bound' OR b.quality = 'bound' THEN 'estimate' ELSE 'exact' END AS quality,
    l.first_ns AS since_ns, l.last_ns AS as_of_ns, s.lost_events AS source_lost_events
  FROM had AS n
  JOIN list AS l ON l.runtime_id = n.runtime_id
  JOIN runtime AS r ON r.id = n.runtime_id
  JOIN source AS s ON s.id = r.source_id
  LEFT JOIN had AS b ON NOT b.is_last AND b.runtime_id = n.runtime_id AND b.type = n.type AND b.holder = n.holder AND b.bytes >= 0
  LEFT JOIN label AS t ON t.runtime_id = n.runtime_id AND t.pid = n.owner
  WHERE n.is_last AND n.bytes > 0
)
SELECT source_id, runtime_id, type, kind, holder, name, sum(bytes) AS bytes, sum(grown_bytes) AS grown_bytes,
  iif(count(*) = 1, quality, 'estimate') AS quality, since_ns, as_of_ns, source_lost_events
FROM each
-- What records is one row; all others are one each.
GROUP BY source_id, runtime_id, type, kind, holder;

INSERT INTO view_doc VALUES
  ('block_holder_at', '', 'row', 'full scan', 'One row for each block that is live at the moment of question and each process that has it'),
  ('block_holder_at', 'size', 'bytes', 'exact', 'Bytes asked for'),
  ('block_holder_at', 'block_event_id', 'id', 'label', 'The row that made it'),
  ('block_holder_at', 'pid', 'text', 'label', 'The process; NULL: none, or not recorded'),
  ('block_holder_at', 'how', 'text', 'label', 'refers to it (a binary, at the last reading), made it, or not known'),
  ('holder_function', '', 'row', 'fast', 'One row for each allocator, type and function, process, port or library that made live blocks, of a node that was booted with tags (+M<S>atags, OTP 27 and later)'),
  ('holder_function', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('holder_function', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('holder_function', 'type', 'text', 'label', 'Type of the blocks'),
  ('holder_function', 'kind', 'text', 'label', 'function (tags are `code`), process, port, library (a driver, a library of NIFs, or system: the runtime itself), others'),
  ('holder_function', 'origin', 'text', 'label', 'What made them, as Erlang prints it, of Elixir as that does'),
  ('holder_function', 'application', 'text', 'exact', 'The application of the function''s module; NULL: none, or no function'),
  ('holder_function', 'blocks', 'count', 'exact', 'Live blocks of those that were looked at'),
  ('holder_function', 'bytes', 'bytes', 'estimate', 'The middle between least_bytes and most_bytes'),
  ('holder_function', 'least_bytes', 'bytes', 'bound', 'Their bytes, headers included: at least'),
  ('holder_function', 'most_bytes', 'bytes', 'bound', 'and at most'),
  ('holder_function', 'share', 'ratio', 'estimate', 'Of all bytes of this allocator that were looked at'),
  ('holder_function', 'unscanned_bytes', 'bytes', 'bound', 'Of the node: bytes of carriers and blocks with tags that were not looked at'),
  ('holder_function', 'as_of_ns', 'ns', 'exact', 'When they were read, since the Unix epoch'),
  ('holder_growth', '', 'row', 'full scan', 'One row for each process, table or port in the last list of holders of a node: what it holds more than in the first'),
  ('holder holder_function holder_growth', 'source_id', 'id', 'label', 'source.id'),
  ('holder holder_growth', 'name', 'text', 'label', 'The text to show for it'),
  ('holder_growth', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('holder_growth', 'type', 'text', 'label', 'heap, message, binary, ets or port queue'),
  ('holder_growth', 'kind', 'text', 'label', 'process, table, port, or recorder (all processes that record the node)'),
  ('holder_growth', 'holder', 'text', 'label', 'Pid, table or port, as Erlang prints it'),
  ('holder_growth', 'bytes', 'bytes', 'estimate', 'What it holds at the last list'),
  ('holder_growth', 'grown_bytes', 'bytes', 'estimate', 'More than at the first list'),
  ('holder_growth', 'quality', 'text', 'label', 'Of grown_bytes: exact, estimate, or bound (it is not in the first list: at most so many)'),
  ('holder_growth', 'since_ns', 'ns', 'exact', 'When the first list was read, since the Unix epoch'),
  ('holder_growth', 'as_of_ns', 'ns', 'exact', 'When the last list was read'),
  ('holder', '', 'row', 'full scan', 'One row for each process, table or port that holds memory, by allocator and type: at the last snapshot, in a crash dump, else by live blocks or samples of them'),
  ('holder', 'runtime_id', 'id', 'label', 'runtime.id; NULL: of a crash dump'),
  ('holder', 'snapshot_id', 'id', 'label', 'The reading; NULL: by blocks'),
  ('holder', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('holder', 'type', 'text', 'label', 'heap, message (those outside the heap), binary, ets, port, port queue; by blocks the type of the block'),
  ('holder', 'kind', 'text', 'label', 'process, processes (a group with one initial call), recorder (all that record the node), table, tables (the rest), port, nobody, temporary (blocks that are freed less than 16.8 ms after they are made, of types that had 16 MiB of them in all)'),
  ('holder', 'holder', 'text', 'label', 'Pid, table or port, as Erlang prints it; of a group its initial call; empty: nobody'),
  ('holder', 'bytes', 'bytes', 'estimate', 'What it holds; a binary that several processes refer to counts in each; of temporary garbage what is live of it and counts with no holder; NULL: who holds the node''s memory is not known'),
  ('holder', 'share', 'ratio', 'estimate', 'Of all bytes in blocks of this allocator; of binaries that are shared a part for each process; NULL: not known'),
  ('holder', 'quality', 'text', 'label', 'Of bytes: exact, estimate, bound (at most so many), unknown (whose they are)'),
  ('holder', 'basis', 'text', 'label', 'snapshot, crash dump, blocks it made, or samples of what it made; of temporary garbage lives of blocks, or of samples; NULL: nothing was recorded that shows it'),
  ('holder', 'as_of_ns', 'ns', 'exact', 'When it was read, since the Unix epoch'),
  ('holder', 'temporary_blocks', 'count', 'estimate', 'Of temporary garbage: how many such blocks were made and freed in the whole recording; NULL: other holders'),
  ('holder', 'temporary_bytes', 'bytes', 'estimate', 'Bytes asked for in them'),
  ('holder', 'made_by', 'text', 'estimate', 'Of binaries of a process: "received through" a port, or "allocated by" another process, which allocated at least half of their bytes, by recorded blocks or samples; NULL: not so, or not known'),
  ('holder', 'who_kind', 'text', 'label', 'As growth.kind: process, group, queue (one of RabbitMQ), recorder, table, port, nobody, temporary'),
  ('holder', 'members', 'count', 'exact', 'How many processes that are; NULL: it is none'),
  ('holder', 'largest_bytes', 'bytes', 'bound', 'Of a group: what the largest of those has that were listed one by one; NULL: none was'),
  ('holder', 'shared_by', 'count', 'exact', 'Of binaries: how many processes refer to the largest that is shared, where half of the bytes and more are; NULL: they are not');
