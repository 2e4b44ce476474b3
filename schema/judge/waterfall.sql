-- SPDX-License-Identifier: MIT
--
-- Layer:   the waterfall
-- Serves:  report waterfall
--
-- From what is in memory down to what the program asked for, in signed steps.  The changes
-- between two levels that are known add up to their difference to the byte; what no figure
-- explains is a step of its own, named so.  What a source does not record stands there as unknown.

-- waterfall: one row for each step of a place (allocator NULL) and of each of its allocators.
--
-- Worked example, tests/views/waterfall: a node read at one moment.
--
--   step  name                            kind    bytes  running_bytes
--      7  carriers                        level    1000           1000
--      8  pool                            change   -300            700
--      9  unused in single-block carriers change    -20            680
--     60  free space inside carriers           change   -230            450
--     64  blocks in the pool              change     90            540
--     70  live blocks                     level     540            540
CREATE TABLE waterfall (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  allocator TEXT,
  step INTEGER,
  name TEXT,
  kind TEXT,
  bytes INTEGER,
  running_bytes INTEGER,
  share REAL,
  quality TEXT,
  meaning TEXT,
  source_lost_events INTEGER,
  source_lost_packets INTEGER,
  size_from INTEGER,
  size_to INTEGER,
  holes INTEGER,
  bytes_bound INTEGER
) STRICT;

-- The steps below are read more than once, so each is computed once.  _walk: what lies in carriers, with names.
CREATE TEMP TABLE _walk AS
SELECT w.*, o.name AS owner, n.name AS of_name
FROM _address_walk AS w
LEFT JOIN allocator_name AS o ON o.runtime_id = w.runtime_id AND o.allocator_id = w.owner_id
LEFT JOIN allocator_name AS n ON n.runtime_id = w.runtime_id AND n.allocator_id = w.of_id;

CREATE TEMP TABLE _walk_owned AS
SELECT runtime_id, owner AS allocator, sum(bytes) AS bytes, sum(iif(of_name <> owner, bytes, 0)) AS foreign_bytes
FROM _walk AS walk WHERE kind = 'block' AND owner IS NOT NULL
GROUP BY runtime_id, owner;

CREATE TEMP TABLE _walk_made AS
SELECT runtime_id, of_name AS allocator, sum(iif(owner IS NULL, bytes, 0)) AS alone_bytes,
  sum(iif(owner <> of_name, bytes, 0)) AS abroad_bytes
FROM _walk AS walk WHERE kind = 'block' AND of_name IS NOT NULL
GROUP BY runtime_id, of_name;

CREATE TEMP TABLE _walk_carrier AS
SELECT c.runtime_id, n.name AS allocator, sum(c.size) AS bytes
FROM _mbc_alive AS c
JOIN allocator_name AS n ON n.runtime_id = c.runtime_id AND n.allocator_id = c.allocator_id
WHERE c.runtime_id IN (SELECT runtime_id FROM _walkable)
GROUP BY c.runtime_id, n.name;

CREATE TEMP TABLE _waterfall_single AS
SELECT f.subject_id, f.source_id, f.runtime_id, f.snapshot_id, f.vpid, f.allocator,
  f.witness = 'traced' AND k.runtime_id IS NOT NULL AND f.total_bytes IS NOT NULL AS is_walked,
  f.witness, f.total_bytes, f.mbc_bytes, f.mbc_blocks_bytes, f.sbc_bytes, f.sbc_blocks_bytes,
  f.pool_bytes, f.pool_blocks_bytes, f.foreign_bytes, f.abroad_bytes, f.user_bytes, f.is_split, f.is_open, f.open_bytes, f.is_least, f.is_exact,
  c.bytes AS walked_mbc_bytes,
  f.source_lost_events, f.source_lost_packets
FROM _waterfall_part AS f
LEFT JOIN _walkable AS k ON k.runtime_id = f.subject_id
LEFT JOIN _walk_carrier AS c ON c.runtime_id = f.subject_id AND c.allocator = f.allocator;

