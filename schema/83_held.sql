-- SPDX-License-Identifier: MIT
--
-- Layer:   what is held, whoever told it
-- Reads:   _told_snapshot, _told_stat, snapshot_end, utilisation_now_allocator, utilisation_now_runtime, _allocator, instance,
--          peak, pool, scope_total, scope_bucket, _live_total, _allocator_level, carrier_born,
--          carrier_gone, os_request, state_carrier, state_block, state_end, source,
--          runtime, _allocator_name, snapshot, instance_stat
-- Serves:  low_water, verdict, finding, waterfall
--
-- One shape for what verdicts need, from the best witness that a source has: block
-- events before counters, addresses of carriers before what is derived.  A place is
-- where memory is: a runtime that was traced, whose number is runtime.id, or a node that
-- was read at one moment, whose number is -snapshot.id.

-- _live: bytes and blocks alive in each allocator, where block events tell them.
-- What was there before the recording is added when the provider told it.
CREATE VIEW _live AS
WITH base AS (
  SELECT b.runtime_id, b.allocator_id, count(*) AS blocks, sum(b.block_bytes) AS bytes
  FROM state_block AS b
  WHERE b.ts_ns <= (SELECT min(e.ts_ns) FROM state_end AS e WHERE e.runtime_id = b.runtime_id)
  GROUP BY b.runtime_id, b.allocator_id
),
own AS (
  SELECT
    runtime_id, allocator_id,
    sum(live_blocks) AS blocks, sum(live_bytes) AS bytes, sum(unknown_frees) AS unknown
  FROM _live_total
  GROUP BY runtime_id, allocator_id
)
SELECT
  o.runtime_id,
  n.name AS allocator,
  max(0, o.blocks + ifnull(b.blocks, 0)) AS blocks,
  max(0, o.bytes + ifnull(b.bytes, 0)) AS bytes,
  b.blocks IS NULL AND o.unknown = 0 AS is_exact,
  b.blocks IS NULL AND o.unknown > 0 AS is_useless
FROM own AS o
JOIN _allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id
LEFT JOIN base AS b ON b.runtime_id = o.runtime_id AND b.allocator_id = o.allocator_id;

-- _memory_total: bytes of carriers of each allocator, pooled ones included, where each
-- carrier was told with its address.
CREATE VIEW _memory_total AS
WITH change AS (
  SELECT runtime_id, allocator_id, size_bytes AS bytes FROM carrier_born
  UNION ALL
  SELECT runtime_id, allocator_id, -size_bytes FROM carrier_gone
  UNION ALL
  SELECT runtime_id, allocator_id, result_bytes - old_bytes
  FROM os_request WHERE call IN (2, 5) AND result <> 0
  UNION ALL
  SELECT c.runtime_id, c.allocator_id, c.size_bytes
  FROM state_carrier AS c
  WHERE c.ts_ns <= (SELECT min(e.ts_ns) FROM state_end AS e WHERE e.runtime_id = c.runtime_id)
)
SELECT c.runtime_id, n.name AS allocator, sum(c.bytes) AS bytes
FROM change AS c
JOIN _allocator_name AS n ON n.runtime_id = c.runtime_id AND n.allocator_id = c.allocator_id
GROUP BY c.runtime_id, n.name;

