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
    b.peak_id, b.quantity, b.low,
    -- Of what malloc has for an allocator the node says nothing.
    iif(f.allocator IS NULL, b.likely, NULL) AS likely, iif(f.allocator IS NULL, b.high, NULL) AS high, b.basis, b.rank
  FROM numbered AS b
  LEFT JOIN name AS n ON n.runtime_id = b.runtime_id AND n.allocator_id = b.allocator_id
  LEFT JOIN _by_malloc AS f ON f.subject_id = b.runtime_id AND f.allocator = n.name AND b.rank IN (0, 4, 5) AND b.quantity IN ('blocks_bytes', 'blocks', 'asked_bytes')
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
-- What is in no carrier, since flags switch its allocator off.
SELECT p.runtime_id, p.moment, NULL, p.allocator, 'malloc_bytes', 0, NULL,
  iif(EXISTS (SELECT 1 FROM _by_malloc AS f WHERE f.subject_id = p.runtime_id AND p.allocator IN ('all', f.allocator)), NULL, 0), 'flags', 7
FROM (
  SELECT DISTINCT runtime_id, moment, ifnull(allocator, 'all') AS allocator FROM allocator_named
  UNION
  SELECT DISTINCT runtime_id, moment, 'all' FROM allocator_named
) AS p
UNION ALL
-- One allocator's pool is not more than everybody's.
SELECT p.runtime_id, p.moment, p.at_ns, a.name, p.quantity, 0, NULL, p.high, p.basis, 3
FROM _bound_pool AS p
JOIN allocator_use AS u ON u.runtime_id = p.runtime_id
JOIN allocator AS a ON a.id = u.allocator_id;

-- _bounded_quantity: what evidence may speak of.  is_always: where none does there may be any of it.  witness: the time and the kind
-- of its evidence are those of carriers (1), of blocks (2).  is_most: a peak is when there was most of it.
CREATE TEMP VIEW _bounded_quantity AS
WITH bounded(name, is_always, witness, is_most) AS (VALUES
  ('carriers_bytes', 1, 1, 1), ('multi_block_carriers_bytes', 1, 1, 0), ('single_block_carriers_bytes', 1, 0, 0), ('pool_bytes', 1, 0, 0),
  ('blocks_bytes', 1, 2, 0), ('blocks', 1, 0, 0), ('asked_bytes', 1, 0, 0), ('unused_bytes', 1, 0, 0),
  ('multi_block_carriers', 1, 0, 0), ('single_block_carriers', 1, 0, 0), ('single_block_blocks_bytes', 1, 0, 0),
  ('pool_blocks_bytes', 1, 0, 0), ('malloc_bytes', 1, 0, 0), ('pending_carriers_bytes', 0, 0, 0), ('segment_cache_bytes', 0, 0, 0),
  ('resident_bytes', 0, 0, 0), ('own_buffers_bytes', 0, 0, 0))
SELECT * FROM bounded;

-- _interval_rule: a row for each part of a rule: the quantity is, at least (>), at most (<) the sum of its parts, each `times` so
-- much, divided by `over`.  pass 1: of what evidence says; 2: of what pass 1 makes of that, and a quantity that has an upper
-- bound then keeps it.  is_needed: nothing is likely without the part.
--
-- Worked example, tests/views/figure: carriers between 100 and 120, blocks between 30 and 150: there
-- are at most 120 in blocks, and between 0 and 90 unused.
CREATE TEMP VIEW _interval_rule AS
WITH rule(pass, rule, quantity, relation, part, times, over, is_needed) AS (VALUES
  -- Parts make sums.
  (1, 1, 'carriers_bytes', '=', 'multi_block_carriers_bytes', 1, 1, 1),
  (1, 1, 'carriers_bytes', '=', 'single_block_carriers_bytes', 1, 1, 0),
  (1, 1, 'carriers_bytes', '=', 'pool_bytes', 1, 1, 0),
  -- Blocks, each with a header, are in carriers, but for those of malloc.
  (1, 2, 'blocks_bytes', '>', 'asked_bytes', 1, 1, 1), (1, 2, 'blocks_bytes', '>', 'blocks', 8, 1, 1),
  (1, 3, 'carriers_bytes', '>', 'asked_bytes', 1, 1, 1), (1, 3, 'carriers_bytes', '>', 'blocks', 8, 1, 1),
  (1, 3, 'carriers_bytes', '>', 'malloc_bytes', -1, 1, 0),
  (1, 4, 'carriers_bytes', '>', 'blocks_bytes', 1, 1, 1), (1, 4, 'carriers_bytes', '>', 'malloc_bytes', -1, 1, 0),
  (1, 5, 'blocks_bytes', '<', 'carriers_bytes', 1, 1, 1), (1, 5, 'blocks_bytes', '<', 'malloc_bytes', 1, 1, 0),
  (1, 6, 'blocks_bytes', '<', 'multi_block_carriers_bytes', 1, 1, 1),
  (1, 6, 'blocks_bytes', '<', 'single_block_carriers_bytes', 1, 1, 1), (1, 6, 'blocks_bytes', '<', 'pool_bytes', 1, 1, 1),
  (1, 6, 'blocks_bytes', '<', 'malloc_bytes', 1, 1, 0),
  (2, 7, 'unused_bytes', '=', 'carriers_bytes', 1, 1, 1), (2, 7, 'unused_bytes', '=', 'blocks_bytes', -1, 1, 1),
  (2, 7, 'unused_bytes', '=', 'malloc_bytes', 1, 1, 0), (2, 13, 'unused_bytes', '<', 'carriers_bytes', 1, 1, 1),
  (2, 8, 'asked_bytes', '<', 'blocks_bytes', 1, 1, 1), (2, 8, 'asked_bytes', '<', 'blocks', -8, 1, 1),
  (2, 9, 'blocks', '<', 'blocks_bytes', 1, 16, 1),
  (2, 10, 'single_block_blocks_bytes', '<', 'single_block_carriers_bytes', 1, 1, 1),
  (2, 11, 'pool_blocks_bytes', '<', 'pool_bytes', 1, 1, 1),
  (2, 12, 'pool_blocks_bytes', '<', 'blocks_bytes', 1, 1, 1))
