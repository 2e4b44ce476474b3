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

-- _series_growth: one row for each allocator of a node that was read several times, as dumps are, whose least rose from window of
-- readings to window.  It is the last reading that counts.
CREATE TEMP TABLE _series_growth AS
SELECT g.subject_id, g.allocator, g.growth_bytes, g.is_assumed
FROM (
  SELECT -r.last_snapshot_id AS subject_id, r.allocator,
    max(r.growth_bytes) AS growth_bytes,
    max(r.low_bytes) AS last_low_bytes,
    max(r.growth_bytes) - max(r.growth_bytes) FILTER (WHERE r.window = r.windows - 2)
      AS late_growth_bytes,
    max(r.growth_bytes) - max(r.growth_bytes) FILTER (WHERE r.window = r.windows - 1)
      AS last_growth_bytes,
    count(*) - 1 AS steps, sum(r.has_risen) AS rises, max(r.is_assumed) AS is_assumed
  FROM (
    SELECT *, low_bytes > lag(low_bytes) OVER (PARTITION BY last_snapshot_id, allocator ORDER BY window) AS has_risen
    FROM (SELECT DISTINCT last_snapshot_id, allocator, window, windows, low_bytes, growth_bytes, is_assumed
      FROM reading_series WHERE counts AND runtime_id IS NULL)
  ) AS r
  GROUP BY r.last_snapshot_id, r.allocator
) AS g
JOIN _threshold AS t
WHERE g.steps >= 3 AND g.rises = g.steps
  AND g.growth_bytes >= t.growth_share * g.last_low_bytes
  AND g.late_growth_bytes / 2.0 >= t.growth_late_rate * g.growth_bytes / g.steps
  AND g.last_growth_bytes >= t.growth_last_rate * g.growth_bytes / g.steps;

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

-- _too_seldom: one row for each node that is only read, of which fewer readings came than a curve needs, and less than half as
-- many as were asked for: it stood still meanwhile, or its readings take long.  What grew then is not seen.  record_s: how long
-- a recording has to be that shows it, at such a pace.
--
-- Worked example, tests/views/_too_seldom: a reading each second was asked for, and in 8 s there were two.
--
--   subject_id  readings  record_s
--            1         2        40
CREATE TEMP VIEW _too_seldom AS
SELECT y.subject_id, k.readings, ceil(max(t.growth_full_s, 2 * y.recorded_s, 5 * y.recorded_s / (k.readings - 1))) AS record_s
FROM _history AS y
JOIN _threshold AS t
JOIN _snapshot_at_end AS k ON k.runtime_id = y.subject_id
JOIN (SELECT runtime_id, max(CAST(value AS INTEGER)) AS every_ms FROM runtime_fact WHERE key = 'snapshot_every_ms' GROUP BY runtime_id) AS f
  ON f.runtime_id = y.subject_id
WHERE NOT y.has_blocks AND NOT y.has_samples AND NOT y.is_boot
  AND k.readings BETWEEN 2 AND 4 AND 2 * (k.readings - 1) * f.every_ms < 1000 * y.recorded_s;

INSERT INTO view_doc VALUES
  ('low_water', '', 'row', 'fast', 'One row for each allocator of a runtime and window of time: the least that was in blocks. A level recorded within a window counts from then on; the recording of the runtime, from its first event to its last, is cut into finding_threshold.growth_windows windows'),
  ('low_water', 'window', 'count', 'label', 'Number of the window, from 1'),
  ('low_water', 'begin_ns', 'ns', 'label', 'Begin of the window, since the Unix epoch'),
  ('low_water', 'end_ns', 'ns', 'label', 'End of the window'),
  ('low_water', 'low_bytes', 'bytes', 'estimate', 'Least bytes in blocks, at the ends of buckets of time: live bytes where block events were recorded, else as counters recorded');
