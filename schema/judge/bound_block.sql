-- SPDX-License-Identifier: MIT
--
-- Layer:   bounds from blocks and samples of blocks
-- Serves:  judge/figure
--
-- Rows and quantities as in bound.sql.

-- _block_base: one row for each moment of a runtime: when its blocks were last known as a whole, and since
-- when frees may still wait (rest_ns).  A block that another scheduler frees is counted until its owner's
-- turn: when all threads have worked (runtime_work, which the twin records) none waits; of a node it is
-- taken that none waits longer than a tenth of a second.
CREATE TEMP TABLE _block_base AS
WITH moment AS (
  SELECT runtime_id, moment, NULL AS peak_id, at_ns FROM _moment
  UNION ALL
  -- Of little the time is not worth it.
  SELECT runtime_id, 'peak', ifnull(allocator_id, -1), ts_ns FROM _peak_address
  WHERE is_known AND (allocator_id IS NULL OR bytes >= 8388608)
),
base AS (
  SELECT b.runtime_id, 0 AS rank, 0 AS read_ns, 0 AS begin_ns, NULL AS snapshot_id, 'boot' AS kind
  FROM _boot AS b
  UNION ALL
  SELECT d.runtime_id, 1, d.until_ns, d.ts_ns, NULL, 'dump'
  FROM _dump AS d WHERE d.runtime_id NOT IN (SELECT runtime_id FROM _boot)
  UNION ALL
  SELECT DISTINCT l.runtime_id, 2, l.read_ns, l.begin_ns, l.snapshot_id, 'snapshot'
  FROM _last_reading AS l
  JOIN _span AS s ON s.runtime_id = l.runtime_id AND l.begin_ns >= s.complete_ns
)
SELECT m.runtime_id, m.moment, m.peak_id, m.at_ns, b.kind, b.read_ns, b.begin_ns, b.snapshot_id, min(b.rank),
  ifnull((SELECT max(w.ts_ns) FROM runtime_work AS w
    WHERE w.runtime_id = m.runtime_id AND w.kind = 0 AND w.ts_ns <= m.at_ns),
    -- A run that was recorded to its end is at rest there.
    iif(m.moment = 'end' AND b.kind = 'boot', m.at_ns, m.at_ns - 100000000)) AS rest_ns
FROM moment AS m
JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_blocks
JOIN base AS b ON b.runtime_id = m.runtime_id AND b.read_ns <= m.at_ns
JOIN _full_hook AS h ON h.runtime_id = m.runtime_id AND h.from_ns <= b.read_ns AND h.until_ns >= m.at_ns
GROUP BY m.runtime_id, m.moment, m.peak_id;

-- _block_point: the times at which sums over blocks are wanted: what _bound_block reads.
CREATE TEMP TABLE _block_point AS
SELECT DISTINCT p.runtime_id, s.source_id, p.ts_ns
FROM (
  SELECT b.runtime_id, CASE k.column1
    WHEN 1 THEN iif(b.moment <> 'end', b.at_ns, NULL) WHEN 2 THEN iif(b.kind <> 'boot', b.read_ns, NULL)
    WHEN 3 THEN iif(b.kind = 'snapshot', b.begin_ns, NULL) ELSE b.rest_ns END AS ts_ns
  FROM _block_base AS b
  CROSS JOIN (VALUES (1), (2), (3), (4)) AS k
) AS p
JOIN _span AS s ON s.runtime_id = p.runtime_id
WHERE p.ts_ns IS NOT NULL;

