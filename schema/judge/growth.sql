-- SPDX-License-Identifier: MIT
--
-- Layer:   growth
-- Serves:  verdict, finding, growth_top
--
-- Whether what an allocator holds grows: from window to window of a recording, or from snapshot to
-- snapshot.  It is the one thing that is judged from curves and not from a figure.

-- _level_span: one row for each level of an allocator of a traced runtime, how long it held, and the
-- windows of the runtime's own recording: others of the session may go on, and began before.
CREATE TEMP TABLE _level_span AS
SELECT
  l.subject_id, l.allocator, l.bytes,
  e.source_id,
  e.begin_ns AS from_ns,
  (e.end_ns - e.begin_ns) / (SELECT growth_windows FROM _threshold) + 1 AS window_ns,
  e.end_ns AS to_ns,
  l.ts_ns,
  lead(l.ts_ns, 1, e.end_ns) OVER (PARTITION BY l.subject_id, l.allocator ORDER BY l.ts_ns) AS until_ns
FROM _level AS l
JOIN _span AS e ON e.runtime_id = l.subject_id;

-- low_water: one row for each allocator of a runtime and window of time: the least that
-- was in blocks at any moment recorded.  Noise goes up and down; a leak lifts the least.
--
-- Worked example, tests/views/low_water: 0 to 8000 ns, 8 windows; recorded 100 at 0, 300 at
-- 2500 and 200 at 6500.
--
--   window      1    2    3    4    5    6    7    8
--   low_bytes 100  100  100  300  300  300  200  200
CREATE TABLE low_water (
  source_id INTEGER,
  runtime_id INTEGER,
  vpid INTEGER,
  allocator TEXT,
  "window" INTEGER,
  begin_ns INTEGER,
  end_ns INTEGER,
  low_bytes INTEGER,
  source_lost_events INTEGER,
  source_lost_packets INTEGER
) STRICT;

CREATE TEMP TABLE low_water AS
WITH RECURSIVE number(n) AS (
  SELECT 1
  UNION ALL
  SELECT n + 1 FROM number WHERE n < (SELECT growth_windows FROM _threshold)
),
span AS (
  SELECT
    *,
    max(1, (ts_ns - from_ns) / window_ns + 1) AS first_window,
    max(1, (until_ns - from_ns - (until_ns > ts_ns)) / window_ns + 1) AS last_window
  FROM _level_span
)
SELECT
  s.source_id,
  s.subject_id AS runtime_id,
  r.vpid,
  s.allocator,
  n.n AS window,
  s.from_ns + (n.n - 1) * s.window_ns AS begin_ns,
  min(s.from_ns + n.n * s.window_ns, s.to_ns) AS end_ns,
  min(s.bytes) AS low_bytes,
  o.lost_events AS source_lost_events,
  o.lost_packets AS source_lost_packets
FROM span AS s
JOIN runtime AS r ON r.id = s.subject_id
JOIN source AS o ON o.id = s.source_id
JOIN number AS n ON n.n BETWEEN s.first_window AND s.last_window
GROUP BY s.subject_id, s.allocator, n.n;

-- _last_window: one row for each allocator of a traced runtime: its levels in the last window.  points:
-- how many began in it; none or few say nothing of what happened there.
CREATE TEMP TABLE _last_window AS
WITH last AS (
  SELECT *, from_ns + ((SELECT growth_windows FROM _threshold) - 1) * window_ns AS last_ns FROM _level_span
)
SELECT subject_id, allocator,
  count(*) FILTER (WHERE ts_ns >= last_ns) AS points,
  min(bytes) FILTER (WHERE ts_ns < last_ns + window_ns / 2) AS first_half_bytes,
  min(bytes) FILTER (WHERE until_ns > last_ns + window_ns / 2) AS second_half_bytes,
  max(bytes) - min(bytes) AS range_bytes
FROM last
WHERE until_ns > last_ns AND ts_ns <= to_ns
GROUP BY subject_id, allocator;

