-- SPDX-License-Identifier: MIT
--
-- Layer:   verdicts
-- Reads:   _held, _place, _level, _ending, _whole_dump, reading_series, snapshot, source, crash_dump, alloc_failure, heap_reading, board_failure
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
  ('matter_share', 0.1, 'ratio', 'Less than this share of a runtime''s carriers is not the runtime''s verdict, but for a leak, which does not stay small',
    'ours: a tenth is within what a load changes from day to day'),
  ('growth_windows', 8, 'count', 'Windows of equal time that a recording is cut into; of each the low-water mark counts',
    'ours: enough that noise does not rise eight times in a row (1 in 720 for six)'),
  ('growth_first_window', 3, 'count', 'First window that counts: before it a runtime boots and fills its caches',
    'ours: the first quarter of the recording'),
  ('growth_share', 0.25, 'ratio', 'Growth over the windows that counts: part of what is live in the last',
    'ours: less may be a load that rose'),
  ('growth_late_rate', 0.5, 'ratio', 'Growth of the last two windows against the mean: less is a plateau',
    'ours: a plateau shows as a late rate near 0'),
  ('growth_last_rate', 0.1, 'ratio', 'Growth from the last window but one to the last against the mean: less is a plateau in the last quarter',
    'ours: a leak''s pace changes by some times from window to window, on a plateau there is noise'),
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
  max(value) FILTER (WHERE name = 'growth_last_rate') AS growth_last_rate,
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
  max(c.low_bytes) - max(c.low_bytes) FILTER (WHERE c.window = t.growth_windows - 1)
    AS last_growth_bytes,
  t.growth_windows - t.growth_first_window AS steps,
  0 AS is_assumed
FROM counted AS c
JOIN _threshold AS t
GROUP BY c.place_id, c.allocator
HAVING count(*) = t.growth_windows - t.growth_first_window + 1
  AND count(*) >= 4
  AND sum(c.has_risen) = t.growth_windows - t.growth_first_window
  AND growth_bytes >= t.growth_share * last_low_bytes
  AND late_growth_bytes / 2.0 >= t.growth_late_rate * growth_bytes / steps
  AND last_growth_bytes >= t.growth_last_rate * growth_bytes / steps
UNION ALL
-- From reading to reading, by the same rule; it is the last reading that tells of it.
SELECT g.place_id, g.allocator, g.growth_bytes, g.last_low_bytes, g.late_growth_bytes,
  g.last_growth_bytes, g.steps,
  g.is_assumed
FROM (
  SELECT ifnull(r.runtime_id, -r.last_snapshot_id) AS place_id, r.allocator,
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
  AND g.last_growth_bytes >= t.growth_last_rate * g.growth_bytes / g.steps;

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
    g.growth_bytes, g.steps, g.is_assumed,
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
    AND (s.at_stake_size >= t.matter_share * (p.mbc_size + p.sbc_size + ifnull(p.pool_min_size, 0))
      OR (s.class = 'leak' AND s.at_stake_size >= t.matter_bytes))
)
SELECT
  p.*,
  CASE WHEN p.is_mixed THEN 'unknown'
    -- What is missing of a dump may be the problem.
    WHEN r.class IS NULL AND NOT ifnull(d.has_all_allocators, 1) THEN 'unknown'
    ELSE ifnull(r.class, 'normal') END AS class,
  r.allocator,
  ifnull(r.at_stake_size, 0) AS at_stake_size
FROM _place AS p
LEFT JOIN _whole_dump AS d ON d.snapshot_id = p.snapshot_id
LEFT JOIN ranked AS r ON r.place_id = p.place_id AND r.rank = 1;

-- _board_verdict: one row for each source that tells of the heap of a board: fragmentation
-- when a request was refused although as much was free, only in pieces.
CREATE VIEW _board_verdict AS
SELECT
  h.source_id,
  iif(f.size_bytes IS NOT NULL, 'fragmentation', 'normal') AS class,
  ifnull(f.free_bytes - f.free_largest, 0) AS at_stake_size,
  iif(f.size_bytes IS NOT NULL,
    format('%s could not get %,d bytes although %,d were free: the largest hole had %,d. The heap of the board is in pieces.',
      f.allocator, f.size_bytes, f.free_bytes, f.free_largest),
    format('No problem found: %,d bytes of the board''s heap are free, the largest hole has %,d.',
      h.free_bytes, h.free_largest)) AS sentence,
  f.size_bytes AS refused_size,
  max(h.id)
