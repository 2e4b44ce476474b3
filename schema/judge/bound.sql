-- SPDX-License-Identifier: MIT
--
-- Layer:   bounds from each kind of evidence
-- Serves:  judge/figure
--
-- Each view yields rows of one shape: of a runtime at a moment, for an allocator (NULL: all of them)
-- and a quantity, what it is at least and at most (NULL: not bounded) by this evidence alone, and
-- what is likely.  Every one of them holds, so the figure is where they overlap.
--
--   quantity   unit   what
--   mbc        bytes  multi-block carriers that instances employ
--   sbc        bytes  single-block carriers
--   pool       bytes  carriers in the pool, of the allocator that made them
--   total      bytes  the three together
--   mbcs, sbcs count  employed multi-block, single-block carriers
--   bytes      bytes  blocks with headers and slack, wherever they lie
--   sbc_bytes  bytes  of these, in single-block carriers
--   blocks     count  blocks
--   asked      bytes  asked for in live blocks
--   pending    bytes  empty carriers that wait for their destruction, in no statistics
--   cache, resident, own   bytes   segment cache; resident memory; our own buffers

-- _bound_address: carriers that were recorded with their addresses.
CREATE VIEW _bound_address AS
WITH seen AS MATERIALIZED (
  SELECT runtime_id, allocator_id FROM _place_change GROUP BY runtime_id, allocator_id
),
-- Where all carriers are known, an allocator of which none was recorded has none.
change AS (
  SELECT runtime_id, ts_ns, is_known, allocator_id, place, bytes, carriers FROM _place_change
  UNION ALL
  SELECT n.runtime_id, d.ts_ns, 1, n.allocator_id, 'mbc', 0, 0
  FROM _allocator_name AS n
  JOIN _dump AS d ON d.runtime_id = n.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM seen AS s WHERE s.runtime_id = n.runtime_id AND s.allocator_id = n.allocator_id)
),
part AS (
  SELECT m.runtime_id, m.moment, m.at_ns, c.allocator_id, max(c.is_known) AS is_known,
    total(iif(c.place = 'mbc', c.bytes, 0)) AS mbc,
    total(iif(c.place = 'sbc', c.bytes, 0)) AS sbc,
    total(iif(c.place = 'pool', c.bytes, 0)) AS pool,
    total(iif(c.place = 'pending', c.bytes, 0)) AS pending,
    total(iif(c.place = 'mbc', c.carriers, 0)) AS mbcs,
    total(iif(c.place = 'sbc', c.carriers, 0)) AS sbcs
  FROM _moment AS m
  JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_addresses
  JOIN change AS c ON c.runtime_id = m.runtime_id AND c.ts_ns <= m.at_ns
  GROUP BY m.runtime_id, m.moment, c.allocator_id
),
sure AS (
  SELECT p.*, p.runtime_id IN (SELECT runtime_id FROM _place_split) AS is_split
  FROM part AS p
),
kind(quantity) AS (VALUES ('mbc'), ('sbc'), ('pool'), ('pending'), ('mbcs'), ('sbcs'), ('total')),
value AS (
  SELECT s.*, k.quantity, CAST(CASE k.quantity WHEN 'mbc' THEN mbc WHEN 'sbc' THEN sbc WHEN 'pool' THEN pool
    WHEN 'pending' THEN pending WHEN 'mbcs' THEN mbcs WHEN 'sbcs' THEN sbcs ELSE mbc + sbc + pool END AS INTEGER) AS bytes
  FROM sure AS s
  CROSS JOIN kind AS k
)
SELECT runtime_id, moment, at_ns, allocator_id, quantity,
  -- Without moves a carrier may lie in the pool, or wait for its end.
  iif(is_split OR quantity IN ('sbc', 'sbcs'), bytes, 0) AS low,
  iif(quantity IN ('pool', 'pending') AND NOT is_split, NULL, bytes) AS likely,
  CASE WHEN NOT is_known THEN NULL
    WHEN is_split OR quantity NOT IN ('pool', 'pending') THEN bytes
    ELSE CAST(mbc AS INTEGER) END AS high,
  'addresses' AS basis
FROM value;

-- _peak_address: the most bytes of carriers, in all (allocator_id NULL) and of each allocator, and when
-- that was first; of what was known then.
CREATE VIEW _peak_address AS
WITH change AS (
  SELECT c.runtime_id, c.allocator_id, c.ts_ns, c.rank, c.is_known, sum(c.bytes) AS bytes
  FROM _place_change AS c
  JOIN _recorded AS r ON r.runtime_id = c.runtime_id AND r.has_addresses
  WHERE c.place <> 'pending' AND c.runtime_id IN (SELECT runtime_id FROM _place_split)
  GROUP BY c.runtime_id, c.allocator_id, c.ts_ns
),
level AS (
  SELECT runtime_id, allocator_id, ts_ns, is_known,
    sum(bytes) OVER (PARTITION BY runtime_id, allocator_id ORDER BY ts_ns) AS bytes
  FROM change
  UNION ALL
  SELECT runtime_id, NULL, ts_ns, is_known,
    sum(bytes) OVER (PARTITION BY runtime_id ORDER BY ts_ns)
  FROM (SELECT runtime_id, ts_ns, max(is_known) AS is_known, sum(bytes) AS bytes
    FROM change GROUP BY runtime_id, ts_ns)
)
SELECT p.runtime_id, p.allocator_id, p.bytes, p.ts_ns, p.is_known
FROM (
  SELECT *, row_number() OVER (PARTITION BY runtime_id, allocator_id ORDER BY bytes DESC, ts_ns) AS n
  FROM level
) AS p
WHERE p.n = 1;

