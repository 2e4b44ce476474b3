-- SPDX-License-Identifier: MIT
--
-- Layer:   the first holder
-- Serves:  verdict, growth by holder
--
-- Who holds most of what a verdict is about, in words.

-- _drawn_maker: one row for each runtime, allocator and process or port that made live blocks, of recordings that end with more
-- than 2^19: bytes by 64 to 128 parts of the list of these, evenly drawn of it, less three times the standard deviation.
--
-- Worked example, tests/views/_drawn_maker: of 148 parts 74 are read, each with two blocks of 1000 bytes of one process.
CREATE TEMP VIEW _drawn_maker AS
WITH reading AS MATERIALIZED (SELECT runtime_id, source_id, ts_ns FROM _holder_reading),
many AS MATERIALIZED (
  SELECT s.source_id, k.at_id, (k.blocks + 4095) / 4096 AS parts, (k.blocks + 4095) / 4096 / 128 + 1 AS step
  FROM block_span AS s
  JOIN live_block_keyframe AS k ON k.at_id = s.last_id
  JOIN question AS q
  WHERE k.blocks > 524288 AND q.at_ns IS NULL AND s.source_id IN (SELECT source_id FROM reading)
),
part AS MATERIALIZED (
  SELECT m.source_id, m.parts, l.part, l.ids, count(*) OVER (PARTITION BY m.source_id) AS drawn
  FROM many AS m
  CROSS JOIN live_block_list AS l ON l.at_id = m.at_id AND l.part % m.step = m.step / 2
),
made AS (
  SELECT r.runtime_id, b.allocator_id, b.process, p.part, CAST(p.parts AS REAL) AS parts, CAST(p.drawn AS REAL) AS drawn,
    CAST(sum(b.size) AS REAL) AS bytes
  FROM part AS p
  CROSS JOIN json_each(p.ids) AS j
  CROSS JOIN _block_event AS b ON b.id = j.value
  LEFT JOIN thread AS h ON h.id = b.thread_id
  JOIN reading AS r ON r.source_id = p.source_id AND r.runtime_id = ifnull(h.runtime_id, r.runtime_id)
  WHERE b.process > 0 AND b.ts_ns <= r.ts_ns
  GROUP BY r.runtime_id, b.allocator_id, b.process, p.part
)
SELECT *
FROM (
  SELECT m.runtime_id, n.name AS allocator, m.process,
    -- What the drawn parts have on average, times all parts.
    CAST(m.parts / m.drawn * (sum(m.bytes) - 3 * sqrt(max(0, (1 - m.drawn / m.parts) * m.drawn / max(1, m.drawn - 1)
      * (sum(m.bytes * m.bytes) - sum(m.bytes) * sum(m.bytes) / m.drawn)))) AS INTEGER) AS bytes
  FROM made AS m
  JOIN allocator_name AS n ON n.runtime_id = m.runtime_id AND n.allocator_id = m.allocator_id
  GROUP BY m.runtime_id, n.name, m.process
)
WHERE bytes > 0;

