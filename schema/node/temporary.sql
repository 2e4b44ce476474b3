-- SPDX-License-Identifier: MIT
--
-- Layer:   readings of holders, temporary garbage
-- Serves:  holder, report holders, the page
--
-- A block is temporary when it was freed less than 2^24 ns (16.8 ms) after it was made; of samples, what they stand
-- for.  Temporary blocks of one type are garbage that is worth a line where they had 16 MiB (2^24) in all.

-- _holder_reading: one row for each runtime with lists of holders: the last one at the moment of `question`,
-- and for each crash dump.
CREATE TEMP VIEW _holder_reading AS
SELECT r.source_id, h.runtime_id, -(h.runtime_id * 4294967296 + h.snapshot_id) AS snapshot_id,
  h.snapshot_id AS recorded_id, max(h.ts_ns) AS ts_ns, h.processes, h.processes_seen, h.tables,
  h.tables_seen, h.tables_bytes, h.binaries, h.binary_bytes
FROM snapshot_holders AS h
JOIN runtime AS r ON r.id = h.runtime_id
JOIN question AS q
WHERE h.ts_ns <= ifnull(q.at_ns, 9223372036854775807)
GROUP BY r.source_id, h.runtime_id;

-- _temporary_type: one row for each allocator and type of a runtime with so much of it: how much was made and freed
-- at once while it was recorded.  share: of all frees of blocks of this type.
CREATE TEMP VIEW _temporary_type AS
SELECT a.source_id, a.runtime_id, a.allocator, a.type, a.allocator_id, a.type_id, 'blocks' AS evidence,
  total(l.ends) FILTER (WHERE l.life_from_ns < 16777216) AS blocks,
  total(l.end_bytes) FILTER (WHERE l.life_from_ns < 16777216) AS bytes,
  total(l.ends) FILTER (WHERE l.life_from_ns < 16777216) / nullif(sum(l.ends), 0) AS share
FROM block_life AS l
JOIN _block_account AS a ON a.id = l.account_id
GROUP BY l.account_id
HAVING bytes >= 16777216;

-- _temporary_drawn: the same of samples.
CREATE TEMP VIEW _temporary_drawn AS
SELECT r.source_id, s.runtime_id, s.allocator, s.type, 'samples' AS evidence,
  total(s.weight) FILTER (WHERE s.freed_ns - s.since_ns < 16777216) AS blocks,
  total(s.weight * s.size) FILTER (WHERE s.freed_ns - s.since_ns < 16777216) AS bytes,
  total(s.weight) FILTER (WHERE s.freed_ns - s.since_ns < 16777216) / nullif(sum(s.weight) FILTER (WHERE s.freed_ns IS NOT NULL), 0) AS share
FROM _sample AS s
JOIN runtime AS r ON r.id = s.runtime_id
GROUP BY s.runtime_id, s.allocator, s.type
HAVING bytes >= 16777216;

-- _temporary_moment: one row for each moment of which holders are shown: the reading of a runtime, and the
-- moment of `question` of a source.  from_id .. to_id: the recorded blocks around it, keyframe by keyframe.
CREATE TEMP VIEW _temporary_moment AS
WITH moment AS (
  SELECT source_id, runtime_id, ts_ns FROM _holder_reading
  UNION ALL
  SELECT s.id, NULL, min(ifnull(q.at_ns, ifnull(b.last_ts_ns, s.last_ts_ns)), ifnull(b.last_ts_ns, s.last_ts_ns))
  FROM source AS s
  JOIN question AS q
  LEFT JOIN block_span AS b ON b.source_id = s.id
)
SELECT m.source_id, m.runtime_id, m.ts_ns, ifnull(b.last_ts_ns, s.last_ts_ns) AS last_ts_ns,
  coalesce((SELECT max(k.at_id) FROM block_keyframe AS k WHERE k.source_id = m.source_id AND k.ts_ns < m.ts_ns - 16777216),
    b.first_id) AS from_id,
  coalesce((SELECT min(k.at_id) FROM block_keyframe AS k WHERE k.source_id = m.source_id AND k.ts_ns > m.ts_ns + 16777216),
    b.last_id) AS to_id