-- _growth: one row for each allocator whose low-water mark rose from window to window.  goes_on: 1, it
-- rose in the last window too; 0, that is not seen.  An allocator that stood still in the last window is
-- on a plateau, and has no row.
CREATE TEMP TABLE _growth AS
WITH counted AS (
  SELECT
    w.runtime_id AS subject_id, w.allocator, w.window, w.low_bytes,
    w.low_bytes > lag(w.low_bytes) OVER in_order AS has_risen
  FROM low_water AS w
  JOIN _threshold AS t
  WHERE w.window >= t.growth_first_window
  WINDOW in_order AS (PARTITION BY w.runtime_id, w.allocator ORDER BY w.window)
),
curve AS MATERIALIZED (
  SELECT
    c.subject_id, c.allocator,
    max(c.low_bytes) - min(c.low_bytes) AS growth_bytes,
    max(c.low_bytes) AS last_low_bytes,
    max(c.low_bytes) - max(c.low_bytes) FILTER (WHERE c.window = t.growth_windows - 2)
      AS late_growth_bytes,
    max(c.low_bytes) - max(c.low_bytes) FILTER (WHERE c.window = t.growth_windows - 1)
      AS last_growth_bytes,
    t.growth_windows - t.growth_first_window AS steps,
    0 AS is_assumed,
    ifnull(l.points < 4 OR l.second_half_bytes - l.first_half_bytes
      >= t.growth_last_rate / 2.0 * (max(c.low_bytes) - min(c.low_bytes)) / (t.growth_windows - t.growth_first_window), 1) AS goes_on
  FROM counted AS c
  JOIN _threshold AS t
  LEFT JOIN _last_window AS l ON l.subject_id = c.subject_id AND l.allocator = c.allocator
  GROUP BY c.subject_id, c.allocator
  HAVING count(*) = t.growth_windows - t.growth_first_window + 1
    AND count(*) >= 4
    AND sum(c.has_risen) = t.growth_windows - t.growth_first_window
    AND growth_bytes >= t.growth_share * last_low_bytes
    AND late_growth_bytes / 2.0 >= t.growth_late_rate * growth_bytes / steps
    AND last_growth_bytes >= t.growth_last_rate * growth_bytes / steps
    AND NOT ifnull(l.points >= 4 AND l.range_bytes < t.growth_last_rate * growth_bytes / steps, 0)
)
SELECT * FROM curve
UNION ALL
-- From reading to reading, by the same rule, where the curve does not show it; it is the last reading that counts.
SELECT g.subject_id, g.allocator, g.growth_bytes, g.last_low_bytes, g.late_growth_bytes,
  g.last_growth_bytes, g.steps,
  g.is_assumed, 1
FROM (
  SELECT ifnull(r.runtime_id, -r.last_snapshot_id) AS subject_id, r.allocator,
    max(r.growth_bytes) AS growth_bytes,
    max(r.low_bytes) AS last_low_bytes,
    max(r.growth_bytes) - max(r.growth_bytes) FILTER (WHERE r.window = r.windows - 2)
      AS late_growth_bytes,
    max(r.growth_bytes) - max(r.growth_bytes) FILTER (WHERE r.window = r.windows - 1)
      AS last_growth_bytes,
    count(*) - 1 AS steps, sum(r.has_risen) AS rises, max(r.is_assumed) AS is_assumed
  FROM (
    SELECT *, low_bytes > lag(low_bytes) OVER (PARTITION BY last_snapshot_id, allocator ORDER BY window) AS has_risen
    FROM (SELECT DISTINCT runtime_id, last_snapshot_id, allocator, window, windows, low_bytes, growth_bytes, is_assumed
      FROM reading_series WHERE counts)
  ) AS r
  GROUP BY r.last_snapshot_id, r.allocator
) AS g
JOIN _threshold AS t
WHERE g.steps >= 3 AND g.rises = g.steps
  AND g.growth_bytes >= t.growth_share * g.last_low_bytes
  AND g.late_growth_bytes / 2.0 >= t.growth_late_rate * g.growth_bytes / g.steps
  AND g.last_growth_bytes >= t.growth_last_rate * g.growth_bytes / g.steps
  AND (g.subject_id, g.allocator) NOT IN (SELECT subject_id, allocator FROM curve);

-- _rise: one row for each allocator of a traced runtime: whether its low-water marks rose from each window
-- that counts to the next, by whatever amount, and whether all of the recording is known.
CREATE TEMP TABLE _rise AS
WITH mark AS (
  SELECT w.runtime_id, w.allocator, w.low_bytes,
    w.low_bytes > lag(w.low_bytes) OVER (PARTITION BY w.runtime_id, w.allocator ORDER BY w.window) AS has_risen
  FROM low_water AS w
  JOIN _threshold AS t
  WHERE w.window >= t.growth_first_window
)
SELECT runtime_id AS subject_id, allocator, count(*) > 1 AND sum(has_risen) = count(*) - 1 AS has_risen,
  max(low_bytes) - min(low_bytes) AS bytes, min(low_bytes) AS least_bytes
