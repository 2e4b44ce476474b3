-- SPDX-License-Identifier: MIT
--
-- Layer:   everything over time
-- Serves:  report footprint, plots
--
-- One row of these views is a stretch of time that begins with a bucket in which
-- the scope spoke and lasts until the scope's next such bucket, or until the
-- source's end.  Counters are those after the last event of the first bucket:
-- they are read after the operation, so they hold from then on.  Restrict by
-- runtime_id, allocator or instance: then only these rows are read.
--
-- Worked example, tests/views/utilisation_runtime: buckets of 1024 ns from 0 on, the
-- runtime spoke in 0, 2 and 7, the source ends at 8000; lost: 2100 to 3100 ns.
--
--   bucket  ->  begin_ns  end_ns  touches_loss
--        0             0    2048             0
--        2          2048    7168             1
--        7          7168    8000             0

-- _stretch: one row for each scope and bucket in which it spoke: the row of scope_bucket, and the stretch of
-- time that it begins.
CREATE TEMP VIEW _stretch AS
SELECT
  b.*,
  s.bucket_origin_ns + b.bucket * s.bucket_ns AS begin_ns,
  ifnull(
    s.bucket_origin_ns + s.bucket_ns * (
      SELECT min(f.bucket) FROM scope_bucket AS f
      WHERE f.source_id = b.source_id AND f.scope = b.scope AND f.scope_id = b.scope_id
        AND f.bucket > b.bucket),
    max(s.last_ts_ns, s.bucket_origin_ns + b.bucket * s.bucket_ns)) AS end_ns,
  CASE
    WHEN l.next_lossy IS NULL THEN 0
    WHEN l.next_lossy = b.bucket THEN 1
    ELSE ifnull(l.next_lossy < (
      SELECT min(f.bucket) FROM scope_bucket AS f
      WHERE f.source_id = b.source_id AND f.scope = b.scope AND f.scope_id = b.scope_id
        AND f.bucket > b.bucket), 1)
  END AS touches_loss
FROM scope_bucket AS b
JOIN source AS s ON s.id = b.source_id
LEFT JOIN _bucket_loss AS l ON l.source_id = b.source_id AND l.bucket = b.bucket;

-- _utilisation: one row for each scope and stretch of time: its counters.
CREATE TEMP VIEW _utilisation AS
SELECT
  b.source_id, b.scope, b.scope_id,
  b.begin_ns, b.end_ns,
  b.last_mbc_carriers AS mbc_carriers,
  b.last_mbc_carriers_bytes AS mbc_carriers_bytes,
  b.last_mbc_blocks AS mbc_blocks,
  b.last_mbc_blocks_bytes AS mbc_blocks_bytes,
  1.0 * b.last_mbc_blocks_bytes / nullif(b.last_mbc_carriers_bytes, 0) AS mbc_utilisation,
  b.last_sbc_carriers AS sbc_carriers,
  b.last_sbc_carriers_bytes AS sbc_carriers_bytes,
  b.last_sbc_blocks AS sbc_blocks,
  b.last_sbc_blocks_bytes AS sbc_blocks_bytes,
  1.0 * b.last_sbc_blocks_bytes / nullif(b.last_sbc_carriers_bytes, 0) AS sbc_utilisation,
  b.last_mbc_carriers_bytes + b.last_sbc_carriers_bytes AS carriers_bytes,
  b.last_mbc_blocks_bytes + b.last_sbc_blocks_bytes AS blocks_bytes,
  1.0 * (b.last_mbc_blocks_bytes + b.last_sbc_blocks_bytes)
    / nullif(b.last_mbc_carriers_bytes + b.last_sbc_carriers_bytes, 0) AS utilisation,
  b.max_carriers_bytes,
  b.touches_loss
FROM _stretch AS b;

CREATE VIEW utilisation_instance AS
SELECT
  n.source_id, n.runtime_id, n.vpid, n.allocator, n.instance, n.instance_id,
  u.begin_ns, u.end_ns,
  u.mbc_carriers, u.mbc_carriers_bytes, u.mbc_blocks, u.mbc_blocks_bytes, u.mbc_utilisation,
  u.sbc_carriers, u.sbc_carriers_bytes, u.sbc_blocks, u.sbc_blocks_bytes, u.sbc_utilisation,
  u.carriers_bytes, u.blocks_bytes, u.utilisation, u.max_carriers_bytes, u.touches_loss
FROM _instance AS n
JOIN _utilisation AS u
  ON u.source_id = n.source_id AND u.scope = 'instance' AND u.scope_id = n.instance_id;

