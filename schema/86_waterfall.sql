-- SPDX-License-Identifier: MIT
--
-- Layer:   the waterfall
-- Reads:   _held, _place, os_request
-- Serves:  report waterfall
--
-- From what the system gave down to what the program asked for, in signed steps.  The
-- changes between two levels add up to their difference to the byte; what no figure
-- explains is a step of its own, named so.

-- _fall: one row for each allocator of a place, and one for each place (allocator NULL).
CREATE VIEW _fall AS
WITH given AS (
  -- What the system below gave and did not get back; the call is 0 to 2 of the segment
  -- allocator, 3 to 5 of sys_alloc: get, give back, resize.
  SELECT r.runtime_id,
    sum(CASE r.call WHEN 0 THEN r.result_bytes WHEN 3 THEN r.result_bytes
      WHEN 1 THEN -r.old_bytes WHEN 4 THEN -r.old_bytes ELSE r.result_bytes - r.old_bytes END) AS bytes
  FROM os_request AS r
  WHERE r.result <> 0 OR r.call IN (1, 4)
  GROUP BY r.runtime_id
  HAVING NOT EXISTS (SELECT 1 FROM state_carrier AS c WHERE c.runtime_id = r.runtime_id)
)
SELECT
  p.place_id, p.source_id, p.runtime_id, p.snapshot_id, p.vpid, NULL AS allocator,
  g.bytes AS given_size,
  p.mbc_size, p.mbc_blocks_size, p.sbc_size, p.sbc_blocks_size,
  ifnull(p.pool_likely_size, 0) AS pool_size,
  p.has_addresses AS is_pool_told,
  p.pool_blocks_size, p.user_size, p.is_exact, p.snapshot_id IS NOT NULL AS is_read,
  p.source_lost_events, p.source_lost_packets
FROM _place AS p
LEFT JOIN given AS g ON g.runtime_id = p.place_id
UNION ALL
SELECT
  h.place_id, h.source_id, h.runtime_id, h.snapshot_id, h.vpid, h.allocator,
  NULL,
  h.mbc_size, h.mbc_blocks_size, h.sbc_size, h.sbc_blocks_size,
  ifnull(h.pool_size, 0), h.has_addresses,
  h.pool_blocks_size, h.user_size, h.blocks_quality = 'exact', h.snapshot_id IS NOT NULL,
  h.source_lost_events, h.source_lost_packets
FROM _held AS h;

-- waterfall: one row for each step.
--
-- Worked example, tests/views/waterfall: a node read at one moment.
--
--   step  name            kind    bytes  running_bytes
--      2  carriers        level    1000           1000
--      3  pool            change   -300            700
--      4  single-block    change    -20            680
--      5  holes           change   -230            450
--      6  pooled blocks   change     90            540
--      7  live blocks     level     540            540
CREATE VIEW waterfall AS
WITH base AS MATERIALIZED (
  SELECT *,
    mbc_size + sbc_size + pool_size AS carriers_size,
    mbc_blocks_size + sbc_blocks_size + ifnull(pool_blocks_size, 0) AS blocks_size
  FROM _fall
),
kind_of_step(step, name, kind, meaning) AS (VALUES
  (0, 'from the system', 'level', 'What the segment allocator and malloc gave to allocators and did not get back'),
  (1, 'not in carriers', 'residual', 'Single-block carriers that ended in silence are told too late (above 0: told, but gone); or segments kept for reuse'),
  (2, 'carriers', 'level', 'Carriers that instances own, and those in the pool'),
  (3, 'pool', 'change', 'Carriers that instances gave up; their blocks come back below when they are known'),
  (4, 'unused in single-block carriers', 'change', 'Headers of carriers, and rounding to pages'),
  (5, 'holes in multi-block carriers', 'change', 'Free memory between blocks, which new blocks may use'),
  (6, 'blocks in the pool', 'change', 'Blocks that still live in carriers of the pool'),
  (7, 'live blocks', 'level', 'Blocks with their headers; in traces without those of pooled carriers'),
  (8, 'headers, pooled blocks, age of counters', 'residual', 'A word of header for each block and rounding (below 0); blocks in pooled carriers (above 0); what changed since counters were told'),
  (9, 'asked for', 'level', 'Bytes that the program asked for and did not free: no allocator can do with less')
),
step AS (
  -- A step that nobody told is NULL, and left out.
  SELECT b.*, k.step, k.name, k.kind, k.meaning,
    CASE k.step
      WHEN 0 THEN b.given_size
      WHEN 1 THEN b.carriers_size - b.given_size
      WHEN 2 THEN b.carriers_size
      WHEN 3 THEN -b.pool_size
      WHEN 4 THEN b.sbc_blocks_size - b.sbc_size
      WHEN 5 THEN b.mbc_blocks_size - b.mbc_size
      WHEN 6 THEN b.pool_blocks_size
      WHEN 7 THEN b.blocks_size
      WHEN 8 THEN b.user_size - b.blocks_size
      ELSE b.user_size
    END AS bytes,
    CASE
      WHEN k.step = 0 OR (b.is_read AND k.step BETWEEN 2 AND 7) THEN 'exact'
      WHEN k.step = 9 AND b.is_exact THEN 'exact'
      WHEN k.step = 4 THEN 'bound'
      ELSE 'estimate'
    END AS quality
  FROM base AS b
  CROSS JOIN kind_of_step AS k
)
SELECT
  source_id, runtime_id, snapshot_id, vpid, allocator,
  step, name, kind,
  bytes,
  iif(kind = 'level', bytes,
    first_value(bytes) OVER (PARTITION BY place_id, allocator ORDER BY step)
    + sum(iif(kind = 'level', 0, bytes)) OVER (PARTITION BY place_id, allocator ORDER BY step))
    AS running_bytes,
  1.0 * bytes / nullif(first_value(bytes) OVER (PARTITION BY place_id, allocator ORDER BY step), 0)
    AS share,
  quality,
  meaning,
  source_lost_events, source_lost_packets