FROM mark
GROUP BY runtime_id, allocator;

-- _reading_rise: what was in blocks from the first whole snapshot of a traced node to its last.
CREATE TEMP TABLE _reading_rise AS
SELECT t.runtime_id AS subject_id, t.allocator, count(*) AS readings,
  (SELECT ifnull(l.mbc_blocks_bytes, 0) + ifnull(l.sbc_blocks_bytes, 0) + ifnull(l.pool_blocks_bytes, 0)
   FROM _recorded_sum AS l WHERE l.runtime_id = t.runtime_id AND l.allocator = t.allocator ORDER BY l.ts_ns DESC LIMIT 1)
  - (SELECT ifnull(l.mbc_blocks_bytes, 0) + ifnull(l.sbc_blocks_bytes, 0) + ifnull(l.pool_blocks_bytes, 0)
   FROM _recorded_sum AS l WHERE l.runtime_id = t.runtime_id AND l.allocator = t.allocator ORDER BY l.ts_ns LIMIT 1) AS bytes
FROM _recorded_sum AS t
GROUP BY t.runtime_id, t.allocator;

-- _glance_rise: the same from the least of its first half to the least of its second: what a heap that is cleared now and then, or
-- the snapshot itself, adds for a moment is none.  late_bytes: how much the last has more than any before the last eighth.
CREATE TEMP TABLE _glance_rise AS
WITH read AS (
  SELECT t.runtime_id, t.allocator, t.ts_ns < (e.begin_ns + e.end_ns) / 2 AS is_early,
    t.ts_ns > e.end_ns - (e.end_ns - e.begin_ns) / 8 AS is_late,
    row_number() OVER (PARTITION BY t.runtime_id, t.allocator ORDER BY t.ts_ns DESC) = 1 AS is_last,
    ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0) AS bytes
  FROM _recorded_sum AS t
  JOIN _span AS e ON e.runtime_id = t.runtime_id
)
SELECT runtime_id AS subject_id, allocator,
  min(bytes) FILTER (WHERE NOT is_early) - min(bytes) FILTER (WHERE is_early) AS bytes,
  max(bytes) FILTER (WHERE is_last) - max(bytes) FILTER (WHERE NOT is_late) AS late_bytes
FROM read
GROUP BY runtime_id, allocator;

-- _history: one row for each traced runtime: whether growth over all of its recording can be seen.
CREATE TEMP TABLE _history AS
SELECT s.runtime_id AS subject_id, s.is_mixed, s.complete_ns, (s.end_ns - s.begin_ns) / 1e9 AS recorded_s,
  s.complete_ns = 0 AS is_complete,
  ifnull(r.has_blocks AND s.runtime_id IN (SELECT runtime_id FROM _live_total), 0) AS has_blocks,
  ifnull(r.has_counters AND s.runtime_id IN (SELECT runtime_id FROM allocator_use), 0) AS has_counters,
  s.runtime_id IN (SELECT runtime_id FROM _judged_by_samples) AS has_samples,
  -- A node, hooked or only read, has no whole run to be a part of.
  s.runtime_id IN (SELECT runtime_id FROM hook_begin) OR (s.runtime_id IN (SELECT runtime_id FROM _snapshot_at_end)
    AND s.runtime_id NOT IN (SELECT runtime_id FROM _dump)) AS is_hooked,
  -- A hook sees growth from its begin on, and what was before stands in its first snapshot.
  s.runtime_id IN (SELECT runtime_id FROM _boot) AS is_boot
FROM _span AS s
LEFT JOIN _recorded AS r ON r.runtime_id = s.runtime_id;

INSERT INTO view_doc VALUES
  ('low_water', '', 'row', 'fast', 'One row for each allocator of a runtime and window of time: the least that was in blocks. A level recorded within a window counts from then on; the recording of the runtime, from its first event to its last, is cut into finding_threshold.growth_windows windows'),
  ('low_water', 'window', 'count', 'label', 'Number of the window, from 1'),
  ('low_water', 'begin_ns', 'ns', 'label', 'Begin of the window, since the Unix epoch'),
  ('low_water', 'end_ns', 'ns', 'label', 'End of the window'),
  ('low_water', 'low_bytes', 'bytes', 'estimate', 'Least bytes in blocks, at the ends of buckets of time: live bytes where block events were recorded, else as counters recorded');
