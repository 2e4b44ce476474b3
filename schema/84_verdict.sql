-- SPDX-License-Identifier: MIT
--
-- Layer:   verdicts
-- Reads:   _held, _place, _level, source
-- Serves:  reports verdict, thresholds; finding
--
-- Is it a leak, fragmentation, the pool, retention after a peak, or normal?
--
--   leak            blocks grow and no plateau is seen
--   fragmentation   carriers stay, although few of their bytes are in blocks
--   pooled          instances gave carriers up that wait in the pool
--   peak retention  carriers of a past peak stay, moderately used: the next peak fills them
--   normal          none of these, of a size that matters
--
-- The rules follow from how the allocators work, the numbers are rows of
-- finding_threshold, which may be changed:
--
--   UPDATE finding_threshold SET value = 0.4 WHERE name = 'low_utilisation';

CREATE TABLE finding_threshold (
  name    TEXT PRIMARY KEY,
  value   REAL NOT NULL,
  unit    TEXT NOT NULL,
  meaning TEXT NOT NULL,
  basis   TEXT NOT NULL      -- where the number comes from
) STRICT, WITHOUT ROWID;

INSERT INTO finding_threshold VALUES
  ('low_utilisation', 0.5, 'ratio', 'Multi-block carriers used less than this are badly used',
    'Larsson''s node crashed at 0.22 and was well at 0.4 to 0.5; an abandoned carrier is at most acul, 45 to 60 %, used'),
  ('good_utilisation', 0.8, 'ratio', 'Multi-block carriers used at least this much are well used',
    'recon and Erlang in Anger: near 1 is no problem; Larsson: 80 to 90 % is usual'),
  ('matter_bytes', 8388608, 'bytes', 'Less than this is not worth a word: one large carrier may be empty by chance',
    'the default largest multi-block carrier (lmbcs 5 MiB) as the segment allocator rounds it: 8 MiB'),
  ('matter_share', 0.1, 'ratio', 'Less than this share of a runtime''s carriers is not the runtime''s verdict',
    'ours: a tenth is within what a load changes from day to day'),
  ('growth_windows', 8, 'count', 'Windows of equal time that a recording is cut into; of each the low-water mark counts',
    'ours: enough that noise does not rise eight times in a row (1 in 720 for six)'),
  ('growth_first_window', 3, 'count', 'First window that counts: before it a runtime boots and fills its caches',
    'ours: the first quarter of the recording'),
  ('growth_share', 0.25, 'ratio', 'Growth over the windows that counts: part of what is live in the last',
    'ours: less may be a load that rose'),
  ('growth_late_rate', 0.5, 'ratio', 'Growth of the last two windows against the mean: less is a plateau',
    'ours: a plateau shows as a late rate near 0'),
  ('sbc_share', 0.5, 'ratio', 'More than this in single-block carriers is too much',
    'Larsson: 80 to 90 % in multi-block carriers is normal, and the reverse is what to look for'),
  ('sbc_bytes', 67108864, 'bytes', 'Less than this in single-block carriers is not worth tuning',
    'ours: 64 MiB, some hundred blocks of the threshold size'),
  ('sbc_blocks', 16, 'count', 'Fewer single-block carriers than this are a few large objects, not a load',
    'ours'),
  ('sbc_limit', 256, 'count', 'Single-block carriers of an instance beyond which the next come from sys_alloc',
    'default of +M<S>mmsbc'),
  ('pool_attempts', 1000, 'count', 'Fewer attempts to fetch from the pool say nothing', 'ours'),
  ('pool_hit_rate', 0.2, 'ratio', 'Fewer hits than this: pooled carriers do not fit what is asked for', 'ours'),
  ('mseg_calls', 1000, 'count', 'Fewer calls of the segment allocator say nothing', 'recon: small counts are noise'),
  ('mseg_hit_rate', 0.8, 'ratio', 'Fewer hits of the segment cache than this are few',
    'recon: should be above 0.8; Larsson: 80 to 85 % is normal'),
  ('temp_bytes', 1048576, 'bytes', 'temp_alloc keeps nothing for long: more than this that grows is odd',
    'ours: several times its main carrier of 128 KiB'),
  ('heap_share', 0.1, 'ratio', 'A heap of this part of a runtime''s memory is named with its next size', 'ours'),
  ('lmbcs_by_sbct', 8, 'ratio', 'lmbcs should be at least this many times sbct',
    'erlang/otp #9521: shrinking lmbcs without sbct makes fragmentation; the default is 10'),
  ('stranded_share', 0.1, 'ratio', 'Part of the memory from the system that alignment and rounding leave unused', 'ours'),
  ('hole_share', 0.5, 'ratio', 'Free memory flat and its largest hole fallen to this part of what it was', 'FujiNet #1609, AtomVM #235: flat free and falling largest block is fragmentation');

