-- SPDX-License-Identifier: MIT
--
-- Layer:   comings, goings and lengths of lives
-- Serves:  reports churn, lifetimes
--
-- Carriers have no name in the events.  Rates are counts of events; lives are
-- known within bounds.

-- churn_total: one row for each allocator of a runtime, over the whole source.
CREATE VIEW churn_total AS
WITH silent AS (
  SELECT runtime_id, allocator_id, sum(sbc_silent_frees) AS sbc_frees
  FROM instance
  GROUP BY runtime_id, allocator_id
)
SELECT
  a.source_id, a.runtime_id, a.vpid, a.allocator,
  s.last_ts_ns - s.first_ts_ns AS span_ns,
  t.mbc_creates,
  t.mbc_create_bytes,
  t.sbc_creates,
  t.sbc_create_bytes,
  t.owned_destroys + t.pooled_destroys AS mbc_destroys,
  t.owned_destroy_bytes + t.pooled_destroy_bytes AS mbc_destroy_bytes,
  ifnull(f.sbc_frees, 0) AS sbc_frees_min,
  1e9 * (t.mbc_creates + t.sbc_creates)
    / nullif(s.last_ts_ns - s.first_ts_ns, 0) AS creates_per_s,
  1e9 * (t.owned_destroys + t.pooled_destroys + ifnull(f.sbc_frees, 0))
    / nullif(s.last_ts_ns - s.first_ts_ns, 0) AS ends_per_s,
  1e9 * (t.mbc_creates + t.sbc_creates
      + t.owned_destroys + t.pooled_destroys + ifnull(f.sbc_frees, 0))
    / nullif(s.last_ts_ns - s.first_ts_ns, 0) AS changes_per_s,
  a.source_lost_events, a.source_lost_packets
FROM _allocator AS a
JOIN allocator_use AS u ON u.id = a.allocator_use_id
JOIN source AS s ON s.id = a.source_id
JOIN scope_total AS t
  ON t.source_id = a.source_id AND t.scope = 'allocator' AND t.scope_id = a.allocator_use_id
LEFT JOIN silent AS f ON f.runtime_id = u.runtime_id AND f.allocator_id = u.allocator_id;

-- carrier_lifetime: one row for each power of two of lengths of lives, by
-- runtime, allocator that recorded the end, and kind.
--
-- Of a life only bounds are known: the youngest and the oldest carrier that
-- could have ended.  The part of lives shorter than to_ns is therefore between
-- the part whose longest possible life is shorter and the part whose least is.
--
-- Worked example, tests/views/carrier_lifetime: two ends; one life was
-- 0..7 ns, the other 4..7 ns.
--
--   log2_ns  at_least  at_most  ->  from_ns  to_ns  shorter_min  shorter_max
--        -1         1        0            0      1          0.0          0.5
--         2         1        2            4      8          1.0          1.0
CREATE VIEW carrier_lifetime AS
SELECT
  r.source_id, r.id AS runtime_id, r.vpid, a.name AS allocator,
  l.kind,
  iif(l.log2_ns < 0, 0, 1 << l.log2_ns) AS from_ns,
  iif(l.log2_ns < 0, 1, 2 << l.log2_ns) AS to_ns,
  l.at_least AS ends_if_shortest,
  l.at_most AS ends_if_longest,
  1.0 * sum(l.at_most) OVER up_to_here / nullif(sum(l.at_most) OVER all_of_kind, 0)
    AS shorter_min,
  1.0 * sum(l.at_least) OVER up_to_here / nullif(sum(l.at_least) OVER all_of_kind, 0)
    AS shorter_max,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM carrier_life AS l
JOIN runtime AS r ON r.id = l.runtime_id
JOIN source AS s ON s.id = r.source_id
JOIN allocator AS a ON a.id = l.allocator_id
WINDOW
  all_of_kind AS (PARTITION BY l.runtime_id, l.allocator_id, l.kind),
  up_to_here AS (PARTITION BY l.runtime_id, l.allocator_id, l.kind ORDER BY l.log2_ns);

-- carrier_lifetime_by_size: one row for each size of multi-block carriers of a
-- runtime.
--
-- Which carrier of a size ended is not recorded, but the sum of the lives does not
-- depend on it.  The mean is exact when all have ended and the runtime's
-- events hide nothing; with some alive it is a lower bound, since they will live on;
-- when ends without beginnings were seen it is an estimate.
CREATE VIEW carrier_lifetime_by_size AS
WITH hidden AS (
  SELECT
    i.runtime_id,
    max(i.base_known = 0 OR i.ambiguous_creates > 0 OR i.inconsistent > 0
      OR EXISTS (SELECT 1 FROM ledger_total AS t
                 JOIN ledger_kind AS k ON k.id = t.kind
                 WHERE t.instance_id = i.id AND k.name IN ('resurrection', 'unexplained_mbc')))
      AS something
  FROM instance AS i
  GROUP BY i.runtime_id
)
SELECT
  r.source_id, r.id AS runtime_id, r.vpid,
  l.size,
  l.creates,
  l.destroys,
  l.unmatched_destroys,
  l.alive,
  1.0 * l.carrier_ns / nullif(l.creates, 0) AS mean_life_ns,
  CASE
    WHEN l.unmatched_destroys > 0 OR ifnull(h.something, 1)
      OR s.lost_events <> 0 OR s.lost_packets <> 0 THEN 'estimate'
    WHEN l.alive > 0 THEN 'bound'
    ELSE 'exact'
  END AS quality,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM carrier_life_size AS l