FROM heap_reading AS h
LEFT JOIN board_failure AS f ON f.source_id = h.source_id
  AND f.size_bytes <= f.free_bytes AND f.size_bytes > f.free_largest
GROUP BY h.source_id;

-- verdict: one row for each place (level 'runtime'), one for each allocator of it, and
-- one for each source that has no place to judge (level 'source').  A dump without allocators is a
-- place all the same: it ended of something.
--
-- Worked example, tests/views/verdict: 20 carriers of 100 MiB in all, 40 MiB of them used, 96 MiB
-- at the peak.
--
--   level      verdict        at_stake_bytes  utilisation  saving_bytes
--   runtime    fragmentation        57671680          0.4      62914560
--   allocator  fragmentation        57671680          0.4      62914560
CREATE VIEW verdict AS
WITH row AS (
  SELECT
    m.source_id, m.runtime_id, m.snapshot_id, m.vpid, 'runtime' AS level,
    m.allocator, m.class,
    iif(m.class = 'pooled', m.pool_likely_size, m.at_stake_size) AS at_stake_size,
    m.mbc_size + m.sbc_size AS carriers_size,
    m.mbc_blocks_size + m.sbc_blocks_size AS blocks_size,
    m.pool_min_size, m.pool_likely_size AS pool_size, m.pool_max_size, m.pool_blocks_size,
    m.peak_size, m.peak_blocks_size,
    1.0 * s.mbc_blocks_size / nullif(s.mbc_size, 0) AS own_utilisation,
    s.peak_utilisation, s.mbc_carriers AS own_carriers, s.mbc_size AS own_size, s.age_ns,
    ifnull(s.blocks_quality = 'exact', m.is_exact) AS is_exact, m.has_addresses,
    NULL AS board_sentence, m.source_lost_events, m.source_lost_packets,
    m.class = 'leak' AND s.is_assumed AS is_assumed
  FROM _main AS m
  LEFT JOIN _stake AS s ON s.place_id = m.place_id AND s.allocator = m.allocator
  UNION ALL
  SELECT
    source_id, runtime_id, snapshot_id, vpid, 'allocator',
    allocator, class, at_stake_size, carriers_size, blocks_size,
    pool_size, pool_size, pool_size, pool_blocks_size, peak_size, peak_blocks_size,
    utilisation, peak_utilisation, mbc_carriers, mbc_size, age_ns,
    blocks_quality = 'exact', has_addresses, NULL, source_lost_events, source_lost_packets,
    class = 'leak' AND is_assumed
  FROM _stake
  UNION ALL
  SELECT
    o.id, NULL, NULL, NULL, 'source', NULL, ifnull(b.class, 'unknown'), ifnull(b.at_stake_size, 0),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    b.class IS NOT NULL, 0, b.sentence, o.lost_events, o.lost_packets, 0
  FROM source AS o
  LEFT JOIN _board_verdict AS b ON b.source_id = o.id
  WHERE NOT EXISTS (SELECT 1 FROM _place AS p WHERE p.source_id = o.id)
    AND NOT EXISTS (SELECT 1 FROM snapshot AS n
      JOIN crash_dump AS d ON d.snapshot_id = n.id WHERE n.source_id = o.id)
  UNION ALL
  SELECT
    n.source_id, n.runtime_id, n.id, NULL, 'runtime', NULL, 'unknown', 0,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    0, 0, NULL, o.lost_events, o.lost_packets, 0
  FROM crash_dump AS d
  JOIN snapshot AS n ON n.id = d.snapshot_id
  JOIN source AS o ON o.id = n.source_id
  WHERE NOT EXISTS (SELECT 1 FROM _place AS p WHERE p.snapshot_id = n.id)
),
figure AS (
  SELECT
    *, ifnull(-snapshot_id, runtime_id) AS place_id,
    iif(level = 'runtime', coalesce(
      (SELECT d.failed_bytes FROM crash_dump AS d WHERE d.snapshot_id = row.snapshot_id),
      (SELECT max(f.size_bytes) FROM alloc_failure AS f WHERE f.runtime_id = row.runtime_id)),
      iif(level = 'source',
        (SELECT b.refused_size FROM _board_verdict AS b WHERE b.source_id = row.source_id), NULL))
      AS refused_size,
    -- What a dump lacks, as the end of a sentence; NULL: nothing.
    (SELECT CASE
        WHEN carriers_size IS NOT NULL THEN iif(d.has_all_allocators, NULL,
          d.end_text || ', among its sections =allocator: the rest of them is missing')
        WHEN d.has_all_allocators THEN d.end_text || iif(d.has_allocators,
          ', but its sections =allocator tell of no carriers', ', but has no section =allocator')
        WHEN d.has_allocators THEN d.end_text || ', where its sections =allocator begin'
        ELSE d.end_text || ', before its sections =allocator, which tell of carriers and blocks'
      END FROM _whole_dump AS d WHERE d.snapshot_id = row.snapshot_id) AS lack,
    max(0, carriers_size + pool_size - blocks_size - ifnull(pool_blocks_size, 0)) AS saving_size,
    max(0, carriers_size + pool_max_size - blocks_size - ifnull(pool_blocks_size, 0)) AS saving_max_size
  FROM row
)
SELECT
  source_id, runtime_id, snapshot_id, vpid, level, allocator,
  class AS verdict,
  CASE iif(board_sentence IS NULL, class, 'board')
    WHEN 'board' THEN board_sentence
    WHEN 'leak' THEN format('%s grows and no plateau is seen: the least it held rose by %.1f MiB, %s. A leak, or a load that still rises.%s',
      allocator, at_stake_size / 1048576.0,
      iif(snapshot_id IS NULL, 'window by window', 'reading by reading'),
      iif(is_assumed, ' That the readings are of one node is assumed: not all of them tell its name.', ''))
    WHEN 'fragmentation' THEN format('%s keeps %.1f MiB in %d multi-block carriers and uses %.0f %% of them%s: %.1f MiB lie between blocks and cannot go back.',
      allocator, own_size / 1048576.0, own_carriers, 100 * own_utilisation,
      iif(peak_utilisation > 0, format(' (%.0f %% when it had most)', 100 * peak_utilisation), ''),
      at_stake_size / 1048576.0)
    WHEN 'pooled' THEN format('%.1f MiB lie in carriers that instances gave up, %s those of %s: they wait in the pool for whoever needs them next.',
      at_stake_size / 1048576.0, iif(level = 'runtime', 'most of them', 'all'), allocator)
    WHEN 'peak retention' THEN format('%s keeps carriers of a past peak: %.0f %% used now, %.0f %% then. The next peak fills them; %.1f MiB wait for it.',
      allocator, 100 * own_utilisation, 100 * peak_utilisation, at_stake_size / 1048576.0)
    WHEN 'unknown' THEN iif(level = 'source',
      'Nothing to judge: the source tells of no carrier (see table source_capability).',
      iif(lack IS NOT NULL, format('Cannot be judged: %s.%s', lack,
        iif(carriers_size IS NULL, '', format(' The %.1f MiB that it still tells of show no problem.',
          carriers_size / 1048576.0))),
      'Cannot be judged: several processes are mixed in the events, which do not say whose they are. Record with the context vpid.'))
    ELSE CASE
      WHEN refused_size IS NOT NULL THEN
        format('Out of memory, and the memory is in use: %.1f MiB in carriers, %.0f %% of them in blocks, when %.1f MiB more were asked for and refused.',
          carriers_size / 1048576.0, ifnull(100.0 * blocks_size / nullif(carriers_size, 0), 100),
          refused_size / 1048576.0)
      WHEN level = 'runtime' THEN
        format('No problem found: %.1f MiB in carriers, %.0f %% of them in blocks.',
          carriers_size / 1048576.0, ifnull(100.0 * blocks_size / nullif(carriers_size, 0), 100))
      ELSE format('No problem found: %.1f MiB in carriers.', carriers_size / 1048576.0)
    END
  END AS sentence,
  at_stake_size AS at_stake_bytes,
  carriers_size AS carriers_bytes,
  blocks_size AS blocks_bytes,
  1.0 * blocks_size / nullif(carriers_size, 0) AS utilisation,
  peak_utilisation AS utilisation_at_peak,
  pool_min_size AS pooled_min_bytes,
  pool_size AS pooled_bytes,
  peak_size AS peak_bytes,
  -- Of a part of the allocators no upper limit follows.
  iif(lack IS NULL, saving_size, NULL) AS saving_bytes,
  iif(lack IS NULL, saving_max_size, NULL) AS saving_max_bytes,
  iif(lack IS NULL, max(0, peak_size - peak_blocks_size), NULL) AS saving_at_peak_bytes,
  CASE
    WHEN class = 'unknown' THEN 'estimate'
    WHEN is_assumed THEN 'estimate'
    WHEN lack IS NOT NULL THEN 'bound'
    WHEN snapshot_id IS NOT NULL THEN 'exact'
    WHEN class = 'pooled' AND level = 'runtime' AND NOT has_addresses THEN 'bound'
    WHEN class = 'pooled' THEN 'estimate'
    WHEN is_exact THEN 'exact'
    ELSE 'estimate'
  END AS confidence,
  nullif(ltrim(
    iif(NOT is_exact AND age_ns > 0, format('counters are %.3f s old', age_ns / 1e9), '')
    || iif(source_lost_events <> 0, format('; %d events were lost', source_lost_events), '')
    || iif(source_lost_packets <> 0, format('; %d packets were lost', source_lost_packets), '')
    || iif(is_assumed, '; that the readings are of one node is assumed', '')
    || iif(lack IS NULL OR class = 'unknown', '', '; ' || lack),
    '; '), '') AS doubt,
  source_lost_events, source_lost_packets,
  refused_size AS refused_bytes,
  -- What ended it stands before what was found.
  iif(level = 'source', iif(refused_size IS NULL, class, 'out of memory, ' || class),
    ifnull((SELECT e.word FROM _ending AS e WHERE e.place_id = figure.place_id AND level = 'runtime'
      AND e.word IS NOT NULL) || iif(class = 'normal', '', ', ' || class), class)) AS headline,
  iif(level = 'runtime', (SELECT e.cause FROM _ending AS e WHERE e.place_id = figure.place_id), NULL)
    AS ending
