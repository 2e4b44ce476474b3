-- SPDX-License-Identifier: MIT
--
-- Layer:   classes
-- Serves:  verdict, finding
--
-- What each allocator is, what it may be, and what that is about; and the same of the heap of a board.

-- _class: one row for each allocator of a place: for each class whether it is so over all of the
-- intervals of its figures (is_), and whether it may be so somewhere in them (may_).
--
-- Each instance may have one carrier that it just fills, so that one carrier of mean size for each
-- instance is never called waste.
CREATE TEMP TABLE _class AS
WITH held AS MATERIALIZED (SELECT * FROM _memory_by_allocator),
place AS MATERIALIZED (SELECT * FROM _subject),
series AS MATERIALIZED (SELECT * FROM _series_growth),
-- What one who grew holds of an allocator, and what grew in all.
part AS MATERIALIZED (
  SELECT p.subject_id, p.allocator, g.grown_bytes, g.is_leak
  FROM _grown_part AS p
  JOIN growth AS g ON g.runtime_id = p.subject_id AND g.holder = p.holder AND g.kind = p.kind
  WHERE p.state = 'grows'
),
-- The last reading, if it is the highest; of a few, which are no curve, all of the rise if each is higher than the one before.
reading AS (
  SELECT r.runtime_id AS subject_id, r.allocator, r.bytes, row_number() OVER later AS number, r.bytes > lead(r.bytes) OVER later AS has_risen
  FROM (
    SELECT runtime_id, allocator, ts_ns, snapshot_id,
      ifnull(mbc_blocks_bytes, 0) + ifnull(sbc_blocks_bytes, 0) + ifnull(pool_blocks_bytes, 0) AS bytes
    FROM _recorded_sum
  ) AS r
  WINDOW later AS (PARTITION BY r.runtime_id, r.allocator ORDER BY r.ts_ns DESC, abs(r.snapshot_id) DESC)
),
late AS MATERIALIZED (
  SELECT subject_id, allocator, count(*) < 5 AND sum(has_risen) = count(*) - 1 AS is_steady,
    max(bytes) FILTER (WHERE number = 1) - iif(count(*) < 5 AND sum(has_risen) = count(*) - 1, min(bytes), max(bytes) FILTER (WHERE number > 1)) AS bytes
  FROM reading
  GROUP BY subject_id, allocator
  HAVING count(*) > 1 AND max(bytes) FILTER (WHERE number = 1) > max(bytes) FILTER (WHERE number > 1)
),
-- How what an allocator holds goes, or, where that does not rise, what one of its holders has.
state AS MATERIALIZED (
  SELECT c.subject_id, c.allocator, iif(r.curve_id IS NULL, c.state, 'flat') AS state, c.grown, c.points, c.base, c.z,
    CAST(ifnull(max(p.grown_bytes), iif(c.state = 'grows', c.grown, 0)) AS INTEGER) AS leak_bytes, max(p.is_leak) AS is_leak,
    -- As of a trend: what falls by half as much as it rises swings, or fills up again.
    CAST(iif(c.state = 'open' AND r.curve_id IS NULL AND c.fallen < 0.5 * c.grown, c.grown, 0) AS INTEGER) AS open_bytes
  FROM _curve_state AS c
  LEFT JOIN part AS p ON p.subject_id = c.subject_id AND p.allocator = c.allocator
  -- What grew is room in heaps that were there.
  LEFT JOIN (SELECT DISTINCT curve_id FROM _grown_part WHERE way = 'room') AS r ON r.curve_id = c.curve_id
  WHERE c.scope = 'allocator'
  GROUP BY c.subject_id, c.allocator
),
history AS MATERIALIZED (SELECT * FROM _history),
-- Where every block was recorded: the most that was in blocks at once.
most AS MATERIALIZED (
  SELECT l.subject_id, l.allocator, max(l.bytes) AS bytes
  FROM _level AS l
  WHERE l.subject_id IN (SELECT y.subject_id FROM history AS y WHERE y.has_blocks)
  GROUP BY l.subject_id, l.allocator
),
bound AS (
  SELECT h.*,
    -- Blocks in employed carriers.
    max(0, h.blocks_low_bytes - ifnull(h.sbc_blocks_high_bytes, h.blocks_low_bytes) - ifnull(h.pool_blocks_high_bytes, h.blocks_low_bytes)) AS own_low,
    CASE WHEN h.blocks_high_bytes IS NULL THEN h.mbc_high_bytes WHEN h.mbc_high_bytes IS NULL THEN h.blocks_high_bytes
      ELSE min(h.mbc_high_bytes, max(0, h.blocks_high_bytes - h.sbc_blocks_low_bytes - h.pool_blocks_low_bytes)) END AS own_high,
    -- The same with those in the pool.
    max(0, h.blocks_low_bytes - ifnull(h.sbc_blocks_high_bytes, h.blocks_low_bytes)) AS all_low,
    CASE WHEN h.blocks_high_bytes IS NULL THEN h.mbc_high_bytes + h.pool_high_bytes
      ELSE max(0, h.blocks_high_bytes - h.sbc_blocks_low_bytes) END AS all_high,
    min(h.instances, h.mbc_carriers) * h.mbc_bytes / max(1, h.mbc_carriers) AS spare,
    h.mbc_low_bytes IS h.mbc_high_bytes AS is_spare_known
  FROM held AS h
),
waste AS (
  SELECT b.*,
    max(0, b.mbc_low_bytes - ifnull(b.own_high, b.mbc_low_bytes) - iif(b.is_spare_known, b.spare, b.mbc_low_bytes)) AS waste_low,
    max(0, b.mbc_high_bytes - b.own_low - iif(b.is_spare_known, b.spare, 0)) AS waste_high,
    max(0, b.mbc_bytes - b.mbc_blocks_bytes - b.spare) AS waste_bytes,
    max(0, b.mbc_low_bytes + b.pool_low_bytes - ifnull(b.all_high, b.mbc_low_bytes + b.pool_low_bytes)
      - iif(b.is_spare_known, b.spare, b.mbc_low_bytes)) AS idle_low,
    max(0, b.mbc_high_bytes + b.pool_high_bytes - b.all_low - iif(b.is_spare_known, b.spare, 0)) AS idle_high,
    1.0 * b.own_low / nullif(b.mbc_high_bytes, 0) AS use_low,
    1.0 * b.own_high / nullif(b.mbc_low_bytes, 0) AS use_high,
    1.0 * b.all_low / nullif(b.mbc_high_bytes + b.pool_high_bytes, 0) AS all_use_low,
    1.0 * b.all_high / nullif(b.mbc_low_bytes + b.pool_low_bytes, 0) AS all_use_high
  FROM bound AS b
),
figure AS (
  SELECT
    w.*,
    1.0 * w.mbc_blocks_bytes / nullif(w.mbc_bytes, 0) AS utilisation,
    -- Carriers may have been at their most long before the blocks in them were.
    min(1.0, 1.0 * max(w.blocks_at_peak_bytes, ifnull(m.bytes, 0)) / nullif(w.peak_bytes, 0)) AS peak_utilisation,
    max(w.blocks_at_peak_bytes, ifnull(m.bytes, 0)) AS most_blocks_bytes,
    coalesce(nullif(u.leak_bytes, 0), g.growth_bytes) AS growth_bytes, g.is_assumed, ifnull(u.is_leak, g.subject_id IS NOT NULL) AS grows,
    -- What grew is held, and neither that it goes on nor that it is over is shown.
    iif(y.is_complete AND NOT (y.has_counters AND NOT y.has_blocks), ifnull(u.open_bytes, 0), 0) AS open_bytes,
    iif(y.is_complete AND NOT (y.has_counters AND NOT y.has_blocks) AND NOT y.is_boot, ifnull(e.bytes, 0), 0) AS late_bytes, e.is_steady,
    u.state, u.grown AS grown_bytes, u.points, u.base AS base_bytes, u.z,
    p.is_mixed, p.pool_min_bytes, p.pool_max_bytes, p.total_low_bytes AS subject_low_bytes,
    p.total_high_bytes AS subject_high_bytes,
    y.is_complete, y.recorded_s, y.has_blocks, y.has_counters, y.has_samples, y.is_boot, y.is_hooked, y.subject_id IS NOT NULL AS is_traced,
    -- Of a node that ran before, the shorter it was recorded the less matters.
    iif(ifnull(y.is_hooked AND NOT y.is_boot, 0), min(1.0, max(0.0625, y.recorded_s / t.growth_full_s)), 1.0) AS time_share
  FROM waste AS w
  JOIN place AS p ON p.subject_id = w.subject_id
  JOIN _threshold AS t
  LEFT JOIN series AS g ON g.subject_id = w.subject_id AND g.allocator = w.allocator
  LEFT JOIN history AS y ON y.subject_id = w.subject_id
  LEFT JOIN most AS m ON m.subject_id = w.subject_id AND m.allocator = w.allocator
  LEFT JOIN state AS u ON u.subject_id = w.subject_id AND u.allocator = w.allocator
  LEFT JOIN late AS e ON e.subject_id = w.subject_id AND e.allocator = w.allocator
),
doubt AS (
  SELECT f.*,
    f.open_bytes > 0 OR f.late_bytes >= iif(f.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes * iif(f.is_steady, f.time_share, 1)) AS is_open,
    max(f.open_bytes, f.late_bytes) AS seen_bytes
  FROM figure AS f
  JOIN _threshold AS t
),
weighed AS (
  SELECT f.*,
    iif(f.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes) AS leak_bytes,
    ifnull(f.grows AND f.growth_bytes > 0, 0)
      -- In a short run that is whole a second may be hours: growth counts by its size.
      AND (NOT ifnull(f.is_boot AND f.recorded_s < t.growth_full_s, 0) OR f.growth_bytes >= iif(f.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes))
      AND ifnull(f.is_complete OR f.points >= 5 AND NOT f.has_counters AND NOT f.has_blocks, 1)
      -- Counters do not say what is freed inside carriers: growth that they show may be over.
      AND NOT (ifnull(f.has_counters, 0) AND NOT f.has_blocks)
      -- Of a part of a run growth says nothing of the whole; a hooked node has no whole.
      AND ifnull(f.is_boot OR f.is_hooked OR NOT f.is_traced, 1) AS is_leak,
    max(f.waste_bytes, iif(f.pool_bytes > 0, min(ifnull(f.unused_bytes, 0), f.idle_high), 0)) AS frag_bytes,
    -- May it be one? Not where all of it was seen and shows none, nor in what is too little.
    CASE
      WHEN NOT f.is_traced THEN 0
      -- What grows fast in a short recording may be little as yet.
      WHEN f.blocks_high_bytes < iif(f.allocator = 'temp_alloc', t.temp_bytes, t.matter_bytes * f.time_share) THEN 0
      WHEN f.is_open THEN 1
      WHEN NOT f.is_complete THEN f.has_blocks OR f.has_counters OR ifnull(f.points, 0) < 5
      -- Growth that matters is seen in the counters, or may have come since they were last recorded.
      WHEN f.has_counters AND NOT f.has_blocks THEN
        ifnull(f.grown_bytes >= t.matter_bytes OR f.z >= t.growth_z_count AND f.grown_bytes >= t.matter_bytes / 16, 0)
        OR ifnull(max(f.grown_bytes, f.blocks_bytes - f.base_bytes) + f.blocks_high_bytes - f.blocks_bytes >= t.matter_bytes, 1)
      WHEN f.has_samples THEN ifnull(f.points, 0) < 5
      -- Seen in part only: what rose then may have risen before.
      WHEN f.has_blocks AND NOT f.is_boot AND NOT f.is_hooked THEN ifnull(f.state IN ('grows', 'open') OR f.z >= t.growth_z_count AND f.grown_bytes >= t.matter_bytes / 16, 0)
      ELSE 0
    END AS may_leak,
    ifnull(f.use_high < t.low_utilisation_ratio AND f.waste_low >= t.matter_bytes
      AND f.waste_low >= iif(ifnull(f.pool_max_bytes < t.matter_bytes, 0), 0, ifnull(f.pool_high_bytes, f.waste_low + 1)), 0)
      OR ifnull(f.all_use_high < t.low_utilisation_ratio AND f.idle_low >= t.matter_bytes
        AND f.idle_low >= t.pool_waste_share * f.subject_high_bytes AND NOT ifnull(f.is_fetched, 0)
        -- How long it waits is seen only in a whole run.
        AND (NOT f.is_traced OR f.is_boot OR f.is_hooked)
        AND (f.idle_low >= t.pool_waste_bytes OR ifnull(f.waiting_bytes, 0) >= t.matter_bytes), 0) AS is_frag,
    ifnull(f.use_low, 0) < t.low_utilisation_ratio AND ifnull(f.waste_high >= t.matter_bytes
        AND f.waste_high >= iif(f.pool_min_bytes >= t.matter_bytes, f.pool_low_bytes, 0), 1)
      OR (ifnull(f.all_use_low, 0) < t.low_utilisation_ratio AND ifnull(f.idle_high >= t.matter_bytes
        AND f.idle_high >= t.pool_waste_share * f.subject_low_bytes, 1) AND NOT ifnull(f.is_fetched, 0)
        AND ifnull(f.pool_high_bytes >= t.matter_bytes, 1)
        AND (ifnull(f.idle_high >= t.pool_waste_bytes, 1) OR ifnull(f.waiting_bytes, 0) >= t.matter_bytes
          OR (f.is_traced AND NOT f.is_boot AND NOT f.is_hooked))) AS may_frag,
    f.pool_min_bytes >= t.matter_bytes AND f.pool_low_bytes >= t.matter_bytes
      AND ifnull(f.pool_low_bytes >= t.matter_share * f.total_high_bytes, 0) AS is_pooled,
    ifnull(f.pool_max_bytes >= t.matter_bytes, 1) AND ifnull(f.pool_high_bytes >= t.matter_bytes, 1)
      AND ifnull(f.pool_high_bytes >= t.matter_share * f.total_low_bytes, 1) AS may_pooled,
    ifnull(f.use_high < t.good_utilisation_ratio AND f.waste_low >= t.matter_bytes
      AND f.peak_utilisation >= t.good_utilisation_ratio AND f.blocks_high_bytes <= t.good_utilisation_ratio * f.most_blocks_bytes, 0) AS is_retained,
    ifnull(f.use_low, 0) < t.good_utilisation_ratio AND ifnull(f.waste_high >= t.matter_bytes, 1)
      -- A peak before the recording began is not known.
      AND (ifnull(f.is_traced AND NOT f.is_boot AND NOT f.is_hooked, 0)
        OR (ifnull(f.peak_utilisation >= t.good_utilisation_ratio, f.is_traced)
          AND ifnull(f.blocks_low_bytes <= t.good_utilisation_ratio * f.most_blocks_bytes, f.is_traced))) AS may_retained
  FROM doubt AS f
  JOIN _threshold AS t
)
SELECT
  j.*,
  -- A recording whose processes cannot be distinguished belongs to no process.
  CASE
    WHEN j.is_mixed THEN 'unknown'
    WHEN j.is_leak THEN 'leak'
    -- Growth that may be over does not hide a problem that is known, and larger.
    WHEN j.may_leak AND NOT (j.is_open AND j.seen_bytes / j.time_share < iif(j.is_frag, j.frag_bytes, iif(j.is_pooled AND NOT j.may_frag, j.pool_bytes, 0)))
      THEN 'unknown'
    WHEN j.is_frag THEN 'fragmentation'
    WHEN j.may_frag THEN 'unknown'
    WHEN j.is_pooled THEN 'pooled'
    WHEN j.may_pooled THEN 'unknown'
    WHEN j.is_retained THEN 'peak retention'
    WHEN j.may_retained THEN 'unknown'
    ELSE 'normal'
  END AS class,
  -- What a class that is not certain may be about, at most; NULL: nothing bounds it.
  CASE WHEN j.may_leak THEN NULL
    WHEN j.may_frag OR j.may_pooled OR j.may_retained THEN max(j.waste_high, j.idle_high, j.pool_high_bytes) ELSE 0 END AS doubt_bytes,
  rtrim(iif(j.may_leak, 'leak, ', '') || iif(j.may_frag, 'fragmentation, ', '') || iif(j.may_pooled, 'pooled, ', '')
    || iif(j.may_retained, 'peak retention, ', ''), ', ') AS may_be
