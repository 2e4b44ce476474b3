-- SPDX-License-Identifier: MIT
--
-- Layer:   what the waterfall is made of
-- Serves:  waterfall

-- _os_granted: what the system below gave to allocators and did not get back, where each request was
-- recorded and none was lost; the call is 0 to 2 of the segment allocator, 3 to 5 of sys_alloc: get, give back, resize.
CREATE TEMP VIEW _os_granted AS
SELECT r.runtime_id,
  sum(CASE r.call WHEN 0 THEN r.result_bytes WHEN 3 THEN r.result_bytes
    WHEN 1 THEN -r.old_bytes WHEN 4 THEN -r.old_bytes ELSE r.result_bytes - r.old_bytes END) AS bytes
FROM os_request AS r
JOIN _span AS s ON s.runtime_id = r.runtime_id AND s.complete_ns = 0
WHERE r.result <> 0 OR r.call IN (1, 4)
GROUP BY r.runtime_id
HAVING NOT EXISTS (SELECT 1 FROM state_carrier AS c WHERE c.runtime_id = r.runtime_id);

-- _waterfall_part: one row for each allocator of a place: what its steps are made of.  Of places whose
-- carriers are walked by address this is all but the walk, which waterfall adds once for all.
CREATE TEMP VIEW _waterfall_part AS
SELECT
  h.subject_id, h.source_id, h.runtime_id, h.snapshot_id, h.vpid, h.allocator,
  h.mbc_bytes, h.mbc_blocks_bytes, h.sbc_bytes, h.sbc_blocks_bytes,
  ifnull(h.pool_bytes, 0) AS pool_bytes,
  iif(h.pool_blocks_bytes IS NULL, NULL, ifnull(f.pool_blocks_bytes, h.pool_blocks_bytes)) AS pool_blocks_bytes,
  f.foreign_bytes, f.abroad_bytes,
  h.user_bytes, h.is_split,
  -- Of what was attached late, or lost events, without a snapshot since: only the least is known, and what counters say is likely.
  h.snapshot_id IS NULL AND h.total_high_bytes IS NULL AND b.runtime_id IS NULL AND ifnull(h.basis, '') NOT LIKE '%snapshot%'
    AS is_open,
  ifnull(h.total_bytes, h.total_low_bytes) AS open_bytes, ifnull(h.total_bytes, h.total_low_bytes) = h.total_low_bytes AS is_least,
  h.blocks_quality = 'exact' AND h.carriers_quality = 'exact' AS is_exact,
  CASE WHEN k.runtime_id IS NOT NULL THEN 'recorded' WHEN h.snapshot_id IS NOT NULL THEN 'read' ELSE 'traced' END
    AS witness,
  iif(h.subject_id IN (SELECT runtime_id FROM carrier_alloc), h.total_bytes, NULL) AS total_bytes,
  h.source_lost_events, h.source_lost_packets
FROM _memory_by_allocator AS h
LEFT JOIN _snapshot_at_end AS k ON k.runtime_id = h.subject_id
LEFT JOIN _boot AS b ON b.runtime_id = h.subject_id
LEFT JOIN _foreign_read AS f
  ON f.snapshot_id = ifnull(k.snapshot_id, h.snapshot_id) AND f.allocator = h.allocator
UNION ALL
SELECT
  -n.id, n.source_id, n.runtime_id, n.id, NULL, c.allocator,
  c.mbc_bytes, c.mbc_blocks_bytes, 0, 0, c.pool_bytes, c.pool_blocks_bytes, c.foreign_bytes, c.abroad_bytes,
  NULL, 1, 0, NULL, 0, 0, 'scanned', NULL, s.lost_events, s.lost_packets
FROM _scan_held AS c
JOIN snapshot AS n ON n.id = c.snapshot_id
JOIN source AS s ON s.id = n.source_id
WHERE NOT EXISTS (SELECT 1 FROM _memory_by_allocator AS h WHERE h.snapshot_id = n.id);

-- _board_waterfall_part: rows of waterfall for the heap of a board, at its last reading.
CREATE TEMP VIEW _board_waterfall_part AS
WITH last AS (
  SELECT h.*, max(h.id) FROM heap_reading AS h GROUP BY h.source_id, h.runtime_id
),
board_step(step, name, kind, meaning) AS (VALUES
  (80, 'heap of the board', 'level', 'The area that malloc and the allocators share'),
  (81, 'largest hole', 'change', 'Free in one piece: no larger request can be granted'),
  (82, 'other holes', 'change', 'Free in smaller pieces'),
  (83, 'not recorded', 'residual', 'What is neither free nor used'),
  (84, 'used', 'level', 'Blocks of malloc, with their headers: carriers of the runtime, and all else')
),
step AS (
  SELECT h.*, k.*,
    CASE k.step WHEN 80 THEN h.size_bytes WHEN 81 THEN -h.free_largest
      WHEN 82 THEN h.free_largest - h.free_bytes WHEN 83 THEN h.used_bytes + h.free_bytes - h.size_bytes
      ELSE h.used_bytes END AS bytes
  FROM last AS h
  CROSS JOIN board_step AS k
)
SELECT
  s.source_id, s.runtime_id, iif(s.origin = 'log', s.id, NULL) AS snapshot_id, r.vpid, NULL AS allocator,
  s.step, s.name, s.kind, s.bytes,
  CASE s.step WHEN 81 THEN s.size_bytes - s.free_largest WHEN 82 THEN s.size_bytes - s.free_bytes
    WHEN 83 THEN s.used_bytes ELSE s.bytes END AS running_bytes,
  1.0 * s.bytes / nullif(s.size_bytes, 0) AS share,
  'exact' AS quality,
  s.meaning,
  s.source_lost_events, o.lost_packets AS source_lost_packets,
  NULL AS size_from, NULL AS size_to,
  CASE s.step WHEN 81 THEN min(1, s.free_blocks) WHEN 82 THEN max(0, s.free_blocks - 1) END AS holes,
  NULL AS bytes_bound
FROM step AS s
JOIN source AS o ON o.id = s.source_id
LEFT JOIN runtime AS r ON r.id = s.runtime_id
-- A source without any reading has one row of nothing.
WHERE s.id IS NOT NULL;