-- _held_traced: one row for each allocator of a traced runtime.  Sizes are bytes.
--
--   pool_size        what of the pool was this allocator's: exact minus owned where
--                    carriers have addresses, else creates - destroys - owned, an
--                    estimate that resurrected carriers make too small; NULL: not known
--   blocks_quality   exact: block events, headers of blocks left out; else estimate
CREATE VIEW _held_traced AS
WITH traffic AS (
  SELECT
    a.runtime_id, a.allocator,
    t.mbc_create_bytes - t.owned_destroy_bytes - t.pooled_destroy_bytes AS alive_bytes
  FROM _allocator AS a
  JOIN scope_total AS t
    ON t.source_id = a.source_id AND t.scope = 'allocator' AND t.scope_id = a.allocator_use_id
),
since AS (
  SELECT
    i.runtime_id, a.name AS allocator,
    sum(i.put_bytes_since_stat) AS put_bytes,
    -- Sizes of fetched carriers are not told yet: they were once put.
    CAST(1.0 * sum(i.fetched_since_stat + i.gets_unresolved) * sum(i.put_bytes_since_stat)
      / max(1, sum(i.puts_since_stat)) AS INTEGER) AS fetched_bytes
  FROM instance AS i
  JOIN allocator AS a ON a.id = i.allocator_id
  GROUP BY i.runtime_id, i.allocator_id
),
owned AS (
  SELECT
    u.*,
    max(0, u.mbc_carriers_size - s.put_bytes + s.fetched_bytes) AS owned_size,
    t.alive_bytes,
    m.bytes AS total_size,
    -- An allocator without block events in a runtime that has some has no blocks.
    coalesce(l.bytes, e.absent) AS live_bytes,
    coalesce(l.blocks, e.absent) AS live_blocks,
    coalesce(l.is_exact, 1) AS is_exact
  FROM utilisation_now_allocator AS u
  JOIN since AS s ON s.runtime_id = u.runtime_id AND s.allocator = u.allocator
  JOIN traffic AS t ON t.runtime_id = u.runtime_id AND t.allocator = u.allocator
  LEFT JOIN _memory_total AS m ON m.runtime_id = u.runtime_id AND m.allocator = u.allocator
  LEFT JOIN _live AS l
    ON l.runtime_id = u.runtime_id AND l.allocator = u.allocator AND l.is_useless = 0
  LEFT JOIN (
    SELECT runtime_id, 0 AS absent FROM _live GROUP BY runtime_id HAVING sum(is_useless) = 0
  ) AS e ON e.runtime_id = u.runtime_id
  WHERE u.mbc_carriers_size IS NOT NULL
)
SELECT
  o.runtime_id AS place_id,
  o.source_id, o.runtime_id, NULL AS snapshot_id, o.vpid, o.allocator,
  o.instances,
  o.mbc_carriers,
  o.owned_size AS mbc_size,
  -- Blocks live now, less those that fill single-block carriers; a header is a word.
  min(o.owned_size,
    ifnull(max(0, o.live_bytes + 8 * o.live_blocks - o.sbc_blocks_size), o.mbc_blocks_size))
    AS mbc_blocks_size,
  o.sbc_carriers,
  o.sbc_carriers_size AS sbc_size,
  o.sbc_blocks,
  o.sbc_blocks_size,
  CASE
    WHEN o.total_size IS NOT NULL
      THEN max(0, o.total_size - o.owned_size - o.sbc_carriers_size)
    WHEN o.base_known
      THEN max(0, min(o.alive_bytes - o.owned_size, ifnull(
        (SELECT q.pooled_bytes_max FROM pool AS q
         WHERE q.level = 'runtime' AND q.runtime_id = o.runtime_id), 0)))
  END AS pool_size,
  NULL AS pool_blocks_size,
  o.total_size IS NOT NULL AS has_addresses,
  o.live_bytes AS user_size,
  iif(o.live_bytes IS NULL, 'estimate', iif(o.is_exact, 'exact', 'estimate')) AS blocks_quality,
  p.max_carriers_size AS peak_size,
  p.blocks_size_at_max AS blocks_at_peak_size,
  p.max_blocks_size AS peak_blocks_size,
  o.age_ns,
  o.source_lost_events, o.source_lost_packets
FROM owned AS o
LEFT JOIN peak AS p
  ON p.runtime_id = o.runtime_id AND p.allocator = o.allocator AND p.scope = 'allocator';

