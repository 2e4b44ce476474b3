-- SPDX-License-Identifier: MIT
--
-- Layer:   what is held, for verdicts and findings
-- Serves:  low_water, verdict, finding, waterfall, metrics
--
-- One shape for what verdicts need, read from table figure: a row for each allocator of a place,
-- with what is likely at the end, and what it is at least and at most.  A place is where memory is:
-- a runtime that was traced, whose number is runtime.id, or a node that was read at one moment,
-- whose number is -snapshot.id.

-- _snapshot_memory_by_allocator: one row for each allocator of a node that was read at one moment: sums over its instances.
CREATE TEMP TABLE _snapshot_memory_by_allocator AS
WITH figure AS (
  SELECT
    s.snapshot_id, s.allocator,
    count(DISTINCT s.instance) + (count(s.instance) = 0) AS instances,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers') AS mbc_carriers,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers_size') AS mbc_bytes,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'blocks_size') AS mbc_blocks_bytes,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers') AS sbc_carriers,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers_size') AS sbc_bytes,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'blocks') AS sbc_blocks,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'blocks_size') AS sbc_blocks_bytes,
    sum(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'carriers_size') AS pool_bytes,
    sum(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'blocks_size') AS pool_blocks_bytes,
    sum(s.max_ever) FILTER (WHERE s.key = 'carriers_size') AS peak_bytes,
    sum(s.max_ever) FILTER (WHERE s.key = 'blocks_size') AS peak_blocks_bytes
  FROM instance_stat AS s
  WHERE s.section IN ('mbcs', 'sbcs', 'mbcs_pool')
  GROUP BY s.snapshot_id, s.allocator
)
SELECT
  -n.id AS subject_id,
  n.source_id, n.runtime_id, n.id AS snapshot_id, r.vpid, f.allocator,
  f.instances,
  ifnull(f.mbc_carriers, 0) AS mbc_carriers,
  f.mbc_bytes,
  ifnull(f.mbc_blocks_bytes, 0) AS mbc_blocks_bytes,
  ifnull(f.sbc_carriers, 0) AS sbc_carriers,
  ifnull(f.sbc_bytes, 0) AS sbc_bytes,
  ifnull(f.sbc_blocks, 0) AS sbc_blocks,
  ifnull(f.sbc_blocks_bytes, 0) AS sbc_blocks_bytes,
  ifnull(f.pool_bytes, 0) AS pool_bytes,
  ifnull(f.pool_blocks_bytes, 0) AS pool_blocks_bytes,
  1 AS has_addresses,
  NULL AS user_bytes,
  'exact' AS blocks_quality,
  f.peak_bytes,
  f.peak_blocks_bytes AS blocks_at_peak_bytes,
  f.peak_blocks_bytes,
  0 AS age_ns,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM figure AS f
JOIN snapshot AS n ON n.id = f.snapshot_id
JOIN source AS o ON o.id = n.source_id
LEFT JOIN runtime AS r ON r.id = n.runtime_id
WHERE f.mbc_bytes IS NOT NULL;

-- _snapshot_at_end: one row for each traced process that recorded no carrier events but read its
-- own figures (module carrierscope): its last whole reading, and how many it recorded.
CREATE TEMP TABLE _snapshot_at_end AS
SELECT s.runtime_id, max(s.id) FILTER (WHERE s.ts_ns = m.ts_ns) AS snapshot_id,
  max(m.ts_ns) AS ts_ns, count(*) AS readings
FROM _recorded_snapshot AS s
JOIN _whole_reading AS w ON w.runtime_id = s.runtime_id AND w.snapshot_id = s.recorded_id
JOIN (
  SELECT t.runtime_id, max(t.ts_ns) AS ts_ns
  FROM _recorded_snapshot AS t
  JOIN _whole_reading AS e ON e.runtime_id = t.runtime_id AND e.snapshot_id = t.recorded_id
  GROUP BY t.runtime_id
) AS m ON m.runtime_id = s.runtime_id
WHERE NOT EXISTS (SELECT 1 FROM allocator_use AS u WHERE u.runtime_id = s.runtime_id)
GROUP BY s.runtime_id;

