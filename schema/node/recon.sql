-- SPDX-License-Identifier: MIT
--
-- Layer:   recon
-- Serves:  report_recon; people who know recon_alloc
--
-- The figures of recon_alloc (recon 2.5.6) under its names and with its definitions, and
-- beside them what these leave out.  `keyword` is recon's: current, or max, which adds
-- maxima that were reached at different times.  recon counts nine allocators and leaves
-- out literal_alloc, exec_alloc, memory that mseg keeps, and blocks of other allocators.
-- In `current` the pool counts as multi-block carriers; in `max` it is left out.
--
-- Source of each formula: SOURCES.md 18.4.

CREATE TEMP VIEW _recon AS
SELECT
  *,
  allocator IN ('temp_alloc', 'eheap_alloc', 'binary_alloc', 'ets_alloc', 'driver_alloc',
                'sl_alloc', 'll_alloc', 'fix_alloc', 'std_alloc') AS counts
FROM instance_reading;

-- _recon_side: one row for each instance and keyword, as recon sees it.
CREATE TEMP VIEW _recon_side AS
SELECT
  r.source_id, r.snapshot_id, r.allocator, r.instance, r.counts, iif(k.is_max, 'max', 'current') AS keyword,
  iif(k.is_max, r.max_mbc_blocks, r.mbc_blocks + r.pool_blocks) AS mbcs_blocks,
  iif(k.is_max, r.max_mbc_blocks_bytes, r.mbc_blocks_bytes + r.pool_blocks_bytes) AS mbcs_block_size,
  iif(k.is_max, r.max_mbc_carriers_bytes, r.mbc_carriers_bytes + r.pool_carriers_bytes) AS mbcs_carriers_size,
  iif(k.is_max, r.max_sbc_blocks, r.sbc_blocks) AS sbcs_blocks,
  iif(k.is_max, r.max_sbc_blocks_bytes, r.sbc_blocks_bytes) AS sbcs_block_size,
  iif(k.is_max, r.max_sbc_carriers_bytes, r.sbc_carriers_bytes) AS sbcs_carriers_size,
  iif(k.is_max, NULL, r.foreign_blocks_bytes) AS foreign_blocks_bytes, iif(k.is_max, NULL, r.pool_carriers_bytes) AS pool_carriers_bytes,
  r.source_lost_events
FROM _recon AS r
CROSS JOIN (SELECT 0 AS is_max UNION ALL SELECT 1) AS k;

-- recon_memory: recon_alloc:memory(used | allocated | unused | usage, Keyword).
CREATE VIEW recon_memory AS
WITH mseg AS MATERIALIZED (
  SELECT snapshot_id,
    sum(current) FILTER (WHERE allocator = 'default_mmap' AND section = 'os' AND key = 'used')
      - sum(current) FILTER (WHERE allocator = 'mseg_alloc' AND section = 'status' AND key = 'segments_size') AS cache_bytes
  FROM instance_stat_all
  WHERE allocator IN ('default_mmap', 'mseg_alloc')
  GROUP BY snapshot_id
)
SELECT
  r.source_id,
  r.snapshot_id,
  r.keyword,
  sum(iif(counts, mbcs_block_size + sbcs_block_size, 0)) AS used,
  sum(iif(counts, mbcs_carriers_size + sbcs_carriers_size, 0)) AS allocated,
  sum(iif(counts, mbcs_carriers_size + sbcs_carriers_size
    - mbcs_block_size - sbcs_block_size, 0)) AS unused,
  1.0 * sum(iif(counts, mbcs_block_size + sbcs_block_size, 0))
    / nullif(sum(iif(counts, mbcs_carriers_size + sbcs_carriers_size, 0)), 0) AS usage,
  sum(iif(counts, 0, mbcs_block_size + sbcs_block_size)) AS left_out_used,
  sum(iif(counts, 0, mbcs_carriers_size + sbcs_carriers_size)) AS left_out_allocated,
  sum(iif(counts, foreign_blocks_bytes, 0)) AS left_out_foreign,
  sum(iif(counts, pool_carriers_bytes, 0)) AS of_it_pool,
  iif(r.keyword = 'current', max(m.cache_bytes), NULL) AS left_out_mseg_cache,
  max(source_lost_events) AS source_lost_events
