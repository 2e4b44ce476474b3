-- SPDX-License-Identifier: MIT
--
-- Layer:   blocks
-- Serves:  reports block_sizes and live; block_time, instrument
--
-- Sizes of blocks, when block events were recorded.
--
-- Worked example (the test of block_size): three allocations of 100, 120 and 300
-- bytes, the first freed again:
--
--   size_from  size_to  allocations  live_blocks  live_bytes
--   64         128      2            1            120
--   256        512      1            1            300

-- Names are recorded again to each late session: once is enough.
CREATE TEMP VIEW _type_name AS
SELECT runtime_id, type_id, max(name) AS name, max(allocator_id) AS allocator_id,
  max(class_id) AS class_id
FROM name_type
GROUP BY runtime_id, type_id;

-- allocator_name: one row for each allocator of a runtime.
CREATE TABLE allocator_name (
  runtime_id   INTEGER,
  allocator_id INTEGER,
  name         TEXT
) STRICT;

CREATE TEMP TABLE allocator_name AS
SELECT runtime_id, allocator_id, max(name) AS name
FROM name_allocator
GROUP BY runtime_id, allocator_id;

CREATE TEMP VIEW _class_name AS
SELECT runtime_id, class_id, max(name) AS name FROM name_class GROUP BY runtime_id, class_id;

-- One row for each block account, with the words for it.
CREATE TEMP VIEW _block_account AS
SELECT
  a.*,
  r.vpid,
  CASE WHEN a.scope IN ('type', 'allocator')
    THEN iif(a.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || a.allocator_id)) END
    AS allocator,
  CASE WHEN a.scope IN ('type', 'class')
    THEN coalesce(c.name, 'unknown') END AS class,
  CASE WHEN a.scope = 'type' THEN coalesce(t.name, 'type ' || a.type_id) END AS type,
  s.lost_events AS source_lost_events
FROM block_account AS a
JOIN source AS s ON s.id = a.source_id
JOIN runtime AS r ON r.id = a.runtime_id
LEFT JOIN allocator_name AS n
  ON n.runtime_id = a.runtime_id AND n.allocator_id = a.allocator_id
LEFT JOIN _class_name AS c ON c.runtime_id = a.runtime_id AND c.class_id = a.class_id
LEFT JOIN _type_name AS t ON t.runtime_id = a.runtime_id AND t.type_id = a.type_id;

-- The only process of a source with block events; sources with more are not here.
CREATE TEMP VIEW _block_runtime AS
SELECT source_id, max(runtime_id) AS runtime_id
FROM block_account
WHERE scope = 'runtime'
GROUP BY source_id
HAVING count(*) = 1;

-- _block_time: the moments that are asked about, as rows of block_event: the end of
-- each source, what `question` says, and when each process had most bytes live.
CREATE TEMP VIEW _block_time AS
SELECT 'end' AS moment, source_id, NULL AS runtime_id, first_id, last_id AS at_id
FROM block_span
UNION ALL
SELECT 'question', s.source_id, NULL, s.first_id,
  CASE
    WHEN q.at_ns IS NULL OR q.at_ns >= s.last_ts_ns THEN s.last_id
    WHEN q.at_ns < s.first_ts_ns THEN s.first_id - 1
    ELSE (
      -- The last row in time: near the last keyframe in time.
      SELECT max(b.id)
      FROM block_event AS b
      WHERE b.ts_ns <= q.at_ns
        AND b.id >= (SELECT coalesce(max(k.at_id), s.first_id) FROM block_keyframe AS k
          WHERE k.source_id = s.source_id AND k.ts_ns <= q.at_ns)
        AND b.id <= (SELECT coalesce(min(k.at_id), s.last_id) FROM block_keyframe AS k
          WHERE k.source_id = s.source_id AND k.ts_ns > q.at_ns)
    )
  END
FROM block_span AS s
JOIN question AS q
UNION ALL
SELECT 'peak', a.source_id, a.runtime_id, s.first_id, a.most_bytes_id
FROM block_account AS a
JOIN block_span AS s ON s.source_id = a.source_id
WHERE a.scope = 'runtime' AND a.most_bytes_id IS NOT NULL;

