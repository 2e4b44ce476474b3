-- SPDX-License-Identifier: MIT
--
-- Layer:   metrics
-- Serves:  `carrierscope check`, `carrierscope diff`, OpenMetrics
--
-- Named numbers, one value for each place and each allocator: what budgets are set on.

-- The metrics that there are.
CREATE TABLE metric_kind (
  metric  TEXT PRIMARY KEY,
  unit    TEXT NOT NULL,
  better  TEXT NOT NULL CHECK (better IN ('less', 'more')),
  quality TEXT NOT NULL,
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO metric_kind VALUES
  ('carriers_bytes', 'bytes', 'less', 'estimate', 'Bytes of all carriers at the end, the pool included'),
  ('blocks_bytes', 'bytes', 'less', 'estimate', 'Bytes of blocks at the end'),
  ('utilisation', 'ratio', 'more', 'estimate', 'Blocks by carriers at the end'),
  ('pooled_bytes', 'bytes', 'less', 'estimate', 'Bytes in the pool at the end'),
  ('peak_bytes', 'bytes', 'less', 'estimate', 'Most bytes of carriers while it was recorded'),
  ('blocks_at_peak_bytes', 'bytes', 'less', 'estimate', 'Bytes of blocks when there were most carriers'),
  ('realized_frag', 'ratio', 'less', 'estimate', 'Fragmentation at the peak: part of the memory that was unused when it was most'),
  ('unused_bytes', 'bytes', 'less', 'estimate', 'Carriers less blocks at the end: no flag can save more'),
  ('at_stake_bytes', 'bytes', 'less', 'estimate', 'What the verdict is about; 0: normal'),
  ('sbc_share', 'ratio', 'less', 'estimate', 'Part of the carriers that is single-block'),
  ('carrier_creates', 'count', 'less', 'exact', 'Carriers made over the whole recording'),
  ('findings_critical', 'count', 'less', 'estimate', 'Findings of severity critical'),
  ('findings_warning', 'count', 'less', 'estimate', 'Findings of severity warning'),
  ('lost_events', 'count', 'less', 'exact', 'Events that the source is known to lack'),
  ('memory_bytes', 'bytes', 'less', 'exact', 'Bytes by erlang:memory(), or by the classes of another program, of a paste; of all, or of the class that stands as its allocator'),
  ('flags_refused', 'count', 'less', 'estimate', '+M flags of a file or a paste that erl refuses');

-- metric: one row for each metric of a place (allocator NULL) and of its allocators.
-- Places are numbered in their order, so that two recordings of the same can be compared.
CREATE TABLE metric (
  source_id INTEGER,
  runtime_id INTEGER,
  snapshot_id INTEGER,
  vpid INTEGER,
  place INTEGER,
  allocator TEXT,
  metric TEXT,
  value ANY,
  unit TEXT,
  better TEXT,
  quality TEXT,
  meaning TEXT,
  source_lost_events INTEGER,
  low ANY,
  high ANY
) STRICT;

CREATE TEMP TABLE metric AS
WITH judged AS MATERIALIZED (
  SELECT *, dense_rank() OVER (ORDER BY source_id, vpid, runtime_id, snapshot_id) AS place,
    ifnull(-snapshot_id, runtime_id) AS subject_id
  FROM verdict
  WHERE level <> 'source'
),
final AS MATERIALIZED (SELECT * FROM _final),
summit AS MATERIALIZED (SELECT * FROM _summit),
found AS MATERIALIZED (
  SELECT source_id, runtime_id, snapshot_id, severity, count(*) AS findings
  FROM finding
  GROUP BY source_id, runtime_id, snapshot_id, severity
),
made AS MATERIALIZED (
  SELECT runtime_id, allocator, sum(mbc_creates + sbc_creates) AS creates FROM churn_total GROUP BY runtime_id, allocator
  UNION ALL
  SELECT runtime_id, 'all', sum(mbc_creates + sbc_creates) FROM churn_total GROUP BY runtime_id
),
one AS (
  SELECT
    j.*, iif(j.level = 'allocator', j.allocator, NULL) AS of,
    f.blocks_bytes, f.blocks_low_bytes, f.blocks_high_bytes, f.total_bytes, f.total_low_bytes, f.total_high_bytes,
    f.pool_bytes, f.pool_low_bytes, f.pool_high_bytes, f.unused_bytes, f.unused_low_bytes, f.unused_high_bytes,
    f.mbc_bytes, f.sbc_bytes, f.mbc_low_bytes, f.mbc_high_bytes, f.sbc_low_bytes, f.sbc_high_bytes,
    p.peak_bytes, p.peak_low_bytes, p.peak_high_bytes, p.peak_blocks_bytes, m.creates
  FROM judged AS j
  LEFT JOIN final AS f ON f.subject_id = j.subject_id AND f.allocator = iif(j.level = 'allocator', j.allocator, 'all')
  LEFT JOIN summit AS p ON p.subject_id = j.subject_id AND p.allocator = f.allocator
  LEFT JOIN made AS m ON m.runtime_id = j.runtime_id AND m.allocator = f.allocator AND j.snapshot_id IS NULL
),
value AS (
  SELECT o.place, o.source_id, o.runtime_id, o.snapshot_id, o.vpid, o.of AS allocator,
    o.source_lost_events, k.metric, k.unit, k.better, k.meaning,
    CASE k.metric
      WHEN 'carriers_bytes' THEN ifnull(o.total_bytes, o.total_low_bytes)
      WHEN 'blocks_bytes' THEN ifnull(o.blocks_bytes, o.blocks_low_bytes)
      WHEN 'utilisation' THEN 1.0 * o.blocks_bytes / nullif(o.total_bytes, 0)
      WHEN 'pooled_bytes' THEN ifnull(o.pool_bytes, o.pool_low_bytes)
      WHEN 'peak_bytes' THEN ifnull(o.peak_bytes, o.peak_low_bytes)
      WHEN 'blocks_at_peak_bytes' THEN o.peak_blocks_bytes
      -- As databases of before name it.
      WHEN 'peak_blocks_bytes' THEN o.peak_blocks_bytes
      WHEN 'realized_frag' THEN 1.0 - 1.0 * o.peak_blocks_bytes / nullif(o.peak_bytes, 0)
      WHEN 'unused_bytes' THEN ifnull(o.unused_bytes, o.unused_low_bytes)
      WHEN 'at_stake_bytes' THEN iif(o.verdict = 'unknown', NULL, o.at_stake_bytes)
      WHEN 'sbc_share' THEN 1.0 * o.sbc_bytes / nullif(o.sbc_bytes + o.mbc_bytes, 0)
      WHEN 'carrier_creates' THEN o.creates
      WHEN 'lost_events' THEN iif(o.of IS NULL, o.source_lost_events, NULL)
      WHEN 'memory_bytes' THEN NULL
      WHEN 'flags_refused' THEN NULL
      ELSE iif(o.of IS NULL, ifnull((SELECT f.findings FROM found AS f
        WHERE f.source_id = o.source_id AND f.runtime_id IS o.runtime_id
          AND f.snapshot_id IS o.snapshot_id AND 'findings_' || f.severity = k.metric), 0), NULL)
    END AS value,
    CASE k.metric
      WHEN 'carriers_bytes' THEN o.total_low_bytes
      WHEN 'blocks_bytes' THEN o.blocks_low_bytes
      WHEN 'utilisation' THEN iif(o.total_high_bytes IS NULL, 0, 1.0 * o.blocks_low_bytes / nullif(o.total_high_bytes, 0))
      WHEN 'pooled_bytes' THEN o.pool_low_bytes
      WHEN 'peak_bytes' THEN o.peak_low_bytes
      WHEN 'unused_bytes' THEN o.unused_low_bytes
      WHEN 'sbc_share' THEN iif(o.mbc_high_bytes IS NULL, 0, 1.0 * o.sbc_low_bytes / nullif(o.sbc_low_bytes + o.mbc_high_bytes, 0))
    END AS low,
    CASE k.metric
      WHEN 'carriers_bytes' THEN o.total_high_bytes
      WHEN 'blocks_bytes' THEN o.blocks_high_bytes
      WHEN 'utilisation' THEN iif(o.blocks_high_bytes IS NULL, 1, min(1.0, 1.0 * o.blocks_high_bytes / nullif(o.total_low_bytes, 0)))
      WHEN 'pooled_bytes' THEN o.pool_high_bytes
      WHEN 'peak_bytes' THEN o.peak_high_bytes
      WHEN 'unused_bytes' THEN o.unused_high_bytes
      WHEN 'sbc_share' THEN iif(o.sbc_high_bytes IS NULL, 1, 1.0 * o.sbc_high_bytes / nullif(o.sbc_high_bytes + o.mbc_low_bytes, 0))
    END AS high,
    k.metric IN ('carriers_bytes', 'blocks_bytes', 'utilisation', 'pooled_bytes', 'peak_bytes', 'unused_bytes', 'sbc_share') AS is_figure,
    k.quality AS kind_quality, o.verdict
  FROM one AS o
  CROSS JOIN metric_kind AS k
)
SELECT source_id, runtime_id, snapshot_id, vpid, place, allocator,
  metric, value, unit, better,
  CASE WHEN NOT is_figure THEN kind_quality WHEN low = high THEN 'exact' WHEN high IS NULL THEN 'estimate' ELSE 'bound' END AS quality,
  meaning, source_lost_events,
  iif(is_figure, low, iif(metric LIKE 'findings%' AND verdict = 'unknown', NULL, value)) AS low,
  iif(is_figure, high, iif(metric LIKE 'findings%' AND verdict = 'unknown', NULL, value)) AS high
FROM value
WHERE value IS NOT NULL
UNION ALL
-- Sources without allocators: their places are behind the others.
SELECT p.source_id, NULL, p.snapshot_id, NULL,
  (SELECT count(*) FROM judged WHERE level = 'runtime') + dense_rank() OVER (ORDER BY p.source_id, p.snapshot_id), p.class,
  p.metric, p.value, k.unit, k.better, k.quality, k.meaning, o.lost_events, p.value, p.value
FROM (
  SELECT source_id, snapshot_id, iif(key = 'total', NULL, key) AS class, 'memory_bytes' AS metric, bytes AS value FROM _memory_key
  WHERE snapshot_id NOT IN (SELECT snapshot_id FROM crash_dump)
  UNION ALL
  SELECT s.source_id, f.snapshot_id, f.subject, 'memory_bytes', CAST(f.value AS INTEGER)
  FROM pasted_figure AS f JOIN snapshot AS s ON s.id = f.snapshot_id
  WHERE f.unit = 'bytes' AND f.key IN ('class', 'allocated') AND f.value IS NOT NULL AND f.function NOT LIKE '%, max'
  UNION ALL
  SELECT source_id, snapshot_id, NULL, 'flags_refused', sum(is_refused) FROM flag_check GROUP BY source_id, snapshot_id
) AS p
JOIN source AS o ON o.id = p.source_id
JOIN metric_kind AS k ON k.metric = p.metric
WHERE p.source_id NOT IN (SELECT source_id FROM judged);

CREATE VIEW report_metrics AS
SELECT source_id AS source, vpid, metric, allocator, value, low, high, unit, better, quality,
  source_lost_events AS lost_events
FROM metric
ORDER BY source_id, place, allocator IS NOT NULL, allocator, metric;

INSERT INTO view_doc VALUES
  ('metric_kind', '', 'row', 'fast', 'One row for each metric that budgets may be set on'),
  ('metric_kind', 'metric', 'text', 'label', 'Name of the metric'),
  ('metric_kind', 'unit', 'text', 'label', 'bytes, ratio or count'),
  ('metric_kind', 'better', 'text', 'label', 'less or more: which direction is better'),
  ('metric_kind', 'quality', 'text', 'label', 'exact or estimate'),
  ('metric_kind', 'meaning', 'text', 'label', 'What it measures'),
  ('metric', '', 'row', 'fast', 'One row for each metric of a runtime or read node (allocator NULL) and of each of its allocators'),
  ('metric', 'snapshot_id', 'id', 'label', 'snapshot.id of a node that was read at one moment; NULL: traced'),
  ('metric', 'place', 'count', 'label', 'Number of the runtime or read node in the database, from 1'),
  ('metric', 'metric', 'text', 'label', 'Name of the metric, see metric_kind'),
  ('metric', 'value', 'any', 'estimate', 'Its value, of the quality that the column quality gives'),
  ('metric', 'low', 'any', 'bound', 'It is at least this; NULL: nothing bounds it'),
  ('metric', 'high', 'any', 'bound', 'It is at most this; NULL: nothing bounds it'),
  ('metric', 'unit', 'text', 'label', 'bytes, ratio or count'),
  ('metric', 'better', 'text', 'label', 'less or more: which direction is better'),
  ('metric', 'quality', 'text', 'label', 'exact or estimate'),
  ('metric', 'meaning', 'text', 'label', 'What it measures'),
  ('report_metrics', '', 'row', 'fast', 'The metrics that budgets may be set on; from metric'),
  ('report_metrics', 'metric', 'text', 'label', 'Name of the metric'),
  ('report_metrics', 'value', 'any', 'estimate', 'Its value'),
  ('report_metrics', 'low', 'any', 'bound', 'It is at least this; empty: nothing bounds it'),
  ('report_metrics', 'high', 'any', 'bound', 'It is at most this; empty: nothing bounds it'),
  ('report_metrics', 'unit', 'text', 'label', 'bytes, ratio or count'),
  ('report_metrics', 'better', 'text', 'label', 'less or more: which direction is better'),
  ('report_metrics', 'quality', 'text', 'label', 'exact or estimate');
