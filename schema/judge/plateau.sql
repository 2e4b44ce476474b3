-- SPDX-License-Identifier: MIT
--
-- Layer:   plateaus
-- Serves:  verdict
--
-- Whether growth is over.  That memory stood still at the end of a recording does not show it: the load may have
-- paused, or the machine.  It is over only where the recording shows that:
--
--   given back   after the growth began, as much was freed as grew
--   work         since it stopped, for at least a third of the time that it took, the allocator made blocks as before:
--                at least a third of what it made while it grew, in number and in bytes.  Growth at that pace would
--                have been seen
--   time         what it made is not recorded, or the node was booting: it has stood still for three times as long
--                as it grew
--   pauses       and for twice as long as it had stood still before, when it came back
--
-- What grew is what was never given back: the floor of a moment is the least that was in blocks from then to the end.
-- In the last eighth of a recording a floor is not known yet.

INSERT INTO finding_threshold VALUES
  ('plateau_work', 0.33, 'ratio', 'Growth is over after this part of its time and work without more of it',
    'ours: a third of what it was made of shows that the same load adds nothing'),
  ('plateau_time', 3, 'ratio', 'The same where it is not recorded how much was made, or the node was booting: multiples of its time',
    'ours: a quarter of growth and three of standing still, as growth_first_window'),
  ('growth_doubt_share', 0.05, 'ratio', 'Growth of less than this part of what is held is not in doubt',
    'ours: a busy node changes by some percent all the time');

-- _floor: one row for each level of an allocator of a traced runtime that counts: the least from then on.
CREATE VIEW _floor AS
WITH shown AS MATERIALIZED (SELECT DISTINCT subject_id FROM _level_span),
level AS (
  SELECT subject_id, allocator, ts_ns, until_ns, bytes, from_ns, window_ns, to_ns FROM _level_span
  UNION ALL
  -- Readings that are too few for a curve.
  SELECT t.runtime_id, t.allocator, t.ts_ns,
    lead(t.ts_ns, 1, e.end_ns) OVER (PARTITION BY t.runtime_id, t.allocator ORDER BY t.ts_ns),
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0),
    e.begin_ns, (e.end_ns - e.begin_ns) / (SELECT growth_windows FROM _threshold) + 1, e.end_ns
  FROM _recorded_sum AS t
  JOIN _span AS e ON e.runtime_id = t.runtime_id
  WHERE t.runtime_id NOT IN (SELECT subject_id FROM shown)
),
counted AS (
  SELECT l.subject_id, l.allocator, l.bytes, l.ts_ns, l.until_ns, l.to_ns,
    -- Before its third window a whole run boots.
    l.from_ns + iif(l.subject_id IN (SELECT runtime_id FROM _boot), (t.growth_first_window - 1) * l.window_ns, 0) AS from_ns
  FROM level AS l
  JOIN _threshold AS t
)
SELECT subject_id, allocator, from_ns, to_ns, max(ts_ns, from_ns) AS ts_ns, bytes,
  min(bytes) OVER (PARTITION BY subject_id, allocator ORDER BY ts_ns DESC ROWS UNBOUNDED PRECEDING) AS floor_bytes
FROM counted
WHERE until_ns >= from_ns AND (until_ns > ts_ns OR ts_ns = to_ns);

