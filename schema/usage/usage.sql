-- SPDX-License-Identifier: MIT
--
-- Layer:   usage at the end and at the extremes
-- Serves:  reports utilisation, instances, kinds, peaks, blocks, ratio
--
-- What the instances last recorded, and what of it is still true.  Counters come
-- with creates and destroys only, so "now" is the end of the recording seen
-- through the last of these:
--
--   number of multi-block carriers  followed through the pool: exact
--   their size                      exact where mbc_bytes_exact = 1, else an estimate
--                                   with a lower bound: a put records the size that
--                                   went, a fetch does not record what came
--   blocks in them                  as last recorded; what is allocated or freed inside
--                                   carriers is not recorded: an estimate
--   single-block carriers           upper bound: their end is silent (and so is a
--                                   resize, which may add to them)
--
-- These qualities hold for sources without lost events (source_lost_events and
-- source_lost_packets are 0) whose processes are recorded apart (vpid is known).

-- _now_instance: one row for each instance; counters are NULL until it recorded any.
CREATE TEMP TABLE _now_instance AS
SELECT
  n.*,
  t.last_stat_ts_ns,
  i.base_known,
  i.puts_since_stat,
  i.put_bytes_since_stat,
  i.fetched_since_stat,
  i.gets_unresolved,
  ifnull(t.last_mbc_carriers, 0) - i.puts_since_stat + i.fetched_since_stat
    + i.gets_unresolved AS owned_carriers,
  i.puts_since_stat + i.fetched_since_stat + i.gets_unresolved = 0 AS mbc_bytes_exact,
  max(0, t.last_mbc_carriers_bytes - i.put_bytes_since_stat) AS mbc_carriers_bytes_min,
  t.last_mbc_carriers, t.last_mbc_carriers_bytes, t.last_mbc_blocks, t.last_mbc_blocks_bytes,
  t.last_sbc_carriers, t.last_sbc_carriers_bytes, t.last_sbc_blocks, t.last_sbc_blocks_bytes
FROM _instance AS n
JOIN instance AS i ON i.id = n.instance_id
LEFT JOIN scope_total AS t
  ON t.source_id = n.source_id AND t.scope = 'instance' AND t.scope_id = n.instance_id
    AND t.last_stat_ts_ns IS NOT NULL;

-- utilisation_now_instance: one row for each allocator instance.
--
-- Worked example, tests/views/utilisation_now_instance: instance 1 last recorded 3
-- carriers of 3,000,000 bytes, then put one of 1,000,000 and fetched two.
--
--   last_mbc_carriers  puts  fetched  ->  mbc_carriers  mbc_carriers_bytes_min  mbc_bytes_exact
--                   3     1        2                 4                2000000               0
CREATE VIEW utilisation_now_instance AS
SELECT
  source_id, runtime_id, vpid, allocator, instance, instance_id,
  last_stat_ts_ns,
  source_last_ts_ns - last_stat_ts_ns AS age_ns,
  iif(last_stat_ts_ns IS NULL, NULL, owned_carriers) AS mbc_carriers,
  last_mbc_carriers AS mbc_carriers_recorded,
  last_mbc_carriers_bytes AS mbc_carriers_bytes,
  mbc_bytes_exact,
  mbc_carriers_bytes_min,
  last_mbc_blocks AS mbc_blocks,
  last_mbc_blocks_bytes AS mbc_blocks_bytes,
  1.0 * last_mbc_blocks_bytes / nullif(last_mbc_carriers_bytes, 0) AS mbc_utilisation,
  last_sbc_carriers AS sbc_carriers,
  last_sbc_carriers_bytes AS sbc_carriers_bytes,
  last_sbc_blocks AS sbc_blocks,
  last_sbc_blocks_bytes AS sbc_blocks_bytes,
  1.0 * last_sbc_blocks_bytes / nullif(last_sbc_carriers_bytes, 0) AS sbc_utilisation,
  last_mbc_carriers_bytes + last_sbc_carriers_bytes AS carriers_bytes,
  last_mbc_blocks_bytes + last_sbc_blocks_bytes AS blocks_bytes,
  1.0 * (last_mbc_blocks_bytes + last_sbc_blocks_bytes)
    / nullif(last_mbc_carriers_bytes + last_sbc_carriers_bytes, 0) AS utilisation,
  base_known,
  puts_since_stat,
  fetched_since_stat,
  gets_unresolved,
  source_lost_events,
  source_lost_packets
