-- SPDX-License-Identifier: MIT
--
-- Layer:   reports on blocks
-- Serves:  `carrierscope report NAME`

CREATE VIEW report_growth AS
SELECT vpid, allocator, type, live_blocks,
  round(live_bytes / 1048576.0, 2) AS live_mib,
  grown_blocks,
  round(grown_bytes / 1048576.0, 2) AS grown_mib,
  round(most_bytes / 1048576.0, 2) AS most_mib,
  source_lost_events AS lost_events
FROM block_growth
ORDER BY grown_bytes DESC, live_bytes DESC, vpid, allocator, type;

CREATE VIEW report_growth_processes AS
SELECT vpid, coalesce(l.text, b.pid, iif(b.is_pid_known, 'no process', 'unknown')) AS process, live_blocks,
  round(live_bytes / 1048576.0, 2) AS live_mib,
  late_blocks,
  round(late_bytes / 1048576.0, 2) AS late_mib,
  source_lost_events AS lost_events
FROM block_process_at AS b
LEFT JOIN process_label AS l ON +l.runtime_id = b.runtime_id AND l.pid = b.pid
ORDER BY late_bytes DESC, live_bytes DESC, vpid, process;

CREATE VIEW report_block_lifetimes AS
SELECT allocator,
  life_from_ns / 1e3 AS from_us,
  life_to_ns / 1e3 AS to_us,
  sum(ends) AS frees,
  round(sum(end_bytes) / 1048576.0, 2) AS freed_mib,
  round(100.0 * sum(ends) / sum(sum(ends)) OVER (PARTITION BY allocator), 1) AS percent,
  max(source_lost_events) AS lost_events
FROM block_lifetime
GROUP BY allocator, life_from_ns, life_to_ns
ORDER BY allocator, life_from_ns;

CREATE VIEW report_allocators AS
SELECT vpid, allocator, made AS allocated, ended AS freed, resized, live_blocks,
  round(live_bytes / 1048576.0, 2) AS live_mib,
  round(most_bytes / 1048576.0, 2) AS most_mib,
  round(1.0 * made_bytes / nullif(made, 0), 1) AS average_bytes,
  round(100.0 * temporary / nullif(made, 0), 1) AS temporary_percent,
  unknown_frees AS from_before,
  source_lost_events AS lost_events
FROM block_use
WHERE scope = 'allocator'
ORDER BY vpid, live_bytes DESC, allocator;

CREATE VIEW report_temporary AS
SELECT vpid, allocator, type, made AS allocated, temporary,
  round(100.0 * temporary / nullif(made, 0), 1) AS temporary_percent,
  round(temporary_bytes / 1048576.0, 2) AS temporary_mib,
  source_lost_events AS lost_events
FROM block_use
WHERE scope = 'type' AND temporary > 0
ORDER BY temporary DESC, vpid, allocator, type;

CREATE VIEW report_block_rate AS
SELECT vpid, round((from_ns - s.first_ts_ns) / 1e9, 3) AS from_s,
  round((to_ns - s.first_ts_ns) / 1e9, 3) AS to_s,
  made AS allocated, ended AS freed,
  round(made * 1e9 / nullif(to_ns - from_ns, 0)) AS per_second,
  round(made_bytes * 1e9 / 1048576 / nullif(to_ns - from_ns, 0), 2) AS mib_per_second,
  round(live_bytes / 1048576.0, 2) AS live_mib,
  source_lost_events AS lost_events
FROM block_rate
JOIN block_span AS s USING (source_id)
WHERE scope = 'runtime'
ORDER BY source_id, vpid, from_ns;

CREATE VIEW report_block_waste AS
SELECT vpid, allocator, type, live_blocks,
  round(asked_bytes / 1048576.0, 2) AS asked_mib,
  round(block_bytes / 1048576.0, 2) AS blocks_mib,
  round(waste_bytes / 1048576.0, 2) AS waste_mib,
  round(100.0 * waste_bytes / nullif(block_bytes, 0), 1) AS waste_percent,
  source_lost_events AS lost_events
FROM block_waste_at
ORDER BY waste_bytes DESC, vpid, allocator, type;