-- _made_most: one row for each runtime and allocator of whose live blocks one process or port allocated at least half of
-- the bytes, in words: by recorded blocks, of more than 2^19 live ones by a part of them, or by samples.  total_bytes: what
-- the allocator had at the reading.
--
-- Worked example, tests/views/_made_most: of 1000 bytes a socket received 600; a queue has them, too large to be listed.
CREATE TEMP VIEW _made_most AS
WITH total AS MATERIALIZED (
  SELECT runtime_id, source_id, allocator, ts_ns, bytes
  FROM _holder_total
  WHERE runtime_id IS NOT NULL
),
few AS MATERIALIZED (
  SELECT s.source_id FROM block_span AS s
  WHERE (SELECT k.blocks FROM live_block_keyframe AS k WHERE k.at_id BETWEEN s.first_id AND s.last_id ORDER BY k.at_id DESC LIMIT 1) <= 524288
),
drawn AS MATERIALIZED (SELECT * FROM _drawn_maker),
live AS MATERIALIZED (
  SELECT id, source_id FROM _block_live_id
  WHERE moment = 'question' AND source_id IN (SELECT source_id FROM total) AND source_id IN (SELECT source_id FROM few)
),
block AS MATERIALIZED (
  SELECT i.source_id, h.runtime_id, b.ts_ns, b.allocator_id, b.process, b.size
  FROM live AS i
  CROSS JOIN _block_event AS b ON b.id = i.id
  LEFT JOIN thread AS h ON h.id = b.thread_id
  WHERE b.process > 0
),
made AS (
  SELECT t.runtime_id, t.allocator, CASE
      WHEN b.process > 4611686018427387904 THEN '#Port<0.' || (b.process - 4611686018427387905) || '>'
      ELSE '<0.' || ((b.process - 1) & 268435455) || '.' || ((b.process - 1) >> 28) || '>' END AS maker,
    b.size AS bytes, 0.0 AS variance
  FROM total AS t
  CROSS JOIN allocator_name AS n ON n.runtime_id = t.runtime_id AND n.name = t.allocator
  CROSS JOIN block AS b ON b.source_id = t.source_id AND b.allocator_id = n.allocator_id
  WHERE b.ts_ns <= t.ts_ns AND ifnull(b.runtime_id, t.runtime_id) = t.runtime_id
  UNION ALL
  SELECT t.runtime_id, t.allocator, CASE
      WHEN d.process > 4611686018427387904 THEN '#Port<0.' || (d.process - 4611686018427387905) || '>'
      ELSE '<0.' || ((d.process - 1) & 268435455) || '.' || ((d.process - 1) >> 28) || '>' END,
    d.bytes, 0.0
  FROM total AS t
  CROSS JOIN drawn AS d ON d.runtime_id = t.runtime_id AND d.allocator = t.allocator
  UNION ALL
  SELECT t.runtime_id, t.allocator, s.pid, s.weight * s.size, s.weight * (s.weight - 1) * s.size * s.size
  FROM total AS t
  CROSS JOIN _sample AS s ON s.runtime_id = t.runtime_id AND s.allocator = t.allocator
  WHERE s.since_ns <= t.ts_ns AND (s.freed_ns IS NULL OR s.freed_ns > t.ts_ns)
),
maker AS (
  SELECT runtime_id, allocator, maker, CAST(sum(bytes) - 2 * sqrt(sum(variance)) AS INTEGER) AS bytes
  FROM made
  WHERE maker IS NOT NULL
  GROUP BY runtime_id, allocator, maker
)
SELECT m.runtime_id, m.allocator, m.maker, m.bytes, t.bytes AS total_bytes,
  iif(m.maker LIKE '#Port%', 'received through ', 'allocated by ')
    || ifnull((SELECT l.text FROM _process_label AS l WHERE l.runtime_id = m.runtime_id AND l.pid = m.maker), m.maker) AS text
FROM maker AS m
JOIN total AS t ON t.runtime_id = m.runtime_id AND t.allocator = m.allocator
WHERE m.bytes >= 0.5 * t.bytes;

-- _items: one row for each runtime with lists of holders: the table that got most objects, and the process that got most
-- messages, from the first list to the last; ten at least, or who has more than 10,000 messages, whose heap is not read.
-- Apart: is_read, which has no messages that are not read.
CREATE TEMP VIEW _items AS
WITH list AS MATERIALIZED (
  SELECT runtime_id, min(snapshot_id) AS first_id, max(snapshot_id) AS last_id
  FROM snapshot_holders
  GROUP BY runtime_id
),
now AS (
  SELECT l.runtime_id, l.first_id, 'objects' AS unit, t."table" AS holder, t.owner, 'table "' || iif(t.name = '', t."table", t.name) || '" of ' AS prefix,
    t.objects AS items, 0 AS is_read
  FROM list AS l
  CROSS JOIN snapshot_table AS t ON t.runtime_id = l.runtime_id AND t.snapshot_id = l.last_id
  UNION ALL
  SELECT l.runtime_id, l.first_id, 'messages', p.pid, p.pid, '', p.messages, p.messages = 0
  FROM list AS l
  CROSS JOIN snapshot_process AS p ON p.runtime_id = l.runtime_id AND p.snapshot_id = l.last_id
),
grown AS (
  SELECT n.*, n.items - ifnull(iif(n.unit = 'objects',
    (SELECT t.objects FROM snapshot_table AS t WHERE t.runtime_id = n.runtime_id AND t.snapshot_id = n.first_id AND t."table" = n.holder),
    (SELECT p.messages FROM snapshot_process AS p WHERE p.runtime_id = n.runtime_id AND p.snapshot_id = n.first_id AND p.pid = n.holder)),
    0) AS more
  FROM now AS n
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY runtime_id, unit, is_read
    ORDER BY max(more, iif(unit = 'messages' AND items > 10000, items, 0)) DESC, items DESC, holder) AS rank
  FROM grown
  WHERE more >= 10 OR unit = 'messages' AND items > 10000
)
SELECT r.runtime_id, r.unit, r.is_read, r.holder, r.items, r.more,
  format('%s%s has %,d %s%s', r.prefix,
    ifnull((SELECT l.text FROM _process_label AS l WHERE l.runtime_id = r.runtime_id AND l.pid = r.owner), r.owner),
    r.items, r.unit, iif(r.more >= 10, format(', %,d more than at first', r.more), '')) AS text