FROM _now_instance;

-- utilisation_now_allocator: one row for each allocator of a runtime, the sums
-- over its instances.
CREATE VIEW utilisation_now_allocator AS
WITH total AS (
  SELECT
    source_id, runtime_id, vpid, allocator,
    count(*) AS instances,
    sum(last_stat_ts_ns IS NULL) AS instances_unrecorded,
    max(last_stat_ts_ns) AS last_stat_ts_ns,
    source_last_ts_ns - max(last_stat_ts_ns) AS age_ns,
    source_last_ts_ns - min(last_stat_ts_ns) AS oldest_age_ns,
    sum(iif(last_stat_ts_ns IS NULL, NULL, owned_carriers)) AS mbc_carriers,
    sum(last_mbc_carriers) AS mbc_carriers_recorded,
    sum(last_mbc_carriers_bytes) AS mbc_carriers_bytes,
    min(mbc_bytes_exact AND last_stat_ts_ns IS NOT NULL) AS mbc_bytes_exact,
    sum(mbc_carriers_bytes_min) AS mbc_carriers_bytes_min,
    sum(last_mbc_blocks) AS mbc_blocks,
    sum(last_mbc_blocks_bytes) AS mbc_blocks_bytes,
    sum(last_sbc_carriers) AS sbc_carriers,
    sum(last_sbc_carriers_bytes) AS sbc_carriers_bytes,
    sum(last_sbc_blocks) AS sbc_blocks,
    sum(last_sbc_blocks_bytes) AS sbc_blocks_bytes,
    min(base_known) AS base_known,
    source_lost_events, source_lost_packets
  FROM _now_instance
  GROUP BY source_id, runtime_id, allocator_id
)
SELECT
  source_id, runtime_id, vpid, allocator,
  instances, instances_unrecorded,
  last_stat_ts_ns, age_ns, oldest_age_ns,
  mbc_carriers, mbc_carriers_recorded,
  mbc_carriers_bytes, mbc_bytes_exact, mbc_carriers_bytes_min,
  mbc_blocks, mbc_blocks_bytes,
  1.0 * mbc_blocks_bytes / nullif(mbc_carriers_bytes, 0) AS mbc_utilisation,
  sbc_carriers, sbc_carriers_bytes, sbc_blocks, sbc_blocks_bytes,
  1.0 * sbc_blocks_bytes / nullif(sbc_carriers_bytes, 0) AS sbc_utilisation,
  mbc_carriers_bytes + sbc_carriers_bytes AS carriers_bytes,
  mbc_blocks_bytes + sbc_blocks_bytes AS blocks_bytes,
  1.0 * (mbc_blocks_bytes + sbc_blocks_bytes)
    / nullif(mbc_carriers_bytes + sbc_carriers_bytes, 0) AS utilisation,
  base_known,
  source_lost_events, source_lost_packets
FROM total;