-- Live sizes at the moment of `question`, and at the peak of each process.
CREATE VIEW report_block_sizes_at AS
WITH peak AS (
  SELECT runtime_id, allocator, size_from, sum(live_blocks) AS blocks, sum(live_bytes) AS bytes
  FROM block_size_at_peak
  GROUP BY runtime_id, allocator, size_from
),
live AS (
  SELECT runtime_id, allocator, size_from, sum(live_blocks) AS blocks, sum(live_bytes) AS bytes
  FROM block_size_at
  GROUP BY runtime_id, allocator, size_from
),
sizes AS (
  SELECT runtime_id, allocator, size_from FROM live
  UNION
  SELECT runtime_id, allocator, size_from FROM peak
)
SELECT
  r.vpid, z.allocator, z.size_from AS from_bytes, max(2 * z.size_from, 1) AS to_bytes,
  coalesce(l.blocks, 0) AS live_blocks,
  round(coalesce(l.bytes, 0) / 1048576.0, 2) AS live_mib,
  coalesce(p.blocks, 0) AS peak_blocks,
  round(coalesce(p.bytes, 0) / 1048576.0, 2) AS peak_mib,
  s.lost_events
FROM sizes AS z
JOIN runtime AS r ON r.id = z.runtime_id
JOIN source AS s ON s.id = r.source_id
LEFT JOIN live AS l ON l.runtime_id = z.runtime_id AND l.allocator = z.allocator
  AND l.size_from = z.size_from
LEFT JOIN peak AS p ON p.runtime_id = z.runtime_id AND p.allocator = z.allocator
  AND p.size_from = z.size_from
ORDER BY r.vpid, z.allocator, z.size_from;

