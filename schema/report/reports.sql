-- SPDX-License-Identifier: MIT
--
-- Layer:   reports
-- Serves:  `carrierscope report NAME` prints the view report_NAME
--
-- Small tables for people, in a total order.  MiB are 1,048,576 bytes, rounded to
-- 0.01; shares are percent, rounded to 0.1; times are seconds since the source's first
-- event, rounded to 0.001.  The exact numbers are in the views these are made of,
-- whose view_doc says what is exact, a bound or an estimate.

-- report_summary: one row for each fact about a source.
CREATE VIEW report_summary AS
WITH fact AS (
  SELECT id AS source, 1 AS line, 'path' AS fact, path AS value FROM source
  UNION ALL SELECT id, 2, 'kind', kind FROM source
  UNION ALL SELECT id, 3, 'loader', loader FROM source
  UNION ALL SELECT id, 4, 'reader', reader FROM source
  UNION ALL SELECT id, 5, 'complete', iif(complete, 'yes', 'no: broken off or still growing')
    FROM source
  UNION ALL SELECT id, 6, 'first event (UTC)',
      strftime('%Y-%m-%d %H:%M:%S', first_ts_ns / 1000000000, 'unixepoch')
      || format('.%09d', first_ts_ns % 1000000000) FROM source
  UNION ALL SELECT id, 7, 'last event (UTC)',
      strftime('%Y-%m-%d %H:%M:%S', last_ts_ns / 1000000000, 'unixepoch')
      || format('.%09d', last_ts_ns % 1000000000) FROM source
  UNION ALL SELECT id, 8, 'span, seconds', round((last_ts_ns - first_ts_ns) / 1e9, 3)
    FROM source
  UNION ALL SELECT id, 9, 'events', events FROM source
  UNION ALL SELECT id, 10, 'carrier events',
      ifnull(last_carrier_event_id - first_carrier_event_id + 1, 0) FROM source
  UNION ALL SELECT id, 11, 'lost events', lost_events FROM source
  UNION ALL SELECT id, 12, 'lost packets', lost_packets FROM source
  UNION ALL SELECT s.id, 13, 'runtimes',
      (SELECT count(*) FROM runtime AS r WHERE r.source_id = s.id) FROM source AS s
  UNION ALL SELECT s.id, 14, 'instances with carrier events',
      (SELECT count(*) FROM _instance AS i WHERE i.source_id = s.id) FROM source AS s
  UNION ALL SELECT s.id, 15, 'problems: error or data_loss',
      (SELECT count(*) FROM problem AS p WHERE p.source_id = s.id AND p.rank <= 1) FROM source AS s
  UNION ALL SELECT s.id, 16, 'problems: notice or info',
      (SELECT count(*) FROM problem AS p WHERE p.source_id = s.id AND p.rank > 1) FROM source AS s
)
SELECT source, fact, value
FROM fact
ORDER BY source, line;

-- report_utilisation: one row for each allocator of a runtime, largest first.
CREATE VIEW report_utilisation AS
SELECT
  h.source_id AS source,
  h.vpid,
  h.snapshot_id AS reading,
  h.allocator,
  h.instances,
  h.mbc_carriers AS multi_block_carriers,
  h.sbc_carriers AS single_block_carriers,
  round(h.total_bytes / 1048576.0, 2) AS carriers_mib,
  round(h.total_low_bytes / 1048576.0, 2) AS carriers_mib_min,
  round(h.total_high_bytes / 1048576.0, 2) AS carriers_mib_max,
  round(h.blocks_bytes / 1048576.0, 2) AS blocks_mib,
  round(h.blocks_low_bytes / 1048576.0, 2) AS blocks_mib_min,
  round(h.blocks_high_bytes / 1048576.0, 2) AS blocks_mib_max,
  round(100.0 * h.blocks_bytes / nullif(h.total_bytes, 0), 1) AS used_percent,
  iif(h.carriers_quality = 'exact' AND h.blocks_quality = 'exact', 'exact',
    iif(h.total_high_bytes IS NULL OR h.blocks_high_bytes IS NULL, 'unknown', 'bound')) AS quality,
  h.source_lost_events AS lost_events
FROM _memory_by_allocator AS h
ORDER BY h.source_id, h.total_low_bytes DESC, h.vpid, h.subject_id, h.allocator;