CREATE VIEW utilisation_allocator AS
SELECT
  n.source_id, n.runtime_id, n.vpid, n.allocator,
  u.begin_ns, u.end_ns,
  u.mbc_carriers, u.mbc_carriers_bytes, u.mbc_blocks, u.mbc_blocks_bytes, u.mbc_utilisation,
  u.sbc_carriers, u.sbc_carriers_bytes, u.sbc_blocks, u.sbc_blocks_bytes, u.sbc_utilisation,
  u.carriers_bytes, u.blocks_bytes, u.utilisation, u.max_carriers_bytes, u.touches_loss
FROM _allocator AS n
JOIN _utilisation AS u
  ON u.source_id = n.source_id AND u.scope = 'allocator' AND u.scope_id = n.allocator_use_id;

CREATE VIEW utilisation_runtime AS
SELECT
  n.source_id, n.id AS runtime_id, n.vpid,
  u.begin_ns, u.end_ns,
  u.mbc_carriers, u.mbc_carriers_bytes, u.mbc_blocks, u.mbc_blocks_bytes, u.mbc_utilisation,
  u.sbc_carriers, u.sbc_carriers_bytes, u.sbc_blocks, u.sbc_blocks_bytes, u.sbc_utilisation,
  u.carriers_bytes, u.blocks_bytes, u.utilisation, u.max_carriers_bytes, u.touches_loss
FROM runtime AS n
JOIN _utilisation AS u
  ON u.source_id = n.source_id AND u.scope = 'runtime' AND u.scope_id = n.id;

-- carriers_by_kind: one row for each stretch of time of an allocator of a runtime
-- (level 'allocator') or of a runtime (level 'runtime').
CREATE VIEW carriers_by_kind AS
SELECT
  n.scope AS level, n.source_id, n.runtime_id, n.vpid, n.allocator,
  u.begin_ns, u.end_ns,
  u.mbc_carriers, u.mbc_carriers_bytes,
  u.sbc_carriers, u.sbc_carriers_bytes,
  1.0 * u.sbc_carriers_bytes / nullif(u.carriers_bytes, 0) AS sbc_share,
  u.touches_loss
FROM _scope AS n
JOIN _utilisation AS u
  ON u.source_id = n.source_id AND u.scope = n.scope AND u.scope_id = n.scope_id
WHERE n.scope IN ('allocator', 'runtime');

-- churn: one row for each allocator of a runtime and bucket in which it spoke.
-- Unlike its neighbours a row covers its own bucket only, cut to the source's span.
CREATE VIEW churn AS
WITH clipped AS (
  SELECT
    n.source_id, n.runtime_id, n.vpid, n.allocator,
    max(s.bucket_origin_ns + b.bucket * s.bucket_ns, s.first_ts_ns) AS begin_ns,
    min(s.bucket_origin_ns + (b.bucket + 1) * s.bucket_ns, s.last_ts_ns) AS end_ns,
    b.mbc_creates,
    b.mbc_create_bytes,
    b.sbc_creates,
    b.sbc_create_bytes,
    b.owned_destroys + b.pooled_destroys AS mbc_destroys,
    b.owned_destroy_bytes + b.pooled_destroy_bytes AS mbc_destroy_bytes,
    b.mbc_creates + b.sbc_creates + b.owned_destroys + b.pooled_destroys AS changes,
    l.next_lossy IS b.bucket AS touches_loss
  FROM _allocator AS n
  JOIN source AS s ON s.id = n.source_id
  JOIN scope_bucket AS b
    ON b.source_id = n.source_id AND b.scope = 'allocator' AND b.scope_id = n.allocator_use_id
  LEFT JOIN _bucket_loss AS l ON l.source_id = b.source_id AND l.bucket = b.bucket
)
SELECT
  source_id, runtime_id, vpid, allocator, begin_ns, end_ns,
  mbc_creates, mbc_create_bytes,
  sbc_creates, sbc_create_bytes,
  mbc_destroys, mbc_destroy_bytes,
  1e9 * changes / nullif(end_ns - begin_ns, 0) AS changes_per_s,
  touches_loss
FROM clipped;

-- pool_over_time: one row for each stretch of time of a runtime (level 'runtime')
-- or of a source (level 'source').
CREATE VIEW pool_over_time AS
SELECT
  n.level, n.source_id, n.runtime_id, n.vpid,
  b.begin_ns, b.end_ns,
  b.puts,
  b.put_bytes,
  b.gets AS attempts,
  b.fetches,
  b.misses,
  1.0 * b.fetches / nullif(b.fetches + b.misses, 0) AS hit_rate,
  b.pooled_destroys,
  b.pooled_carriers_clamped AS pooled_carriers,
  iif(o.instances_with_unknown_base > 0, 0, b.pooled_bytes_min) AS pooled_bytes_min,
  b.touches_loss