-- _held_read: the same for each allocator of a node that was read at one moment.  The
-- maxima of its instances need not be of one moment: sums of them are upper bounds.
CREATE VIEW _held_read AS
WITH figure AS (
  SELECT
    s.snapshot_id, s.allocator,
    count(DISTINCT s.instance) + (count(s.instance) = 0) AS instances,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers') AS mbc_carriers,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers_size') AS mbc_size,
    sum(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'blocks_size') AS mbc_blocks_size,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers') AS sbc_carriers,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers_size') AS sbc_size,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'blocks') AS sbc_blocks,
    sum(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'blocks_size') AS sbc_blocks_size,
    sum(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'carriers_size') AS pool_size,
    sum(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'blocks_size') AS pool_blocks_size,
    sum(s.max_ever) FILTER (WHERE s.key = 'carriers_size') AS peak_size,
    sum(s.max_ever) FILTER (WHERE s.key = 'blocks_size') AS peak_blocks_size
  FROM instance_stat AS s
  WHERE s.section IN ('mbcs', 'sbcs', 'mbcs_pool')
  GROUP BY s.snapshot_id, s.allocator
)
SELECT
  -n.id AS place_id,
  n.source_id, n.runtime_id, n.id AS snapshot_id, r.vpid, f.allocator,
  f.instances,
  ifnull(f.mbc_carriers, 0) AS mbc_carriers,
  f.mbc_size,
  ifnull(f.mbc_blocks_size, 0) AS mbc_blocks_size,
  ifnull(f.sbc_carriers, 0) AS sbc_carriers,
  ifnull(f.sbc_size, 0) AS sbc_size,
  ifnull(f.sbc_blocks, 0) AS sbc_blocks,
  ifnull(f.sbc_blocks_size, 0) AS sbc_blocks_size,
  ifnull(f.pool_size, 0) AS pool_size,
  ifnull(f.pool_blocks_size, 0) AS pool_blocks_size,
  1 AS has_addresses,
  NULL AS user_size,
  'exact' AS blocks_quality,
  f.peak_size,
  f.peak_blocks_size AS blocks_at_peak_size,
  f.peak_blocks_size,
  0 AS age_ns,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM figure AS f
JOIN snapshot AS n ON n.id = f.snapshot_id
JOIN source AS o ON o.id = n.source_id
LEFT JOIN runtime AS r ON r.id = n.runtime_id
WHERE f.mbc_size IS NOT NULL;

-- _told_reader: one row for each traced process that told no carrier events but read its
-- own figures (module carrierscope): its last whole reading, and how many it told.
CREATE VIEW _told_reader AS
SELECT s.runtime_id, max(s.id) FILTER (WHERE s.ts_ns = m.ts_ns) AS snapshot_id,
  max(m.ts_ns) AS ts_ns, count(*) AS readings
FROM _told_snapshot AS s
JOIN (
  SELECT t.runtime_id, max(t.ts_ns) AS ts_ns
  FROM _told_snapshot AS t
  JOIN snapshot_end AS e ON e.runtime_id = t.runtime_id AND e.snapshot_id = t.told_id
  GROUP BY t.runtime_id
) AS m ON m.runtime_id = s.runtime_id
WHERE NOT EXISTS (SELECT 1 FROM allocator_use AS u WHERE u.runtime_id = s.runtime_id)
GROUP BY s.runtime_id;

-- _told_sum: bytes of each allocator at each reading of these processes.
CREATE VIEW _told_sum AS
SELECT
  k.runtime_id, n.ts_ns, f.snapshot_id, f.allocator,
  count(DISTINCT f.instance) AS instances,
  sum(f.current) FILTER (WHERE f.section = 'mbcs' AND f.key = 'carriers') AS mbc_carriers,
  sum(f.current) FILTER (WHERE f.section = 'mbcs' AND f.key = 'carriers_size') AS mbc_size,
  sum(f.current) FILTER (WHERE f.section = 'mbcs' AND f.key = 'blocks_size') AS mbc_blocks_size,
  sum(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'carriers') AS sbc_carriers,
  sum(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'carriers_size') AS sbc_size,
  sum(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'blocks') AS sbc_blocks,
  sum(f.current) FILTER (WHERE f.section = 'sbcs' AND f.key = 'blocks_size') AS sbc_blocks_size,
  sum(f.current) FILTER (WHERE f.section = 'mbcs_pool' AND f.key = 'carriers_size') AS pool_size,
  sum(f.current) FILTER (WHERE f.section = 'mbcs_pool' AND f.key = 'blocks_size') AS pool_blocks_size,
  sum(f.max_ever) FILTER (WHERE f.section <> 'mbcs_pool' AND f.key = 'carriers_size') AS peak_size,
  sum(f.max_ever) FILTER (WHERE f.section <> 'mbcs_pool' AND f.key = 'blocks_size') AS peak_blocks_size