CREATE TEMP TABLE _waterfall_amount AS
SELECT
  s.subject_id, s.source_id, s.runtime_id, s.snapshot_id, s.vpid, s.allocator, s.is_walked, s.witness,
  iif(s.is_walked, s.total_bytes, s.mbc_bytes + s.sbc_bytes + s.pool_bytes) AS carriers_bytes,
  iif(s.is_walked, ifnull(s.walked_mbc_bytes, 0), s.mbc_bytes) AS mbc_bytes,
  iif(s.is_walked, ifnull(o.bytes, 0), s.mbc_blocks_bytes) AS mbc_blocks_bytes,
  iif(s.is_walked, s.total_bytes - ifnull(s.walked_mbc_bytes, 0), s.sbc_bytes) AS sbc_bytes,
  iif(s.is_walked, ifnull(m.alone_bytes, 0), s.sbc_blocks_bytes) AS sbc_blocks_bytes,
  s.pool_bytes,
  -- Where carriers are walked those of the pool are among them: they come back as they went.
  iif(s.is_walked, s.pool_bytes, s.pool_blocks_bytes) AS back_bytes,
  iif(s.is_walked, ifnull(o.foreign_bytes, 0), s.foreign_bytes) AS foreign_bytes,
  iif(s.is_walked, ifnull(m.abroad_bytes, 0), s.abroad_bytes) AS abroad_bytes,
  s.user_bytes, iif(s.is_walked, 1, s.is_split) AS is_split, s.is_open, s.open_bytes, s.is_least, s.is_exact,
  s.source_lost_events, s.source_lost_packets
FROM _waterfall_single AS s
LEFT JOIN _walk_owned AS o ON o.runtime_id = s.subject_id AND o.allocator = s.allocator
LEFT JOIN _walk_made AS m ON m.runtime_id = s.subject_id AND m.allocator = s.allocator;

CREATE TEMP TABLE _waterfall_base AS
SELECT *, NULL AS resident_bytes, NULL AS own_bytes, NULL AS mapped_bytes, NULL AS cached_bytes, NULL AS given_bytes
FROM _waterfall_amount AS part
UNION ALL
SELECT
  p.subject_id, p.source_id, p.runtime_id, p.snapshot_id, p.vpid, NULL, min(p.is_walked), p.witness,
  -- What is likely in the pool of a whole runtime is not the sum of what its allocators put there.
  iif(max(q.subject_id) IS NULL, sum(p.carriers_bytes), sum(p.carriers_bytes - p.pool_bytes) + ifnull(max(q.pool_likely_bytes), 0)),
  sum(p.mbc_bytes), sum(p.mbc_blocks_bytes), sum(p.sbc_bytes), sum(p.sbc_blocks_bytes),
  iif(max(q.subject_id) IS NULL, sum(p.pool_bytes), ifnull(max(q.pool_likely_bytes), 0)),
  iif(count(p.back_bytes) = count(*), sum(p.back_bytes), NULL),
  iif(count(p.foreign_bytes) = count(*), sum(p.foreign_bytes), NULL),
  -- Also those of allocators that have no carrier of their own.
  iif(count(p.foreign_bytes) = count(*), sum(p.foreign_bytes), NULL),
  iif(count(p.user_bytes) = count(*), sum(p.user_bytes), NULL), min(p.is_split), max(p.is_open), ifnull(max(q.total_bytes), max(q.total_low_bytes)),
  ifnull(max(q.total_bytes), max(q.total_low_bytes)) = max(q.total_low_bytes), min(p.is_exact), p.source_lost_events, p.source_lost_packets,
  ifnull(max(r.bytes), max(i.bytes)), max(r.own_bytes), max(b.mapped_bytes), max(b.cached_bytes), ifnull(max(b.given_bytes), max(g.bytes))
FROM _waterfall_amount AS p
LEFT JOIN _subject AS q ON q.subject_id = p.subject_id
LEFT JOIN _snapshot_at_end AS k ON k.runtime_id = p.subject_id
LEFT JOIN _below AS b ON b.snapshot_id = ifnull(k.snapshot_id, p.snapshot_id)
LEFT JOIN _resident AS r ON p.snapshot_id IS NULL AND r.runtime_id = p.subject_id
LEFT JOIN _resident AS i ON i.snapshot_id = p.snapshot_id
LEFT JOIN _os_granted AS g ON g.runtime_id = p.subject_id
GROUP BY p.subject_id;

CREATE TEMP TABLE _waterfall_hole AS
SELECT runtime_id AS subject_id, owner AS allocator, size_from,
  CASE size_from WHEN 0 THEN 128 WHEN 4194304 THEN NULL ELSE size_from * 8 END AS size_to,
  number AS holes, bytes, bytes AS bytes_max, 'exact' AS quality
FROM _walk AS walk WHERE kind = 'hole'
UNION ALL
SELECT subject_id, allocator, size_from, size_to, holes, bytes, bytes_max, 'bound' FROM _scan_hole;