FROM moment AS m
JOIN source AS s ON s.id = m.source_id
LEFT JOIN block_span AS b ON b.source_id = m.source_id;

-- _temporary_block: one row for each temporary block of these types that is live at such a moment.  One whose recording
-- ends before it could be seen counts where nine of ten blocks of its type were temporary (is_seen 0); a
-- resized one is not counted.  reading_id: the runtime whose reading it is, NULL: the moment of `question`.
CREATE TEMP TABLE _temporary_block AS
WITH moment AS MATERIALIZED (SELECT * FROM _temporary_moment),
garbage AS MATERIALIZED (SELECT * FROM _temporary_type),
young AS MATERIALIZED (
  SELECT m.source_id, t.runtime_id, m.runtime_id AS reading_id, t.allocator, t.type, t.evidence, t.share, b.id, b.ts_ns, b.address, b.size,
    m.ts_ns AS at_ns, m.last_ts_ns
  FROM moment AS m
  CROSS JOIN _block_event AS b
  LEFT JOIN thread AS h ON h.id = b.thread_id
  LEFT JOIN _block_runtime AS o ON o.source_id = m.source_id
  JOIN garbage AS t ON t.runtime_id = coalesce(h.runtime_id, o.runtime_id) AND t.allocator_id IS b.allocator_id AND t.type_id IS b.type_id
  WHERE b.id BETWEEN m.from_id AND m.to_id AND b.op = 0 AND b.address <> 0 AND b.ts_ns BETWEEN m.ts_ns - 16777216 AND m.ts_ns
    AND (m.runtime_id IS NULL OR m.runtime_id = t.runtime_id)
),
-- Columns of block_event: no others are looked up.
ended AS MATERIALIZED (
  SELECT m.runtime_id AS reading_id, m.source_id, b.id, b.ended_id, b.ts_ns
  FROM moment AS m
  CROSS JOIN block_event AS b
  WHERE b.id BETWEEN m.from_id AND m.to_id AND b.ended_id IN (SELECT id FROM young) AND b.ts_ns <= m.ts_ns + 16777216
)
SELECT y.source_id, y.runtime_id, y.reading_id, y.allocator, y.type, y.evidence, y.address, y.ts_ns AS since_ns,
  y.size AS bytes, x.ended_id IS NOT NULL AS is_seen, y.id AS block_event_id
FROM young AS y
LEFT JOIN ended AS x ON x.ended_id = y.id AND x.reading_id IS y.reading_id AND x.source_id = y.source_id
WHERE CASE WHEN x.ended_id IS NULL THEN y.share >= 0.9 AND y.last_ts_ns - y.ts_ns < 16777216
  ELSE x.ts_ns > y.at_ns AND x.ts_ns - y.ts_ns < 16777216 AND NOT EXISTS (
    SELECT 1 FROM block_event AS n
    WHERE n.id = x.id + 1 AND n.op = 2 AND n.ts_ns = x.ts_ns AND n.thread_id IS (SELECT e.thread_id FROM block_event AS e WHERE e.id = x.id)) END;

-- _temporary_sample: the same of samples, times their weights.
CREATE TEMP VIEW _temporary_sample AS
SELECT t.source_id, s.runtime_id, m.runtime_id AS reading_id, t.allocator, t.type, t.evidence, s.address, s.since_ns,
  s.weight * s.size AS bytes, s.freed_ns IS NOT NULL AS is_seen