-- utilisation_now_runtime: one row for each runtime, the sums over its allocators.
CREATE VIEW utilisation_now_runtime AS
WITH total AS (
  SELECT
    source_id, runtime_id, vpid,
    sum(instances) AS instances,
    sum(instances_unrecorded) AS instances_unrecorded,
    max(last_stat_ts_ns) AS last_stat_ts_ns,
    min(age_ns) AS age_ns,
    max(oldest_age_ns) AS oldest_age_ns,
    sum(mbc_carriers) AS mbc_carriers,
    sum(mbc_carriers_recorded) AS mbc_carriers_recorded,
    sum(mbc_carriers_bytes) AS mbc_carriers_bytes,
    min(mbc_bytes_exact) AS mbc_bytes_exact,
    sum(mbc_carriers_bytes_min) AS mbc_carriers_bytes_min,
    sum(mbc_blocks) AS mbc_blocks,
    sum(mbc_blocks_bytes) AS mbc_blocks_bytes,
    sum(sbc_carriers) AS sbc_carriers,
    sum(sbc_carriers_bytes) AS sbc_carriers_bytes,
    sum(sbc_blocks) AS sbc_blocks,
    sum(sbc_blocks_bytes) AS sbc_blocks_bytes,
    min(base_known) AS base_known,
    source_lost_events, source_lost_packets
  FROM utilisation_now_allocator
  GROUP BY source_id, runtime_id
)
SELECT
  source_id, runtime_id, vpid,
  instances, instances_unrecorded,
  last_stat_ts_ns, age_ns, oldest_age_ns,
  mbc_carriers, mbc_carriers_recorded,
  mbc_carriers_bytes, mbc_bytes_exact, mbc_carriers_bytes_min,
  mbc_blocks, mbc_blocks_bytes,
  1.0 * mbc_blocks_bytes / nullif(mbc_carriers_bytes, 0) AS mbc_utilisation,
  sbc_carriers, sbc_carriers_bytes, sbc_blocks, sbc_blocks_bytes,
  1.0 * sbc_blocks_bytes / nullif(sbc_carriers_bytes, 0) AS sbc_utilisation,
  mbc_carriers_bytes + sbc_carriers_bytes AS carriers_bytes,
  mbc_blocks_bytes + sbc_blocks_bytes AS blocks_bytes,
  1.0 * (mbc_blocks_bytes + sbc_blocks_bytes)
    / nullif(mbc_carriers_bytes + sbc_carriers_bytes, 0) AS utilisation,
  base_known,
  source_lost_events, source_lost_packets
FROM total;

-- carriers_by_kind_now: one row for each allocator of a runtime (level
-- 'allocator') and one for each runtime (level 'runtime').
CREATE VIEW carriers_by_kind_now AS
WITH level AS (
  SELECT
    'allocator' AS level, source_id, runtime_id, vpid, allocator,
    mbc_carriers, mbc_carriers_bytes, sbc_carriers, sbc_carriers_bytes,
    source_lost_events, source_lost_packets
  FROM utilisation_now_allocator
  UNION ALL
  SELECT
    'runtime', source_id, runtime_id, vpid, NULL,
    mbc_carriers, mbc_carriers_bytes, sbc_carriers, sbc_carriers_bytes,
    source_lost_events, source_lost_packets
  FROM utilisation_now_runtime
)
SELECT
  level, source_id, runtime_id, vpid, allocator,
  mbc_carriers, mbc_carriers_bytes,
  sbc_carriers, sbc_carriers_bytes,
  1.0 * sbc_carriers_bytes
    / nullif(mbc_carriers_bytes + sbc_carriers_bytes, 0) AS sbc_share,
  source_lost_events, source_lost_packets
FROM level;

-- average_block_size: one row for each allocator of a runtime that recorded its counters.
CREATE VIEW average_block_size AS
SELECT
  source_id, runtime_id, vpid, allocator,
  mbc_blocks, mbc_blocks_bytes,
  1.0 * mbc_blocks_bytes / nullif(mbc_blocks, 0) AS mbc_average_block_bytes,
  sbc_blocks, sbc_blocks_bytes,
  1.0 * sbc_blocks_bytes / nullif(sbc_blocks, 0) AS sbc_average_block_bytes,
  source_lost_events, source_lost_packets
FROM utilisation_now_allocator
WHERE last_stat_ts_ns IS NOT NULL;