-- _bound_peak_address: the parts at these moments.
CREATE VIEW _bound_peak_address AS
WITH part AS (
  SELECT p.runtime_id, p.allocator_id, p.ts_ns, p.is_known,
    total(iif(c.place = 'mbc', c.bytes, 0)) AS mbc,
    total(iif(c.place = 'sbc', c.bytes, 0)) AS sbc,
    total(iif(c.place = 'pool', c.bytes, 0)) AS pool,
    total(iif(c.place = 'mbc', c.carriers, 0)) AS mbcs,
    total(iif(c.place = 'sbc', c.carriers, 0)) AS sbcs
  FROM _peak_address AS p
  JOIN _place_change AS c ON c.runtime_id = p.runtime_id AND c.ts_ns <= p.ts_ns
    AND (p.allocator_id IS NULL OR c.allocator_id = p.allocator_id)
  GROUP BY p.runtime_id, p.allocator_id
),
kind(quantity) AS (VALUES ('mbc'), ('sbc'), ('pool'), ('mbcs'), ('sbcs'), ('total')),
value AS (
  SELECT s.*, k.quantity, CAST(CASE k.quantity WHEN 'mbc' THEN mbc WHEN 'sbc' THEN sbc WHEN 'pool' THEN pool
    WHEN 'mbcs' THEN mbcs WHEN 'sbcs' THEN sbcs ELSE mbc + sbc + pool END AS INTEGER) AS bytes
  FROM part AS s
  CROSS JOIN kind AS k
)
SELECT runtime_id, 'peak' AS moment, ts_ns AS at_ns, allocator_id, quantity,
  -- Of a peak among what was known nothing but its least is known.
  CASE WHEN is_known OR quantity = 'total' THEN bytes ELSE 0 END AS low,
  bytes AS likely, iif(is_known, bytes, NULL) AS high, 'addresses' AS basis
FROM value;

-- _bound_reading: the last whole snapshot; exact if nothing was recorded after it.
CREATE VIEW _bound_reading AS
WITH last AS (
  SELECT l.*, l.at_ns <= l.end_ns AS is_now FROM _last_reading AS l
),
-- A snapshot is of all allocators: one that is not in it has nothing.
sums AS MATERIALIZED (
  SELECT runtime_id, snapshot_id, allocator_id, mbc, sbc, pool, mbcs, sbcs, bytes, sbc_bytes, blocks, pool_bytes
  FROM _reading_sum
  UNION ALL
  SELECT l.runtime_id, l.snapshot_id, n.allocator_id, 0, 0, 0, 0, 0, 0, 0, 0, 0
  FROM (SELECT DISTINCT runtime_id, snapshot_id FROM last) AS l
  JOIN _allocator_name AS n ON n.runtime_id = l.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM _reading_sum AS r
    WHERE r.runtime_id = l.runtime_id AND r.snapshot_id = l.snapshot_id AND r.allocator_id = n.allocator_id)
),
kind(quantity) AS (VALUES ('mbc'), ('sbc'), ('pool'), ('mbcs'), ('sbcs'), ('bytes'), ('sbc_bytes'), ('blocks'), ('total'),
  ('pool_bytes')),
value AS (
  SELECT l.runtime_id, l.moment, l.read_ns, l.is_now, s.allocator_id, k.quantity,
    CAST(CASE k.quantity WHEN 'mbc' THEN mbc WHEN 'sbc' THEN sbc WHEN 'pool' THEN pool WHEN 'mbcs' THEN mbcs
      WHEN 'sbcs' THEN sbcs WHEN 'bytes' THEN bytes WHEN 'sbc_bytes' THEN sbc_bytes WHEN 'blocks' THEN blocks
      WHEN 'pool_bytes' THEN pool_bytes ELSE mbc + sbc + pool END AS INTEGER) AS bytes
  FROM last AS l
  JOIN sums AS s ON s.runtime_id = l.runtime_id AND s.snapshot_id = l.snapshot_id
  CROSS JOIN kind AS k
)
SELECT runtime_id, moment, read_ns AS at_ns, allocator_id, quantity,
  iif(is_now, bytes, 0) AS low, bytes AS likely, iif(is_now, bytes, NULL) AS high,
  iif(is_now, 'snapshot', 'earlier snapshot') AS basis
FROM value
UNION ALL
SELECT l.runtime_id, l.moment, l.read_ns, NULL, CASE m.key WHEN 'os_resident' THEN 'resident' ELSE 'own' END,
  iif(l.is_now, m.bytes, 0), m.bytes, iif(l.is_now, m.bytes, NULL), iif(l.is_now, 'snapshot', 'earlier snapshot')
FROM last AS l
JOIN snapshot_memory AS m ON m.runtime_id = l.runtime_id AND m.snapshot_id = l.snapshot_id
WHERE m.key IN ('os_resident', 'own_buffers');

-- _bound_peak_reading: at the peak there was at least what any snapshot says.
CREATE VIEW _bound_peak_reading AS
WITH one AS (
  SELECT runtime_id, allocator_id, read_ns, CAST(mbc + sbc + pool AS INTEGER) AS bytes, CAST(bytes AS INTEGER) AS blocks
  FROM _reading_sum
  UNION ALL
  SELECT runtime_id, NULL, read_ns, CAST(sum(mbc + sbc + pool) AS INTEGER), CAST(sum(bytes) AS INTEGER)
  FROM _reading_sum
  GROUP BY runtime_id, snapshot_id
),
most AS (
  SELECT runtime_id, allocator_id, read_ns, max(bytes) AS bytes, blocks FROM one GROUP BY runtime_id, allocator_id
)
SELECT runtime_id, 'peak' AS moment, read_ns AS at_ns, allocator_id, 'total' AS quantity,
  bytes AS low, bytes AS likely, NULL AS high, 'snapshots' AS basis
FROM most
UNION ALL
SELECT runtime_id, 'peak', read_ns, allocator_id, 'bytes', 0, blocks, NULL, 'snapshots'
FROM most;