CREATE TEMP TABLE _waterfall_class AS
SELECT *,
  iif(size_from < 1024, size_from || ' B', iif(size_from < 1048576, format('%g KiB', size_from / 1024.0), format('%g MiB', size_from / 1048576.0))) AS least,
  iif(size_to < 1024, size_to || ' B', iif(size_to < 1048576, format('%g KiB', size_to / 1024.0), format('%g MiB', size_to / 1048576.0))) AS most
FROM _waterfall_hole AS hole
UNION ALL
SELECT subject_id, NULL, size_from, size_to, sum(holes), sum(bytes),
  iif(size_to IS NULL AND quality = 'bound', NULL, sum(bytes_max)), quality,
  iif(size_from < 1024, size_from || ' B', iif(size_from < 1048576, format('%g KiB', size_from / 1024.0), format('%g MiB', size_from / 1048576.0))),
  iif(size_to < 1024, size_to || ' B', iif(size_to < 1048576, format('%g KiB', size_to / 1024.0), format('%g MiB', size_to / 1048576.0)))
FROM _waterfall_hole AS hole
GROUP BY subject_id, size_from, size_to, quality;

-- first_bytes: of the first level that is known.
CREATE TEMP TABLE _waterfall_place AS
WITH level AS (
  SELECT d.*,
    d.mbc_blocks_bytes + d.sbc_blocks_bytes + iif(d.is_walked, 0, ifnull(d.back_bytes, 0))
      - ifnull(d.foreign_bytes, 0) + ifnull(d.abroad_bytes, 0) AS live_bytes,
    ifnull(c.bytes, 0) AS class_bytes
  FROM _waterfall_base AS d
  LEFT JOIN (SELECT subject_id, allocator, sum(bytes) AS bytes FROM _waterfall_class AS class GROUP BY subject_id, allocator) AS c
    ON c.subject_id = d.subject_id AND c.allocator IS d.allocator
)
SELECT *, coalesce(resident_bytes, mapped_bytes, given_bytes, iif(is_open, open_bytes, carriers_bytes), live_bytes, user_bytes)
  AS first_bytes
FROM level;