-- _read_sum: one row for each allocator at each snapshot of a traced node: sums over its instances.
CREATE TEMP VIEW _read_sum AS
WITH part AS (
  SELECT runtime_id, snapshot_id, allocator_id, instance, section, current, max_ever,
    iif(instr(key, '/') = 0, key, substr(key, 1, instr(key, '/') - 1)) AS key
  FROM snapshot_figure
  -- Blocks and carriers, in words or bytes, also those of another allocator; not what the pool counts.
  WHERE section IN ('mbcs', 'sbcs', 'mbcs_pool') AND key BETWEEN 'blocks' AND 'carriers_size'
)
SELECT
  runtime_id, snapshot_id, allocator_id,
  count(DISTINCT instance) AS instances,
  sum(current) FILTER (WHERE section = 'mbcs' AND key = 'carriers') AS mbc_carriers,
  sum(current) FILTER (WHERE section = 'mbcs' AND key = 'carriers_size') AS mbc_bytes,
  sum(current) FILTER (WHERE section = 'mbcs' AND key = 'blocks_size') AS mbc_blocks_bytes,
  sum(current) FILTER (WHERE section = 'sbcs' AND key = 'carriers') AS sbc_carriers,
  sum(current) FILTER (WHERE section = 'sbcs' AND key = 'carriers_size') AS sbc_bytes,
  sum(current) FILTER (WHERE section = 'sbcs' AND key = 'blocks') AS sbc_blocks,
  sum(current) FILTER (WHERE section = 'sbcs' AND key = 'blocks_size') AS sbc_blocks_bytes,
  sum(current) FILTER (WHERE section = 'mbcs_pool' AND key = 'carriers_size') AS pool_bytes,
  sum(current) FILTER (WHERE section = 'mbcs_pool' AND key = 'blocks_size') AS pool_blocks_bytes,
  sum(max_ever) FILTER (WHERE section <> 'mbcs_pool' AND key = 'carriers_size') AS peak_bytes,
  sum(max_ever) FILTER (WHERE section <> 'mbcs_pool' AND key = 'blocks_size') AS peak_blocks_bytes
FROM part
GROUP BY runtime_id, snapshot_id, allocator_id;

-- _recorded_sum: bytes of each allocator at each reading of these processes.  The figures are many: names come last.
CREATE TEMP TABLE _recorded_sum AS
WITH reading AS MATERIALIZED (
  SELECT n.runtime_id, n.ts_ns, n.id, n.recorded_id
  FROM _snapshot_at_end AS k
  JOIN _recorded_snapshot AS n ON n.runtime_id = k.runtime_id AND n.ts_ns <= k.ts_ns
  JOIN _whole_reading AS w ON w.runtime_id = n.runtime_id AND w.snapshot_id = n.recorded_id
)
SELECT
  n.runtime_id, n.ts_ns, n.id AS snapshot_id, a.name AS allocator, s.instances, s.mbc_carriers, s.mbc_bytes, s.mbc_blocks_bytes,
  s.sbc_carriers, s.sbc_bytes, s.sbc_blocks, s.sbc_blocks_bytes, s.pool_bytes, s.pool_blocks_bytes, s.peak_bytes,
  s.peak_blocks_bytes
FROM reading AS n
JOIN _read_sum AS s ON s.runtime_id = n.runtime_id AND s.snapshot_id = n.recorded_id
JOIN allocator_name AS a ON a.runtime_id = s.runtime_id AND a.allocator_id = s.allocator_id;