-- sbc_mbc_ratio: one row for each instance that recorded its counters.
--
-- recon divides the numbers of blocks, not of carriers, and answers 0 when there
-- are none of both and `infinity` when there are only single-block ones.
CREATE VIEW sbc_mbc_ratio AS
SELECT
  source_id, runtime_id, vpid, allocator, instance, instance_id,
  sbc_blocks, mbc_blocks,
  iif(sbc_blocks = 0, 0.0, 1.0 * sbc_blocks / nullif(mbc_blocks, 0)) AS sbcs_to_mbcs,
  sbc_blocks > 0 AND mbc_blocks = 0 AS only_sbcs,
  sbc_carriers, mbc_carriers,
  iif(sbc_carriers = 0, 0.0, 1.0 * sbc_carriers / nullif(mbc_carriers, 0)) AS carrier_ratio,
  source_lost_events, source_lost_packets
FROM utilisation_now_instance
WHERE last_stat_ts_ns IS NOT NULL;

-- peak: one row for each scope that recorded its counters: instance, allocator of a
-- runtime, runtime and source.
--
-- fragmentation_at_peak asks how much of the memory was unused when it was most;
-- fragmentation_of_peaks how much would have been unused had blocks and carriers
-- peaked together.
--
-- Worked example, tests/views/peak:
--
--   max carriers  blocks then  max blocks  ->  fragmentation_at_peak  fragmentation_of_peaks
--           1000          600         750                        0.4                    0.25
CREATE VIEW peak AS
SELECT
  s.source_id, s.scope, s.runtime_id, s.vpid, s.allocator, s.instance,
  t.max_carriers_bytes,
  t.max_carriers_ts_ns,
  t.blocks_bytes_at_max,
  1.0 - 1.0 * t.blocks_bytes_at_max / nullif(t.max_carriers_bytes, 0) AS fragmentation_at_peak,
  t.max_blocks_bytes,
  t.max_blocks_ts_ns,
  1.0 - 1.0 * t.max_blocks_bytes / nullif(t.max_carriers_bytes, 0) AS fragmentation_of_peaks,
  1.0 * t.min_util_blocks_bytes / nullif(t.min_util_carriers_bytes, 0) AS min_utilisation,
  t.min_util_carriers_bytes AS min_utilisation_carriers_bytes,
  t.min_util_ts_ns AS min_utilisation_ts_ns,
  1.0 * t.min_util2_blocks_bytes / nullif(t.min_util2_carriers_bytes, 0)
    AS min_utilisation_2carriers,
  t.min_util2_carriers_bytes AS min_utilisation_2carriers_bytes,
  t.min_util2_ts_ns AS min_utilisation_2carriers_ts_ns,
  o.lost_events AS source_lost_events,
  o.lost_packets AS source_lost_packets
FROM _scope AS s
JOIN scope_total AS t
  ON t.source_id = s.source_id AND t.scope = s.scope AND t.scope_id = s.scope_id
JOIN source AS o ON o.id = s.source_id
WHERE t.last_stat_ts_ns IS NOT NULL;

-- mean_utilisation: one row for each allocator of a runtime.
CREATE VIEW mean_utilisation AS
SELECT
  a.source_id, a.runtime_id, a.vpid, a.allocator,
  t.mean_utilisation,
  t.ratio_of_integrals,
  t.weighted_time_ns,
  a.source_lost_events, a.source_lost_packets
FROM _allocator AS a
JOIN scope_total AS t
  ON t.source_id = a.source_id AND t.scope = 'allocator' AND t.scope_id = a.allocator_use_id;