FROM _told_reader AS k
JOIN _told_snapshot AS n ON n.runtime_id = k.runtime_id AND n.ts_ns <= k.ts_ns
JOIN _told_stat AS f ON f.snapshot_id = n.id
WHERE f.section IN ('mbcs', 'sbcs', 'mbcs_pool')
GROUP BY k.runtime_id, n.id, f.allocator;

-- _held_told: the same as _held_read for each allocator of such a process, at its last reading.
CREATE VIEW _held_told AS
SELECT
  t.runtime_id AS place_id,
  r.source_id, t.runtime_id, NULL AS snapshot_id, r.vpid, t.allocator,
  t.instances,
  ifnull(t.mbc_carriers, 0) AS mbc_carriers,
  t.mbc_size,
  ifnull(t.mbc_blocks_size, 0) AS mbc_blocks_size,
  ifnull(t.sbc_carriers, 0) AS sbc_carriers,
  ifnull(t.sbc_size, 0) AS sbc_size,
  ifnull(t.sbc_blocks, 0) AS sbc_blocks,
  ifnull(t.sbc_blocks_size, 0) AS sbc_blocks_size,
  ifnull(t.pool_size, 0) AS pool_size,
  ifnull(t.pool_blocks_size, 0) AS pool_blocks_size,
  1 AS has_addresses,
  NULL AS user_size,
  'exact' AS blocks_quality,
  t.peak_size,
  t.peak_blocks_size AS blocks_at_peak_size,
  t.peak_blocks_size,
  o.last_ts_ns - t.ts_ns AS age_ns,
  o.lost_events AS source_lost_events, o.lost_packets AS source_lost_packets
FROM _told_reader AS k
JOIN _told_sum AS t ON t.snapshot_id = k.snapshot_id
JOIN runtime AS r ON r.id = t.runtime_id
JOIN source AS o ON o.id = r.source_id
WHERE t.mbc_size IS NOT NULL;

-- _held: one row for each allocator of a place.
CREATE VIEW _held AS
SELECT * FROM _held_traced
UNION ALL
SELECT * FROM _held_told
UNION ALL
SELECT * FROM _held_read;

-- _place: one row for each place: sums of _held, bounds of the pool, the peak.
CREATE VIEW _place AS
WITH total AS (
  SELECT
    place_id, source_id, runtime_id, snapshot_id, vpid,
    sum(mbc_size) AS mbc_size, sum(mbc_blocks_size) AS mbc_blocks_size,
    sum(sbc_size) AS sbc_size, sum(sbc_blocks_size) AS sbc_blocks_size,
    sum(pool_size) AS pool_size,
    sum(pool_blocks_size) AS pool_blocks_size,
    min(has_addresses) AS has_addresses,
    sum(user_size) AS user_size,
    sum(peak_size) AS sum_of_peaks_size,
    sum(peak_blocks_size) AS sum_of_peak_blocks_size,
    min(blocks_quality) = 'exact' AND max(blocks_quality) = 'exact' AS is_exact,
    source_lost_events, source_lost_packets
  FROM _held
  GROUP BY place_id
)
SELECT
  t.place_id, t.source_id, t.runtime_id, t.snapshot_id, t.vpid,
  t.mbc_size, t.mbc_blocks_size, t.sbc_size, t.sbc_blocks_size,
  t.pool_blocks_size, t.has_addresses, t.user_size, t.is_exact,
  -- The pool's bounds hold where all is told, from the first carrier on.
  CASE
    WHEN t.has_addresses THEN t.pool_size
    WHEN p.instances_with_unknown_base > 0 OR t.vpid IS NULL
      OR t.source_lost_events <> 0 OR t.source_lost_packets <> 0 THEN 0
    ELSE p.pooled_bytes_min
  END AS pool_min_size,
  iif(t.has_addresses, t.pool_size, p.pooled_bytes_max) AS pool_max_size,
  -- The likely size: as many as are thought to be there, of the mean size that was put.
  iif(t.has_addresses, t.pool_size,
    min(max(p.pooled_carriers * p.put_bytes / max(1, p.puts),
      iif(p.instances_with_unknown_base > 0, 0, p.pooled_bytes_min)),
      ifnull(p.pooled_bytes_max, p.put_bytes))) AS pool_likely_size,
  -- Events of several processes that cannot be told apart make nonsense of counters.
  t.vpid IS NULL AND t.snapshot_id IS NULL AND EXISTS (
    SELECT 1 FROM instance AS i WHERE i.runtime_id = t.runtime_id AND i.inconsistent > 0)
    AS is_mixed,
  ifnull(k.max_carriers_size, t.sum_of_peaks_size) AS peak_size,
  ifnull(k.blocks_size_at_max, t.sum_of_peak_blocks_size) AS blocks_at_peak_size,
  ifnull(k.max_blocks_size, t.sum_of_peak_blocks_size) AS peak_blocks_size,
  t.source_lost_events, t.source_lost_packets