SELECT * FROM rule;

-- _interval: one row for each quantity of an allocator (and all) of a runtime at a moment: where all evidence overlaps, narrowed by
-- the rules; of the evidence with the best rank what is likely, its time and its kind.  Evidence that contradicts itself bounds
-- nothing but from the one side to the other.  The command computes this in one pass over the evidence (interval.c).
CREATE TEMP TABLE _interval AS
WITH best AS MATERIALIZED (
  SELECT runtime_id, allocator, moment, quantity, min(rank), likely, at_ns, basis
  FROM _bound
  WHERE likely IS NOT NULL
  GROUP BY runtime_id, allocator, moment, quantity
),
tight AS (
  SELECT runtime_id, allocator, moment, quantity, max(ifnull(low, 0)) AS low, min(high) AS high
  FROM _bound
  GROUP BY runtime_id, allocator, moment, quantity
),
evidence AS MATERIALIZED (
  SELECT t.runtime_id, t.allocator, t.moment, t.quantity, min(t.low, ifnull(t.high, t.low)) AS low, max(t.low, t.high) AS high,
    b.likely, b.at_ns, b.basis
  FROM tight AS t
  LEFT JOIN best AS b USING (runtime_id, allocator, moment, quantity)
),
place AS MATERIALIZED (
  SELECT runtime_id, allocator, moment,
    max(at_ns) FILTER (WHERE quantity IN ('carriers_bytes', 'multi_block_carriers_bytes')) AS carriers_ns,
    max(basis) FILTER (WHERE quantity IN ('carriers_bytes', 'multi_block_carriers_bytes')) AS carriers_basis,
    max(at_ns) FILTER (WHERE quantity = 'blocks_bytes') AS bytes_ns,
    max(basis) FILTER (WHERE quantity = 'blocks_bytes') AS bytes_basis
  FROM evidence
  GROUP BY runtime_id, allocator, moment
),
said AS MATERIALIZED (
  SELECT p.runtime_id, p.allocator, p.moment, q.name AS quantity, ifnull(e.low, 0) AS low, e.likely, e.high, e.basis
  FROM place AS p
  CROSS JOIN _bounded_quantity AS q
  LEFT JOIN evidence AS e ON e.runtime_id = p.runtime_id AND e.allocator = p.allocator AND e.moment = p.moment AND e.quantity = q.name
  WHERE q.is_always OR e.low IS NOT NULL
),
first_rule AS (
  SELECT s.runtime_id, s.allocator, s.moment, r.quantity,
    iif(r.relation <> '<' AND count(iif(r.times > 0, s.low, s.high)) = count(*), sum(iif(r.times > 0, s.low, s.high) * r.times) / r.over, NULL) AS low,
    iif(r.relation = '=' AND count(s.likely) FILTER (WHERE r.is_needed) = sum(r.is_needed), max(0, sum(s.likely * r.times) / r.over), NULL) AS likely,
    iif(r.relation <> '>' AND count(iif(r.times > 0, s.high, s.low)) = count(*), max(0, sum(iif(r.times > 0, s.high, s.low) * r.times) / r.over), NULL) AS high
  FROM _interval_rule AS r
  JOIN said AS s ON s.quantity = r.part
  WHERE r.pass = 1
  GROUP BY s.runtime_id, s.allocator, s.moment, r.rule
),
summed AS (
  SELECT s.runtime_id, s.allocator, s.moment, s.quantity, max(s.low, ifnull(max(f.low), 0)) AS low,
    ifnull(s.likely, max(f.likely)) AS likely, min(ifnull(s.high, min(f.high)), ifnull(min(f.high), s.high)) AS high, s.basis
  FROM said AS s
  LEFT JOIN first_rule AS f USING (runtime_id, allocator, moment, quantity)
  GROUP BY s.runtime_id, s.allocator, s.moment, s.quantity
),
-- While it was recorded an allocator had most at its peak, so no less then than at another moment; all
-- of them had no less at theirs than one of them ever had.
raised AS MATERIALIZED (
  SELECT runtime_id, allocator, moment, quantity, likely, high, basis,
    CASE WHEN moment <> 'peak' OR quantity <> 'carriers_bytes' THEN low
      ELSE max(low, min(ifnull(high, 9223372036854775807), iif(allocator = 'all', max(low) OVER (PARTITION BY runtime_id, quantity),
        max(low) OVER (PARTITION BY runtime_id, quantity, allocator)))) END AS low
  FROM summed
),
second_rule AS (
  SELECT s.runtime_id, s.allocator, s.moment, r.quantity,
    iif(r.relation <> '<' AND count(iif(r.times > 0, s.low, s.high)) = count(*), sum(iif(r.times > 0, s.low, s.high) * r.times) / r.over, NULL) AS low,
    iif(r.relation = '=' AND count(s.likely) FILTER (WHERE r.is_needed) = sum(r.is_needed), max(0, sum(s.likely * r.times) / r.over), NULL) AS likely,
    iif(r.relation <> '>' AND count(iif(r.times > 0, s.high, s.low)) = count(*), max(0, sum(iif(r.times > 0, s.high, s.low) * r.times) / r.over), NULL) AS high
  FROM _interval_rule AS r
  JOIN raised AS s ON s.quantity = r.part
  WHERE r.pass = 2
  GROUP BY s.runtime_id, s.allocator, s.moment, r.rule
),
narrowed AS (
  SELECT s.runtime_id, s.allocator, s.moment, s.quantity, max(s.low, ifnull(max(f.low), 0)) AS low,
    ifnull(s.likely, max(f.likely)) AS likely, ifnull(s.high, min(f.high)) AS high, s.basis
  FROM raised AS s
  LEFT JOIN second_rule AS f USING (runtime_id, allocator, moment, quantity)
  GROUP BY s.runtime_id, s.allocator, s.moment, s.quantity
)
SELECT n.runtime_id, n.allocator, n.moment, n.quantity, min(n.low, ifnull(n.high, n.low)) AS low, n.likely, max(n.low, n.high) AS high,
  n.basis, p.carriers_ns, p.carriers_basis, p.bytes_ns, p.bytes_basis