FROM _recon_side AS r
LEFT JOIN mseg AS m ON m.snapshot_id = r.snapshot_id
GROUP BY r.source_id, r.snapshot_id, r.keyword;

-- _recon_allocated: one row for each instance and keyword that recon counts: bytes in its carriers.
CREATE TEMP VIEW _recon_allocated AS
SELECT
  source_id, snapshot_id, keyword, allocator, instance,
  mbcs_carriers_size + sbcs_carriers_size AS bytes, source_lost_events
FROM _recon_side
WHERE counts;

-- recon_allocated_types: recon_alloc:memory(allocated_types, Keyword).
CREATE VIEW recon_allocated_types AS
SELECT source_id, snapshot_id, keyword, allocator, sum(bytes) AS allocated, max(source_lost_events) AS source_lost_events
FROM _recon_allocated
GROUP BY source_id, snapshot_id, keyword, allocator;

-- recon_allocated_instances: recon_alloc:memory(allocated_instances, Keyword).
CREATE VIEW recon_allocated_instances AS
SELECT source_id, snapshot_id, keyword, instance, sum(bytes) AS allocated, max(source_lost_events) AS source_lost_events
FROM _recon_allocated
GROUP BY source_id, snapshot_id, keyword, instance;

-- recon_fragmentation: recon_alloc:fragmentation(Keyword); `rank` is its order.
--
-- Worked example, tests/views/recon_fragmentation: blocks of 1000 in multi-block carriers
-- of 4000 and of 900 in single-block carriers of 1000.
--
--   mbcs_usage 0.25, sbcs_usage 0.9, weight 0.1 x 1000 + 0.75 x 4000 = 3100
CREATE VIEW recon_fragmentation AS
WITH usage AS (
  SELECT
    *,
    CASE WHEN sbcs_block_size = 0 AND sbcs_carriers_size = 0 THEN 1.0
      ELSE 1.0 * sbcs_block_size / nullif(sbcs_carriers_size, 0) END AS sbcs_usage,
    CASE WHEN mbcs_block_size = 0 AND mbcs_carriers_size = 0 THEN 1.0
      ELSE 1.0 * mbcs_block_size / nullif(mbcs_carriers_size, 0) END AS mbcs_usage
  FROM _recon_side
  WHERE counts
),
weighed AS (
  SELECT
    *,
    (1.0 - sbcs_usage) * sbcs_carriers_size + (1.0 - mbcs_usage) * mbcs_carriers_size AS weight
  FROM usage
)
SELECT
  source_id, snapshot_id, keyword, allocator, instance,
  sbcs_usage, mbcs_usage,
  sbcs_block_size, sbcs_carriers_size, mbcs_block_size, mbcs_carriers_size,
  weight,
  row_number() OVER (PARTITION BY snapshot_id, keyword
    ORDER BY weight DESC, allocator DESC, instance DESC) AS rank,
  pool_carriers_bytes AS of_it_pool,
  foreign_blocks_bytes AS left_out_foreign,
  source_lost_events
FROM weighed;

-- recon_cache_hit_rates: recon_alloc:cache_hit_rates().
CREATE VIEW recon_cache_hit_rates AS
WITH cache AS (
  SELECT
    source_id, snapshot_id, ifnull(instance, 0) AS instance,
    sum(current) FILTER (WHERE section = 'status' AND key = 'cache_hits') AS hits,
    sum(current) FILTER (WHERE section = 'calls' AND key = 'mseg_alloc') AS calls,
    sum(current) FILTER (WHERE section = 'status' AND key = 'cached_segments') AS cached_segments,
    max(source_lost_events) AS source_lost_events
  FROM instance_stat_all
  WHERE allocator = 'mseg_alloc'
  GROUP BY source_id, snapshot_id, ifnull(instance, 0)
)
SELECT
  source_id, snapshot_id, instance,
  CASE WHEN hits = 0 AND calls = 0 THEN 1.0 ELSE 1.0 * hits / nullif(calls, 0) END AS hit_rate,
  hits, calls,
  row_number() OVER (PARTITION BY snapshot_id
    ORDER BY (1.0 - CASE WHEN hits = 0 AND calls = 0 THEN 1.0
      ELSE 1.0 * hits / nullif(calls, 0) END) * calls DESC, instance) AS rank,
  cached_segments,
  source_lost_events
