-- SPDX-License-Identifier: MIT
--
-- Layer:   holes
-- Serves:  waterfall
--
-- What lies between blocks, by size, as far as a source records it.
--
-- A recording that has carriers and blocks with their addresses is walked: all that begins or
-- ends in a carrier, in the order of addresses.  A block of n bytes takes max(m, 8 * ceil((word +
-- tag + n) / 8)) bytes, where m is the least block of the strategy; gaps below m are slack of
-- blocks, from m on they are holes.  (Measured on OTP 24 and 25; the same in all releases.)
-- instrument:carriers() counts holes by buckets: bounds.  No other source has sizes.

-- _mbc_alive: multi-block carriers that were there at the end, of runtimes that recorded addresses.
CREATE TEMP VIEW _mbc_alive AS
WITH born AS (
  SELECT runtime_id, address, size_bytes, allocator_id, ts_ns FROM carrier_alloc WHERE kind <> 2
  UNION ALL
  SELECT c.runtime_id, c.address, c.size_bytes, c.allocator_id, c.ts_ns
  FROM state_carrier AS c
  JOIN (SELECT runtime_id, min(ts_ns) AS ts_ns FROM state_end GROUP BY runtime_id) AS e
    ON e.runtime_id = c.runtime_id AND c.ts_ns <= e.ts_ns
  WHERE c.kind <> 2
),
gone AS (
  SELECT runtime_id, address, count(*) AS times
  FROM carrier_free WHERE kind <> 2
  GROUP BY runtime_id, address
)
SELECT b.runtime_id, b.address, b.size, b.allocator_id
FROM (
  SELECT runtime_id, address, size_bytes AS size, allocator_id, max(ts_ns), count(*) AS times
  FROM born GROUP BY runtime_id, address
) AS b
LEFT JOIN gone AS g ON g.runtime_id = b.runtime_id AND g.address = b.address
WHERE b.times > ifnull(g.times, 0);

-- _walkable: runtimes whose carriers and blocks are all known by address: from the first carrier on, and none
-- was lost.
CREATE TEMP VIEW _walkable AS
SELECT r.id AS runtime_id, r.source_id
FROM runtime AS r
JOIN _boot AS b ON b.runtime_id = r.id
JOIN (SELECT runtime_id, sum(unknown_frees) AS frees FROM _live_total GROUP BY runtime_id) AS t
  ON t.runtime_id = r.id AND t.frees = 0
WHERE r.id IN (SELECT runtime_id FROM carrier_alloc)
  AND r.id NOT IN (SELECT runtime_id FROM state_block WHERE runtime_id IS NOT NULL);

-- _address_walk: one row for each runtime, allocator that made the carriers and kind of what lies in
-- them.  kind: 'hole' of sizes from size_from on, 'slack' (gaps below the least block, headers of
-- carriers), 'block' of allocator of_id; carrier allocator NULL: in single-block carriers.
CREATE TEMP VIEW _address_walk AS
WITH alive AS MATERIALIZED (
  SELECT c.* FROM _mbc_alive AS c JOIN _walkable AS w ON w.runtime_id = c.runtime_id
),
rule AS MATERIALIZED (SELECT r.* FROM _block_rule AS r JOIN _walkable AS w ON w.runtime_id = r.runtime_id),
item AS (
  -- rank orders what has the same address: an end before a begin.
  SELECT runtime_id, address AS at, 1 AS rank, allocator_id, address + size AS until FROM alive
  UNION ALL
  SELECT runtime_id, address + size, 0, NULL, NULL FROM alive
  UNION ALL
  SELECT h.runtime_id, b.address - r.header, 2, b.allocator_id,
    b.address - r.header + max(r.least, (r.header + r.tag + b.size + 7) / 8 * 8)
  FROM _block_live_id AS i
  CROSS JOIN _block_event AS b ON b.id = i.id
  CROSS JOIN thread AS h ON h.id = b.thread_id
  CROSS JOIN rule AS r ON r.runtime_id = h.runtime_id AND r.allocator_id = b.allocator_id
  -- Live blocks are not read where nothing is walked.
  WHERE i.moment = 'end' AND EXISTS (SELECT 1 FROM rule)
),
placed AS (
  SELECT *,
    max(iif(rank = 1, until, NULL)) OVER by_address AS carrier_end,
    -- The allocator of the last carrier that began: its number rides with its address.
    lead(at) OVER by_address AS next_at,
    lead(rank) OVER by_address AS next_rank,
    sum(rank = 1) OVER by_address AS carrier
  FROM item
  WINDOW by_address AS (PARTITION BY runtime_id ORDER BY at, rank)
),
inside AS MATERIALIZED (
  SELECT p.*,
    p.rank = 2 AND (p.carrier = 0 OR p.at >= p.carrier_end) AS is_alone,
    first_value(p.allocator_id) OVER (PARTITION BY p.runtime_id, p.carrier ORDER BY p.at, p.rank) AS owner_id
  FROM placed AS p
  WHERE p.rank > 0
),
header AS MATERIALIZED (
  -- Of a carrier: the least that lies before a first block, at most 512 bytes.
  SELECT runtime_id, owner_id, min(next_at - at) AS bytes
  FROM inside
  WHERE rank = 1 AND next_rank = 2 AND next_at - at <= 512
  GROUP BY runtime_id, owner_id
),
gap AS (
  SELECT i.runtime_id, i.owner_id,
    min(i.next_at, i.carrier_end)
      - iif(i.rank = 1, i.at + ifnull(h.bytes, 55 * r.header), i.until) AS bytes,
    r.least
  FROM inside AS i
  JOIN rule AS r ON r.runtime_id = i.runtime_id AND r.allocator_id = i.owner_id
  LEFT JOIN header AS h ON h.runtime_id = i.runtime_id AND h.owner_id = i.owner_id
  WHERE NOT i.is_alone
)
SELECT runtime_id, owner_id, 'hole' AS kind, NULL AS of_id,
  CASE WHEN bytes < 128 THEN 0 WHEN bytes < 1024 THEN 128 WHEN bytes < 8192 THEN 1024
    WHEN bytes < 65536 THEN 8192 WHEN bytes < 524288 THEN 65536
    WHEN bytes < 4194304 THEN 524288 ELSE 4194304 END AS size_from,
  count(*) AS number, sum(bytes) AS bytes