-- _block_sum: one row for each allocator and such time: sums since the recording began, by the nearest
-- keyframe that is not later and what followed it.
CREATE TEMP TABLE _block_sum AS
WITH point AS MATERIALIZED (
  SELECT p.*,
    ifnull((SELECT max(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = p.source_id AND k.ts_ns <= p.ts_ns), 0) AS frame_id
  FROM _block_point AS p
),
framed AS MATERIALIZED (
  SELECT p.*, b.first_id,
    ifnull((SELECT min(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = p.source_id AND k.at_id > p.frame_id), b.last_id) AS next_id,
    ifnull(lag(p.ts_ns) OVER (PARTITION BY p.runtime_id, p.frame_id ORDER BY p.ts_ns), -1) AS after_ns
  FROM point AS p
  JOIN block_span AS b ON b.source_id = p.source_id
),
-- Each row of block_event between a keyframe and the last of its points is read once, and counts for
-- the first point that is not before it.
frame AS MATERIALIZED (
  SELECT source_id, frame_id, max(frame_id, first_id - 1) AS after_id, next_id, max(ts_ns) AS until_ns
  FROM framed
  GROUP BY source_id, frame_id
),
part AS MATERIALIZED (
  SELECT f.runtime_id, f.frame_id, f.ts_ns, b.allocator_id, b.ended_allocator_id,
    count(*) FILTER (WHERE b.op <> 1) AS made, total(b.size) FILTER (WHERE b.op <> 1) AS made_bytes,
    count(b.ended_id) AS ended, total(b.ended_size) AS ended_bytes,
    count(*) FILTER (WHERE b.op = 1 AND b.ended_id IS NULL) AS unknown_frees,
    total(b.size) FILTER (WHERE b.op = 1 AND b.ended_id IS NULL) AS unknown_bytes
  FROM (
    -- LIMIT keeps it a step of its own: a column of a block is computed once, not for each point.  What ends a block has
    -- an address.
    SELECT g.frame_id, g.source_id, ifnull(t.runtime_id, o.runtime_id) AS runtime_id, b.ts_ns, b.op,
      iif(b.ended_id IS NOT NULL OR b.address <> 0, b.allocator_id, NULL) AS allocator_id,
      iif(b.op <> 1 OR b.ended_id IS NULL, b.size, NULL) AS size,
      e.id AS ended_id, e.allocator_id AS ended_allocator_id, e.size AS ended_size
    FROM frame AS g
    CROSS JOIN _block_event AS b
    LEFT JOIN thread AS t ON t.id = b.thread_id
    LEFT JOIN _block_runtime AS o ON o.source_id = g.source_id
    LEFT JOIN block_event AS e ON e.id = b.ended_id
    WHERE b.id > g.after_id AND b.id <= g.next_id AND b.ts_ns <= g.until_ns
    LIMIT -1
  ) AS b
  CROSS JOIN framed AS f
  WHERE f.frame_id = b.frame_id AND f.runtime_id = b.runtime_id AND f.source_id = b.source_id
    AND b.ts_ns > f.after_ns AND b.ts_ns <= f.ts_ns
  GROUP BY 1, 2, 3, 4, 5
),
both AS (
  SELECT p.runtime_id, p.frame_id, p.ts_ns, iif(k.is_end, p.ended_allocator_id, p.allocator_id) AS allocator_id,
    iif(k.is_end, 0, p.made) AS made, iif(k.is_end, 0, p.made_bytes) AS made_bytes,
    iif(k.is_end, p.ended, 0) AS ended, iif(k.is_end, p.ended_bytes, 0) AS ended_bytes,
    iif(k.is_end, -p.ended, p.made) AS live_blocks, iif(k.is_end, -p.ended_bytes, p.made_bytes) AS live_bytes,
    iif(k.is_end, 0, p.unknown_frees) AS unknown_frees, iif(k.is_end, 0, p.unknown_bytes) AS unknown_bytes
  FROM part AS p
  CROSS JOIN (SELECT 0 AS is_end UNION ALL SELECT 1) AS k
  WHERE iif(k.is_end, p.ended_allocator_id, p.allocator_id) IS NOT NULL
),
-- A point has what its keyframe has, and what counts for it and for points before.
summed AS (
  SELECT f.runtime_id, f.ts_ns, a.allocator_id,
    k.made, k.made_bytes, k.ended, k.ended_bytes, k.live_blocks, k.live_bytes, k.unknown_frees, k.unknown_bytes
  FROM framed AS f
  JOIN block_keyframe_account AS k ON k.at_id = f.frame_id
  JOIN block_account AS a ON a.id = k.account_id AND a.scope = 'allocator' AND a.runtime_id = f.runtime_id
  WHERE a.allocator_id IS NOT NULL
  UNION ALL
  SELECT f.runtime_id, f.ts_ns, b.allocator_id, b.made, b.made_bytes, b.ended, b.ended_bytes, b.live_blocks, b.live_bytes,
    b.unknown_frees, b.unknown_bytes
  FROM framed AS f
  JOIN both AS b ON b.runtime_id = f.runtime_id AND b.frame_id = f.frame_id AND b.ts_ns <= f.ts_ns
)
SELECT runtime_id, ts_ns, allocator_id,
  CAST(total(made) AS INTEGER) AS made, CAST(total(made_bytes) AS INTEGER) AS made_bytes,
  CAST(total(ended) AS INTEGER) AS ended, CAST(total(ended_bytes) AS INTEGER) AS ended_bytes,
  CAST(total(live_blocks) AS INTEGER) AS live_blocks, CAST(total(live_bytes) AS INTEGER) AS live_bytes,
  CAST(total(unknown_frees) AS INTEGER) AS unknown_frees, CAST(total(unknown_bytes) AS INTEGER) AS unknown_bytes
FROM summed
GROUP BY runtime_id, ts_ns, allocator_id
UNION ALL
SELECT a.runtime_id, 9223372036854775807, a.allocator_id, a.made, a.made_bytes, a.ended, a.ended_bytes, a.live_blocks, a.live_bytes,
  a.unknown_frees, a.unknown_bytes
FROM block_account AS a
WHERE a.scope = 'allocator' AND a.allocator_id IS NOT NULL;

-- _doubtful_end: one row for each moment of a runtime and allocator: ends since the base of blocks that were made before
-- something was lost.  Which block ends there is then in doubt, and so is its size: one with that address may have ended in what
-- was lost, and another have been made.  reused: ends that are known by the next block at the address alone; they may be older
-- than the base.  more_bytes: what the room of such blocks exceeds the size of the block that is known there by; is_unsized: of
-- some no room was recorded.
CREATE TEMP VIEW _doubtful_end AS
WITH base AS MATERIALIZED (
  SELECT b.runtime_id, b.moment, b.peak_id, b.at_ns, b.read_ns, s.source_id, s.complete_ns, p.last_id,
    ifnull((SELECT max(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = s.source_id AND k.ts_ns <= b.read_ns), 0) AS after_id
  FROM _block_base AS b
  JOIN _span AS s ON s.runtime_id = b.runtime_id AND s.complete_ns > 0
  JOIN block_span AS p ON p.source_id = s.source_id
  WHERE b.kind <> 'boot'
)
SELECT b.runtime_id, b.moment, b.peak_id, e.allocator_id,
  count(*) AS ends, CAST(total(e.size) AS INTEGER) AS bytes, CAST(total(x.op <> 1) AS INTEGER) AS reused,
  CAST(total(max(0, x.size - e.size)) FILTER (WHERE x.op = 1) AS INTEGER) AS more_bytes,
  max(x.op = 1 AND ifnull(x.size, 0) = 0) AS is_unsized
FROM base AS b
CROSS JOIN _block_event AS x
CROSS JOIN _block_event AS e ON e.id = x.ended_id
LEFT JOIN thread AS t ON t.id = x.thread_id
LEFT JOIN _block_runtime AS o ON o.source_id = b.source_id
WHERE x.id > b.after_id AND x.id <= b.last_id AND x.ts_ns > b.read_ns AND x.ts_ns <= b.at_ns
  AND e.ts_ns < b.complete_ns AND ifnull(t.runtime_id, o.runtime_id) = b.runtime_id
GROUP BY b.runtime_id, b.moment, b.peak_id, e.allocator_id;

-- _bound_block: blocks by their events, on top of what was known before.
--
-- A block of n bytes asked for takes at least n and a header of a word, and at most that with its tag,
-- rounded up to the next multiple of 8, with the least size of a block, and with a rest behind it that
-- is too small for another: 128 bytes cover all of them on 64 bits.
CREATE TEMP TABLE _bound_block AS
WITH allocator AS MATERIALIZED (
  SELECT runtime_id, allocator_id FROM allocator_name
  UNION
  SELECT runtime_id, allocator_id FROM block_account
  WHERE scope = 'allocator' AND allocator_id IS NOT NULL
  UNION
  SELECT runtime_id, allocator_id FROM _reading_sum
),
dumped AS MATERIALIZED (
  SELECT c.runtime_id, c.allocator_id, sum(c.block_count) AS blocks, sum(c.block_bytes) AS bytes
  FROM state_carrier AS c
  JOIN _dump AS d ON d.runtime_id = c.runtime_id AND c.ts_ns BETWEEN d.ts_ns AND d.until_ns
  GROUP BY c.runtime_id, c.allocator_id
),
sums AS MATERIALIZED (SELECT * FROM _block_sum),
doubtful AS MATERIALIZED (SELECT * FROM _doubtful_end),
readings AS MATERIALIZED (
  SELECT r.*, ifnull(m.moved_blocks, 0) AS moved_blocks, ifnull(m.moved_bytes, 0) AS moved_bytes
  FROM _reading_sum AS r
  LEFT JOIN _moving AS m ON m.runtime_id = r.runtime_id AND m.snapshot_id = r.snapshot_id AND m.allocator_id = r.allocator_id
),
both AS (
  SELECT
    b.runtime_id, b.moment, b.peak_id, b.at_ns, b.kind, a.allocator_id,
    CASE b.kind WHEN 'boot' THEN 0 WHEN 'dump' THEN ifnull(d.blocks, 0) ELSE CAST(s.blocks AS INTEGER) END AS base_blocks,
    CASE b.kind WHEN 'boot' THEN 0 WHEN 'dump' THEN ifnull(d.bytes, 0) ELSE CAST(s.bytes AS INTEGER) END AS base_bytes,
    ifnull(n.live_blocks, 0) AS live_blocks, ifnull(n.live_bytes, 0) AS live_bytes,
    ifnull(n.unknown_frees, 0) AS unknown_frees, ifnull(n.unknown_bytes, 0) AS unknown_bytes,
    ifnull(n.made, 0) AS made, ifnull(n.ended, 0) AS ended,
    ifnull((SELECT c.resized FROM block_account AS c WHERE c.runtime_id = b.runtime_id AND c.scope = 'allocator'
      AND c.allocator_id = a.allocator_id), 0) AS resized,
    ifnull(p.live_blocks, 0) AS old_blocks, ifnull(p.live_bytes, 0) AS old_bytes,
    ifnull(p.unknown_frees, 0) AS old_frees, ifnull(p.unknown_bytes, 0) AS old_free_bytes,
    ifnull(p.made, 0) AS old_made, ifnull(p.ended, 0) AS old_ended,
    EXISTS (SELECT 1 FROM allocator_name AS f WHERE f.runtime_id = b.runtime_id
      AND f.allocator_id = a.allocator_id AND f.name = 'fix_alloc') AS is_fix,
    max(0, ifnull(n.ended, 0) + ifnull(n.unknown_frees, 0) - ifnull(w.ended, 0) - ifnull(w.unknown_frees, 0)) AS waiting,
    max(0, ifnull(n.ended_bytes, 0) + ifnull(n.unknown_bytes, 0) - ifnull(w.ended_bytes, 0) - ifnull(w.unknown_bytes, 0)) AS waiting_bytes,
    ifnull(s.moved_blocks, 0) AS moved_blocks, ifnull(s.moved_bytes, 0) AS moved_bytes,
    b.kind = 'boot' OR c.complete_ns = 0 AS is_whole,
    ifnull(u.bytes, 0) AS doubtful_bytes, ifnull(u.reused, 0) AS reused, ifnull(u.more_bytes, 0) AS more_bytes,
    ifnull(u.is_unsized, 0) AS is_unsized,
    ifnull(p.made, 0) - ifnull(q.made, 0) AS during_made,
    ifnull(p.made_bytes, 0) - ifnull(q.made_bytes, 0) AS during_made_bytes,
    ifnull(p.ended, 0) - ifnull(q.ended, 0) + ifnull(p.unknown_frees, 0) - ifnull(q.unknown_frees, 0) AS during_ended,
    ifnull(p.ended_bytes, 0) - ifnull(q.ended_bytes, 0)
      + ifnull(p.unknown_bytes, 0) - ifnull(q.unknown_bytes, 0) AS during_ended_bytes
  FROM _block_base AS b
  JOIN _span AS c ON c.runtime_id = b.runtime_id
  JOIN allocator AS a ON a.runtime_id = b.runtime_id AND (b.peak_id IS NULL OR b.peak_id IN (-1, a.allocator_id))
  LEFT JOIN dumped AS d ON b.kind = 'dump' AND d.runtime_id = b.runtime_id AND d.allocator_id = a.allocator_id
  LEFT JOIN readings AS s ON b.kind = 'snapshot' AND s.runtime_id = b.runtime_id
    AND s.snapshot_id = b.snapshot_id AND s.allocator_id = a.allocator_id
  LEFT JOIN sums AS n ON n.runtime_id = b.runtime_id AND n.allocator_id = a.allocator_id
    AND n.ts_ns = iif(b.moment = 'end', 9223372036854775807, b.at_ns)
  LEFT JOIN doubtful AS u ON u.runtime_id = b.runtime_id AND u.moment = b.moment AND u.peak_id IS b.peak_id
    AND u.allocator_id = a.allocator_id
  LEFT JOIN sums AS p ON b.kind <> 'boot' AND p.runtime_id = b.runtime_id AND p.allocator_id = a.allocator_id
    AND p.ts_ns = b.read_ns
  LEFT JOIN sums AS q ON b.kind = 'snapshot' AND q.runtime_id = b.runtime_id AND q.allocator_id = a.allocator_id
    AND q.ts_ns = b.begin_ns
  LEFT JOIN sums AS w ON w.runtime_id = b.runtime_id AND w.allocator_id = a.allocator_id AND w.ts_ns = b.rest_ns
  -- Allocators without a figure in the snapshot are not known.
  WHERE b.kind <> 'snapshot' OR s.allocator_id IS NOT NULL
),
whole AS (
  SELECT *,
    -- In a snapshot what came or went while it was read is in it, or is not.
    -- A reading itself holds some blocks.
    iif(kind = 'snapshot', during_made + 4 + moved_blocks, 0) AS doubt_made,
    iif(kind = 'snapshot', during_made_bytes + 128 * during_made + 4096 + moved_bytes, 0) AS doubt_made_bytes,
    iif(kind = 'snapshot', during_ended + 4 + moved_blocks, 0) AS doubt_ended,
    iif(kind = 'snapshot', during_ended_bytes + 128 * during_ended + 4096 + moved_bytes, 0) AS doubt_ended_bytes,
    -- fix_alloc keeps what is freed for the next of its kind: at most as many as were made, or were there.
    iif(is_fix, made - old_made + base_blocks, 0) AS kept_most,
    base_blocks + (live_blocks - unknown_frees) - (old_blocks - old_frees) AS blocks,
    base_bytes + (live_bytes - old_bytes) - (unknown_bytes - old_free_bytes)
      + 8 * ((live_blocks - unknown_frees) - (old_blocks - old_frees)) AS bytes,
    -- Blocks that were made before our eyes and not ended: after a loss since the base alone.
    iif(is_whole, live_blocks, max(0, live_blocks - old_blocks)) AS seen_blocks,
    iif(is_whole, live_bytes, max(0, live_bytes - old_bytes)) AS seen_bytes,
    -- Blocks whose headers, tags and slack are not in what was known.
    min(made - old_made, live_blocks) AS fresh,
    -- And of those that were known and ended.
    min(ended - old_ended, old_blocks) + (unknown_frees - old_frees) AS gone,
    unknown_frees - old_frees AS gone_unknown
  FROM both
),
kind_of(quantity) AS (VALUES ('blocks'), ('blocks_bytes'), ('asked_bytes'))
SELECT w.runtime_id, w.moment, w.peak_id, w.at_ns, w.allocator_id, k.quantity,
  max(0, CASE k.quantity
    -- What fix_alloc kept when it was listed may have come back from there since.
    WHEN iif(w.is_fix AND w.kind <> 'boot', k.quantity, '') THEN iif(k.quantity = 'blocks_bytes', w.seen_bytes + 8 * w.seen_blocks,
      iif(k.quantity = 'blocks', w.seen_blocks, w.seen_bytes))
    WHEN 'blocks' THEN w.blocks - w.doubt_ended
    -- A reallocation does not say how large the old block was: of one from before nothing is known.
    WHEN iif(w.is_unsized OR w.kind <> 'boot' AND w.gone_unknown > 0 AND w.resized > 0, 'blocks_bytes', '')
      THEN w.seen_bytes + 8 * w.seen_blocks
    WHEN 'blocks_bytes' THEN w.bytes - 120 * w.gone - w.doubt_ended_bytes - w.more_bytes
    ELSE w.seen_bytes END) AS low,
  max(0, CASE k.quantity WHEN 'blocks' THEN w.blocks WHEN 'blocks_bytes' THEN w.bytes
    ELSE iif(w.kind = 'boot', w.live_bytes, NULL) END) AS likely,
  CASE k.quantity
    WHEN 'blocks' THEN w.blocks + w.doubt_made + w.kept_most + w.waiting + w.reused
    WHEN 'blocks_bytes' THEN w.bytes + 120 * w.fresh + w.doubt_made_bytes + w.waiting_bytes + 128 * w.waiting + iif(w.is_fix, w.base_bytes + 1024 * w.kept_most, 0)
      + w.doubtful_bytes + 8 * w.reused
    ELSE iif(w.kind = 'boot', w.live_bytes, NULL) END AS high,
  'blocks' AS basis
FROM whole AS w
CROSS JOIN kind_of AS k;

-- _bound_seen: blocks that were made before our eyes and not ended are there, whatever was before.
CREATE TEMP TABLE _bound_seen AS
SELECT a.runtime_id, 'end' AS moment, s.end_ns AS at_ns, a.allocator_id, k.column1 AS quantity,
  CASE k.column1 WHEN 'blocks' THEN a.live_blocks WHEN 'asked_bytes' THEN a.live_bytes
    ELSE a.live_bytes + 8 * a.live_blocks END AS low,
  CASE k.column1 WHEN 'blocks' THEN a.live_blocks WHEN 'asked_bytes' THEN a.live_bytes
    ELSE a.live_bytes + 8 * a.live_blocks END AS likely,
  NULL AS high, 'blocks' AS basis
FROM block_account AS a
JOIN _span AS s ON s.runtime_id = a.runtime_id AND s.complete_ns = 0
JOIN _recorded AS r ON r.runtime_id = a.runtime_id AND r.has_blocks
-- After a hook has ended blocks go unseen.
JOIN _full_hook AS h ON h.runtime_id = a.runtime_id AND h.until_ns >= s.end_ns
JOIN (VALUES ('blocks'), ('blocks_bytes'), ('asked_bytes')) AS k
WHERE a.scope = 'allocator' AND a.allocator_id IS NOT NULL
GROUP BY a.id, k.column1;

-- _bound_sample: blocks by samples of them.  Each drawn block stands for its weight; five standard
-- deviations, and the fourteen mean distances between two draws beyond which nothing stays unseen but
-- once in a million times, are on either side.  What was there before is what the last snapshot says,
-- of which any part may have gone unseen.
CREATE TEMP TABLE _bound_sample AS
WITH hook AS (
  SELECT runtime_id, min(ts_ns) AS from_ns, max(iif(sample_by = 1, sample_every, NULL)) AS distance,
    min(types = 0 AND min_bytes = 0) AS is_full, min(sample_by) AS sample_by,
    ifnull((SELECT min(e.ts_ns) FROM hook_end AS e WHERE e.runtime_id = h.runtime_id), 9223372036854775807) AS until_ns
  FROM hook_begin AS h
  WHERE sample_by > 0
  GROUP BY runtime_id
),
base AS (
  SELECT m.runtime_id, m.moment, m.at_ns, h.distance,
    iif(l.begin_ns >= s.complete_ns AND l.begin_ns >= h.from_ns, l.read_ns, NULL) AS read_ns, l.snapshot_id
  FROM _moment AS m
  JOIN _span AS s ON s.runtime_id = m.runtime_id
  JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_samples
  JOIN hook AS h ON h.runtime_id = m.runtime_id AND h.is_full AND h.until_ns >= m.at_ns
  LEFT JOIN _last_reading AS l ON l.runtime_id = m.runtime_id AND l.moment = m.moment
  WHERE l.begin_ns >= s.complete_ns OR s.complete_ns = 0
),
live AS (
  SELECT b.runtime_id, b.moment, n.allocator_id,
    total(k.weight * k.size) AS bytes, sqrt(total(k.weight * (k.weight - 1) * k.size * k.size)) AS bytes_error,
    total(k.weight) AS blocks, sqrt(total(k.weight * (k.weight - 1))) AS blocks_error
  FROM base AS b
  JOIN _sample AS k ON k.runtime_id = b.runtime_id
    AND k.since_ns > ifnull(b.read_ns, 0) AND k.since_ns <= b.at_ns AND (k.freed_ns IS NULL OR k.freed_ns > b.at_ns)
  JOIN allocator_name AS n ON n.runtime_id = k.runtime_id AND n.name = k.allocator
  GROUP BY b.runtime_id, b.moment, n.allocator_id
),
gone AS (
  SELECT b.runtime_id, b.moment, n.allocator_id, total(k.weight * k.size) AS bytes
  FROM base AS b
  JOIN _sample AS k ON k.runtime_id = b.runtime_id
    AND k.since_ns <= b.read_ns AND k.freed_ns > b.read_ns AND k.freed_ns <= b.at_ns
  JOIN allocator_name AS n ON n.runtime_id = k.runtime_id AND n.name = k.allocator
  GROUP BY b.runtime_id, b.moment, n.allocator_id
),
one AS (
  SELECT b.runtime_id, b.moment, b.at_ns, n.allocator_id,
    b.distance, s.bytes AS base_bytes,
    ifnull(l.bytes, 0) AS bytes, ifnull(l.bytes_error, 0) AS bytes_error,
    ifnull(l.blocks, 0) AS blocks, ifnull(l.blocks_error, 0) AS blocks_error, ifnull(g.bytes, 0) AS gone_bytes
  FROM base AS b
  JOIN allocator_name AS n ON n.runtime_id = b.runtime_id
  LEFT JOIN _reading_sum AS s ON s.runtime_id = b.runtime_id AND s.snapshot_id = b.snapshot_id
    AND s.allocator_id = n.allocator_id AND b.read_ns IS NOT NULL
  LEFT JOIN live AS l ON l.runtime_id = b.runtime_id AND l.moment = b.moment AND l.allocator_id = n.allocator_id
  LEFT JOIN gone AS g ON g.runtime_id = b.runtime_id AND g.moment = b.moment AND g.allocator_id = n.allocator_id
)
SELECT runtime_id, moment, at_ns, allocator_id, 'blocks_bytes' AS quantity,
  CAST(max(0, bytes - 5 * bytes_error) AS INTEGER) AS low,
  CAST(max(0, ifnull(base_bytes, 0) + bytes + 8 * blocks - gone_bytes) AS INTEGER) AS likely,
  -- A block too small to be drawn often has headers and slack beside its bytes.
  CAST(base_bytes + bytes + 5 * bytes_error + 14 * distance
    + 128 * (blocks + 5 * blocks_error + 14 * distance / 16) AS INTEGER) AS high,
  'samples' AS basis
FROM one
WHERE base_bytes IS NOT NULL OR bytes > 0;