FROM cache
WHERE hits IS NOT NULL AND calls IS NOT NULL;

-- recon_average_block_sizes: recon_alloc:average_block_sizes(Keyword).
CREATE VIEW recon_average_block_sizes AS
SELECT
  source_id, snapshot_id, keyword, allocator,
  ifnull(1.0 * sum(mbcs_block_size) / nullif(sum(mbcs_blocks), 0), 0) AS mbcs,
  ifnull(1.0 * sum(sbcs_block_size) / nullif(sum(sbcs_blocks), 0), 0) AS sbcs,
  max(source_lost_events) AS source_lost_events
FROM _recon_side
WHERE counts
GROUP BY source_id, snapshot_id, keyword, allocator;

-- recon_sbcs_to_mbcs: recon_alloc:sbcs_to_mbcs(Keyword).  9e999 is SQL's infinity: single-block
-- carriers only.
CREATE VIEW recon_sbcs_to_mbcs AS
WITH ratio AS (
  SELECT
    *,
    CASE
      WHEN mbcs_blocks > 0 THEN 1.0 * sbcs_blocks / mbcs_blocks
      WHEN sbcs_blocks > 0 THEN 9e999
      ELSE 0
    END AS ratio
  FROM _recon_side
  WHERE counts
)
SELECT
  source_id, snapshot_id, keyword, allocator, instance, ratio,
  row_number() OVER (PARTITION BY snapshot_id, keyword
    ORDER BY ratio DESC, allocator DESC, instance DESC) AS rank,
  source_lost_events
FROM ratio;

-- recon_allocators: recon_alloc:allocators(types): instances of an allocator added up.  Its
-- counters of calls are right where recon's carry over at 10^6 instead of 10^9.
CREATE VIEW recon_allocators AS
SELECT
  source_id, snapshot_id, allocator,
  count(DISTINCT ifnull(instance, 0)) AS instances,
  section, key, of,
  sum(current) AS current,
  sum(max_since_last) AS max_since_last,
  sum(max_ever) AS max_ever,
  max(source_lost_events) AS source_lost_events
FROM instance_stat_all
GROUP BY source_id, snapshot_id, allocator, section, key, of;

