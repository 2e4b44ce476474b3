-- SPDX-License-Identifier: MIT
--
-- Layer:   bounds from each kind of evidence
-- Serves:  judge/figure
--
-- Each view yields rows of one shape: of a runtime at a moment, for an allocator (NULL: all of them)
-- and a quantity (table quantity), what it is at least and at most (NULL: not bounded) by this evidence
-- alone, and what is likely.  Every one of them holds, so the figure is where they overlap.

-- _place_quantity: of which quantity a carrier in a place is a part, by its bytes or by its number.
CREATE TEMP VIEW _place_quantity AS
WITH part(quantity, place, is_count) AS (VALUES
  ('multi_block_carriers_bytes', 'mbc', 0), ('single_block_carriers_bytes', 'sbc', 0), ('pool_bytes', 'pool', 0),
  ('carriers_bytes', 'mbc', 0), ('carriers_bytes', 'sbc', 0), ('carriers_bytes', 'pool', 0),
  ('multi_block_carriers', 'mbc', 1), ('single_block_carriers', 'sbc', 1), ('pending_carriers_bytes', 'pending', 0))
SELECT * FROM part;

-- _bound_address: carriers that were recorded with their addresses.
CREATE TEMP TABLE _bound_address AS
WITH seen AS MATERIALIZED (
  SELECT runtime_id, allocator_id FROM _place_change GROUP BY runtime_id, allocator_id
),
-- Where all carriers are known, an allocator of which none was recorded has none.
change AS (
  SELECT runtime_id, ts_ns, is_known, allocator_id, place, bytes, carriers FROM _place_change
  UNION ALL
  SELECT n.runtime_id, d.ts_ns, 1, n.allocator_id, 'mbc', 0, 0
  FROM allocator_name AS n
  JOIN _dump AS d ON d.runtime_id = n.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM seen AS s WHERE s.runtime_id = n.runtime_id AND s.allocator_id = n.allocator_id)
),
part AS MATERIALIZED (
  SELECT m.runtime_id, m.moment, m.at_ns, c.allocator_id, c.place, c.is_known, sum(c.bytes) AS bytes, sum(c.carriers) AS carriers
  FROM _moment AS m
  JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_addresses
  JOIN change AS c ON c.runtime_id = m.runtime_id AND c.ts_ns <= m.at_ns
  GROUP BY m.runtime_id, m.moment, c.allocator_id, c.place
),
value AS (
  SELECT p.runtime_id, p.moment, p.at_ns, p.allocator_id, p.is_known, p.runtime_id IN (SELECT runtime_id FROM _place_split) AS is_split,
    k.quantity, CAST(total(iif(k.is_count, p.carriers, p.bytes)) FILTER (WHERE p.place = k.place) AS INTEGER) AS value,
    CAST(total(p.bytes) FILTER (WHERE p.place = 'mbc') AS INTEGER) AS mbc
  FROM part AS p
  CROSS JOIN _place_quantity AS k
  GROUP BY p.runtime_id, p.moment, p.allocator_id, k.quantity
)
SELECT runtime_id, moment, at_ns, allocator_id, quantity,
  -- Without moves a carrier may lie in the pool, or wait for its end.
  iif(is_split OR quantity GLOB 'single_block_*', value, 0) AS low,
  iif(is_split OR quantity NOT IN ('pool_bytes', 'pending_carriers_bytes'), value, NULL) AS likely,
  CASE WHEN NOT is_known THEN NULL
    WHEN is_split OR quantity NOT IN ('pool_bytes', 'pending_carriers_bytes') THEN value
    ELSE mbc END AS high,
  'addresses' AS basis
FROM value;

-- _peak_address: the most bytes of carriers, in all (allocator_id NULL) and of each allocator, and when
-- that was first; of what was known then.
CREATE TEMP TABLE _peak_address AS
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
CREATE TEMP TABLE _bound_peak_address AS
WITH part AS MATERIALIZED (
  SELECT p.runtime_id, p.allocator_id, p.ts_ns, p.is_known, c.place, sum(c.bytes) AS bytes, sum(c.carriers) AS carriers
  FROM _peak_address AS p
  JOIN _place_change AS c ON c.runtime_id = p.runtime_id AND c.ts_ns <= p.ts_ns
    AND (p.allocator_id IS NULL OR c.allocator_id = p.allocator_id)
  GROUP BY p.runtime_id, p.allocator_id, c.place
),
value AS (
  SELECT p.runtime_id, p.allocator_id, p.ts_ns, p.is_known, k.quantity,
    CAST(total(iif(k.is_count, p.carriers, p.bytes)) FILTER (WHERE p.place = k.place) AS INTEGER) AS value
  FROM part AS p
  CROSS JOIN _place_quantity AS k
  WHERE k.place <> 'pending'
  GROUP BY p.runtime_id, p.allocator_id, k.quantity
)
SELECT runtime_id, 'peak' AS moment, ts_ns AS at_ns, allocator_id, quantity,
  -- Of a peak among what was known nothing but its least is known.
  iif(is_known OR quantity = 'carriers_bytes', value, 0) AS low,
  value AS likely, iif(is_known, value, NULL) AS high, 'addresses' AS basis
