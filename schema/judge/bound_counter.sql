-- SPDX-License-Identifier: MIT
--
-- Layer:   bounds from the counters of OTP's events
-- Serves:  judge/figure
--
-- Rows and quantities as in bound.sql.

-- _counter_at: one row for each instance and moment: its counters as it last recorded them, and what went
-- through the pool after that; is_sure: nothing is missing since.
CREATE TEMP TABLE _counter_at AS
SELECT
  m.runtime_id, m.moment, m.at_ns, n.allocator, n.instance_id, n.last_stat_ts_ns,
  n.last_mbc_carriers, n.last_mbc_carriers_bytes, n.last_mbc_blocks, n.last_mbc_blocks_bytes,
  n.last_sbc_carriers, n.last_sbc_carriers_bytes, n.last_sbc_blocks, n.last_sbc_blocks_bytes,
  n.puts_since_stat AS puts, n.put_bytes_since_stat AS put_bytes,
  n.fetched_since_stat AS fetched_low, n.fetched_since_stat + n.gets_unresolved AS fetched_high,
  n.last_stat_ts_ns >= s.complete_ns AS is_sure
FROM _moment AS m
JOIN _span AS s ON s.runtime_id = m.runtime_id AND NOT s.is_mixed
JOIN _recorded AS r ON r.runtime_id = m.runtime_id AND r.has_counters
JOIN _now_instance AS n ON n.runtime_id = m.runtime_id
WHERE m.moment = 'end' AND n.last_stat_ts_ns IS NOT NULL
UNION ALL
SELECT
  m.runtime_id, m.moment, m.at_ns, a.name, i.id, e.ts_ns,
  e.mbc_carriers, e.mbc_carriers_size, e.mbc_blocks, e.mbc_blocks_size,
  e.sbc_carriers, e.sbc_carriers_size, e.sbc_blocks, e.sbc_blocks_size,
  total(p.kind = 2), CAST(total(iif(p.kind = 2, p.size, 0)) AS INTEGER), 0, total(p.kind = 3), e.ts_ns >= s.complete_ns
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
WHERE m.moment = 'at'
GROUP BY m.runtime_id, i.id;