-- _lift: one row for each allocator whose floor rose by what matters, with the moments at which it had risen by
-- a fiftieth, and by all but a fiftieth.
CREATE VIEW _lift AS
WITH floor AS MATERIALIZED (SELECT * FROM _floor),
sum AS MATERIALIZED (
  SELECT f.subject_id, f.allocator, min(f.from_ns) AS from_ns, max(f.to_ns) AS to_ns, min(f.floor_bytes) AS base_bytes,
    max(f.floor_bytes) FILTER (WHERE f.ts_ns <= f.to_ns - (f.to_ns - f.from_ns) / 8) - min(f.floor_bytes) AS grown_bytes
  FROM floor AS f
  JOIN _threshold AS t
  GROUP BY f.subject_id, f.allocator
  HAVING grown_bytes >= iif(f.allocator = 'temp_alloc', max(t.temp_bytes), max(t.matter_bytes))
),
lifted AS MATERIALIZED (
  SELECT s.*, f.ts_ns, f.bytes, f.floor_bytes - s.base_bytes AS lift_bytes
  FROM sum AS s
  JOIN floor AS f ON f.subject_id = s.subject_id AND f.allocator = s.allocator
),
bounded AS MATERIALIZED (
  SELECT subject_id, allocator, from_ns, to_ns, base_bytes, grown_bytes,
    ifnull(max(ts_ns) FILTER (WHERE lift_bytes < 0.02 * grown_bytes), from_ns) AS begin_ns,
    min(ts_ns) FILTER (WHERE lift_bytes >= 0.98 * grown_bytes) AS until_ns
  FROM lifted
  GROUP BY subject_id, allocator
),
-- How long each tenth of the growth took.
tenth AS (
  SELECT b.subject_id, b.allocator, b.begin_ns, n.n, min(l.ts_ns) AS ts_ns
  FROM bounded AS b
  JOIN (WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 9) SELECT n FROM number) AS n
  JOIN lifted AS l ON l.subject_id = b.subject_id AND l.allocator = b.allocator
    AND l.lift_bytes >= n.n / 10.0 * b.grown_bytes
  GROUP BY b.subject_id, b.allocator, n.n
),
step AS (
  SELECT subject_id, allocator,
    ts_ns - lag(ts_ns, 1, begin_ns) OVER (PARTITION BY subject_id, allocator ORDER BY n) AS step_ns
  FROM tenth
),
-- The deepest fall after the growth began.
high AS (
  SELECT l.subject_id, l.allocator, l.bytes,
    max(l.bytes) OVER (PARTITION BY l.subject_id, l.allocator ORDER BY l.ts_ns ROWS UNBOUNDED PRECEDING) AS high_bytes
  FROM lifted AS l
  JOIN bounded AS b ON b.subject_id = l.subject_id AND b.allocator = l.allocator
  WHERE l.ts_ns >= b.begin_ns
)
SELECT b.subject_id, b.allocator, b.from_ns, b.to_ns, b.base_bytes, b.grown_bytes, b.begin_ns, b.until_ns,
  max(1, b.until_ns - b.begin_ns) AS grow_ns, b.to_ns - b.until_ns AS quiet_ns,
  (SELECT max(s.step_ns) FROM step AS s WHERE s.subject_id = b.subject_id AND s.allocator = b.allocator) AS pause_ns,
  (SELECT max(h.high_bytes - h.bytes) FROM high AS h WHERE h.subject_id = b.subject_id AND h.allocator = b.allocator) AS fallen_bytes
FROM bounded AS b;

-- _made_by: one row for each of these and each moment of it: what its allocator had made by then, blocks and bytes,
-- where every block was recorded, or a sample of them, else by the calls that a snapshot counts.
CREATE VIEW _made_by AS
WITH moment AS MATERIALIZED (
  SELECT l.subject_id, l.allocator, m.moment,
    CASE m.moment WHEN 'begin' THEN l.begin_ns WHEN 'until' THEN l.until_ns ELSE l.to_ns END AS ts_ns
  FROM _lift AS l
  JOIN (SELECT 'begin' AS moment UNION ALL SELECT 'until' UNION ALL SELECT 'end') AS m
),
account AS MATERIALIZED (
  SELECT a.id, a.source_id, a.runtime_id, n.name AS allocator
  FROM block_account AS a
  JOIN _allocator_name AS n ON n.runtime_id = a.runtime_id AND n.allocator_id = a.allocator_id
  WHERE a.scope = 'allocator'
),
called AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, key AS allocator, min(ts_ns) AS ts_ns, sum(current) AS calls
  FROM snapshot_figure
  WHERE section = 'calls' AND key IN (SELECT allocator FROM moment)
    AND runtime_id NOT IN (SELECT runtime_id FROM account)
  GROUP BY runtime_id, snapshot_id, key
),
sampled AS MATERIALIZED (
  SELECT runtime_id, allocator, since_ns, weight, size FROM sample_block WHERE allocator IN (SELECT allocator FROM moment)
)
SELECT m.subject_id, m.allocator, m.moment, 'blocks' AS basis, ifnull(k.made, 0) AS blocks, ifnull(k.made_bytes, 0) AS bytes
FROM moment AS m
JOIN account AS a ON a.runtime_id = m.subject_id AND a.allocator = m.allocator
LEFT JOIN block_keyframe_account AS k ON k.account_id = a.id
  -- What is made between two keyframes was made while it grew.
  AND k.at_id = iif(m.moment = 'until',
    (SELECT min(f.at_id) FROM block_keyframe AS f WHERE f.source_id = a.source_id AND f.ts_ns >= m.ts_ns),
    (SELECT max(f.at_id) FROM block_keyframe AS f WHERE f.source_id = a.source_id AND f.ts_ns <= m.ts_ns))
UNION ALL
SELECT m.subject_id, m.allocator, m.moment, 'samples', total(s.weight), total(s.weight * s.size)
FROM moment AS m
JOIN sampled AS s ON s.runtime_id = m.subject_id AND s.allocator = m.allocator AND s.since_ns <= m.ts_ns
GROUP BY m.subject_id, m.allocator, m.moment
UNION ALL
SELECT m.subject_id, m.allocator, m.moment, 'calls', max(c.calls), NULL
FROM moment AS m
JOIN called AS c ON c.runtime_id = m.subject_id AND c.allocator = m.allocator AND c.ts_ns <= m.ts_ns
GROUP BY m.subject_id, m.allocator, m.moment;