-- report_instances: one row for each allocator instance, most unused memory first.
CREATE VIEW report_instances AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  instance,
  mbc_carriers AS multi_block_carriers,
  sbc_carriers AS single_block_carriers_max,
  round(carriers_bytes / 1048576.0, 2) AS carriers_mib,
  round((carriers_bytes - blocks_bytes) / 1048576.0, 2) AS unused_mib,
  round(100 * utilisation, 1) AS used_percent,
  round(age_ns / 1e9, 3) AS age_s,
  source_lost_events AS lost_events
FROM utilisation_now_instance
ORDER BY source_id, carriers_bytes - blocks_bytes DESC NULLS LAST, vpid, runtime_id,
  allocator, instance;

-- report_peaks: one row for each source, runtime and allocator of a runtime.
CREATE VIEW report_peaks AS
SELECT
  p.source_id AS source,
  r.vpid,
  p.snapshot_id AS reading,
  p.allocator,
  round(p.likely / 1048576.0, 2) AS peak_carriers_mib,
  round(p.low / 1048576.0, 2) AS peak_mib_min,
  round(p.high / 1048576.0, 2) AS peak_mib_max,
  round((p.ts_ns - s.first_ts_ns) / 1e9, 3) AS peak_at_s,
  round(b.likely / 1048576.0, 2) AS blocks_at_peak_mib,
  round(100.0 * (p.likely - b.likely) / nullif(p.likely, 0), 1) AS unused_at_peak_percent,
  p.quality,
  s.lost_events AS lost_events
FROM figure AS p
JOIN source AS s ON s.id = p.source_id
LEFT JOIN runtime AS r ON r.id = p.runtime_id
LEFT JOIN figure AS b ON b.subject_id = p.subject_id AND b.allocator = p.allocator AND b.moment = 'peak'
  AND b.quantity = 'blocks_bytes'
WHERE p.moment = 'peak' AND p.quantity = 'carriers_bytes' AND (p.likely > 0 OR p.low > 0)
ORDER BY p.source_id, p.subject_id, p.allocator <> 'all', ifnull(p.likely, p.low) DESC, p.allocator;

-- report_pool: one row for each runtime, and one for each source with several.
CREATE VIEW report_pool AS
SELECT
  f.source_id AS source,
  r.vpid,
  f.snapshot_id AS reading,
  f.allocator AS of,
  round(f.likely / 1048576.0, 2) AS in_pool_mib,
  round(f.low / 1048576.0, 2) AS in_pool_mib_min,
  round(f.high / 1048576.0, 2) AS in_pool_mib_max,
  f.quality,
  p.puts,
  p.attempts,
  p.fetches,
  p.misses,
  round(100 * p.hit_rate, 1) AS hit_percent,
  p.pooled_destroys AS destroyed_in_pool,
  s.lost_events AS lost_events
FROM figure AS f
JOIN source AS s ON s.id = f.source_id
LEFT JOIN runtime AS r ON r.id = f.runtime_id
LEFT JOIN pool AS p ON p.level = 'runtime' AND p.runtime_id = f.runtime_id AND f.allocator = 'all' AND f.snapshot_id IS NULL
WHERE f.moment = 'end' AND f.quantity = 'pool_bytes' AND (f.allocator = 'all' OR f.likely > 0 OR f.low > 0)
ORDER BY f.source_id, f.subject_id, f.allocator <> 'all', ifnull(f.likely, f.low) DESC, f.allocator;

-- report_kinds: one row for each runtime and each allocator of it.
CREATE VIEW report_kinds AS
SELECT
  e.source_id AS source,
  r.vpid,
  e.snapshot_id AS reading,
  e.allocator,
  e.mbc_carriers AS multi_block_carriers,
  round(e.mbc_bytes / 1048576.0, 2) AS multi_block_mib,
  e.sbc_carriers AS single_block_carriers,
  round(e.sbc_bytes / 1048576.0, 2) AS single_block_mib,
  round(e.sbc_high_bytes / 1048576.0, 2) AS single_block_mib_max,
  round(100.0 * e.sbc_bytes / nullif(e.sbc_bytes + e.mbc_bytes, 0), 1) AS single_block_percent,
  e.sbc_quality AS quality,
  s.lost_events AS lost_events
