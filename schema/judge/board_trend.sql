-- SPDX-License-Identifier: MIT
--
-- Layer:   where the heap of a board goes
-- Serves:  verdict
--
-- Of a log: which requests will fail, and when, as its free memory and the largest piece of it go.

-- _board_slot: one row for each of up to 32 parts of the readings of the last run of a log, in their order: the least that was
-- free, and the least of its largest pieces.  at: seconds of the board's uptime, where most readings stand behind a reading of
-- their own of it (top), else requests that were granted.
CREATE TEMP TABLE _board_slot AS
WITH reading AS MATERIALIZED (
  SELECT source_id, run, id, line, free_bytes, free_largest, allocs, max(run) OVER (PARTITION BY source_id) AS last_run
  FROM heap_reading
  WHERE origin = 'log'
),
mark AS (
  SELECT source_id, line, NULL AS cpu_line FROM reading
  UNION ALL
  SELECT s.source_id, s.line, s.line FROM snapshot AS s JOIN cpu_sample AS c ON c.snapshot_id = s.id WHERE s.kind = 'cpu'
),
around AS (
  SELECT source_id, line, cpu_line, max(cpu_line) OVER (PARTITION BY source_id ORDER BY line) AS before_line FROM mark
),
uptime AS MATERIALIZED (
  SELECT a.source_id, a.line, c.uptime_ns
  FROM around AS a
  JOIN snapshot AS s ON s.source_id = a.source_id AND s.line = a.before_line AND s.kind = 'cpu'
  JOIN cpu_sample AS c ON c.snapshot_id = s.id
  WHERE a.cpu_line IS NULL
),
placed AS (
  SELECT r.source_id, r.id, r.free_bytes, r.free_largest, r.allocs, u.uptime_ns / 1e9 AS seconds,
    row_number() OVER (PARTITION BY r.source_id ORDER BY r.id) - 1 AS number, count(*) OVER (PARTITION BY r.source_id) AS readings
  FROM reading AS r
  LEFT JOIN uptime AS u ON u.source_id = r.source_id AND u.line = r.line
  WHERE r.run = r.last_run
),
timed AS (
  SELECT source_id, 2 * count(DISTINCT seconds) > count(*) AND max(seconds) > min(seconds) AS has_time FROM placed GROUP BY source_id
)
SELECT p.source_id, p.number * min(32, p.readings) / p.readings AS slot, p.readings, t.has_time,
  max(iif(t.has_time, p.seconds, p.allocs)) AS at, min(p.free_bytes) AS free, min(p.free_largest) AS largest
FROM placed AS p
JOIN timed AS t ON t.source_id = p.source_id
GROUP BY p.source_id, slot;

-- _board_trend: one row for each log and each of both: how it goes.  z: by how many standard deviations fewer pairs rise than
-- would by chance (Mann and Kendall); rate: the median of what pairs lose for each second or request (Theil and Sen), and no
-- more than what was lost since the middle; NULL: it does not fall to the end.
--
-- Worked example, tests/views/_board_trend: the largest piece falls by 52 bytes a second, and free memory does not.
CREATE TEMP TABLE _board_trend AS
WITH level AS MATERIALIZED (
  SELECT source_id, 'free' AS what, slot, readings, has_time, at, free AS bytes FROM _board_slot
  UNION ALL
  SELECT source_id, 'largest', slot, readings, has_time, at, largest FROM _board_slot
),
pair AS (
  SELECT a.source_id, a.what, sign(b.bytes - a.bytes) AS sign, (a.bytes - b.bytes) / nullif(1.0 * b.at - a.at, 0) AS rate
  FROM level AS a
  JOIN level AS b ON b.source_id = a.source_id AND b.what = a.what AND b.slot > a.slot
),
median AS (
  SELECT source_id, what, rate
  FROM (
    SELECT *, row_number() OVER (PARTITION BY source_id, what ORDER BY rate) AS n, count(*) OVER (PARTITION BY source_id, what) AS pairs
    FROM pair
    WHERE rate IS NOT NULL
  )
  WHERE n = (pairs + 1) / 2
),
ends AS (
  SELECT source_id, what, readings, has_time, count(*) AS points,
    max(bytes) FILTER (WHERE is_first) AS first_bytes, max(bytes) FILTER (WHERE is_middle) AS middle_bytes, max(bytes) FILTER (WHERE is_last) AS last_bytes,
    max(at) FILTER (WHERE is_middle) AS middle_at, max(at) AS last_at, max(at) - min(at) AS span
  FROM (
    SELECT *, slot = 0 AS is_first, slot = max(slot) OVER one / 2 AS is_middle, slot = max(slot) OVER one AS is_last
    FROM level
    WINDOW one AS (PARTITION BY source_id, what)
  )
  GROUP BY source_id, what
),
tested AS (
  SELECT source_id, what, sum(sign) AS s, count(*) AS pairs FROM pair GROUP BY source_id, what
)
SELECT e.source_id, e.what, e.readings, e.has_time, e.points, e.first_bytes, e.last_bytes, e.span,
  (t.s - sign(t.s)) / sqrt(e.points * (e.points - 1) * (2 * e.points + 5) / 18.0) AS z,
  iif(m.rate > 0 AND e.middle_bytes - e.last_bytes >= 0.25 * (e.first_bytes - e.last_bytes) AND e.first_bytes > e.last_bytes,
    min(m.rate, 1.0 * (e.middle_bytes - e.last_bytes) / (e.last_at - e.middle_at)), NULL) AS rate