-- _counter_at: one row for each instance and moment: its counters as it last recorded them, if nothing is
-- missing since, and what went through the pool after that.
CREATE VIEW _counter_at AS
SELECT
  m.runtime_id, m.moment, m.at_ns, n.allocator, n.instance_id, n.last_stat_ts_ns,
  n.last_mbc_carriers, n.last_mbc_carriers_bytes, n.last_mbc_blocks, n.last_mbc_blocks_bytes,
  n.last_sbc_carriers, n.last_sbc_carriers_bytes, n.last_sbc_blocks, n.last_sbc_blocks_bytes,
  n.puts_since_stat AS puts, n.put_bytes_since_stat AS put_bytes,
  n.fetched_since_stat AS fetched_low, n.fetched_since_stat + n.gets_unresolved AS fetched_high
FROM _moment AS m
JOIN _span AS s ON s.runtime_id = m.runtime_id AND NOT s.is_mixed
JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_counters
JOIN _now_instance AS n ON n.runtime_id = m.runtime_id
WHERE m.moment = 'end' AND n.last_stat_ts_ns >= s.complete_ns
UNION ALL
SELECT
  m.runtime_id, m.moment, m.at_ns, a.name, i.id, e.ts_ns,
  e.mbc_carriers, e.mbc_carriers_size, e.mbc_blocks, e.mbc_blocks_size,
  e.sbc_carriers, e.sbc_carriers_size, e.sbc_blocks, e.sbc_blocks_size,
  total(p.kind = 2), CAST(total(iif(p.kind = 2, p.size, 0)) AS INTEGER), 0, total(p.kind = 3)
FROM _moment AS m
JOIN _span AS s ON s.runtime_id = m.runtime_id AND NOT s.is_mixed
JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_counters
JOIN instance AS i ON i.runtime_id = m.runtime_id
JOIN allocator AS a ON a.id = i.allocator_id
JOIN (
  SELECT c.instance_id, max(c.id) AS id
  -- The question first: without one no event is read.
  FROM question AS q
  CROSS JOIN carrier_event AS c
  WHERE q.at_ns IS NOT NULL AND c.ts_ns <= q.at_ns AND c.class IS NOT NULL
  GROUP BY c.instance_id
) AS l ON l.instance_id = i.id
JOIN carrier_event AS e ON e.id = l.id
LEFT JOIN (
  SELECT c.id, c.instance_id, c.kind, c.size
  FROM question AS q
  CROSS JOIN carrier_event AS c
  WHERE q.at_ns IS NOT NULL AND c.ts_ns <= q.at_ns AND c.class IS NULL
) AS p ON p.instance_id = i.id AND p.id > l.id
WHERE m.moment = 'at' AND e.ts_ns >= s.complete_ns
GROUP BY m.runtime_id, i.id;

-- _bound_counter: carriers by the counters of OTP's events.  A silent end of a single-block carrier makes
-- its counter too large, a silent growth too small: it is bounded only where there are none, or while
-- no time passed.  Blocks come and go inside carriers without an event: they are bounded by these alone.
CREATE VIEW _bound_counter AS
WITH largest AS (
  SELECT runtime_id, max(size) AS bytes FROM carrier_life_size GROUP BY runtime_id
),
one AS (
  SELECT c.*, c.last_stat_ts_ns >= c.at_ns AS is_now,
    max(0, c.last_mbc_carriers_bytes - c.put_bytes) AS mbc_low,
    CASE WHEN c.fetched_high = 0 THEN max(0, c.last_mbc_carriers_bytes - c.put_bytes)
      WHEN b.runtime_id IS NULL THEN NULL
      ELSE c.last_mbc_carriers_bytes - c.put_bytes + CAST(c.fetched_high AS INTEGER) * l.bytes END AS mbc_high
  FROM _counter_at AS c
  LEFT JOIN _boot AS b ON b.runtime_id = c.runtime_id
  LEFT JOIN largest AS l ON l.runtime_id = c.runtime_id
),
allocator AS (
  SELECT
    o.runtime_id, o.moment, min(o.last_stat_ts_ns) AS at_ns, o.allocator,
    b.runtime_id IS NOT NULL AS is_boot,
    sum(o.mbc_low) AS mbc_low,
    iif(count(o.mbc_high) = count(*), sum(o.mbc_high), NULL) AS mbc_high,
    CAST(sum(max(0, o.last_mbc_carriers - o.puts + o.fetched_low)) AS INTEGER) AS mbcs_low,
    CAST(sum(max(0, o.last_mbc_carriers - o.puts + o.fetched_high)) AS INTEGER) AS mbcs_high,
    sum(iif(o.is_now, o.last_sbc_carriers_bytes, 0)) AS sbc_low,
    sum(iif(o.is_now, o.last_sbc_carriers, 0)) AS sbcs_low,
    sum(o.last_sbc_carriers) AS sbcs_high,
    sum(o.last_sbc_carriers_bytes) AS sbc_likely,
    iif(max(NOT o.is_now AND o.last_sbc_carriers > 0), NULL, sum(o.last_sbc_carriers_bytes)) AS sbc_high,
    sum(o.last_mbc_blocks_bytes + o.last_sbc_blocks_bytes) AS bytes_likely,
    sum(o.last_mbc_blocks + o.last_sbc_blocks) AS blocks_likely
  FROM one AS o
  LEFT JOIN _boot AS b ON b.runtime_id = o.runtime_id
  GROUP BY o.runtime_id, o.moment, o.allocator
),
kind(quantity) AS (VALUES ('mbc'), ('sbc'), ('mbcs'), ('sbcs'), ('bytes'), ('blocks'))
SELECT a.runtime_id, a.moment, a.at_ns, a.allocator, k.quantity,
  CASE k.quantity WHEN 'mbc' THEN a.mbc_low WHEN 'sbc' THEN a.sbc_low WHEN 'mbcs' THEN a.mbcs_low
    WHEN 'sbcs' THEN a.sbcs_low ELSE 0 END AS low,
  CASE k.quantity WHEN 'mbc' THEN a.mbc_low WHEN 'sbc' THEN a.sbc_likely WHEN 'mbcs' THEN a.mbcs_low
    WHEN 'sbcs' THEN a.sbcs_high WHEN 'bytes' THEN a.bytes_likely ELSE a.blocks_likely END AS likely,
  -- Where the recording began late there may be instances that have not spoken yet.
  CASE WHEN NOT a.is_boot THEN NULL
    ELSE CASE k.quantity WHEN 'mbc' THEN a.mbc_high WHEN 'sbc' THEN a.sbc_high WHEN 'mbcs' THEN a.mbcs_high
      WHEN 'sbcs' THEN a.sbcs_high END END AS high,
  'counters' AS basis