FROM _temporary_drawn AS t
JOIN _sample AS s ON s.runtime_id = t.runtime_id AND s.allocator = t.allocator AND s.type IS t.type
JOIN _temporary_moment AS m ON m.source_id = t.source_id AND (m.runtime_id IS NULL OR m.runtime_id = t.runtime_id)
WHERE s.since_ns <= m.ts_ns AND (s.freed_ns IS NULL OR s.freed_ns > m.ts_ns)
  AND CASE WHEN s.freed_ns IS NULL THEN t.share >= 0.9 AND m.last_ts_ns - s.since_ns < 16777216
    ELSE s.freed_ns - s.since_ns < 16777216 END;

-- _temporary: one row for each of these types: how much was made and freed at once, and bytes that are live at the
-- moment of its holders.  Of binaries at a reading, those that no listed process refers to: the others count there; there
-- is no row for heaps and tables of a reading, which count with their owners.
--
-- Worked example, tests/views/holder.temporary.
CREATE TEMP VIEW _temporary AS
WITH read AS MATERIALIZED (SELECT runtime_id, snapshot_id, recorded_id, ts_ns FROM _holder_reading),
refers AS MATERIALIZED (
  SELECT DISTINCT b.runtime_id, b.address
  FROM snapshot_binary AS b
  CROSS JOIN read AS r ON b.runtime_id = r.runtime_id AND b.snapshot_id = r.recorded_id
),
live AS MATERIALIZED (
  SELECT b.runtime_id, b.reading_id, b.allocator, b.type, b.evidence, sum(b.bytes) AS bytes, min(b.is_seen) AS is_seen
  FROM (SELECT runtime_id, reading_id, allocator, type, evidence, address, bytes, is_seen FROM _temporary_block
    UNION ALL SELECT runtime_id, reading_id, allocator, type, evidence, address, bytes, is_seen FROM _temporary_sample) AS b
  LEFT JOIN refers AS r ON b.reading_id IS NOT NULL AND b.allocator = 'binary_alloc' AND r.runtime_id = b.runtime_id AND r.address = b.address
  WHERE r.address IS NULL
  GROUP BY b.runtime_id, b.reading_id, b.allocator, b.type, b.evidence
)
SELECT t.source_id, t.runtime_id, r.snapshot_id, t.allocator, t.type, t.evidence, CAST(round(t.blocks) AS INTEGER) AS made_blocks,
  CAST(round(t.bytes) AS INTEGER) AS made_bytes, CAST(round(ifnull(l.bytes, 0)) AS INTEGER) AS bytes,
  CASE WHEN t.evidence = 'samples' OR NOT ifnull(l.is_seen, 1) OR s.lost_events <> 0 OR s.lost_packets <> 0 THEN 'estimate' WHEN r.runtime_id IS NOT NULL AND l.bytes > 0 THEN 'bound' ELSE 'exact' END AS quality,
  format('temporary garbage: %,d blocks, %.1f MiB in %.0f s, each freed within 17 ms', CAST(round(t.blocks) AS INTEGER), t.bytes / 1048576.0,
    (s.last_ts_ns - s.first_ts_ns) / 1e9) AS name,
  ifnull(r.ts_ns, m.ts_ns) AS ts_ns
FROM (SELECT source_id, runtime_id, allocator, type, evidence, blocks, bytes FROM _temporary_type
  UNION ALL SELECT source_id, runtime_id, allocator, type, evidence, blocks, bytes FROM _temporary_drawn) AS t
JOIN source AS s ON s.id = t.source_id
JOIN _temporary_moment AS m ON m.source_id = t.source_id AND m.runtime_id IS NULL
LEFT JOIN read AS r ON r.runtime_id = t.runtime_id AND t.allocator = 'binary_alloc'
LEFT JOIN live AS l ON l.runtime_id = t.runtime_id AND l.allocator = t.allocator AND l.type IS t.type AND l.evidence = t.evidence
  AND l.reading_id IS r.runtime_id
WHERE t.allocator NOT IN ('eheap_alloc', 'ets_alloc') OR t.runtime_id NOT IN (SELECT runtime_id FROM read);