FROM value;

-- _bound_reading: the last whole snapshot; exact if nothing was recorded after it.
CREATE TEMP TABLE _bound_reading AS
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
  JOIN allocator_name AS n ON n.runtime_id = l.runtime_id
  WHERE NOT EXISTS (SELECT 1 FROM _reading_sum AS r
    WHERE r.runtime_id = l.runtime_id AND r.snapshot_id = l.snapshot_id AND r.allocator_id = n.allocator_id)
),
moving AS MATERIALIZED (SELECT * FROM _moving),
read AS MATERIALIZED (
  SELECT l.runtime_id, l.moment, l.read_ns, l.is_now, s.allocator_id, s.mbc, s.sbc, s.pool, s.mbcs, s.sbcs, s.bytes, s.sbc_bytes, s.blocks,
    s.pool_bytes, ifnull(m.carriers, 0) AS moved, ifnull(m.moved_blocks, 0) AS moved_blocks, ifnull(m.moved_bytes, 0) AS moved_bytes
  FROM last AS l
  JOIN sums AS s ON s.runtime_id = l.runtime_id AND s.snapshot_id = l.snapshot_id
  LEFT JOIN moving AS m ON m.runtime_id = s.runtime_id AND m.snapshot_id = s.snapshot_id AND m.allocator_id = s.allocator_id
),
-- What moves is in multi-block carriers.
value(quantity, value, moved, runtime_id, moment, read_ns, is_now, allocator_id) AS (
  SELECT 'multi_block_carriers_bytes', mbc, moved_bytes, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'single_block_carriers_bytes', sbc, 0, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'pool_bytes', pool, moved_bytes, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'carriers_bytes', mbc + sbc + pool, moved_bytes, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'multi_block_carriers', mbcs, moved, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'single_block_carriers', sbcs, 0, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'blocks_bytes', bytes, moved_bytes, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'single_block_blocks_bytes', sbc_bytes, 0, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'pool_blocks_bytes', pool_bytes, moved_bytes, runtime_id, moment, read_ns, is_now, allocator_id FROM read
  UNION ALL SELECT 'blocks', blocks, moved_blocks, runtime_id, moment, read_ns, is_now, allocator_id FROM read
)
SELECT runtime_id, moment, read_ns AS at_ns, allocator_id, quantity,
  CAST(iif(is_now, max(0, value - moved), 0) AS INTEGER) AS low, CAST(value AS INTEGER) AS likely,
  CAST(iif(is_now, value + moved, NULL) AS INTEGER) AS high, iif(is_now, 'snapshot', 'earlier snapshot') AS basis
FROM value
UNION ALL
SELECT l.runtime_id, l.moment, l.read_ns, NULL, iif(m.key = 'os_resident', 'resident_bytes', 'own_buffers_bytes'),
  iif(l.is_now, m.bytes, 0), m.bytes, iif(l.is_now, m.bytes, NULL), iif(l.is_now, 'snapshot', 'earlier snapshot')
FROM last AS l
JOIN snapshot_memory AS m ON m.runtime_id = l.runtime_id AND m.snapshot_id = l.snapshot_id
WHERE m.key IN ('os_resident', 'own_buffers');

-- _bound_peak_reading: at the peak there was at least what any snapshot says.
CREATE TEMP TABLE _bound_peak_reading AS
WITH read AS (
  SELECT r.*, ifnull(m.moved_bytes, 0) AS moved
  FROM _reading_sum AS r
  LEFT JOIN _moving AS m ON m.runtime_id = r.runtime_id AND m.snapshot_id = r.snapshot_id AND m.allocator_id = r.allocator_id
),
one AS (
  SELECT runtime_id, allocator_id, read_ns, CAST(mbc + sbc + pool AS INTEGER) AS bytes, moved, CAST(bytes AS INTEGER) AS blocks
  FROM read
  UNION ALL
  SELECT runtime_id, NULL, read_ns, CAST(sum(mbc + sbc + pool) AS INTEGER), sum(moved), CAST(sum(bytes) AS INTEGER)
  FROM read
  GROUP BY runtime_id, snapshot_id
),
most AS (
  SELECT runtime_id, allocator_id, read_ns, max(bytes) AS bytes, moved, blocks FROM one GROUP BY runtime_id, allocator_id
)
SELECT runtime_id, 'peak' AS moment, read_ns AS at_ns, allocator_id, 'carriers_bytes' AS quantity,
  max(0, bytes - moved) AS low, bytes AS likely, NULL AS high, 'snapshots' AS basis
FROM most
UNION ALL
SELECT runtime_id, 'peak', read_ns, allocator_id, 'blocks_bytes', 0, blocks, NULL, 'snapshots'
FROM most;