-- _block_moment: the same, with the nearest keyframe, before or after; NULL: the source's
-- begin is nearer, and all is since its first row.  list_id: the nearest list of live
-- blocks that is not earlier; NULL: the source is not at its end, and list_before_id is
-- the nearest that is not later.
CREATE TEMP TABLE _block_moment AS
WITH near AS (
  SELECT
    t.*,
    (SELECT max(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = t.source_id AND k.at_id <= t.at_id) AS before_id,
    (SELECT min(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = t.source_id AND k.at_id > t.at_id) AS after_id
  FROM _block_time AS t
)
SELECT
  t.moment, t.source_id, t.runtime_id, t.first_id, t.at_id,
  iif(t.after_id - t.at_id < t.at_id - coalesce(t.before_id, t.first_id - 1), t.after_id, t.before_id)
    AS keyframe_id,
  (SELECT max(l.at_id) FROM live_block_keyframe AS l
    WHERE l.at_id >= t.first_id AND l.at_id <= t.at_id) AS list_before_id,
  (SELECT min(l.at_id) FROM block_span AS s JOIN live_block_keyframe AS l
    WHERE s.source_id = t.source_id AND l.at_id >= max(t.at_id, t.first_id)
      AND l.at_id <= s.last_id) AS list_id
FROM near AS t;

-- _block_change: what began (1) and ended (-1) between the keyframe and the moment; the other way round where the
-- keyframe is later.  The moments are materialized, or each row would look for its keyframe.
CREATE TEMP VIEW _block_change AS
WITH span AS MATERIALIZED (
  SELECT moment, source_id, runtime_id, iif(keyframe_id > at_id, -1, 1) AS sign,
    min(coalesce(keyframe_id, first_id - 1), at_id) AS after_id, max(coalesce(keyframe_id, at_id), at_id) AS last_id
  FROM _block_moment
)
SELECT m.moment, m.source_id, coalesce(t.runtime_id, o.runtime_id) AS runtime_id,
  b.allocator_id, b.type_id, b.size, m.sign
FROM span AS m
CROSS JOIN _block_event AS b
LEFT JOIN thread AS t ON t.id = b.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = m.source_id
WHERE b.id > m.after_id AND b.id <= m.last_id AND b.op <> 1 AND b.address <> 0
  AND (m.runtime_id IS NULL OR m.runtime_id = coalesce(t.runtime_id, o.runtime_id))
UNION ALL
SELECT m.moment, m.source_id, coalesce(t.runtime_id, o.runtime_id),
  e.allocator_id, e.type_id, e.size, -m.sign
FROM span AS m
CROSS JOIN _block_event AS b
CROSS JOIN _block_event AS e
LEFT JOIN thread AS t ON t.id = e.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = m.source_id
WHERE b.id > m.after_id AND b.id <= m.last_id AND e.id = b.ended_id
  AND (m.runtime_id IS NULL OR m.runtime_id = coalesce(t.runtime_id, o.runtime_id));

-- _block_cell: live blocks of a moment by type and power of two of sizes, in parts that
-- are to be summed.
CREATE TEMP VIEW _block_cell AS
SELECT m.moment, m.source_id, a.runtime_id, a.allocator_id, a.type_id, k.size_from,
  k.live_blocks AS blocks, k.live_bytes AS bytes
FROM _block_moment AS m
CROSS JOIN block_keyframe_size AS k ON k.at_id = m.keyframe_id
CROSS JOIN block_account AS a ON a.id = k.account_id
WHERE m.runtime_id IS NULL
UNION ALL
SELECT m.moment, m.source_id, a.runtime_id, a.allocator_id, a.type_id, k.size_from, k.live_blocks, k.live_bytes
FROM _block_moment AS m
CROSS JOIN block_account AS a ON a.runtime_id = m.runtime_id
CROSS JOIN block_keyframe_size AS k ON k.at_id = m.keyframe_id AND k.account_id = a.id
UNION ALL
SELECT moment, source_id, runtime_id, allocator_id, type_id,
  -- The power of two at or below the size; sizes are not negative.
  CASE WHEN size = 0 THEN 0 ELSE 1 << CAST(log2(size) AS INTEGER) END,
  sign, sign * size
FROM _block_change;

-- _block_size: the same, summed and with words.  Moment by moment: a sum of all would not be computed for the one that is
-- asked about alone, and a peak may be half a million rows behind its keyframe.
CREATE TEMP VIEW _block_size AS
WITH cell AS (
  SELECT 'end' AS moment, source_id, runtime_id, allocator_id, type_id, size_from,
    sum(blocks) AS live_blocks, sum(bytes) AS live_bytes
  FROM _block_cell
  WHERE moment = 'end'
  GROUP BY source_id, runtime_id, allocator_id, type_id, size_from
  HAVING sum(blocks) <> 0
  UNION ALL
  SELECT 'question', source_id, runtime_id, allocator_id, type_id, size_from, sum(blocks), sum(bytes)
  FROM _block_cell
  WHERE moment = 'question'
  GROUP BY source_id, runtime_id, allocator_id, type_id, size_from
  HAVING sum(blocks) <> 0
  UNION ALL
  SELECT 'peak', source_id, runtime_id, allocator_id, type_id, size_from, sum(blocks), sum(bytes)
  FROM _block_cell
  WHERE moment = 'peak'
  GROUP BY source_id, runtime_id, allocator_id, type_id, size_from
  HAVING sum(blocks) <> 0
)
SELECT
  c.moment, c.source_id, c.runtime_id, r.vpid, c.allocator_id, c.type_id,
  iif(c.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || c.allocator_id))
    AS allocator,
  coalesce(k.name, 'unknown') AS class,
  coalesce(t.name, 'type ' || c.type_id) AS type,
  c.size_from, max(2 * c.size_from, 1) AS size_to, c.live_blocks, c.live_bytes,
  s.lost_events AS source_lost_events
FROM cell AS c
JOIN source AS s ON s.id = c.source_id
LEFT JOIN runtime AS r ON r.id = c.runtime_id
LEFT JOIN allocator_name AS n
  ON n.runtime_id = c.runtime_id AND n.allocator_id = c.allocator_id
LEFT JOIN _type_name AS t ON t.runtime_id = c.runtime_id AND t.type_id = c.type_id
LEFT JOIN _class_name AS k ON k.runtime_id = c.runtime_id AND k.class_id = t.class_id;

-- _live_moment: of these, moments of which blocks are listed.  At the peaks of all processes of a source each would list the
-- blocks of all.  'unsummed': the moment of `question`, where the loader has not summed them by maker (live_block_maker).
CREATE TEMP TABLE _live_moment AS
SELECT *
FROM _block_moment
WHERE moment <> 'peak' OR source_id IN (SELECT source_id FROM _block_runtime)
UNION ALL
SELECT 'unsummed', source_id, runtime_id, first_id, at_id, keyframe_id, list_before_id, list_id
FROM _block_moment
WHERE moment = 'question'
  AND ((SELECT at_ns FROM question) IS NOT NULL OR source_id NOT IN (SELECT source_id FROM live_block_maker));

-- _block_live_id: the rows of block_event whose blocks are live at a moment: of those that
-- are live later, the ones made by then; and what ended in between.  Without a later list:
-- those that were live earlier and what was made since, less what ended.  The id comes first,
-- since EXCEPT compares columns in their order, and integers fast.
CREATE TEMP VIEW _block_live_id AS
SELECT CAST(j.value AS INTEGER) AS id, m.moment, m.source_id
FROM _live_moment AS m
CROSS JOIN live_block_list AS l ON l.at_id = m.list_id
CROSS JOIN json_each(l.ids) AS j
WHERE j.value <= m.at_id
UNION ALL
SELECT b.ended_id, m.moment, m.source_id
FROM _live_moment AS m
CROSS JOIN _block_event AS b
WHERE b.id > m.at_id AND b.id <= m.list_id AND b.ended_id <= m.at_id
UNION ALL
SELECT id, moment, source_id
FROM (
  SELECT CAST(j.value AS INTEGER) AS id, m.moment, m.source_id
  FROM _live_moment AS m
  CROSS JOIN live_block_list AS l ON l.at_id = m.list_before_id
  CROSS JOIN json_each(l.ids) AS j
  WHERE m.list_id IS NULL
  UNION ALL
  SELECT b.id, m.moment, m.source_id
  FROM _live_moment AS m
  CROSS JOIN _block_event AS b
  WHERE m.list_id IS NULL AND b.id > coalesce(m.list_before_id, m.first_id - 1)
    AND b.id <= m.at_id AND b.op <> 1 AND b.address <> 0
  EXCEPT
  SELECT b.ended_id, m.moment, m.source_id
  FROM _live_moment AS m
  CROSS JOIN _block_event AS b
  WHERE m.list_id IS NULL AND b.id > coalesce(m.list_before_id, m.first_id - 1)
    AND b.id <= m.at_id AND b.ended_id IS NOT NULL
);

-- _block_live: the live blocks of a moment, with words and the numbers of thread and process that made them.
CREATE TEMP VIEW _block_live AS
SELECT
  i.moment, i.source_id, coalesce(h.runtime_id, o.runtime_id) AS runtime_id, r.vpid,
  i.id AS block_event_id, b.address, b.size, b.type_id, b.allocator_id, b.instance,
  b.thread_id, b.process, b.ts_ns AS since_ns,
  iif(b.allocator_id IS NULL, 'libc', coalesce(n.name, 'allocator ' || b.allocator_id))
    AS allocator,
  coalesce(k.name, 'unknown') AS class,
  coalesce(t.name, 'type ' || b.type_id) AS type,
  s.lost_events AS source_lost_events
FROM _block_live_id AS i
CROSS JOIN _block_event AS b ON b.id = i.id
LEFT JOIN thread AS h ON h.id = b.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = i.source_id
LEFT JOIN runtime AS r ON r.id = coalesce(h.runtime_id, o.runtime_id)
LEFT JOIN source AS s ON s.id = i.source_id
LEFT JOIN allocator_name AS n
  ON n.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND n.allocator_id = b.allocator_id
LEFT JOIN _type_name AS t
  ON t.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND t.type_id = b.type_id
LEFT JOIN _class_name AS k
  ON k.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND k.class_id = t.class_id;

-- One row for each block that was live when the source ended.
CREATE VIEW block_live AS
SELECT runtime_id, address, allocator, instance, type, size, since_ns, source_lost_events,
  source_id, class, block_event_id
FROM _block_live
WHERE moment = 'end';

-- One row for each allocator, type and power of two of sizes.
CREATE VIEW block_size AS
WITH made AS (
  SELECT a.allocator, a.type, m.size_from, sum(m.made) AS allocations,
    sum(m.made_bytes) AS allocated_bytes
  FROM block_made_size AS m
  JOIN _block_account AS a ON a.id = m.account_id
  GROUP BY 1, 2, 3
),
live AS (
  SELECT allocator, type, size_from, sum(live_blocks) AS live_blocks,
    sum(live_bytes) AS live_bytes
  FROM _block_size
  WHERE moment = 'end'
  GROUP BY 1, 2, 3
)
SELECT
  m.allocator,
  m.type,
  m.size_from,
  max(2 * m.size_from, 1) AS size_to,
  m.allocations,
  m.allocated_bytes,
  coalesce(l.live_blocks, 0) AS live_blocks,
  coalesce(l.live_bytes, 0) AS live_bytes,
  (SELECT sum(lost_events) FROM source) AS source_lost_events
FROM made AS m
LEFT JOIN live AS l
  ON l.allocator = m.allocator AND l.type IS m.type AND l.size_from = m.size_from;

-- Sizes by allocator, for people.
CREATE VIEW report_block_sizes AS
SELECT
  allocator,
  size_from AS from_bytes,
  size_to AS to_bytes,
  sum(allocations) AS allocations,
  sum(live_blocks) AS live_blocks,
  round(sum(live_bytes) / 1048576.0, 2) AS live_mib,
  max(source_lost_events) AS lost_events
FROM block_size
GROUP BY allocator, size_from, size_to
ORDER BY allocator, size_from;

INSERT INTO view_doc VALUES
  ('allocator_name', '', 'row', 'fast', 'One row for each allocator of a runtime that its names were recorded of'),
  ('allocator_name', 'runtime_id', 'id', 'label', 'runtime.id'),
  ('allocator_name', 'allocator_id', 'id', 'label', 'Number of the allocator in the runtime; see name_allocator'),
  ('allocator_name', 'name', 'text', 'exact', 'Its name'),
  ('block_live', '', 'row', 'full scan', 'One row for each block that was live when the recording ended; blocks that were there before it began are not in it'),
  ('block_live', 'runtime_id', 'id', 'label', 'runtime.id; NULL: the trace does not name threads'),
  ('block_live', 'instance', 'count', 'label', 'Number of the allocator instance; NULL: libc'),
  ('block_live', 'since_ns', 'ns', 'exact', 'When it was allocated, since the Unix epoch'),
  ('block_live', 'block_event_id', 'id', 'label', 'The row that made it'),
  ('block_size', 'source_lost_events', 'count', 'exact', 'Events that the sources of this database are known to lack; above 0, exact may not hold'),
  ('report_block_sizes', 'lost_events', 'count', 'exact', 'Events that the sources are known to lack; above 0, exact may not hold'),
  ('block_size', '', 'row', 'fast', 'One row for each allocator, block type and power of two of sizes asked for'),
  ('block_size', 'allocations', 'count', 'exact', 'Allocations of this size over the whole recording, reallocations included'),
  ('block_size', 'allocated_bytes', 'bytes', 'exact', 'Bytes asked for by them'),
  ('block_size', 'live_blocks', 'count', 'exact', 'Of them, live when the recording ended'),
  ('block_size', 'live_bytes', 'bytes', 'exact', 'Bytes asked for by the live ones'),
  ('report_block_sizes', '', 'row', 'fast', 'Sizes of blocks by allocator: how many were allocated, how many are live'),
  ('report_block_sizes', 'allocator', 'text', 'label', 'Name of the allocator'),
  ('report_block_sizes', 'from_bytes', 'bytes', 'label', 'Sizes from this on'),
  ('report_block_sizes', 'to_bytes', 'bytes', 'label', 'and below this'),
  ('report_block_sizes', 'allocations', 'count', 'exact', 'Allocations over the whole recording'),
  ('report_block_sizes', 'live_blocks', 'count', 'exact', 'Live when the recording ended'),
  ('report_block_sizes', 'live_mib', 'MiB', 'exact', 'Bytes asked for by the live ones, MiB');