FROM _pool_scope AS n
JOIN _stretch AS b
  ON b.source_id = n.source_id AND b.scope = n.level AND b.scope_id = n.scope_id
LEFT JOIN _owned AS o ON o.level = n.level AND o.scope_id = n.scope_id;

-- runtime_footprint: one row for each stretch of time of a runtime.
CREATE VIEW runtime_footprint AS
SELECT
  source_id, runtime_id, vpid, begin_ns, end_ns,
  carriers_bytes AS footprint_bytes,
  max_carriers_bytes AS max_footprint_bytes,
  touches_loss
FROM utilisation_runtime;

-- footprint: one row for each stretch of time of a source, all its runtimes together.
CREATE VIEW footprint AS
SELECT
  source_id, begin_ns, end_ns,
  carriers_bytes AS footprint_bytes,
  max_carriers_bytes AS max_footprint_bytes,
  touches_loss
FROM _utilisation
WHERE scope = 'source';

-- footprint_plot: one row for each of 100 moments of a source, for a plot.
CREATE VIEW footprint_plot AS
SELECT
  f.source_id,
  f.i,
  f.ts_ns,
  (f.ts_ns - s.first_ts_ns) / 1e9 AS elapsed_s,
  f.footprint_bytes,
  s.lost_events AS source_lost_events,
  s.lost_packets AS source_lost_packets
FROM footprint_sample AS f
JOIN source AS s ON s.id = f.source_id;