-- _final: one row for each allocator of a place, and one for all of them ('all'): its figures at the end.
CREATE TEMP TABLE _final AS
SELECT
  subject_id, source_id, runtime_id, snapshot_id, allocator, max(ts_ns) AS ts_ns,
  max(likely) FILTER (WHERE quantity = 'multi_block_carriers_bytes') AS mbc_bytes,
  max(low) FILTER (WHERE quantity = 'multi_block_carriers_bytes') AS mbc_low_bytes,
  max(high) FILTER (WHERE quantity = 'multi_block_carriers_bytes') AS mbc_high_bytes,
  max(likely) FILTER (WHERE quantity = 'single_block_carriers_bytes') AS sbc_bytes,
  max(low) FILTER (WHERE quantity = 'single_block_carriers_bytes') AS sbc_low_bytes,
  max(high) FILTER (WHERE quantity = 'single_block_carriers_bytes') AS sbc_high_bytes,
  max(likely) FILTER (WHERE quantity = 'pool_bytes') AS pool_bytes,
  max(low) FILTER (WHERE quantity = 'pool_bytes') AS pool_low_bytes,
  max(high) FILTER (WHERE quantity = 'pool_bytes') AS pool_high_bytes,
  max(likely) FILTER (WHERE quantity = 'carriers_bytes') AS total_bytes,
  max(low) FILTER (WHERE quantity = 'carriers_bytes') AS total_low_bytes,
  max(high) FILTER (WHERE quantity = 'carriers_bytes') AS total_high_bytes,
  max(likely) FILTER (WHERE quantity = 'blocks_bytes') AS blocks_bytes,
  max(low) FILTER (WHERE quantity = 'blocks_bytes') AS blocks_low_bytes,
  max(high) FILTER (WHERE quantity = 'blocks_bytes') AS blocks_high_bytes,
  max(likely) FILTER (WHERE quantity = 'single_block_blocks_bytes') AS sbc_blocks_bytes,
  max(low) FILTER (WHERE quantity = 'single_block_blocks_bytes') AS sbc_blocks_low_bytes,
  max(high) FILTER (WHERE quantity = 'single_block_blocks_bytes') AS sbc_blocks_high_bytes,
  max(likely) FILTER (WHERE quantity = 'pool_blocks_bytes') AS pool_blocks_bytes,
  max(low) FILTER (WHERE quantity = 'pool_blocks_bytes') AS pool_blocks_low_bytes,
  max(high) FILTER (WHERE quantity = 'pool_blocks_bytes') AS pool_blocks_high_bytes,
  max(likely) FILTER (WHERE quantity = 'unused_bytes') AS unused_bytes,
  max(low) FILTER (WHERE quantity = 'unused_bytes') AS unused_low_bytes,
  max(high) FILTER (WHERE quantity = 'unused_bytes') AS unused_high_bytes,
  max(likely) FILTER (WHERE quantity = 'multi_block_carriers') AS mbc_carriers,
  max(likely) FILTER (WHERE quantity = 'single_block_carriers') AS sbc_carriers,
  max(low) FILTER (WHERE quantity = 'multi_block_carriers') AS mbc_carriers_low,
  max(likely) FILTER (WHERE quantity = 'asked_bytes') AS asked_bytes,
  max(likely) FILTER (WHERE quantity = 'instances') AS instances,
  max(likely) FILTER (WHERE quantity = 'pool_waiting_bytes') AS waiting_bytes,
  max(basis) FILTER (WHERE quantity = 'pool_waiting_bytes') = 'fetched' AS is_fetched,
  max(quality) FILTER (WHERE quantity = 'blocks_bytes') AS blocks_quality,
  max(quality) FILTER (WHERE quantity = 'carriers_bytes') AS carriers_quality,
  max(basis) FILTER (WHERE quantity = 'carriers_bytes') AS basis,
  max(quality) FILTER (WHERE quantity = 'single_block_carriers_bytes') AS sbc_quality
FROM figure
WHERE moment = 'end'
GROUP BY subject_id, allocator;

-- _summit: the same at the peak of each.
CREATE TEMP TABLE _summit AS
SELECT
  subject_id, allocator,
  max(likely) FILTER (WHERE quantity = 'carriers_bytes') AS peak_bytes,
  max(low) FILTER (WHERE quantity = 'carriers_bytes') AS peak_low_bytes,
  max(high) FILTER (WHERE quantity = 'carriers_bytes') AS peak_high_bytes,
  max(likely) FILTER (WHERE quantity = 'blocks_bytes') AS peak_blocks_bytes,
  max(ts_ns) FILTER (WHERE quantity = 'carriers_bytes') AS ts_ns
FROM figure
WHERE moment = 'peak'
GROUP BY subject_id, allocator;