-- _bound_counter: carriers by the counters of OTP's events.  A silent end of a single-block carrier makes
-- its counter too large, a silent growth too small: it is bounded only where there are none, or while
-- no time passed.  Blocks come and go inside carriers without an event: they are bounded by these alone.
-- After a loss an instance that recorded nothing since is likely what it was, and may be anything.
CREATE TEMP TABLE _bound_counter AS
WITH largest AS (
  SELECT runtime_id, max(size) AS bytes FROM carrier_life_size GROUP BY runtime_id
),
one AS (
  -- At the end the process goes on without an event.
  SELECT c.*, c.is_sure AND c.last_stat_ts_ns >= c.at_ns AND c.moment <> 'end' AS is_now,
    max(0, c.last_mbc_carriers_bytes - c.put_bytes) AS mbc_likely,
    iif(c.is_sure, max(0, c.last_mbc_carriers_bytes - c.put_bytes), 0) AS mbc_low,
    CASE WHEN NOT c.is_sure THEN NULL WHEN c.fetched_high = 0 THEN max(0, c.last_mbc_carriers_bytes - c.put_bytes)
      WHEN b.runtime_id IS NULL THEN NULL
      ELSE c.last_mbc_carriers_bytes - c.put_bytes + CAST(c.fetched_high AS INTEGER) * l.bytes END AS mbc_high
  FROM _counter_at AS c
  LEFT JOIN _boot AS b ON b.runtime_id = c.runtime_id
  LEFT JOIN largest AS l ON l.runtime_id = c.runtime_id
),
allocator AS MATERIALIZED (
  SELECT
    o.runtime_id, o.moment, min(o.last_stat_ts_ns) AS at_ns, o.allocator,
    b.runtime_id IS NOT NULL AS is_boot,
    sum(o.mbc_low) AS mbc_low, sum(o.mbc_likely) AS mbc_likely, min(o.is_sure) AS is_sure,
    iif(count(o.mbc_high) = count(*), sum(o.mbc_high), NULL) AS mbc_high,
    CAST(sum(iif(o.is_sure, max(0, o.last_mbc_carriers - o.puts + o.fetched_low), 0)) AS INTEGER) AS mbcs_low,
    CAST(sum(max(0, o.last_mbc_carriers - o.puts + o.fetched_low)) AS INTEGER) AS mbcs_likely,
    CAST(sum(max(0, o.last_mbc_carriers - o.puts + o.fetched_high)) AS INTEGER) AS mbcs_high,
    sum(iif(o.is_now, o.last_sbc_carriers_bytes, 0)) AS sbc_low,
    sum(iif(o.is_now, o.last_sbc_carriers, 0)) AS sbcs_low,
    sum(o.last_sbc_carriers) AS sbcs_high,
    sum(o.last_sbc_carriers_bytes) AS sbc_likely,
    iif(max(NOT o.is_now AND o.last_sbc_carriers > 0), NULL, sum(o.last_sbc_carriers_bytes)) AS sbc_high,
    -- Blocks of carriers that went to the pool since are not known apart.
    sum(min(o.last_mbc_blocks_bytes, o.mbc_likely) + o.last_sbc_blocks_bytes) AS bytes_likely,
    sum(o.last_mbc_blocks + o.last_sbc_blocks) AS blocks_likely
  FROM one AS o
  LEFT JOIN _boot AS b ON b.runtime_id = o.runtime_id
  GROUP BY o.runtime_id, o.moment, o.allocator
),
value(quantity, low, likely, high, runtime_id, moment, at_ns, allocator, is_bounded) AS (
  SELECT 'multi_block_carriers_bytes', mbc_low, mbc_likely, mbc_high, runtime_id, moment, at_ns, allocator, is_boot AND is_sure FROM allocator
  UNION ALL SELECT 'single_block_carriers_bytes', sbc_low, sbc_likely, sbc_high, runtime_id, moment, at_ns, allocator, is_boot AND is_sure FROM allocator
  UNION ALL SELECT 'multi_block_carriers', mbcs_low, mbcs_likely, mbcs_high, runtime_id, moment, at_ns, allocator, is_boot AND is_sure FROM allocator
  UNION ALL SELECT 'single_block_carriers', sbcs_low, sbcs_high, sbcs_high, runtime_id, moment, at_ns, allocator, is_boot AND is_sure FROM allocator
  UNION ALL SELECT 'blocks_bytes', 0, bytes_likely, NULL, runtime_id, moment, at_ns, allocator, 0 FROM allocator
  UNION ALL SELECT 'blocks', 0, blocks_likely, NULL, runtime_id, moment, at_ns, allocator, 0 FROM allocator
)
SELECT runtime_id, moment, at_ns, allocator, quantity, low, likely,
  -- Where the recording began late there may be instances that have not spoken yet.
  iif(is_bounded, high, NULL) AS high, 'counters' AS basis
FROM value;

-- _bound_pool: what the events of the pool say of all allocators together, at the end.
CREATE TEMP TABLE _bound_pool AS
WITH doubt AS (
  SELECT runtime_id, sum(ambiguous_creates) AS creates FROM instance GROUP BY runtime_id
)
SELECT p.runtime_id, 'end' AS moment, s.end_ns AS at_ns, 'pool_bytes' AS quantity,
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
CREATE TEMP TABLE _bound_peak_counter AS
SELECT n.runtime_id, 'peak' AS moment, t.max_carriers_ts_ns AS at_ns, n.allocator, 'carriers_bytes' AS quantity,
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
SELECT t.scope_id, 'peak', t.max_carriers_ts_ns, NULL, 'carriers_bytes', 0, t.max_carriers_bytes, NULL, 'counters'
FROM scope_total AS t
WHERE t.scope = 'runtime' AND t.max_carriers_bytes IS NOT NULL;