FROM step
WHERE bytes IS NOT NULL;

-- report_waterfall: of each place, with bars: # what is left, - what goes here.
CREATE VIEW report_waterfall AS
WITH scaled AS (
  SELECT *,
    CAST(round(30.0 * running_bytes / nullif(max(running_bytes) OVER place, 0)) AS INTEGER) AS left_over,
    CAST(round(30.0 * abs(iif(kind = 'level', 0, bytes)) / nullif(max(running_bytes) OVER place, 0)) AS INTEGER) AS gone
  FROM waterfall
  WHERE allocator IS NULL
  WINDOW place AS (PARTITION BY source_id, runtime_id, snapshot_id)
)
SELECT
  source_id AS source,
  vpid,
  name AS step,
  format('%+.2f', bytes / 1048576.0) AS mib,
  substr('##############################', 1, max(0, left_over))
    || substr('------------------------------', 1, max(0, gone)) AS bar,
  quality,
  source_lost_events AS lost_events
FROM scaled
ORDER BY source_id, vpid, runtime_id, snapshot_id, scaled.step;

INSERT INTO view_doc VALUES
  ('_fall', '', 'row', 'fast', 'Private. One row for each place and each of its allocators: what the waterfall is made of'),
  ('waterfall', '', 'row', 'fast', 'One row for each step from the memory that the system gave to the bytes that the program asked for, of each place (allocator NULL) and each of its allocators. Changes and residuals between two levels add up to their difference to the byte'),
  ('waterfall', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('waterfall', 'step', 'count', 'label', 'Number of the step, for ordering; steps that nobody told are missing'),
  ('waterfall', 'name', 'text', 'label', 'Name of the step'),
  ('waterfall', 'kind', 'text', 'label', 'level: an amount; change: what comes or goes; residual: what no figure explains'),
  ('waterfall', 'bytes', 'bytes', 'estimate', 'The amount of a level, or the signed change; of the quality that the column quality says'),
  ('waterfall', 'running_bytes', 'bytes', 'estimate', 'What is left after the step'),
  ('waterfall', 'share', 'ratio', 'estimate', 'bytes by the first level; NULL: that is 0'),
  ('waterfall', 'quality', 'text', 'label', 'exact, bound or estimate: of this step'),
  ('waterfall', 'meaning', 'text', 'label', 'What the step is'),
  ('report_waterfall', '', 'row', 'fast', 'From the memory that the system gave to the bytes asked for, step by step; from waterfall'),
  ('report_waterfall', 'step', 'text', 'label', 'Name of the step'),
  ('report_waterfall', 'mib', 'MiB', 'estimate', 'The amount of a level, or the signed change; of the quality that the column quality says'),
  ('report_waterfall', 'bar', 'text', 'label', '# what is left, - how much the step changes'),
  ('report_waterfall', 'quality', 'text', 'label', 'exact, bound or estimate: of this step');