CREATE VIEW _threshold AS
SELECT
  max(value) FILTER (WHERE name = 'low_utilisation') AS low_utilisation,
  max(value) FILTER (WHERE name = 'good_utilisation') AS good_utilisation,
  max(value) FILTER (WHERE name = 'matter_bytes') AS matter_bytes,
  max(value) FILTER (WHERE name = 'matter_share') AS matter_share,
  CAST(max(1, min(64, max(value) FILTER (WHERE name = 'growth_windows'))) AS INTEGER) AS growth_windows,
  CAST(max(value) FILTER (WHERE name = 'growth_first_window') AS INTEGER) AS growth_first_window,
  max(value) FILTER (WHERE name = 'growth_share') AS growth_share,
  max(value) FILTER (WHERE name = 'growth_late_rate') AS growth_late_rate,
  max(value) FILTER (WHERE name = 'temp_bytes') AS temp_bytes
FROM finding_threshold;

-- low_water: one row for each allocator of a runtime and window of time: the least that
-- was in blocks at any moment told.  Noise goes up and down; a leak lifts the least.
--
-- Worked example, tests/views/low_water: 0 to 8000 ns, 8 windows; told 100 at 0, 300 at
-- 2500 and 200 at 6500.
--
--   window      1    2    3    4    5    6    7    8
--   low_bytes 100  100  100  300  300  300  200  200
CREATE VIEW low_water AS
WITH RECURSIVE number(n) AS (
  SELECT 1
  UNION ALL
  SELECT n + 1 FROM number WHERE n < (SELECT growth_windows FROM _threshold)
),
point AS (
  SELECT
    l.place_id, l.allocator, l.bytes,
    s.id AS source_id, r.vpid,
    s.first_ts_ns AS from_ns,
    (s.last_ts_ns - s.first_ts_ns) / (SELECT growth_windows FROM _threshold) + 1 AS window_ns,
    s.last_ts_ns AS to_ns,
    l.ts_ns,
    lead(l.ts_ns, 1, s.last_ts_ns) OVER (PARTITION BY l.place_id, l.allocator ORDER BY l.ts_ns)
      AS until_ns,
    s.lost_events, s.lost_packets
  FROM _level AS l
  JOIN runtime AS r ON r.id = l.place_id
  JOIN source AS s ON s.id = r.source_id
),
span AS (
  SELECT
    *,
    max(1, (ts_ns - from_ns) / window_ns + 1) AS first_window,
    max(1, (until_ns - from_ns - (until_ns > ts_ns)) / window_ns + 1) AS last_window
  FROM point
)
SELECT
  s.source_id,
  s.place_id AS runtime_id,
  s.vpid,
  s.allocator,
  n.n AS window,
  s.from_ns + (n.n - 1) * s.window_ns AS begin_ns,
  min(s.from_ns + n.n * s.window_ns, s.to_ns) AS end_ns,
  min(s.bytes) AS low_bytes,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM span AS s
JOIN number AS n ON n.n BETWEEN s.first_window AND s.last_window
GROUP BY s.place_id, s.allocator, n.n;

-- _growth: one row for each allocator whose low-water mark rose from window to window.
CREATE VIEW _growth AS
WITH counted AS (
  SELECT
    w.runtime_id AS place_id, w.allocator, w.window, w.low_bytes,
    w.low_bytes > lag(w.low_bytes) OVER each AS has_risen
  FROM low_water AS w
  JOIN _threshold AS t
  WHERE w.window >= t.growth_first_window
  WINDOW each AS (PARTITION BY w.runtime_id, w.allocator ORDER BY w.window)
)
SELECT
  c.place_id, c.allocator,
  max(c.low_bytes) - min(c.low_bytes) AS growth_bytes,
  max(c.low_bytes) AS last_low_bytes,
  max(c.low_bytes) - max(c.low_bytes) FILTER (WHERE c.window = t.growth_windows - 2)
    AS late_growth_bytes,
  t.growth_windows - t.growth_first_window AS steps