FROM ranked AS r
WHERE r.rank = 1;

-- _no_holder: one row for each runtime and allocator of a reading of which no holder is known that has much, as sentences:
-- that no process refers to it, which table or queue may have it, and who allocated it.
--
-- Worked example, tests/views/_no_holder: no process refers to 90 of 100 MiB of binaries, which one process allocated
-- while a table got 2,900 objects.
CREATE TEMP VIEW _no_holder AS
WITH nobody AS MATERIALIZED (
  SELECT h.runtime_id, h.allocator, h.bytes, h.quality
  FROM _held AS h
  JOIN finding_threshold AS m ON m.name = 'matter_bytes'
  WHERE h.kind = 'nobody' AND h.runtime_id IS NOT NULL AND h.bytes >= 0.5 * h.total_bytes AND h.bytes >= m.value
),
said AS (
  SELECT t.runtime_id, t.allocator,
    (SELECT format(CASE t.allocator
        WHEN 'binary_alloc' THEN 'No process that was %s refers to %.1f MiB of binaries: tables, messages, drivers or connections to other nodes may'
        WHEN 'eheap_alloc' THEN 'No process that was %s has %.1f MiB of heap: messages or timers may'
        ELSE 'No table that was %s has %.1f MiB of it' END, iif(n.quality = 'bound', 'read', 'looked at'), n.bytes / 1048576.0)
      FROM nobody AS n WHERE n.runtime_id = t.runtime_id AND n.allocator = t.allocator) AS nobody,
    -- A message that waits has some 64 bytes of fix_alloc at most: so few that they are no fifth of it are not named.
    (SELECT upper(substr(i.text, 1, 1)) || substr(i.text, 2) FROM _items AS i
      JOIN finding_threshold AS f ON f.name = 'holder_share'
      WHERE i.runtime_id = t.runtime_id
        AND iif(t.allocator = 'fix_alloc', i.unit = 'messages' AND 64 * i.items >= f.value * t.bytes,
          EXISTS (SELECT 1 FROM nobody AS n WHERE n.runtime_id = t.runtime_id AND n.allocator = t.allocator)
            AND iif(t.allocator = 'binary_alloc', NOT i.is_read, i.unit = iif(t.allocator = 'ets_alloc', 'objects', 'messages')))
      ORDER BY i.more DESC LIMIT 1) AS items,
    (SELECT format('At least %.1f MiB were ', m.bytes / 1048576.0) || m.text FROM _made_most AS m
      JOIN finding_threshold AS f ON f.name = 'matter_bytes'
      WHERE m.runtime_id = t.runtime_id AND m.allocator = t.allocator AND m.bytes >= f.value) AS made,
    t.ts_ns
  FROM _holder_total AS t
  JOIN finding_threshold AS m ON m.name = 'matter_bytes'
  WHERE t.runtime_id IS NOT NULL AND t.bytes >= m.value
)
SELECT runtime_id, allocator, ts_ns, ltrim(ifnull('. ' || nobody, '') || ifnull('. ' || items, '') || ifnull('. ' || made, ''), '. ') AS sentence
FROM said
WHERE coalesce(nobody, items, made) IS NOT NULL;