FROM narrowed AS n
JOIN place AS p USING (runtime_id, allocator, moment);

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
CREATE TEMP VIEW _traced_figure AS
SELECT v.runtime_id AS subject_id, s.source_id, v.runtime_id, NULL AS snapshot_id, v.allocator, v.moment,
  v.quantity, v.low,
  CASE WHEN v.low = v.high THEN v.low ELSE max(v.low, min(v.likely, ifnull(v.high, v.likely))) END AS likely,
  v.high,
  CASE WHEN v.low = v.high THEN 'exact' WHEN v.high IS NULL AND ifnull(v.low, 0) = 0 THEN 'unknown' ELSE 'bound' END AS quality,
  CASE v.moment WHEN 'end' THEN s.end_ns WHEN 'at' THEN (SELECT m.at_ns FROM _moment AS m
    WHERE m.runtime_id = v.runtime_id AND m.moment = 'at')
    ELSE iif(v.quantity IN ('blocks_bytes', 'blocks', 'asked_bytes'), ifnull(v.bytes_ns, v.carriers_ns), ifnull(v.carriers_ns, v.bytes_ns))
  END AS ts_ns,
  CASE v.quantity WHEN 'blocks_bytes' THEN v.basis WHEN 'blocks' THEN v.basis WHEN 'asked_bytes' THEN v.basis
    WHEN 'pool_bytes' THEN ifnull(v.basis, v.carriers_basis)
    WHEN 'unused_bytes' THEN v.carriers_basis || iif(v.bytes_basis <> v.carriers_basis, '+' || v.bytes_basis, '')
    ELSE v.carriers_basis END AS basis
FROM _interval AS v
JOIN _span AS s ON s.runtime_id = v.runtime_id
JOIN quantity AS q ON q.name = v.quantity
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
WHERE NOT EXISTS (SELECT 1 FROM _interval AS i
  WHERE i.runtime_id = m.runtime_id AND i.allocator = 'all' AND i.moment = m.moment);

-- _read_figure: the same of each node that was read at one moment: what it said, and it is the end.
CREATE TEMP VIEW _read_figure AS
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