CREATE TEMP TABLE waterfall AS
WITH kind_of_step(step, name, kind, meaning) AS (VALUES
  (0, 'resident', 'level', 'Bytes of the process in memory, as the system reports'),
  (1, 'buffers of the recorder', 'change', 'LTTng''s ring buffers and tables of our own that are in the process while it is recorded'),
  (2, 'outside the allocators', 'residual', 'Below 0: code, libraries, stacks, native libraries, malloc of others; above 0: memory of carriers that was never touched or was given back in part'),
  (3, 'from the system', 'level', 'Mapped for segments and literals, and what malloc gave to carriers'),
  (4, 'segment cache', 'change', 'Segments that the segment allocator keeps for reuse (+MMmcs)'),
  (5, 'given to allocators', 'level', 'What the segment allocator and malloc granted and did not get back'),
  (6, 'not in carriers', 'residual', 'Carriers that are on their way back or came meanwhile; single-block carriers that ended without an event are reported late (above 0)'),
  (7, 'carriers', 'level', 'Carriers that instances own, and those in the pool'),
  (8, 'pool', 'change', 'Carriers that schedulers handed back; live blocks in them are added below where known'),
  (9, 'unused in single-block carriers', 'change', 'Headers of carriers, and rounding to pages'),
  (60, 'holes', 'change', 'Free memory between blocks, which new blocks may use'),
  (61, 'headers of carriers, slack in blocks', 'residual', 'What is no hole and no block: carriers begin with a header, and a rest too small for a block stays in the block before it'),
  (62, 'foreign blocks', 'change', 'Blocks of other allocators in these carriers'),
  (63, 'blocks in carriers of others', 'change', 'Blocks of this allocator in carriers of other allocators; of a whole node these are the foreign blocks again'),
  (64, 'blocks in the pool', 'change', 'Blocks that still live in carriers of the pool; where holes are known by address the whole of these carriers, whose holes stand above'),
  (70, 'live blocks', 'level', 'Blocks with their headers; in traces without those of pooled carriers'),
  (71, 'bookkeeping and rounding', 'residual', 'A word of header for each block and rounding (below 0); blocks in pooled carriers (above 0); what changed since the counters were recorded'),
  (72, 'asked for', 'level', 'Bytes that the program asked for and did not free: no allocator can do with less')
),
step AS (
  SELECT b.source_id, b.runtime_id, b.snapshot_id, b.vpid, b.subject_id, b.allocator,
    b.source_lost_events, b.source_lost_packets,
    k.step,
    CASE
      WHEN k.step = 60 AND b.subject_id IN (SELECT subject_id FROM _waterfall_class AS class) THEN 'holes beyond these bounds'
      WHEN k.step = 60 THEN iif(b.is_split, 'free space inside carriers', 'unused in carriers')
      WHEN k.step = 64 AND b.is_walked THEN 'carriers of the pool again'
      ELSE k.name END AS name,
    iif(k.step = 60 AND b.witness = 'scanned', 'residual', k.kind) AS kind, k.meaning,
    CASE iif(b.is_open AND k.step > 7, NULL, k.step)
      WHEN 0 THEN b.resident_bytes
      WHEN 1 THEN -b.own_bytes
      WHEN 2 THEN coalesce(b.mapped_bytes, b.given_bytes, iif(b.is_open, NULL, b.carriers_bytes)) - b.resident_bytes + ifnull(b.own_bytes, 0)
      WHEN 3 THEN b.mapped_bytes
      WHEN 4 THEN -b.cached_bytes
      WHEN 5 THEN b.given_bytes
      WHEN 6 THEN iif(b.is_open, NULL, b.carriers_bytes) - b.given_bytes
      WHEN 7 THEN iif(b.is_open, b.open_bytes, b.carriers_bytes)
      WHEN 8 THEN -b.pool_bytes
      WHEN 9 THEN iif(b.is_split, b.sbc_blocks_bytes - b.sbc_bytes, NULL)
      WHEN 60 THEN b.mbc_blocks_bytes - b.mbc_bytes + b.class_bytes + iif(b.is_split, 0, b.sbc_blocks_bytes - b.sbc_bytes)
      WHEN 61 THEN b.mbc_blocks_bytes - b.mbc_bytes + b.class_bytes
      WHEN 62 THEN -b.foreign_bytes
      WHEN 63 THEN b.abroad_bytes
      WHEN 64 THEN b.back_bytes
      WHEN 70 THEN b.live_bytes
      WHEN 71 THEN b.user_bytes - b.live_bytes
      WHEN 72 THEN b.user_bytes
    END AS bytes,
    CASE
      WHEN k.step <= 2 THEN 'estimate'
      WHEN b.is_open THEN iif(b.is_least, 'bound', 'estimate')
      WHEN k.step IN (3, 4, 5) THEN 'exact'
      WHEN k.step = 72 THEN iif(b.is_exact, 'exact', 'estimate')
      WHEN k.step = 71 THEN iif(b.is_walked AND b.is_exact, 'exact', 'estimate')
      WHEN k.step IN (8, 64) AND b.is_walked THEN 'estimate'
      WHEN b.witness = 'scanned' AND k.step IN (60, 70) THEN 'estimate'
      WHEN b.is_exact THEN 'exact'
      WHEN k.step = 9 THEN 'bound'
      ELSE 'estimate'
    END AS quality,
    NULL AS size_from, NULL AS size_to, NULL AS holes, NULL AS bytes_bound, b.first_bytes
  FROM _waterfall_place AS b
  CROSS JOIN kind_of_step AS k
  WHERE (b.allocator IS NULL OR k.step > 6)
    AND (k.step <> 1 OR b.own_bytes IS NOT NULL)
    AND k.step <> iif(b.is_walked, 60, 61)
    AND NOT (k.step = 9 AND b.witness = 'scanned')
  UNION ALL
  SELECT b.source_id, b.runtime_id, b.snapshot_id, b.vpid, b.subject_id, b.allocator,
    b.source_lost_events, b.source_lost_packets,
    10 + CAST(log2(max(c.size_from, 1)) AS INTEGER),
    'holes ' || CASE WHEN c.size_from = 0 THEN 'below ' || c.most WHEN c.size_to IS NULL THEN 'from ' || c.least
      ELSE c.least || ' to ' || c.most END,
    'change', 'Free memory between blocks of this size, which new blocks may use',
    -c.bytes, c.quality, c.size_from, c.size_to, c.holes, -c.bytes_max, b.first_bytes
  FROM _waterfall_class AS c
  JOIN _waterfall_place AS b ON b.subject_id = c.subject_id AND b.allocator IS c.allocator
)
SELECT
  s.source_id, s.runtime_id, s.snapshot_id, s.vpid, s.allocator,
  s.step, s.name, s.kind,
  s.bytes,
  CASE WHEN s.bytes IS NULL THEN NULL
    WHEN s.kind = 'level' THEN s.bytes
    ELSE s.first_bytes + sum(iif(s.kind = 'level', 0, s.bytes)) OVER subject_steps END AS running_bytes,
  1.0 * s.bytes / nullif(s.first_bytes, 0) AS share,
  iif(s.bytes IS NULL, 'unknown', s.quality) AS quality,
  s.meaning,
  s.source_lost_events, s.source_lost_packets,
  s.size_from, s.size_to, s.holes, s.bytes_bound