FROM weighed AS j;

-- _class_bytes: the same with the bytes that the class is about.
CREATE TEMP TABLE _class_bytes AS
SELECT
  *,
  CASE class
    WHEN 'leak' THEN growth_bytes
    WHEN 'pooled' THEN pool_bytes
    WHEN 'fragmentation' THEN frag_bytes
    WHEN 'peak retention' THEN waste_bytes
    ELSE 0
  END AS at_stake_bytes
FROM _class;

-- _board_verdict: one row for each source with the heap of a board: fragmentation
-- when a request was refused although as much was free, only in pieces; else where its heap goes.
CREATE TEMP TABLE _board_verdict AS
SELECT
  h.source_id,
  iif(f.size_bytes IS NOT NULL, 'fragmentation', ifnull(o.class, 'normal')) AS class,
  CASE WHEN f.size_bytes IS NOT NULL THEN f.free_bytes - f.free_largest WHEN o.class IN ('leak', 'fragmentation') THEN o.fallen_bytes ELSE 0 END AS at_stake_bytes,
  CASE
    WHEN f.size_bytes IS NOT NULL THEN format('%s could not get %,d bytes although %,d were free: the largest piece had %,d. The board''s memory is fragmented.',
      f.allocator, f.size_bytes, f.free_bytes, f.free_largest) || iif(o.class IN ('leak', 'fragmentation'), ' ' || o.sentence, '')
    WHEN o.class IN ('leak', 'fragmentation') THEN o.sentence
    ELSE format('%s%,d bytes of the board''s heap are free, the largest piece has %,d.%s', iif(o.class = 'unknown', 'Not known: ', 'Nothing wrong: '),
      h.free_bytes, h.free_largest, ifnull(' ' || o.sentence, '')) END AS sentence,
  iif(f.size_bytes IS NULL AND ifnull(o.class, 'normal') <> 'normal', 'estimate', 'exact') AS quality,
  f.size_bytes AS refused_bytes,
  max(h.id)