FROM gap
WHERE bytes >= least
GROUP BY 1, 2, 5
UNION ALL
SELECT runtime_id, iif(is_alone, NULL, owner_id), 'block', allocator_id, NULL, count(*),
  sum(until - at)
FROM inside
WHERE rank = 2
GROUP BY 1, 2, 4;

-- _scan_hole: holes by buckets, in carriers that instances use, of nodes that instrument scanned.
CREATE TEMP VIEW _scan_hole AS
SELECT
  -b.snapshot_id AS subject_id, c.allocator, b.from_bytes AS size_from, b.to_bytes AS size_to,
  sum(b.blocks) AS holes,
  sum(b.blocks * b.from_bytes) AS bytes, sum(b.blocks * (b.to_bytes - 1)) AS bytes_max
FROM histogram_bucket AS b
JOIN carrier_scan AS c ON c.id = b.carrier_scan_id
WHERE b.kind = 'free' AND b.blocks > 0 AND NOT c.in_pool
GROUP BY b.snapshot_id, c.allocator, b.from_bytes, b.to_bytes;

-- _scan_held: carriers and blocks that instrument:carriers() found.  Single-block carriers are
-- among the others.
CREATE TEMP VIEW _scan_held AS
WITH block AS (
  SELECT c.snapshot_id, c.allocator, c.in_pool, b.allocator AS of, sum(b.blocks_bytes) AS bytes
  FROM carrier_scan AS c
  JOIN carrier_scan_blocks AS b ON b.carrier_scan_id = c.id
  GROUP BY 1, 2, 3, 4
),
carrier AS (
  SELECT snapshot_id, allocator,
    sum(iif(in_pool, 0, size)) AS mbc_bytes, sum(iif(in_pool, size, 0)) AS pool_bytes
  FROM carrier_scan
  GROUP BY snapshot_id, allocator
)
SELECT
  c.*,
  ifnull((SELECT sum(b.bytes) FROM block AS b WHERE b.snapshot_id = c.snapshot_id
    AND b.allocator = c.allocator AND NOT b.in_pool), 0) AS mbc_blocks_bytes,
  ifnull((SELECT sum(b.bytes) FROM block AS b WHERE b.snapshot_id = c.snapshot_id
    AND b.allocator = c.allocator AND b.in_pool), 0) AS pool_blocks_bytes,
  ifnull((SELECT sum(b.bytes) FROM block AS b WHERE b.snapshot_id = c.snapshot_id
    AND b.allocator = c.allocator AND b.of <> c.allocator), 0) AS foreign_bytes,
  ifnull((SELECT sum(b.bytes) FROM block AS b WHERE b.snapshot_id = c.snapshot_id
    AND b.allocator <> c.allocator AND b.of = c.allocator), 0) AS abroad_bytes
FROM carrier AS c;

-- _stat_at_end: figures of what was read: of a traced node of its last whole snapshot alone.
CREATE TEMP TABLE _stat_at_end AS
SELECT t.snapshot_id, t.allocator, t.instance, t.section, t.key, t.current, t.of
FROM instance_stat AS t
UNION ALL
SELECT t.snapshot_id, t.allocator, t.instance, t.section, t.key, t.current, t.of
FROM _snapshot_at_end AS k
CROSS JOIN _recorded_stat AS t ON t.snapshot_id = k.snapshot_id;

