-- SPDX-License-Identifier: MIT
--
-- Layer:   plateaus
-- Serves:  verdict
--
-- Whether growth is over.  That memory stood still at the end of a recording does not show it: the load may have
-- paused, or the machine.  It is over only where the recording shows that:
--
--   given back   after the growth began, as much was freed as grew; of heaps what had been there for a sixteenth of the
--                recording: while garbage is collected a heap is there twice
--   work         since it stopped, for at least a third of the time that it took, the allocator made blocks as before:
--                at least a third of what it made while it grew, in number and in bytes.  Growth at that pace would
--                have been seen
--   time         what it made is not recorded, or the node was booting: it has stood still for three times as long
--                as it grew
--   pauses       and for twice as long as it had stood still before, when it came back
--
-- What grew is what was never given back: the floor of a moment is the least that was in blocks from then to the end.
-- In the last eighth of a recording a floor is not known yet.

-- _floor: one row for each level of an allocator of a traced runtime that counts: the least from then on.
CREATE TEMP TABLE _floor AS
WITH span AS MATERIALIZED (SELECT * FROM _level_span),
level AS (
  SELECT subject_id, allocator, ts_ns, until_ns, bytes, from_ns, window_ns, to_ns FROM span
  UNION ALL
  -- Readings that are too few for a curve.
  SELECT t.runtime_id, t.allocator, t.ts_ns,
    lead(t.ts_ns, 1, e.end_ns) OVER (PARTITION BY t.runtime_id, t.allocator ORDER BY t.ts_ns),
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0),
    e.begin_ns, (e.end_ns - e.begin_ns) / (SELECT growth_windows FROM _threshold) + 1, e.end_ns
  FROM _recorded_sum AS t
  JOIN _span AS e ON e.runtime_id = t.runtime_id
  WHERE t.runtime_id NOT IN (SELECT subject_id FROM span)
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

-- _lift: one row for each allocator whose floor rose by what matters (in its time), with the moments at which it had risen by
-- a fiftieth, and by all but a fiftieth.
CREATE TEMP TABLE _lift AS
-- Each part reads the one before it once: SQLite prepares a part again wherever it is named.
WITH level AS (
  SELECT f.subject_id, f.allocator, f.from_ns, f.to_ns, f.ts_ns, f.bytes, f.floor_bytes,
    iif(f.allocator = 'eheap_alloc', min(f.bytes) OVER (PARTITION BY f.subject_id, f.allocator
      ORDER BY 1.0 * (f.ts_ns - f.from_ns) / max(1, f.to_ns - f.from_ns) RANGE BETWEEN CURRENT ROW AND 0.0625 FOLLOWING), f.bytes)
      AS held_bytes,
    min(f.floor_bytes) OVER one AS base_bytes,
    max(f.floor_bytes) FILTER (WHERE f.ts_ns <= f.to_ns - (f.to_ns - f.from_ns) / 8) OVER one
      - min(f.floor_bytes) OVER one AS grown_bytes
  FROM _floor AS f
  WINDOW one AS (PARTITION BY f.subject_id, f.allocator)
),
bounded AS (
  SELECT l.*, l.floor_bytes - l.base_bytes AS lift_bytes,
    ifnull(max(l.ts_ns) FILTER (WHERE l.floor_bytes - l.base_bytes < 0.02 * l.grown_bytes) OVER one, l.from_ns) AS begin_ns,
    min(l.ts_ns) FILTER (WHERE l.floor_bytes - l.base_bytes >= 0.98 * l.grown_bytes) OVER one AS until_ns
  FROM level AS l
  JOIN _threshold AS t
  WHERE l.grown_bytes >= iif(l.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes)
    * iif(l.subject_id IN (SELECT runtime_id FROM hook_begin EXCEPT SELECT runtime_id FROM _boot),
      ifnull(min(1.0, (l.to_ns - l.from_ns) / 1e9 / t.growth_full_s), 1), 1)
  WINDOW one AS (PARTITION BY l.subject_id, l.allocator)
),
-- How many tenths of the growth there were by then (ten: all but a fiftieth; a fall that is not made good
-- is a pause before it), and how far it has fallen since it began.
marked AS (
  SELECT *, lag(tenth, 1, 0) OVER past AS tenth_before,
    iif(ts_ns >= begin_ns, max(held_bytes) FILTER (WHERE ts_ns >= begin_ns) OVER past - bytes, NULL) AS fallen_bytes
  FROM (
    SELECT *, iif(lift_bytes >= 0.98 * grown_bytes, 10, min(9, CAST(10.0 * lift_bytes / grown_bytes AS INTEGER))) AS tenth
    FROM bounded
  )
  WINDOW past AS (PARTITION BY subject_id, allocator ORDER BY ts_ns ROWS UNBOUNDED PRECEDING)
),
stepped AS (
  SELECT *, iif(tenth > tenth_before, ts_ns - ifnull(max(ts_ns) FILTER (WHERE tenth > tenth_before)
    OVER (PARTITION BY subject_id, allocator ORDER BY ts_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), begin_ns), NULL)
    AS step_ns
  FROM marked
)
SELECT subject_id, allocator, min(from_ns) AS from_ns, max(to_ns) AS to_ns, base_bytes, grown_bytes, begin_ns, until_ns,
  max(1, until_ns - begin_ns) AS grow_ns, max(to_ns) - until_ns AS quiet_ns, max(step_ns) AS pause_ns,
  max(fallen_bytes) AS fallen_bytes,
  min(bytes) FILTER (WHERE ts_ns > to_ns - (to_ns - from_ns) / 8) - base_bytes AS last_lift_bytes