INSERT INTO view_doc VALUES
  ('utilisation_now_instance', '', 'row', 'fast', 'One row for each allocator instance: what it last recorded, and what of it still holds when the source ends. Counters are NULL when it never recorded any. Qualities hold for sources without loss whose processes are recorded apart'),
  ('utilisation_now_allocator', '', 'row', 'fast', 'One row for each allocator of a runtime: the sums of utilisation_now_instance. Qualities hold for sources without loss whose processes are recorded apart'),
  ('utilisation_now_runtime', '', 'row', 'fast', 'One row for each runtime that has allocator instances: the sums of utilisation_now_allocator. Qualities hold for sources without loss whose processes are recorded apart'),
  ('utilisation_now_instance', 'last_stat_ts_ns', 'ns', 'exact', 'Last create or destroy of the instance; NULL: none, it never recorded its counters'),
  ('utilisation_now_[ar]*', 'last_stat_ts_ns', 'ns', 'exact', 'Last create or destroy of any of its instances; NULL: none'),
  ('utilisation_now_instance', 'age_ns', 'ns', 'exact', 'From last_stat_ts_ns to the last event of the source: how old this knowledge is'),
  ('utilisation_now_[ar]*', 'age_ns', 'ns', 'exact', 'From last_stat_ts_ns to the last event of the source: age of the newest knowledge in the sums'),
  ('utilisation_now_[ar]*', 'oldest_age_ns', 'ns', 'exact', 'Age of the oldest knowledge in the sums'),
  ('utilisation_now_[ar]*', 'instances', 'count', 'exact', 'Allocator instances that spoke; those without any event are not known'),
  ('utilisation_now_[ar]*', 'instances_unrecorded', 'count', 'exact', 'Of these, instances that never recorded their counters: the sums lack them'),
  ('utilisation_now_instance', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers owned now, those in the pool left out: last recorded - puts since + fetches since. An attempt still open (gets_unresolved) is taken as a fetch; without one nothing is assumed'),
  ('utilisation_now_[ar]*', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers owned now, those in the pool left out: last recorded - puts since + fetches since (attempts still open taken as fetches); exact when instances_unrecorded is 0'),
  ('utilisation_now_*', 'mbc_carriers_recorded', 'count', 'exact', 'The counter itself, as last recorded; differs from mbc_carriers by the pool traffic since'),
  ('utilisation_now_*', 'mbc_carriers_bytes', 'bytes', 'estimate', 'Bytes of multi-block carriers as last recorded: exact at that time, and now where mbc_bytes_exact = 1'),
  ('utilisation_now_*', 'mbc_bytes_exact', 'flag', 'exact', '1: no pool traffic since, mbc_carriers_bytes is exact now; 0: it is an estimate'),
  ('utilisation_now_*', 'mbc_carriers_bytes_min', 'bytes', 'bound', 'Lower bound of the bytes of multi-block carriers now: as last recorded, less what was put into the pool since; exact when nothing was fetched since'),
  ('utilisation_now_*', 'mbc_blocks', 'count', 'estimate', 'Blocks in multi-block carriers as last recorded, blocks of other allocators in adopted carriers included; changes inside carriers are not recorded, and a create reports them before its first block'),
  ('utilisation_now_*', 'mbc_blocks_bytes', 'bytes', 'estimate', 'Their bytes, as last recorded; an estimate of now for the same reasons'),
  ('utilisation_now_*', 'mbc_utilisation', 'ratio', 'estimate', 'mbc_blocks_bytes / mbc_carriers_bytes, both as last recorded; NULL without carriers'),
  ('utilisation_now_*', 'sbc_carriers', 'count', 'bound', 'Single-block carriers as last recorded: an upper bound, since their end is silent'),
  ('utilisation_now_*', 'sbc_carriers_bytes', 'bytes', 'bound', 'Their bytes as last recorded: an upper bound, save for a silent resize that made one larger'),
  ('utilisation_now_*', 'sbc_blocks', 'count', 'bound', 'Blocks in them as last recorded: an upper bound'),
  ('utilisation_now_*', 'sbc_blocks_bytes', 'bytes', 'bound', 'Bytes of these blocks as last recorded: an upper bound, save for a silent resize'),
  ('utilisation_now_*', 'sbc_utilisation', 'ratio', 'estimate', 'sbc_blocks_bytes / sbc_carriers_bytes; NULL without carriers'),
  ('utilisation_now_*', 'carriers_bytes', 'bytes', 'estimate', 'mbc_carriers_bytes + sbc_carriers_bytes; carriers in the pool are not in it'),
  ('utilisation_now_*', 'blocks_bytes', 'bytes', 'estimate', 'mbc_blocks_bytes + sbc_blocks_bytes'),
  ('utilisation_now_*', 'utilisation', 'ratio', 'estimate', 'blocks_bytes / carriers_bytes; NULL without carriers'),
  ('utilisation_now_instance', 'base_known', 'flag', 'exact', '1: followed from its first carrier on; 0: the recording began later. Counters are right in both cases, sums of events are not'),
  ('utilisation_now_[ar]*', 'base_known', 'flag', 'exact', '1: all its instances are followed from their first carrier on; 0: not all'),
  ('utilisation_now_instance', 'puts_since_stat', 'count', 'exact', 'Carriers put into the pool since last_stat_ts_ns'),
  ('utilisation_now_instance', 'fetched_since_stat', 'count', 'exact', 'Carriers fetched from the pool since last_stat_ts_ns'),
  ('utilisation_now_instance', 'gets_unresolved', 'count', 'exact', '1: the last event is an attempt to fetch whose outcome is not known; mbc_carriers takes it as a fetch'),
  ('carriers_by_kind_now', '', 'row', 'fast', 'One row for each allocator of a runtime and one for each runtime: multi- and single-block carriers when the source ends. Qualities hold for sources without loss whose processes are recorded apart'),
  ('carriers_by_kind_now', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers owned now; see utilisation_now_allocator'),
  ('carriers_by_kind_now', 'mbc_carriers_bytes', 'bytes', 'estimate', 'Their bytes as last recorded'),
  ('carriers_by_kind_now', 'sbc_carriers', 'count', 'bound', 'Single-block carriers as last recorded: an upper bound, since their end is silent'),
  ('carriers_by_kind_now', 'sbc_carriers_bytes', 'bytes', 'bound', 'Their bytes as last recorded: an upper bound, save for a silent resize'),
  ('carriers_by_kind_now', 'sbc_share', 'ratio', 'estimate', 'Part of the bytes that is in single-block carriers; NULL without carriers'),
  ('average_block_size', '', 'row', 'fast', 'One row for each allocator of a runtime: recon_alloc:average_block_sizes(current) as far as events show; recon also counts the blocks in the pool and says 0 where this says NULL'),
  ('average_block_size*', 'mbc_blocks', 'count', 'estimate', 'Blocks in multi-block carriers, as last recorded'),
  ('average_block_size*', 'mbc_blocks_bytes', 'bytes', 'estimate', 'Their bytes, as last recorded'),
  ('average_block_size*', 'mbc_average_block_bytes', 'bytes', 'estimate', 'mbc_blocks_bytes / mbc_blocks; NULL without blocks. What was exact when last recorded is little known of blocks allocated since'),
  ('average_block_size*', 'sbc_blocks', 'count', 'bound', 'Blocks in single-block carriers, as last recorded: an upper bound'),
  ('average_block_size*', 'sbc_blocks_bytes', 'bytes', 'bound', 'Their bytes, as last recorded: an upper bound, save for a silent resize'),
  ('average_block_size*', 'sbc_average_block_bytes', 'bytes', 'estimate', 'sbc_blocks_bytes / sbc_blocks; NULL without blocks'),
  ('sbc_mbc_ratio', '', 'row', 'fast', 'One row for each allocator instance that recorded its counters: recon_alloc:sbcs_to_mbcs(current) as far as events show; the higher, the worse'),
  ('sbc_mbc_ratio', 'sbc_blocks', 'count', 'bound', 'Blocks in single-block carriers, as last recorded: an upper bound'),
  ('sbc_mbc_ratio', 'mbc_blocks', 'count', 'estimate', 'Blocks in multi-block carriers, as last recorded'),
  ('sbc_mbc_ratio', 'sbcs_to_mbcs', 'ratio', 'estimate', 'sbc_blocks / mbc_blocks, as recon has it: 0 without single-block ones; NULL where recon gives infinity. May exceed 1'),
  ('sbc_mbc_ratio', 'only_sbcs', 'flag', 'estimate', '1: blocks in single-block carriers only, which recon calls infinity and puts first'),
  ('sbc_mbc_ratio', 'sbc_carriers', 'count', 'bound', 'Single-block carriers, as last recorded: an upper bound'),
  ('sbc_mbc_ratio', 'mbc_carriers', 'count', 'exact', 'Multi-block carriers owned now'),
  ('sbc_mbc_ratio', 'carrier_ratio', 'ratio', 'estimate', 'sbc_carriers / mbc_carriers; 0 without single-block ones, NULL without multi-block ones. May exceed 1'),
  ('peak', '', 'row', 'fast', 'One row for each scope that recorded its counters: most memory and worst utilisation it recorded, and when. Of an instance each value was true at its moment; sums over instances take each as last recorded. Pooled carriers are in none. Qualities hold for sources without loss whose processes are recorded apart'),
  ('peak', 'max_carriers_bytes', 'bytes', 'estimate', 'Most bytes of carriers, multi- and single-block: of an instance a lower bound of the true maximum (growth between events is silent); of a sum an estimate, since ended single-block carriers stay in it until recorded'),
  ('peak', 'max_carriers_ts_ns', 'ns', 'exact', 'First event that recorded max_carriers_bytes'),
  ('peak', 'blocks_bytes_at_max', 'bytes', 'estimate', 'Bytes of blocks as recorded at that event'),
  ('peak', 'fragmentation_at_peak', 'ratio', 'estimate', '1 - blocks_bytes_at_max / max_carriers_bytes: the part of the memory that was unused when it was most; NULL without carriers'),
  ('peak', 'max_blocks_bytes', 'bytes', 'estimate', 'Most bytes of blocks that were recorded; of an instance a lower bound of the true maximum'),
  ('peak', 'max_blocks_ts_ns', 'ns', 'exact', 'First event that recorded max_blocks_bytes'),
  ('peak', 'fragmentation_of_peaks', 'ratio', 'estimate', '1 - max_blocks_bytes / max_carriers_bytes, whenever each was; NULL without carriers'),
  ('peak', 'min_utilisation', 'ratio', 'estimate', 'Least mbc_blocks_bytes / mbc_carriers_bytes that was recorded; of an instance an upper bound of the true minimum. 0 for most when the start is in the recording: a create emits its counters before the first block. NULL: never had multi-block carriers'),
  ('peak', 'min_utilisation_carriers_bytes', 'bytes', 'estimate', 'mbc_carriers_bytes at that event'),
  ('peak', 'min_utilisation_ts_ns', 'ns', 'exact', 'First event that recorded min_utilisation'),
  ('peak', 'min_utilisation_2carriers', 'ratio', 'estimate', 'The same over events with 2 multi-block carriers or more; NULL: never had 2'),
  ('peak', 'min_utilisation_2carriers_bytes', 'bytes', 'estimate', 'mbc_carriers_bytes at that event'),
  ('peak', 'min_utilisation_2carriers_ts_ns', 'ns', 'exact', 'First event that recorded min_utilisation_2carriers'),
  ('mean_utilisation', '', 'row', 'fast', 'One row for each allocator of a runtime: how well its multi-block carriers were used over time, each instance as last recorded'),
  ('mean_utilisation', 'mean_utilisation', 'ratio', 'estimate', 'Mean by time of blocks / carriers while it had multi-block carriers; NULL: never'),
  ('mean_utilisation', 'ratio_of_integrals', 'ratio', 'estimate', 'Byte-seconds of blocks / byte-seconds of carriers over the same time: moments with much memory weigh more; NULL: never'),
  ('mean_utilisation', 'weighted_time_ns', 'ns', 'estimate', 'Time with multi-block carriers, by the counters as last recorded');