FROM figure;

-- report_verdict: the places first, then allocators that are not normal.
CREATE VIEW report_verdict AS
SELECT
  source_id AS source,
  vpid,
  iif(level = 'allocator', allocator, 'all') AS of,
  verdict,
  confidence,
  round(at_stake_bytes / 1048576.0, 2) AS at_stake_mib,
  round(saving_bytes / 1048576.0, 2) AS saving_mib,
  sentence,
  doubt,
  source_lost_events AS lost_events,
  ending
FROM verdict
WHERE level <> 'allocator' OR verdict NOT IN ('normal', 'unknown')
ORDER BY source_id, vpid, runtime_id, snapshot_id, level = 'allocator', at_stake_bytes DESC,
  allocator;

-- report_thresholds: the numbers that verdicts and findings turn on.
CREATE VIEW report_thresholds AS
SELECT t.name, t.value, t.unit, t.meaning, t.basis,
  (SELECT sum(lost_events) FROM source) AS lost_events
FROM finding_threshold AS t
ORDER BY t.name;

INSERT INTO view_doc VALUES
  ('finding_threshold', '', 'row', 'fast', 'One row for each number that verdicts and findings turn on; may be changed'),
  ('finding_threshold', 'name', 'text', 'label', 'Name of the threshold'),
  ('finding_threshold', 'value', 'any', 'label', 'The number'),
  ('finding_threshold', 'unit', 'text', 'label', 'Its unit'),
  ('finding_threshold', 'meaning', 'text', 'label', 'What it decides'),
  ('finding_threshold', 'basis', 'text', 'label', 'Where the number comes from'),
  ('_threshold', '', 'row', 'fast', 'Private. One row: the thresholds as columns'),
  ('_growth', '', 'row', 'fast', 'Private. One row for each allocator whose low-water mark rose from window to window'),
  ('_class', '', 'row', 'fast', 'Private. One row for each allocator of a place, with its class'),
  ('_stake', '', 'row', 'fast', 'Private. The same with the bytes that the class is about'),
  ('_board_verdict', '', 'row', 'fast', 'Private. One row for each source that tells of the heap of a board, with its class'),
  ('_main', '', 'row', 'fast', 'Private. One row for each place, with its class'),
  ('low_water', '', 'row', 'fast', 'One row for each allocator of a runtime and window of time: the least that was in blocks. A level told within a window counts from then on; the recording is cut into finding_threshold.growth_windows windows'),
  ('low_water', 'window', 'count', 'label', 'Number of the window, from 1'),
  ('low_water', 'begin_ns', 'ns', 'label', 'Begin of the window, since the Unix epoch'),
  ('low_water', 'end_ns', 'ns', 'label', 'End of the window'),
  ('low_water', 'low_bytes', 'bytes', 'estimate', 'Least bytes in blocks, at the ends of buckets of time: live bytes where block events were recorded, else as counters told'),
  ('verdict', '', 'row', 'fast', 'One row for each runtime or read node (level runtime), for each of its allocators, and for each source with nothing to judge (level source): leak, fragmentation, pooled, peak retention, normal or unknown'),
  ('verdict', 'level', 'text', 'label', 'What the row is about: runtime (also a node read at one moment), allocator or source'),
  ('verdict', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('verdict', 'allocator', 'text', 'label', 'The allocator; on level runtime the one that the verdict is about; NULL: none'),
  ('verdict', 'verdict', 'text', 'estimate', 'leak, fragmentation, pooled, peak retention, normal, or unknown when it cannot be told'),
  ('verdict', 'sentence', 'text', 'estimate', 'The verdict in words'),
  ('verdict', 'at_stake_bytes', 'bytes', 'estimate', 'What the verdict is about: growth of a leak, waste beyond one carrier for each instance, or pooled bytes; 0: normal'),
  ('verdict', 'carriers_bytes', 'bytes', 'estimate', 'Carriers owned at the end'),
  ('verdict', 'blocks_bytes', 'bytes', 'estimate', 'Blocks in them: live ones with a word of header where block events were recorded, else as last told'),
  ('verdict', 'utilisation', 'ratio', 'estimate', 'blocks_bytes / carriers_bytes; NULL without carriers'),
  ('verdict', 'utilisation_at_peak', 'ratio', 'estimate', 'Blocks by carriers when the allocator had most carriers; of a read node the ratio of two maxima; NULL: not known, or no allocator is named'),
  ('verdict', 'pooled_min_bytes', 'bytes', 'bound', 'Lower bound of what is in the pool; of an allocator an estimate; NULL: not known'),
  ('verdict', 'pooled_bytes', 'bytes', 'estimate', 'What is likely to be in the pool; NULL: not known'),
  ('verdict', 'peak_bytes', 'bytes', 'estimate', 'Most bytes of carriers; of a read node the sum of maxima of different times, an upper bound'),
  ('verdict', 'saving_bytes', 'bytes', 'estimate', 'Likely upper limit of what any change of flags can save at the end: carriers and pool less blocks, which every allocator must hold; NULL: not known, also of a dump that breaks off before or among its allocators'),
  ('verdict', 'saving_max_bytes', 'bytes', 'bound', 'The same with the pool''s upper bound; NULL: the pool has none'),
  ('verdict', 'saving_at_peak_bytes', 'bytes', 'estimate', 'What any change of flags can save at most of the peak: most carriers less most blocks'),
  ('verdict', 'refused_bytes', 'bytes', 'exact', 'Largest request for memory that was refused; NULL: none, or not on this level'),
  ('verdict', 'headline', 'text', 'label', 'The verdict behind what ended the node, when that is known: out of memory, died or halted; of a normal one only that'),
  ('verdict', 'ending', 'text', 'exact', 'What ended the node, or the last request that it was refused; NULL: not told, or not on this level'),
  ('verdict', 'confidence', 'text', 'label', 'Of the figures: exact (block events or a reading of the node), bound (also what is left of a dump that breaks off) or estimate (also readings that tell no name of their node)'),
  ('verdict', 'doubt', 'text', 'label', 'What makes the figures doubtful: age of counters, lost events, readings that are assumed to be of one node, a dump that breaks off; NULL: nothing'),
  ('report_verdict', '', 'row', 'fast', 'The verdict on each runtime, then on each allocator that is not normal; from verdict'),
  ('report_verdict', 'of', 'text', 'label', 'The allocator, or all'),
  ('report_verdict', 'verdict', 'text', 'estimate', 'leak, fragmentation, pooled, peak retention, normal or unknown'),
  ('report_verdict', 'confidence', 'text', 'label', 'Of the figures: exact, bound or estimate'),
  ('report_verdict', 'at_stake_mib', 'MiB', 'estimate', 'at_stake_bytes'),
  ('report_verdict', 'saving_mib', 'MiB', 'estimate', 'saving_bytes: no flag can save more'),
  ('report_verdict', 'sentence', 'text', 'estimate', 'The verdict in words'),
  ('report_verdict', 'doubt', 'text', 'label', 'Age of counters, lost events, what is assumed, what is missing'),
  ('report_verdict', 'ending', 'text', 'exact', 'What ended the node; empty: not told'),
  ('report_thresholds', '', 'row', 'fast', 'The numbers that verdicts and findings turn on; from finding_threshold'),
  ('report_thresholds', 'name', 'text', 'label', 'Name of the threshold'),
  ('report_thresholds', 'value', 'any', 'label', 'The number'),
  ('report_thresholds', 'unit', 'text', 'label', 'Its unit'),
  ('report_thresholds', 'meaning', 'text', 'label', 'What it decides'),
  ('report_thresholds', 'basis', 'text', 'label', 'Where the number comes from');