FROM total AS t
LEFT JOIN pool AS p ON p.level = 'runtime' AND p.runtime_id = t.place_id
LEFT JOIN peak AS k ON k.scope = 'runtime' AND k.runtime_id = t.place_id;

-- _level: bytes in blocks of an allocator over time: from block events where there are
-- some, else as its counters last told.  A level holds until the allocator's next row.
CREATE VIEW _level AS
SELECT l.runtime_id AS place_id, n.name AS allocator, l.begin_ns AS ts_ns, l.live_bytes AS bytes
FROM _allocator_level AS l
JOIN _allocator_name AS n ON n.runtime_id = l.runtime_id AND n.allocator_id = l.allocator_id
WHERE NOT EXISTS (
  SELECT 1 FROM _told_reader AS k WHERE k.runtime_id = l.runtime_id AND k.readings >= 32)
UNION ALL
-- Readings know the blocks from before the recording, if there are enough for a curve.
SELECT t.runtime_id, t.allocator, t.ts_ns,
  ifnull(t.mbc_blocks_size, 0) + ifnull(t.sbc_blocks_size, 0) + ifnull(t.pool_blocks_size, 0)
FROM _told_sum AS t
JOIN _told_reader AS k ON k.runtime_id = t.runtime_id AND k.readings >= 32
UNION ALL
SELECT
  a.runtime_id, a.allocator,
  s.bucket_origin_ns + b.bucket * s.bucket_ns,
  b.last_mbc_blocks_size + b.last_sbc_blocks_size
FROM _allocator AS a
JOIN source AS s ON s.id = a.source_id
JOIN scope_bucket AS b
  ON b.source_id = a.source_id AND b.scope = 'allocator' AND b.scope_id = a.allocator_use_id
WHERE NOT EXISTS (SELECT 1 FROM _live_total AS t WHERE t.runtime_id = a.runtime_id);

INSERT INTO view_doc VALUES
  ('_live', '', 'row', 'fast', 'Private. One row for each allocator of a runtime that block events tell of: what is live'),
  ('_memory_total', '', 'row', 'fast', 'Private. One row for each allocator whose carriers were told with addresses: their bytes'),
  ('_held_traced', '', 'row', 'fast', 'Private. One row for each allocator of a traced runtime: what is held'),
  ('_held_read', '', 'row', 'fast', 'Private. One row for each allocator of a node read at one moment: what is held'),
  ('_told_reader', '', 'row', 'fast', 'Private. One row for each process that told its own figures and no carrier events'),
  ('_told_sum', '', 'row', 'full scan', 'Private. One row for each allocator and reading of these processes: sums over its instances'),
  ('_held_told', '', 'row', 'full scan', 'Private. One row for each allocator of these processes at their last reading: what is held'),
  ('_held', '', 'row', 'fast', 'Private. One row for each allocator of a place: what is held, from the best witness'),
  ('_place', '', 'row', 'fast', 'Private. One row for each place: sums of _held'),
  ('_level', '', 'row', 'fast', 'Private. One row for each allocator and moment: bytes in blocks from then on');