-- _foreign_read: one row for each allocator of a reading of these: blocks of others in carriers of an allocator, its blocks
-- in carriers of others, all blocks in the pool.  NULL: the release does not distinguish them.
CREATE TEMP TABLE _foreign_read AS
WITH abroad AS (
  SELECT snapshot_id, of AS allocator, sum(current) AS bytes
  FROM _stat_at_end
  WHERE key IN ('blocks_size', 'foreign_blocks_size') AND of <> allocator
  GROUP BY snapshot_id, of
),
split AS (
  SELECT DISTINCT snapshot_id FROM _stat_at_end
  WHERE of IS NOT NULL AND key IN ('blocks_size', 'foreign_blocks_size')
)
SELECT
  s.snapshot_id, s.allocator,
  iif(p.snapshot_id IS NULL, NULL, CAST(total(s.current) FILTER (WHERE s.key = 'foreign_blocks_size' OR (s.key = 'blocks_size' AND s.of <> s.allocator)) AS INTEGER)) AS foreign_bytes,
  iif(p.snapshot_id IS NULL, NULL, ifnull(max(a.bytes), 0)) AS abroad_bytes,
  CAST(total(s.current) FILTER (WHERE s.section = 'mbcs_pool' AND s.key IN ('blocks_size', 'foreign_blocks_size')) AS INTEGER)
    AS pool_blocks_bytes
FROM _stat_at_end AS s
LEFT JOIN abroad AS a ON a.snapshot_id = s.snapshot_id AND a.allocator = s.allocator
LEFT JOIN split AS p ON p.snapshot_id = s.snapshot_id
WHERE s.section IN ('mbcs', 'sbcs', 'mbcs_pool')
GROUP BY s.snapshot_id, s.allocator;

-- _below: one row for each of these readings that is of a whole node: what lies below the allocators.
--
--   mapped_bytes  what is mapped for segments and literals (without addresses that are only set
--                aside), and what malloc gave to carriers
--   cached_bytes  segments that are kept for reuse: mapped, and in no segment that is in use
--   given_bytes   segments in use, literals, and what malloc gave to carriers
CREATE TEMP TABLE _below AS
WITH part AS (
  SELECT
    snapshot_id,
    sum(current) FILTER (WHERE allocator = 'mseg_alloc' AND key = 'segments_size') AS segments,
    sum(current) FILTER (WHERE key = 'sys_alloc_carriers_size') AS sys,
    sum(current) FILTER (WHERE allocator = 'default_mmap'
      AND (section = 'os' AND key = 'used' OR section = 'supercarrier' AND key IN ('used_sa', 'used_sua')))
      AS mapped,
    sum(current) FILTER (WHERE allocator = 'literal_alloc' AND key = 'mseg_alloc_carriers_size') AS literal,
    sum(current) FILTER (WHERE allocator = 'literal_mmap' AND section = 'supercarrier'
      AND key IN ('used_sa', 'used_sua')) AS literal_mapped,
    count(DISTINCT allocator) FILTER (WHERE section = 'mbcs' AND key = 'carriers_size') AS allocators
  FROM _stat_at_end
  GROUP BY snapshot_id
)
SELECT
  p.snapshot_id,
  p.mapped + ifnull(p.literal_mapped, 0) + p.sys AS mapped_bytes,
  p.mapped - p.segments AS cached_bytes,
  p.segments + ifnull(p.literal_mapped, 0) + p.sys AS given_bytes
FROM part AS p
-- Some allocators alone say nothing of what all of them were given.
WHERE p.segments IS NOT NULL AND p.sys IS NOT NULL AND p.allocators >= 8;

-- _resident: bytes of the process in memory, as it recorded them at its last reading, and those of them that are
-- there because it is recorded.
CREATE TEMP VIEW _resident AS
SELECT s.id AS snapshot_id, s.runtime_id, m.bytes, max(s.ts_ns), o.bytes AS own_bytes
FROM _recorded_snapshot AS s
JOIN snapshot_memory AS m ON m.runtime_id = s.runtime_id AND m.snapshot_id = s.recorded_id
  AND m.key = 'os_resident'
LEFT JOIN (
  SELECT runtime_id, snapshot_id, sum(bytes) AS bytes FROM snapshot_memory
  WHERE key IN ('own_buffers', 'own_tables')
  GROUP BY runtime_id, snapshot_id HAVING max(key = 'own_buffers')
) AS o ON o.runtime_id = m.runtime_id AND o.snapshot_id = m.snapshot_id
GROUP BY s.runtime_id
UNION ALL
SELECT m.snapshot_id, NULL, m.bytes, NULL, NULL FROM memory_sample AS m WHERE m.key = 'os_resident';