INSERT INTO view_doc VALUES
  ('report_growth', '', 'row', 'fast', 'What grows, by type of block: live at the end beside the middle of the time'),
  ('report_growth', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_growth', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_growth', 'type', 'text', 'label', 'Name of the block type; NULL: not recorded'),
  ('report_growth', 'live_blocks', 'count', 'exact', 'Live blocks'),
  ('report_growth', 'live_mib', 'MiB', 'exact', 'Bytes asked for in live blocks, MiB'),
  ('report_growth', 'grown_blocks', 'count', 'exact', 'Live blocks more than in the middle'),
  ('report_growth', 'grown_mib', 'MiB', 'exact', 'MiB more than in the middle'),
  ('report_growth', 'most_mib', 'MiB', 'exact', 'Most bytes asked for in live blocks, MiB'),
  ('report_growth_processes', '', 'row', 'full scan', 'What grows, by Erlang process (needs the dyntrace events): live blocks by who made them'),
  ('report_growth_processes', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_growth_processes', 'process', 'text', 'label', 'Erlang process or port, with its names; no process: none ran, or not recorded'),
  ('report_growth_processes', 'live_blocks', 'count', 'exact', 'Live blocks'),
  ('report_growth_processes', 'live_mib', 'MiB', 'exact', 'Bytes asked for in live blocks, MiB'),
  ('report_growth_processes', 'late_blocks', 'count', 'exact', 'Of them, those made in the second half of the time'),
  ('report_growth_processes', 'late_mib', 'MiB', 'exact', 'MiB in these'),
  ('report_block_lifetimes', '', 'row', 'fast', 'How long blocks live, by allocator'),
  ('report_block_lifetimes', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_block_lifetimes', 'from_us', 'us', 'label', 'Lives from this on, microseconds'),
  ('report_block_lifetimes', 'to_us', 'us', 'label', 'and below this'),
  ('report_block_lifetimes', 'frees', 'count', 'exact', 'Frees after such a life'),
  ('report_block_lifetimes', 'freed_mib', 'MiB', 'exact', 'MiB asked for in them'),
  ('report_block_lifetimes', 'percent', 'percent', 'exact', 'Of all frees of the allocator'),
  ('report_allocators', '', 'row', 'fast', 'Block events by allocator: what was allocated while it was recorded, and of that was freed, is live, and was temporary'),
  ('report_allocators', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_allocators', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_allocators', 'allocated', 'count', 'exact', 'Blocks given, reallocations included'),
  ('report_allocators', 'freed', 'count', 'exact', 'Blocks ended, reallocations included'),
  ('report_allocators', 'resized', 'count', 'exact', 'Reallocations'),
  ('report_allocators', 'live_blocks', 'count', 'exact', 'Live blocks of those made while it was recorded; all there are: report utilisation'),
  ('report_allocators', 'live_mib', 'MiB', 'exact', 'Bytes asked for in these, MiB'),
  ('report_allocators', 'most_mib', 'MiB', 'exact', 'Most bytes asked for in such at once, MiB'),
  ('report_allocators', 'average_bytes', 'bytes', 'exact', 'Bytes asked for by block'),
  ('report_allocators', 'temporary_percent', 'percent', 'exact', 'Blocks freed by their thread before it made another'),
  ('report_allocators', 'from_before', 'count', 'exact', 'Frees of blocks that existed before the recording'),
  ('report_temporary', '', 'row', 'fast', 'Temporary allocations by type: freed by the thread that made them before it made another'),
  ('report_temporary', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_temporary', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_temporary', 'type', 'text', 'label', 'Name of the block type; NULL: not recorded'),
  ('report_temporary', 'allocated', 'count', 'exact', 'Blocks given'),
  ('report_temporary', 'temporary', 'count', 'exact', 'Of them, temporary ones'),
  ('report_temporary', 'temporary_percent', 'percent', 'exact', 'Share of temporary ones'),
  ('report_temporary', 'temporary_mib', 'MiB', 'exact', 'MiB asked for in them'),
  ('report_block_rate', '', 'row', 'fast', 'Allocations and live bytes over time'),
  ('report_block_rate', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_block_rate', 'from_s', 's', 'exact', 'Seconds since the first block event'),
  ('report_block_rate', 'to_s', 's', 'exact', 'Until'),
  ('report_block_rate', 'allocated', 'count', 'exact', 'Blocks given'),
  ('report_block_rate', 'freed', 'count', 'exact', 'Blocks ended'),
  ('report_block_rate', 'per_second', 'count', 'exact', 'Blocks given in a second'),
  ('report_block_rate', 'mib_per_second', 'MiB', 'exact', 'MiB given in a second'),
  ('report_block_rate', 'live_mib', 'MiB', 'exact', 'MiB live at the end of the row'),
  ('report_block_waste', '', 'row', 'full scan', 'What blocks take beyond what was asked for: headers, tags, rounding'),
  ('report_block_waste', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_block_waste', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_block_waste', 'type', 'text', 'label', 'Name of the block type; NULL: not recorded'),
  ('report_block_waste', 'live_blocks', 'count', 'exact', 'Live blocks'),
  ('report_block_waste', 'asked_mib', 'MiB', 'exact', 'MiB asked for'),
  ('report_block_waste', 'blocks_mib', 'MiB', 'estimate', 'MiB the blocks take'),
  ('report_block_waste', 'waste_mib', 'MiB', 'estimate', 'The difference'),
  ('report_block_waste', 'waste_percent', 'percent', 'estimate', 'Of what the blocks take'),
  ('report_block_sizes_at', '', 'row', 'full scan', 'Sizes of live blocks at a moment (--at), and at the peak of the process'),
  ('report_block_sizes_at', 'vpid', 'id', 'label', 'Process id; NULL: not recorded'),
  ('report_block_sizes_at', 'allocator', 'text', 'label', 'Name of the allocator; libc: the C library''s'),
  ('report_block_sizes_at', 'from_bytes', 'bytes', 'label', 'Sizes from this on'),
  ('report_block_sizes_at', 'to_bytes', 'bytes', 'label', 'and below this'),
  ('report_block_sizes_at', 'live_blocks', 'count', 'exact', 'Live blocks'),
  ('report_block_sizes_at', 'live_mib', 'MiB', 'exact', 'Bytes asked for in live blocks, MiB'),
  ('report_block_sizes_at', 'peak_blocks', 'count', 'exact', 'Live blocks when the process had most bytes live'),
  ('report_block_sizes_at', 'peak_mib', 'MiB', 'exact', 'MiB in them');