FROM stepped
GROUP BY subject_id, allocator;

-- _read_calls: one row for each snapshot of a traced node and each kind of blocks: how many it had allocated.
CREATE TEMP VIEW _read_calls AS
SELECT runtime_id, snapshot_id, key AS allocator, min(ts_ns) AS ts_ns, sum(current) AS calls
FROM snapshot_figure
WHERE section = 'calls' AND substr(key, -6) = '_alloc'
GROUP BY runtime_id, snapshot_id, key;

-- _plateau: one row for each allocator whose floor rose by what matters: how, and whether that is over.  made_share:
-- what it made since, as part of what it made while it grew, in blocks or in bytes, whichever is less; NULL: not recorded.
--
-- Worked example, tests/views/_plateau: 1 MiB more in each second, for 30 s or for 20; then blocks are made as before only in the
-- second.
--
--   subject_id  grown_bytes      grow_ns     quiet_ns  made_share  is_over
--            1     31457280  30000000000   9000000000           0        0
--            2     20971520  20000000000  19000000000        0.95        1
CREATE TEMP TABLE _plateau AS
-- Each part reads the one before it once.
WITH account AS (
  SELECT a.id, a.source_id, a.runtime_id, n.name AS allocator
  FROM block_account AS a
  JOIN allocator_name AS n ON n.runtime_id = a.runtime_id AND n.allocator_id = a.allocator_id
  WHERE a.scope = 'allocator'
),
-- What its allocator had made when the growth began, when it was there, and at the end, blocks and bytes: where
-- every block was recorded.  What is made between two keyframes was made while it grew.
framed AS (
  SELECT l.*, a.id AS account_id,
    (SELECT max(f.at_id) FROM block_keyframe AS f WHERE f.source_id = a.source_id AND f.ts_ns <= l.begin_ns) AS begin_id,
    (SELECT min(f.at_id) FROM block_keyframe AS f WHERE f.source_id = a.source_id AND f.ts_ns >= l.until_ns) AS until_id,
    (SELECT max(f.at_id) FROM block_keyframe AS f WHERE f.source_id = a.source_id AND f.ts_ns <= l.to_ns) AS end_id
  FROM _lift AS l
  LEFT JOIN account AS a ON a.runtime_id = l.subject_id AND a.allocator = l.allocator
),
blocks AS (
  SELECT f.*, ifnull(e.made, 0) - ifnull(u.made, 0) AS late_blocks, ifnull(u.made, 0) - ifnull(b.made, 0) AS early_blocks,
    ifnull(e.made_bytes, 0) - ifnull(u.made_bytes, 0) AS late_bytes,
    ifnull(u.made_bytes, 0) - ifnull(b.made_bytes, 0) AS early_bytes
  FROM framed AS f
  LEFT JOIN block_keyframe_account AS b ON b.account_id = f.account_id AND b.at_id = f.begin_id
  LEFT JOIN block_keyframe_account AS u ON u.account_id = f.account_id AND u.at_id = f.until_id
  LEFT JOIN block_keyframe_account AS e ON e.account_id = f.account_id AND e.at_id = f.end_id
),
-- Else by the calls that snapshots count,
called AS (
  SELECT k.*, max(c.calls) FILTER (WHERE c.ts_ns <= k.begin_ns) AS begin_calls,
    max(c.calls) FILTER (WHERE c.ts_ns <= k.until_ns) AS until_calls, max(c.calls) FILTER (WHERE c.ts_ns <= k.to_ns) AS end_calls
  FROM blocks AS k
  LEFT JOIN (
    SELECT runtime_id, allocator, ts_ns, calls
    FROM _read_calls
    WHERE (runtime_id, allocator) IN (SELECT subject_id, allocator FROM _lift EXCEPT SELECT runtime_id, allocator FROM account)
  ) AS c ON k.account_id IS NULL AND c.runtime_id = k.subject_id AND c.allocator = k.allocator
  GROUP BY k.subject_id, k.allocator
),
-- else by samples.
sampled AS (
  SELECT k.*, total(s.weight) FILTER (WHERE s.since_ns > k.until_ns AND s.since_ns <= k.to_ns) AS late_samples,
    total(s.weight) FILTER (WHERE s.since_ns > k.begin_ns AND s.since_ns <= k.until_ns) AS early_samples,
    total(s.weight * s.size) FILTER (WHERE s.since_ns > k.until_ns AND s.since_ns <= k.to_ns) AS late_sampled_bytes,
    total(s.weight * s.size) FILTER (WHERE s.since_ns > k.begin_ns AND s.since_ns <= k.until_ns) AS early_sampled_bytes
  FROM called AS k
  LEFT JOIN sample_block AS s ON k.account_id IS NULL AND k.end_calls IS NULL AND s.runtime_id = k.subject_id
    AND s.allocator = k.allocator
  GROUP BY k.subject_id, k.allocator
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
  SELECT l.*,
    CASE WHEN l.account_id IS NOT NULL THEN min(1.0 * l.late_blocks / nullif(l.early_blocks, 0),
        ifnull(1.0 * l.late_bytes / nullif(l.early_bytes, 0), 1e9))
      WHEN l.end_calls IS NOT NULL THEN 1.0 * (l.end_calls - l.until_calls) / nullif(l.until_calls - ifnull(l.begin_calls, 0), 0)
      ELSE min(l.late_samples / nullif(l.early_samples, 0), ifnull(l.late_sampled_bytes / nullif(l.early_sampled_bytes, 0), 1e9))
    END AS made_share,
    ifnull(l.begin_ns - a.born_ns <= l.grow_ns, 0) AS is_booting
  FROM sampled AS l
  LEFT JOIN age AS a ON a.runtime_id = l.subject_id
)
SELECT w.subject_id, w.allocator, w.grown_bytes, w.base_bytes, w.begin_ns, w.until_ns, w.grow_ns, w.quiet_ns, w.pause_ns,
  w.fallen_bytes, w.made_share, w.is_booting,
  w.fallen_bytes >= w.grown_bytes
    OR (w.quiet_ns >= 2 * w.pause_ns AND (
      ifnull(w.quiet_ns >= t.plateau_work_ratio * w.grow_ns AND w.made_share >= t.plateau_work_ratio, 0)
      OR ((w.made_share IS NULL OR w.is_booting) AND w.quiet_ns >= t.plateau_time_ratio * w.grow_ns))) AS is_over,
  -- It went on for most of the recording, with no long pause, and what grew is still there.
  w.fallen_bytes < w.grown_bytes AND w.grow_ns >= 0.5 * (w.to_ns - w.from_ns) AND w.pause_ns <= 0.25 * (w.to_ns - w.from_ns)
    AND w.quiet_ns <= 0.2 * (w.to_ns - w.from_ns) AND w.grown_bytes >= t.growth_share * (w.base_bytes + w.grown_bytes) AS goes_on,
  w.grown_bytes >= t.growth_doubt_share * (w.base_bytes + w.grown_bytes) AS is_much,
  -- In the last eighth it stood higher: that it stood still is not seen.
  ifnull(w.last_lift_bytes > 1.1 * w.grown_bytes, 0) AS rises_late
FROM weighed AS w
JOIN _threshold AS t;