JOIN runtime AS r ON r.id = l.runtime_id
JOIN source AS s ON s.id = r.source_id
LEFT JOIN hidden AS h ON h.runtime_id = l.runtime_id;

INSERT INTO view_doc VALUES
  ('churn_total', '', 'row', 'fast', 'One row for each allocator of a runtime: carriers created and ended over the whole source. Qualities hold for sources without loss'),
  ('churn_total', 'span_ns', 'ns', 'exact', 'From the first to the last event of the source, of any name'),
  ('churn_total', 'mbc_creates', 'count', 'estimate', 'Creates of multi-block carriers; the kind is inferred, and exact where instance.ambiguous_creates is 0'),
  ('churn_total', 'mbc_create_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('churn_total', 'sbc_creates', 'count', 'estimate', 'Creates of single-block carriers; with mbc_creates the exact number of all creates'),
  ('churn_total', 'sbc_create_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('churn_total', 'mbc_destroys', 'count', 'exact', 'Destroys, owned and pooled; always of multi-block carriers. The memory need not go back to the operating system then'),
  ('churn_total', 'mbc_destroy_bytes', 'bytes', 'exact', 'Their bytes'),
  ('churn_total', 'sbc_frees_min', 'count', 'bound', 'Single-block carriers that ended in silence, as the counters show: a lower bound'),
  ('churn_total', 'creates_per_s', '1/s', 'exact', 'All creates by span_ns; NULL without a span'),
  ('churn_total', 'ends_per_s', '1/s', 'bound', 'mbc_destroys and sbc_frees_min by span_ns: a lower bound'),
  ('churn_total', 'changes_per_s', '1/s', 'bound', 'creates_per_s + ends_per_s: a lower bound'),
  ('carrier_lifetime', '', 'row', 'fast', 'One row for each power of two of lengths of lives, by allocator that recorded the end, and kind. Carriers still alive are not in it. Bounds hold for sources without loss that begin with the runtime, and save for resurrected carriers'),
  ('carrier_lifetime', 'kind', 'text', 'label', 'multi_block or single_block'),
  ('carrier_lifetime', 'from_ns', 'ns', 'label', 'Lives of this length'),
  ('carrier_lifetime', 'to_ns', 'ns', 'label', 'and shorter than this'),
  ('carrier_lifetime', 'ends_if_shortest', 'count', 'bound', 'Ends here if each carrier lived as short as is possible'),
  ('carrier_lifetime', 'ends_if_longest', 'count', 'bound', 'Ends here if each carrier lived as long as is possible'),
  ('carrier_lifetime', 'shorter_min', 'ratio', 'bound', 'Part of the lives that was shorter than to_ns: at least this'),
  ('carrier_lifetime', 'shorter_max', 'ratio', 'bound', 'Part of the lives that was shorter than to_ns: at most this'),
  ('carrier_lifetime_by_size', '', 'row', 'fast', 'One row for each size of multi-block carriers of a runtime'),
  ('carrier_lifetime_by_size', 'size', 'bytes', 'label', 'Size of the carriers'),
  ('carrier_lifetime_by_size', 'creates', 'count', 'estimate', 'Carriers of this size that were created; exact where quality is not estimate'),
  ('carrier_lifetime_by_size', 'destroys', 'count', 'estimate', 'Destroys that are paired with one of these creates'),
  ('carrier_lifetime_by_size', 'unmatched_destroys', 'count', 'exact', 'Destroys when none of this size was left: of carriers older than the recording, or resurrected'),
  ('carrier_lifetime_by_size', 'alive', 'count', 'estimate', 'Created and not destroyed when the source ends, in the pool or out of it'),
  ('carrier_lifetime_by_size', 'mean_life_ns', 'ns', 'estimate', 'Mean life, those alive counted up to the source''s end; of the quality that the column quality gives; NULL without a create'),
  ('carrier_lifetime_by_size', 'quality', 'text', 'label', 'exact: all ended, and nothing in the runtime''s events is hidden; bound: mean_life_ns is a lower bound, some are alive; estimate: unmatched destroys, resurrection, ambiguous creates, unknown base or lost events');