INSERT INTO view_doc VALUES
  ('recon_*', 'snapshot_id', 'id', 'label', 'snapshot.id'),
  ('recon_*', 'keyword', 'text', 'label', 'current: at that moment; max: greatest ever, of each figure for itself'),
  ('recon_*', 'allocated', 'bytes', 'exact', 'Bytes in carriers, as recon counts them'),
  ('recon_*', 'sbcs_block_size', 'bytes', 'exact', 'Bytes in single blocks'),
  ('recon_*', 'sbcs_carriers_size', 'bytes', 'exact', 'Bytes in single-block carriers'),
  ('recon_*', 'mbcs_block_size', 'bytes', 'exact', 'Bytes in blocks of multi-block carriers; current: those in the pool included'),
  ('recon_*', 'mbcs_carriers_size', 'bytes', 'exact', 'Bytes in multi-block carriers; current: those in the pool included'),
  ('recon_*', 'of_it_pool', 'bytes', 'exact', 'Of the carriers, those in the pool, which recon does not distinguish; NULL: keyword max'),
  ('recon_*', 'left_out_foreign', 'bytes', 'exact', 'Blocks of other allocators in these carriers, which recon leaves out; NULL: keyword max'),
  ('recon_*', 'rank', 'count', 'exact', 'Place in the order that recon gives'),
  ('recon_memory', '', 'row', 'fast', 'recon_alloc:memory/2: one row for each snapshot and keyword'),
  ('recon_memory', 'used', 'bytes', 'exact', 'Bytes in blocks, as recon counts them'),
  ('recon_memory', 'unused', 'bytes', 'exact', 'allocated less used'),
  ('recon_memory', 'usage', 'ratio', 'exact', 'used over allocated'),
  ('recon_memory', 'left_out_used', 'bytes', 'exact', 'Blocks of literal_alloc and other allocators that recon leaves out'),
  ('recon_memory', 'left_out_allocated', 'bytes', 'exact', 'Their carriers'),
  ('recon_memory', 'left_out_mseg_cache', 'bytes', 'exact', 'Segments that mseg keeps for later: mapped from the system less in use; NULL: not recorded, a super carrier, or keyword max'),
  ('recon_allocated_types', '', 'row', 'fast', 'recon_alloc:memory(allocated_types, Keyword): one row for each allocator'),
  ('recon_allocated_instances', '', 'row', 'fast', 'recon_alloc:memory(allocated_instances, Keyword): one row for each instance number'),
  ('recon_fragmentation', '', 'row', 'fast', 'recon_alloc:fragmentation(Keyword): one row for each instance'),
  ('recon_fragmentation', 'sbcs_usage', 'ratio', 'exact', 'Blocks over carriers of the single-block carriers; 1 if there are none'),
  ('recon_fragmentation', 'mbcs_usage', 'ratio', 'exact', 'Blocks over carriers of the multi-block carriers; 1 if there are none'),
  ('recon_fragmentation', 'weight', 'bytes', 'exact', 'Bytes of carriers that are not blocks: what recon orders by'),
  ('recon_cache_hit_rates', '', 'row', 'fast', 'recon_alloc:cache_hit_rates(): one row for each instance of mseg_alloc'),
  ('recon_cache_hit_rates', 'hit_rate', 'ratio', 'exact', 'hits over calls'),
  ('recon_cache_hit_rates', 'hits', 'count', 'exact', 'Segments taken from the cache'),
  ('recon_cache_hit_rates', 'calls', 'count', 'exact', 'Segments asked for'),
  ('recon_cache_hit_rates', 'cached_segments', 'count', 'exact', 'Segments in the cache at that moment, which recon leaves out'),
  ('recon_average_block_sizes', '', 'row', 'fast', 'recon_alloc:average_block_sizes(Keyword): one row for each allocator'),
  ('recon_average_block_sizes', 'mbcs', 'bytes', 'exact', 'Mean size of a block in multi-block carriers; 0: none'),
  ('recon_average_block_sizes', 'sbcs', 'bytes', 'exact', 'Mean size of a block in single-block carriers; 0: none'),
  ('recon_sbcs_to_mbcs', '', 'row', 'fast', 'recon_alloc:sbcs_to_mbcs(Keyword): one row for each instance'),
  ('recon_sbcs_to_mbcs', 'ratio', 'ratio', 'exact', 'Blocks in single-block over blocks in multi-block carriers; infinite: no multi-block'),
  ('recon_allocators', '', 'row', 'fast', 'recon_alloc:allocators(types): one row for each figure of an allocator, its instances added up'),
  ('recon_allocators', 'instances', 'count', 'exact', 'Instances added up'),
  ('recon_allocators', 'section', 'text', 'label', 'Part of the instances: mbcs, sbcs, mbcs_pool, calls, ...'),
  ('recon_allocators', 'key', 'text', 'label', 'Name of the figure'),
  ('recon_allocators', 'of', 'text', 'label', 'Allocator whose blocks are counted; NULL: not split'),
  ('recon_allocators', 'current', 'count', 'exact', 'Sum at that moment'),
  ('recon_allocators', 'max_since_last', 'count', 'bound', 'Sum of maxima since the last reading: an upper bound'),
  ('recon_allocators', 'max_ever', 'count', 'bound', 'Sum of maxima, reached at different times: an upper bound');