-- _first_holder: one row for each place and allocator, and one for all allocators of the place: who holds most there,
-- as a sentence, if that is worth one.  subject_id as in _subject.
--
-- Worked example, tests/views/verdict.holder: of 100 MiB of binaries a process refers to 80.
--
--   <0.543.0> rabbit_amqqueue_process "slow" (rabbit) holds 80.0 MiB of binaries
CREATE TEMP TABLE _first_holder AS
WITH whole AS (
  SELECT snapshot_id, CAST(sum(bytes) AS INTEGER) AS bytes FROM _holder_total GROUP BY snapshot_id
),
held AS MATERIALIZED (
  SELECT ifnull(h.runtime_id, -h.snapshot_id) AS subject_id, h.*, w.bytes AS whole_bytes
  FROM _held AS h
  LEFT JOIN whole AS w ON w.snapshot_id = h.snapshot_id
  WHERE h.kind <> 'nobody' AND h.bytes > 0
),
label AS MATERIALIZED (SELECT runtime_id, snapshot_id, pid, initial_call FROM _process_label),
some AS MATERIALIZED (SELECT * FROM _looked_at),
-- Processes of one kind together: those that are listed one by one, and those that are summed.
kin AS (
  SELECT h.subject_id, h.allocator, h.type, iif(h.kind = 'processes', h.holder, l.initial_call) AS call,
    sum(iif(h.kind = 'processes', CAST(replace(h.name, ',', '') AS INTEGER), 1)) AS processes, sum(h.bytes) AS bytes,
    max(h.quality) FILTER (WHERE h.quality <> 'exact') AS doubt, max(h.ts_ns) AS ts_ns,
    max(h.total_bytes) AS total_bytes, max(h.whole_bytes) AS whole_bytes, max(s.processes) AS looked_at
  FROM held AS h
  LEFT JOIN some AS s ON s.snapshot_id = h.snapshot_id
  LEFT JOIN label AS l ON h.kind = 'process' AND l.pid = h.holder
    AND l.runtime_id IS h.runtime_id AND (h.runtime_id IS NOT NULL OR l.snapshot_id = h.snapshot_id)
  WHERE h.kind IN ('process', 'processes')
  GROUP BY h.subject_id, h.allocator, h.type, call
  HAVING processes > 1 AND call <> ''
),
candidate AS (
  SELECT subject_id, allocator, name, kind, type, bytes, quality, ts_ns, total_bytes, whole_bytes, holder, snapshot_id
  FROM held
  WHERE kind <> 'processes'
  UNION ALL
  SELECT subject_id, allocator, format('%,d processes %s%s', processes, call, ifnull(looked_at, '')), 'processes', type, bytes, ifnull(doubt, 'exact'), ts_ns,
    total_bytes, whole_bytes, NULL, NULL
  FROM kin
),
shared AS (
  SELECT *, allocator AS place, 1.0 * bytes / nullif(total_bytes, 0) AS share FROM candidate
  UNION ALL
  SELECT *, 'all', 1.0 * bytes / nullif(whole_bytes, 0) FROM candidate
),
place AS (
  SELECT s.subject_id, s.place AS allocator, s.name, s.kind, s.type, s.bytes, s.quality, s.ts_ns, s.share, s.holder, s.snapshot_id,
    -- One that has enough comes before its kind.
    row_number() OVER (PARTITION BY s.subject_id, s.place
      ORDER BY s.kind = 'processes' OR s.share < t.value, s.bytes DESC, s.name) AS rank
  FROM shared AS s
  JOIN finding_threshold AS t ON t.name = 'holder_share'
)
SELECT p.subject_id, p.allocator, p.name, p.kind, p.type, p.bytes, p.quality, p.share, p.ts_ns,
  format('%s%s hold%s %s%.1f MiB%s%s%s', upper(substr(p.name, 1, 1)), substr(p.name, 2),
    iif(p.kind IN ('processes', 'tables') AND p.name NOT LIKE '1 %', '', 's'), iif(p.quality = 'bound', 'at most ', ''),
    p.bytes / 1048576.0, CASE p.type WHEN 'heap' THEN ' of heap' WHEN 'binary' THEN ' of binaries' WHEN 'message' THEN ' of messages' ELSE '' END,
    iif(p.type = 'binary', ifnull((SELECT format(', shared by %d processes', b.shared_by) FROM _binary_shared AS b
      WHERE b.pid = p.holder AND p.kind = 'process' AND b.shared_by > 1 AND b.snapshot_id = p.snapshot_id), ''), ''),
    -- Asked for one or two holders alone: who made the blocks of all would take long.
    ifnull(CASE WHEN p.kind = 'process' AND p.type = 'binary' AND p.quality = 'exact' AND p.subject_id > 0
      THEN (SELECT ', ' || m.text FROM _held_through AS m WHERE m.runtime_id = p.subject_id AND m.holder = p.holder)
      -- Its binaries were not listed: what is known of all.
      WHEN p.kind = 'process' AND p.type = 'binary' AND p.quality = 'bound' AND p.subject_id > 0
      THEN (SELECT format('; of all binaries %.1f MiB were ', m.bytes / 1048576.0) || m.text FROM _made_most AS m
        WHERE m.runtime_id = p.subject_id AND m.allocator = 'binary_alloc' AND m.maker <> p.holder)
      -- Tables that are not listed have no owner here.
      WHEN p.kind = 'tables' AND p.subject_id > 0
      THEN (SELECT format('; of all tables at least %.1f MiB were ', m.bytes / 1048576.0) || m.text FROM _made_most AS m
        WHERE m.runtime_id = p.subject_id AND m.allocator = 'ets_alloc') END, '')) AS sentence
FROM place AS p
JOIN finding_threshold AS t ON t.name = 'holder_share'
JOIN finding_threshold AS m ON m.name = 'matter_bytes'
WHERE p.rank = 1 AND p.share >= t.value AND p.bytes >= m.value;