INSERT INTO view_doc VALUES
  ('utilisation_instance', '', 'row', 'full scan', 'One row for each allocator instance and stretch of time: its counters after the last event of the bucket at begin_ns. All 0 until it first recorded them. Fast when restricted to a runtime_id, an allocator or an instance_id'),
  ('utilisation_allocator', '', 'row', 'fast', 'One row for each allocator of a runtime and stretch of time: the sums over its instances, each as last recorded'),
  ('utilisation_runtime', '', 'row', 'fast', 'One row for each runtime and stretch of time: the sums over its instances, each as last recorded'),
  ('utilisation_[iar]*', 'mbc_carriers', 'count', 'estimate', 'Multi-block carriers owned, as last recorded; puts and fetches since are not in it'),
  ('utilisation_[iar]*', 'mbc_carriers_bytes', 'bytes', 'estimate', 'Their bytes, as last recorded; puts and fetches since are not in it'),
  ('utilisation_[iar]*', 'mbc_blocks', 'count', 'estimate', 'Blocks in them, as last recorded; changes inside carriers are not recorded'),
  ('utilisation_[iar]*', 'mbc_blocks_bytes', 'bytes', 'estimate', 'Bytes of these blocks, as last recorded'),
  ('utilisation_[iar]*', 'mbc_utilisation', 'ratio', 'estimate', 'mbc_blocks_bytes / mbc_carriers_bytes; NULL without carriers'),
  ('utilisation_[iar]*', 'sbc_carriers', 'count', 'bound', 'Single-block carriers, as last recorded: an upper bound, since their end is silent'),
  ('utilisation_[iar]*', 'sbc_carriers_bytes', 'bytes', 'bound', 'Their bytes, as last recorded: an upper bound, save for a silent resize'),
  ('utilisation_[iar]*', 'sbc_blocks', 'count', 'bound', 'Blocks in them, as last recorded: an upper bound'),
  ('utilisation_[iar]*', 'sbc_blocks_bytes', 'bytes', 'bound', 'Bytes of these blocks, as last recorded: an upper bound, save for a silent resize'),
  ('utilisation_[iar]*', 'sbc_utilisation', 'ratio', 'estimate', 'sbc_blocks_bytes / sbc_carriers_bytes; NULL without carriers'),
  ('utilisation_[iar]*', 'carriers_bytes', 'bytes', 'estimate', 'mbc_carriers_bytes + sbc_carriers_bytes; carriers in the pool are not in it'),
  ('utilisation_[iar]*', 'blocks_bytes', 'bytes', 'estimate', 'mbc_blocks_bytes + sbc_blocks_bytes'),
  ('utilisation_[iar]*', 'utilisation', 'ratio', 'estimate', 'blocks_bytes / carriers_bytes; NULL without carriers'),
  ('utilisation_[iar]*', 'max_carriers_bytes', 'bytes', 'estimate', 'Most carriers_bytes that was recorded within the bucket at begin_ns'),
  ('carriers_by_kind', '', 'row', 'fast', 'One row for each stretch of time of an allocator of a runtime, or of a runtime: multi- and single-block carriers, as last recorded'),
  ('carriers_by_kind', 'mbc_carriers', 'count', 'estimate', 'Multi-block carriers owned, as last recorded; puts and fetches since are not in it'),
  ('carriers_by_kind', 'mbc_carriers_bytes', 'bytes', 'estimate', 'Their bytes, as last recorded'),
  ('carriers_by_kind', 'sbc_carriers', 'count', 'bound', 'Single-block carriers, as last recorded: an upper bound, since their end is silent'),
  ('carriers_by_kind', 'sbc_carriers_bytes', 'bytes', 'bound', 'Their bytes, as last recorded: an upper bound, save for a silent resize'),
  ('carriers_by_kind', 'sbc_share', 'ratio', 'estimate', 'Part of the bytes that is in single-block carriers; NULL without carriers'),
  ('churn', '', 'row', 'fast', 'One row for each allocator of a runtime and bucket of time in which it spoke: carriers created and destroyed within it'),
  ('churn', 'mbc_creates', 'count', 'estimate', 'Creates of multi-block carriers; the kind is inferred'),
  ('churn', 'mbc_create_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('churn', 'sbc_creates', 'count', 'estimate', 'Creates of single-block carriers; with mbc_creates the exact number of all creates'),
  ('churn', 'sbc_create_bytes', 'bytes', 'estimate', 'Their bytes'),
  ('churn', 'mbc_destroys', 'count', 'exact', 'Destroys, owned and pooled; always of multi-block carriers'),
  ('churn', 'mbc_destroy_bytes', 'bytes', 'exact', 'Their bytes'),
  ('churn', 'changes_per_s', '1/s', 'bound', 'Creates and destroys per second between begin_ns and end_ns: a lower bound of changes, since the end of single-block carriers is silent; NULL when the source has no span there'),
  ('pool_over_time', '', 'row', 'fast', 'One row for each stretch of time of a runtime or of a source: traffic of the pool within the bucket at begin_ns, and what is in it from then on'),
  ('pool_over_time', 'puts', 'count', 'exact', 'Carriers put into the pool within the bucket'),
  ('pool_over_time', 'put_bytes', 'bytes', 'exact', 'Their bytes'),
  ('pool_over_time', 'attempts', 'count', 'exact', 'Attempts to fetch a carrier within the bucket'),
  ('pool_over_time', 'fetches', 'count', 'estimate', 'Fetches that became known within the bucket; their attempt may be earlier'),
  ('pool_over_time', 'misses', 'count', 'estimate', 'Failed attempts that became known within the bucket'),
  ('pool_over_time', 'hit_rate', 'ratio', 'estimate', 'fetches / (fetches + misses); NULL without any'),
  ('pool_over_time', 'pooled_destroys', 'count', 'estimate', 'Destroys, within the bucket, of carriers that lay in the pool'),
  ('pool_over_time', 'pooled_carriers', 'count', 'estimate', 'Carriers in the pool after the bucket: puts - fetches - pooled destroys, never below 0'),
  ('pool_over_time', 'pooled_bytes_min', 'bytes', 'bound', 'Lower bound of the bytes in the pool after the bucket; 0 when the runtime has instances that the recording does not follow from their first carrier on'),
  ('runtime_footprint', '', 'row', 'fast', 'One row for each runtime and stretch of time: its carriers, those in the pool left out'),
  ('runtime_footprint', 'footprint_bytes', 'bytes', 'estimate', 'Bytes of carriers of its instances, each as last recorded, after the bucket at begin_ns: ended single-block carriers stay in it until recorded, carriers in the pool are not in it'),
  ('runtime_footprint', 'max_footprint_bytes', 'bytes', 'estimate', 'Most of it within that bucket'),
  ('footprint', '', 'row', 'fast', 'One row for each stretch of time of a source: carriers of all its runtimes, those in the pool left out'),
  ('footprint', 'footprint_bytes', 'bytes', 'estimate', 'Bytes of carriers of all instances, each as last recorded, after the bucket at begin_ns: ended single-block carriers stay in it until recorded, carriers in the pool are not in it'),
  ('footprint', 'max_footprint_bytes', 'bytes', 'estimate', 'Most of it within that bucket'),
  ('footprint_plot', '', 'row', 'fast', 'One row for each of 100 moments of a source, evenly spread from its first to its last event'),
  ('footprint_plot', 'i', 'count', 'label', 'Number of the moment, 0 to 99'),
  ('footprint_plot', 'ts_ns', 'ns', 'exact', 'The moment'),
  ('footprint_plot', 'elapsed_s', 's', 'exact', 'The moment, from the first event of the source on'),
  ('footprint_plot', 'footprint_bytes', 'bytes', 'estimate', 'Bytes of carriers of all instances, each as last recorded at the moment');