-- _memory_by_allocator: one row for each allocator of a place.  Columns that end in _low_bytes and _high_bytes are bounds
-- (NULL: none), the others what is likely; mbc_blocks_bytes is in carriers that instances employ, where is_split; else in
-- single-block carriers as well.
CREATE TEMP TABLE _memory_by_allocator AS
SELECT
  f.subject_id, f.source_id, f.runtime_id, f.snapshot_id, r.vpid, f.allocator,
  max(1, ifnull(f.instances, 1)) AS instances,
  ifnull(f.mbc_carriers, 0) AS mbc_carriers,
  ifnull(f.mbc_bytes, 0) AS mbc_bytes,
  max(0, ifnull(f.blocks_bytes, 0) - ifnull(f.sbc_blocks_bytes, 0) - ifnull(f.pool_blocks_bytes, 0)) AS mbc_blocks_bytes,
  ifnull(f.sbc_carriers, 0) AS sbc_carriers,
  ifnull(f.sbc_bytes, 0) AS sbc_bytes,
  ifnull(f.sbc_carriers, 0) AS sbc_blocks,
  ifnull(f.sbc_blocks_bytes, 0) AS sbc_blocks_bytes,
  f.sbc_blocks_bytes IS NOT NULL OR ifnull(f.sbc_bytes, 0) = 0 AS is_split,
  ifnull(f.pool_bytes, 0) AS pool_bytes,
  f.pool_blocks_bytes,
  f.total_bytes, f.blocks_bytes, f.unused_bytes,
  f.mbc_low_bytes, f.mbc_high_bytes, f.sbc_low_bytes, f.sbc_high_bytes, f.pool_low_bytes, f.pool_high_bytes,
  f.total_low_bytes, f.total_high_bytes, f.blocks_low_bytes, f.blocks_high_bytes,
  f.sbc_blocks_low_bytes, f.sbc_blocks_high_bytes, f.pool_blocks_low_bytes, f.pool_blocks_high_bytes,
  f.unused_low_bytes, f.unused_high_bytes, f.waiting_bytes, f.is_fetched, f.mbc_carriers_low,
  f.asked_bytes AS user_bytes,
  f.blocks_quality, f.carriers_quality, f.basis, f.ts_ns,
  p.peak_bytes, p.peak_low_bytes, p.peak_high_bytes,
  p.peak_blocks_bytes AS blocks_at_peak_bytes,
  p.peak_blocks_bytes,
  p.ts_ns AS peak_ts_ns,
  o.last_ts_ns - f.ts_ns AS age_ns,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM _final AS f
JOIN source AS o ON o.id = f.source_id
LEFT JOIN runtime AS r ON r.id = f.runtime_id
LEFT JOIN _summit AS p ON p.subject_id = f.subject_id AND p.allocator = f.allocator
WHERE f.allocator <> 'all';

-- _subject: one row for each place: its figures of all allocators together.
CREATE TEMP TABLE _subject AS
WITH mixed AS (
  SELECT i.runtime_id FROM instance AS i WHERE i.inconsistent > 0 GROUP BY i.runtime_id
)
SELECT
  f.subject_id, f.source_id, f.runtime_id, f.snapshot_id, r.vpid,
  ifnull(f.mbc_bytes, 0) AS mbc_bytes, ifnull(f.sbc_bytes, 0) AS sbc_bytes,
  ifnull(f.pool_bytes, 0) AS pool_bytes,
  f.pool_low_bytes AS pool_min_bytes, f.pool_high_bytes AS pool_max_bytes, f.pool_bytes AS pool_likely_bytes,
  f.total_bytes, f.total_low_bytes, f.total_high_bytes,
  f.blocks_bytes, f.blocks_low_bytes, f.blocks_high_bytes,
  f.unused_bytes, f.unused_low_bytes, f.unused_high_bytes,
  f.asked_bytes AS user_bytes,
  f.carriers_quality, f.blocks_quality, f.basis, f.ts_ns,
  f.carriers_quality = 'exact' AND f.blocks_quality = 'exact' AS is_exact,
  r.vpid IS NULL AND f.snapshot_id IS NULL AND m.runtime_id IS NOT NULL AS is_mixed,
  p.peak_bytes, p.peak_low_bytes, p.peak_high_bytes, p.peak_blocks_bytes, p.ts_ns AS peak_ts_ns,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM _final AS f
JOIN source AS o ON o.id = f.source_id
LEFT JOIN runtime AS r ON r.id = f.runtime_id
LEFT JOIN mixed AS m ON m.runtime_id = f.runtime_id
LEFT JOIN _summit AS p ON p.subject_id = f.subject_id AND p.allocator = 'all'
WHERE f.allocator = 'all';

-- _judged_by_samples: one row for each process whose samples show what it holds: no block events, and too few snapshots
-- for a curve; of one that ran before it was hooked less than two.
CREATE TEMP VIEW _judged_by_samples AS
SELECT DISTINCT h.runtime_id
FROM hook_begin AS h
LEFT JOIN _snapshot_at_end AS k ON k.runtime_id = h.runtime_id
WHERE h.sample_by > 0
  AND ifnull(k.readings, 0) < iif(h.runtime_id IN (SELECT runtime_id FROM _boot), 32, 2)
  AND h.runtime_id NOT IN (SELECT runtime_id FROM _live_total);