FROM heap_reading AS h
LEFT JOIN board_failure AS f ON f.source_id = h.source_id
  AND f.size_bytes <= f.free_bytes AND f.size_bytes > f.free_largest
LEFT JOIN _board_outlook AS o ON o.source_id = h.source_id
GROUP BY h.source_id;

-- _aside: one row for each place: what is known beside a verdict that is unknown, and what is not beside one that is known,
-- as sentences; NULL: nothing.  That an allocator is fragmented, or much waits in the pool, is so whatever grows.
--
-- Worked example, tests/views/_aside: binary_alloc is fragmented, and eheap_alloc grew at the end of a short recording.
CREATE TEMP VIEW _aside AS
WITH stake AS MATERIALIZED (
  SELECT *, mbc_bytes + pool_bytes AS kept_bytes, max(0, mbc_bytes + pool_bytes - blocks_bytes + sbc_blocks_bytes) AS empty_bytes,
    iif(is_frag, frag_bytes, iif(is_pooled, pool_bytes, 0)) AS known_bytes
  FROM _class_bytes
),
fixed AS (
  SELECT s.*, row_number() OVER (PARTITION BY s.subject_id ORDER BY s.is_frag DESC, s.known_bytes DESC, s.allocator) AS rank
  FROM stake AS s
  JOIN _subject AS p ON p.subject_id = s.subject_id
  JOIN _threshold AS t
  WHERE s.known_bytes > 0 AND s.known_bytes >= t.matter_share * p.total_low_bytes AND NOT s.is_mixed
    AND (s.class IN ('fragmentation', 'pooled') OR s.may_leak)
),
growing AS (
  SELECT s.subject_id, s.allocator, s.seen_bytes, row_number() OVER (PARTITION BY s.subject_id ORDER BY s.seen_bytes DESC, s.allocator) AS rank
  FROM stake AS s
  WHERE s.class IN ('unknown', 'fragmentation', 'pooled') AND s.is_open
)
SELECT p.subject_id, ifnull(f.is_frag, 0) AS is_frag,
  CASE
    WHEN f.is_frag THEN format('Apart from that, %s is fragmented: it keeps %.1f MiB in multi-block carriers and uses %.0f %% of them: %.1f MiB is empty space the node cannot return to the OS.',
      f.allocator, f.kept_bytes / 1048576.0, 100.0 - 100.0 * f.empty_bytes / nullif(f.kept_bytes, 0), f.empty_bytes / 1048576.0)
    WHEN f.is_pooled THEN format('Apart from that, %.1f MiB of %s is in half-empty carriers that schedulers handed back.', f.pool_bytes / 1048576.0, f.allocator)
  END AS known,
  iif(g.allocator IS NULL, NULL, format('Whether %s goes on growing is not known: it grew by %.1f MiB.', g.allocator, g.seen_bytes / 1048576.0)) AS open
FROM _subject AS p
LEFT JOIN fixed AS f ON f.subject_id = p.subject_id AND f.rank = 1
LEFT JOIN growing AS g ON g.subject_id = p.subject_id AND g.rank = 1;