FROM allocator AS a
CROSS JOIN kind AS k;

-- _bound_pool: what the events of the pool say of all allocators together, at the end.
CREATE VIEW _bound_pool AS
WITH doubt AS (
  SELECT runtime_id, sum(ambiguous_creates) AS creates FROM instance GROUP BY runtime_id
)
SELECT p.runtime_id, 'end' AS moment, s.end_ns AS at_ns, 'pool' AS quantity,
  iif(d.creates > 0, 0, ifnull(p.pooled_bytes_min, 0)) AS low,
  min(max(p.pooled_carriers * p.put_bytes / max(1, p.puts), ifnull(p.pooled_bytes_min, 0)),
    ifnull(p.pooled_bytes_max, p.put_bytes)) AS likely,
  iif(d.creates > 0, p.put_bytes, p.pooled_bytes_max) AS high,
  'pool events' AS basis
FROM pool AS p
JOIN _span AS s ON s.runtime_id = p.runtime_id AND s.complete_ns = 0 AND NOT s.is_mixed
JOIN _recorded AS r ON r.runtime_id = p.runtime_id AND r.has_counters
JOIN _boot AS b ON b.runtime_id = p.runtime_id
LEFT JOIN doubt AS d ON d.runtime_id = p.runtime_id
WHERE p.level = 'runtime';

-- _bound_peak_counter: at its peak an allocator had at least what one of its instances ever had.
CREATE VIEW _bound_peak_counter AS
SELECT n.runtime_id, 'peak' AS moment, t.max_carriers_ts_ns AS at_ns, n.allocator, 'total' AS quantity,
  max(t.max_carriers_bytes) AS low, a.max_carriers_bytes AS likely, NULL AS high, 'counters' AS basis
FROM _instance AS n
CROSS JOIN _span AS s ON s.runtime_id = n.runtime_id AND NOT s.is_mixed
CROSS JOIN scope_total AS t
  ON t.source_id = n.source_id AND t.scope = 'instance' AND t.scope_id = n.instance_id
LEFT JOIN allocator_use AS u ON u.runtime_id = n.runtime_id AND u.allocator_id = n.allocator_id
LEFT JOIN scope_total AS a
  ON a.source_id = n.source_id AND a.scope = 'allocator' AND a.scope_id = u.id
WHERE t.max_carriers_bytes IS NOT NULL
GROUP BY n.runtime_id, n.allocator
UNION ALL
SELECT t.scope_id, 'peak', t.max_carriers_ts_ns, NULL, 'total', 0, t.max_carriers_bytes, NULL, 'counters'
FROM scope_total AS t
WHERE t.scope = 'runtime' AND t.max_carriers_bytes IS NOT NULL;

-- _block_base: one row for each moment of a runtime: when its blocks were last known as a whole, and since
-- when frees may still wait (rest_ns).  A block that another scheduler frees is counted until its owner's
-- turn: when all threads have worked (runtime_work, which the twin records) none waits; of a node it is
-- taken that none waits longer than a tenth of a second.
CREATE VIEW _block_base AS
WITH moment AS (
  SELECT runtime_id, moment, NULL AS peak_id, at_ns FROM _moment
  UNION ALL
  -- Of little the time is not worth it.
  SELECT runtime_id, 'peak', ifnull(allocator_id, -1), ts_ns FROM _peak_address
  WHERE is_known AND (allocator_id IS NULL OR bytes >= 8388608)
),
base AS (
  SELECT b.runtime_id, 0 AS rank, 0 AS read_ns, 0 AS begin_ns, NULL AS snapshot_id, 'boot' AS kind
  FROM _boot AS b
  UNION ALL
  SELECT d.runtime_id, 1, d.until_ns, d.ts_ns, NULL, 'dump'
  FROM _dump AS d WHERE d.runtime_id NOT IN (SELECT runtime_id FROM _boot)
  UNION ALL
  SELECT DISTINCT l.runtime_id, 2, l.read_ns, l.begin_ns, l.snapshot_id, 'snapshot'
  FROM _last_reading AS l
  JOIN _span AS s ON s.runtime_id = l.runtime_id AND l.begin_ns >= s.complete_ns
)
SELECT m.runtime_id, m.moment, m.peak_id, m.at_ns, b.kind, b.read_ns, b.begin_ns, b.snapshot_id, min(b.rank),
  ifnull((SELECT max(w.ts_ns) FROM runtime_work AS w
    WHERE w.runtime_id = m.runtime_id AND w.kind = 0 AND w.ts_ns <= m.at_ns),
    -- A run that was recorded to its end is at rest there.
    iif(m.moment = 'end' AND b.kind = 'boot', m.at_ns, m.at_ns - 100000000)) AS rest_ns