FROM _final AS e
JOIN source AS s ON s.id = e.source_id
LEFT JOIN runtime AS r ON r.id = e.runtime_id
ORDER BY e.source_id, e.subject_id, e.allocator <> 'all', e.allocator;

-- report_blocks: one row for each allocator of a runtime that recorded its counters.
CREATE VIEW report_blocks AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  mbc_blocks AS multi_block_blocks,
  round(mbc_average_block_bytes, 1) AS multi_block_average_bytes,
  sbc_blocks AS single_block_blocks_max,
  round(sbc_average_block_bytes, 1) AS single_block_average_bytes,
  source_lost_events AS lost_events
FROM average_block_size
ORDER BY source_id, vpid, runtime_id, allocator;

-- report_ratio: one row for each instance that recorded its counters, worst first, as recon has it.
CREATE VIEW report_ratio AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  instance,
  sbc_blocks AS single_block_blocks_max,
  mbc_blocks AS multi_block_blocks,
  iif(only_sbcs, 'infinity', format('%.4f', sbcs_to_mbcs)) AS sbcs_to_mbcs,
  source_lost_events AS lost_events
FROM sbc_mbc_ratio
ORDER BY source_id, only_sbcs DESC, sbc_mbc_ratio.sbcs_to_mbcs DESC, vpid, runtime_id,
  allocator DESC, instance DESC;

-- report_churn: one row for each allocator of a runtime, busiest first.
CREATE VIEW report_churn AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  mbc_creates AS multi_block_creates,
  mbc_destroys AS multi_block_destroys,
  sbc_creates AS single_block_creates,
  sbc_frees_min AS single_block_frees_min,
  round((mbc_create_bytes + sbc_create_bytes) / 1048576.0, 2) AS created_mib,
  round(changes_per_s, 2) AS changes_per_s_min,
  source_lost_events AS lost_events
FROM churn_total
ORDER BY source_id, mbc_creates + mbc_destroys + sbc_creates + sbc_frees_min DESC, vpid,
  runtime_id, allocator;

-- report_lifetimes: one row for each power of two of lengths of lives.
CREATE VIEW report_lifetimes AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  kind,
  from_ns / 1e9 AS from_s,
  to_ns / 1e9 AS to_s,
  ends_if_shortest,
  ends_if_longest,
  round(100 * shorter_min, 1) AS shorter_percent_min,
  round(100 * shorter_max, 1) AS shorter_percent_max,
  source_lost_events AS lost_events
FROM carrier_lifetime
ORDER BY source_id, vpid, runtime_id, allocator, kind, carrier_lifetime.from_ns;

-- report_ledger: one row for each allocator of a runtime and kind of silent change.
CREATE VIEW report_ledger AS
SELECT
  source_id AS source,
  vpid,
  allocator,
  kind,
  carriers_min,
  carriers_max,
  round(bytes_min / 1048576.0, 2) AS mib_min,
  round(bytes_max / 1048576.0, 2) AS mib_max,
  meaning,
  source_lost_events AS lost_events
FROM silent_change_allocator
ORDER BY source_id, vpid, runtime_id, allocator, kind;

-- report_footprint: one row for each of 100 moments of a source.
CREATE VIEW report_footprint AS
SELECT
  source_id AS source,
  i,
  round(elapsed_s, 3) AS at_s,
  round(footprint_bytes / 1048576.0, 2) AS carriers_mib,
  source_lost_events AS lost_events
FROM footprint_plot
ORDER BY source_id, i;

-- report_loss: one row for each source and cause of loss.
CREATE VIEW report_loss AS
SELECT
  t.source_id AS source,
  t.cause,
  t.intervals,
  t.events,
  t.packets,
  t.intervals_of_unknown_size,
  round((t.first_begin_ns - s.first_ts_ns) / 1e9, 3) AS first_begin_s,
  round((t.last_end_ns - s.first_ts_ns) / 1e9, 3) AS last_end_s
FROM loss_total AS t
JOIN source AS s ON s.id = t.source_id
ORDER BY t.source_id, t.cause;

-- report_problems: one row for each kind of trouble met while loading, worst first.
CREATE VIEW report_problems AS
SELECT source_id AS source, severity, name, times, sentence
FROM problem
ORDER BY source_id, rank, name, problem_id;