FROM counted AS c
JOIN _threshold AS t
GROUP BY c.place_id, c.allocator
HAVING count(*) = t.growth_windows - t.growth_first_window + 1
  AND count(*) >= 4
  AND sum(c.has_risen) = t.growth_windows - t.growth_first_window
  AND growth_bytes >= t.growth_share * last_low_bytes
  AND late_growth_bytes / 2.0 >= t.growth_late_rate * growth_bytes / steps;

-- _class: one row for each allocator of a place, with its class.
--
-- Each instance may have one carrier that it just fills, so that one carrier of mean
-- size for each instance is never called waste.  What is said to be pooled must at
-- least be in the pool by the bounds for the whole place.
CREATE VIEW _class AS
WITH figure AS (
  SELECT
    h.*,
    h.mbc_size + h.sbc_size AS carriers_size,
    h.mbc_blocks_size + h.sbc_blocks_size AS blocks_size,
    1.0 * h.mbc_blocks_size / nullif(h.mbc_size, 0) AS utilisation,
    1.0 * h.blocks_at_peak_size / nullif(h.peak_size, 0) AS peak_utilisation,
    max(0, h.mbc_size - h.mbc_blocks_size
      - min(h.instances, h.mbc_carriers) * h.mbc_size / max(1, h.mbc_carriers)) AS waste_size,
    g.growth_bytes, g.steps,
    p.is_mixed, p.pool_min_size
  FROM _held AS h
  JOIN _place AS p ON p.place_id = h.place_id
  LEFT JOIN _growth AS g ON g.place_id = h.place_id AND g.allocator = h.allocator
)
SELECT
  f.*,
  CASE
    WHEN f.is_mixed THEN 'unknown'
    WHEN f.growth_bytes >= iif(f.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes) THEN 'leak'
    WHEN f.utilisation < t.low_utilisation AND f.waste_size >= t.matter_bytes
      AND f.waste_size >= iif(f.pool_min_size >= t.matter_bytes, ifnull(f.pool_size, 0), 0)
      THEN 'fragmentation'
    WHEN f.pool_min_size >= t.matter_bytes AND f.pool_size >= t.matter_bytes
      AND f.pool_size >= t.matter_share * (f.mbc_size + f.sbc_size + f.pool_size) THEN 'pooled'
    WHEN f.utilisation < t.good_utilisation AND f.waste_size >= t.matter_bytes
      AND f.peak_utilisation >= t.good_utilisation
      AND f.blocks_size <= t.good_utilisation * f.peak_blocks_size THEN 'peak retention'
    ELSE 'normal'
  END AS class
FROM figure AS f
JOIN _threshold AS t;

-- _stake: the same with the bytes that the class is about.
CREATE VIEW _stake AS
SELECT
  *,
  CASE class
    WHEN 'leak' THEN growth_bytes
    WHEN 'pooled' THEN pool_size
    WHEN 'fragmentation' THEN waste_size
    WHEN 'peak retention' THEN waste_size
    ELSE 0
  END AS at_stake_size
FROM _class;

-- _main: one row for each place: the class that is the place's, and whose it is.
CREATE VIEW _main AS
WITH ranked AS (
  SELECT
    s.place_id, s.allocator, s.class, s.at_stake_size,
    row_number() OVER (PARTITION BY s.place_id
      ORDER BY s.class = 'leak' DESC, s.at_stake_size DESC, s.allocator) AS rank
  FROM _stake AS s
  JOIN _place AS p ON p.place_id = s.place_id
  JOIN _threshold AS t
  WHERE s.at_stake_size > 0
    AND s.at_stake_size >= t.matter_share * (p.mbc_size + p.sbc_size + ifnull(p.pool_min_size, 0))
)
SELECT
  p.*,
  CASE WHEN p.is_mixed THEN 'unknown' ELSE ifnull(r.class, 'normal') END AS class,
  r.allocator,
  ifnull(r.at_stake_size, 0) AS at_stake_size
FROM _place AS p
LEFT JOIN ranked AS r ON r.place_id = p.place_id AND r.rank = 1;