-- _plateau: one row for each allocator whose floor rose by what matters: how, and whether that is over.  made_share:
-- what it made since, as part of what it made while it grew, in blocks or in bytes, whichever is less; NULL: not recorded.
--
-- Worked example, tests/views/_plateau: 1 MiB more in each second, for 30 s or for 20; then blocks are made as before only in the
-- second.
--
--   subject_id  grown_bytes      grow_ns     quiet_ns  made_share  is_over
--            1     31457280  30000000000   9000000000           0        0
--            2     20971520  20000000000  19000000000        0.95        1
CREATE VIEW _plateau AS
WITH lift AS MATERIALIZED (SELECT * FROM _lift),
made AS MATERIALIZED (
  SELECT subject_id, allocator, basis,
    max(blocks) FILTER (WHERE moment = 'end') - max(blocks) FILTER (WHERE moment = 'until') AS late_blocks,
    max(blocks) FILTER (WHERE moment = 'until') - ifnull(max(blocks) FILTER (WHERE moment = 'begin'), 0) AS early_blocks,
    max(bytes) FILTER (WHERE moment = 'end') - max(bytes) FILTER (WHERE moment = 'until') AS late_bytes,
    max(bytes) FILTER (WHERE moment = 'until') - ifnull(max(bytes) FILTER (WHERE moment = 'begin'), 0) AS early_bytes
  FROM _made_by
  GROUP BY subject_id, allocator, basis
),
shared AS (
  SELECT subject_id, allocator, basis,
    min(1.0 * late_blocks / nullif(early_blocks, 0), ifnull(1.0 * late_bytes / nullif(early_bytes, 0), 1e9)) AS made_share,
    row_number() OVER (PARTITION BY subject_id, allocator ORDER BY basis) AS rank
  FROM made
),
-- The age of the node where it was first read.
age AS (
  SELECT runtime_id, min(born_ns) AS born_ns
  FROM (
    SELECT runtime_id, ts_ns - uptime_ms * 1000000 AS born_ns FROM snapshot_begin
    UNION ALL
    SELECT runtime_id, ts_ns - hooked_uptime_ms * 1000000 FROM hook_begin WHERE NOT is_again
  )
  GROUP BY runtime_id
),
weighed AS (
  SELECT l.*, s.made_share, s.basis,
    ifnull(l.begin_ns - a.born_ns <= l.grow_ns, 0) AS is_booting
  FROM lift AS l
  LEFT JOIN shared AS s ON s.subject_id = l.subject_id AND s.allocator = l.allocator AND s.rank = 1
  LEFT JOIN age AS a ON a.runtime_id = l.subject_id
)
SELECT w.subject_id, w.allocator, w.grown_bytes, w.base_bytes, w.begin_ns, w.until_ns, w.grow_ns, w.quiet_ns, w.pause_ns,
  w.fallen_bytes, w.made_share, w.is_booting,
  w.fallen_bytes >= w.grown_bytes
    OR (w.quiet_ns >= 2 * w.pause_ns AND (
      ifnull(w.quiet_ns >= t.plateau_work * w.grow_ns AND w.made_share >= t.plateau_work, 0)
      OR ((w.made_share IS NULL OR w.is_booting) AND w.quiet_ns >= t.plateau_time * w.grow_ns))) AS is_over,
  -- It went on for most of the recording, with no long pause, and what grew is still there.
  w.fallen_bytes < w.grown_bytes AND w.grow_ns >= 0.5 * (w.to_ns - w.from_ns) AND w.pause_ns <= 0.25 * (w.to_ns - w.from_ns)
    AND w.quiet_ns <= 0.2 * (w.to_ns - w.from_ns) AND w.grown_bytes >= t.growth_share * (w.base_bytes + w.grown_bytes) AS goes_on,
  w.grown_bytes >= t.growth_doubt_share * (w.base_bytes + w.grown_bytes) AS is_much
FROM weighed AS w
JOIN _threshold AS t;

INSERT INTO view_doc VALUES
  ('_floor', '', 'row', 'full scan', 'Private. One row for each level of an allocator of a traced runtime: the least from then to the end'),
  ('_lift', '', 'row', 'full scan', 'Private. One row for each allocator whose floor rose by what matters: from when to when'),
  ('_made_by', '', 'row', 'full scan', 'Private. One row for each of these and each moment of it: what had been made by then'),
  ('_plateau', '', 'row', 'full scan', 'Private. One row for each of these: whether its growth is known to be over');