-- report_events: one row for each event class, most frequent first.
CREATE VIEW report_events AS
SELECT source_id AS source, provider, event, events
FROM event_count
WHERE events > 0
ORDER BY source_id, events DESC, provider, event;

-- report_libc: one row for each process that called the C library's allocator.
CREATE VIEW report_libc AS
SELECT
  r.source_id AS source,
  r.vpid,
  l.events,
  l.threads,
  l.allocations,
  round(l.allocated_bytes / 1048576.0, 2) AS allocated_mib,
  l.frees_known,
  l.frees_unknown,
  l.reallocs,
  l.failed AS failed_calls,
  l.live_blocks,
  round(l.live_bytes / 1048576.0, 2) AS live_mib,
  round(l.peak_live_bytes / 1048576.0, 2) AS peak_live_mib,
  round((l.peak_ts_ns - s.first_ts_ns) / 1e9, 3) AS peak_at_s,
  s.lost_events AS lost_events
FROM libc_total AS l
JOIN runtime AS r ON r.id = l.runtime_id
JOIN source AS s ON s.id = r.source_id
ORDER BY r.source_id, r.vpid, r.id;

-- report_live: blocks beside carriers, by allocator: what is live when the recording ends.
CREATE VIEW report_live AS
SELECT
  h.source_id AS source,
  h.vpid,
  h.allocator,
  round(h.total_bytes / 1048576.0, 2) AS carriers_mib,
  round(b.likely / 1048576.0, 2) AS live_mib,
  round(b.low / 1048576.0, 2) AS live_mib_min,
  round(b.high / 1048576.0, 2) AS live_mib_max,
  n.likely AS live_blocks,
  round(100.0 * b.likely / nullif(h.total_bytes, 0), 1) AS live_percent,
  b.quality,
  h.source_lost_events AS lost_events
FROM _memory_by_allocator AS h
JOIN figure AS b ON b.subject_id = h.subject_id AND b.allocator = h.allocator AND b.moment = 'end' AND b.quantity = 'blocks_bytes'
LEFT JOIN figure AS n ON n.subject_id = h.subject_id AND n.allocator = h.allocator AND n.moment = 'end' AND n.quantity = 'blocks'
WHERE h.snapshot_id IS NULL AND (b.likely IS NOT NULL OR b.low > 0)
ORDER BY h.source_id, h.vpid, h.subject_id, ifnull(b.likely, b.low) DESC, h.allocator;

