-- SPDX-License-Identifier: MIT
--
-- Layer:   metrics
-- Reads:   verdict, _held, churn_total, finding, source
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
  ('carriers_bytes', 'bytes', 'less', 'estimate', 'Bytes of carriers at the end, the pool left out'),
  ('blocks_bytes', 'bytes', 'less', 'estimate', 'Bytes of blocks at the end'),
  ('utilisation', 'ratio', 'more', 'estimate', 'Blocks by carriers at the end'),
  ('pooled_bytes', 'bytes', 'less', 'estimate', 'Bytes that are likely to be in the pool at the end'),
  ('peak_bytes', 'bytes', 'less', 'estimate', 'Most bytes of carriers at any moment'),
  ('peak_blocks_bytes', 'bytes', 'less', 'estimate', 'Most bytes of blocks at any moment'),
  ('realized_frag', 'ratio', 'less', 'estimate', 'Fragmentation at the peak: part of the memory that was unused when it was most'),
  ('unused_bytes', 'bytes', 'less', 'estimate', 'Carriers and pool less blocks at the end: no flag can save more'),
  ('at_stake_bytes', 'bytes', 'less', 'estimate', 'What the verdict is about; 0: normal'),
  ('sbc_share', 'ratio', 'less', 'estimate', 'Part of the carriers that is single-block'),
  ('carrier_creates', 'count', 'less', 'exact', 'Carriers made over the whole recording'),
  ('findings_critical', 'count', 'less', 'estimate', 'Findings of severity critical'),
  ('findings_warning', 'count', 'less', 'estimate', 'Findings of severity warning'),
  ('lost_events', 'count', 'less', 'exact', 'Events that the source is known to lack');

-- metric: one row for each metric of a place (allocator NULL) and of its allocators.
-- Places are numbered in their order, so that two recordings of the same can be compared.
CREATE VIEW metric AS
WITH judged AS MATERIALIZED (
  SELECT *, dense_rank() OVER (ORDER BY source_id, vpid, runtime_id, snapshot_id) AS place
  FROM verdict
  WHERE level <> 'source'
),
held AS MATERIALIZED (
  SELECT source_id, runtime_id, snapshot_id, allocator, mbc_size, sbc_size, peak_size,
    blocks_at_peak_size, peak_blocks_size
  FROM _held
),
found AS MATERIALIZED (
  SELECT source_id, runtime_id, snapshot_id, severity, count(*) AS findings
  FROM finding
  GROUP BY source_id, runtime_id, snapshot_id, severity
),
whole AS (
  SELECT source_id, runtime_id, snapshot_id, sum(mbc_size) AS mbc_size, sum(sbc_size) AS sbc_size
  FROM held
  GROUP BY source_id, runtime_id, snapshot_id
),
one AS (
  SELECT
    j.place, j.source_id, j.runtime_id, j.snapshot_id, j.vpid,
    iif(j.level = 'allocator', j.allocator, NULL) AS allocator,
    j.carriers_bytes, j.blocks_bytes, j.utilisation, j.pooled_bytes, j.peak_bytes, j.saving_bytes,
    j.at_stake_bytes, j.source_lost_events,
    ifnull(h.peak_blocks_size, j.peak_bytes - j.saving_at_peak_bytes) AS peak_blocks_bytes,
    coalesce(1.0 - 1.0 * h.blocks_at_peak_size / nullif(h.peak_size, 0),
      iif(j.level = 'runtime', 1.0 - 1.0 * p.blocks_size_at_max / nullif(p.max_carriers_size, 0), NULL))
      AS realized_frag,
    coalesce(1.0 * h.sbc_size / nullif(h.sbc_size + h.mbc_size, 0),
      1.0 * w.sbc_size / nullif(w.sbc_size + w.mbc_size, 0)) AS sbc_share
  FROM judged AS j
  LEFT JOIN held AS h ON j.level = 'allocator' AND h.allocator = j.allocator
    AND h.source_id = j.source_id AND h.runtime_id IS j.runtime_id AND h.snapshot_id IS j.snapshot_id
  LEFT JOIN whole AS w ON j.level = 'runtime'
    AND w.source_id = j.source_id AND w.runtime_id IS j.runtime_id AND w.snapshot_id IS j.snapshot_id
  LEFT JOIN peak AS p ON p.scope = 'runtime' AND p.runtime_id = j.runtime_id AND j.snapshot_id IS NULL
),
value AS (
  SELECT o.place, o.source_id, o.runtime_id, o.snapshot_id, o.vpid, o.allocator,
    o.source_lost_events, k.metric, k.unit, k.better, k.quality, k.meaning,
    CASE k.metric
      WHEN 'carriers_bytes' THEN o.carriers_bytes
      WHEN 'blocks_bytes' THEN o.blocks_bytes
      WHEN 'utilisation' THEN o.utilisation
      WHEN 'pooled_bytes' THEN o.pooled_bytes
      WHEN 'peak_bytes' THEN o.peak_bytes
      WHEN 'peak_blocks_bytes' THEN o.peak_blocks_bytes
      WHEN 'realized_frag' THEN o.realized_frag
      WHEN 'unused_bytes' THEN o.saving_bytes
      WHEN 'at_stake_bytes' THEN o.at_stake_bytes
      WHEN 'sbc_share' THEN o.sbc_share
      WHEN 'carrier_creates' THEN iif(o.snapshot_id IS NULL,
        (SELECT sum(c.mbc_creates + c.sbc_creates) FROM churn_total AS c
         WHERE c.runtime_id = o.runtime_id AND c.allocator = ifnull(o.allocator, c.allocator)), NULL)
      WHEN 'lost_events' THEN iif(o.allocator IS NULL, o.source_lost_events, NULL)
      ELSE iif(o.allocator IS NULL, ifnull((SELECT f.findings FROM found AS f
        WHERE f.source_id = o.source_id AND f.runtime_id IS o.runtime_id
          AND f.snapshot_id IS o.snapshot_id AND 'findings_' || f.severity = k.metric), 0), NULL)
    END AS value
  FROM one AS o
  CROSS JOIN metric_kind AS k
)
SELECT source_id, runtime_id, snapshot_id, vpid, place, allocator,
  metric, value, unit, better, quality, meaning, source_lost_events
FROM value
WHERE value IS NOT NULL;

CREATE VIEW report_metrics AS
SELECT source_id AS source, vpid, metric, allocator, value, unit, better, quality,
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
  ('metric', 'value', 'any', 'estimate', 'Its value, of the quality that the column quality says'),
  ('metric', 'unit', 'text', 'label', 'bytes, ratio or count'),
  ('metric', 'better', 'text', 'label', 'less or more: which direction is better'),
  ('metric', 'quality', 'text', 'label', 'exact or estimate'),
  ('metric', 'meaning', 'text', 'label', 'What it measures'),
  ('report_metrics', '', 'row', 'fast', 'The metrics that budgets may be set on; from metric'),
  ('report_metrics', 'metric', 'text', 'label', 'Name of the metric'),
  ('report_metrics', 'value', 'any', 'estimate', 'Its value'),
  ('report_metrics', 'unit', 'text', 'label', 'bytes, ratio or count'),
  ('report_metrics', 'better', 'text', 'label', 'less or more: which direction is better'),
  ('report_metrics', 'quality', 'text', 'label', 'exact or estimate');
