-- SPDX-License-Identifier: MIT
--
-- Layer:   the figures
-- Serves:  everything that prints how much of something there is
--
-- The one place where a quantity stands.  A row says how much of it there is, of one place, for
-- one allocator or for all of them, at one moment: at least `low`, at most `high`, and likely
-- `likely`.  It is exact where low and high are the same, and nothing else makes it exact.  NULL:
-- on that side nothing bounds it.
--
-- A place is a traced runtime (subject_id is runtime.id) or a node that was read at one moment, a
-- dump among them (subject_id is -snapshot.id).  Moments: the end of the recording; the peak, when the
-- allocator (or all together) had most bytes in carriers while it was recorded; the moment that was
-- asked about (`carrierscope report --at`).

CREATE TABLE figure (
  subject_id    INTEGER NOT NULL,
  source_id   INTEGER NOT NULL REFERENCES source(id),
  runtime_id  INTEGER,           -- runtime.id; NULL: a reading of no traced process
  snapshot_id INTEGER,           -- snapshot.id of a reading; NULL: a traced runtime
  allocator   TEXT NOT NULL,     -- its name, or 'all'
  moment      TEXT NOT NULL,     -- 'end', 'peak' or 'at'
  quantity    TEXT NOT NULL,     -- quantity.name
  low         INTEGER,
  likely      INTEGER,
  high        INTEGER,
  quality     TEXT NOT NULL,     -- 'exact', 'bound' or 'unknown'
  ts_ns       INTEGER,           -- of the moment; of a peak, when it was likely
  basis       TEXT,              -- the kinds of evidence, the best first
  PRIMARY KEY (subject_id, allocator, moment, quantity)
) STRICT, WITHOUT ROWID;