-- _level: bytes in blocks of an allocator over time: by block events where there are some, by snapshots
-- where there are enough for a curve, by samples, else as its counters last said.  Samples of a node that ran before
-- know what was made since, and of the blocks of before neither what they hold nor when they are freed: where it was
-- read twice, they are no curve.  A level holds until
-- the allocator's next row.  Curves of blocks end at the figure: what was there before is added.
CREATE TEMP TABLE _level AS
WITH ends AS (
  SELECT t.runtime_id, n.name AS allocator, sum(t.live_bytes) AS bytes
  FROM _live_total AS t
  JOIN allocator_name AS n ON n.runtime_id = t.runtime_id AND n.allocator_id = t.allocator_id
  GROUP BY t.runtime_id, n.name
),
-- Blocks of before the recording, headers, slack.
other AS (
  SELECT e.runtime_id, e.allocator, max(0, ifnull(f.likely, e.bytes) - e.bytes) AS bytes
  FROM ends AS e
  LEFT JOIN figure AS f ON f.subject_id = e.runtime_id AND f.allocator = e.allocator AND f.moment = 'end'
    AND f.quantity = 'blocks_bytes'
),
sampled AS (
  SELECT h.runtime_id, s.begin_ns, s.end_ns
  FROM hook_begin AS h
  JOIN _span AS s ON s.runtime_id = h.runtime_id
  WHERE h.sample_by > 0
  GROUP BY h.runtime_id
),
step AS (
  SELECT k.runtime_id, k.allocator, k.since_ns AS ts_ns, k.weight * k.size AS bytes
  FROM _sample AS k
  UNION ALL
  SELECT k.runtime_id, k.allocator, k.freed_ns, -k.weight * k.size FROM _sample AS k WHERE k.freed_ns IS NOT NULL
),
slot AS (
  SELECT t.runtime_id, t.allocator, (t.ts_ns - d.begin_ns) / ((d.end_ns - d.begin_ns) / 64 + 1) AS slot,
    max(t.ts_ns) AS ts_ns, sum(t.bytes) AS bytes
  FROM step AS t
  JOIN sampled AS d ON d.runtime_id = t.runtime_id
  WHERE t.allocator IS NOT NULL
  GROUP BY 1, 2, 3
)
SELECT l.runtime_id AS subject_id, n.name AS allocator, l.begin_ns AS ts_ns,
  l.live_bytes + ifnull(o.bytes, 0) AS bytes
FROM _allocator_level AS l
JOIN allocator_name AS n ON n.runtime_id = l.runtime_id AND n.allocator_id = l.allocator_id
LEFT JOIN other AS o ON o.runtime_id = l.runtime_id AND o.allocator = n.name
WHERE l.runtime_id NOT IN (SELECT runtime_id FROM _snapshot_at_end WHERE readings >= 32)
UNION ALL
-- Readings know the blocks from before the recording, if there are enough for a curve.
SELECT t.runtime_id, t.allocator, t.ts_ns,
  ifnull(t.mbc_blocks_bytes, 0) + ifnull(t.sbc_blocks_bytes, 0) + ifnull(t.pool_blocks_bytes, 0)
FROM _recorded_sum AS t
JOIN _snapshot_at_end AS k ON k.runtime_id = t.runtime_id
  AND (k.readings >= 32 OR k.readings >= 5 AND k.runtime_id NOT IN (SELECT runtime_id FROM _live_total))
UNION ALL
SELECT s.runtime_id, s.allocator, s.ts_ns,
  CAST(max(0, sum(s.bytes) OVER (PARTITION BY s.runtime_id, s.allocator ORDER BY s.slot)) AS INTEGER)
FROM slot AS s
WHERE s.runtime_id IN (SELECT runtime_id FROM _judged_by_samples)
UNION ALL
SELECT
  a.runtime_id, a.allocator,
  s.bucket_origin_ns + b.bucket * s.bucket_ns,
  b.last_mbc_blocks_bytes + b.last_sbc_blocks_bytes
FROM _allocator AS a
JOIN source AS s ON s.id = a.source_id
JOIN scope_bucket AS b
  ON b.source_id = a.source_id AND b.scope = 'allocator' AND b.scope_id = a.allocator_use_id
WHERE a.runtime_id NOT IN (SELECT runtime_id FROM _live_total);