FROM ends AS e
LEFT JOIN tested AS t ON t.source_id = e.source_id AND t.what = e.what
LEFT JOIN median AS m ON m.source_id = e.source_id AND m.what = e.what;

-- _board_outlook: one row for each log: the class of its trend, which requests will fail, and when, as a sentence.
--
-- A request that was refused in an earlier run and would be granted now is the one that is asked about, else one of the largest power
-- of two that fits twice into the largest piece.
--
-- Worked example, tests/views/_board_outlook: requests of 8,192 bytes will fail in about 4 minutes.
CREATE TEMP TABLE _board_outlook AS
WITH asked AS (
  SELECT l.source_id, max(f.size_bytes) AS bytes
  FROM _board_trend AS l
  JOIN board_failure AS f ON f.source_id = l.source_id AND f.size_bytes < l.last_bytes
  WHERE l.what = 'largest'
  GROUP BY l.source_id
),
both AS (
  SELECT l.source_id, l.readings, l.has_time, l.points, l.span, l.first_bytes AS first_largest, l.last_bytes AS last_largest,
    f.first_bytes AS first_free, f.last_bytes AS last_free,
    ifnull(a.bytes, 1 << CAST(log2(max(2, l.last_bytes) / 2) AS INTEGER)) AS asked_bytes,
    iif(l.z <= -t.growth_z_count, l.rate, NULL) AS largest_rate, iif(f.z <= -t.growth_z_count, f.rate, NULL) AS free_rate
  FROM _board_trend AS l
  JOIN _board_trend AS f ON f.source_id = l.source_id AND f.what = 'free'
  JOIN _threshold AS t
  LEFT JOIN asked AS a ON a.source_id = l.source_id
  WHERE l.what = 'largest'
),
due AS (
  SELECT *, ifnull(free_rate >= 0.5 * largest_rate, largest_rate IS NULL) AS is_leak,
    iif(largest_rate IS NULL, last_free / free_rate, (last_largest - asked_bytes) / largest_rate) AS until
  FROM both
),
worded AS (
  SELECT *, CASE
      WHEN NOT has_time THEN format('after about %,d more requests', CAST(round(until) AS INTEGER))
      WHEN until < 120 THEN format('in about %.0f seconds', until)
      WHEN until < 7200 THEN format('in about %.0f minutes', until / 60)
      WHEN until < 172800 THEN format('in about %.0f hours', until / 3600)
      ELSE format('in about %.0f days', until / 86400) END AS until_text,
    format('%.*f bytes', CASE WHEN ifnull(largest_rate, free_rate) < 0.1 THEN 4 WHEN ifnull(largest_rate, free_rate) < 10 THEN 1 ELSE 0 END,
      ifnull(largest_rate, free_rate)) || iif(has_time, '/s', ' a request') AS rate_text,
    until <= iif(has_time, 604800, 100 * span) AS is_near
  FROM due
)
SELECT source_id, readings,
  -- Fewer may be one tooth of a saw; six that all fall are the fewest which chance does not make (growth_z_count).  Near: within a week, or a hundred times of what was recorded.
  CASE WHEN points < 8 THEN 'unknown'
    WHEN is_near THEN iif(is_leak, 'leak', 'fragmentation')
    ELSE 'normal' END AS class,
  CAST(max(0, iif(largest_rate IS NULL, first_free - last_free, first_largest - last_largest)) AS INTEGER) AS fallen_bytes,
  CASE
    WHEN points < 8 THEN format('Whether that falls is not known: the last run has %d reading%s, and 8 show it.', readings, iif(readings = 1, '', 's'))
    WHEN until IS NULL THEN format('That either falls is not to be seen in %,d readings.', readings)
    WHEN largest_rate IS NULL THEN format('Free memory falls from %,d bytes by %s and is gone %s; the largest piece of it has %,d.', last_free, rate_text, until_text, last_largest)
    ELSE format(iif(is_near, 'Requests of %,d bytes will fail %s: the largest piece falls from %,d by %s, %s.', 'Requests of %,d bytes would fail only %s: the largest piece falls from %,d by %s, %s.'), asked_bytes, until_text, last_largest, rate_text,
      CASE WHEN is_leak THEN format('and free memory, %,d bytes, with it', last_free)
        WHEN free_rate IS NULL THEN format('while free memory stays at %,d', last_free) ELSE format('faster than free memory, %,d bytes', last_free) END) END AS sentence
FROM worded;