-- The quantities that there are.
CREATE TABLE quantity (
  name    TEXT PRIMARY KEY,
  unit    TEXT NOT NULL,
  number  INTEGER NOT NULL,      -- for ordering
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO quantity VALUES
  ('carriers_bytes', 'bytes', 1, 'All carriers: multi-block carriers in use, single-block carriers, and those in the pool'),
  ('multi_block_carriers_bytes', 'bytes', 2, 'Multi-block carriers that instances use, those in the pool left out'),
  ('single_block_carriers_bytes', 'bytes', 3, 'Single-block carriers'),
  ('pool_bytes', 'bytes', 4, 'Carriers in the pool of abandoned carriers, of the allocator that created them'),
  ('blocks_bytes', 'bytes', 5, 'Live blocks, with their headers and what rounding adds, wherever they lie'),
  ('blocks', 'count', 6, 'Live blocks'),
  ('asked_bytes', 'bytes', 7, 'Bytes that the program asked for in live blocks'),
  ('unused_bytes', 'bytes', 8, 'Carriers less blocks'),
  ('multi_block_carriers', 'count', 9, 'Multi-block carriers that instances use'),
  ('single_block_carriers', 'count', 10, 'Single-block carriers'),
  ('single_block_blocks_bytes', 'bytes', 11, 'Blocks in single-block carriers'),
  ('pending_carriers_bytes', 'bytes', 12, 'Empty carriers that wait for their destruction, which no statistics count'),
  ('segment_cache_bytes', 'bytes', 13, 'Segments that the segment allocator keeps for reuse'),
  ('resident_bytes', 'bytes', 14, 'Memory of the process that is resident, as the system reports'),
  ('own_buffers_bytes', 'bytes', 15, 'Resident buffers of the recorder inside the process'),
  ('pool_blocks_bytes', 'bytes', 16, 'Blocks in carriers of the pool'),
  ('instances', 'count', 17, 'Instances of the allocator that are known'),
  ('pool_waiting_bytes', 'bytes', 18, 'Carriers in the pool that were there a quarter of the recording before and that nobody fetched since');

-- _bound: all evidence, with the names of allocators.  allocator 'all': of all together.
CREATE TEMP TABLE _bound AS
WITH name AS MATERIALIZED (SELECT * FROM allocator_name),
numbered AS (
  SELECT runtime_id, moment, at_ns, allocator_id, NULL AS peak_id, quantity, low, likely, high, basis, 1 AS rank
  FROM _bound_address
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, NULL, quantity, low, likely, high, basis, 1 FROM _bound_peak_address
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, NULL, quantity, low, likely, high, basis,
    iif(basis = 'snapshot', 0, 5)
  FROM _bound_reading
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, NULL, quantity, low, likely, high, basis, 4 FROM _bound_peak_reading
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, peak_id, quantity, low, likely, high, basis, 2 FROM _bound_block
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, NULL, quantity, low, likely, high, basis, 6 FROM _bound_seen
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator_id, NULL, quantity, low, likely, high, basis, 3 FROM _bound_sample
),
named AS (
  SELECT b.runtime_id, b.moment, b.at_ns,
    iif(b.allocator_id IS NULL, NULL, ifnull(n.name, 'allocator ' || b.allocator_id)) AS allocator,
    b.peak_id, b.quantity, b.low, b.likely, b.high, b.basis, b.rank
  FROM numbered AS b
  LEFT JOIN name AS n ON n.runtime_id = b.runtime_id AND n.allocator_id = b.allocator_id
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator, NULL, quantity, low, likely, high, basis, 3 FROM _bound_counter
  UNION ALL
  SELECT runtime_id, moment, at_ns, NULL, NULL, quantity, low, likely, high, basis, 3 FROM _bound_pool
  UNION ALL
  SELECT runtime_id, moment, at_ns, allocator, NULL, quantity, low, likely, high, basis, 4 FROM _bound_peak_counter
),
-- What sys_alloc gives is malloc's, and in no carrier.
allocator_named AS MATERIALIZED (SELECT * FROM named WHERE allocator IS NULL OR allocator <> 'sys_alloc')
SELECT runtime_id, moment, at_ns, ifnull(allocator, 'all') AS allocator, quantity, low, likely, high, basis, rank
FROM allocator_named
WHERE ifnull(peak_id, 0) <> -1
UNION ALL
-- What one kind of evidence says of all allocators is the sum; of the peak, which each has at its own
-- time, only the parts at the time of all.
SELECT runtime_id, moment, min(at_ns), 'all', quantity, sum(low), sum(likely),
  iif(count(high) = count(*), sum(high), NULL), basis, rank
FROM allocator_named
WHERE allocator IS NOT NULL AND (moment <> 'peak' OR peak_id = -1)
GROUP BY runtime_id, moment, quantity, basis, rank
UNION ALL
-- One allocator's pool is not more than everybody's.
SELECT p.runtime_id, p.moment, p.at_ns, a.name, 'pool', 0, NULL, p.high, p.basis, 3
FROM _bound_pool AS p
JOIN allocator_use AS u ON u.runtime_id = p.runtime_id
JOIN allocator AS a ON a.id = u.allocator_id;

-- _overlap: where all evidence overlaps, and what the best of it says is likely.
CREATE TEMP TABLE _overlap AS
WITH bound AS MATERIALIZED (SELECT * FROM _bound),
best AS (
  SELECT runtime_id, moment, allocator, quantity, min(rank), likely, at_ns, basis
  FROM bound
  WHERE likely IS NOT NULL
  GROUP BY runtime_id, moment, allocator, quantity
),
tight AS (
  SELECT runtime_id, moment, allocator, quantity, max(ifnull(low, 0)) AS low, min(high) AS high
  FROM bound
  GROUP BY runtime_id, moment, allocator, quantity
)
SELECT t.runtime_id, t.moment, t.allocator, t.quantity,
  -- Evidence that contradicts itself bounds nothing but from the one side to the other.
  min(t.low, ifnull(t.high, t.low)) AS low, iif(t.high < t.low, t.low, t.high) AS high,
  b.likely, b.at_ns, b.basis
FROM tight AS t
LEFT JOIN best AS b ON b.runtime_id = t.runtime_id AND b.moment = t.moment AND b.allocator = t.allocator
  AND b.quantity = t.quantity;

-- _wide: one row for each allocator (and all) of a runtime at a moment, with what is known of it.
CREATE TEMP TABLE _wide AS
SELECT runtime_id, moment, allocator,
  max(low) FILTER (WHERE quantity = 'mbc') AS mbc_low, max(high) FILTER (WHERE quantity = 'mbc') AS mbc_high,
  max(likely) FILTER (WHERE quantity = 'mbc') AS mbc,
  max(low) FILTER (WHERE quantity = 'sbc') AS sbc_low, max(high) FILTER (WHERE quantity = 'sbc') AS sbc_high,
  max(likely) FILTER (WHERE quantity = 'sbc') AS sbc,
  max(low) FILTER (WHERE quantity = 'pool') AS pool_low, max(high) FILTER (WHERE quantity = 'pool') AS pool_high,
  max(likely) FILTER (WHERE quantity = 'pool') AS pool,
  max(low) FILTER (WHERE quantity = 'total') AS total_low, max(high) FILTER (WHERE quantity = 'total') AS total_high,
  max(likely) FILTER (WHERE quantity = 'total') AS total,
  max(low) FILTER (WHERE quantity = 'bytes') AS bytes_low, max(high) FILTER (WHERE quantity = 'bytes') AS bytes_high,
  max(likely) FILTER (WHERE quantity = 'bytes') AS bytes,
  max(low) FILTER (WHERE quantity = 'blocks') AS blocks_low, max(high) FILTER (WHERE quantity = 'blocks') AS blocks_high,
  max(likely) FILTER (WHERE quantity = 'blocks') AS blocks,
  max(low) FILTER (WHERE quantity = 'asked') AS asked_low, max(high) FILTER (WHERE quantity = 'asked') AS asked_high,
  max(likely) FILTER (WHERE quantity = 'asked') AS asked,
  max(low) FILTER (WHERE quantity = 'mbcs') AS mbcs_low, max(high) FILTER (WHERE quantity = 'mbcs') AS mbcs_high,
  max(likely) FILTER (WHERE quantity = 'mbcs') AS mbcs,
  max(low) FILTER (WHERE quantity = 'sbcs') AS sbcs_low, max(high) FILTER (WHERE quantity = 'sbcs') AS sbcs_high,
  max(likely) FILTER (WHERE quantity = 'sbcs') AS sbcs,
  max(low) FILTER (WHERE quantity = 'sbc_bytes') AS sbc_bytes_low, max(high) FILTER (WHERE quantity = 'sbc_bytes') AS sbc_bytes_high,
  max(likely) FILTER (WHERE quantity = 'sbc_bytes') AS sbc_bytes,
  max(low) FILTER (WHERE quantity = 'pool_bytes') AS pool_bytes_low, max(high) FILTER (WHERE quantity = 'pool_bytes') AS pool_bytes_high,
  max(likely) FILTER (WHERE quantity = 'pool_bytes') AS pool_bytes,
  max(low) FILTER (WHERE quantity = 'pending') AS pending_low, max(high) FILTER (WHERE quantity = 'pending') AS pending_high,
  max(likely) FILTER (WHERE quantity = 'pending') AS pending,
  max(low) FILTER (WHERE quantity = 'cache') AS cache_low, max(high) FILTER (WHERE quantity = 'cache') AS cache_high,
  max(likely) FILTER (WHERE quantity = 'cache') AS cache,
  max(low) FILTER (WHERE quantity = 'resident') AS resident_low, max(high) FILTER (WHERE quantity = 'resident') AS resident_high,
  max(likely) FILTER (WHERE quantity = 'resident') AS resident,
  max(low) FILTER (WHERE quantity = 'own') AS own_low, max(high) FILTER (WHERE quantity = 'own') AS own_high,
  max(likely) FILTER (WHERE quantity = 'own') AS own,
  max(at_ns) FILTER (WHERE quantity IN ('mbc', 'total')) AS carriers_ns,
  max(at_ns) FILTER (WHERE quantity = 'bytes') AS bytes_ns,
  max(basis) FILTER (WHERE quantity IN ('mbc', 'total')) AS carriers_basis,
  max(basis) FILTER (WHERE quantity = 'bytes') AS bytes_basis,
  max(basis) FILTER (WHERE quantity = 'pool') AS pool_basis,
  max(basis) FILTER (WHERE quantity = 'blocks') AS blocks_basis,
  max(basis) FILTER (WHERE quantity = 'asked') AS asked_basis
FROM _overlap
GROUP BY runtime_id, moment, allocator;

-- _narrow: the same, each quantity by what the others leave of it: parts and sums, blocks within
-- carriers.
--
-- Worked example, tests/views/figure: carriers between 100 and 120, blocks between 30 and 150: there
-- are at most 120 in blocks, and between 0 and 90 unused.
CREATE TEMP TABLE _narrow AS
WITH summed AS (
  SELECT *,
    max(ifnull(total_low, 0), ifnull(mbc_low, 0) + ifnull(sbc_low, 0) + ifnull(pool_low, 0)) AS t_low,
    CASE WHEN total_high IS NULL THEN mbc_high + sbc_high + pool_high
      WHEN mbc_high + sbc_high + pool_high IS NULL THEN total_high
      ELSE min(total_high, mbc_high + sbc_high + pool_high) END AS t_high
  FROM _wide
),
filled AS (
  SELECT *,
    max(t_low, ifnull(bytes_low, 0), ifnull(asked_low, 0) + 8 * ifnull(blocks_low, 0)) AS now_low,
    max(ifnull(bytes_low, 0), ifnull(asked_low, 0) + 8 * ifnull(blocks_low, 0)) AS b_low,
    CASE WHEN bytes_high IS NULL THEN t_high WHEN t_high IS NULL THEN bytes_high
      ELSE min(bytes_high, t_high) END AS b_high
  FROM summed
),
-- While it was recorded an allocator had most at its peak, so no less then than at another moment; all
-- of them had no less at theirs than one of them ever had.
raised AS (
  SELECT *,
    CASE WHEN moment <> 'peak' THEN now_low
      WHEN allocator = 'all' THEN max(now_low) OVER (PARTITION BY runtime_id)
      ELSE max(now_low) OVER (PARTITION BY runtime_id, allocator) END AS most_low
  FROM filled
),
bounded AS (
  SELECT *, max(now_low, min(most_low, ifnull(t_high, most_low))) AS c_low FROM raised
)
SELECT *,
  max(0, c_low - b_high) AS unused_low,
  max(0, t_high - b_low) AS unused_high,
  CASE WHEN asked_high IS NULL THEN b_high - 8 * ifnull(blocks_low, 0) ELSE asked_high END AS a_high,
  CASE WHEN blocks_high IS NULL THEN b_high / 16 ELSE blocks_high END AS n_high,
  -- Without single-block carriers nothing is in them.
  ifnull(sbc_bytes_low, 0) AS s_low,
  CASE WHEN sbc_bytes_high IS NULL THEN sbc_high ELSE sbc_bytes_high END AS s_high
FROM bounded;

-- _pool_waiting: carriers in the pool a quarter of the recording before its end, where addresses say it,
-- and whether the allocator fetched any since.
CREATE TEMP TABLE _pool_waiting AS
SELECT c.runtime_id, c.allocator_id,
  CAST(min(total(iif(c.place = 'pool' AND c.ts_ns <= s.end_ns - (s.end_ns - s.begin_ns) / 4, c.bytes, 0)),
    total(iif(c.place = 'pool', c.bytes, 0))) AS INTEGER) AS bytes,
  EXISTS (SELECT 1 FROM carrier_moved AS m WHERE m.runtime_id = c.runtime_id AND m.allocator_id = c.allocator_id
    AND m.place = 0 AND m.ts_ns > s.end_ns - (s.end_ns - s.begin_ns) / 4) AS is_fetched
FROM _place_change AS c
JOIN _span AS s ON s.runtime_id = c.runtime_id
WHERE c.is_known AND c.runtime_id IN (SELECT runtime_id FROM _place_split)
GROUP BY c.runtime_id, c.allocator_id
HAVING total(c.place = 'pool') > 0;

-- _traced_figure: one row for each quantity of a runtime.
CREATE TEMP TABLE _traced_figure AS
WITH wide AS MATERIALIZED (SELECT * FROM _narrow),
quantity_name(name) AS (SELECT name FROM quantity),
value AS (
  SELECT w.runtime_id, w.allocator, w.moment, r.name,
    CASE r.name
      WHEN 'carriers_bytes' THEN w.c_low WHEN 'multi_block_carriers_bytes' THEN ifnull(w.mbc_low, 0)
      WHEN 'single_block_carriers_bytes' THEN ifnull(w.sbc_low, 0) WHEN 'pool_bytes' THEN ifnull(w.pool_low, 0)
      WHEN 'blocks_bytes' THEN w.b_low WHEN 'blocks' THEN ifnull(w.blocks_low, 0)
      WHEN 'asked_bytes' THEN ifnull(w.asked_low, 0) WHEN 'unused_bytes' THEN ifnull(w.unused_low, 0)
      WHEN 'multi_block_carriers' THEN ifnull(w.mbcs_low, 0) WHEN 'single_block_carriers' THEN ifnull(w.sbcs_low, 0)
      WHEN 'single_block_blocks_bytes' THEN w.s_low WHEN 'pool_blocks_bytes' THEN ifnull(w.pool_bytes_low, 0)
      WHEN 'pending_carriers_bytes' THEN w.pending_low WHEN 'segment_cache_bytes' THEN w.cache_low
      WHEN 'resident_bytes' THEN w.resident_low ELSE w.own_low END AS low,
    CASE r.name
      WHEN 'carriers_bytes' THEN w.t_high WHEN 'multi_block_carriers_bytes' THEN w.mbc_high
      WHEN 'single_block_carriers_bytes' THEN w.sbc_high WHEN 'pool_bytes' THEN w.pool_high
      WHEN 'blocks_bytes' THEN w.b_high WHEN 'blocks' THEN w.n_high
      WHEN 'asked_bytes' THEN w.a_high WHEN 'unused_bytes' THEN w.unused_high
      WHEN 'multi_block_carriers' THEN w.mbcs_high WHEN 'single_block_carriers' THEN w.sbcs_high
      WHEN 'single_block_blocks_bytes' THEN w.s_high
      WHEN 'pool_blocks_bytes' THEN CASE WHEN w.pool_bytes_high IS NOT NULL THEN w.pool_bytes_high
        WHEN w.pool_high IS NULL THEN w.b_high WHEN w.b_high IS NULL THEN w.pool_high ELSE min(w.pool_high, w.b_high) END
      WHEN 'pending_carriers_bytes' THEN w.pending_high WHEN 'segment_cache_bytes' THEN w.cache_high
      WHEN 'resident_bytes' THEN w.resident_high ELSE w.own_high END AS high,
    CASE r.name
      WHEN 'carriers_bytes' THEN ifnull(w.total, w.mbc + ifnull(w.sbc, 0) + ifnull(w.pool, 0))
      WHEN 'multi_block_carriers_bytes' THEN w.mbc
      WHEN 'single_block_carriers_bytes' THEN w.sbc WHEN 'pool_bytes' THEN w.pool
      WHEN 'blocks_bytes' THEN w.bytes WHEN 'blocks' THEN w.blocks WHEN 'asked_bytes' THEN w.asked
      WHEN 'unused_bytes' THEN max(0, ifnull(w.total, w.mbc + ifnull(w.sbc, 0) + ifnull(w.pool, 0)) - w.bytes)
      WHEN 'multi_block_carriers' THEN w.mbcs WHEN 'single_block_carriers' THEN w.sbcs
      WHEN 'single_block_blocks_bytes' THEN w.sbc_bytes WHEN 'pool_blocks_bytes' THEN w.pool_bytes
      WHEN 'pending_carriers_bytes' THEN w.pending WHEN 'segment_cache_bytes' THEN w.cache
      WHEN 'resident_bytes' THEN w.resident ELSE w.own END AS likely,
    iif(r.name IN ('blocks_bytes', 'blocks', 'asked_bytes'), ifnull(w.bytes_ns, w.carriers_ns), ifnull(w.carriers_ns, w.bytes_ns)) AS known_ns,
    CASE r.name WHEN 'blocks_bytes' THEN w.bytes_basis WHEN 'blocks' THEN w.blocks_basis WHEN 'asked_bytes' THEN w.asked_basis
      WHEN 'pool_bytes' THEN ifnull(w.pool_basis, w.carriers_basis)
      WHEN 'unused_bytes' THEN w.carriers_basis || iif(w.bytes_basis <> w.carriers_basis, '+' || w.bytes_basis, '')
      ELSE w.carriers_basis END AS basis
  FROM wide AS w
  CROSS JOIN quantity_name AS r
),
-- Evidence that contradicts itself bounds nothing but from the one side to the other.
sound AS (
  SELECT runtime_id, allocator, moment, name, min(low, ifnull(high, low)) AS low, likely,
    iif(high < low, low, high) AS high, known_ns, basis
  FROM value
)
SELECT v.runtime_id AS subject_id, s.source_id, v.runtime_id, NULL AS snapshot_id, v.allocator, v.moment,
  v.name AS quantity, v.low,
  CASE WHEN v.low = v.high THEN v.low ELSE max(v.low, min(v.likely, ifnull(v.high, v.likely))) END AS likely,
  v.high,
  CASE WHEN v.low = v.high THEN 'exact' WHEN v.high IS NULL AND ifnull(v.low, 0) = 0 THEN 'unknown' ELSE 'bound' END AS quality,
  CASE v.moment WHEN 'end' THEN s.end_ns WHEN 'at' THEN (SELECT m.at_ns FROM _moment AS m
    WHERE m.runtime_id = v.runtime_id AND m.moment = 'at') ELSE v.known_ns END AS ts_ns, v.basis
FROM sound AS v
JOIN _span AS s ON s.runtime_id = v.runtime_id
JOIN quantity AS q ON q.name = v.name
WHERE v.low IS NOT NULL AND q.name NOT IN ('instances', 'pool_waiting_bytes')
UNION ALL
SELECT w.runtime_id, s.source_id, w.runtime_id, NULL, ifnull(n.name, 'allocator ' || w.allocator_id), 'end', 'pool_waiting_bytes',
  iif(w.is_fetched, 0, w.bytes), iif(w.is_fetched, 0, w.bytes), iif(w.is_fetched, 0, w.bytes), 'exact', s.end_ns,
  iif(w.is_fetched, 'fetched', 'addresses')
FROM _pool_waiting AS w
JOIN _span AS s ON s.runtime_id = w.runtime_id
LEFT JOIN allocator_name AS n ON n.runtime_id = w.runtime_id AND n.allocator_id = w.allocator_id
UNION ALL
SELECT i.runtime_id, s.source_id, i.runtime_id, NULL, i.allocator, 'end', 'instances', max(i.instances), max(i.instances),
  max(i.instances), 'exact', s.end_ns, 'names'
FROM (
  SELECT u.runtime_id, a.name AS allocator, u.instances
  FROM allocator_use AS u JOIN allocator AS a ON a.id = u.allocator_id
  UNION ALL
  SELECT r.runtime_id, n.name, r.instances
  FROM _reading_sum AS r
  JOIN allocator_name AS n ON n.runtime_id = r.runtime_id AND n.allocator_id = r.allocator_id
  UNION ALL
  SELECT c.runtime_id, n.name, count(DISTINCT c.instance)
  FROM (SELECT runtime_id, allocator_id, instance FROM carrier_alloc
    UNION SELECT runtime_id, allocator_id, instance FROM state_carrier) AS c
  JOIN allocator_name AS n ON n.runtime_id = c.runtime_id AND n.allocator_id = c.allocator_id
  GROUP BY c.runtime_id, c.allocator_id
) AS i
JOIN _span AS s ON s.runtime_id = i.runtime_id
GROUP BY i.runtime_id, i.allocator
UNION ALL
-- A runtime of which nothing is known has its rows all the same.
SELECT m.runtime_id, s.source_id, m.runtime_id, NULL, 'all', m.moment, q.name, 0, NULL, NULL, 'unknown', m.at_ns, NULL
FROM _moment AS m
JOIN _span AS s ON s.runtime_id = m.runtime_id
JOIN quantity AS q ON q.number < 9
WHERE NOT EXISTS (SELECT 1 FROM wide AS w
  WHERE w.runtime_id = m.runtime_id AND w.allocator = 'all' AND w.moment = m.moment);

-- _read_figure: the same of each node that was read at one moment: what it said, and it is the end.
CREATE TEMP TABLE _read_figure AS
WITH figure AS (
  SELECT
    s.snapshot_id, s.allocator,
    total(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers_size') AS mbc,
    count(*) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers_size') AS known,
    total(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers_size') AS sbc,
    total(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'carriers_size') AS pool,
    total(s.current) FILTER (WHERE s.section = 'mbcs' AND s.key = 'carriers') AS mbcs,
    total(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'carriers') AS sbcs,
    total(s.current) FILTER (WHERE s.section IN ('mbcs', 'sbcs', 'mbcs_pool') AND s.key = 'blocks_size') AS bytes,
    total(s.current) FILTER (WHERE s.section = 'sbcs' AND s.key = 'blocks_size') AS sbc_bytes,
    total(s.current) FILTER (WHERE s.section IN ('mbcs', 'sbcs', 'mbcs_pool') AND s.key = 'blocks') AS blocks,
    total(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key = 'blocks_size') AS pool_blocks,
    count(DISTINCT s.instance) + (count(s.instance) = 0) AS instances
  FROM instance_stat AS s
  GROUP BY s.snapshot_id, s.allocator
  HAVING known > 0
),
counted AS (
  SELECT *, 1 AS is_whole FROM figure
  UNION ALL
  SELECT f.snapshot_id, 'all', sum(f.mbc), 1, sum(f.sbc), sum(f.pool), sum(f.mbcs), sum(f.sbcs), sum(f.bytes),
    sum(f.sbc_bytes), sum(f.blocks), sum(f.pool_blocks), max(f.instances),
    -- Terms of some allocators, and a dump that breaks off among them, say nothing of the others; a dump
    -- that goes on behind them lists all that there are.
    ifnull(d.has_all_allocators, count(*) >= 8)
  FROM figure AS f
  LEFT JOIN _whole_dump AS d ON d.snapshot_id = f.snapshot_id
  GROUP BY f.snapshot_id
),
value AS (
  SELECT c.snapshot_id, c.allocator, c.is_whole, q.name, CAST(CASE q.name
    WHEN 'carriers_bytes' THEN mbc + sbc + pool WHEN 'multi_block_carriers_bytes' THEN mbc
    WHEN 'single_block_carriers_bytes' THEN sbc WHEN 'pool_bytes' THEN pool
    WHEN 'blocks_bytes' THEN bytes WHEN 'blocks' THEN blocks
    WHEN 'unused_bytes' THEN max(0, mbc + sbc + pool - bytes)
    WHEN 'multi_block_carriers' THEN mbcs WHEN 'single_block_carriers' THEN sbcs
    WHEN 'single_block_blocks_bytes' THEN sbc_bytes WHEN 'pool_blocks_bytes' THEN pool_blocks
    WHEN 'instances' THEN instances END AS INTEGER) AS value
  FROM counted AS c
  CROSS JOIN quantity AS q
  UNION ALL
  SELECT m.snapshot_id, 'all', 1, 'resident_bytes', m.bytes FROM memory_sample AS m WHERE m.key = 'os_resident'
)
SELECT -n.id AS subject_id, n.source_id, n.runtime_id, n.id AS snapshot_id, v.allocator, 'end' AS moment,
  v.name AS quantity, v.value AS low, v.value AS likely, iif(v.is_whole, v.value, NULL) AS high,
  iif(v.is_whole, 'exact', 'bound') AS quality, n.ts_ns,
  iif(n.kind = 'crash_dump', 'dump', 'reading') AS basis
FROM value AS v
JOIN snapshot AS n ON n.id = v.snapshot_id
WHERE v.value IS NOT NULL
UNION ALL
-- At its peak a node had at least what it has now; its maxima are of its instances, each at its own time.
SELECT -n.id, n.source_id, n.runtime_id, n.id, m.allocator, 'peak', m.quantity,
  iif(m.quantity = 'carriers_bytes', c.value, 0), max(m.most, c.value), NULL, 'bound', NULL, 'maxima'
FROM (
  SELECT s.snapshot_id, s.allocator, iif(s.key = 'carriers_size', 'carriers_bytes', 'blocks_bytes') AS quantity,
    CAST(total(s.max_ever) AS INTEGER) AS most
  FROM instance_stat AS s
  WHERE s.section IN ('mbcs', 'sbcs') AND s.key IN ('carriers_size', 'blocks_size') AND s.max_ever IS NOT NULL
  GROUP BY s.snapshot_id, s.allocator, s.key
  UNION ALL
  SELECT s.snapshot_id, 'all', iif(s.key = 'carriers_size', 'carriers_bytes', 'blocks_bytes'), CAST(total(s.max_ever) AS INTEGER)
  FROM instance_stat AS s
  WHERE s.section IN ('mbcs', 'sbcs') AND s.key IN ('carriers_size', 'blocks_size') AND s.max_ever IS NOT NULL
  GROUP BY s.snapshot_id, s.key
) AS m
JOIN value AS c ON c.snapshot_id = m.snapshot_id AND c.allocator = m.allocator AND c.name = m.quantity
JOIN snapshot AS n ON n.id = m.snapshot_id;

-- figure: all of them.
CREATE TEMP TABLE figure AS
SELECT subject_id, source_id, runtime_id, snapshot_id, allocator, moment, quantity, low, likely, high, quality, ts_ns, basis
FROM _traced_figure
UNION ALL
SELECT subject_id, source_id, runtime_id, snapshot_id, allocator, moment, quantity, low, likely, high, quality, ts_ns, basis
FROM _read_figure;

-- report_figures: the figures, for people and programs.
CREATE VIEW report_figures AS
SELECT
  f.source_id AS source,
  ifnull(
    (SELECT max(n.value) FROM node_fact AS n WHERE n.snapshot_id = f.snapshot_id AND n.key = 'node_name'),
    (SELECT n.name FROM node_name AS n WHERE n.runtime_id = f.runtime_id)) AS node,
  (SELECT r.vpid FROM runtime AS r WHERE r.id = f.runtime_id) AS os_pid,
  f.snapshot_id AS reading,
  f.allocator,
  f.moment,
  f.quantity,
  f.low,
  f.likely,
  f.high,
  f.quality,
  f.ts_ns AS time,
  f.basis,
  s.lost_events
FROM figure AS f
JOIN quantity AS q ON q.name = f.quantity
JOIN source AS s ON s.id = f.source_id
ORDER BY f.source_id, f.subject_id, f.moment = 'peak', f.allocator <> 'all', f.allocator, q.number;

INSERT INTO view_doc VALUES
  ('figure', '', 'row', 'fast', 'One row for each quantity of an allocator (or of all) of a place at a moment: how much it is at least, likely and at most. The one place where it stands: every report reads it here'),
  ('figure', 'subject_id', 'id', 'label', 'runtime.id of a traced runtime, -snapshot.id of a reading'),
  ('figure', 'source_id', 'id', 'label', 'source.id'),
  ('figure', 'runtime_id', 'id', 'label', 'runtime.id; NULL: a reading of no traced process'),
  ('figure', 'snapshot_id', 'id', 'label', 'snapshot.id of a reading; NULL: a traced runtime'),
  ('figure', 'allocator', 'text', 'label', 'Name of the allocator, or all'),
  ('figure', 'moment', 'text', 'label', 'end: of the recording; peak: when the allocator (or all) had most bytes in carriers while it was recorded; at: the moment that was asked about'),
  ('figure', 'quantity', 'text', 'label', 'Which quantity, see table quantity'),
  ('figure', 'low', 'count', 'bound', 'It is at least this; of the unit in table quantity'),
  ('figure', 'likely', 'count', 'estimate', 'It is likely this; NULL: nothing says so'),
  ('figure', 'high', 'count', 'bound', 'It is at most this; NULL: nothing bounds it'),
  ('figure', 'quality', 'text', 'label', 'exact: low and high are the same; bound: the truth is between them; unknown: nothing is known but that it is not below 0'),
  ('figure', 'ts_ns', 'ns', 'exact', 'The moment, since the Unix epoch; of a peak when it was likely; NULL: not known'),
  ('figure', 'basis', 'text', 'label', 'The best evidence that it rests on: snapshot, addresses, blocks, counters, pool events, samples, reading or dump; NULL: none'),
  ('quantity', '', 'row', 'fast', 'One row for each quantity that table figure knows'),
  ('quantity', 'name', 'text', 'label', 'Its name'),
  ('quantity', 'unit', 'text', 'label', 'bytes or count'),
  ('quantity', 'number', 'count', 'label', 'For ordering'),
  ('quantity', 'meaning', 'text', 'label', 'What it is'),
  ('report_figures', '', 'row', 'fast', 'How much there is of each quantity: at least, likely and at most, and by what evidence; from figure. With --at also of that moment'),
  ('report_figures', 'node', 'text', 'label', 'Name of the node, or of its program'),
  ('report_figures', 'os_pid', 'id', 'label', 'Its process id, as the traced system counts; empty: not known'),
  ('report_figures', 'reading', 'id', 'label', 'snapshot.id of a node that was read at one moment; empty: traced'),
  ('report_figures', 'moment', 'text', 'label', 'end, peak or at'),
  ('report_figures', 'quantity', 'text', 'label', 'Which quantity, see table quantity'),
  ('report_figures', 'low', 'count', 'bound', 'It is at least this'),
  ('report_figures', 'likely', 'count', 'estimate', 'It is likely this'),
  ('report_figures', 'high', 'count', 'bound', 'It is at most this; empty: nothing bounds it'),
  ('report_figures', 'quality', 'text', 'label', 'exact, bound or unknown'),
  ('report_figures', 'time', 'ns', 'exact', 'The moment, since the Unix epoch; of a peak when it was likely'),
  ('report_figures', 'basis', 'text', 'label', 'The best evidence that it rests on');