FROM moment AS m
JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_blocks
JOIN base AS b ON b.runtime_id = m.runtime_id AND b.read_ns <= m.at_ns
JOIN _full_hook AS h ON h.runtime_id = m.runtime_id AND h.from_ns <= b.read_ns AND h.until_ns >= m.at_ns
GROUP BY m.runtime_id, m.moment, m.peak_id;

-- _block_point: the times at which sums over blocks are wanted: what _bound_block reads.
CREATE VIEW _block_point AS
SELECT DISTINCT p.runtime_id, s.source_id, p.ts_ns
FROM (
  SELECT b.runtime_id, CASE k.column1
    WHEN 1 THEN iif(b.moment <> 'end', b.at_ns, NULL) WHEN 2 THEN iif(b.kind <> 'boot', b.read_ns, NULL)
    WHEN 3 THEN iif(b.kind = 'snapshot', b.begin_ns, NULL) ELSE b.rest_ns END AS ts_ns
  FROM _block_base AS b
  CROSS JOIN (VALUES (1), (2), (3), (4)) AS k
) AS p
JOIN _span AS s ON s.runtime_id = p.runtime_id
WHERE p.ts_ns IS NOT NULL;

-- _block_sum: one row for each allocator and such time: sums since the recording began, by the nearest
-- keyframe that is not later and what followed it.
CREATE VIEW _block_sum AS
WITH point AS MATERIALIZED (
  SELECT p.*,
    ifnull((SELECT max(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = p.source_id AND k.ts_ns <= p.ts_ns), 0) AS frame_id
  FROM _block_point AS p
),
framed AS MATERIALIZED (
  SELECT p.*, b.first_id,
    ifnull((SELECT min(k.at_id) FROM block_keyframe AS k
      WHERE k.source_id = p.source_id AND k.at_id > p.frame_id), b.last_id) AS next_id,
    ifnull(lag(p.ts_ns) OVER (PARTITION BY p.runtime_id, p.frame_id ORDER BY p.ts_ns), -1) AS after_ns
  FROM point AS p
  JOIN block_span AS b ON b.source_id = p.source_id
),
-- Each row of block_event between a keyframe and the last of its points is read once, and counts for
-- the first point that is not before it.
frame AS MATERIALIZED (
  SELECT source_id, frame_id, max(frame_id, first_id - 1) AS after_id, next_id, max(ts_ns) AS until_ns
  FROM framed
  GROUP BY source_id, frame_id
),
part AS MATERIALIZED (
  SELECT f.runtime_id, f.frame_id, f.ts_ns, iif(b.address <> 0, b.allocator_id, NULL) AS allocator_id, e.allocator_id AS ended_allocator_id,
    count(*) FILTER (WHERE b.op <> 1) AS made, total(b.size) FILTER (WHERE b.op <> 1) AS made_bytes,
    count(e.id) AS ended, total(e.size) AS ended_bytes,
    count(*) FILTER (WHERE b.op = 1 AND b.ended_id IS NULL) AS unknown_frees,
    total(b.size) FILTER (WHERE b.op = 1 AND b.ended_id IS NULL) AS unknown_bytes
  FROM frame AS g
  CROSS JOIN block_event AS b
  LEFT JOIN thread AS t ON t.id = b.thread_id
  LEFT JOIN _block_runtime AS o ON o.source_id = g.source_id
  LEFT JOIN block_event AS e ON e.id = b.ended_id
  JOIN framed AS f ON f.frame_id = g.frame_id AND f.runtime_id = ifnull(t.runtime_id, o.runtime_id)
    AND f.source_id = g.source_id AND b.ts_ns > f.after_ns AND b.ts_ns <= f.ts_ns
  WHERE b.id > g.after_id AND b.id <= g.next_id AND b.ts_ns <= g.until_ns
  GROUP BY 1, 2, 3, 4, 5
),
both AS (
  SELECT p.runtime_id, p.frame_id, p.ts_ns, iif(k.is_end, p.ended_allocator_id, p.allocator_id) AS allocator_id,
    iif(k.is_end, 0, p.made) AS made, iif(k.is_end, 0, p.made_bytes) AS made_bytes,
    iif(k.is_end, p.ended, 0) AS ended, iif(k.is_end, p.ended_bytes, 0) AS ended_bytes,
    iif(k.is_end, -p.ended, p.made) AS live_blocks, iif(k.is_end, -p.ended_bytes, p.made_bytes) AS live_bytes,
    iif(k.is_end, 0, p.unknown_frees) AS unknown_frees, iif(k.is_end, 0, p.unknown_bytes) AS unknown_bytes
  FROM part AS p
  CROSS JOIN (SELECT 0 AS is_end UNION ALL SELECT 1) AS k
  WHERE iif(k.is_end, p.ended_allocator_id, p.allocator_id) IS NOT NULL
),
-- A point has what its keyframe has, and what counts for it and for points before.
summed AS (
  SELECT f.runtime_id, f.ts_ns, a.allocator_id,
    k.made, k.made_bytes, k.ended, k.ended_bytes, k.live_blocks, k.live_bytes, k.unknown_frees, k.unknown_bytes
  FROM framed AS f
  JOIN block_keyframe_account AS k ON k.at_id = f.frame_id
  JOIN block_account AS a ON a.id = k.account_id AND a.scope = 'allocator' AND a.runtime_id = f.runtime_id
  WHERE a.allocator_id IS NOT NULL
  UNION ALL
  SELECT f.runtime_id, f.ts_ns, b.allocator_id, b.made, b.made_bytes, b.ended, b.ended_bytes, b.live_blocks, b.live_bytes,
    b.unknown_frees, b.unknown_bytes
  FROM framed AS f
  JOIN both AS b ON b.runtime_id = f.runtime_id AND b.frame_id = f.frame_id AND b.ts_ns <= f.ts_ns
)
SELECT runtime_id, ts_ns, allocator_id,
  CAST(total(made) AS INTEGER) AS made, CAST(total(made_bytes) AS INTEGER) AS made_bytes,
  CAST(total(ended) AS INTEGER) AS ended, CAST(total(ended_bytes) AS INTEGER) AS ended_bytes,
  CAST(total(live_blocks) AS INTEGER) AS live_blocks, CAST(total(live_bytes) AS INTEGER) AS live_bytes,
  CAST(total(unknown_frees) AS INTEGER) AS unknown_frees, CAST(total(unknown_bytes) AS INTEGER) AS unknown_bytes
FROM summed
GROUP BY runtime_id, ts_ns, allocator_id
UNION ALL
SELECT a.runtime_id, 9223372036854775807, a.allocator_id, a.made, a.made_bytes, a.ended, a.ended_bytes, a.live_blocks, a.live_bytes,
  a.unknown_frees, a.unknown_bytes
FROM block_account AS a
WHERE a.scope = 'allocator' AND a.allocator_id IS NOT NULL;

-- _bound_block: blocks by their events, on top of what was known before.
--
-- A block of n bytes asked for takes at least n and a header of a word, and at most that with its tag,
-- rounded up to the next multiple of 8, with the least size of a block, and with a rest behind it that
-- is too small for another: 128 bytes cover all of them on 64 bits.
CREATE VIEW _bound_block AS
WITH allocator AS MATERIALIZED (
  SELECT runtime_id, allocator_id FROM _allocator_name
  UNION
  SELECT runtime_id, allocator_id FROM block_account
  WHERE scope = 'allocator' AND allocator_id IS NOT NULL
  UNION
  SELECT runtime_id, allocator_id FROM _reading_sum
),
dumped AS MATERIALIZED (
  SELECT c.runtime_id, c.allocator_id, sum(c.block_count) AS blocks, sum(c.block_bytes) AS bytes
  FROM state_carrier AS c
  JOIN _dump AS d ON d.runtime_id = c.runtime_id AND c.ts_ns BETWEEN d.ts_ns AND d.until_ns
  GROUP BY c.runtime_id, c.allocator_id
),
sums AS MATERIALIZED (SELECT * FROM _block_sum),
readings AS MATERIALIZED (SELECT * FROM _reading_sum),
both AS (
  SELECT
    b.runtime_id, b.moment, b.peak_id, b.at_ns, b.kind, a.allocator_id,
    CASE b.kind WHEN 'boot' THEN 0 WHEN 'dump' THEN ifnull(d.blocks, 0) ELSE CAST(s.blocks AS INTEGER) END AS base_blocks,
    CASE b.kind WHEN 'boot' THEN 0 WHEN 'dump' THEN ifnull(d.bytes, 0) ELSE CAST(s.bytes AS INTEGER) END AS base_bytes,
    ifnull(n.live_blocks, 0) AS live_blocks, ifnull(n.live_bytes, 0) AS live_bytes,
    ifnull(n.unknown_frees, 0) AS unknown_frees, ifnull(n.unknown_bytes, 0) AS unknown_bytes,
    ifnull(n.made, 0) AS made, ifnull(n.ended, 0) AS ended,
    ifnull((SELECT c.resized FROM block_account AS c WHERE c.runtime_id = b.runtime_id AND c.scope = 'allocator'
      AND c.allocator_id = a.allocator_id), 0) AS resized,
    ifnull(p.live_blocks, 0) AS old_blocks, ifnull(p.live_bytes, 0) AS old_bytes,
    ifnull(p.unknown_frees, 0) AS old_frees, ifnull(p.unknown_bytes, 0) AS old_free_bytes,
    ifnull(p.made, 0) AS old_made, ifnull(p.ended, 0) AS old_ended,
    EXISTS (SELECT 1 FROM _allocator_name AS f WHERE f.runtime_id = b.runtime_id
      AND f.allocator_id = a.allocator_id AND f.name = 'fix_alloc') AS is_fix,
    max(0, ifnull(n.ended, 0) + ifnull(n.unknown_frees, 0) - ifnull(w.ended, 0) - ifnull(w.unknown_frees, 0)) AS waiting,
    max(0, ifnull(n.ended_bytes, 0) + ifnull(n.unknown_bytes, 0) - ifnull(w.ended_bytes, 0) - ifnull(w.unknown_bytes, 0)) AS waiting_bytes,
    ifnull(p.made, 0) - ifnull(q.made, 0) AS during_made,
    ifnull(p.made_bytes, 0) - ifnull(q.made_bytes, 0) AS during_made_bytes,
    ifnull(p.ended, 0) - ifnull(q.ended, 0) + ifnull(p.unknown_frees, 0) - ifnull(q.unknown_frees, 0) AS during_ended,
    ifnull(p.ended_bytes, 0) - ifnull(q.ended_bytes, 0)
      + ifnull(p.unknown_bytes, 0) - ifnull(q.unknown_bytes, 0) AS during_ended_bytes
  FROM _block_base AS b
  JOIN allocator AS a ON a.runtime_id = b.runtime_id AND (b.peak_id IS NULL OR b.peak_id IN (-1, a.allocator_id))
  LEFT JOIN dumped AS d ON b.kind = 'dump' AND d.runtime_id = b.runtime_id AND d.allocator_id = a.allocator_id
  LEFT JOIN readings AS s ON b.kind = 'snapshot' AND s.runtime_id = b.runtime_id
    AND s.snapshot_id = b.snapshot_id AND s.allocator_id = a.allocator_id
  LEFT JOIN sums AS n ON n.runtime_id = b.runtime_id AND n.allocator_id = a.allocator_id
    AND n.ts_ns = iif(b.moment = 'end', 9223372036854775807, b.at_ns)
  LEFT JOIN sums AS p ON b.kind <> 'boot' AND p.runtime_id = b.runtime_id AND p.allocator_id = a.allocator_id
    AND p.ts_ns = b.read_ns
  LEFT JOIN sums AS q ON b.kind = 'snapshot' AND q.runtime_id = b.runtime_id AND q.allocator_id = a.allocator_id
    AND q.ts_ns = b.begin_ns
  LEFT JOIN sums AS w ON w.runtime_id = b.runtime_id AND w.allocator_id = a.allocator_id AND w.ts_ns = b.rest_ns
  -- Allocators without a figure in the snapshot are not known.
  WHERE b.kind <> 'snapshot' OR s.allocator_id IS NOT NULL
),
whole AS (
  SELECT *,
    -- In a snapshot what came or went while it was read is in it, or is not.
    -- A reading itself holds some blocks.
    iif(kind = 'snapshot', during_made + 4, 0) AS doubt_made,
    iif(kind = 'snapshot', during_made_bytes + 128 * during_made + 4096, 0) AS doubt_made_bytes,
    iif(kind = 'snapshot', during_ended + 4, 0) AS doubt_ended,
    iif(kind = 'snapshot', during_ended_bytes + 128 * during_ended + 4096, 0) AS doubt_ended_bytes,
    -- fix_alloc keeps what is freed for the next of its kind: at most as many as were made, or were there.
    iif(is_fix, made - old_made + base_blocks, 0) AS kept_most,
    base_blocks + (live_blocks - unknown_frees) - (old_blocks - old_frees) AS blocks,
    base_bytes + (live_bytes - old_bytes) - (unknown_bytes - old_free_bytes)
      + 8 * ((live_blocks - unknown_frees) - (old_blocks - old_frees)) AS bytes,
    -- Blocks whose headers, tags and slack are not in what was known.
    min(made - old_made, live_blocks) AS fresh,
    -- And of those that were known and ended.
    min(ended - old_ended, old_blocks) + (unknown_frees - old_frees) AS gone,
    unknown_frees - old_frees AS gone_unknown
  FROM both
),
kind_of(quantity) AS (VALUES ('blocks'), ('bytes'), ('asked'))
SELECT w.runtime_id, w.moment, w.peak_id, w.at_ns, w.allocator_id, k.quantity,
  max(0, CASE k.quantity
    -- What fix_alloc kept when it was listed may have come back from there since.
    WHEN iif(w.is_fix AND w.kind <> 'boot', k.quantity, '') THEN iif(k.quantity = 'bytes', w.live_bytes + 8 * w.live_blocks,
      iif(k.quantity = 'blocks', w.live_blocks, w.live_bytes))
    WHEN 'blocks' THEN w.blocks - w.doubt_ended
    -- A reallocation does not say how large the old block was: of one from before nothing is known.
    WHEN iif(w.kind <> 'boot' AND w.gone_unknown > 0 AND w.resized > 0, 'bytes', '') THEN w.live_bytes + 8 * w.live_blocks
    WHEN 'bytes' THEN w.bytes - 120 * w.gone - w.doubt_ended_bytes
    ELSE w.live_bytes END) AS low,
  max(0, CASE k.quantity WHEN 'blocks' THEN w.blocks WHEN 'bytes' THEN w.bytes
    ELSE iif(w.kind = 'boot', w.live_bytes, NULL) END) AS likely,
  CASE k.quantity
    WHEN 'blocks' THEN w.blocks + w.doubt_made + w.kept_most + w.waiting
    WHEN 'bytes' THEN w.bytes + 120 * w.fresh + w.doubt_made_bytes + w.waiting_bytes + 128 * w.waiting + iif(w.is_fix, w.base_bytes + 1024 * w.kept_most, 0)
    ELSE iif(w.kind = 'boot', w.live_bytes, NULL) END AS high,
  'blocks' AS basis
FROM whole AS w
CROSS JOIN kind_of AS k;

-- _bound_seen: blocks that were made before our eyes and not ended are there, whatever was before.
CREATE VIEW _bound_seen AS
SELECT a.runtime_id, 'end' AS moment, s.end_ns AS at_ns, a.allocator_id, k.column1 AS quantity,
  CASE k.column1 WHEN 'blocks' THEN a.live_blocks WHEN 'asked' THEN a.live_bytes
    ELSE a.live_bytes + 8 * a.live_blocks END AS low,
  CASE k.column1 WHEN 'blocks' THEN a.live_blocks WHEN 'asked' THEN a.live_bytes
    ELSE a.live_bytes + 8 * a.live_blocks END AS likely,
  NULL AS high, 'blocks' AS basis
FROM block_account AS a
JOIN _span AS s ON s.runtime_id = a.runtime_id AND s.complete_ns = 0
JOIN _recorded AS r ON r.runtime_id = a.runtime_id AND r.has_blocks
-- After a hook has ended blocks go unseen.
JOIN _full_hook AS h ON h.runtime_id = a.runtime_id AND h.until_ns >= s.end_ns
JOIN (VALUES ('blocks'), ('bytes'), ('asked')) AS k
WHERE a.scope = 'allocator' AND a.allocator_id IS NOT NULL
GROUP BY a.id, k.column1;

-- _bound_sample: blocks by samples of them.  Each drawn block stands for its weight; five standard
-- deviations, and the fourteen mean distances between two draws beyond which nothing stays unseen but
-- once in a million times, are on either side.  What was there before is what the last snapshot says,
-- of which any part may have gone unseen.
CREATE VIEW _bound_sample AS
WITH hook AS (
  SELECT runtime_id, min(ts_ns) AS from_ns, max(iif(sample_by = 1, sample_every, NULL)) AS distance,
    min(types = 0 AND min_bytes = 0) AS is_full, min(sample_by) AS sample_by,
    ifnull((SELECT min(e.ts_ns) FROM hook_end AS e WHERE e.runtime_id = h.runtime_id), 9223372036854775807) AS until_ns
  FROM hook_begin AS h
  WHERE sample_by > 0
  GROUP BY runtime_id
),
base AS (
  SELECT m.runtime_id, m.moment, m.at_ns, h.distance,
    iif(l.begin_ns >= s.complete_ns AND l.begin_ns >= h.from_ns, l.read_ns, NULL) AS read_ns, l.snapshot_id
  FROM _moment AS m
  JOIN _span AS s ON s.runtime_id = m.runtime_id
  JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_samples
  JOIN hook AS h ON h.runtime_id = m.runtime_id AND h.is_full AND h.until_ns >= m.at_ns
  LEFT JOIN _last_reading AS l ON l.runtime_id = m.runtime_id AND l.moment = m.moment
  WHERE l.begin_ns >= s.complete_ns OR s.complete_ns = 0
),
live AS (
  SELECT b.runtime_id, b.moment, n.allocator_id,
    total(k.weight * k.size) AS bytes, sqrt(total(k.weight * (k.weight - 1) * k.size * k.size)) AS bytes_error,
    total(k.weight) AS blocks, sqrt(total(k.weight * (k.weight - 1))) AS blocks_error
  FROM base AS b
  JOIN sample_block AS k ON k.runtime_id = b.runtime_id
    AND k.since_ns > ifnull(b.read_ns, 0) AND k.since_ns <= b.at_ns AND (k.freed_ns IS NULL OR k.freed_ns > b.at_ns)
  JOIN _allocator_name AS n ON n.runtime_id = k.runtime_id AND n.name = k.allocator
  GROUP BY b.runtime_id, b.moment, n.allocator_id
),
gone AS (
  SELECT b.runtime_id, b.moment, n.allocator_id, total(k.weight * k.size) AS bytes
  FROM base AS b
  JOIN sample_block AS k ON k.runtime_id = b.runtime_id
    AND k.since_ns <= b.read_ns AND k.freed_ns > b.read_ns AND k.freed_ns <= b.at_ns
  JOIN _allocator_name AS n ON n.runtime_id = k.runtime_id AND n.name = k.allocator
  GROUP BY b.runtime_id, b.moment, n.allocator_id
),
one AS (
  SELECT b.runtime_id, b.moment, b.at_ns, n.allocator_id,
    b.distance, s.bytes AS base_bytes,
    ifnull(l.bytes, 0) AS bytes, ifnull(l.bytes_error, 0) AS bytes_error,
    ifnull(l.blocks, 0) AS blocks, ifnull(l.blocks_error, 0) AS blocks_error, ifnull(g.bytes, 0) AS gone_bytes
  FROM base AS b
  JOIN _allocator_name AS n ON n.runtime_id = b.runtime_id
  LEFT JOIN _reading_sum AS s ON s.runtime_id = b.runtime_id AND s.snapshot_id = b.snapshot_id
    AND s.allocator_id = n.allocator_id AND b.read_ns IS NOT NULL
  LEFT JOIN live AS l ON l.runtime_id = b.runtime_id AND l.moment = b.moment AND l.allocator_id = n.allocator_id
  LEFT JOIN gone AS g ON g.runtime_id = b.runtime_id AND g.moment = b.moment AND g.allocator_id = n.allocator_id
)
SELECT runtime_id, moment, at_ns, allocator_id, 'bytes' AS quantity,
  CAST(max(0, bytes - 5 * bytes_error) AS INTEGER) AS low,
  CAST(max(0, ifnull(base_bytes, 0) + bytes + 8 * blocks - gone_bytes) AS INTEGER) AS likely,
  -- A block too small to be drawn often has headers and slack beside its bytes.
  CAST(base_bytes + bytes + 5 * bytes_error + 14 * distance
    + 128 * (blocks + 5 * blocks_error + 14 * distance / 16) AS INTEGER) AS high,
  'samples' AS basis
FROM one
WHERE base_bytes IS NOT NULL OR bytes > 0;

INSERT INTO view_doc VALUES
  ('_bound_address', '', 'row', 'full scan', 'Private. Bounds of carriers that were recorded with their addresses'),
  ('_peak_address', '', 'row', 'full scan', 'Private. The most bytes of such carriers, of each allocator and of all'),
  ('_bound_peak_address', '', 'row', 'full scan', 'Private. Bounds at these moments'),
  ('_bound_reading', '', 'row', 'full scan', 'Private. Bounds by the last whole snapshot of a traced node'),
  ('_bound_peak_reading', '', 'row', 'full scan', 'Private. What there was at the peak at least, by its snapshots'),
  ('_counter_at', '', 'row', 'full scan', 'Private. One row for each instance and moment: its counters as last recorded'),
  ('_bound_counter', '', 'row', 'full scan', 'Private. Bounds of carriers by the counters of carrier events'),
  ('_bound_pool', '', 'row', 'fast', 'Private. Bounds of the pool by its events'),
  ('_bound_peak_counter', '', 'row', 'fast', 'Private. What there was at the peak at least, by counters'),
  ('_block_point', '', 'row', 'full scan', 'Private. The times at which sums over blocks are wanted'),
  ('_block_sum', '', 'row', 'full scan', 'Private. One row for each allocator and such time: sums over blocks'),
  ('_block_base', '', 'row', 'full scan', 'Private. One row for each moment of a runtime: when its blocks were last known'),
  ('_bound_block', '', 'row', 'full scan', 'Private. Bounds of blocks by their events'),
  ('_bound_sample', '', 'row', 'full scan', 'Private. Bounds of blocks by samples of them'),
  ('_bound_seen', '', 'row', 'fast', 'Private. Blocks that were recorded when they were made, and not ended');