INSERT INTO view_doc VALUES
  ('report_summary', '', 'row', 'fast', 'One row for each fact about a source'),
  ('report_summary', 'fact', 'text', 'label', 'Name of the fact, with its unit'),
  ('report_summary', 'value', 'any', 'exact', 'Its value; NULL: not known'),
  ('report_utilisation', '', 'row', 'fast', 'One row for each allocator of a runtime or a reading, largest first: memory and use at the end; from figure'),
  ('report_instances', '', 'row', 'fast', 'One row for each allocator instance, most unused memory first; from utilisation_now_instance'),
  ('report_peaks', '', 'row', 'fast', 'One row for each runtime or reading, and each of its allocators: when it had most carriers; from figure'),
  ('report_pool', '', 'row', 'fast', 'One row for each runtime or reading, and each allocator that has carriers in the pool: its content, from figure, and its traffic'),
  ('report_kinds', '', 'row', 'fast', 'One row for each runtime or reading, and each of its allocators: multi- and single-block carriers; from figure'),
  ('report_blocks', '', 'row', 'fast', 'One row for each allocator of a runtime: average block sizes; from average_block_size'),
  ('report_ratio', '', 'row', 'fast', 'One row for each allocator instance, worst first: blocks in single-block carriers to those in multi-block carriers; from sbc_mbc_ratio'),
  ('report_churn', '', 'row', 'fast', 'One row for each allocator of a runtime, busiest first: carriers created and ended; from churn_total'),
  ('report_lifetimes', '', 'row', 'fast', 'One row for each power of two of lengths of carriers'' lives; from carrier_lifetime'),
  ('report_ledger', '', 'row', 'fast', 'One row for each allocator of a runtime and kind of change that no event recorded; from silent_change_allocator'),
  ('report_footprint', '', 'row', 'fast', 'One row for each of 100 moments of a source: memory in carriers; from footprint_plot'),
  ('report_loss', '', 'row', 'fast', 'One row for each source and cause of loss; from loss_total'),
  ('report_problems', '', 'row', 'fast', 'One row for each kind of trouble met while loading, worst first; from problem'),
  ('report_events', '', 'row', 'fast', 'One row for each event class, most frequent first'),
  ('report_libc', '', 'row', 'fast', 'One row for each process that called the C library''s allocator; from libc_total'),
  ('report_utilisation', 'reading', 'id', 'label', 'snapshot.id of a node that was read at one moment; empty: traced'),
  ('report_utilisation', 'instances', 'count', 'exact', 'Instances that are known'),
  ('report_utilisation', 'single_block_carriers', 'count', 'estimate', 'Single-block carriers, likely'),
  ('report_utilisation', 'carriers_mib', 'MiB', 'estimate', 'All carriers, the pool included, likely'),
  ('report_utilisation', 'carriers_mib_min', 'MiB', 'bound', 'At least so much'),
  ('report_utilisation', 'carriers_mib_max', 'MiB', 'bound', 'At most so much; empty: nothing bounds it'),
  ('report_utilisation', 'blocks_mib', 'MiB', 'estimate', 'Blocks with their headers, likely'),
  ('report_utilisation', 'blocks_mib_min', 'MiB', 'bound', 'At least so much'),
  ('report_utilisation', 'blocks_mib_max', 'MiB', 'bound', 'At most so much; empty: nothing bounds it'),
  ('report_utilisation', 'used_percent', 'percent', 'estimate', 'blocks_mib by carriers_mib; empty: not known'),
  ('report_utilisation', 'quality', 'text', 'label', 'exact, bound or unknown: of carriers and blocks'),
  ('report_live', '', 'row', 'fast', 'Blocks that are live at the end beside the carriers that hold them, by allocator; from figure'),
  ('report_live', 'carriers_mib', 'MiB', 'estimate', 'All its carriers, the pool included, likely'),
  ('report_live', 'live_mib', 'MiB', 'estimate', 'Blocks with their headers, likely'),
  ('report_live', 'live_mib_min', 'MiB', 'bound', 'At least so much'),
  ('report_live', 'live_mib_max', 'MiB', 'bound', 'At most so much; empty: nothing bounds it'),
  ('report_live', 'live_blocks', 'count', 'estimate', 'Live blocks, likely'),
  ('report_live', 'live_percent', 'percent', 'estimate', 'live_mib by carriers_mib; empty: not known'),
  ('report_live', 'quality', 'text', 'label', 'exact, bound or unknown: of live_mib'),
  ('report_instances', 'carriers_mib', 'MiB', 'estimate', 'carriers_bytes, as last recorded'),
  ('report_instances', 'unused_mib', 'MiB', 'estimate', 'carriers_bytes - blocks_bytes, as last recorded'),
  ('report_instances', 'used_percent', 'percent', 'estimate', 'utilisation; empty without carriers'),
  ('report_instances', 'age_s', 's', 'exact', 'Age of the counters when the source ended; empty: never recorded'),
  ('report_peaks', 'reading', 'id', 'label', 'snapshot.id of a node that was read at one moment; empty: traced'),
  ('report_peaks', 'allocator', 'text', 'label', 'The allocator, or all'),
  ('report_peaks', 'peak_carriers_mib', 'MiB', 'estimate', 'Most bytes of carriers while it was recorded, likely; of a reading the sum of maxima of its instances'),
  ('report_peaks', 'peak_mib_min', 'MiB', 'bound', 'At least so much'),
  ('report_peaks', 'peak_mib_max', 'MiB', 'bound', 'At most so much; empty: nothing bounds it'),
  ('report_peaks', 'peak_at_s', 's', 'estimate', 'When that was first, from the first event of the source on'),
  ('report_peaks', 'blocks_at_peak_mib', 'MiB', 'estimate', 'Blocks at that time; empty: not known'),
  ('report_peaks', 'unused_at_peak_percent', 'percent', 'estimate', 'What was in no block then; empty: not known'),
  ('report_peaks', 'quality', 'text', 'label', 'exact, bound or unknown: of the peak'),
  ('report_pool', 'reading', 'id', 'label', 'snapshot.id of a node that was read at one moment; empty: traced'),
  ('report_pool', 'of', 'text', 'label', 'The allocator that created the carriers, or all'),
  ('report_pool', 'in_pool_mib', 'MiB', 'estimate', 'Carriers in the pool at the end, likely; empty: not known'),
  ('report_pool', 'in_pool_mib_min', 'MiB', 'bound', 'At least so much'),
  ('report_pool', 'in_pool_mib_max', 'MiB', 'bound', 'At most so much; empty: nothing bounds it'),
  ('report_pool', 'quality', 'text', 'label', 'exact, bound or unknown: of the content'),
  ('report_pool', 'puts', 'count', 'exact', 'Carriers put into the pool; empty: not recorded'),
  ('report_pool', 'attempts', 'count', 'exact', 'Attempts to fetch one'),
  ('report_pool', 'fetches', 'count', 'estimate', 'Attempts that succeeded, as inferred'),
  ('report_pool', 'misses', 'count', 'estimate', 'Attempts that failed, as inferred'),
  ('report_pool', 'hit_percent', 'percent', 'estimate', 'hit_rate; empty without attempts that are known'),
  ('report_pool', 'destroyed_in_pool', 'count', 'estimate', 'pooled_destroys'),
  ('report_kinds', 'reading', 'id', 'label', 'snapshot.id of a node that was read at one moment; empty: traced'),
  ('report_kinds', 'allocator', 'text', 'label', 'The allocator, or all'),
  ('report_kinds', 'multi_block_mib', 'MiB', 'estimate', 'Multi-block carriers in use, likely'),
  ('report_kinds', 'single_block_carriers', 'count', 'estimate', 'Single-block carriers, likely'),
  ('report_kinds', 'single_block_mib', 'MiB', 'estimate', 'Their bytes, likely'),
  ('report_kinds', 'single_block_mib_max', 'MiB', 'bound', 'Their bytes at most; empty: nothing bounds it'),
  ('report_kinds', 'single_block_percent', 'percent', 'estimate', 'Part of the bytes that is in single-block carriers'),
  ('report_kinds', 'quality', 'text', 'label', 'exact, bound or unknown: of the bytes of single-block carriers'),
  ('report_blocks', 'multi_block_average_bytes', 'bytes', 'estimate', 'Mean size of blocks in multi-block carriers, as last recorded; empty without'),
  ('report_blocks', 'single_block_average_bytes', 'bytes', 'estimate', 'Mean size of blocks in single-block carriers, as last recorded; empty without'),
  ('report_ratio', 'sbcs_to_mbcs', 'text', 'estimate', 'single- to multi-block blocks, or infinity, as recon_alloc:sbcs_to_mbcs gives it'),
  ('report_churn', 'multi_block_creates', 'count', 'estimate', 'Multi-block carriers created; the kind is inferred'),
  ('report_churn', 'multi_block_destroys', 'count', 'exact', 'Multi-block carriers destroyed'),
  ('report_churn', 'single_block_creates', 'count', 'estimate', 'Single-block carriers created; the kind is inferred'),
  ('report_churn', 'single_block_frees_min', 'count', 'bound', 'Single-block carriers that ended in silence: a lower bound'),
  ('report_churn', 'created_mib', 'MiB', 'exact', 'Bytes of all creates'),
  ('report_churn', 'changes_per_s_min', '1/s', 'bound', 'Creates and ends per second of the source''s span: a lower bound'),
  ('report_lifetimes', 'kind', 'text', 'label', 'multi_block or single_block'),
  ('report_lifetimes', 'from_s', 's', 'label', 'Lives of this length'),
  ('report_lifetimes', 'to_s', 's', 'label', 'and shorter than this'),
  ('report_lifetimes', 'ends_if_shortest', 'count', 'bound', 'Ends here if each carrier lived as short as is possible'),
  ('report_lifetimes', 'ends_if_longest', 'count', 'bound', 'Ends here if each carrier lived as long as is possible'),
  ('report_lifetimes', 'shorter_percent_min', 'percent', 'bound', 'Lives shorter than to_s: at least this'),
  ('report_lifetimes', 'shorter_percent_max', 'percent', 'bound', 'Lives shorter than to_s: at most this'),
  ('report_ledger', 'kind', 'text', 'label', 'Kind of change, see ledger_kind'),
  ('report_ledger', 'carriers_min', 'count', 'bound', 'Change of the number of carriers, signed: at least this'),
  ('report_ledger', 'carriers_max', 'count', 'bound', 'Change of the number of carriers, signed: at most this'),
  ('report_ledger', 'mib_min', 'MiB', 'bound', 'Change of their bytes, signed: at least this'),
  ('report_ledger', 'mib_max', 'MiB', 'bound', 'Change of their bytes, signed: at most this'),
  ('report_ledger', 'meaning', 'text', 'label', 'What the kind means'),
  ('report_footprint', 'i', 'count', 'label', 'Number of the moment, 0 to 99'),
  ('report_footprint', 'at_s', 's', 'exact', 'The moment, from the first event of the source on'),
  ('report_footprint', 'carriers_mib', 'MiB', 'estimate', 'Carriers of all instances, each as last recorded; the pool left out'),
  ('report_loss', 'cause', 'text', 'label', 'discarded_events, discarded_packets; not_delivered: what a processor recorded at last; of batches of blocks dropped_records, missing_batches, batch_damaged, not_emitted; or what the salvage found'),
  ('report_loss', 'intervals', 'count', 'exact', 'Stretches with loss'),
  ('report_loss', 'events', 'count', 'bound', 'Lost events, as far as they were counted'),
  ('report_loss', 'packets', 'count', 'bound', 'Lost packets, as far as they were counted'),
  ('report_loss', 'intervals_of_unknown_size', 'count', 'exact', 'Stretches whose loss nobody counted'),
  ('report_loss', 'first_begin_s', 's', 'bound', 'Begin of the first stretch, from the first event of the source on'),
  ('report_loss', 'last_end_s', 's', 'bound', 'End of the last stretch, from the first event of the source on'),
  ('report_problems', 'severity', 'text', 'label', 'info, notice, data_loss or error'),
  ('report_problems', 'name', 'text', 'label', 'Name of the trouble'),
  ('report_problems', 'times', 'count', 'exact', 'How often it was met'),
  ('report_problems', 'sentence', 'text', 'label', 'What happened the first time'),
  ('report_events', 'provider', 'text', 'label', 'Provider of the event'),
  ('report_events', 'event', 'text', 'label', 'Name of the event'),
  ('report_events', 'events', 'count', 'exact', 'How many were read'),
  ('report_libc', 'events', 'count', 'exact', 'Calls that were read'),
  ('report_libc', 'threads', 'count', 'exact', 'Threads that called'),
  ('report_libc', 'allocations', 'count', 'exact', 'Calls that gave a block'),
  ('report_libc', 'allocated_mib', 'MiB', 'exact', 'Bytes they asked for'),
  ('report_libc', 'frees_known', 'count', 'exact', 'Frees of a live block'),
  ('report_libc', 'frees_unknown', 'count', 'exact', 'Frees of a block whose allocation was not seen'),
  ('report_libc', 'reallocs', 'count', 'exact', 'Reallocations'),
  ('report_libc', 'failed_calls', 'count', 'exact', 'Reallocations that gave nothing'),
  ('report_libc', 'live_blocks', 'count', 'estimate', 'Blocks not freed when the source ended; an exec forgets them without a free'),
  ('report_libc', 'live_mib', 'MiB', 'estimate', 'Bytes of these blocks'),
  ('report_libc', 'peak_live_mib', 'MiB', 'estimate', 'Most live bytes'),
  ('report_libc', 'peak_at_s', 's', 'exact', 'When that was, from the first event of the source on'),
  ('report_*', 'multi_block_carriers', 'count', 'exact', 'Multi-block carriers owned when the source ends'),
  ('report_*', 'single_block_carriers_max', 'count', 'bound', 'Single-block carriers as last recorded: an upper bound, since their end is silent'),
  ('report_*', 'multi_block_blocks', 'count', 'estimate', 'Blocks in multi-block carriers, as last recorded'),
  ('report_*', 'single_block_blocks_max', 'count', 'bound', 'Blocks in single-block carriers, as last recorded: an upper bound');