FROM step AS s
WINDOW subject_steps AS (PARTITION BY s.subject_id, s.allocator ORDER BY s.step, s.size_to ROWS UNBOUNDED PRECEDING)
UNION ALL
SELECT * FROM _board_waterfall_part;

-- report_waterfall: of each place, with bars: # what is left, - what goes here.
CREATE VIEW report_waterfall AS
WITH scaled AS (
  SELECT *,
    CAST(round(30.0 * running_bytes / nullif(max(running_bytes) OVER place, 0)) AS INTEGER) AS left_over,
    CAST(round(30.0 * abs(iif(kind = 'level', 0, bytes)) / nullif(max(running_bytes) OVER place, 0)) AS INTEGER) AS gone
  FROM waterfall
  WHERE allocator IS NULL
  WINDOW place AS (PARTITION BY source_id, runtime_id, snapshot_id, step >= 80)
)
SELECT
  source_id AS source,
  vpid,
  name AS step,
  iif(bytes IS NULL, 'unknown', iif(kind = 'level' AND quality = 'bound', format('>= %.2f', bytes / 1048576.0), format('%+.2f', bytes / 1048576.0))) AS mib,
  ifnull(substr('##############################', 1, max(0, left_over))
    || substr('------------------------------', 1, max(0, gone)), '') AS bar,
  quality,
  source_lost_events AS lost_events
FROM scaled
ORDER BY source_id, vpid, runtime_id, snapshot_id, scaled.step, scaled.size_to;

INSERT INTO view_doc VALUES
  ('waterfall', '', 'row', 'full scan', 'One row for each step from the memory of the process to the bytes asked for, of each place (allocator NULL) and allocator; steps from 80 on are the heap of a board. Changes and residuals between two known levels add up to their difference to the byte'),
  ('waterfall', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('waterfall', 'step', 'count', 'label', 'Number of the step, for ordering; steps 10 to 59 are classes of sizes of holes'),
  ('waterfall', 'name', 'text', 'label', 'Name of the step'),
  ('waterfall', 'kind', 'text', 'label', 'level: an amount; change: what comes or goes; residual: what no figure explains'),
  ('waterfall', 'bytes', 'bytes', 'estimate', 'The amount of a level, or the signed change; of the quality that the column quality gives; NULL: the source does not show it'),
  ('waterfall', 'running_bytes', 'bytes', 'estimate', 'What is left after the step; NULL: the source does not show it'),
  ('waterfall', 'share', 'ratio', 'estimate', 'bytes by the first level that is known; NULL: that is 0, or bytes is not known'),
  ('waterfall', 'quality', 'text', 'label', 'exact, bound, estimate or unknown: of this step'),
  ('waterfall', 'meaning', 'text', 'label', 'What the step is'),
  ('waterfall', 'size_from', 'bytes', 'label', 'Of a class of holes: sizes from this on; NULL: another step'),
  ('waterfall', 'size_to', 'bytes', 'label', 'and below this; NULL: no limit, or another step'),
  ('waterfall', 'holes', 'count', 'exact', 'Holes of the class, as far as they were looked at; NULL: another step'),
  ('waterfall', 'bytes_bound', 'bytes', 'bound', 'Of a class of holes that is recorded by a bucket: bytes at most, where column bytes is at least; NULL: no limit'),
  ('report_waterfall', '', 'row', 'full scan', 'From the memory of the process to the bytes asked for, step by step; from waterfall'),
  ('report_waterfall', 'step', 'text', 'label', 'Name of the step'),
  ('report_waterfall', 'mib', 'text', 'estimate', 'The amount of a level (>=: at least), or the signed change, in MiB; unknown: the source does not show it; of the quality that the column quality gives'),
  ('report_waterfall', 'bar', 'text', 'label', '# total, - subtracted'),
  ('report_waterfall', 'quality', 'text', 'label', 'exact, bound, estimate or unknown: of this step');
